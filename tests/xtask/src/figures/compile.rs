//! `figures compile`: our compiler against ptxas -O3 on the kernels of the corpus, both as processes, in one run.

use super::listing::{Usage, instructions};
use anyhow::{Context, Result, bail};
use sassafras_oracle::{Nvdisasm, Ptxas, Tools, table};
use serde::Serialize;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Timed runs of each compiler per kernel, taken in turns; the median counts.
const RUNS: usize = 7;
const CHIP: &str = "sm_90";

#[derive(Serialize)]
struct Figure {
    schema: u32,
    figure: &'static str,
    chip: &'static str,
    runs: usize,
    ptxas: String,
    kernels: Vec<Kernel>,
    refused: Vec<Refused>,
    geometric_means: Means,
    totals: Totals,
}

#[derive(Serialize)]
struct Kernel {
    name: String,
    ours: Side,
    ptxas: Side,
    ratio: Ratio,
}

/// One compiler on one kernel. Times are wall times of the whole process in milliseconds.
#[derive(Serialize)]
struct Side {
    ms: f64,
    /// Ours only: with every fast judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    judged_ms: Option<f64>,
    instructions: u64,
    registers: u64,
    spill_stores: u64,
    spill_loads: u64,
    us_per_instruction: f64,
}

/// Ours over ptxas's; less is better.
#[derive(Serialize)]
struct Ratio {
    time: f64,
    time_per_instruction: f64,
    instructions: f64,
    registers: f64,
}

#[derive(Serialize)]
struct Refused {
    name: String,
    exit: Option<i32>,
    message: String,
}

#[derive(Serialize)]
struct Means {
    kernels: usize,
    time: f64,
    judged_time: f64,
    time_per_instruction: f64,
    instructions: f64,
    registers: f64,
}

#[derive(Serialize)]
struct Totals {
    instructions_ours: u64,
    instructions_ptxas: u64,
    spill_bytes_ours: u64,
    spill_bytes_ptxas: u64,
}

/// Compiles every kernel with both compilers and prints one JSON record.
pub fn compile(root: &Path) -> Result<()> {
    let tools = Tools::find(root);
    let (ptxas, nvdisasm) = (tools.ptxas(table::CUDA)?, tools.nvdisasm()?);
    let ours = super::binary::binary(root, true)?;
    let folder = root.join("target/figures");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let (mut kernels, mut refused) = (Vec::new(), Vec::new());
    for (name, path) in crate::corpus::kernels(root)? {
        let ptx = path.join(format!("{name}.ptx"));
        let bench = Bench { ours: &ours, ptxas: &ptxas, nvdisasm: &nvdisasm, ptx: &ptx, folder: &folder };
        match bench.kernel(&name)? {
            Ok(kernel) => kernels.push(kernel),
            Err(no) => refused.push(no),
        }
    }
    let mean = |f: &dyn Fn(&Kernel) -> f64| geometric_mean(kernels.iter().map(f));
    let means = Means {
        kernels: kernels.len(),
        time: mean(&|k| k.ratio.time),
        judged_time: mean(&|k| k.ours.judged_ms.unwrap_or(f64::NAN) / k.ptxas.ms),
        time_per_instruction: mean(&|k| k.ratio.time_per_instruction),
        instructions: mean(&|k| k.ratio.instructions),
        registers: mean(&|k| k.ratio.registers),
    };
    let sum = |f: &dyn Fn(&Kernel) -> u64| kernels.iter().map(f).sum();
    let totals = Totals {
        instructions_ours: sum(&|k| k.ours.instructions),
        instructions_ptxas: sum(&|k| k.ptxas.instructions),
        spill_bytes_ours: sum(&|k| k.ours.spill_stores + k.ours.spill_loads),
        spill_bytes_ptxas: sum(&|k| k.ptxas.spill_stores + k.ptxas.spill_loads),
    };
    let figure = Figure {
        schema: 1,
        figure: "compile",
        chip: CHIP,
        runs: RUNS,
        ptxas: ptxas.build()?,
        kernels,
        refused,
        geometric_means: means,
        totals,
    };
    println!("{}", serde_json::to_string_pretty(&figure)?);
    Ok(())
}

struct Bench<'a> {
    ours: &'a Path,
    ptxas: &'a Ptxas,
    nvdisasm: &'a Nvdisasm,
    ptx: &'a Path,
    folder: &'a Path,
}

impl Bench<'_> {
    fn kernel(&self, name: &str) -> Result<Result<Kernel, Refused>> {
        let (our_cubin, their_cubin) = (self.folder.join("ours.cubin"), self.folder.join("ptxas.cubin"));
        let first = self.compile_ours(&["-v", "--judge", "none"], &our_cubin)?;
        if first.code != Some(0) {
            let message = first.said.lines().find(|l| !l.trim().is_empty()).unwrap_or_default().to_string();
            return Ok(Err(Refused { name: name.into(), exit: first.code, message }));
        }
        let theirs = self.ptxas.run(self.ptx, CHIP, &["-O3", "-v"], &their_cubin)?;
        if !theirs.ok() {
            bail!("ptxas refuses {name}: {}", theirs.stderr);
        }
        let (mut plain, mut judged, mut other) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..RUNS {
            plain.push(self.compile_ours(&["--judge", "none"], &our_cubin)?.ms);
            other.push(self.ptxas.run(self.ptx, CHIP, &["-O3"], &their_cubin)?.seconds * 1e3);
            judged.push(self.compile_ours(&["--judge", "fast"], &our_cubin)?.ms);
        }
        let ours = self.side(median(plain), Some(median(judged)), &our_cubin, &first.said)?;
        let said = format!("{}{}", theirs.stdout, theirs.stderr);
        let ptxas = self.side(median(other), None, &their_cubin, &said)?;
        let ratio = Ratio {
            time: ours.ms / ptxas.ms,
            time_per_instruction: ours.us_per_instruction / ptxas.us_per_instruction,
            instructions: ours.instructions as f64 / ptxas.instructions as f64,
            registers: ours.registers as f64 / ptxas.registers as f64,
        };
        Ok(Ok(Kernel { name: name.into(), ours, ptxas, ratio }))
    }

    fn side(&self, ms: f64, judged_ms: Option<f64>, cubin: &Path, said: &str) -> Result<Side> {
        let instructions = instructions(&self.nvdisasm.disassemble(cubin)?);
        let usage = Usage::of(said);
        Ok(Side {
            ms,
            judged_ms,
            instructions,
            registers: usage.registers,
            spill_stores: usage.spill_stores,
            spill_loads: usage.spill_loads,
            us_per_instruction: ms * 1e3 / instructions as f64,
        })
    }

    fn compile_ours(&self, options: &[&str], cubin: &Path) -> Result<Ran> {
        let started = Instant::now();
        let out = Command::new(self.ours)
            .args(["compile", "--quiet", &format!("-arch={CHIP}")])
            .args(options)
            .arg(self.ptx)
            .arg("-o")
            .arg(cubin)
            .output()
            .with_context(|| self.ours.display().to_string())?;
        let said =
            format!("{}{}", String::from_utf8_lossy(&out.stderr), String::from_utf8_lossy(&out.stdout));
        Ok(Ran { code: out.status.code(), said, ms: started.elapsed().as_secs_f64() * 1e3 })
    }
}

struct Ran {
    code: Option<i32>,
    said: String,
    ms: f64,
}

fn median(mut v: Vec<f64>) -> f64 {
    v.sort_by(f64::total_cmp);
    v.get(v.len() / 2).copied().unwrap_or(f64::NAN)
}

fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = values.map(f64::ln).collect();
    (logs.iter().sum::<f64>() / logs.len() as f64).exp()
}
