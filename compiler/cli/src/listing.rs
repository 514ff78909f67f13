//! What nvdisasm prints for a cubin, mode by mode.
//!
//! * [`Look`] says which mode, and [`listing`] writes it.
//! * [`Labels`]: the names of places.
//! * [`blocks`]: basic blocks as the graphs show them.
//!
//! Layout, label numbers and the placing of labels: learned by comparing with nvdisasm 13.2.51 on ptxas 13.0.88's output.

pub mod blocks;
mod data;
mod graph;
mod info;
mod json;
mod labels;
mod ranges;
mod relocated;
mod section;
mod section_error;

use std::fmt::Write;

use sassafras_cubin::elf::{Image, Section, V7_FLAGS, constants as c};
use sassafras_emit::line_table::{self, Lines};
use sassafras_isa::{Chip, DecodeError, Inst, Text, decode};

pub use graph::Nodes;
pub use labels::Labels;
pub use section_error::SectionError;

/// What is written of the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Its text, as `nvdisasm -c`.
    #[default]
    Code,
    /// JSON, as `nvdisasm -json`.
    Json,
    /// A graph for each function, as `nvdisasm -cfg` and `-bbcfg`.
    Graph(Nodes),
}

/// Which lines of the source stand between the instructions; for [`Mode::Code`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// None.
    #[default]
    None,
    /// The place of each instruction, as `nvdisasm -g`.
    Lines,
    /// Where it is inlined too, as `nvdisasm -gi`.
    Inlined,
}

/// How a listing is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Append each word in hexadecimal, as `nvdisasm -hex`.
    pub hex: bool,
    /// Add control bits and whatever the plain text loses, so that it can be assembled again.
    pub control: bool,
    /// Print words without a form as data and go on, as the command does.
    pub lenient: bool,
    /// Write the other sections too, as nvdisasm without `-c`; for [`Mode::Code`].
    pub all: bool,
    /// Put the life ranges of registers behind each line, as `nvdisasm -plr`; for [`Mode::Code`].
    pub ranges: bool,
    /// Lines of the source.
    pub source: Source,
    /// What is written.
    pub mode: Mode,
    /// Put offsets before the instructions of a graph, as `nvdisasm -poff`.
    pub offsets: bool,
    /// The code is bare words, for which jumps name addresses, as `nvdisasm -b`; here the first one's.
    pub raw: Option<u64>,
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

/// Why there is no listing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A word without a form.
    #[error(transparent)]
    Word(#[from] UnknownWord),
    /// Something outside code that is not known.
    #[error(transparent)]
    Unsupported(#[from] SectionError),
}

/// A whole listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The text.
    pub text: String,
    /// Words that have no form; more than none only in a lenient listing.
    pub unknown: Vec<UnknownWord>,
    /// Records and sections that are not known, a sentence each; their bytes are in the text.
    pub notes: Vec<String>,
    /// Whether columns are still to be aligned.
    marked: bool,
}

/// The chip of an image.
pub fn chip(image: &Image) -> Option<Chip> {
    Chip::from_number(image.header.sm())
}

/// Lists every section of code, and others if asked for.
///
/// # Errors
/// The first word without a form, unless the look is lenient; a section or record of an unknown kind.
pub fn listing(image: &Image, chip: Chip, look: Look) -> Result<Listing, Refusal> {
    let mut out = Listing::default();
    if let Some(base) = look.raw {
        let mut text = Text::new();
        raw(image, chip, look, base, &mut text, &mut out, |_: &mut Text| {})?;
        out.text = finished(&text, out.marked);
        return Ok(out);
    }
    let labels = Labels::new(image, chip);
    let lines = match look.source {
        Source::None => Lines::default(),
        _ => line_table::lines(image).map_err(SectionError::from)?,
    };
    match look.mode {
        Mode::Code => {}
        Mode::Json => {
            json::write(image, chip, look, &labels, &mut out)?;
            return Ok(out);
        }
        Mode::Graph(nodes) => {
            graph::write(image, chip, look, nodes, &labels, &mut out)?;
            return Ok(out);
        }
    }
    head(image, chip, &mut out.text);
    let mut numbers = data::Numbers::new(image);
    // Two empty lines part what is shown.
    let shown = |s: &Section| s.flags & c::EXEC != 0 || look.all && data::shown(s);
    let sections = image.sections.iter().enumerate().filter(|(_, s)| shown(s));
    for (number, (index, section)) in sections.enumerate() {
        out.text.push_str(if number > 0 { "\n\n" } else { "" });
        if section.flags & c::EXEC != 0 {
            section::write(image, index, section, chip, look, &labels, &lines, &mut out)?;
        } else {
            let Listing { text, notes, .. } = &mut out;
            data::write(image, index, &labels, &mut numbers, text, notes)?;
        }
    }
    symbols(image, &mut out.text);
    if out.marked {
        out.text = section::align(&out.text);
        out.marked = false;
    }
    if look.ranges {
        let mut all = Vec::new();
        for (index, section) in image.sections.iter().enumerate().filter(|(_, s)| s.flags & c::EXEC != 0) {
            let mut insts = Vec::new();
            for (i, word) in section::words(section).enumerate() {
                // The listing has named the words without a form already.
                let nop = |error| match nop().filter(|_| look.lenient) {
                    Some(nop) => Ok(nop),
                    None => Err(unknown(section, 16 * i as u64, word, error)),
                };
                insts.push(decode(word, chip).or_else(nop)?);
            }
            let functions = json::functions(image, index, insts.len());
            let starts: Vec<usize> = functions.iter().map(|(_, range)| range.start).collect();
            all.push(ranges::ranges(image, index, &insts, &starts, &labels));
        }
        out.text = ranges::annotate(&out.text, &all);
    }
    Ok(out)
}

/// Bytes of text that are given away at once: few enough that they are still in a cache when they are written.
const PART: usize = 1 << 17;

/// Lists bare words, from the address of [`Look::raw`] on, and gives the text away in parts as it grows, in memory that does not.
/// Where columns depend on later lines the whole text is left in the listing.
///
/// # Errors
/// The first word without a form, unless the look is lenient; the text up to it was given away.
pub fn parts(
    image: &Image,
    chip: Chip,
    look: Look,
    give: &mut dyn FnMut(&[u8]),
) -> Result<Listing, UnknownWord> {
    let (mut text, mut out) = (Text::new(), Listing::default());
    let whole = look.hex || look.control;
    let mut give_away = |text: &mut Text| {
        if !whole && text.len() >= PART {
            give(text.as_bytes());
            text.clear();
        }
    };
    let done = raw(image, chip, look, look.raw.unwrap_or(0), &mut text, &mut out, &mut give_away);
    if whole {
        done?;
        out.text = finished(&text, out.marked);
    } else {
        give(text.as_bytes());
        done?;
    }
    Ok(out)
}

/// Lists bare words as [`parts`], in memory and without the two lines about the chip. [`columns`] puts its columns in place, for this
/// text alone or for several.
///
/// # Errors
/// The first word without a form, unless the look is lenient.
pub fn words_only(image: &Image, chip: Chip, look: Look) -> Result<Listing, UnknownWord> {
    let (mut text, mut out) = (Text::new(), Listing::default());
    bare(image, chip, look, look.raw.unwrap_or(0), &mut text, &mut out, |_: &mut Text| {})?;
    out.text = text.as_str().to_owned();
    Ok(out)
}

/// Puts the columns of a text of [`words_only`] in place.
pub fn columns(text: &str) -> String {
    section::align(text)
}

/// A text whose columns may still have to be aligned.
fn finished(text: &Text, marked: bool) -> String {
    if marked { section::align(text.as_str()) } else { text.as_str().to_owned() }
}

/// Bare words; `grown` sees the text behind each.
fn raw(
    image: &Image,
    chip: Chip,
    look: Look,
    base: u64,
    text: &mut Text,
    out: &mut Listing,
    grown: impl FnMut(&mut Text),
) -> Result<(), UnknownWord> {
    let number = chip.number();
    if look.control {
        // `asm` wants the chip by its name.
        let _ = writeln!(text, "\t.target\t{chip}");
    } else {
        for _ in 0..2 {
            let _ = writeln!(
                text,
                "\t.headerflags\t@\"EF_CUDA_64BIT_ADDRESS EF_CUDA_SM{number} EF_CUDA_VIRTUAL_SM(EF_CUDA_SM{number})\""
            );
        }
    }
    bare(image, chip, look, base, text, out, grown)
}

/// The lines of bare words alone.
fn bare(
    image: &Image,
    chip: Chip,
    look: Look,
    base: u64,
    text: &mut Text,
    out: &mut Listing,
    mut grown: impl FnMut(&mut Text),
) -> Result<(), UnknownWord> {
    let labels = Labels::default();
    for (index, code) in image.sections.iter().enumerate() {
        let context = section::Context::new(index, code, chip, look, &labels);
        let mut lines = context.lines(code);
        for (i, word) in section::words(code).enumerate() {
            context.word(word, code, base.wrapping_add(16 * i as u64), &mut lines, text, out)?;
            grown(text);
        }
    }
    Ok(())
}

fn unknown(section: &Section, address: u64, word: u128, error: DecodeError) -> UnknownWord {
    UnknownWord { section: section.name.clone(), address, word, error }
}

/// What stands before the sections.
fn head(image: &Image, chip: Chip, out: &mut String) {
    let kind = match image.header.kind {
        c::EXECUTABLE => "ET_EXEC",
        c::EXTENSIBLE => "ET_EWP",
        _ => "ET_REL",
    };
    let flags = image.header.flags;
    let number = chip.number();
    let _ = match image.header.virtual_sm() {
        Some(virtual_sm) => {
            let names: Vec<&str> =
                V7_FLAGS.iter().filter(|row| flags & row.0 != 0).map(|row| row.1).collect();
            writeln!(
                out,
                "\t.headerflags\t@\"{} EF_CUDA_SM{number} EF_CUDA_VIRTUAL_SM(EF_CUDA_SM{virtual_sm})\"",
                names.join(" ")
            )
        }
        None => writeln!(out, "\t.target\t{chip}{}\n", if accelerated(image) { "a" } else { "" }),
    };
    let _ = write!(out, "\t.elftype\t@\"{kind}\"\n\n\n");
}

/// Whether `.nv.compat` says that the target is one chip only (`sm_90a`).
fn accelerated(image: &Image) -> bool {
    use sassafras_cubin::attribute::{Value, compat::CUDA_ACCELERATOR_TARGET, parse};
    let Some(section) = image.section(".nv.compat").map(|i| &image.sections[i]) else { return false };
    let records = parse(section.bytes(), section.offset).unwrap_or_default();
    records.iter().any(|(_, r)| r.id == CUDA_ACCELERATOR_TARGET && r.value == Value::Byte(1))
}

/// What stands for a word without a form where only its flow matters.
fn nop() -> Option<Inst> {
    sassafras_isa::form("nop").map(Inst::new)
}

/// The symbols that another file defines.
fn symbols(image: &Image, out: &mut String) {
    let mut undefined =
        image.symbols.iter().filter(|s| s.section == 0 && !s.name.is_empty() && s.info & 15 != 0).peekable();
    if undefined.peek().is_none() {
        return;
    }
    out.push_str("\n\n//--------------------- SYMBOLS --------------------------\n\n");
    for s in undefined {
        let kind = if s.info & 15 == 2 { "function" } else { "object" };
        let _ = writeln!(out, "\t.type\t\t{},@{kind}", s.name);
        if s.size > 0 {
            let _ = writeln!(out, "\t.size\t\t{},{:#x}", s.name, s.size);
        }
    }
}
