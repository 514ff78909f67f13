//! Verdicts as tables of a generated document.

use sassafras_prove::{Record, Verdict};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A verdict.
pub struct Row {
    /// Which line of the table it counts in.
    pub group: String,
    /// `proved`, `unknown`, …
    pub verdict: &'static str,
    /// Why not, without what differs from function to function.
    pub reason: String,
    /// Seconds.
    pub seconds: f64,
}

impl Row {
    /// Of a record.
    pub fn new(group: &str, record: &Record) -> Row {
        let reason = match &record.verdict {
            Verdict::Unknown(why) | Verdict::Inapplicable(why) => class(why),
            _ => String::new(),
        };
        Row { group: group.to_owned(), verdict: record.verdict.word(), reason, seconds: record.seconds }
    }
}

/// A reason without numbers, in whatever base.
pub fn class(reason: &str) -> String {
    let mut text = String::new();
    let mut hexadecimal = false;
    for c in reason.chars().take(160) {
        hexadecimal = text.ends_with("#x") || hexadecimal && text.ends_with('#');
        match c.is_ascii_digit() || hexadecimal && c.is_ascii_hexdigit() {
            true if text.ends_with('#') => {}
            true => text.push('#'),
            false => text.push(c),
        }
    }
    text
}

/// Verdicts by group, then reasons by how often they stand in the way.
pub fn markdown(group: &str, rows: &[Row]) -> String {
    const WORDS: [&str; 4] = ["proved", "proved within a bound", "unknown", "refuted"];
    let mut text = format!("| {group} | functions | {} | median, s | p99, s |\n", WORDS.join(" | "));
    text += &("| --- |".to_owned() + &" --: |".repeat(WORDS.len() + 3) + "\n");
    let mut groups: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for r in rows {
        groups.entry(&r.group).or_default().push(r);
    }
    let mut line = |name: &str, all: &[&Row]| {
        let mut seconds: Vec<f64> = all.iter().map(|r| r.seconds).collect();
        seconds.sort_by(f64::total_cmp);
        let at =
            |share: usize| seconds.get(seconds.len().saturating_sub(1) * share / 100).copied().unwrap_or(0.0);
        let _ = write!(text, "| {name} | {} |", all.len());
        for word in WORDS {
            let _ = write!(text, " {} |", all.iter().filter(|r| r.verdict == word).count());
        }
        let _ = writeln!(text, " {:.3} | {:.2} |", at(50), at(99));
    };
    for (name, all) in &groups {
        line(name, all);
    }
    line("all", &rows.iter().collect::<Vec<_>>());
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for r in rows.iter().filter(|r| !r.reason.is_empty()) {
        *reasons.entry(&r.reason).or_default() += 1;
    }
    let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(why, n)| (std::cmp::Reverse(*n), *why));
    if !reasons.is_empty() {
        text += "\nWhat stands in the way, digits left out:\n\n| reason | functions |\n| --- | --: |\n";
    }
    for (why, n) in reasons {
        let _ = writeln!(text, "| {} | {n} |", why.replace('|', "\\|"));
    }
    text
}
