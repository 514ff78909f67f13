//! Every pass that the pipeline runs over the corpus, and over random functions.

use super::common::{programs, report, solver, table, text};
use super::observed::{Change, changes};
use super::{BUDGET, whole};
use sassafras_generate::program::{Program, ingredients};
use sassafras_generate::straight;
use sassafras_prove::{Limits, Record, Solver, Verdict};
use sassafras_prove_passes::prove_pass;
use std::fmt::Write;

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok().and_then(|n| n.parse().ok())
}

/// What was found of some functions.
#[derive(Default)]
struct Found {
    rows: Vec<table::Row>,
    faults: Vec<String>,
    /// A line for each pass of each function.
    list: String,
}

fn prove(name: &str, change: &Change, solver: &mut dyn Solver, found: &mut Found) {
    let record: Record = prove_pass(&change.before, &change.after, solver, Limits::default());
    let row = table::Row::new(change.pass, &record);
    if number("SASSAFRAS_PASSES_SHOW").is_some() {
        eprintln!("{name} {} {}: {:?} {:.2} s", record.entry, change.pass, record.verdict, record.seconds);
    }
    let reason = row.reason.replace('"', "'");
    let _ = writeln!(
        found.list,
        "{name},{},{},{},{},{},{},{:.3},\"{reason}\"",
        record.entry,
        change.pass,
        row.verdict,
        record.obligations.total,
        record.obligations.by_solver,
        record.obligations.evaluated,
        record.seconds,
    );
    match &record.verdict {
        Verdict::Refuted(why) => found.faults.push(format!(
            "{name} {} {}: refuted: {} {} {}\n{}\n{}",
            record.entry,
            change.pass,
            why.address,
            why.source,
            why.target,
            sassafras_ir::text::print_function(&change.before),
            sassafras_ir::text::print_function(&change.after),
        )),
        Verdict::Inapplicable(why) => found.faults.push(format!("{name} {}: {why}", change.pass)),
        Verdict::Proved | Verdict::ProvedWithin(_) | Verdict::Unknown(_) => {}
    }
    found.rows.push(row);
}

/// Puts a section into `reports/pass-proofs.md`, if this is a whole run.
pub fn section(title: &str, text: &str) {
    eprintln!("{title}\n\n{text}");
    if whole() {
        let head = format!(
            "# Proofs of passes\n\nWritten by `cargo xtask long passes` (`verify/prove-passes/tests/passes`): each pass of the optimiser that changes a \
             function, held against the\nfunction before it ([proof](../docs/proof.md), \"Passes\"), with {BUDGET} million of z3's `rlimit` for a question. What \
             differs in numbers alone is\nproved without a question.\n"
        );
        report::replace("pass-proofs.md", &head, title, text);
    }
}

#[test]
fn no_pass_over_the_corpus_is_refuted() {
    let Some(mut z3) = solver("no_pass_over_the_corpus_is_refuted", BUDGET) else { return };
    let step = number("SASSAFRAS_PASSES_STEP").unwrap_or(if whole() { 1 } else { 97 });
    let wanted = std::env::var("SASSAFRAS_PASSES_ONLY").unwrap_or_default();
    let mut found = Found::default();
    let mut count = 0;
    for name in programs(&["features", "kernels"]).iter().filter(|n| n.contains(&wanted)).step_by(step) {
        count += 1;
        for change in changes(&text(name), &[]) {
            prove(name, &change, &mut *z3, &mut found);
        }
    }
    assert!(!found.rows.is_empty(), "no pass ran");
    section("The corpus", &format!("{count} programs.\n\n{}", table::markdown("pass", &found.rows)));
    if let Some(file) = std::env::var_os("SASSAFRAS_PASSES_LIST") {
        let head = "program,entry,pass,verdict,obligations,solver,inputs,seconds,reason\n";
        std::fs::write(file, head.to_owned() + &found.list).expect("written");
    }
    assert!(found.faults.is_empty(), "{}", found.faults.join("\n"));
}

#[test]
fn no_pass_over_random_functions_is_refuted() {
    let Some(mut z3) = solver("no_pass_over_random_functions_is_refuted", BUDGET) else { return };
    let count = number("SASSAFRAS_PASSES_COUNT").unwrap_or(if whole() { 60 } else { 2 }) as u64;
    let first = number("SASSAFRAS_PASSES_FROM").unwrap_or(0) as u64;
    let forms = ingredients();
    let mut found = Found::default();
    for seed in first..first + count {
        let straight = straight::text(&straight::random(seed));
        let looping = Program::random(seed, 30, &forms).text();
        for (kind, text) in [("straight", straight), ("loops", looping)] {
            for change in changes(&text, &[]) {
                prove(&format!("{kind} {seed}"), &change, &mut *z3, &mut found);
            }
        }
    }
    assert!(!found.rows.is_empty(), "no pass ran");
    let head = format!("{count} straight functions and {count} with branches and loops.\n\n");
    section("Random functions", &(head + &table::markdown("pass", &found.rows)));
    assert!(found.faults.is_empty(), "{}", found.faults.join("\n"));
}
