//! Reading a line program.

use gimli::{DebugLine, DebugLineOffset, DwLne, EndianSlice, LineInstruction, LineRow, LittleEndian, Reader};
use sassafras_cubin::Cubin;

/// NVIDIA's extended opcode: the row of the call, and the offset of the function's name behind where the header says that names
/// begin.
const INLINED_CALL: DwLne = DwLne(0x90);

/// One place in a chain of calls.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Frame {
    /// Path of the file; empty in programs without files.
    pub file: String,
    /// 1-based line.
    pub line: u64,
    /// Of inlined code the symbol of the function that it belongs to.
    pub function: Option<String>,
}

/// One row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Byte offset from the start of the function.
    pub address: u64,
    /// 1-based line.
    pub line: u64,
    /// The place and the calls around it, innermost first.
    pub frames: Vec<Frame>,
}

/// The rows of one function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sequence {
    /// The function's symbol.
    pub symbol: String,
    /// Its rows, by rising address.
    pub rows: Vec<Row>,
    /// Byte offset of its end.
    pub end: u64,
}

impl Sequence {
    /// The row that holds for an address: the last that does not lie behind it.
    pub fn at(&self, address: u64) -> Option<&Row> {
        let behind = self.rows.partition_point(|row| row.address <= address);
        behind.checked_sub(1).map(|at| &self.rows[at])
    }
}

/// What breaks a rule of the standard (DWARF 2, 6.2) or of NVIDIA's extension.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// There is no section of this name.
    #[error("there is no such section")]
    NoSection,
    /// The section takes no room in the file.
    #[error("the section has no bytes")]
    NoBytes,
    /// Bytes that are no line program.
    #[error(transparent)]
    Bytes(#[from] gimli::Error),
    /// Several programs, or another version.
    #[error("it is not one program of version 2")]
    Version,
    /// The address of a sequence names no function.
    #[error("a sequence without a relocation")]
    NoRelocation,
    /// An address is set where none may be.
    #[error("an address {at:#x} within a sequence")]
    Address {
        /// The address.
        at: u64,
    },
    /// An extended opcode that nobody has described.
    #[error("unknown opcode {0}")]
    Opcode(DwLne),
    /// A row belongs to no function.
    #[error("a row before the first address")]
    NoAddress,
    /// Addresses fall, or are none of instructions.
    #[error("a row at {at:#x} behind {last:#x}")]
    Order {
        /// The address of the row.
        at: u64,
        /// That of the row before it.
        last: u64,
    },
    /// The rows begin behind the start of their function, or end where they begin.
    #[error("the rows of `{symbol}` do not cover it")]
    Uncovered {
        /// The function.
        symbol: String,
    },
    /// Lines are counted from 1.
    #[error("a row of line 0")]
    LineZero,
    /// A file names a directory that is not in the table.
    #[error("a file in a directory that does not exist")]
    Directory,
    /// A row names a file that is not in the table.
    #[error("a row of file {file}, and there are {files}")]
    File {
        /// The number that it names.
        file: u64,
        /// How many files there are.
        files: u64,
    },
    /// The row of a call is not among those before.
    #[error("no row {row} that a function is inlined in")]
    NoCall {
        /// Its number, from 1.
        row: u64,
    },
    /// The name of an inlined function lies outside `.debug_str`.
    #[error("an inlined function without a name")]
    NoName,
    /// A sequence is left open.
    #[error("the rows of `{symbol}` have no end")]
    NoEnd {
        /// The function.
        symbol: String,
    },
    /// A relocation of nothing.
    #[error("a relocation at {offset:#x}, where no address is set")]
    Relocation {
        /// Its place in the section.
        offset: u64,
    },
}

/// The string at an offset of `.debug_str`.
pub(super) fn name_at(strings: &[u8], offset: u64) -> Option<String> {
    let rest = strings.get(usize::try_from(offset).ok()?..).filter(|rest| !rest.is_empty())?;
    let text = rest.split(|&byte| byte == 0).next()?;
    Some(String::from_utf8_lossy(text).into_owned())
}

/// A chain of calls as text.
pub(super) fn shown(frames: &[Frame]) -> String {
    let one = |f: &Frame| {
        let name = f.function.as_ref().map_or(String::new(), |name| format!(" ({name})"));
        format!("{}:{}{name}", f.file, f.line)
    };
    frames.iter().map(one).collect::<Vec<_>>().join(" in ")
}

/// Reads the line program of a section (`.debug_line`, `.nv_debug_line_sass`), one sequence for each function.
///
/// # Errors
/// What breaks a rule of the standard.
pub fn sequences(cubin: &Cubin, name: &str) -> Result<Vec<Sequence>, LineError> {
    let section = cubin.sections.iter().find(|s| s.name == name).ok_or(LineError::NoSection)?;
    let data = section.data.as_deref().ok_or(LineError::NoBytes)?;
    let strings = cubin.sections.iter().find(|s| s.name == ".debug_str");
    let strings = strings.and_then(|s| s.data.as_deref()).unwrap_or_default();
    let mut symbols: Vec<(u64, &str)> =
        section.relocations.iter().map(|r| (r.offset, r.symbol.as_str())).collect();
    symbols.sort_unstable();
    let mut symbols = symbols.into_iter();
    let mut program = DebugLine::new(data, LittleEndian).program(DebugLineOffset(0), 8, None, None)?;
    let header = program.header().clone();
    if header.version() != 2 || header.unit_length() + 4 != data.len() {
        return Err(LineError::Version);
    }
    let files = header.file_names().len() as u64;
    let mut out: Vec<Sequence> = Vec::new();
    let mut open: Option<Sequence> = None;
    // Read only where there are names: else the header ends with its files.
    let names_begin = || {
        let program = data.len() - header.raw_program_buf().len();
        let bytes = program.checked_sub(4).and_then(|at| data.get(at..program))?;
        Some(u64::from(u32::from_le_bytes(bytes.try_into().ok()?)))
    };
    let mut row = LineRow::new(&header);
    let mut context = (0, 0);
    let mut instructions = header.instructions();
    while let Some(instruction) = instructions.next_instruction(&header)? {
        match instruction {
            LineInstruction::SetAddress(0) if open.is_none() => {
                let (_, symbol) = symbols.next().ok_or(LineError::NoRelocation)?;
                open = Some(Sequence { symbol: symbol.into(), rows: Vec::new(), end: 0 });
            }
            LineInstruction::SetAddress(at) => return Err(LineError::Address { at }),
            LineInstruction::UnknownExtended(INLINED_CALL, mut operands) => {
                context = (operands.read_uleb128()?, operands.read_uleb128()?);
                continue;
            }
            LineInstruction::UnknownExtended(opcode, _) => {
                return Err(LineError::Opcode(opcode));
            }
            _ => {}
        }
        if !row.execute(instruction, &mut program)? {
            continue;
        }
        let sequence = open.as_mut().ok_or(LineError::NoAddress)?;
        let last = sequence.rows.last().map_or(0, |last| last.address);
        if row.address() < last || !row.address().is_multiple_of(16) {
            return Err(LineError::Order { at: row.address(), last });
        }
        if row.end_sequence() {
            sequence.end = row.address();
            if sequence.rows.first().is_none_or(|first| first.address != 0) || sequence.end <= last {
                return Err(LineError::Uncovered { symbol: sequence.symbol.clone() });
            }
            out.extend(open.take());
            context = (0, 0);
        } else {
            let line = row.line().ok_or(LineError::LineZero)?.get();
            let file = match header.file(row.file_index()) {
                Some(entry) => path(&header, entry).ok_or(LineError::Directory)?,
                None if files == 0 && row.file_index() == 0 => String::new(),
                None => return Err(LineError::File { file: row.file_index(), files }),
            };
            let mut frames = vec![Frame { file, line, function: None }];
            if context.0 != 0 {
                let call = usize::try_from(context.0 - 1).ok().and_then(|at| sequence.rows.get(at));
                let call = call.ok_or(LineError::NoCall { row: context.0 })?;
                let name = names_begin().and_then(|begin| name_at(strings, begin.checked_add(context.1)?));
                frames[0].function = Some(name.ok_or(LineError::NoName)?);
                frames.extend(call.frames.iter().cloned());
            }
            sequence.rows.push(Row { address: row.address(), line, frames });
        }
        row.reset(&header);
    }
    match (open, symbols.next()) {
        (None, None) => Ok(out),
        (Some(open), _) => Err(LineError::NoEnd { symbol: open.symbol }),
        (None, Some((offset, _))) => Err(LineError::Relocation { offset }),
    }
}

type Header<'a> = gimli::LineProgramHeader<EndianSlice<'a, LittleEndian>>;
type Entry<'a> = gimli::FileEntry<EndianSlice<'a, LittleEndian>>;

fn path(header: &Header<'_>, entry: &Entry<'_>) -> Option<String> {
    let text = |value: gimli::AttributeValue<EndianSlice<'_, LittleEndian>>| match value {
        gimli::AttributeValue::String(text) => Some(text.to_string_lossy().into_owned()),
        _ => None,
    };
    let name = text(entry.path_name())?;
    if entry.directory_index() == 0 {
        return Some(name);
    }
    Some(format!("{}/{name}", text(header.directory(entry.directory_index())?)?))
}
