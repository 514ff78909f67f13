//! `gpu-words OUT.json [seed=N] [variants=N] [each=N] [rows=PREFIX] [workers=N] [seconds=N] [explore=1] [device=executor [illegal=WORD]]`: every row that computes, on a device and in
//! our executor; `gpu-words OUT.json timing=1 [groups=PREFIX] [share=N] [workers=N] [seconds=N] [device=executor]`: the latency tables, see [`sassafras_gpu::timing`]; `gpu-words cubin ROW OUT.cubin`: a kernel of one row. See [`sassafras_gpu::words`]. Needs nothing but libcuda.

use anyhow::{Context, Result, bail};
use sassafras_gpu::cuda::Cuda;
use sassafras_gpu::timing;
use sassafras_gpu::words::jobs::{self, StandIn};
use sassafras_gpu::words::kernel;
use sassafras_isa::form;
use std::time::Duration;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| args.iter().find_map(|a| a.strip_prefix(name)?.strip_prefix('='));
    let number = |name: &str, default: u64| option(name).map_or(Ok(default), str::parse);
    match args.first().map(String::as_str) {
        Some("child") if option("device") == Some("executor") => {
            let illegal = option("illegal").map(|w| u128::from_str_radix(w, 16)).transpose()?;
            jobs::child(&StandIn { illegal, ..StandIn::default() }, "executor")
        }
        Some("child") => match Cuda::open() {
            Ok(cuda) => jobs::child(&cuda, &cuda.device_name()?),
            Err(e) => {
                println!("no device: {e:#}");
                Ok(())
            }
        },
        Some("timing-child") => {
            let share = number("share", 1)? as usize;
            if option("device") == Some("executor") {
                return timing::run::child(&timing::run::StandIn::default(), "executor", share);
            }
            if let Some(name @ ("build" | "gold")) = option("device") {
                let (makes, gold) = (name == "build", name == "gold");
                let stand_in = timing::run::StandIn { makes, gold, ..Default::default() };
                return timing::run::child(&stand_in, name, share);
            }
            match Cuda::open() {
                Ok(cuda) => timing::run::child(&cuda, &cuda.device_name()?, share),
                Err(e) => {
                    println!("no device: {e:#}");
                    Ok(())
                }
            }
        }
        Some(out) if !out.contains('=') && option("timing").is_some() => {
            let report = timing::run::run(
                number("share", 1)? as usize,
                option("groups").unwrap_or(""),
                number("workers", 14)?.max(1) as usize,
                Duration::from_secs(number("seconds", 100)?),
                &std::env::current_exe()?,
                &args[1..],
            )?;
            std::fs::write(out, serde_json::to_string(&report)?)?;
            print!("{}", report.summary());
            Ok(())
        }
        Some("texts") => {
            for fault in timing::texts::faults() {
                println!("{fault}");
            }
            Ok(())
        }
        Some("cubin") => {
            let [_, row, out] = &args[..] else { bail!("usage: gpu-words cubin ROW OUT.cubin") };
            let id = form(row).with_context(|| format!("no row {row}"))?;
            let variants: Vec<_> = (0..16).filter_map(|n| jobs::nth(id, 1, n)).collect();
            Ok(std::fs::write(out, sassafras_emit::write(&kernel::cubin(&variants))?)?)
        }
        Some(out) if !out.contains('=') => {
            let (seed, variants, each) =
                (number("seed", 1)?, number("variants", 64)? as usize, number("each", 16)? as usize);
            let items = jobs::items(
                option("rows").unwrap_or(""),
                seed,
                variants,
                each.max(1),
                option("explore").is_some(),
            );
            let workers = number("workers", 14)?.max(1) as usize;
            let patience = Duration::from_secs(number("seconds", 300)?);
            let report = jobs::run(items, seed, workers, patience, &std::env::current_exe()?, &args[1..])?;
            std::fs::write(out, serde_json::to_string(&report)?)?;
            print!("{}", report.summary());
            Ok(())
        }
        _ => bail!(
            "usage: gpu-words OUT.json [seed=N] [variants=N] [each=N] [rows=PREFIX] [workers=N] [seconds=N] [explore=1] [device=executor]"
        ),
    }
}
