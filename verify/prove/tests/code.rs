//! SASS against SASS: code held against other code for the same entry, without any PTX.

#![allow(missing_docs)]

mod common;

use common::{line, ours, recorded, text, z3};
use sassafras_cubin::Cubin;
use sassafras_prove::{Limits, Record, Solver, Verdict, prove_code};
use sassafras_witness::check::{Fault, check_code};

/// The programs that ptxas 13.0.88 gets wrong, and 13.5.37 right.
const ERRORS: [&str; 5] = ["rotate64", "bfe_sign", "carry_folded", "max_neg", "vanished_branch"];
/// One-feature programs on every run; all of them with `SASSAFRAS_ALL_CONTROLS`.
const SAMPLE: [&str; 12] = [
    "sub_s32",
    "selp",
    "st_sizes",
    "if_else",
    "if_nested",
    "exit_early",
    "predicated",
    "red",
    "shared",
    "fma_f32",
    "lop3",
    "const",
];

fn hold(source: &Cubin, target: &Cubin, solver: &mut dyn Solver) -> Record {
    prove_code(source, "k", target, solver, Limits::default())
}

#[test]
fn versions_that_differ_are_told_apart() {
    let Some(mut z3) = z3("versions_that_differ_are_told_apart") else { return };
    let mut faults = Vec::new();
    for name in ERRORS {
        let path = format!("ptxas-errors/{name}");
        let (Some(wrong), Some(right), Some(own)) =
            (recorded("13.0.88", &path), recorded("13.5.37", &path), ours(&text(&path)))
        else {
            panic!("{name} is not recorded")
        };
        // ptxas loads no more than it needs of what the source loads as one: the other way round ours reads more.
        for (what, source, target, same) in [
            ("13.5.37 => 13.0.88", &right, &wrong, false),
            ("13.0.88 => 13.5.37", &wrong, &right, false),
            ("ours => 13.5.37", &own, &right, true),
            ("13.0.88 => itself", &wrong, &wrong, true),
        ] {
            let record = hold(source, target, &mut z3);
            eprintln!("{name}, {what}: {}", line(&record));
            let held = match record.verdict {
                Verdict::Proved => same,
                Verdict::Refuted(_) => !same,
                _ => false,
            };
            if !held {
                faults.push(format!("{name}, {what}: {}", line(&record)));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// ptxas's code against ours, and ours against ptxas's: no pair is refuted, and of the sample one of the two is proved. Who
/// reads less than the other is not proved against it.
#[test]
fn code_of_two_compilers_does_the_same() {
    let Some(mut z3) = z3("code_of_two_compilers_does_the_same") else { return };
    z3.budget = 2;
    let whole = std::env::var_os("SASSAFRAS_ALL_CONTROLS").is_some();
    let features = sassafras_oracle::workspace_root().join("corpus/features");
    let mut names: Vec<String> = SAMPLE.map(str::to_owned).into();
    if whole {
        names = std::fs::read_dir(features)
            .expect("the corpus")
            .flatten()
            .filter_map(|e| Some(e.file_name().to_str()?.strip_suffix(".ptx")?.to_owned()))
            .collect();
        names.sort();
    }
    let (mut proved, mut unknown, mut refuted) = (0, Vec::new(), Vec::new());
    for name in &names {
        let path = format!("features/{name}");
        let (Some(theirs), Some(own)) = (recorded("13.0.88", &path), ours(&text(&path))) else { continue };
        let before = proved;
        for (what, source, target) in [("ptxas => ours", &theirs, &own), ("ours => ptxas", &own, &theirs)] {
            let record = hold(source, target, &mut z3);
            match &record.verdict {
                Verdict::Proved | Verdict::ProvedWithin(_) => proved += 1,
                Verdict::Refuted(_) => refuted.push(format!("{name}, {what}: {}", line(&record))),
                Verdict::Unknown(_) | Verdict::Inapplicable(_) => {
                    unknown.push(format!("{name}, {what}: {}", line(&record)));
                }
            }
        }
        assert!(whole || proved > before, "{name}: {unknown:#?}");
    }
    for u in &unknown {
        eprintln!("{u}");
    }
    eprintln!("{proved} proved, {} unknown, {} refuted", unknown.len(), refuted.len());
    assert!(refuted.is_empty(), "{refuted:#?}");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let Some(mut z3) = z3("what_cannot_be_compared_is_said") else { return };
    let source = ours(&text("features/sub_s32")).expect("it compiles");
    let mut other = source.clone();
    other.sm = 120;
    let mut named = source.clone();
    named.functions[0].name = "l".into();
    for (target, why) in [(&other, "sm_90"), (&named, "no entry `k`")] {
        match hold(&source, target, &mut z3).verdict {
            Verdict::Inapplicable(said) => assert!(said.contains(why), "{said}"),
            verdict => panic!("{verdict:?}"),
        }
    }
    // A source that does not keep its own word is no measure.
    let mut broken = source.clone();
    broken.functions[0].registers -= 1;
    match hold(&broken, &source, &mut z3).verdict {
        Verdict::Unknown(said) => assert!(said.starts_with("source, cubin"), "{said}"),
        verdict => panic!("{verdict:?}"),
    }
}

#[test]
fn witnesses_of_code_are_checked() {
    let Some(mut z3) = z3("witnesses_of_code_are_checked") else { return };
    for name in ["sub_s32", "red", "if_else"] {
        let path = format!("features/{name}");
        let (theirs, own) =
            (recorded("13.0.88", &path).expect("recorded"), ours(&text(&path)).expect("it compiles"));
        let record = hold(&theirs, &own, &mut z3);
        let entry = record.witness(4).unwrap_or_else(|| panic!("{}", line(&record)));
        check_code(&theirs, &own, &entry, &mut z3).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut less = entry.clone();
        less.matching.stores.clear();
        less.matching.events.clear();
        assert!(matches!(check_code(&theirs, &own, &less, &mut z3), Err(Fault::Rejected(_))), "{name}");
    }
}
