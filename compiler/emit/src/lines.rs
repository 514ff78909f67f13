//! Line information, as `ptxas -lineinfo` writes it: which source line, and which line of PTX, each word comes from.
//!
//! Found by experiment on ptxas 13.0.88 (nvdisasm -gi and -gp show it):
//! - `.debug_line`: one DWARF 2 program for the file, one sequence for each function, in the order of the code sections. A
//!   directory for each distinct path in front of a last `/`, files by the index that `.file` gives. Columns are left out.
//! - Code that the front end inlined has the extended opcode [`INLINED_CALL`] with two ULEB128 numbers: the row, counted from 1
//!   in its sequence, that holds the call, and the offset of the function's name among the names. Both are 0 elsewhere. A
//!   call has a row of its own at the address of the first word that needs it. Where the names begin in `.debug_str` says a
//!   32-bit number behind the header's files, which only programs with inlined code have (elfutils reads it too).
//! - `.nv_debug_line_sass`: the same sort of program without any file; the lines are those of the PTX.
//! - `.nv_debug_ptx_txt`: the lines of the PTX, each without blanks at its begin, each ended by a zero. Comments that fill a
//!   line, `.loc`, `.file` and data of sections are left out; the lines stay, empty.
//! - `.debug_str`: as the PTX has it.
//!
//! Where words have no location of their own, there is no row: they belong to the row before.

use gimli::write::{EndianVec, Writer};
use gimli::{Format, LittleEndian, constants as dw};
use sassafras_cubin::elf::constants as c;
use sassafras_cubin::{Error, LINES as SECTIONS, Relocation, Section, relocation};
use std::collections::HashMap;

/// NVIDIA's extended opcode of a line program for inlined code (elfutils' `DW_LNE_NVIDIA_inlined_call`).
pub const INLINED_CALL: u8 = 0x90;

/// Bytes of a word.
const WORD: u64 = 16;

/// A source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its path.
    pub name: String,
    /// Time of its last change in seconds since 1970; 0 if not known.
    pub time: u64,
    /// Its size in bytes; 0 if not known.
    pub size: u64,
}

/// A place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Index in [`Lines::files`].
    pub file: u32,
    /// 1-based line.
    pub line: u32,
    /// Of inlined code.
    pub inlined: Option<Inlined>,
}

/// Into what a function was inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Inlined {
    /// Offset of the function's name in [`Lines::strings`], in bytes.
    pub function: u32,
    /// Index in [`Lines::places`] of the call, which comes before this place.
    pub call: u32,
}

/// Where one word comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Index in [`Lines::places`]; none where the PTX says nothing.
    pub place: Option<u32>,
    /// 1-based line of the PTX; 0 if none.
    pub ptx: u32,
}

/// What the sections say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// The files.
    pub files: Vec<File>,
    /// Every place, a call before what is inlined there.
    pub places: Vec<Place>,
    /// The contents of `.debug_str`; without any there is no such section.
    pub strings: Vec<u8>,
    /// The text of the PTX.
    pub ptx: String,
    /// Each function of the file, in order: its symbol and where each of its words comes from, padding included.
    pub functions: Vec<(String, Vec<Origin>)>,
}

impl Lines {
    /// The sections, in the order of [`sassafras_cubin::LINES`].
    ///
    /// # Errors
    /// An index that names nothing, or a section that is too long for its 32-bit length.
    pub fn sections(&self) -> Result<Vec<Section>, Error> {
        if self.files.iter().any(|file| file.name.is_empty() || file.name.contains('\0')) {
            return Err(Error::part(SECTIONS[0], "a file has no name, or one with a zero byte"));
        }
        let inlined = self.places.iter().any(|place| place.inlined.is_some());
        let mut source = Program::new(&self.files, inlined).map_err(broken)?;
        let mut ptx = Program::new(&[], false).map_err(broken)?;
        for (symbol, origins) in &self.functions {
            self.source_rows(&mut source, symbol, origins)?;
            ptx_rows(&mut ptx, symbol, origins).map_err(broken)?;
        }
        let plain = |name: &str, data: Vec<u8>, relocations| Section {
            name: name.into(),
            kind: c::PROGBITS,
            align: 1,
            size: data.len() as u64,
            data: Some(data),
            relocations,
            ..Section::default()
        };
        let (bytes, relocations) = source.finish().map_err(broken)?;
        let mut out = vec![plain(SECTIONS[0], bytes, relocations)];
        if !self.strings.is_empty() {
            out.push(plain(SECTIONS[1], self.strings.clone(), Vec::new()));
        }
        let (bytes, relocations) = ptx.finish().map_err(broken)?;
        out.push(plain(SECTIONS[2], bytes, relocations));
        out.push(plain(SECTIONS[3], text(&self.ptx), Vec::new()));
        Ok(out)
    }

    fn source_rows(&self, program: &mut Program, symbol: &str, origins: &[Origin]) -> Result<(), Error> {
        // Words in front of the first that has a place belong to its row.
        let Some(first) = origins.iter().find_map(|origin| origin.place) else { return Ok(()) };
        program.begin(symbol).map_err(broken)?;
        let mut calls = HashMap::new();
        let mut last = None;
        for (index, origin) in origins.iter().enumerate() {
            let place = origin.place.or((index == 0).then_some(first));
            if let Some(place) = place.filter(|&place| last != Some(place)) {
                self.row(program, &mut calls, WORD * index as u64, place)?;
                last = Some(place);
            }
        }
        program.end(WORD * origins.len() as u64).map_err(broken)
    }

    /// A row for a place, behind those of the calls that it needs.
    fn row(
        &self,
        program: &mut Program,
        calls: &mut HashMap<u32, u64>,
        address: u64,
        index: u32,
    ) -> Result<u64, Error> {
        let none = |what: &str| Error::part(SECTIONS[0], format!("{what} {index} does not exist"));
        let place = *self.places.get(index as usize).ok_or_else(|| none("place"))?;
        if place.file as usize >= self.files.len() {
            return Err(none("the file of place"));
        }
        let mut context = (0, 0);
        if let Some(Inlined { function, call }) = place.inlined {
            if call >= index {
                return Err(none("a call before place"));
            }
            let row = match calls.get(&call) {
                Some(&row) => row,
                None => {
                    let row = self.row(program, calls, address, call)?;
                    calls.insert(call, row);
                    row
                }
            };
            context = (row, u64::from(function));
        }
        program.row(address, u64::from(place.file) + 1, context, place.line.into()).map_err(broken)
    }
}

fn ptx_rows(program: &mut Program, symbol: &str, origins: &[Origin]) -> gimli::write::Result<()> {
    let Some(first) = origins.iter().map(|origin| origin.ptx).find(|&line| line != 0) else { return Ok(()) };
    program.begin(symbol)?;
    let mut last = 0;
    for (index, origin) in origins.iter().enumerate() {
        let line = if index == 0 && origin.ptx == 0 { first } else { origin.ptx };
        if line != 0 && line != last {
            program.row(WORD * index as u64, 0, (0, 0), line.into())?;
            last = line;
        }
    }
    program.end(WORD * origins.len() as u64)
}

fn broken(error: gimli::write::Error) -> Error {
    Error::part(SECTIONS[0], error.to_string())
}

/// The contents of `.nv_debug_ptx_txt`.
fn text(ptx: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let lines = ptx.trim_end().lines().map(|line| line.trim_start_matches([' ', '\t']));
    for line in lines {
        let left_out = ["//", ".loc", ".file", ".b8", ".b16", ".b32", ".b64"];
        if !left_out.iter().any(|start| line.starts_with(start)) {
            out.extend(line.trim_end_matches('\r').bytes());
        }
        out.push(0);
    }
    out
}

/// A line program that is being written.
struct Program {
    out: EndianVec<LittleEndian>,
    relocations: Vec<Relocation>,
    length_at: gimli::write::InitialLengthOffset,
    /// The registers of the state machine that we use, and how many rows the sequence has.
    address: u64,
    file: u64,
    line: i64,
    context: (u64, u64),
    rows: u64,
}

/// `line_base`, `line_range` and `opcode_base` of the header.
const LINE_BASE: i64 = -5;
const LINE_RANGE: i64 = 14;
const OPCODES: [u8; 9] = [0, 1, 1, 1, 1, 0, 0, 0, 1];
const OPCODE_BASE: i64 = OPCODES.len() as i64 + 1;

impl Program {
    /// `names`: whether functions' names are used, all from the begin of `.debug_str`.
    fn new(files: &[File], names: bool) -> gimli::write::Result<Program> {
        let mut out = EndianVec::new(LittleEndian);
        let length_at = out.write_initial_length(Format::Dwarf32)?;
        out.write_u16(2)?;
        let header_at = out.len();
        out.write_u32(0)?;
        // Addresses count bytes, and every row is a statement.
        for byte in [1, 1, LINE_BASE as u8, LINE_RANGE as u8, OPCODE_BASE as u8] {
            out.write_u8(byte)?;
        }
        out.write(&OPCODES)?;
        let mut directories: Vec<&str> = Vec::new();
        let mut entries = Vec::new();
        for file in files {
            // A name right below the root keeps its slash, and one that ends in a slash is all name.
            let (directory, name) = match file.name.rsplit_once('/') {
                Some((directory, name)) if !directory.is_empty() && !name.is_empty() => (directory, name),
                _ => ("", &file.name[..]),
            };
            let number = match directories.iter().position(|&known| known == directory) {
                _ if directory.is_empty() => 0,
                Some(at) => at + 1,
                None => {
                    directories.push(directory);
                    directories.len()
                }
            };
            entries.push((name, number, file.time, file.size));
        }
        let string = |out: &mut EndianVec<LittleEndian>, text: &str| {
            out.write(text.as_bytes())?;
            out.write_u8(0)
        };
        for directory in directories {
            string(&mut out, directory)?;
        }
        out.write_u8(0)?;
        for (name, directory, time, size) in entries {
            string(&mut out, name)?;
            for number in [directory as u64, time, size] {
                out.write_uleb128(number)?;
            }
        }
        out.write_u8(0)?;
        if names {
            out.write_u32(0)?;
        }
        let header = out.len() - header_at - 4;
        out.write_u32_at(header_at, header as u32)?;
        let (relocations, context) = (Vec::new(), (0, 0));
        Ok(Program { out, relocations, length_at, address: 0, file: 1, line: 1, context, rows: 0 })
    }

    fn extended(&mut self, opcode: u8, operands: &[u8]) -> gimli::write::Result<()> {
        self.out.write_u8(0)?;
        self.out.write_uleb128(operands.len() as u64 + 1)?;
        self.out.write_u8(opcode)?;
        self.out.write(operands)
    }

    fn standard(&mut self, opcode: dw::DwLns) -> gimli::write::Result<()> {
        self.out.write_u8(opcode.0)
    }

    /// A sequence from the address of a symbol.
    fn begin(&mut self, symbol: &str) -> gimli::write::Result<()> {
        self.extended(dw::DW_LNE_set_address.0, &[0; 8])?;
        let offset = self.out.len() as u64 - 8;
        self.relocations.push(Relocation {
            offset,
            kind: relocation::ADDRESS_64,
            symbol: symbol.into(),
            addend: 0,
        });
        // No file has this number: the first row names its own, as ptxas does.
        (self.address, self.file, self.line, self.context, self.rows) = (0, u64::MAX, 1, (0, 0), 0);
        Ok(())
    }

    /// Adds a row; its number.
    fn row(&mut self, address: u64, file: u64, context: (u64, u64), line: i64) -> gimli::write::Result<u64> {
        if file != self.file {
            self.standard(dw::DW_LNS_set_file)?;
            self.out.write_uleb128(file)?;
        }
        if context != self.context {
            let mut operands = EndianVec::new(LittleEndian);
            operands.write_uleb128(context.0)?;
            operands.write_uleb128(context.1)?;
            self.extended(INLINED_CALL, operands.slice())?;
        }
        let (ahead, down) = (address - self.address, line - self.line);
        let special = down - LINE_BASE + LINE_RANGE * ahead as i64 + OPCODE_BASE;
        if ahead > 0 && down != 0 && (LINE_BASE..LINE_BASE + LINE_RANGE).contains(&down) && special <= 255 {
            self.out.write_u8(special as u8)?;
        } else {
            if down != 0 {
                self.standard(dw::DW_LNS_advance_line)?;
                self.out.write_sleb128(down)?;
            }
            if ahead != 0 {
                self.standard(dw::DW_LNS_advance_pc)?;
                self.out.write_uleb128(ahead)?;
            }
            self.standard(dw::DW_LNS_copy)?;
        }
        (self.address, self.file, self.line, self.context) = (address, file, line, context);
        self.rows += 1;
        Ok(self.rows)
    }

    fn end(&mut self, address: u64) -> gimli::write::Result<()> {
        self.standard(dw::DW_LNS_advance_pc)?;
        self.out.write_uleb128(address - self.address)?;
        self.extended(dw::DW_LNE_end_sequence.0, &[])
    }

    fn finish(mut self) -> gimli::write::Result<(Vec<u8>, Vec<Relocation>)> {
        let length = self.out.len() as u64 - 4;
        self.out.write_initial_length_at(self.length_at, length, Format::Dwarf32)?;
        Ok((self.out.into_vec(), self.relocations))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_of_the_text() {
        let ptx = "// comment\r\n.version 9.0\r\n\t add.u32 r, r, 1; // end \n .loc 1 2 3\n.b8 1\n\n/* all */ ret;\n\n \n";
        assert_eq!(text(ptx), b"\0.version 9.0\0add.u32 r, r, 1; // end \0\0\0\0/* all */ ret;\0");
    }

    #[test]
    fn an_index_that_names_nothing_is_an_error() {
        let function = |place| vec![("k".to_owned(), vec![Origin { place: Some(place), ptx: 1 }])];
        let place = Place { file: 0, line: 3, inlined: None };
        let good = Lines {
            files: vec![File { name: "a.cu".into(), ..File::default() }],
            places: vec![place, Place { inlined: Some(Inlined { function: 0, call: 0 }), ..place }],
            functions: function(1),
            ..Lines::default()
        };
        assert_eq!(good.sections().map(|s| s.len()), Ok(3));
        let later = Place { inlined: Some(Inlined { function: 0, call: 1 }), ..place };
        for bad in [
            Lines { functions: function(2), ..good.clone() },
            Lines { files: Vec::new(), ..good.clone() },
            Lines { places: vec![place, later], ..good.clone() },
        ] {
            assert!(bad.sections().is_err(), "{bad:?}");
        }
    }
}
