//! Lines of the source behind each instruction, from `.debug_line`.
//!
//! ptxas writes DWARF 2 line programs, a sequence for each section of code, with one opcode of NVIDIA's own:
//! `DW_LNE_NVIDIA_inlined_call` (0x90) says that the rows after it are of a function inlined at an earlier row. Its operands are
//! that row's number in the sequence, from 1, or 0 for code that is not inlined; and the function's name in `.debug_str`.
//! Source: `-lineinfo` cubins of ptxas 13.0.88 and nvdisasm 13.2.51's `-gi` of them.

use std::collections::{BTreeMap, HashMap};

use gimli::{DebugLine, DebugLineOffset, EndianSlice, LineInstruction, LineRow, LittleEndian};

use sassafras_cubin::Error;
use sassafras_cubin::elf::{Image, constants as c};

const INLINED_CALL: gimli::DwLne = gimli::DwLne(0x90);
/// No call is inlined deeper than this in a file that a compiler wrote.
const DEEPEST: usize = 64;

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The file, with its directory where that is known.
    pub file: String,
    /// The line, from 1; 0 for code that no line stands for.
    pub line: u64,
}

/// By section and byte offset in it: the place, then those that it is inlined at, innermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    rows: HashMap<usize, BTreeMap<u64, Vec<Line>>>,
}

impl Lines {
    /// The row that begins exactly at an offset of a section.
    pub fn at(&self, section: usize, offset: u64) -> Option<&[Line]> {
        self.rows.get(&section)?.get(&offset).map(Vec::as_slice)
    }

    /// Whether there are no rows at all.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// A row of a sequence: file, line, and the number of the row that it is inlined at.
type Row = (u64, u64, usize);

/// Reads the line tables of a file; one without any gives none.
///
/// # Errors
/// A table that is no DWARF.
pub fn lines(image: &Image) -> Result<Lines, Error> {
    let mut lines = Lines::default();
    let Some(index) = image.section(".debug_line") else { return Ok(lines) };
    let at = image.sections[index].offset;
    let bytes = placed(image, index);
    let wrong = |e: gimli::Error| Error::at(at, format!("the line table: {e}"));
    let table = DebugLine::new(&bytes, LittleEndian);
    let mut offset = 0;
    while offset < bytes.len() {
        let mut program = table.program(DebugLineOffset(offset), 8, None, None).map_err(wrong)?;
        let header = program.header().clone();
        let head = usize::from(header.encoding().format.initial_length_size());
        offset = offset.saturating_add(header.unit_length()).saturating_add(head);
        let mut instructions = header.instructions();
        let mut row = LineRow::new(&header);
        let (mut sequence, mut context): (Vec<Row>, usize) = (Vec::new(), 0);
        while let Some(instruction) = instructions.next_instruction(&header).map_err(wrong)? {
            if let LineInstruction::UnknownExtended(INLINED_CALL, operands) = &instruction {
                context = usize::try_from(leb(operands.slice())).unwrap_or(0);
                continue;
            }
            if !row.execute(instruction, &mut program).map_err(wrong)? {
                continue;
            }
            if row.end_sequence() {
                sequence.clear();
                context = 0;
            } else {
                sequence.push((row.file_index(), row.line().map_or(0, |l| l.get()), context));
                let (section, offset) = ((row.address() >> 32) as usize, row.address() & 0xffff_ffff);
                let chain = chain(&header, &sequence);
                lines.rows.entry(section).or_default().insert(offset, chain);
            }
            row.reset(&header);
        }
    }
    Ok(lines)
}

type Header<'a> = gimli::LineProgramHeader<EndianSlice<'a, LittleEndian>>;

/// The last row of a sequence and those that it is inlined at.
fn chain(header: &Header<'_>, sequence: &[Row]) -> Vec<Line> {
    let mut chain = Vec::new();
    let mut next = sequence.last();
    while let Some(&(file, line, context)) = next {
        chain.push(Line { file: path(header, file), line });
        // Only rows before this one can hold the call.
        next = context.checked_sub(1).and_then(|i| sequence.get(i)).filter(|_| chain.len() < DEEPEST);
    }
    chain
}

fn path(header: &Header<'_>, file: u64) -> String {
    let Some(entry) = header.file(file) else { return format!("file {file}") };
    let text = |value: &gimli::AttributeValue<EndianSlice<'_, LittleEndian>>| match value {
        gimli::AttributeValue::String(s) => String::from_utf8_lossy(s.slice()).into_owned(),
        _ => String::new(),
    };
    let name = text(&entry.path_name());
    match entry.directory(header) {
        Some(folder) if entry.directory_index() != 0 && !name.starts_with('/') => {
            format!("{}/{name}", text(&folder))
        }
        _ => name,
    }
}

/// The section's bytes, with its addresses filled in: the section's index in the upper half, the offset in the lower.
fn placed(image: &Image, index: usize) -> Vec<u8> {
    let mut bytes = image.sections[index].bytes().to_vec();
    for section in image.sections.iter().filter(|s| s.info as usize == index) {
        let size = match section.kind {
            c::REL => 16,
            c::RELA => 24,
            _ => continue,
        };
        for entry in section.bytes().chunks_exact(size) {
            let word = |at: usize| u64::from_le_bytes(entry[at..at + 8].try_into().expect("eight bytes"));
            let Some(symbol) = image.symbols.get((word(8) >> 32) as usize) else { continue };
            let addend = if size == 24 { word(16) } else { 0 };
            let value = u64::from(symbol.section) << 32 | symbol.value.wrapping_add(addend) & 0xffff_ffff;
            let at = usize::try_from(word(0)).unwrap_or(usize::MAX);
            if let Some(place) = at.checked_add(8).and_then(|end| bytes.get_mut(at..end)) {
                place.copy_from_slice(&value.to_le_bytes());
            }
        }
    }
    bytes
}

/// An unsigned LEB128 number; one that does not end is what there is of it.
fn leb(bytes: &[u8]) -> u64 {
    let mut value = 0u64;
    for (i, byte) in bytes.iter().take(9).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}
