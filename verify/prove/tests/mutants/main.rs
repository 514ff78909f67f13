//! Code that was changed and still does the same is proved against what it was, and never refuted; code that was broken is not
//! proved.

#![allow(missing_docs)]

mod broken;
#[path = "../common/mod.rs"]
mod common;
mod edit;
mod kinds;

use broken::BROKEN;
use common::{line, ours, recorded, text, z3};
use edit::Code;
use kinds::{KINDS, Random};
use sassafras_prove::{Limits, Verdict, prove_code};
use std::collections::BTreeMap;

/// Programs on every run; all one-feature programs with `SASSAFRAS_ALL_CONTROLS`.
const SAMPLE: [&str; 8] =
    ["sub_s32", "lop3", "fma_f32", "if_else", "if_nested", "st_sizes", "predicated", "shared"];

#[derive(Default)]
struct Counts {
    made: u32,
    proved: u32,
    unknown: u32,
    refuted: u32,
}

#[test]
fn changes_that_keep_the_meaning_are_proved() {
    let Some(mut z3) = z3("changes_that_keep_the_meaning_are_proved") else { return };
    z3.budget = 2;
    let whole = std::env::var_os("SASSAFRAS_ALL_CONTROLS").is_some();
    let only = std::env::var("SASSAFRAS_MUTANTS").unwrap_or_default();
    let mut names: Vec<String> = SAMPLE.map(str::to_owned).into();
    if whole {
        let features = sassafras_oracle::workspace_root().join("corpus/features");
        names = std::fs::read_dir(features)
            .expect("the corpus")
            .flatten()
            .filter_map(|e| Some(e.file_name().to_str()?.strip_suffix(".ptx")?.to_owned()))
            .collect();
        names.sort();
    }
    let seeds = if whole { 2 } else { 1 };
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    let (mut refuted, mut reasons) = (Vec::new(), BTreeMap::<String, u32>::new());
    for name in &names {
        let path = format!("features/{name}");
        for (who, cubin) in [("ptxas", recorded("13.0.88", &path)), ("ours", ours(&text(&path)))] {
            let Some((cubin, code)) = cubin.and_then(|c| Code::of(&c).map(|code| (c, code))) else {
                continue;
            };
            // Only what is proved against itself says something of its mutants.
            let own = prove_code(&cubin, "k", &cubin, &mut z3, Limits::default());
            if own.verdict != Verdict::Proved {
                continue;
            }
            for (nth, kind) in KINDS.iter().enumerate().filter(|(_, k)| k.name.contains(&only)) {
                for seed in 0..seeds {
                    let tag: u64 = name
                        .bytes()
                        .fold(nth as u64 + 7, |h, b| h.wrapping_mul(0x100_0000_01b3) ^ u64::from(b));
                    let mut random = Random(tag.wrapping_add(seed) | 1);
                    let mut mutant = code.clone();
                    if (kind.change)(&mut mutant, &mut random).is_none() {
                        continue;
                    }
                    let mutant = mutant.into(&cubin);
                    if mutant == cubin {
                        continue;
                    }
                    let count = counts.entry(kind.name).or_default();
                    count.made += 1;
                    let record = prove_code(&cubin, "k", &mutant, &mut z3, Limits::default());
                    match &record.verdict {
                        Verdict::Proved => count.proved += 1,
                        Verdict::Refuted(_) => {
                            count.refuted += 1;
                            refuted.push(format!("{name} of {who}, {}: {}", kind.name, line(&record)));
                        }
                        Verdict::ProvedWithin(_) | Verdict::Unknown(_) | Verdict::Inapplicable(_) => {
                            count.unknown += 1;
                            eprintln!("{name} of {who}, {}: {}", kind.name, line(&record));
                            *reasons.entry(common::table::Row::new("", &record).reason).or_default() += 1;
                        }
                    }
                }
            }
        }
    }
    for kind in KINDS.iter().filter(|k| k.name.contains(&only)) {
        let c = counts.entry(kind.name).or_default();
        eprintln!(
            "{}: {} made, {} proved, {} unknown, {} refuted",
            kind.name, c.made, c.proved, c.unknown, c.refuted
        );
        assert!(c.made > 0, "{}: none was made", kind.name);
        assert!(c.proved * 10 >= c.made * 9, "{}: too few are proved", kind.name);
    }
    let sum = |f: fn(&Counts) -> u32| counts.values().map(f).sum::<u32>();
    eprintln!(
        "{} mutants: {} proved, {} unknown, {} refuted; reasons {reasons:?}",
        sum(|c| c.made),
        sum(|c| c.proved),
        sum(|c| c.unknown),
        sum(|c| c.refuted)
    );
    assert!(refuted.is_empty(), "{refuted:#?}");
}

#[test]
fn changes_of_the_meaning_are_not_proved() {
    let Some(mut z3) = z3("changes_of_the_meaning_are_not_proved") else { return };
    z3.budget = 2;
    let (mut proved, mut unknown, mut refuted) = (Vec::new(), 0, 0);
    for kind in &BROKEN {
        let mut made = 0;
        for name in ["sub_s32", "lop3", "if_else", "fma_f32", "predicated"] {
            let path = format!("features/{name}");
            let cubin = recorded("13.0.88", &path).expect("it is recorded");
            let code = Code::of(&cubin).expect("it decodes");
            for seed in 1..2u64 {
                let mut random = Random(seed << 32 | 0x9e37);
                let mut mutant = code.clone();
                if (kind.change)(&mut mutant, &mut random).is_none() {
                    continue;
                }
                let mutant = mutant.into(&cubin);
                made += 1;
                let record = prove_code(&cubin, "k", &mutant, &mut z3, Limits::default());
                match &record.verdict {
                    Verdict::Refuted(_) => refuted += 1,
                    Verdict::Unknown(_) => {
                        eprintln!("{name}, {}: {}", kind.name, line(&record));
                        unknown += 1;
                    }
                    _ => proved.push(format!("{name}, {}: {}", kind.name, line(&record))),
                }
            }
        }
        eprintln!("{}: {made} made", kind.name);
        let caught = made - proved.iter().filter(|p| p.contains(&format!(", {}: ", kind.name))).count();
        sassafras_oracle::fault::planted("prove", &"sm_90", kind.name, made, caught);
        assert!(made > 0, "{}: none was made", kind.name);
    }
    eprintln!("{refuted} refuted, {unknown} unknown, {} proved", proved.len());
    assert!(proved.is_empty(), "{proved:#?}");
    assert!(refuted > unknown, "{refuted} refuted, {unknown} unknown");
}
