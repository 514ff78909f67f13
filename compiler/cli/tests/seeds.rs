//! Seeds and dictionaries of the fuzz targets in `fuzz/`: made from the corpus, the recorded code and the tables. `BLESS=1` writes them anew.
//!
//! Seeds of a target lie in `fuzz/seeds/TARGET`; targets that read bytes as choices share `fuzz/seeds/choices`, which `tests/harness.rs` runs as well.

#![allow(missing_docs)]

mod common;

use sassafras::checks;
use sassafras::listing::{Look, chip, listing};
use sassafras_cubin::elf;
use sassafras_isa::{Chip, FormId, Inst};
use sassafras_oracle::workspace_root;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Files by their place below `fuzz/`.
type Files = BTreeMap<String, Vec<u8>>;

/// Files of the corpus's features that are short, a few.
fn modules() -> Files {
    let folder = workspace_root().join("corpus/features");
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the corpus")
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "ptx"))
        .collect();
    all.sort();
    let read = |p: &PathBuf| {
        (p.file_name().expect("a name").to_string_lossy().into_owned(), std::fs::read(p).expect("a file"))
    };
    let short = all.iter().map(read).filter(|(_, text)| text.len() < 1200);
    short.step_by(24).map(|(name, text)| (format!("seeds/ptx_parser/{name}"), text)).collect()
}

/// The shortest recorded cubins of each chip, and what they list.
fn code() -> Files {
    let mut by_chip: BTreeMap<u32, Vec<(PathBuf, Vec<u8>)>> = BTreeMap::new();
    for (path, bytes) in common::recorded() {
        let Some(chip) = elf::read(&bytes).ok().and_then(|image| chip(&image)) else { continue };
        by_chip.entry(chip.number()).or_default().push((path, bytes));
    }
    let mut files = Files::new();
    for (number, mut all) in by_chip {
        all.sort_by_key(|(path, bytes)| (bytes.len(), path.clone()));
        let Some((_, bytes)) = all.into_iter().next() else { continue };
        let image = elf::read(&bytes).expect("it was read");
        let chip = chip(&image).expect("it has one");
        let look = Look { control: true, ..Look::default() };
        let text = listing(&image, chip, look).expect("recorded code lists").text;
        files.insert(format!("seeds/sass_text/sm_{number}.sass"), text.into_bytes());
        let words = image.sections.iter().find(|s| s.flags & 4 != 0).map(|s| s.bytes().to_vec());
        files.insert(format!("seeds/sass_code/sm_{number}"), words.unwrap_or_default());
        files.insert(format!("seeds/cubin/sm_{number}.cubin"), bytes);
    }
    files
}

/// Words of forms, one in forty.
fn words() -> Files {
    let of = |n: usize| {
        let form = FormId(n as u16);
        let word = sassafras_isa::encode(&Inst::new(form), Chip::Sm90).ok()?;
        let name = sassafras_isa::forms().iter().nth(n)?.id.replace(['.', '/', '{', '}'], "_");
        Some((format!("seeds/codec/{name}"), word.to_le_bytes().to_vec()))
    };
    (0..sassafras_isa::forms().len()).step_by(40).filter_map(of).collect()
}

/// Bytes as choices, as `tests/harness.rs` runs them.
fn choices() -> Files {
    (0..8).map(|seed| (format!("seeds/choices/{seed}"), common::choices(seed))).collect()
}

/// A dictionary of libFuzzer's: a quoted word in each line.
fn dictionary(words: BTreeSet<String>) -> Vec<u8> {
    let quoted =
        |w: &String| format!("\"{}\"\n", w.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\x0A"));
    words.iter().map(quoted).collect::<String>().into_bytes()
}

fn dictionaries() -> Files {
    let mut ptx: BTreeSet<String> = sassafras_ptx::table::roots().iter().map(|r| (*r).to_owned()).collect();
    for row in sassafras_ptx::table::rows() {
        let choices = row.elements.iter().flat_map(|e| &e.choices);
        ptx.extend(choices.map(|c| format!(".{}", c.words.join("."))));
    }
    ptx.extend(
        [
            ".version 8.0\n",
            ".target sm_90\n",
            ".address_size 64\n",
            ".visible .entry",
            ".reg",
            ".param",
            "ret;",
        ]
        .map(str::to_owned),
    );
    let first = |id: &str| id.split('.').next().unwrap_or_default().to_uppercase();
    let mut sass: BTreeSet<String> = sassafras_isa::forms().iter().map(|f| first(f.id)).collect();
    sass.extend(
        [
            "[B------:R-:W-:-:S01]",
            ".L_x_0:",
            "desc[UR4]",
            "@!P0",
            "UPT",
            "RZ",
            "URZ",
            "c[0x0][0x210]",
            ".64",
            "0x",
        ]
        .map(str::to_owned),
    );
    let cubin = [".nv.info", ".nv.constant0.", ".text.", ".shstrtab", ".symtab", ".rel.text.", "\\x7fELF"]
        .map(str::to_owned);
    let cubin: String = cubin.iter().map(|w| format!("\"{w}\"\n")).collect();
    Files::from([
        ("dictionaries/ptx_parser.dict".to_owned(), dictionary(ptx)),
        ("dictionaries/sass_text.dict".to_owned(), dictionary(sass)),
        ("dictionaries/cubin.dict".to_owned(), cubin.into_bytes()),
    ])
}

fn walk(folder: &PathBuf, out: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { walk(&path, out) } else { out.extend([path]) }
    }
}

#[test]
fn seeds_and_dictionaries_are_those_of_corpus_and_tables() {
    let root = workspace_root().join("fuzz");
    let made: Files = [modules(), code(), words(), choices(), dictionaries()].into_iter().flatten().collect();
    if std::env::var_os("BLESS").is_some() {
        for folder in ["seeds", "dictionaries"] {
            let _ = std::fs::remove_dir_all(root.join(folder));
        }
        for (name, bytes) in &made {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a place for it");
            std::fs::write(path, bytes).expect("a place for it");
        }
    }
    let mut there = BTreeSet::new();
    walk(&root.join("seeds"), &mut there);
    walk(&root.join("dictionaries"), &mut there);
    let wanted: BTreeSet<PathBuf> = made.keys().map(|name| root.join(name)).collect();
    assert_eq!(there, wanted, "BLESS=1 writes seeds and dictionaries anew");
    for (name, bytes) in made.iter().filter(|(name, _)| name.ends_with(".dict")) {
        let text = String::from_utf8_lossy(bytes);
        // libFuzzer refuses a dictionary with any other line.
        let quoted = |l: &str| l.len() > 2 && l.starts_with('"') && l.ends_with('"');
        assert!(text.lines().all(quoted), "fuzz/{name} has a line that is no quoted word");
    }
    for (name, bytes) in &made {
        let is = std::fs::read(root.join(name)).expect("it is there");
        assert!(is == *bytes, "fuzz/{name} is not what corpus and tables say; BLESS=1 writes it anew");
    }
}

/// Each seed through the check of its target; those of choices are run by `tests/harness.rs`.
#[test]
fn each_seed_passes_its_check() {
    for (name, bytes) in [modules(), code(), words()].into_iter().flatten() {
        match name.split('/').nth(1).expect("a target") {
            "ptx_parser" => drop(sassafras_generate::parser(&bytes)),
            "cubin" => checks::cubin(&bytes),
            "sass_text" => checks::text(&bytes),
            "sass_code" => {
                let word = |b: &[u8]| u128::from_le_bytes(b.try_into().expect("chunks of 16"));
                checks::code(&bytes.chunks_exact(16).map(word).collect::<Vec<_>>(), Chip::Sm90);
            }
            "codec" => drop(sassafras_generate::codec(bytes.try_into().expect("16 bytes"))),
            other => panic!("no target {other}"),
        }
    }
}
