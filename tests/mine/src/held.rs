//! What the hazard checker says of all that is recorded of ptxas, and of what it makes of `corpus/large`.

use anyhow::{Context, Result, bail};
use sassafras_check::hazard::{Program, judge};
use sassafras_isa::Chip;
use sassafras_oracle::{Ptxas, Tools, workspace_root};
use sassafras_reference::traces;
use std::collections::BTreeMap;

/// What is said of some files.
#[derive(Default)]
struct Row {
    files: usize,
    functions: usize,
    words: usize,
    passed: usize,
    objections: Vec<String>,
    /// By rule.
    unknown: BTreeMap<&'static str, usize>,
}

impl Row {
    fn add(&mut self, name: &str, bytes: &[u8], chip: Chip) -> Result<()> {
        let cubin = sassafras_cubin::read(bytes).map_err(|e| anyhow::anyhow!("{name}: {e}"))?;
        self.files += 1;
        for f in &cubin.functions {
            let verdict = judge(&Program::of_cubin(f, chip));
            self.functions += 1;
            self.words += f.code.len();
            self.passed += usize::from(verdict == sassafras_check::Verdict::Passed);
            let said = verdict.objections().iter().map(|finding| format!("{chip} {name}: {finding}"));
            self.objections.extend(said);
            verdict.unknown().iter().for_each(|finding| *self.unknown.entry(finding.rule).or_default() += 1);
        }
        Ok(())
    }

    fn print(&self, chip: Chip, what: &str) {
        let unknown: Vec<String> = self.unknown.iter().map(|(rule, n)| format!("{n} {rule}")).collect();
        println!(
            "{:<8} {what:<10} {:>5} {:>9} {:>7} {:>7} {:>10}  {}",
            chip.to_string(),
            self.files,
            self.functions,
            self.words,
            self.passed,
            self.objections.len(),
            unknown.join(", ")
        );
    }
}

/// Prints a row for each chip of what is recorded, and one for each version of `corpus/large`.
///
/// # Errors
/// A version is not there, a cubin does not read, or there is an objection.
pub fn held(versions: &[String]) -> Result<()> {
    let tools = Tools::here();
    let all: Vec<(&String, Ptxas)> = versions
        .iter()
        .map(|version| Ok((version, tools.ptxas(version).map_err(|e| anyhow::anyhow!("{e}"))?)))
        .collect::<Result<_>>()?;
    let root = workspace_root();
    let sources = sources()?;
    println!("chip     code       files functions   words  passed objections  unknown, by rule");
    let mut objections = Vec::new();
    for chip in Chip::ALL {
        let mut row = Row::default();
        for name in traces::names(&root, &chip.to_string()) {
            let bytes = traces::cubin_for(&root, &chip.to_string(), &name).context("a recorded cubin")?;
            row.add(&name, &bytes, chip)?;
        }
        row.print(chip, "recorded");
        objections.append(&mut row.objections);
        for (version, ptxas) in &all {
            let mut row = Row::default();
            for (name, text) in &sources {
                // What the chip lacks is left out: the number of files says so.
                if let Ok((bytes, _)) = ptxas.compile_text(&retarget(text, chip), &chip.to_string(), &[]) {
                    row.add(&format!("{version} {name}"), &bytes, chip)?;
                }
            }
            row.print(chip, version);
            objections.append(&mut row.objections);
        }
    }
    objections.iter().for_each(|objection| println!("objection: {objection}"));
    if objections.is_empty() { Ok(()) } else { bail!("{} objections to code of ptxas", objections.len()) }
}

fn sources() -> Result<Vec<(String, String)>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(workspace_root().join("corpus/large"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "ptx") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            all.push((name, std::fs::read_to_string(&path)?));
        }
    }
    all.sort();
    Ok(all)
}

/// The module for a chip.
fn retarget(text: &str, chip: Chip) -> String {
    let line = |line: &str| match line.starts_with(".target") {
        true => format!(".target {chip}\n"),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}
