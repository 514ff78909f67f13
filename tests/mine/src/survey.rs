//! The hazard checker over cubins.

use anyhow::{Context, Result};
use sassafras_check::hazard::{Program, judge};
use sassafras_check::{Finding, Verdict};
use sassafras_isa::Chip;
use sassafras_reference::traces;
use std::collections::BTreeMap;
use std::path::Path;

/// The functions of a cubin with their names.
pub fn programs(chip: Chip, path: &Path) -> Result<Vec<(String, Program)>> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    let cubin = sassafras_cubin::read(&bytes).map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?;
    let file = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(cubin.functions.iter().map(|f| (format!("{file}: {}", f.name), Program::of_cubin(f, chip))).collect())
}

/// The code of the recorded kernels of the corpus, every other one in the first list.
pub fn recorded(chip: Chip) -> Result<(Vec<Program>, Vec<Program>)> {
    let root = sassafras_oracle::workspace_root();
    let mut halves = (Vec::new(), Vec::new());
    for (number, name) in traces::names(&root, &chip.to_string()).iter().enumerate() {
        let bytes = traces::cubin_for(&root, &chip.to_string(), name).context("a recorded cubin")?;
        let cubin = sassafras_cubin::read(&bytes).map_err(|e| anyhow::anyhow!("{name}: {e}"))?;
        let half = if number % 2 == 0 { &mut halves.0 } else { &mut halves.1 };
        half.extend(cubin.functions.iter().map(|f| Program::of_cubin(f, chip)));
    }
    Ok(halves)
}

/// Prints what the checker says, by rule.
pub fn check(chip: Chip, files: &[impl AsRef<Path>]) -> Result<()> {
    let mut rules: BTreeMap<(bool, &str, String), (usize, String)> = BTreeMap::new();
    let (mut functions, mut passed, mut objected, mut words) = (0, 0, 0, 0);
    for path in files {
        for (name, program) in programs(chip, path.as_ref())? {
            functions += 1;
            words += program.insts.len();
            let mut count = |objection: bool, findings: &[Finding]| {
                for finding in findings {
                    let key = (objection, finding.rule, shape(&finding.message));
                    let entry = rules.entry(key).or_default();
                    entry.0 += 1;
                    if entry.1.is_empty() {
                        entry.1 = format!("{name}: {finding}");
                    }
                }
            };
            match judge(&program) {
                Verdict::Passed => passed += 1,
                Verdict::Unknown(findings) => count(false, &findings),
                Verdict::Objected(findings) => {
                    objected += 1;
                    count(true, &findings);
                }
            }
        }
    }
    println!(
        "sm_{}: {functions} functions, {words} words: {passed} passed, {objected} objected",
        chip.number()
    );
    for ((objection, rule, shape), (count, example)) in rules {
        let what = if objection { "objection" } else { "unknown" };
        println!("{count:>6} {what} {rule} {shape}, as {example}");
    }
    Ok(())
}

/// A message without what differs from place to place.
fn shape(message: &str) -> String {
    let start = message.find("no number for").or(message.find(" cycles after it"));
    start.map_or_else(String::new, |start| {
        message[start..].trim_end_matches(|c: char| c.is_ascii_digit()).to_owned()
    })
}
