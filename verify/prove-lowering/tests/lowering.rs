//! Lowering over terms: what is lowered right is proved, and of the faults of lowering, each in a program of its own, none is.

#![allow(missing_docs)]

use sassafras_driver::Stage;
use sassafras_driver::plant::{faults, named};
use sassafras_prove_lowering::{Record, Verdict, prove};
use sassafras_solve::limit::Limits;
use sassafras_solve::solver::Z3;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// z3, if it is there.
fn z3(test: &str) -> Option<Z3> {
    let found = Z3::find(&[root().as_path()], 3, 60);
    if found.is_none() {
        sassafras_oracle::skip(test, &"there is no z3");
    }
    found
}

fn programs(folder: &str) -> Vec<(String, String)> {
    let all = std::fs::read_dir(root().join(folder)).expect("the folder is there");
    let mut files: Vec<PathBuf> = all.map(|e| e.expect("it reads").path()).collect();
    files.sort();
    let read = |p: &PathBuf| {
        let name = p.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(p).expect("it reads"))
    };
    files.iter().filter(|p| p.extension().is_some_and(|e| e == "ptx")).map(read).collect()
}

/// The records of all entries, with a fault in the IR if one is named.
fn records(name: &str, text: &str, fault: Option<&str>, solver: &mut Z3) -> Vec<Record> {
    let ptx = sassafras_ptx::load(text, name).expect("it reads");
    let mut ir = sassafras_lower::lower(&ptx, &sassafras_lower::Options::default()).expect("it is lowered");
    if let Some(fault) = fault {
        assert!(named(fault).expect("a fault").in_ir(&mut ir), "{fault} finds a place in {name}");
    }
    let one =
        |f: &sassafras_ir::Function| prove(&ptx, &ir, &f.name, solver, Limits::default()).expect("an entry");
    ir.functions.iter().map(one).collect()
}

fn said(record: &Record) -> String {
    match &record.verdict {
        Verdict::Proved => "proved".into(),
        Verdict::ProvedWithin(n) => format!("proved within {n}"),
        Verdict::Refuted(found) => format!("refuted: {found}"),
        Verdict::Unknown(why) => format!("unknown: {why}"),
    }
}

#[test]
fn no_planted_fault_is_proved_and_none_is_there_without() {
    let Some(mut z3) = z3("no_planted_fault_is_proved_and_none_is_there_without") else { return };
    let mut refuted = BTreeMap::new();
    for (name, text) in programs("tests/files/cases/lowering") {
        let plant = text.split("--plant ").nth(1).and_then(|rest| rest.split_whitespace().next());
        let plant = plant.unwrap_or_else(|| panic!("{name} names a fault"));
        for record in records(&name, &text, None, &mut z3) {
            assert!(matches!(record.verdict, Verdict::Proved), "{name}: {}", said(&record));
        }
        let wrong = records(&name, &text, Some(plant), &mut z3);
        let proved = |r: &&Record| matches!(r.verdict, Verdict::Proved | Verdict::ProvedWithin(_));
        assert_eq!(wrong.iter().filter(proved).count(), 0, "{plant} is proved in {name}");
        let shown = wrong.iter().any(|r| matches!(r.verdict, Verdict::Refuted(_)));
        println!("{plant}: {}", wrong.iter().map(said).collect::<Vec<_>>().join("; "));
        sassafras_oracle::fault::planted("prove-lowering", &"every chip", plant, 1, 1);
        *refuted.entry(plant.split(':').next().unwrap_or(plant).to_owned()).or_insert(false) |= shown;
    }
    let all: BTreeSet<String> =
        faults().iter().filter(|f| f.stage == Stage::Lower).map(|f| f.name.to_owned()).collect();
    assert_eq!(refuted.keys().cloned().collect::<BTreeSet<_>>(), all, "each fault has a program");
    let shown = refuted.values().filter(|s| **s).count();
    assert!(shown >= 9, "{shown} of {} are refuted: {refuted:?}", refuted.len());
}
