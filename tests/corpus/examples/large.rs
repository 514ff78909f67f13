//! Our code for `corpus/large` against ptxas's, kernel by kernel (`cargo xtask figures large`): static instructions, registers, bytes that go through local
//! memory, and the warps that the registers leave a multiprocessor. ptxas 13.0.88 compiles at its default level, -O3; we at ours.
//!
//! `large [--chip sm_NN] [--only TEXT] [--rows FILE]` prints JSON for sm_80, sm_90 and sm_120: geometric mean, sum and the five worst of each number, and the
//! kernels that spill where ptxas does not; FILE gets a line of CSV for each kernel. `large --passes FILE` leaves out one pass at a time on sm_90 instead, and
//! writes to FILE how many instructions, registers and spilled bytes each saves each kernel.

use anyhow::{Context, Result, bail};
use sassafras_chip::{Chip, Target};
use sassafras_corpus::measure::{Side, measure};
use sassafras_driver::observe::Nobody;
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::{phase, session};
use sassafras_oracle::Tools;
use sassafras_reference::{traces::RECORDED, workspace_root};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

const CHIPS: [Chip; 3] = [Chip::Sm80, Chip::Sm90, Chip::Sm120];
/// How many of the worst are named.
const WORST: usize = 5;

/// An entry of a file of the corpus.
struct Kernel {
    file: PathBuf,
    text: String,
    entry: String,
}

impl Kernel {
    fn name(&self) -> String {
        format!("{}/{}", self.file.file_stem().unwrap_or_default().to_string_lossy(), self.entry)
    }

    fn ours(&self, chip: Chip, disabled: &[&str]) -> Result<Side> {
        let options = Options {
            arch: Some(Arch::Real(Target::base(chip))),
            entries: vec![self.entry.clone()],
            disabled: disabled.iter().map(|&name| name.to_owned()).collect(),
            jobs: 1,
            ..Options::default()
        };
        let made = session::compile(&self.text, &self.name(), &options, None, &Nobody);
        let (cubin, _) = made.map_err(|e| anyhow::anyhow!("{e}"))?.cubin.context("no cubin")?;
        Ok(measure(&cubin, chip)?)
    }
}

fn main() -> Result<()> {
    let (mut chips, mut only, mut rows, mut passes) = (CHIPS.to_vec(), String::new(), None, None);
    let mut words = std::env::args().skip(1);
    while let Some(name) = words.next() {
        let value = words.next().with_context(|| format!("{name} takes a value"))?;
        match name.as_str() {
            "--chip" => {
                let found = Chip::ALL.iter().find(|chip| chip.to_string() == value);
                chips = vec![*found.with_context(|| format!("no chip `{value}`"))?];
            }
            "--only" => only = value,
            "--rows" => rows = Some(value),
            "--passes" => passes = Some(value),
            _ => bail!("no option `{name}`"),
        }
    }
    let mut all = kernels()?;
    all.retain(|kernel| kernel.name().contains(&only));
    match passes {
        Some(file) => std::fs::write(file, without(&all)?)?,
        None => compare(&all, &chips, rows)?,
    }
    Ok(())
}

fn kernels() -> Result<Vec<Kernel>> {
    let folder = workspace_root().join("corpus/large");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let file = entry?.path();
        if file.extension().is_none_or(|e| e != "ptx") {
            continue;
        }
        let text = std::fs::read_to_string(&file)?;
        let entries = text.lines().filter_map(|line| line.strip_prefix(".visible .entry "));
        let entries: Vec<String> = entries.map(|rest| rest.trim_end_matches('(').to_owned()).collect();
        all.extend(entries.into_iter().map(|entry| Kernel { file: file.clone(), text: text.clone(), entry }));
    }
    all.sort_by_key(Kernel::name);
    Ok(all)
}

fn compare(all: &[Kernel], chips: &[Chip], rows: Option<String>) -> Result<()> {
    let ptxas = Tools::find(&workspace_root()).ptxas(RECORDED).map_err(|e| anyhow::anyhow!("{e}"))?;
    let mut figures = serde_json::Map::new();
    let mut lines =
        String::from("chip,kernel,instructions,ptxas,registers,ptxas,local_bytes,ptxas,warps,ptxas\n");
    for &chip in chips {
        let mut pairs = Vec::new();
        for kernel in all {
            let (bytes, _) = ptxas.compile(&kernel.file, &chip.to_string(), &["-e", &kernel.entry])?;
            let theirs = sassafras_cubin::read(&bytes)?;
            let theirs = measure(&theirs, chip)?;
            let ours = kernel.ours(chip, &[]).with_context(|| format!("{} for {chip}", kernel.name()))?;
            let numbers = |s: Side| [s.instructions, s.registers, s.local_bytes, s.warps];
            let both = numbers(ours).into_iter().zip(numbers(theirs)).map(|(a, b)| format!("{a},{b}"));
            writeln!(lines, "{chip},{},{}", kernel.name(), both.collect::<Vec<_>>().join(","))?;
            pairs.push((kernel.name(), ours, theirs));
        }
        figures.insert(chip.to_string(), record(&pairs));
    }
    if let Some(file) = rows {
        std::fs::write(file, lines)?;
    }
    let record = json!({ "schema": 1, "figure": "large", "against": "ptxas 13.0.88 -O3", "chips": figures });
    println!("{}", serde_json::to_string_pretty(&record)?);
    Ok(())
}

/// Geometric mean, ratio of the sums and the worst of each number.
fn record(pairs: &[(String, Side, Side)]) -> Value {
    let compared = |of: fn(&Side) -> u64| {
        let ratio = |(_, a, b): &(String, Side, Side)| of(a) as f64 / of(b).max(1) as f64;
        let mean = (pairs.iter().map(|pair| ratio(pair).ln()).sum::<f64>() / pairs.len().max(1) as f64).exp();
        let sum =
            |side: fn(&(String, Side, Side)) -> Side| -> u64 { pairs.iter().map(|p| of(&side(p))).sum() };
        let (ours, theirs) = (sum(|p| p.1), sum(|p| p.2));
        let mut worst: Vec<_> = pairs.iter().collect();
        worst.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
        let worst = worst.into_iter().take(WORST);
        let worst = worst.map(|(name, a, b)| json!({ "kernel": name, "ours": of(a), "ptxas": of(b) }));
        json!({
            "geometric_mean": mean, "sum": ours as f64 / theirs.max(1) as f64, "ours": ours, "ptxas": theirs,
            "worst": worst.collect::<Vec<_>>(),
        })
    };
    let local = pairs.iter().filter(|(_, a, b)| a.local_bytes > b.local_bytes);
    let local =
        local.map(|(name, a, b)| json!({ "kernel": name, "ours": a.local_bytes, "ptxas": b.local_bytes }));
    let fewer = pairs.iter().filter(|(_, a, b)| a.warps < b.warps);
    let fewer = fewer.map(|(name, a, b)| json!({ "kernel": name, "ours": a.warps, "ptxas": b.warps }));
    json!({
        "kernels": pairs.len(),
        "instructions": compared(|s| s.instructions),
        "registers": compared(|s| s.registers),
        "warps": compared(|s| s.warps),
        "local_bytes_more": local.collect::<Vec<_>>(),
        "warps_fewer": fewer.collect::<Vec<_>>(),
    })
}

/// The report of `--passes`: for each kernel its instructions, and how many more there are without each pass.
fn without(all: &[Kernel]) -> Result<String> {
    let names = phase::optional();
    let mut page = String::from(
        "# What each pass saves\n\nWritten by `cargo xtask figures passes`: our code for the kernels of `corpus/large` on sm_90. The first number is what there is \
         with all passes, the others are how much more there is without the pass: instructions, then registers, then bytes through local memory, where they differ. \
         Less than nothing is a pass that costs this kernel something; `-` is code that cannot be made without the pass.\n\n",
    );
    writeln!(page, "| kernel | all | {} |", names.join(" | "))?;
    writeln!(page, "| --- |{}", " --: |".repeat(names.len() + 1))?;
    let mut sums = vec![[0i64; 3]; names.len()];
    for kernel in all {
        let numbers = |s: Side| [s.instructions as i64, s.registers as i64, s.local_bytes as i64];
        let whole = numbers(kernel.ours(Chip::Sm90, &[])?);
        let mut line = format!("| {} | {} {} {} |", kernel.name(), whole[0], whole[1], whole[2]);
        for (name, sum) in names.iter().zip(&mut sums) {
            let Ok(side) = kernel.ours(Chip::Sm90, &[name]) else {
                line.push_str(" - |");
                continue;
            };
            let more: Vec<i64> = numbers(side).iter().zip(&whole).map(|(a, b)| a - b).collect();
            sum.iter_mut().zip(&more).for_each(|(sum, more)| *sum += more);
            match more[..] {
                [0, 0, 0] => line.push_str(" |"),
                [a, b, 0] => write!(line, " {a} {b} |")?,
                _ => write!(line, " {} {} {} |", more[0], more[1], more[2])?,
            }
        }
        writeln!(page, "{line}")?;
    }
    let sums: Vec<String> = sums.iter().map(|[a, b, c]| format!("{a} {b} {c}")).collect();
    writeln!(page, "| **sum** | | {} |", sums.join(" | "))?;
    Ok(page)
}
