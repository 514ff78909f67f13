//! Every recorded cubin through `disasm` and back through `asm`.

mod common;

use common::recorded;
use sassafras::assembly::{into, read};
use sassafras::listing::{Look, chip, listing};
use sassafras_cubin::elf::{self, Image, constants as c};
use sassafras_isa::Chip;
use std::path::Path;

/// Each cubin: its bytes, image and chip, and the two listings, in which words without a form stand as data.
fn each(mut f: impl FnMut(&Path, &[u8], &Image, Chip, &str, &str)) -> (usize, usize) {
    let (mut done, mut unknown) = (0, 0);
    for (path, bytes) in recorded() {
        let image = elf::read(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let chip = chip(&image).unwrap_or_else(|| panic!("{}: no chip", path.display()));
        let look = Look { lenient: true, ..Look::default() };
        let list = |look| listing(&image, chip, look).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let (plain, control) = (list(look), list(Look { control: true, ..look }));
        f(&path, &bytes, &image, chip, &plain.text, &control.text);
        done += 1;
        unknown += plain.unknown.len();
    }
    (done, unknown)
}

/// With control bits the text holds every word, by itself.
#[test]
fn control_listings_hold_every_word() {
    let mut words = 0;
    let (done, unknown) = each(|path, _, image, chip, _, control| {
        let name = path.display();
        let assembly = read(control, None).unwrap_or_else(|e| panic!("{name}: {:?}", e[0]));
        assert_eq!(assembly.chip, chip);
        let code: Vec<_> = image.sections.iter().filter(|s| s.flags & c::EXEC != 0).collect();
        assert_eq!(code.len(), assembly.sections.len(), "{name}");
        for (section, ours) in code.iter().zip(&assembly.sections) {
            assert_eq!(ours.name.as_deref(), Some(section.name.as_str()));
            let bytes: Vec<u8> = ours.words.iter().flat_map(|w| w.bits.to_le_bytes()).collect();
            assert!(bytes == section.bytes(), "{name}: {}", section.name);
            words += ours.words.len();
        }
    });
    println!("{done} listings and {words} words come back, {unknown} of them as data, without a form");
    assert!(unknown * 20 <= words, "too many words have no form");
}

/// Without control bits, and into the cubin that it is of, a text changes nothing; with a changed instruction, one word.
#[test]
fn plain_listings_change_nothing() {
    let mut edited = 0;
    each(|path, bytes, image, chip, plain, _| {
        let name = path.display();
        let assembly = read(plain, None).unwrap_or_else(|e| panic!("{name}: {:?}", e[0]));
        let mut new = bytes.to_vec();
        let report =
            into::into(&mut new, image, chip, &assembly, true).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert!(new == bytes, "{name}");
        assert_eq!((report.changed, report.safe), (0, 0), "{name}");
        let Some(at) = plain.find("IADD3 R") else { return };
        let other = format!("{}IADD3 R1{}", &plain[..at], &plain[at + 7..]);
        let Ok(assembly) = read(&other, None) else { return };
        let report =
            into::into(&mut new, image, chip, &assembly, false).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert_eq!((report.changed, report.safe), (1, 1), "{name}");
        assert_eq!(new.len(), bytes.len());
        let differ = new.iter().zip(bytes).enumerate().filter(|(_, (a, b))| a != b).map(|(i, _)| i / 16);
        let places: std::collections::BTreeSet<usize> = differ.collect();
        assert_eq!(places.len(), 1, "{name}: bytes outside the word changed");
        edited += 1;
    });
    assert!(edited > 50, "only {edited} cubins were edited");
}
