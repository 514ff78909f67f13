//! Recorded words held against the table: decoded, printed as nvdisasm does, encoded again, read back from text.

use anyhow::Result;
use rustc_hash::FxHashMap;
use sassafras_isa::{Chip, Style, Targets, decode, encode, parse, print};
use sassafras_oracle::Nvdisasm;
use std::collections::BTreeMap;

/// Words per run of nvdisasm; its addresses begin anew with each.
const BATCH: usize = 20_000;

/// What holding the words of a chip against the table found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Words.
    pub words: usize,
    /// Distinct words.
    pub distinct: usize,
    /// Distinct words that nvdisasm refuses: they count nowhere else.
    pub refused: usize,
    /// Distinct words that decode.
    pub decoded: usize,
    /// Distinct words whose text is nvdisasm's.
    pub text: usize,
    /// Distinct words that encode to themselves.
    pub encoded: usize,
    /// Distinct words that come back from the exact text with control bits.
    pub parsed: usize,
    /// By mnemonic and complaint: how many distinct words, and the first of them.
    pub faults: BTreeMap<String, (usize, String)>,
}

/// Holds each word against the table and nvdisasm.
pub fn check(words: &[u128], chip: Chip, nvdisasm: &Nvdisasm) -> Result<Count> {
    let mut distinct: Vec<u128> = words.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let name = format!("SM{}", chip.number());
    let mut texts = nvdisasm.words(&distinct, &name)?;
    let mut count = Count { words: words.len(), distinct: distinct.len(), ..Count::default() };
    // A word that nvdisasm refuses may move the addresses of those after it. ptxas emits such: jump tables are data among code.
    if texts.iter().any(Option::is_none) {
        let legal = |text: &Option<String>| text.is_some();
        let mut keep = texts.iter().map(legal);
        let refused = texts.iter().filter(|text| !legal(text)).count();
        distinct.retain(|_| keep.next().unwrap_or(true));
        count.refused = refused;
        texts = nvdisasm.words(&distinct, &name)?;
    }
    for (i, (&word, theirs)) in distinct.iter().zip(texts).enumerate() {
        let theirs = theirs.map(|text| tidy(&text)).unwrap_or_default();
        let address = 16 * (i % BATCH) as u64;
        if let Some(fault) = one(word, &theirs, address, chip, &mut count) {
            let key = format!("{} {:03x}: {}", mnemonic(&theirs), word & 0xfff, fault.0);
            let entry = count.faults.entry(key).or_insert((0, String::new()));
            entry.0 += 1;
            if entry.1.is_empty() {
                entry.1 = format!("{word:#034x} {theirs}{}", fault.1);
            }
        }
    }
    Ok(count)
}

/// The complaint and its details, if there is one.
fn one(
    word: u128,
    theirs: &str,
    address: u64,
    chip: Chip,
    count: &mut Count,
) -> Option<(&'static str, String)> {
    let inst = match decode(word, chip) {
        Ok(inst) => inst,
        Err(error) => return Some(("does not decode", format!(" | {error}"))),
    };
    count.decoded += 1;
    let style = Style { targets: Targets::At(address), chip: Some(chip), ..Style::default() };
    let ours = print(&inst, &style);
    let mut fault = None;
    if ours == theirs {
        count.text += 1;
    } else {
        fault = Some(("text differs", format!(" | {ours} ({})", inst.form)));
    }
    if encode(&inst, chip) == Ok(word) {
        count.encoded += 1;
    } else {
        fault = fault.or_else(|| Some(("encodes to another word", format!(" ({})", inst.form))));
    }
    let exact = Style { exact: true, control: true, ..style };
    let whole = print(&inst, &exact);
    if parse(&whole, &exact).as_ref() == Ok(&inst) {
        count.parsed += 1;
    } else {
        fault = fault.or_else(|| Some(("does not parse back", format!(" | {whole}"))));
    }
    fault
}

/// nvdisasm's text without the blanks it leaves before a comma and at the end.
pub fn tidy(text: &str) -> String {
    let text = text.trim_end().replace("INF ,", "INF,").replace("NAN ,", "NAN,").replace("-0.0 ,", "-0.0,");
    text.trim_end().to_owned()
}

/// The first word of a text, up to a dot, without the guard.
pub fn mnemonic(text: &str) -> &str {
    text.split([' ', '.']).find(|word| !word.is_empty() && !word.starts_with('@')).unwrap_or("")
}

/// Words with their texts, one per line, as `HEX TEXT`; the form in which seeds are kept.
pub fn lines(words: &[u128], chip: Chip, nvdisasm: &Nvdisasm) -> Result<String> {
    let mut distinct: Vec<u128> = words.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let texts = nvdisasm.words(&distinct, &format!("SM{}", chip.number()))?;
    let mut seen: FxHashMap<String, ()> = FxHashMap::default();
    let mut out = String::new();
    for (word, text) in distinct.iter().zip(texts) {
        if let Some(text) = text
            && seen.insert(text.clone(), ()).is_none()
        {
            out += &format!("{word:032x} {}\n", tidy(&text));
        }
    }
    Ok(out)
}
