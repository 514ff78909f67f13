//! Words and their text as nvdisasm 13.0.88 gave them, stored, so that this needs no NVIDIA tool. `BLESS=1 cargo test -p
//! sassafras-isa --test golden` asks nvdisasm again.

mod common;

use sassafras_isa::{Chip, Rng, Style, Targets, decode, encode, generate, print};
use sassafras_live as live;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

/// Words per form.
const WORDS: usize = 6;

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/words.txt")
}

/// Lines `FORM CHIP WORD TEXT`; branch targets as at address 0.
fn bless() -> Option<String> {
    let nvdisasm = common::tool("nvdisasm", "golden")?;
    let mut rng = Rng(1);
    let mut out = String::new();
    let chips: BTreeSet<Chip> = common::all().map(|id| id.get().home()).collect();
    for chip in chips {
        let mut words = Vec::new();
        for form in common::all().filter(|id| id.get().home() == chip) {
            for _ in 0..WORDS {
                let word = encode(&generate(form, &mut rng), chip).expect("generated instructions are legal");
                words.push((form, word));
            }
        }
        let list: Vec<u128> = words.iter().map(|(_, word)| *word).collect();
        let texts = live::disassemble(&list, chip, &nvdisasm).expect("nvdisasm runs");
        for (i, ((form, word), text)) in words.iter().zip(texts).enumerate() {
            let text = text.unwrap_or_else(|| panic!("{form}: nvdisasm calls {word:#034x} illegal"));
            // The listing's addresses grow; a branch is stored as it would read at address 0.
            let inst = decode(*word, chip).expect("just encoded");
            let there = print(&inst, &Style { targets: Targets::At(16 * i as u64), ..Style::default() });
            assert_eq!(there, text, "{form}");
            let here = print(&inst, &Style { targets: Targets::At(0), ..Style::default() });
            let _ = writeln!(out, "{form} {chip} {word:032x} {here}");
        }
    }
    Some(out)
}

#[test]
fn words_read_as_nvdisasm_reads_them() {
    if std::env::var_os("BLESS").is_some()
        && let Some(text) = bless()
    {
        std::fs::write(file(), text).expect("the golden file can be written");
    }
    let stored = std::fs::read_to_string(file()).expect("the golden file is part of the repository");
    let mut count = 0;
    for line in stored.lines() {
        let [form, chip, hex, text] = line.splitn(4, ' ').collect::<Vec<_>>()[..] else { panic!("`{line}`") };
        let word = u128::from_str_radix(hex, 16).expect("a word");
        let chip: Chip = chip.parse().expect("a chip");
        let inst = decode(word, chip).unwrap_or_else(|e| panic!("{form} {hex}: {e}"));
        assert_eq!(inst.form.to_string(), form, "{hex}");
        assert_eq!(
            print(&inst, &Style { targets: Targets::At(0), ..Style::default() }),
            text,
            "{hex}; BLESS=1 asks nvdisasm again"
        );
        assert_eq!(encode(&inst, chip), Ok(word), "{text}");
        count += 1;
    }
    assert_eq!(
        count,
        common::all().count() * WORDS,
        "a form without stored words; BLESS=1 asks nvdisasm again"
    );
}
