//! Records of `.nv.info`, as plain nvdisasm writes them.

use super::Labels;
use super::data::Numbers;
use super::section_error::SectionError;
use sassafras_cubin::attribute::*;
use sassafras_cubin::elf::Image;
use std::fmt::Write;

/// How the value of a record is written.
enum Shape {
    /// Words; the first is a symbol, when it says so.
    Words { symbol: bool },
    /// Every word is a symbol.
    Symbols,
    /// A list: so many words for each entry.
    List(usize),
    /// Indirect branches and their targets.
    Branches,
    /// One parameter: a word, two halves, four bytes.
    Parameter,
    /// One parameter of many bytes: a word, three halves, two bytes.
    LargeParameter,
    /// A symbol and two halves.
    Bank,
    /// A list, each entry a word and two halves.
    Places,
    /// Bytes.
    Unknown,
}

fn shape(id: u8) -> Shape {
    match id {
        _ if name(id).is_none() => Shape::Unknown,
        REGCOUNT | FRAME_SIZE | MIN_STACK_SIZE | MAX_STACK_SIZE => Shape::Words { symbol: true },
        EXTERNS => Shape::Symbols,
        EXIT_INSTR_OFFSETS
        | COOP_GROUP_INSTR_OFFSETS
        | COOP_GROUP_MASK_REGIDS
        | INT_WARP_WIDE_INSTR_OFFSETS
        | SYSCALL_OFFSETS => Shape::List(1),
        LANGUAGE => Shape::List(1),
        UNUSED_LOAD_BYTE_OFFSET => Shape::List(2),
        INDIRECT_BRANCH_TARGETS => Shape::Branches,
        KPARAM_INFO => Shape::Parameter,
        KPARAM_INFO_V2 => Shape::LargeParameter,
        PARAM_CBANK => Shape::Bank,
        ATOM16_EMUL_INSTR_REG_MAP => Shape::Places,
        _ => Shape::Words { symbol: false },
    }
}

pub(super) fn write(
    image: &Image,
    index: usize,
    labels: &Labels,
    numbers: &mut Numbers,
    out: &mut String,
    notes: &mut Vec<String>,
) -> Result<(), SectionError> {
    let section = &image.sections[index];
    // The section of code that the places in the records are of.
    let code = section.name.strip_prefix(".nv.info.").and_then(|k| image.section(&format!(".text.{k}")));
    let records = parse(section.bytes(), 0)?;
    // The label behind a record stands before the next one.
    let mut ends: Option<u32> = None;
    for (at, record) in records {
        let name = match name(record.id) {
            Some(name) => format!("EIATTR_{name}"),
            None => {
                notes.push(format!(
                    "section `{}`: record {:#04x} at {at:#06x} is not known",
                    section.name, record.id
                ));
                "<unknown>".to_owned()
            }
        };
        let _ = writeln!(out, "\n\n\t//----- nvinfo : {name}\n\t.align\t\t4");
        if let Some(number) = ends.take() {
            let _ = writeln!(out, ".L_{number}:");
        }
        let format = section.bytes()[at as usize];
        let _ = writeln!(out, "        /*{at:04x}*/ \t.byte\t{format:#04x}, {:#04x}", record.id);
        match &record.value {
            Value::Empty => out.push_str("\t.zero\t\t2\n"),
            Value::Byte(0) => out.push_str("\t.zero\t\t1\n\t.zero\t\t1\n"),
            Value::Byte(b) => {
                let _ = writeln!(out, "        /*{:04x}*/ \t.byte\t{b:#04x}\n\t.zero\t\t1", at + 2);
            }
            Value::Half(h) => out.push_str(&format!("        /*{:04x}*/ \t.short\t{h:#06x}\n", at + 2)),
            Value::Bytes(bytes) => {
                let (start, end) = (numbers.next, numbers.next + 1);
                numbers.next += 2;
                let _ = writeln!(out, "        /*{:04x}*/ \t.short\t(.L_{end} - .L_{start})", at + 2);
                ends = Some(end);
                let mut value = Body { image, code, labels, at: at + 4, start: Some(start), out };
                value.write(&shape(record.id), bytes);
            }
            Value::Symbols(_) => return Err(SectionError::SymbolNames),
        }
    }
    if let Some(number) = ends {
        let _ = writeln!(out, ".L_{number}:");
    }
    Ok(())
}

/// The value of a record as it is written.
struct Body<'a> {
    image: &'a Image,
    code: Option<usize>,
    labels: &'a Labels,
    at: u64,
    /// The label before the value, until it is written.
    start: Option<u32>,
    out: &'a mut String,
}

impl Body<'_> {
    fn write(&mut self, shape: &Shape, bytes: &[u8]) {
        let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        let words: Vec<u32> = bytes.chunks_exact(4).map(word).collect();
        let whole = bytes.len().is_multiple_of(4);
        match shape {
            Shape::Symbols if whole => words.iter().for_each(|&w| self.symbol(w)),
            Shape::Words { symbol } if whole => {
                for (i, &w) in words.iter().enumerate() {
                    if *symbol && i == 0 { self.symbol(w) } else { self.word(w) }
                }
            }
            Shape::List(size) if whole => {
                for (i, entry) in words.chunks(*size).enumerate() {
                    self.entry(i);
                    entry.iter().for_each(|&w| self.word(w));
                }
            }
            Shape::Places if bytes.len().is_multiple_of(8) => {
                for (i, entry) in bytes.chunks_exact(8).enumerate() {
                    self.entry(i);
                    self.word(word(entry));
                    self.half(entry[4], entry[5]);
                    self.half(entry[6], entry[7]);
                }
            }
            Shape::Branches if whole => self.branches(&words),
            Shape::Parameter if bytes.len() == 12 => {
                self.word(words[0]);
                self.half(bytes[4], bytes[5]);
                self.half(bytes[6], bytes[7]);
                self.bytes(&bytes[8..]);
            }
            Shape::LargeParameter if bytes.len() == 12 => {
                self.word(words[0]);
                for half in [4, 6, 8] {
                    self.half(bytes[half], bytes[half + 1]);
                }
                self.bytes(&bytes[10..]);
            }
            Shape::Bank if bytes.len() == 8 => {
                self.symbol(words[0]);
                self.half(bytes[4], bytes[5]);
                self.half(bytes[6], bytes[7]);
            }
            _ => self.bytes(bytes),
        }
        self.label();
    }

    fn label(&mut self) {
        if let Some(number) = self.start.take() {
            let _ = writeln!(self.out, ".L_{number}:");
        }
    }

    fn line(&mut self, size: u64, text: &str) {
        self.label();
        let _ = writeln!(self.out, "        /*{:04x}*/ \t{text}", self.at);
        self.at += size;
    }

    fn entry(&mut self, number: usize) {
        let _ = writeln!(self.out, "\n\n\t//   ....[{number}]....");
    }

    fn word(&mut self, word: u32) {
        self.line(4, &format!(".word\t{word:#010x}"));
    }

    fn symbol(&mut self, word: u32) {
        let name = self.image.symbols.get(word as usize).map_or("", |s| s.name.as_str());
        let _ = writeln!(self.out, "\t.align\t\t4");
        self.line(4, &format!(".word\tindex@({name})"));
    }

    fn half(&mut self, low: u8, high: u8) {
        self.line(2, &format!(".short\t{:#06x}", u16::from_le_bytes([low, high])));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for line in bytes.chunks(16) {
            let texts: Vec<String> = line.iter().map(|b| format!("{b:#04x}")).collect();
            self.line(line.len() as u64, &format!(".byte\t{}", texts.join(", ")));
        }
    }

    fn branches(&mut self, words: &[u32]) {
        let mut rest = words;
        let mut number = 0;
        while let [branch, middle, count, tail @ ..] = rest {
            self.entry(number);
            number += 1;
            let place = |v: &Self, w: u32| {
                let own = || v.code.filter(|_| w == 0).and_then(|code| v.labels.own(code)).map(str::to_owned);
                let name = own().or_else(|| v.code.and_then(|code| v.labels.reference(code, u64::from(w))));
                name.map_or(format!("{w:#010x}"), |name| format!("{name}@srel"))
            };
            let text = place(self, *branch);
            self.line(4, &format!(".word\t{text}"));
            self.line(2, &format!(".short\t{:#x}", middle & 0xffff));
            self.line(2, &format!(".short\t{:#x}", middle >> 16));
            self.line(4, &format!(".word\t{count:#x}"));
            let count = (*count as usize).min(tail.len());
            for &target in &tail[..count] {
                let text = place(self, target);
                self.line(4, &format!(".word\t{text}"));
            }
            rest = &tail[count..];
        }
    }
}
