//! Examples of reasons: of each code that one is known for, a source, what it is held against, and who is asked. What has none stands in
//! `without_example.txt`, a list that only gets shorter, behind a line that says why.
//!
//! `example`: what an example is. `examples`: all of them, with PTX in `ptx` and machine code in `code`. `solvers`: solvers that say one thing.

#![allow(missing_docs)]

mod code;
#[path = "../common/mod.rs"]
mod common;
mod example;
mod examples;
mod names;
mod page;
mod solvers;

use examples::EXAMPLES;
use sassafras_prove::advice;
use std::collections::BTreeSet;
use std::fmt::Write;

#[test]
fn each_example_has_the_reason_that_it_is_one_of() {
    let Some(_) = common::z3("each_example_has_the_reason_that_it_is_one_of") else { return };
    let mut wrong = String::new();
    for example in EXAMPLES.iter().copied().flatten() {
        let started = std::time::Instant::now();
        let (found, said) = example.reason();
        eprintln!("{} {:.2} s", example.code, started.elapsed().as_secs_f64());
        if found != Some(example.code) {
            let _ = writeln!(wrong, "{}: {found:?}: {said}", example.code);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_has_no_example_is_listed() {
    let listed = include_str!("without_example.txt");
    let with: BTreeSet<&str> = EXAMPLES.iter().copied().flatten().map(|e| e.code).collect();
    let codes: BTreeSet<&str> = advice::all().map(|a| a.code).filter(|code| code.starts_with('U')).collect();
    assert!(with.is_subset(&codes), "an example of no code: {with:?}");
    let without: BTreeSet<&str> = codes.difference(&with).copied().collect();
    let mut named = BTreeSet::new();
    let mut why = None;
    for line in listed.lines().skip(1).filter(|line| !line.is_empty()) {
        match line.strip_prefix("# ") {
            Some(text) => why = Some(text),
            None => {
                assert!(why.is_some(), "{line}: a line that begins with # says why it has none");
                assert!(named.insert(line), "{line} is there twice");
            }
        }
    }
    if std::env::var_os("BLESS").is_some() {
        let gone = |line: &&str| line.starts_with('U') && !without.contains(line);
        let kept: Vec<&str> = listed.lines().skip(1).filter(|line| !gone(line)).collect();
        let text = format!("{} codes\n{}\n", without.len(), kept.join("\n"));
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reasons/without_example.txt"), &text)
            .expect("written");
    }
    assert_eq!(named, without, "BLESS=1 takes out what has an example by now");
    assert_eq!(listed.lines().next(), Some(format!("{} codes", without.len()).as_str()), "BLESS=1");
}
