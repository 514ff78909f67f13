//! One section of code.

use std::fmt::Write;

use sassafras_cubin::elf::{Image, Section, Symbol, constants as c};
use sassafras_emit::line_table::{Line, Lines as SourceLines};
use sassafras_isa::{Chip, Control, DecodeError, Inst, Lines, Style, Targets, Text, decode, print_to};

use super::relocated::Relocated;
use super::{Labels, Listing, Look, Source, UnknownWord, unknown};

/// Stands before an indirect branch's targets until their column is known.
const TARGETS: char = '\u{2}';
/// Stands before each half of a word until the column of the words is known.
const WORD: char = '\u{1}';

#[expect(clippy::too_many_arguments, reason = "what a listing is made of")]
pub(super) fn write(
    image: &Image,
    index: usize,
    section: &Section,
    chip: Chip,
    look: Look,
    labels: &Labels,
    source: &SourceLines,
    out: &mut Listing,
) -> Result<(), UnknownWord> {
    let mut text = Text::new();
    let _ = writeln!(text, "//--------------------- {:<25} --------------------------", section.name);
    let _ = writeln!(text, "\t.section\t{},\"ax\",@progbits", section.name);
    // Up to CUDA 12 the section's flags say how many barriers its code uses.
    let barriers = section.flags >> c::BARRIERS_SHIFT & c::BARRIERS_MASK;
    if barriers != 0 {
        let _ = writeln!(text, "\t.sectionflags\t@\"SHF_BARRIERS={barriers}\"");
    }
    // Up to sm_89 the section says how many registers its code uses.
    if section.info >> 24 != 0 {
        let _ = writeln!(text, "\t.sectioninfo\t@\"SHI_REGISTERS={}\"", section.info >> 24);
    }
    let _ = writeln!(text, "\t.align\t{}", section.align);
    let mut functions: Vec<&Symbol> =
        image.symbols.iter().filter(|s| usize::from(s.section) == index && s.info & 15 == 2).collect();
    functions.sort_by_key(|s| s.value);
    let mut functions = functions.into_iter().peekable();
    // The section's own label comes after a function that others see, and before one that is local.
    let mut own = Some(format!("{}:\n", section.name));
    let mut names = labels.of(index).peekable();
    let context = Context::new(index, section, chip, look, labels);
    let mut lines = context.lines(section);
    let mut last = None;
    for (i, bytes) in section.bytes().chunks_exact(16).enumerate() {
        let address = 16 * i as u64;
        while let Some(s) = functions.next_if(|s| s.value <= address) {
            if s.info >> 4 == 0 {
                own.take().into_iter().for_each(|own| text.push_str(&own));
            }
            function(s, index, labels, &mut text);
        }
        own.take().into_iter().for_each(|own| text.push_str(&own));
        while let Some((_, number)) = names.next_if(|name| name.0 <= address) {
            let _ = writeln!(text, ".L_x_{number}:");
        }
        if let Some(chain) = source.at(index, address) {
            // nvdisasm leaves out a place that is the last one again, wherever it is inlined.
            let place = chain.first();
            if place != last {
                text.push_str(&comment(chain, look.source));
                last = place;
            }
        }
        let word = u128::from_le_bytes(bytes.try_into().expect("chunks of 16"));
        context.word(word, section, address, &mut lines, &mut text, out)?;
    }
    if let Some(label) = labels.at(index, section.size()) {
        let _ = writeln!(text, "{label}:");
    }
    out.text.push_str(text.as_str());
    Ok(())
}

/// The lines of the source before an instruction.
fn comment(chain: &[Line], source: Source) -> String {
    let shown = if source == Source::Inlined { chain.len() } else { 1 };
    let mut out = String::new();
    for (i, place) in chain.iter().enumerate().take(shown) {
        let _ = write!(out, "\t//## File \"{}\", line {}", place.file, place.line);
        if let Some(outer) = chain.get(i + 1).filter(|_| source == Source::Inlined) {
            let _ = write!(out, " inlined at \"{}\", line {}", outer.file, outer.line);
        }
        out.push('\n');
    }
    out
}

fn function(s: &Symbol, section: usize, labels: &Labels, out: &mut Text) {
    let name = &s.name;
    match s.info >> 4 {
        1 => {
            let _ = writeln!(out, "        .global         {name}");
        }
        2 => {
            let _ = writeln!(out, "        .weak           {name}");
        }
        _ => {}
    }
    let _ = writeln!(out, "        .type           {name},@function");
    let end =
        labels.reference(section, s.value.saturating_add(s.size)).unwrap_or_else(|| format!("{:#x}", s.size));
    let _ = writeln!(out, "        .size           {name},({end} - {name})");
    if s.other & c::STO_ENTRY != 0 {
        let _ = writeln!(out, "        .other          {name},@\"STO_CUDA_ENTRY STV_DEFAULT\"");
    }
    let _ = writeln!(out, "{name}:");
}

/// What every instruction of a section is written with.
pub(super) struct Context<'a> {
    pub section: usize,
    pub labels: &'a Labels,
    size: u64,
    chip: Chip,
    look: Look,
    /// Whether some instruction has known targets.
    aimed: bool,
}

/// The words of a section.
pub(super) fn words(section: &Section) -> impl Iterator<Item = u128> + '_ {
    let (units, _) = section.bytes().as_chunks::<16>();
    units.iter().map(|unit| u128::from_le_bytes(*unit))
}

/// As wide as the column of the guard.
const MARGIN: &str = "                   ";

impl<'a> Context<'a> {
    pub fn new(index: usize, section: &Section, chip: Chip, look: Look, labels: &'a Labels) -> Context<'a> {
        Context {
            section: index,
            labels,
            size: section.size(),
            chip,
            look,
            aimed: labels.has_indirect(index),
        }
    }

    /// What the lines of a section are remembered in.
    pub fn lines(&self, section: &Section) -> Lines {
        Lines::new(self.chip, true, section.bytes().len() / 16)
    }

    /// The text of an instruction, names in place, without the semicolon.
    pub fn text(&self, inst: &Inst, address: u64, out: &mut String) {
        self.styled(address, |style| print_to(inst, style, out));
    }

    /// Hands on the style of the instruction at an address.
    fn styled<T>(&self, address: u64, print: impl FnOnce(&Style<'_>) -> T) -> T {
        let (section, labels) = (self.section, self.labels);
        let name = |distance: i64, out: &mut String| {
            let target = address.wrapping_add(16).wrapping_add(distance as u64);
            target < self.size && labels.refer(section, target, out)
        };
        // What is printed is read back with the names as they stand, to see what the text loses.
        let find = |text: &str| {
            let place = labels.place(section, text.strip_prefix("`(")?.strip_suffix(')')?)?;
            Some(place.wrapping_sub(address).wrapping_sub(16) as i64)
        };
        print(&Style {
            targets: match self.look.raw {
                Some(_) => Targets::At(address),
                None => Targets::Named { name: &name, find: &find },
            },
            control: self.look.control,
            exact: self.look.control,
            spaced: true,
            chip: Some(self.chip),
        })
    }

    /// nvdisasm's note about where an indirect branch goes.
    pub fn branch_targets(&self, address: u64) -> Option<String> {
        let places = if self.aimed { self.labels.targets(self.section, address)? } else { return None };
        let mut names: Vec<String> = Vec::new();
        for &place in places {
            // Before the first instruction stands the section's own label, and nvdisasm takes that.
            let name = match (place, self.labels.own(self.section)) {
                (0, Some(own)) => own.to_owned(),
                _ => self.labels.reference(self.section, place).unwrap_or_else(|| format!("{place:#x}")),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Some(format!("(*\"BRANCH_TARGETS {}\"*)", names.join(",")))
    }

    /// The line of a word.
    #[inline]
    pub fn word(
        &self,
        word: u128,
        section: &Section,
        address: u64,
        lines: &mut Lines,
        text: &mut Text,
        out: &mut Listing,
    ) -> Result<(), UnknownWord> {
        let done = if self.look.control {
            decode(word, self.chip).map(|inst| {
                let _ = write!(text, "        /*{address:04x}*/{MARGIN}");
                self.styled(address, |style| text.print(&inst, style));
            })
        } else if self.look.raw.is_some() {
            lines.print(word, address, Targets::At(address), text)
        } else if let Some(relocated) = self.labels.relocated(self.section, address) {
            self.relocated(relocated, word, address, lines, text)
        } else {
            self.styled(address, |style| lines.print(word, address, style.targets, text))
        };
        match done {
            Ok(()) => {
                self.rest(word, address, text, out);
                Ok(())
            }
            Err(error) => self.data(unknown(section, address, word, error), text, out),
        }
    }

    /// The line of a word that a linker fills something into.
    #[cold]
    fn relocated(
        &self,
        relocated: &Relocated,
        word: u128,
        address: u64,
        lines: &mut Lines,
        text: &mut Text,
    ) -> Result<(), DecodeError> {
        let mut line = Text::new();
        let label = relocated.inside.and_then(|place| self.labels.reference(self.section, place));
        let print = |word: u128, lines: &mut Lines, line: &mut Text| {
            self.styled(address, |style| lines.print(word, address, style.targets, line))
        };
        if print(relocated.marked(word), lines, &mut line).is_ok()
            && let Some(named) = relocated.line(line.as_str(), label.as_deref())
        {
            text.push_str(&named);
            return Ok(());
        }
        print(word, lines, text)
    }

    /// The line of a word without a form.
    #[cold]
    fn data(&self, unknown: UnknownWord, text: &mut Text, out: &mut Listing) -> Result<(), UnknownWord> {
        if !self.look.lenient {
            return Err(unknown);
        }
        let (word, address) = (unknown.word, unknown.address);
        let quads = [word as u64, (word >> 64) as u64];
        let _ = writeln!(
            text,
            "        /*{address:04x}*/                   .quad {:#018x}, {:#018x} ; // {}",
            quads[0], quads[1], unknown.error
        );
        out.unknown.push(unknown);
        Ok(())
    }

    /// What stands behind an instruction on its line.
    #[inline]
    fn rest(&self, word: u128, address: u64, text: &mut Text, out: &mut Listing) {
        let silent = Control::from_bits((word >> 105) as u32).bits() == Control::SILENT.bits();
        if !self.aimed && !self.look.hex {
            return text.push_str(if silent { ";\n" } else { " ;\n" });
        }
        if let Some(targets) = self.branch_targets(address) {
            let _ = write!(text, "{TARGETS}{targets};");
            out.marked = true;
        } else {
            text.push_str(if silent { ";" } else { " ;" });
        }
        if self.look.hex {
            let _ = write!(text, "{WORD}{:#018x}{WORD}{:#018x}", word as u64, (word >> 64) as u64);
            out.marked = true;
        }
        text.push_str("\n");
    }
}

/// The length of a line as nvdisasm counts it for columns: a guard, though it stands in the margin, counts with its space, and
/// the semicolon behind the targets of an indirect branch does not.
pub(super) fn natural(line: &str) -> usize {
    let margin = line.split_once("*/").map_or("", |(_, rest)| rest.get(..MARGIN.len()).unwrap_or_default());
    match margin.find('@') {
        Some(at) if line.starts_with("        /*") => line.len() + MARGIN.len() - at,
        _ => line.len() - usize::from(line.ends_with("\"*);")),
    }
}

/// Puts targets of indirect branches behind the longest line of the file, and the words of `-hex` behind those.
pub(super) fn align(text: &str) -> String {
    let code = |line: &str| natural(line.split(WORD).next().unwrap_or_default());
    let lines = || text.lines().filter(|l| l.starts_with("        /*") && !l.contains("*/ \t"));
    let plain = lines().filter(|l| !l.contains(TARGETS)).map(code).max().unwrap_or(0);
    let aimed = lines().filter_map(|l| l.split(WORD).next()?.split_once(TARGETS));
    let words = aimed.map(|(_, places)| plain + places.len() + 1).max().unwrap_or(0).max(plain + 2);
    let mut out = String::with_capacity(2 * text.len());
    for line in text.lines() {
        let parts: Vec<&str> = line.split(WORD).collect();
        let code = match parts[0].split_once(TARGETS) {
            Some((code, places)) => format!("{code:plain$}{places}"),
            None => parts[0].to_owned(),
        };
        let _ = match parts[1..] {
            [low, high] => writeln!(out, "{code:words$}/* {low} */\n{:words$}/* {high} */", ""),
            _ => writeln!(out, "{code}"),
        };
    }
    out
}
