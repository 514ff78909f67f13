//! The text that `nvdisasm -c` gives for a cubin.
//!
//! Layout, label numbers and the placing of labels: learned by comparing with nvdisasm 13.2.51 on ptxas 13.0.88's output.

mod labels;
mod section;

use std::fmt::Write;

use sassafras_cubin::elf::{Image, constants as c};
use sassafras_isa::{Chip, DecodeError};

pub use labels::Labels;

/// How a listing is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Append each word in hexadecimal, as `nvdisasm -hex`.
    pub hex: bool,
    /// Add control bits and whatever the plain text loses, so that it can be assembled again.
    pub control: bool,
    /// Print words without a form as data and go on.
    pub lenient: bool,
}

/// A word without a form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{section} at {address:#06x}: the word {word:#034x} has no form: {error}")]
pub struct UnknownWord {
    /// The section it stands in.
    pub section: String,
    /// Its byte offset there.
    pub address: u64,
    /// The word.
    pub word: u128,
    /// What the decoder says.
    pub error: DecodeError,
}

/// A whole listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The text.
    pub text: String,
    /// Words that have no form; more than none only in a lenient listing.
    pub unknown: Vec<UnknownWord>,
    /// Whether columns are still to be aligned.
    marked: bool,
}

/// The chip of an image.
pub fn chip(image: &Image) -> Option<Chip> {
    Chip::from_number(image.header.flags >> 8 & 0xffff)
}

/// Lists every section of code.
///
/// # Errors
/// The first word without a form, unless the look is lenient.
pub fn listing(image: &Image, chip: Chip, look: Look) -> Result<Listing, UnknownWord> {
    let labels = Labels::new(image, chip);
    let mut out = Listing::default();
    let suffix = if accelerated(image) { "a" } else { "" };
    let kind = if image.header.kind == c::EXECUTABLE { "ET_EXEC" } else { "ET_REL" };
    let _ = write!(out.text, "\t.target\t{chip}{suffix}\n\n\t.elftype\t@\"{kind}\"\n\n\n");
    for (index, section) in image.sections.iter().enumerate() {
        if section.flags & c::EXEC != 0 {
            section::write(image, index, section, chip, look, &labels, &mut out)?;
        }
    }
    symbols(image, &mut out.text);
    if out.marked {
        out.text = section::align(&out.text);
        out.marked = false;
    }
    Ok(out)
}

/// Whether `.nv.compat` says that the target is one chip only (`sm_90a`).
fn accelerated(image: &Image) -> bool {
    use sassafras_cubin::attribute::{Value, compat::CUDA_ACCELERATOR_TARGET, parse};
    let Some(section) = image.section(".nv.compat").map(|i| &image.sections[i]) else { return false };
    let records = parse(section.bytes(), section.offset).unwrap_or_default();
    records.iter().any(|(_, r)| r.id == CUDA_ACCELERATOR_TARGET && r.value == Value::Byte(1))
}

/// The symbols that another file defines.
fn symbols(image: &Image, out: &mut String) {
    let mut undefined =
        image.symbols.iter().filter(|s| s.section == 0 && !s.name.is_empty() && s.info & 15 != 0).peekable();
    if undefined.peek().is_none() {
        return;
    }
    out.push_str("//--------------------- SYMBOLS --------------------------\n\n");
    for s in undefined {
        let kind = if s.info & 15 == 2 { "function" } else { "object" };
        let _ = writeln!(out, "\t.type\t\t{},@{kind}", s.name);
        if s.size > 0 {
            let _ = writeln!(out, "\t.size\t\t{},{:#x}", s.name, s.size);
        }
    }
}
