//! The vocabulary of PTX: on each target we accept and refuse what ptxas does, but for what `vocabulary-exceptions.txt` explains. A
//! sample is held against recorded answers; `cargo xtask long vocabulary` asks ptxas 13.0.88 and 13.5.37 about all and writes
//! `reports/vocabulary.md`.

#[path = "../../../compiler/ptx/tests/ptxas/mod.rs"]
#[allow(dead_code)]
mod ptxas;

use ptxas::{Judge, Verdict};
use sassafras_generate::vocabulary::{Entry, TARGETS, all, module};
use std::collections::BTreeMap;
use std::fmt::Write;

/// ptxas, and the newest PTX version that it knows.
const JUDGES: [(&str, (u32, u32)); 2] = [("13.0.88", (9, 0)), ("13.5.37", (9, 5))];

/// One in so many instructions is in the sample.
const STEP: u64 = 24;

/// What we say of a line on a target: a letter of `a`ccepted, `u`nsupported, `r`efused.
fn ours(version: (u32, u32), target: &str, line: &str) -> char {
    match sassafras_ptx::load(&module(version, target, &[line.to_owned()]).0, "line") {
        Ok(_) => 'a',
        Err(d) if d.exit_code() == 4 => 'u',
        Err(_) => 'r',
    }
}

/// What ptxas says of all lines on a target.
fn theirs(judge: &Judge, version: (u32, u32), target: &str, lines: &[String]) -> Vec<char> {
    let verdicts = judge.verdicts(lines, |lines| module(version, target, lines));
    verdicts.iter().map(|v| if *v == Verdict::Accepted { 'a' } else { 'r' }).collect()
}

/// The reason why the two differ on a line, if the exceptions have one.
fn excused(accepted: bool, line: &str) -> Option<&'static str> {
    let lines = include_str!("vocabulary-exceptions.txt").lines();
    lines.filter(|l| !l.starts_with('#') && !l.is_empty()).find_map(|l| {
        let (pattern, reason) = l.split_once(" # ").expect("an exception has a reason");
        let mut words = pattern.split_whitespace();
        let ptxas = words.next().expect("a pattern is not empty");
        assert!(["accepts", "refuses"].contains(&ptxas), "{l}");
        ((ptxas == "accepts") == accepted && words.all(|word| line.contains(word))).then_some(reason)
    })
}

/// FNV-1a: what is in the sample does not depend on what else the vocabulary has.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn a_sample_of_the_vocabulary_is_judged_as_ptxas_does() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vocabulary.txt");
    let (name, version) = JUDGES[1];
    if std::env::var("BLESS").is_ok() {
        let Some(judge) = Judge::of(name) else { return };
        let sample: Vec<String> =
            all().into_iter().map(|e| e.line).filter(|line| hash(line).is_multiple_of(STEP)).collect();
        let answers: Vec<Vec<char>> =
            TARGETS.iter().map(|target| theirs(&judge, version, target, &sample)).collect();
        let mut text = format!(
            "# What ptxas {name} says of instructions on the targets of `vocabulary::TARGETS`: `a`ccepted or `r`efused. BLESS=1 asks again.\n"
        );
        for (i, line) in sample.iter().enumerate() {
            let letters: String = answers.iter().map(|a| a[i]).collect();
            let _ = writeln!(text, "{letters} {line}");
        }
        std::fs::write(path, text).expect("the file can be written");
    }
    let text = std::fs::read_to_string(path).expect("the answers are recorded");
    let (mut differ, mut count) = (String::new(), [0; 2]);
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let (letters, line) = line.split_once(' ').expect("letters and an instruction");
        assert_eq!(letters.len(), TARGETS.len(), "{line}");
        for (target, theirs) in TARGETS.iter().zip(letters.chars()) {
            let accepted = theirs == 'a';
            count[usize::from(accepted)] += 1;
            let ours = ours(version, target, line);
            if ours != 'u' && ours != theirs && excused(accepted, line).is_none() {
                let _ = writeln!(differ, "{target}: {line} ours: {ours}, ptxas: {theirs}");
            }
        }
    }
    assert!(count.iter().all(|n| *n > 2000), "only {count:?} answers are recorded");
    assert!(differ.is_empty(), "{} differ:\n{differ}", differ.lines().count());
}

#[test]
fn exceptions_are_needed() {
    // An exception that excuses nothing hides what comes later.
    let lines: Vec<String> = all().into_iter().map(|e| e.line).collect();
    for line in include_str!("vocabulary-exceptions.txt").lines().filter(|l| !l.starts_with('#')) {
        let (pattern, _) = line.split_once(" # ").expect("an exception has a reason");
        let words: Vec<&str> = pattern.split_whitespace().skip(1).collect();
        assert!(lines.iter().any(|l| words.iter().all(|w| l.contains(w))), "no instruction has {pattern}");
    }
}

/// Of one class of instructions: lines, and answers where both accept, both refuse, we do not support what ptxas takes or refuses,
/// and where the difference is explained.
#[derive(Default)]
struct Count {
    lines: usize,
    answers: [usize; 5],
}

#[test]
#[ignore = "asks ptxas about some two hundred thousand answers, for minutes"]
fn the_vocabulary_is_judged_as_ptxas_does() {
    let entries: Vec<Entry> = all();
    let lines: Vec<String> = entries.iter().map(|e| e.line.clone()).collect();
    let mut page = String::from(
        "# The vocabulary of PTX\n\nEvery instruction with the modifiers, types and operands that the PTX ISA lists, sampled (`verify/generate/src/vocabulary`), on each\n\
         target: accepted and refused as by ptxas. Written by `cargo xtask long vocabulary`. *not supported here* is said with a position.\n",
    );
    let mut differ = String::new();
    for (name, version) in JUDGES {
        let Some(judge) = Judge::of(name) else { return };
        let mut classes: BTreeMap<&str, Count> = BTreeMap::new();
        entries.iter().for_each(|e| classes.entry(&e.class).or_default().lines += 1);
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for target in TARGETS {
            for (entry, theirs) in entries.iter().zip(theirs(&judge, version, target, &lines)) {
                let ours = ours(version, target, &entry.line);
                let place = match (ours, theirs) {
                    ('a', 'a') => 0,
                    ('r', 'r') => 1,
                    ('u', 'a') => 2,
                    ('u', _) => 3,
                    _ => {
                        match excused(theirs == 'a', &entry.line) {
                            Some(reason) => *reasons.entry(reason).or_default() += 1,
                            None => {
                                let _ = writeln!(
                                    differ,
                                    "{name} {target}: {} ours: {ours}, ptxas: {theirs}",
                                    entry.line
                                );
                            }
                        }
                        4
                    }
                };
                classes.get_mut(entry.class.as_str()).expect("it was counted").answers[place] += 1;
            }
        }
        let _ = write!(
            page,
            "\n## ptxas {name}, PTX {}.{}\n\n| instruction | lines | both accept | both refuse | not supported here, ptxas accepts | and refuses | explained |\n\
             | --- | --- | --- | --- | --- | --- | --- |\n",
            version.0, version.1
        );
        let mut sum = Count::default();
        for (class, Count { lines, answers: [a, r, ua, ur, x] }) in &classes {
            let _ = writeln!(page, "| {class} | {lines} | {a} | {r} | {ua} | {ur} | {x} |");
            sum.lines += lines;
            sum.answers = std::array::from_fn(|i| sum.answers[i] + [a, r, ua, ur, x][i]);
        }
        let [a, r, ua, ur, x] = sum.answers;
        let _ = writeln!(page, "| all | {} | {a} | {r} | {ua} | {ur} | {x} |", sum.lines);
        page += "\n| what ptxas does otherwise | answers |\n| --- | --- |\n";
        for (reason, count) in &reasons {
            let _ = writeln!(page, "| {} | {count} |", reason.replace('|', "\\|"));
        }
    }
    println!("{page}");
    assert!(differ.is_empty(), "{} differ:\n{}", differ.lines().count(), &differ[..differ.len().min(20_000)]);
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../../reports/vocabulary.md"), page)
        .expect("the page can be written");
}
