//! The recorded words of every chip through the table of instructions. What fails is counted in `tests/words/exceptions.csv`, which
//! may only shrink; `BLESS=1 SASSAFRAS_ALL_WORDS=1 cargo test -p sassafras-words --test words` writes it and `reports/words.md` anew
//! when failures have gone.

use sassafras_chip::Chip;
use sassafras_reference::traces;
use sassafras_words::{self as measure, Fare, STAGES};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// Of the words every so many are asked, unless all are.
const STEP: usize = 7;

/// Failures by chip, stage and mnemonic.
type Counts = BTreeMap<(u32, String, String), usize>;

fn file() -> PathBuf {
    sassafras_oracle::workspace_root().join("tests/words/exceptions.csv")
}

/// Lines `chip,stage,mnemonic,words,reason`.
fn listed() -> BTreeMap<(u32, String, String), (usize, String)> {
    let text = std::fs::read_to_string(file()).expect("the exceptions are part of the repository");
    let line = |l: &str| {
        let [chip, stage, mnemonic, words, reason] = l.splitn(5, ',').collect::<Vec<_>>()[..] else {
            panic!("`{l}`")
        };
        assert!(!reason.is_empty() && STAGES.contains(&stage), "`{l}`");
        let key = (chip.parse().expect("a chip"), stage.to_owned(), mnemonic.to_owned());
        (key, (words.parse().expect("a number"), reason.to_owned()))
    };
    text.lines().skip(1).map(line).collect()
}

fn fares(step: usize) -> Vec<(Chip, usize, Fare)> {
    let root = sassafras_oracle::workspace_root();
    let one = |chip: Chip| {
        let words = traces::words(&root, &chip.to_string())
            .unwrap_or_else(|| panic!("the words of {chip} are part of the repository"));
        let fare = measure::all(&words, chip, step);
        (chip, words.len(), fare)
    };
    std::thread::scope(|s| {
        let handles: Vec<_> = Chip::ALL.into_iter().map(|c| s.spawn(move || one(c))).collect();
        handles.into_iter().map(|h| h.join().expect("no word makes the table panic")).collect()
    })
}

/// The page of the handbook: a table made of the counts of words and the list of exceptions.
fn page(words: &BTreeMap<u32, usize>, exceptions: &Counts) -> String {
    let totals = traces::totals(&sassafras_oracle::workspace_root());
    let mut out = String::from(
        "# Words of ptxas, by chip\n\nThe 128-bit words that ptxas 13.0.88 makes of the corpus and of the generated PTX \
         (`reference-traces/13.0.88/words.csv` counts them; the distinct ones are in `sm_NN/words.gz` there), held against the table of instructions: decoded; printed as nvdisasm prints it; \
         encoded again to the same 128 bits; read back from the text with control bits. Each column counts words that pass it and all \
         before it. What fails is listed in `tests/words/exceptions.csv`, from which this page is made.\n\n\
         | chip | words | distinct words | decoded | text | encoded | parsed | exceptions |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for (chip, count) in words {
        let failed = |upto: usize| -> usize {
            let of = |(c, stage, _): &(u32, String, String)| {
                c == chip && STAGES[..=upto].contains(&stage.as_str())
            };
            exceptions.iter().filter(|(key, _)| of(key)).map(|(_, n)| n).sum()
        };
        let cells: Vec<String> = (0..STAGES.len()).map(|s| (count - failed(s)).to_string()).collect();
        let _ = writeln!(
            out,
            "| sm_{chip} | {} | {count} | {} | {} |",
            totals.get(chip).map_or("not counted".to_owned(), usize::to_string),
            cells.join(" | "),
            failed(STAGES.len() - 1)
        );
    }
    out
}

#[test]
fn recorded_words_read_and_write_exactly() {
    let full = std::env::var_os("SASSAFRAS_ALL_WORDS").is_some();
    let fares = fares(if full { 1 } else { STEP });
    let listed = listed();
    let mut found = Counts::new();
    let mut grown = String::new();
    for (chip, _, fare) in &fares {
        let past: Vec<String> =
            (0..STAGES.len()).map(|s| format!("{} {}", fare.past(s), STAGES[s])).collect();
        println!("{chip}: {} words asked, {}", fare.asked, past.join(", "));
        for ((stage, mnemonic), n) in &fare.failures {
            let key = (chip.number(), STAGES[*stage].to_owned(), mnemonic.clone());
            let allowed = listed.get(&key).map_or(0, |(n, _)| *n);
            if *n > allowed {
                let (word, message) = &fare.examples[&(*stage, mnemonic.clone())];
                let text = word.text.as_deref().unwrap_or("-");
                let _ = writeln!(
                    grown,
                    "{chip} {} {mnemonic}: {n}, {allowed} listed: {:032x} {text}: {message}",
                    STAGES[*stage], word.bits
                );
            }
            found.insert(key, *n);
        }
    }
    assert!(grown.is_empty(), "words that are not in the list of exceptions fail:\n{grown}");
    if full && std::env::var_os("BLESS").is_some() {
        let mut text = String::from("chip,stage,mnemonic,words,reason\n");
        for ((chip, stage, mnemonic), n) in &found {
            let key = (*chip, stage.clone(), mnemonic.clone());
            let reason = listed.get(&key).map_or("no row yet", |(_, r)| r.as_str());
            let _ = writeln!(text, "{chip},{stage},{mnemonic},{n},{reason}");
        }
        std::fs::write(file(), text).expect("the list can be written");
        let words = fares.iter().map(|(c, n, _)| (c.number(), *n)).collect();
        let path = sassafras_oracle::workspace_root().join("reports/words.md");
        std::fs::write(path, page(&words, &found)).expect("the page can be written");
    }
}

#[test]
fn the_page_says_what_the_list_says() {
    let root = sassafras_oracle::workspace_root();
    let count = |c: Chip| traces::words(&root, &c.to_string()).map_or(0, |w| w.len());
    let words = Chip::ALL.into_iter().map(|c| (c.number(), count(c))).collect();
    let exceptions = listed().into_iter().map(|(key, (n, _))| (key, n)).collect();
    let path = root.join("reports/words.md");
    let stored = std::fs::read_to_string(&path).expect("the page is part of the repository");
    assert_eq!(stored, page(&words, &exceptions), "BLESS=1 SASSAFRAS_ALL_WORDS=1 writes it anew");
}
