//! Our code against ptxas's, kernel by kernel (`cargo xtask figures code`): static instructions and their stall counts, registers, bytes that go through local
//! memory, and the warps that the registers leave a multiprocessor. ptxas's side is what is recorded of 13.0.88 at its default level, -O3; ours is compiled here, at ours.
//!
//! `code [--chip sm_NN] [--only TEXT] [--rows FILE] [-- KNOB=VALUE...]`; prints JSON: geometric mean, sum and the five worst of each number, for each chip,
//! and writes a line of CSV for each kernel to FILE. A kernel that one side lacks is named. `code --levels` instead compares our levels of optimisation
//! with each other on sm_90, and how long they take (`cargo xtask figures levels`).

use anyhow::{Context, Result, bail};
use sassafras_chip::{Chip, Target};
use sassafras_corpus::measure::{Side, measure};
use sassafras_corpus::{Program, programs};
use sassafras_driver::observe::Nobody;
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::session;
use sassafras_reference::{traces, workspace_root};
use serde_json::{Value, json};
use std::io::Write;

const CHIPS: [Chip; 3] = [Chip::Sm80, Chip::Sm90, Chip::Sm120];
/// How many of the worst are named.
const WORST: usize = 5;

fn main() -> Result<()> {
    let (mut chips, mut only, mut rows) = (CHIPS.to_vec(), String::new(), None);
    let mut words = std::env::args().skip(1);
    let mut knobs = Vec::new();
    while let Some(name) = words.next() {
        if name == "--levels" {
            return levels();
        }
        if name == "--" {
            knobs.extend(words.by_ref());
            break;
        }
        let value = words.next().with_context(|| format!("{name} takes a value"))?;
        match name.as_str() {
            "--chip" => {
                let found = Chip::ALL.iter().find(|chip| chip.to_string() == value);
                chips = vec![*found.with_context(|| format!("no chip `{value}`"))?];
            }
            "--only" => only = value,
            "--rows" => rows = Some(std::fs::File::create(value)?),
            _ => bail!("no option `{name}`"),
        }
    }
    let root = workspace_root();
    let all = programs(&root)?;
    let wanted: Vec<&Program> =
        all.iter().filter(|p| p.name.starts_with("kernels/") && p.name.contains(&only)).collect();
    if let Some(file) = &mut rows {
        let columns = ["instructions", "stalls", "cycles", "registers", "local_bytes", "warps"];
        writeln!(file, "chip,kernel,{},ptxas", columns.join(",ptxas,"))?;
    }
    let mut figures = serde_json::Map::new();
    for chip in chips {
        let (mut kernels, mut left_out) = (Vec::new(), Vec::new());
        for program in &wanted {
            match pair(&root, program, chip, &knobs) {
                Ok([ours, ptxas]) => {
                    if let Some(file) = &mut rows {
                        let numbers = |s: Side| {
                            [s.instructions, s.stalls, s.cycles, s.registers, s.local_bytes, s.warps]
                        };
                        let both = numbers(ours).into_iter().zip(numbers(ptxas));
                        let both: Vec<String> = both.map(|(a, b)| format!("{a},{b}")).collect();
                        writeln!(file, "{chip},{},{}", program.name, both.join(","))?;
                    }
                    kernels.push((program.name.as_str(), ours, ptxas));
                }
                Err(why) => left_out.push(format!("{}: {why}", program.name)),
            }
        }
        figures.insert(chip.to_string(), record(&kernels, &left_out));
    }
    let record = json!({ "schema": 1, "figure": "code", "against": "ptxas 13.0.88 -O3", "chips": figures });
    println!("{}", serde_json::to_string_pretty(&record)?);
    Ok(())
}

/// Sums over the kernels at each level, and the seconds of one thread that compiling them takes.
fn levels() -> Result<()> {
    let all = programs(&workspace_root())?;
    let wanted: Vec<&Program> = all.iter().filter(|p| p.name.starts_with("kernels/")).collect();
    let mut figures = serde_json::Map::new();
    for level in 0..=3 {
        let arch = Some(Arch::Real(Target::base(Chip::Sm90)));
        let options = Options { arch, level, jobs: 1, ..Options::default() };
        let (mut sum, mut seconds) = (Side::default(), 0.0);
        for program in &wanted {
            let start = std::time::Instant::now();
            let made = session::compile(&program.text, &program.name, &options, None, &Nobody);
            seconds += start.elapsed().as_secs_f64();
            let (cubin, _) = made.map_err(|e| anyhow::anyhow!("{e}"))?.cubin.context("no cubin")?;
            let side = measure(&cubin, Chip::Sm90)?;
            sum.instructions += side.instructions;
            sum.cycles += side.cycles;
            sum.registers += side.registers;
        }
        let numbers = json!({
            "instructions": sum.instructions, "cycles": sum.cycles, "registers": sum.registers, "seconds": seconds,
        });
        figures.insert(format!("-O{level}"), numbers);
    }
    let record = json!({ "schema": 1, "figure": "levels", "kernels": wanted.len(), "levels": figures });
    println!("{}", serde_json::to_string_pretty(&record)?);
    Ok(())
}

fn pair(root: &std::path::Path, program: &Program, chip: Chip, knobs: &[String]) -> Result<[Side; 2]> {
    let recorded = match chip {
        Chip::Sm90 => program.recorded(root),
        _ => traces::cubin_for(root, &chip.to_string(), &program.name),
    };
    let recorded = sassafras_cubin::read(&recorded.context("not recorded")?)?;
    let mut options = Options { arch: Some(Arch::Real(Target::base(chip))), jobs: 1, ..Options::default() };
    knobs.iter().try_for_each(|knob| options.knobs.set_by(knob))?;
    let made = session::compile(&program.text, &program.name, &options, None, &Nobody);
    let (cubin, _) = made?.cubin.context("no cubin")?;
    Ok([measure(&cubin, chip)?, measure(&recorded, chip)?])
}

fn record(kernels: &[(&str, Side, Side)], left_out: &[String]) -> Value {
    let compared = |of: fn(&Side) -> u64| {
        let ratio = |ours: &Side, ptxas: &Side| of(ours) as f64 / of(ptxas) as f64;
        let logs: f64 = kernels.iter().map(|(_, ours, ptxas)| ratio(ours, ptxas).ln()).sum();
        let (ours, ptxas): (u64, u64) =
            kernels.iter().fold((0, 0), |(a, b), (_, x, y)| (a + of(x), b + of(y)));
        let mut worst: Vec<_> = kernels.iter().collect();
        worst.sort_by(|(_, a, b), (_, x, y)| ratio(x, y).total_cmp(&ratio(a, b)));
        let worst = worst.iter().take(WORST);
        let worst: Vec<Value> =
            worst.map(|(name, a, b)| json!({ "kernel": name, "ours": of(a), "ptxas": of(b) })).collect();
        json!({
            "geometric_mean": (logs / kernels.len().max(1) as f64).exp(),
            "sum": ours as f64 / ptxas as f64, "ours": ours, "ptxas": ptxas, "worst": worst,
        })
    };
    let local = kernels.iter().filter(|(_, a, b)| a.local_bytes > b.local_bytes);
    let local: Vec<Value> = local
        .map(|(name, a, b)| json!({ "kernel": name, "ours": a.local_bytes, "ptxas": b.local_bytes }))
        .collect();
    let fewer = kernels.iter().filter(|(_, a, b)| a.warps < b.warps);
    let fewer: Vec<Value> =
        fewer.map(|(name, a, b)| json!({ "kernel": name, "ours": a.warps, "ptxas": b.warps })).collect();
    json!({
        "kernels": kernels.len(),
        "instructions": compared(|s| s.instructions),
        "stalls": compared(|s| s.stalls),
        "cycles": compared(|s| s.cycles),
        "registers": compared(|s| s.registers),
        "warps_more": kernels.iter().filter(|(_, a, b)| a.warps > b.warps).count(),
        "warps_fewer": fewer,
        "local_bytes_more": local,
        "left_out": left_out,
    })
}
