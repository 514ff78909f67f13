//! `figures prove`: the prover on the corpus, our code and ptxas's recorded code: verdicts, reasons, seconds.

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Effort for each question, in millions of z3's `rlimit`; the safety net in seconds.
const BUDGET: &str = "10";
const TIMEOUT: &str = "60";

#[derive(Serialize)]
struct Figure {
    schema: u32,
    figure: &'static str,
    budget: &'static str,
    sides: BTreeMap<&'static str, Side>,
    functions: Vec<Function>,
}

/// The functions of one compiler.
#[derive(Default, Serialize)]
struct Side {
    functions: usize,
    verdicts: BTreeMap<String, usize>,
    /// Reasons of `unknown`, numbers left out.
    reasons: BTreeMap<String, usize>,
    /// Of those that are decided.
    median_seconds: f64,
    p99_seconds: f64,
    /// The whole command `prove` over the whole command that compiles the module, each with the start of its process: the
    /// functions of modules with one entry that are decided.
    over_own_compile: Ratio,
    /// The same over ptxas, where it is at hand.
    over_ptxas: Ratio,
    /// Shares of the seconds of all functions: `sides`, `evaluation`, `solver`, `rest`.
    phases: BTreeMap<&'static str, f64>,
}

#[derive(Default, Serialize)]
struct Ratio {
    functions: usize,
    median: f64,
    p99: f64,
}

impl Ratio {
    fn of(mut all: Vec<f64>) -> Ratio {
        all.sort_by(f64::total_cmp);
        let at = |share: usize| all.get(all.len().saturating_sub(1) * share / 100).copied().unwrap_or(0.0);
        Ratio { functions: all.len(), median: at(50), p99: at(99) }
    }
}

/// Seconds that a command takes, if it succeeds.
fn seconds(command: &mut Command) -> Option<f64> {
    let begun = Instant::now();
    let output = command.output().ok()?;
    output.status.success().then(|| begun.elapsed().as_secs_f64())
}

#[derive(Serialize)]
struct Function {
    name: String,
    of: &'static str,
    verdict: String,
    reason: String,
    seconds: f64,
    /// Seconds of each phase.
    phases: BTreeMap<&'static str, f64>,
    over_own_compile: Option<f64>,
    over_ptxas: Option<f64>,
}

const PHASES: [&str; 3] = ["sides", "evaluation", "solver"];

/// PTX files of the corpus that are meant to compile.
fn programs(root: &Path) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    let mut folders =
        vec![root.join("corpus/features"), root.join("corpus/kernels"), root.join("corpus/ptxas-errors")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ptx") {
                all.push(path);
            }
        }
    }
    all.sort();
    Ok(all)
}

/// A reason without what differs from function to function: digits become `#`.
fn class(reason: &str) -> String {
    let mut text = String::new();
    for c in reason.chars().take(100) {
        match c.is_ascii_digit() {
            true if text.ends_with('#') => {}
            true => text.push('#'),
            false => text.push(c),
        }
    }
    text
}

pub fn prove(root: &Path) -> Result<()> {
    let binary = super::binary::binary(root, false)?;
    let folder = std::env::temp_dir().join(format!("sassafras-figures-prove-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let ptxas = root.join(".oracle/13.0.88/nvidia/cu13/bin/ptxas");
    let mut functions = Vec::new();
    for path in programs(root)? {
        let relative = path.strip_prefix(root.join("corpus"))?.with_extension("");
        let recorded =
            root.join("reference-traces/13.0.88/sm_90").join(format!("{}.cubin.gz", relative.display()));
        let object = folder.join("compiled.cubin");
        let own =
            seconds(Command::new(&binary).args(["compile", "-arch", "sm_90", "-o"]).arg(&object).arg(&path));
        let theirs = seconds(Command::new(&ptxas).args(["-arch=sm_90", "-o"]).arg(&object).arg(&path));
        for of in ["ours", "ptxas"] {
            let mut command = Command::new(&binary);
            command.args(["prove", "--format", "json", "--budget", BUDGET, "--timeout", TIMEOUT]).arg(&path);
            if of == "ours" {
                command.args(["-arch", "sm_90"]);
            } else {
                let Ok(file) = std::fs::File::open(&recorded) else { continue };
                let mut bytes = Vec::new();
                GzDecoder::new(file).read_to_end(&mut bytes)?;
                let cubin = folder.join("recorded.cubin");
                std::fs::write(&cubin, bytes)?;
                command.arg("--against").arg(cubin);
            }
            let begun = Instant::now();
            let output = command.output()?;
            let whole = begun.elapsed().as_secs_f64();
            let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            let alone = answer["entries"].as_array().is_some_and(|a| a.len() == 1);
            let text = |v: &serde_json::Value, key: &str| v[key].as_str().unwrap_or_default().to_owned();
            for e in answer["entries"].as_array().into_iter().flatten() {
                functions.push(Function {
                    name: format!("{} {}", relative.display(), text(e, "entry")),
                    of,
                    verdict: text(e, "verdict"),
                    reason: text(e, "reason"),
                    seconds: e["seconds"].as_f64().unwrap_or(0.0),
                    phases: PHASES.map(|p| (p, e["phases"][p].as_f64().unwrap_or(0.0))).into(),
                    over_own_compile: own.filter(|_| alone).map(|s| whole / s),
                    over_ptxas: theirs.filter(|_| alone).map(|s| whole / s),
                });
            }
        }
    }
    std::fs::remove_dir_all(&folder)?;
    let mut sides: BTreeMap<&'static str, Side> = BTreeMap::new();
    for of in ["ours", "ptxas"] {
        let own: Vec<&Function> = functions.iter().filter(|f| f.of == of).collect();
        let mut side = Side { functions: own.len(), ..Side::default() };
        let mut seconds = Vec::new();
        let total: f64 = own.iter().map(|f| f.seconds).sum();
        for phase in PHASES {
            let spent: f64 = own.iter().map(|f| f.phases[phase]).sum();
            side.phases.insert(phase, spent / total);
        }
        side.phases.insert("rest", 1.0 - side.phases.values().sum::<f64>());
        let decided = || own.iter().filter(|f| f.verdict != "unknown");
        side.over_own_compile = Ratio::of(decided().filter_map(|f| f.over_own_compile).collect());
        side.over_ptxas = Ratio::of(decided().filter_map(|f| f.over_ptxas).collect());
        for f in own {
            *side.verdicts.entry(f.verdict.clone()).or_default() += 1;
            if f.verdict == "unknown" {
                *side.reasons.entry(class(&f.reason)).or_default() += 1;
            } else {
                seconds.push(f.seconds);
            }
        }
        seconds.sort_by(f64::total_cmp);
        let at =
            |share: usize| seconds.get(seconds.len().saturating_sub(1) * share / 100).copied().unwrap_or(0.0);
        (side.median_seconds, side.p99_seconds) = (at(50), at(99));
        sides.insert(of, side);
    }
    let figure = Figure { schema: 2, figure: "prove", budget: BUDGET, sides, functions };
    println!("{}", serde_json::to_string_pretty(&figure)?);
    Ok(())
}
