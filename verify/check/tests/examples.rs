//! Every rule has a file that its judge accepts and one that it rejects. `sassafras-files` runs them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sassafras_check::rules::GROUPS;

/// Rules that no input breaks. A word or a text breaks the first two only if the table of instructions is wrong, and `cargo test -p
/// sassafras-isa` looks for that in every row; words of the third do not decode, which `words-decode` says. No file claims a score, or how
/// blocks end: `tests/orders.rs` plants faults in both. No file holds a function with its routines: `tests/routines.rs` plants faults in those.
const WITHOUT: [&str; 9] = [
    "words-bits",
    "words-text",
    "words-control",
    "order-score",
    "order-ending",
    "routine-call",
    "routine-registers",
    "routine-return",
    "routine-hazard",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/files/cases/rules")
}

/// The file of a rule that is `accepted` or `rejected`.
fn file(rule: &str, kind: &str) -> Option<String> {
    let entries = std::fs::read_dir(folder().join(rule)).ok()?;
    let mut paths = entries.flatten().map(|entry| entry.path());
    let path = paths.find(|path| path.file_stem().is_some_and(|stem| stem == kind))?;
    std::fs::read_to_string(path).ok()
}

#[test]
fn every_rule_has_an_accepted_and_a_rejected_file() {
    let rules: BTreeSet<&str> =
        GROUPS.iter().flat_map(|(_, rules)| rules.iter().map(|rule| rule.0)).collect();
    for rule in rules.iter().filter(|rule| !WITHOUT.contains(rule)) {
        let accepted = file(rule, "accepted").unwrap_or_else(|| panic!("{rule} has no accepted file"));
        assert!(accepted.contains("// EXIT: 0\n"), "{rule}: the accepted file is not accepted");
        let rejected = file(rule, "rejected").unwrap_or_else(|| panic!("{rule} has no rejected file"));
        assert!(
            rejected.contains(&format!("// HAS: [{rule}]\n")),
            "{rule}: the rejected file names another rule"
        );
        assert!(!rejected.contains("// EXIT: 0\n"), "{rule}: the rejected file is accepted");
        assert!(accepted.contains("// RUN: ") && rejected.contains("// RUN: "), "{rule}: nothing is run");
    }
    for entry in std::fs::read_dir(folder()).expect("the folder is there").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(rules.contains(name.as_str()), "no rule is called {name}");
        assert!(!WITHOUT.contains(&name.as_str()), "{name} has files now: it is no exception");
    }
}
