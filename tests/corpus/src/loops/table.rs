//! What rows add up to.

use super::rows::Row;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Columns of the table of verdicts; what is none of them counts as the last.
const VERDICTS: [&str; 5] = ["proved", "proved within a bound", "refuted", "unknown", "other"];

/// Verdicts by side and shape, times, and ranked codes, as text.
pub fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{:<16} {:<18} {:>5} {:>7} {:>9} {:>7} {:>8} {:>8} {:>6} {:>8} {:>8}",
        "side",
        "loops",
        "rows",
        "proved",
        "by turns",
        "bounded",
        "refuted",
        "unknown",
        "other",
        "p50 s",
        "p90 s"
    );
    let mut groups: BTreeMap<(&str, String), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry((&row.side, " all".into())).or_default().push(row);
        groups.entry((&row.side, format!("{} {}", row.form, row.count))).or_default().push(row);
    }
    for ((side, form), rows) in &groups {
        let counts = verdicts(rows);
        let by_turns = rows.iter().filter(|r| r.turns == "yes").count();
        let mut seconds: Vec<f64> = rows.iter().map(|r| r.seconds).collect();
        seconds.sort_by(f64::total_cmp);
        let at = |share: usize| seconds[(seconds.len() - 1) * share / 100];
        let _ = writeln!(
            text,
            "{side:<16} {:<18} {:>5} {:>7} {by_turns:>9} {:>7} {:>8} {:>8} {:>6} {:>8.2} {:>8.2}",
            form.trim_start(),
            rows.len(),
            counts[0],
            counts[1],
            counts[2],
            counts[3],
            counts[4],
            at(50),
            at(90),
        );
    }
    let unknown = |r: &&Row| r.verdict == "unknown";
    ranked(
        &mut text,
        "Codes of what is unknown",
        rows.iter().filter(unknown).map(|r| (&r.side, &r.code, &r.why)),
    );
    let tried = |r: &&Row| r.turns == "no";
    ranked(
        &mut text,
        "Codes of why turns show nothing",
        rows.iter().filter(tried).map(|r| (&r.side, &r.turns_code, &r.turns_why)),
    );
    for row in rows.iter().filter(|r| !matches!(&*r.verdict, "proved" | "proved within a bound" | "unknown"))
    {
        let _ = writeln!(
            text,
            "{}: {} {} ({}, {}): {}",
            row.verdict, row.file, row.entry, row.side, row.chip, row.why
        );
    }
    text
}

fn verdicts(rows: &[&Row]) -> [usize; VERDICTS.len()] {
    let mut counts = [0; VERDICTS.len()];
    for row in rows {
        let at = VERDICTS.iter().position(|v| *v == row.verdict);
        counts[at.unwrap_or(VERDICTS.len() - 1)] += 1;
    }
    counts
}

/// Codes by how many rows have them, those of each side beside it, with one of the reasons.
fn ranked<'a>(
    text: &mut String,
    title: &str,
    rows: impl Iterator<Item = (&'a String, &'a String, &'a String)>,
) {
    let mut codes: BTreeMap<&str, (usize, BTreeMap<&str, usize>, &str)> = BTreeMap::new();
    for (side, code, why) in rows {
        let to = codes.entry(code).or_insert((0, BTreeMap::new(), why));
        to.0 += 1;
        *to.1.entry(side).or_default() += 1;
    }
    let mut codes: Vec<_> = codes.into_iter().collect();
    codes.sort_by_key(|(_, (n, ..))| std::cmp::Reverse(*n));
    let _ = writeln!(text, "\n{title}:");
    for (code, (n, sides, why)) in codes {
        let sides: Vec<String> = sides.iter().map(|(side, n)| format!("{side} {n}")).collect();
        let why: String = why.chars().take(110).collect();
        let _ = writeln!(text, "{n:>5} {code:<6} {:<50} {why}", sides.join(", "));
    }
    let _ = writeln!(text);
}
