//! `figures first`: the programs of `corpus/first/proofs.csv`, each by both compilers at two levels: verdict and seconds of the whole command.

use anyhow::{Context, Result};
use serde::Serialize;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const PTXAS: &str = ".oracle/13.0.88/nvidia/cu13/bin/ptxas";
/// The newest PTX that it takes.
const NEWEST: f64 = 9.0;

#[derive(Serialize)]
struct Figure {
    schema: u32,
    figure: &'static str,
    proved: usize,
    all: usize,
    slowest_seconds: f64,
    programs: Vec<Program>,
}

#[derive(Serialize)]
struct Program {
    name: String,
    code: String,
    verdict: String,
    reason: String,
    /// Of `prove` as a whole, with the start of its process.
    seconds: f64,
}

/// The text with a version that ptxas takes.
fn lowered(text: &str) -> String {
    let line = text.lines().find(|l| l.starts_with(".version")).unwrap_or_default();
    let number: f64 = line.trim_start_matches(".version").trim().parse().unwrap_or(0.0);
    if number > NEWEST { text.replacen(line, &format!(".version {NEWEST:.1}"), 1) } else { text.to_owned() }
}

pub fn first(root: &Path) -> Result<()> {
    let binary = super::binary::binary(root, true)?;
    let folder = std::env::temp_dir().join(format!("sassafras-figures-first-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (source, object) = (folder.join("source.ptx"), folder.join("code.cubin"));
    let list = std::fs::read_to_string(root.join("corpus/first/proofs.csv"))?;
    let mut programs = Vec::new();
    for row in list.lines().skip(1) {
        let mut parts = row.split(',');
        let (name, code) = (parts.next().context("a kernel")?, parts.next().context("a compiler")?);
        let (who, level) = code.split_once(' ').context("a level")?;
        let at = if name.contains('/') { name.to_owned() } else { format!("first/{name}") };
        let text = lowered(&std::fs::read_to_string(root.join("corpus").join(at).with_extension("ptx"))?);
        let target = text.lines().find_map(|l| l.trim().strip_prefix(".target ")).context("a target")?;
        std::fs::write(&source, &text)?;
        let mut compile = match who {
            "ours" => Command::new(&binary),
            _ => Command::new(root.join(PTXAS)),
        };
        if who == "ours" {
            compile.arg("compile");
        }
        compile.args([level, &format!("-arch={}", target.trim()), "-o"]).arg(&object).arg(&source);
        if !compile.output()?.status.success() {
            continue;
        }
        let begun = Instant::now();
        let mut prove = Command::new(&binary);
        let output =
            prove.args(["prove", "--format", "json"]).arg(&source).arg("--against").arg(&object).output()?;
        let seconds = begun.elapsed().as_secs_f64();
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let word = |key: &str| answer["entries"][0][key].as_str().unwrap_or_default().to_owned();
        let (name, code) = (name.to_owned(), code.to_owned());
        programs.push(Program { name, code, verdict: word("verdict"), reason: word("reason"), seconds });
    }
    std::fs::remove_dir_all(&folder)?;
    let figure = Figure {
        schema: 1,
        figure: "first",
        proved: programs.iter().filter(|p| p.verdict == "proved").count(),
        all: programs.len(),
        slowest_seconds: programs.iter().map(|p| p.seconds).fold(0.0, f64::max),
        programs,
    };
    println!("{}", serde_json::to_string_pretty(&figure)?);
    Ok(())
}
