//! Random programs over what the PTX ISA leaves open, compiled by Sassafras and by ptxas: no right code is refuted, and no proof is contradicted. A program
//! with one fixed operation done as another is, or at least not proved: so the judge can object. `cargo xtask long open` takes 2,000 programs and writes
//! `reports/open-prove.md`.

#![allow(missing_docs)]

mod common;

use common::{line, module, ours, z3};
use sassafras_generate::open::{Open, Openness, changed};
use sassafras_prove::{Limits, Record, Verdict, prove_within};
use std::collections::BTreeMap;
use std::fmt::Write;

const PTXAS: &str = "13.0.88";

/// How records of one compiler ended.
#[derive(Clone, Debug, Default)]
struct Counts {
    proved: u32,
    unknown: u32,
    refuted: u32,
    contradicted: u32,
    /// Reasons of those that stay unknown, up to the first colon.
    why: BTreeMap<String, u32>,
}

impl Counts {
    fn add(&mut self, record: &Record) {
        self.contradicted += u32::from(record.contradiction.is_some());
        match &record.verdict {
            Verdict::Proved | Verdict::ProvedWithin(_) => self.proved += 1,
            Verdict::Refuted(_) => self.refuted += 1,
            Verdict::Unknown(why) | Verdict::Inapplicable(why) => {
                self.unknown += 1;
                let head = why.split(':').next().unwrap_or_default();
                *self.why.entry(head.to_owned()).or_default() += 1;
            }
        }
    }
}

#[test]
fn what_is_open_is_not_refuted_and_what_is_fixed_is() {
    const NAME: &str = "what_is_open_is_not_refuted_and_what_is_fixed_is";
    let Some(mut z3) = z3(NAME) else { return };
    z3.budget = 2;
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let whole = std::env::var_os("SASSAFRAS_ALL_OPEN").is_some();
    let first = number("SASSAFRAS_OPEN_FROM").unwrap_or(0);
    let count = number("SASSAFRAS_OPEN_COUNT").unwrap_or(if whole { 2000 } else { 12 });
    let ptxas = sassafras_oracle::Tools::here().ptxas(PTXAS);
    if let Err(why) = &ptxas {
        sassafras_oracle::skip(NAME, why);
    }
    let theirs = |text: &str, level: &str| {
        let (bytes, _) = ptxas.as_ref().ok()?.compile_text(text, "sm_90", &[level]).expect("ptxas takes it");
        Some(sassafras_cubin::read(&bytes).expect("a sound cubin"))
    };
    // This is about refutations, which are found by evaluation. Of ptxas's -O3 fewer are proved than with 400 (40 of 2,000 against 177 of the
    // first 668), for a small part of the time.
    let limits = Limits { effort: 40, launches: 16, ..Limits::DEFAULT };
    let (mut all, mut faults): (BTreeMap<&str, Counts>, Vec<String>) = Default::default();
    let mut uses: BTreeMap<Openness, u32> = BTreeMap::new();
    let mut wrong = Counts::default();
    let mut missing = 0;
    for seed in first..first + count {
        let program = Open::random(seed);
        let text = program.text();
        program.uses().into_iter().for_each(|u| *uses.entry(u).or_default() += 1);
        let source = module(&text);
        let sides =
            [("ours", ours(&text)), ("ptxas -O0", theirs(&text, "-O0")), ("ptxas -O3", theirs(&text, "-O3"))];
        for (who, cubin) in sides {
            let Some(cubin) = cubin else {
                missing += u32::from(who == "ours");
                continue;
            };
            let record = prove_within(&source, "k", &cubin, &mut z3, limits);
            eprintln!("{seed} {who}: {}", line(&record));
            all.entry(who).or_default().add(&record);
            if matches!(record.verdict, Verdict::Refuted(_)) || record.contradiction.is_some() {
                faults.push(format!("{seed} of {who}: {}", line(&record)));
            }
        }
        // Code that is wrong: what the source stores for certain is another value.
        let Some(other) = changed(&program).and_then(|other| ours(&other.text())) else { continue };
        let record = prove_within(&source, "k", &other, &mut z3, limits);
        eprintln!("{seed} changed: {}", line(&record));
        wrong.add(&record);
    }
    eprintln!("{all:#?}\nchanged: {wrong:#?}\nuses: {uses:?}; not compiled by us: {missing}");
    if whole {
        let mut text = format!(
            "# {count} random programs over what PTX leaves open\n\nWritten by `cargo xtask long open` (`verify/generate/src/open.rs`), with ptxas {PTXAS} for sm_90. \
             {missing} are not compiled by us. *changed*: our\ncode of the program with one fixed operation done as another; what is proved of these stores that \
             operation's result nowhere, or stores the same.\n\n| compiler | proved | unknown | refuted | contradicted |\n| --- | --: | --: | --: | --: |\n"
        );
        for (who, c) in all.iter().map(|(who, c)| (*who, c)).chain([("changed", &wrong)]) {
            let _ = writeln!(
                text,
                "| {who} | {} | {} | {} | {} |",
                c.proved, c.unknown, c.refuted, c.contradicted
            );
        }
        text += "\nHow many have\n\n| what is open | programs |\n| --- | --: |\n";
        for (u, n) in &uses {
            let _ = writeln!(text, "| {u:?} | {n} |");
        }
        let path = sassafras_oracle::workspace_root().join("reports/open-prove.md");
        std::fs::write(path, text).expect("written");
    }
    assert!(faults.is_empty(), "{faults:#?}");
    // What is changed may be stored nowhere, or stand behind what means nothing.
    assert!(u64::from(wrong.refuted) >= count / 12, "the judge does not object: {wrong:?}");
}
