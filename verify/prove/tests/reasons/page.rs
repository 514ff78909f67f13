//! `docs/reasons.md` has every code once. `BLESS=1` writes it.

use sassafras_prove::Advice;
use sassafras_prove::advice::all;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The titles of groups, by the first digits of their codes.
const GROUPS: &[(&str, &str)] = &[
    ("U01", "Assumptions and evaluation"),
    ("U02", "The source"),
    ("U03", "The target"),
    ("U04", "Convergence"),
    ("U05", "Uniform registers"),
    ("U06", "Events that others see"),
    ("U07", "Memory"),
    ("U08", "What the source leaves open"),
    ("U09", "Hazards, and what stands beside the code"),
    ("U10", "Effort, time and solvers"),
    ("U11", "Loops and coverage"),
    ("U12", "Replay"),
    ("U13", "Nothing to compare"),
    ("U14", "Other provers"),
    ("W01", "Witnesses: the file"),
    ("W02", "Witnesses: the files that it is about"),
    ("W03", "Witnesses: what it names"),
    ("W04", "Witnesses: the run of both sides"),
    ("W05", "Witnesses: the matching"),
    ("W06", "Witnesses: steps"),
    ("W07", "Witnesses: what is not so"),
    ("W08", "Witnesses: what is not decided"),
];

fn page() -> String {
    let mut page = String::from(
        "# Why a verdict is `unknown`, and what to try\n\n\
         Written by `BLESS=1 cargo test -p sassafras-prove --test reasons` from `verify/symbolic/src/obstacle` and `verify/witness/src/fault.rs`.\n\
         `prove` prints the code of a reason, what it means and what to try; JSON has `code`, `means` and `try` beside `reason`, SARIF `code`. A code is that of one\n\
         kind of obstacle and stays so. `sassafras prove --explain CODE` prints its row. Names in braces are filled in.\n",
    );
    let cell = |text: &str| text.replace('|', "\\|");
    for (group, title) in GROUPS {
        let _ = writeln!(
            page,
            "\n## {group}: {title}\n\n| code | the reason | what had to be shown, and how far that went | what to try |\n| --- | --- | --- | --- |"
        );
        for of in all().filter(|of| of.code.starts_with(group)) {
            let Advice { code, text, means, hint } = of;
            let _ = writeln!(page, "| {code} | {} | {} | {} |", cell(text), cell(means), cell(hint));
        }
    }
    page
}

#[test]
fn the_page_has_every_code_once() {
    let page = page();
    let mut seen = BTreeSet::new();
    for of in all() {
        assert!(seen.insert(of.code), "{} is there twice", of.code);
        assert_eq!(
            page.matches(&format!("| {} |", of.code)).count(),
            1,
            "{}: a group without a title?",
            of.code
        );
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reasons.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &page).expect("written");
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(there, page, "docs/reasons.md is not what the kinds say: BLESS=1");
}
