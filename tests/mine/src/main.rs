//! `cargo xtask mine`: the least distances that ptxas leaves, mined from generated kernels, and the hazard checker over cubins.
//!
//! `mine pairs --sm 90` compiles a kernel for every pair of a maker and a user of a value, measures the half of them with even
//! numbers, holds the other half, and all of them as another version compiles them, against the table, and prints the rows;
//! kernels of the corpus that are recorded for the chip are halved in the same way;
//! with `--write` the rows replace `compiler/chip/latency/mined/smNN.csv`. `mine check --sm 90 FILES` runs the hazard checker.

mod distance;
mod held;
mod kernels;
mod matrix;
mod survey;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use distance::{Distances, measure};
use sassafras_check::Verdict;
use sassafras_check::hazard::{Program, judge};
use sassafras_chip::latency::{Hazard, Kind, OperandKind, latency};
use sassafras_isa::Chip;
use sassafras_oracle::{Ptxas, Tools, workspace_root};
use std::path::PathBuf;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Mines pairs of instructions.
    Pairs {
        /// The chip.
        #[arg(long)]
        sm: u32,
        /// The version whose code is measured.
        #[arg(long, default_value = "13.0.88")]
        version: String,
        /// The version that is held against the result.
        #[arg(long, default_value = "13.5.37")]
        other: String,
        /// Writes the chip's file.
        #[arg(long)]
        write: bool,
    },
    /// Prints the least distances behind each matrix product, by its form, as several versions leave them.
    Products {
        /// Chips.
        #[arg(long, value_delimiter = ',', default_value = "75,80,86,89,90,100,120")]
        sm: Vec<u32>,
        /// Versions.
        #[arg(long, value_delimiter = ',', default_value = "12.9.86,13.0.88,13.5.37")]
        version: Vec<String>,
    },
    /// Runs the hazard checker over all recorded cubins and over what versions make of `corpus/large`, on every chip.
    Held {
        /// Versions.
        #[arg(long, value_delimiter = ',', default_value = "13.0.88,13.5.37")]
        version: Vec<String>,
    },
    /// Runs the hazard checker over cubins.
    Check {
        /// The chip.
        #[arg(long)]
        sm: u32,
        /// Cubins.
        files: Vec<PathBuf>,
    },
}

/// Kernels in one module: a module that does not compile is halved until the kernel at fault stands alone.
const BATCH: usize = 128;

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Pairs { sm, version, other, write } => pairs(sm, &version, &other, write),
        Command::Products { sm, version } => products(&sm, &version),
        Command::Held { version } => held::held(&version),
        Command::Check { sm, files } => survey::check(chip(sm)?, &files),
    }
}

fn chip(sm: u32) -> Result<Chip> {
    Chip::from_number(sm).with_context(|| format!("sm_{sm} is not known"))
}

/// The least distances behind products.
fn products(chips: &[u32], versions: &[String]) -> Result<()> {
    let all = matrix::kernels();
    let all: Vec<&kernels::Kernel> = all.iter().collect();
    for &sm in chips {
        let chip = chip(sm)?;
        let mut found = distance::Forms::new();
        for version in versions {
            let ptxas = Tools::here().ptxas(version).map_err(|e| anyhow::anyhow!("{e}"))?;
            for level in ["-O0", "-O1", "-O3"] {
                let (code, refused) = compile(&ptxas, &all, chip, &[level])?;
                let held = matrix::hold(&code);
                eprintln!("sm_{sm}, {version}, {level}: {} kernels, {refused} refused; {held}", code.len());
                held.objections.iter().take(5).for_each(|finding| eprintln!("  objection: {finding}"));
                // At -O0 nothing is near anything.
                if level != "-O0" {
                    code.iter().for_each(|program| distance::measure_products(program, &mut found));
                }
            }
        }
        for ((hazard, operand, form, consumer), seen) in &found {
            println!(
                "{sm},{},{},{form},{consumer},{},{},{},{}",
                name(*hazard),
                operand_name(*operand),
                seen.cycles,
                seen.nearest,
                seen.samples,
                seen.example
            );
        }
    }
    Ok(())
}

fn pairs(sm: u32, version: &str, other: &str, write: bool) -> Result<()> {
    let chip = chip(sm)?;
    let tools = Tools::here();
    let all = kernels::kernels();
    let (even, odd): (Vec<_>, Vec<_>) = all.iter().enumerate().partition(|(number, _)| number % 2 == 0);
    let even: Vec<&kernels::Kernel> = even.into_iter().map(|(_, k)| k).collect();
    let odd: Vec<&kernels::Kernel> = odd.into_iter().map(|(_, k)| k).collect();
    let ptxas = tools.ptxas(version).map_err(|e| anyhow::anyhow!("{e}"))?;
    let mut mined = Distances::new();
    let (code, refused) = compile(&ptxas, &even, chip, &[])?;
    code.iter().for_each(|program| measure(program, &mut mined));
    let (recorded, rest) = survey::recorded(chip)?;
    recorded.iter().for_each(|program| measure(program, &mut mined));
    eprintln!("{} of {} kernels measured, {refused} refused; {} pairs", code.len(), even.len(), mined.len());
    let mut text = String::from("hazard,operand,producer,consumer,cycles,nearest,samples\n");
    text.push_str(&format!("# ptxas {version}, sm_{sm}: `cargo xtask mine pairs --sm {sm} --write`\n"));
    for (pair, seen) in &mined {
        let (hazard, operand, producer, consumer) = *pair;
        let kind = Kind { hazard, operand };
        let table = latency(chip, producer, consumer, kind);
        eprintln!(
            "{:<5} {:<18} {producer:<20} {consumer:<20} {:>3} ({} of {}) table {table:?}; {}",
            name(hazard),
            operand_name(operand),
            seen.cycles,
            seen.nearest,
            seen.samples,
            seen.example
        );
        text.push_str(&format!(
            "{},{},{producer},{consumer},{},{},{}\n",
            name(hazard),
            operand_name(operand),
            seen.cycles,
            seen.nearest,
            seen.samples
        ));
    }
    against(&compile(&ptxas, &odd, chip, &[])?.0, "the other half of the kernels", &mined);
    against(&rest, "the other half of the recorded kernels", &mined);
    match tools.ptxas(other) {
        Ok(other) => {
            let all: Vec<_> = all.iter().collect();
            against(&compile(&other, &all, chip, &[])?.0, &format!("ptxas {}", other.version()), &mined);
        }
        Err(e) => eprintln!("not held against another version: {e}"),
    }
    if write {
        let first = [75, 80, 90, 100, 120].into_iter().rev().find(|&first| first <= sm).unwrap_or(75);
        let path = workspace_root().join(format!("compiler/chip/latency/mined/sm{first}.csv"));
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// Pairs that stand nearer in other code than in what was mined.
fn against(code: &[Program], what: &str, mined: &Distances) {
    let mut found = Distances::new();
    code.iter().for_each(|program| measure(program, &mut found));
    let nearer = found.iter().filter(|(pair, seen)| mined.get(pair).is_some_and(|m| seen.cycles < m.cycles));
    let (mut count, mut raw) = (0, 0);
    for (pair, seen) in nearer {
        count += 1;
        raw += usize::from(pair.0 == Hazard::Raw);
        eprintln!("  nearer: {pair:?} {} instead of {}, {}", seen.cycles, mined[pair].cycles, seen.example);
    }
    let new = found.keys().filter(|pair| !mined.contains_key(pair)).count();
    eprintln!(
        "{what}: {} kernels, {} pairs, {count} nearer than mined ({raw} RAW), {new} not mined",
        code.len(),
        found.len()
    );
    let samples: usize =
        found.iter().filter(|(pair, _)| mined.contains_key(pair)).map(|(_, s)| s.samples).sum();
    let unseen: usize =
        found.iter().filter(|(pair, _)| !mined.contains_key(pair)).map(|(_, s)| s.samples).sum();
    eprintln!("{what}: {samples} distances of mined pairs, {unseen} of others");
    // The table is that of this program: what is written now counts from the next build on.
    let verdicts: Vec<Verdict> = code.iter().map(judge).collect();
    let objections: Vec<_> = verdicts.iter().flat_map(Verdict::objections).collect();
    let unknown = verdicts.iter().flat_map(Verdict::unknown).filter(|f| f.rule == "hazard-latency").count();
    eprintln!(
        "{what}: {} objections of the hazard checker, {unknown} pairs that no table has",
        objections.len()
    );
    objections.iter().take(10).for_each(|finding| eprintln!("  objection: {finding}"));
}

/// The code of kernels, and how many were refused.
fn compile(
    ptxas: &Ptxas,
    kernels: &[&kernels::Kernel],
    chip: Chip,
    options: &[&str],
) -> Result<(Vec<Program>, usize)> {
    let own = matches!(chip.number(), 90 | 100 | 103 | 110 | 120 | 121);
    let target = if own { format!("{chip}a") } else { chip.to_string() };
    let (mut all, mut refused) = (Vec::new(), 0);
    let mut work: Vec<&[&kernels::Kernel]> = kernels.chunks(BATCH).collect();
    while let Some(batch) = work.pop() {
        let text = kernels::module(batch, &target);
        match ptxas.compile_text(&text, &target, options) {
            Ok((bytes, _)) => match sassafras_cubin::read(&bytes) {
                Ok(cubin) => all.extend(cubin.functions.iter().map(|f| Program::of_cubin(f, chip))),
                Err(e) => eprintln!("{} kernels left out, their cubin does not read: {e}", batch.len()),
            },
            Err(_) if batch.len() > 1 => {
                let (a, b) = batch.split_at(batch.len() / 2);
                work.extend([a, b]);
            }
            Err(e) => {
                if refused == 0 {
                    eprintln!("refused: {e}");
                }
                refused += 1;
            }
        }
    }
    Ok((all, refused))
}

fn name(hazard: Hazard) -> &'static str {
    match hazard {
        Hazard::Raw => "raw",
        Hazard::Waw => "waw",
        Hazard::War => "war",
    }
}

fn operand_name(operand: OperandKind) -> &'static str {
    match operand {
        OperandKind::Register => "register",
        OperandKind::Predicate => "predicate",
        OperandKind::Guard => "guard",
        OperandKind::Uniform => "uniform",
        OperandKind::UniformPredicate => "uniform.predicate",
        OperandKind::UniformGuard => "uniform.guard",
        OperandKind::Convergence => "convergence",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the kernels that were not measured, every this many are compiled here.
    const EVERY: usize = 12;

    #[test]
    fn code_that_was_not_measured_is_accepted() {
        let tools = Tools::here();
        let all = kernels::kernels();
        let sample: Vec<_> = all.iter().skip(1).step_by(2).step_by(EVERY).collect();
        for version in ["13.0.88", "13.5.37"] {
            let ptxas = match tools.ptxas(version) {
                Ok(ptxas) => ptxas,
                Err(why) => {
                    sassafras_oracle::skip("mined-latencies", &why);
                    continue;
                }
            };
            for chip in [Chip::Sm75, Chip::Sm80, Chip::Sm90, Chip::Sm120] {
                let (code, _) = compile(&ptxas, &sample, chip, &[]).expect("ptxas starts");
                // The reader does not take every container of the newer version.
                assert!(code.len() > 40 || version != "13.0.88", "{chip}: {} kernels", code.len());
                for program in &code {
                    let verdict = judge(program);
                    assert_eq!(verdict.objections(), [], "{chip}, ptxas {version}");
                    assert!(verdict.unknown().iter().all(|f| f.rule != "hazard-latency"), "{verdict:?}");
                }
            }
        }
    }

    /// Of the kernels with a matrix product, every this many are compiled here; `mine products` takes all.
    const PRODUCTS: usize = 29;

    #[test]
    fn matrix_products_are_accepted_and_shorter_stalls_are_not() {
        let tools = Tools::here();
        let all = matrix::kernels();
        let sample: Vec<_> = all.iter().step_by(PRODUCTS).collect();
        for version in ["12.9.86", "13.0.88", "13.5.37"] {
            let ptxas = match tools.ptxas(version) {
                Ok(ptxas) => ptxas,
                Err(why) => {
                    sassafras_oracle::skip("matrix-latencies", &why);
                    continue;
                }
            };
            for chip in [Chip::Sm75, Chip::Sm80, Chip::Sm90, Chip::Sm120] {
                for level in ["-O0", "-O3"] {
                    let (code, _) = compile(&ptxas, &sample, chip, &[level]).expect("ptxas starts");
                    let held = matrix::hold(&code);
                    assert!(held.products > 10, "{chip}, ptxas {version} {level}: {held}");
                    assert_eq!(held.objections, [], "{chip}, ptxas {version} {level}");
                    // On sm_75 scoreboards decide, and at -O0 nothing is near anything.
                    let (short, seen) = held.shortened;
                    let seldom = chip == Chip::Sm75 || level == "-O0";
                    assert!(seldom || seen * 10 > short * 8, "{chip}, ptxas {version} {level}: {held}");
                }
            }
        }
    }
}
