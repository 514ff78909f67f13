//! Our listings and our container against the recorded ones, without any tool of NVIDIA's.

use std::path::Path;

use sassafras::listing::{Look, chip, listing};
use sassafras_cubin::{elf, read};
use sassafras_emit::write;
use sassafras_isa::{decode, encode};
use sassafras_oracle::workspace_root;
use sassafras_reference::traces;

/// Names of every recorded cubin of a set.
fn names(set: &str) -> Vec<String> {
    fn walk(folder: &Path, base: &Path, out: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, base, out);
            } else if let Some(name) =
                path.strip_prefix(base).ok().and_then(|p| p.to_str()?.strip_suffix(".cubin.gz"))
            {
                out.push(name.to_owned());
            }
        }
    }
    let base = workspace_root().join("reference-traces").join(set).join("sm_90");
    let mut out = Vec::new();
    walk(&base, &base, &mut out);
    out.sort();
    assert!(!out.is_empty(), "nothing is recorded for {set}");
    out
}

/// Listings are the text of nvdisasm 13.2.51, to the byte, but for words that have no form yet. (That of 13.5.37 names
/// exits too.)
#[test]
fn listings_are_nvdisasms() {
    let root = workspace_root();
    let set = traces::RECORDED;
    let (mut same, mut unknown) = (0, Vec::new());
    for name in names(set) {
        let bytes = traces::cubin(&root, set, &name).expect("it was listed");
        let theirs = traces::sass(&root, set, &name).expect("each cubin has its text");
        let image = elf::read(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let chip = chip(&image).expect("sm_90");
        match listing(&image, chip, Look::default()) {
            Ok(ours) => {
                let place = ours.text.lines().zip(theirs.lines()).find(|(a, b)| a != b);
                assert!(ours.text == theirs, "{name}: {place:#?}");
                same += 1;
            }
            Err(word) => unknown.push(format!("{name}: {word}")),
        }
    }
    println!("{same} listings are the same; {} have a word without a form: {unknown:#?}", unknown.len());
    assert!(unknown.len() * 20 <= same, "too many words have no form");
}

/// What ptxas wrote is read, written and read again without a difference, and its words come back.
#[test]
fn containers_and_words_come_back() {
    let root = workspace_root();
    let (mut words, mut unknown) = (0u64, 0u64);
    for set in [traces::RECORDED, traces::RECORDED_NEWER] {
        for name in names(set) {
            let bytes = traces::cubin(&root, set, &name).expect("it was listed");
            let cubin = read(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
            let again = write(&cubin).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(read(&again).expect("our own output reads"), cubin, "{name}");
            let chip = chip(&elf::read(&bytes).expect("it was read")).expect("sm_90");
            for word in cubin.functions.iter().flat_map(|f| &f.code) {
                words += 1;
                match decode(*word, chip) {
                    Ok(inst) => assert_eq!(encode(&inst, chip).ok(), Some(*word), "{name}: {word:#034x}"),
                    Err(_) => unknown += 1,
                }
            }
        }
    }
    assert!(unknown * 1000 <= words, "{unknown} of {words} words have no form");
}
