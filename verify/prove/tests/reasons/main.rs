//! Examples of reasons: of each code that one is known for, a source, what it is held against, and who is asked. What has none stands in
//! `without_example.txt`, a list that only gets shorter.

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;
mod examples;
mod names;
mod page;
mod solvers;

use examples::{EXAMPLES, Example};
use sassafras_prove::{Limits, Record, Verdict, advice, prove_within};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The code of a verdict that proves nothing.
fn code(record: &Record) -> Option<&'static str> {
    match &record.verdict {
        Verdict::Unknown(why) | Verdict::Inapplicable(why) => Some(why.advice().code),
        Verdict::Proved | Verdict::ProvedWithin(_) | Verdict::Refuted(_) => None,
    }
}

#[test]
fn each_example_has_the_reason_that_it_is_one_of() {
    let Some(_) = common::z3("each_example_has_the_reason_that_it_is_one_of") else { return };
    let mut wrong = String::new();
    for Example { code: wanted, source, target, change, asked, limits } in EXAMPLES {
        let module = common::module(source);
        let mut cubin = common::ours(target).unwrap_or_else(|| panic!("{wanted}: it is not compiled"));
        change(&mut cubin);
        let mut solver = asked();
        // Launches that are drawn would refute what is wrong here before a solver is asked.
        let limits = limits(Limits { launches: 0, ..Limits::default() });
        let record = prove_within(&module, "k", &cubin, solver.as_mut(), limits);
        if code(&record) != Some(wanted) {
            let _ = writeln!(wrong, "{wanted}: {:?}: {}", code(&record), common::line(&record));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_has_no_example_is_listed() {
    let listed = include_str!("without_example.txt");
    let with: BTreeSet<&str> = EXAMPLES.iter().map(|e| e.code).collect();
    let codes: Vec<&str> = advice::all().map(|a| a.code).filter(|code| code.starts_with('U')).collect();
    assert!(with.iter().all(|code| codes.contains(code)), "an example of no code: {with:?}");
    let without: Vec<&str> = codes.into_iter().filter(|code| !with.contains(code)).collect();
    let text = format!("{} codes\n{}\n", without.len(), without.join("\n"));
    if std::env::var_os("BLESS").is_some() {
        let before = listed.lines().count().saturating_sub(1);
        assert!(
            listed.is_empty() || without.len() <= before,
            "{} codes have no example, and {before} had none",
            without.len()
        );
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reasons/without_example.txt"), &text)
            .expect("written");
        return;
    }
    assert_eq!(listed, text, "BLESS=1");
}
