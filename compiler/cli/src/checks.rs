//! What the fuzz targets of the listing, the assembler and the container check; short twins run under `cargo test`.
//!
//! Each takes raw input, and panics with a sentence when a promise is broken.

use crate::assembly;
use crate::listing::{Look, Mode, Nodes, chip, listing};
use sassafras_cubin::attribute;
use sassafras_cubin::elf::{self, Data, Header, Image, Section, constants as c};
use sassafras_isa::Chip;

/// Any bytes as a cubin: an error with an offset, or an image that every mode lists or refuses.
pub fn cubin(bytes: &[u8]) {
    let Ok(image) = elf::read(bytes) else { return };
    // Whether the model understands it is its own matter; it must say so without a panic.
    drop(sassafras_cubin::read(bytes));
    for section in &image.sections {
        drop(attribute::parse(section.bytes(), section.offset));
    }
    if let Some(chip) = chip(&image) {
        for look in looks() {
            drop(listing(&image, chip, look));
        }
    }
}

fn looks() -> [Look; 6] {
    let look = Look { lenient: true, ..Look::default() };
    [
        look,
        Look { control: true, hex: true, ..look },
        Look { all: true, ..look },
        Look { mode: Mode::Json, ..look },
        Look { mode: Mode::Graph(Nodes::Blocks), ..look },
        Look { mode: Mode::Graph(Nodes::Hyperblocks), offsets: true, ..look },
    ]
}

/// Any words as the code of a chip: the lenient listing with control bits reads back to the same words.
///
/// # Panics
/// When it does not.
pub fn code(words: &[u128], chip: Chip) {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let section = Section {
        name: ".text.k".into(),
        kind: c::PROGBITS,
        flags: c::ALLOC | c::EXEC,
        align: 128,
        data: Data::Bytes(bytes),
        ..Section::default()
    };
    let header = Header { kind: c::EXECUTABLE, flags: chip.number() << 8, ..Header::default() };
    let image = Image { header, sections: vec![section], ..Image::default() };
    let look = Look { lenient: true, control: true, ..Look::default() };
    let text =
        listing(&image, chip, look).unwrap_or_else(|e| panic!("a lenient listing is refused: {e}")).text;
    if words.is_empty() {
        return;
    }
    let back = assembly::read(&text, None)
        .unwrap_or_else(|found| panic!("{}", assembly::render("listing", &text, &found)));
    let back: Vec<u128> = back.sections.iter().flat_map(|s| s.words.iter().map(|w| w.bits)).collect();
    assert_eq!(back, words, "the listing reads back as other words:\n{text}");
}

/// Any text through the assembler: words that list and read back the same, or findings that lie in the text.
///
/// # Panics
/// When neither.
pub fn text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match assembly::read(&text, Some(Chip::Sm90)) {
        Err(found) => {
            assert!(!found.is_empty(), "refused without a finding");
            for finding in &found {
                assert!(finding.span.start <= text.len(), "{finding:?} lies outside the text");
            }
            drop(assembly::render("text", &text, &found));
        }
        Ok(assembly) => {
            for section in &assembly.sections {
                code(&section.words.iter().map(|w| w.bits).collect::<Vec<_>>(), assembly.chip);
            }
        }
    }
}
