//! The corpus: what Sassafras and ptxas make of each entry, held against its source. No code of ours is refuted.
//! `cargo xtask long corpus-prove` takes all of it and writes `reports/corpus-proofs.md` and `.csv`.

#![allow(missing_docs)]

mod common;

use common::{line, ours, programs, recorded, solver, table, text};
use sassafras_prove::{Limits, Verdict, prove_within};
use sassafras_ptx::checked::{Function, Operand};
use std::fmt::Write;

const VERSION: &str = "13.0.88";
/// What ptxas gets wrong: written up there.
const WRONG: &str = "ptxas-errors/";

/// Seconds that this thread has run on a processor.
fn processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<u64>().ok()? as f64 / 1e9)
}

/// Whether no branch leads back, by the order of the source's instructions.
fn is_loop_free(function: &Function) -> bool {
    let insts = function.insts.as_deref().unwrap_or_default();
    let mut jumps = insts.iter().enumerate().flat_map(|(at, i)| {
        let labels = i.operands.iter().flat_map(|o| match o {
            Operand::Label(label) => vec![*label],
            Operand::BranchTargets(name) => function.branch_targets.get(name).cloned().unwrap_or_default(),
            _ => Vec::new(),
        });
        labels.map(move |l| (at, function.labels[l.0 as usize].target as usize))
    });
    jumps.all(|(at, to)| to > at)
}

#[test]
fn no_code_of_ours_is_refuted() {
    let Some(mut z3) = solver("no_code_of_ours_is_refuted", 10) else { return };
    let whole = std::env::var_os("SASSAFRAS_ALL_PROOFS").is_some();
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<usize>().ok());
    let step = number("SASSAFRAS_PROOFS_STEP").unwrap_or(if whole { 1 } else { 113 });
    let wanted = std::env::var("SASSAFRAS_PROOFS_ONLY").unwrap_or_default();
    let root = sassafras_oracle::workspace_root();
    let mut rows = Vec::new();
    let mut faults = Vec::new();
    let mut list = String::from(
        "program,entry,compiler,loops,verdict,assumptions,reached,instructions,seconds,sides,evaluation,solver,questions,reason\n",
    );
    for name in programs(&["features", "kernels", "ptxas-errors"])
        .iter()
        .filter(|n| n.contains(&wanted))
        .step_by(step)
    {
        let source = text(name);
        let Ok((module, _)) = sassafras_driver::session::parse(&source, name) else { continue };
        for (who, cubin) in [("ours", ours(&source)), ("ptxas", recorded(VERSION, name))] {
            let Some(cubin) = cubin else { continue };
            for entry in module.functions.iter().filter(|f| f.entry) {
                let before = processor();
                let mut record = prove_within(&module, &entry.name, &cubin, &mut *z3, Limits::default());
                // Other programs of the machine do not count, if the solver is not one of them.
                if let (Some(before), Some(after), true) = (before, processor(), cfg!(feature = "z3")) {
                    record.seconds = after - before;
                }
                eprintln!("{name} {who}: {}", line(&record));
                match record.verdict {
                    Verdict::Refuted(_) if who == "ours" || !name.starts_with(WRONG) => {
                        faults.push(format!("{name} {} of {who}: refuted", entry.name));
                    }
                    _ => {}
                }
                let loops = if is_loop_free(entry) { "loop-free" } else { "loops" };
                let row = table::Row::new(&format!("{who}, {loops}"), &record);
                let p = record.phases;
                let ids: Vec<&str> = record.assumptions.iter().map(|a| a.id()).collect();
                let (reached, all) = record.coverage.map_or((0, 0), |c| (c.reached, c.instructions));
                let _ = writeln!(
                    list,
                    "{name},{},{who},{loops},{},{},{reached},{all},{:.3},{:.3},{:.3},{:.3},{},\"{}\"",
                    entry.name,
                    row.verdict,
                    ids.join(" "),
                    row.seconds,
                    p.sides,
                    p.evaluation,
                    p.solver,
                    p.questions,
                    row.reason.replace('"', "'")
                );
                rows.push(row);
            }
        }
    }
    let text = table::markdown("compiler", &rows);
    eprintln!("{text}");
    if let Some(file) = std::env::var_os("SASSAFRAS_PROOFS_LIST") {
        std::fs::write(file, &list).expect("written");
    }
    if whole {
        let head = format!(
            "# Proofs of the corpus\n\nWritten by `cargo xtask long corpus-prove`: each entry of the corpus as Sassafras compiles it for sm_90, and as \
             ptxas {VERSION}\ndoes, held against its source. `corpus-proofs.csv` has a line for each.\n\n"
        );
        std::fs::write(root.join("reports/corpus-proofs.md"), head + &text).expect("written");
        std::fs::write(root.join("reports/corpus-proofs.csv"), list).expect("written");
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
