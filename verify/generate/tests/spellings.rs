//! Spellings of operands: we accept and refuse what ptxas does, but for what `spelling-exceptions.txt` explains. A fixed sample is held
//! against recorded answers; `cargo xtask long spellings` asks two versions of ptxas about one of each class for each form, and writes
//! `reports/spellings.md`.

#[path = "../../../compiler/ptx/tests/ptxas/mod.rs"]
#[allow(dead_code)]
mod ptxas;

use ptxas::{Judge, Verdict};
use sassafras_generate::spellings::{Spelling, all, module};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// One in so many spellings is in the sample.
const STEP: u64 = 370;

/// Our verdict on each line; a line with a mistake in its syntax hides nothing of the others.
fn ours(lines: &[String]) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for chunk in lines.chunks(20) {
        let (text, first) = module(chunk);
        let records = sassafras_ptx::load(&text, "lines").map_or_else(|d| d.records(), |_| Vec::new());
        let outside =
            records.iter().any(|r| (r.line as usize) < first || r.line as usize >= first + chunk.len());
        if outside || records.iter().any(|r| r.code.starts_with("P00")) {
            // Syntax: line by line.
            verdicts.extend(chunk.iter().map(|line| alone(line)));
            continue;
        }
        verdicts.extend((0..chunk.len()).map(|i| {
            let record = records.iter().find(|r| r.line as usize == first + i);
            record.map_or(Verdict::Accepted, |r| verdict(r.severity, r.code, &r.message))
        }));
    }
    verdicts
}

fn alone(line: &str) -> Verdict {
    match sassafras_ptx::load(&module(&[line.to_owned()]).0, "line") {
        Ok(_) => Verdict::Accepted,
        Err(d) => d.records().first().map_or(Verdict::Accepted, |r| verdict(r.severity, r.code, &r.message)),
    }
}

fn verdict(severity: &str, code: &str, message: &str) -> Verdict {
    match severity {
        "unsupported" => Verdict::Unsupported,
        "error" => Verdict::Rejected(format!("{code}: {message}")),
        _ => Verdict::Accepted,
    }
}

/// The exceptions: what ptxas does, words that the spelling's class or line has, and why.
fn exceptions() -> &'static [(&'static str, Vec<&'static str>, &'static str)] {
    static LIST: std::sync::LazyLock<Vec<(&str, Vec<&str>, &str)>> =
        std::sync::LazyLock::new(read_exceptions);
    &LIST
}

fn read_exceptions() -> Vec<(&'static str, Vec<&'static str>, &'static str)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/spelling-exceptions.txt");
    let text: &'static str = std::fs::read_to_string(path).expect("the exceptions can be read").leak();
    let lines = text.lines().filter(|l| !l.starts_with('#') && !l.is_empty());
    lines
        .map(|line| {
            let (pattern, reason) = line.split_once(" # ").expect("an exception has a reason");
            let mut words = pattern.split_whitespace();
            let ptxas = words.next().expect("a pattern is not empty");
            assert!(["accepts", "refuses"].contains(&ptxas), "{line}");
            (ptxas, words.collect(), reason)
        })
        .collect()
}

/// The row of the exceptions that says why the two differ.
fn excused(accepted: bool, spelling: &Spelling) -> Option<usize> {
    let Spelling { class, slot, line, .. } = spelling;
    let text = format!(" {}: {slot}= {line}", class.replace(' ', "-"));
    let fits = |(ptxas, words, _): &(&str, Vec<&str>, &str)| {
        (*ptxas == "accepts") == accepted
            && words.iter().all(|word| word.split('/').any(|choice| text.contains(choice)))
    };
    exceptions().iter().position(fits)
}

/// The reason of a row; "as before" is that of the row before.
fn reason(row: usize) -> &'static str {
    exceptions()[..=row].iter().rev().map(|(.., reason)| *reason).find(|r| *r != "as before").unwrap_or("")
}

/// ptxas's answers. Odd lines may stop it, so they come in small modules. What it takes, we refuse and no exception
/// explains it has to make code of.
fn theirs(judge: &Judge, spellings: &[&Spelling], ours: &[Verdict]) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::Accepted; spellings.len()];
    for odd in [false, true] {
        let places: Vec<usize> = (0..spellings.len()).filter(|&i| spellings[i].odd == odd).collect();
        for chunk in places.chunks(if odd { 20 } else { 400 }) {
            let lines: Vec<String> = chunk.iter().map(|&i| spellings[i].line.clone()).collect();
            for (&i, verdict) in chunk.iter().zip(judge.verdicts(&lines, module)) {
                verdicts[i] = verdict;
            }
        }
    }
    for ((spelling, ours), theirs) in spellings.iter().zip(ours).zip(&mut verdicts) {
        let open = matches!(ours, Verdict::Rejected(_)) && *theirs == Verdict::Accepted;
        if open && excused(true, spelling).is_none() {
            *theirs = judge.compiles(&spelling.line, module);
        }
    }
    verdicts
}

#[test]
fn a_sample_of_spellings_is_judged_as_ptxas_does() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/spellings.txt");
    let spellings = all();
    if std::env::var("BLESS").is_ok() {
        let Some(judge) = Judge::find() else { return };
        let sample: Vec<&Spelling> =
            spellings.iter().filter(|s| hash(&s.line).is_multiple_of(STEP)).collect();
        let lines: Vec<String> = sample.iter().map(|s| s.line.clone()).collect();
        let answers = theirs(&judge, &sample, &ours(&lines));
        let mut text =
            String::from("# What ptxas 13.0.88 says of spellings of operands. BLESS=1 asks it again.\n");
        for (spelling, verdict) in sample.iter().zip(answers) {
            let word = if verdict == Verdict::Accepted { "accepts" } else { "refuses" };
            let _ = writeln!(text, "{word} {}", spelling.line);
        }
        std::fs::write(path, text).expect("the file can be written");
    }
    let by_line: BTreeMap<&str, &Spelling> = spellings.iter().map(|s| (s.line.as_str(), s)).collect();
    let text = std::fs::read_to_string(path).expect("the answers are recorded");
    let recorded: Vec<(bool, &str)> = text
        .lines()
        .filter(|l| !l.starts_with('#'))
        .map(|line| line.split_once(' ').expect("a word and an instruction"))
        .map(|(word, line)| (word == "accepts", line))
        .collect();
    let lines: Vec<String> = recorded.iter().map(|(_, line)| (*line).to_owned()).collect();
    let mut differ = String::new();
    for ((accepted, line), ours) in recorded.iter().zip(ours(&lines)) {
        let same = (ours == Verdict::Accepted) == *accepted;
        // A line that the generator no longer makes has no class, and is judged all the same.
        let unknown = Spelling { form: "", class: "", slot: "", line: (*line).to_owned(), odd: false };
        let spelling = by_line.get(line).copied().unwrap_or(&unknown);
        if !same && ours != Verdict::Unsupported && excused(*accepted, spelling).is_none() {
            let class = spelling.class;
            let _ = writeln!(differ, "{class}: {line} ours: {ours:?}, ptxas accepts: {accepted}");
        }
    }
    assert!(recorded.len() > 300, "only {} spellings are recorded", recorded.len());
    assert!(differ.is_empty(), "{} of {}:\n{differ}", differ.lines().count(), recorded.len());
}

/// FNV-1a: what is in the sample does not hang on what else the table has.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// One spelling of each class for each form, that of the least hash; each sample has hashes of its own.
fn one_of_each(spellings: &[Spelling], sample: u64) -> Vec<&Spelling> {
    let rank =
        |s: &Spelling| hash(&if sample == 0 { s.line.clone() } else { format!("{sample} {}", s.line) });
    let mut least: BTreeMap<(&str, &str), (u64, &Spelling)> = BTreeMap::new();
    for s in spellings {
        let rank = rank(s);
        let chosen = least.entry((s.form, s.class)).or_insert((rank, s));
        if rank < chosen.0 {
            *chosen = (rank, s);
        }
    }
    least.into_values().map(|(_, s)| s).collect()
}

/// Samples that are taken together: those of the report, or the one that `SPELLINGS_SAMPLE` names.
fn samples() -> Vec<u64> {
    match std::env::var("SPELLINGS_SAMPLE") {
        Ok(n) => vec![n.parse().expect("SPELLINGS_SAMPLE is a number")],
        Err(_) => vec![0, 1, 2],
    }
}

/// Counts of a class: tried, both accept, both refuse, not supported here, explained, not explained.
type Counts = [usize; 6];

/// What one version of ptxas says of a sample, as a part of the report. Adds the rows of the exceptions that were used, and what
/// none explains.
fn compared(
    name: &str,
    list: &[&Spelling],
    ours: &[Verdict],
    theirs: &[Verdict],
    used: &mut BTreeSet<usize>,
    differ: &mut String,
) -> String {
    let mut classes: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for ((spelling, ours), theirs) in list.iter().zip(ours).zip(theirs) {
        let accepted = *theirs == Verdict::Accepted;
        let count = classes.entry(spelling.class).or_default();
        count[0] += 1;
        match ours {
            Verdict::Accepted if accepted => count[1] += 1,
            Verdict::Rejected(_) if !accepted => count[2] += 1,
            Verdict::Unsupported => count[3] += 1,
            _ => match excused(accepted, spelling) {
                Some(row) => {
                    count[4] += 1;
                    *reasons.entry(reason(row)).or_default() += 1;
                    used.insert(row);
                }
                None => {
                    count[5] += 1;
                    let Spelling { class, slot, line, .. } = spelling;
                    let _ =
                        writeln!(differ, "{name}: {class}: {slot}= {line} ours: {ours:?} theirs: {theirs:?}");
                }
            },
        }
    }
    let mut page = format!(
        "\n## ptxas {name}\n\n| class | tried | both accept | both refuse | not supported here | explained | not explained |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for (class, [tried, accept, refuse, unsupported, listed, open]) in &classes {
        let _ =
            writeln!(page, "| {class} | {tried} | {accept} | {refuse} | {unsupported} | {listed} | {open} |");
    }
    page += "\n| what ptxas does otherwise | instructions |\n| --- | --- |\n";
    for (reason, count) in &reasons {
        let _ = writeln!(page, "| {} | {count} |", reason.replace('|', "\\|"));
    }
    page
}

#[test]
#[ignore = "asks ptxas about some twenty thousand lines, for minutes"]
fn a_spelling_of_each_class_for_each_form_is_judged_as_ptxas_does() {
    let spellings = all();
    let samples = samples();
    let mut lines = BTreeSet::new();
    let list: Vec<&Spelling> = samples.iter().flat_map(|n| one_of_each(&spellings, *n)).collect();
    let list: Vec<&Spelling> =
        list.into_iter().filter(|s| lines.insert((s.form, s.class, s.line.as_str()))).collect();
    let lines: Vec<String> = list.iter().map(|s| s.line.clone()).collect();
    let ours = ours(&lines);
    let forms: BTreeSet<_> = list.iter().map(|s| s.form).collect();
    let mut page = format!(
        "# Spellings of operands\n\n{} samples of one spelling of each class for each of {} forms of PTX, of {} that there are: {} instructions, \
         held\nagainst ptxas by `cargo xtask long spellings`. What ptxas takes, we refuse and no exception explains it has to make code of.\n",
        samples.len(),
        forms.len(),
        spellings.len(),
        list.len()
    );
    let (mut differ, mut used) = (String::new(), BTreeSet::new());
    for name in ["13.0.88", "13.5.37"] {
        let Some(judge) = Judge::of(name) else { return };
        let theirs = theirs(&judge, &list, &ours);
        page += &compared(name, &list, &ours, &theirs, &mut used, &mut differ);
    }
    println!("{page}");
    if samples.len() > 1 {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../../reports/spellings.md"), page)
            .expect("the page can be written");
        for (row, (_, words, _)) in exceptions().iter().enumerate().filter(|(row, _)| !used.contains(row)) {
            let _ =
                writeln!(differ, "row {} of the exceptions explains nothing: {}", row + 1, words.join(" "));
        }
    }
    if let Ok(path) = std::env::var("SPELLINGS_LOG") {
        std::fs::write(path, &differ).expect("the log can be written");
    }
    assert!(differ.is_empty(), "{} differ:\n{}", differ.lines().count(), &differ[..differ.len().min(20_000)]);
}
