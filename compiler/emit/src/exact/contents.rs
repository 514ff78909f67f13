//! What is in a section, by its type.

use super::note::{self, Note};
use crate::attribute::emit;
use sassafras_cubin::Error;
use sassafras_cubin::attribute::{self, Attribute};
use sassafras_cubin::elf::constants as c;

/// What is in a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// No bytes in the file.
    Nothing,
    /// The bytes of the section of this index, which stands in the same place: sm_100 and later have constants twice.
    Same(usize),
    /// Strings, each with its end.
    Strings(Vec<String>),
    /// A table of symbols.
    Symbols(Vec<Symbol>),
    /// Relocations; with addends, or all of them without.
    Relocations(Vec<Relocation>),
    /// Records of `.nv.info`, `.nv.compat` and their like.
    Records(Vec<Attribute>),
    /// Notes.
    Notes(Vec<Note>),
    /// Pairs of symbols.
    Calls(Vec<(u32, u32)>),
    /// Machine code.
    Code(Vec<u128>),
    /// Addresses that the loader fills in.
    Addresses(Vec<u64>),
    /// Bytes of variables and constants, or of a kind that has no type here.
    Bytes(Vec<u8>),
}

/// One symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Where its name begins in the table of strings.
    pub name_at: u32,
    /// `st_info`.
    pub info: u8,
    /// `st_other`.
    pub other: u8,
    /// `st_shndx`.
    pub section: u16,
    /// `st_value`.
    pub value: u64,
    /// `st_size`.
    pub size: u64,
}

/// One relocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Where, in the section that `sh_info` names.
    pub offset: u64,
    /// Which: the low half of `r_info`.
    pub kind: u32,
    /// Index of the symbol: the high half.
    pub symbol: u32,
    /// The addend, where the section has them.
    pub addend: Option<i64>,
}

const MERC_RELA: u32 = 0x7000_0082;
const MERC_INFO: u32 = 0x7000_0083;
const MERC_SYMTAB: u32 = 0x7000_0085;
const MERC_CALLGRAPH: u32 = 0x7000_008a;

/// Reads the contents of a section that begins at `base` in the file.
pub fn read(kind: u32, flags: u64, name: &str, bytes: &[u8], base: u64) -> Result<Contents, Error> {
    let whole = |unit: usize, what: &str| {
        if bytes.len().is_multiple_of(unit) {
            Ok(())
        } else {
            let whole = bytes.len() / unit * unit;
            Err(Error::at(base + whole as u64, format!("section `{name}` ends inside {what}")))
        }
    };
    let last = name.rsplit('.').next().unwrap_or_default();
    Ok(match kind {
        c::STRTAB => Contents::Strings(strings(name, bytes, base)?),
        c::SYMTAB | MERC_SYMTAB => {
            whole(24, "a symbol")?;
            Contents::Symbols(bytes.chunks_exact(24).map(symbol).collect())
        }
        c::RELA => {
            whole(24, "a relocation")?;
            Contents::Relocations(
                bytes.chunks_exact(24).map(|b| relocation(b, Some(quad(b, 16) as i64))).collect(),
            )
        }
        MERC_RELA if bytes.len().is_multiple_of(24) => Contents::Relocations(
            bytes.chunks_exact(24).map(|b| relocation(b, Some(quad(b, 16) as i64))).collect(),
        ),
        c::REL => {
            whole(16, "a relocation")?;
            Contents::Relocations(bytes.chunks_exact(16).map(|b| relocation(b, None)).collect())
        }
        c::CUDA_INFO | c::CUDA_COMPAT | MERC_INFO => {
            Contents::Records(attribute::parse(bytes, base)?.into_iter().map(|(_, a)| a).collect())
        }
        c::NOTE => Contents::Notes(note::read(bytes, base)?),
        c::CUDA_CALLGRAPH | MERC_CALLGRAPH => {
            whole(8, "a pair of the call graph")?;
            let word = |b: &[u8], at: usize| u32::from_le_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]]);
            Contents::Calls(bytes.chunks_exact(8).map(|b| (word(b, 0), word(b, 4))).collect())
        }
        c::PROGBITS if flags & c::EXEC != 0 => {
            whole(16, "an instruction")?;
            let word = |b: &[u8]| b.iter().rev().fold(0u128, |w, b| w << 8 | u128::from(*b));
            Contents::Code(bytes.chunks_exact(16).map(word).collect())
        }
        c::PROGBITS if (last == "constant4" || name == ".nv.constant4") && bytes.len().is_multiple_of(8) => {
            Contents::Addresses(bytes.chunks_exact(8).map(|b| quad(b, 0)).collect())
        }
        _ => Contents::Bytes(bytes.to_vec()),
    })
}

fn quad(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8].iter().rev().fold(0, |v, b| v << 8 | u64::from(*b))
}

fn strings(name: &str, bytes: &[u8], base: u64) -> Result<Vec<String>, Error> {
    let Some((0, inner)) = bytes.split_last().map(|(l, i)| (*l, i)) else {
        return if bytes.is_empty() {
            Ok(Vec::new())
        } else {
            Err(Error::at(base + bytes.len() as u64 - 1, format!("the last string of `{name}` does not end")))
        };
    };
    let mut at = base;
    inner
        .split(|b| *b == 0)
        .map(|s| {
            let place = at;
            at += s.len() as u64 + 1;
            String::from_utf8(s.to_vec())
                .map_err(|_| Error::at(place, format!("a string of `{name}` is not UTF-8")))
        })
        .collect()
}

fn symbol(bytes: &[u8]) -> Symbol {
    Symbol {
        name_at: quad(bytes, 0) as u32,
        info: bytes[4],
        other: bytes[5],
        section: u16::from_le_bytes([bytes[6], bytes[7]]),
        value: quad(bytes, 8),
        size: quad(bytes, 16),
    }
}

fn relocation(bytes: &[u8], addend: Option<i64>) -> Relocation {
    let info = quad(bytes, 8);
    Relocation { offset: quad(bytes, 0), kind: info as u32, symbol: (info >> 32) as u32, addend }
}

/// The bytes again.
///
/// # Errors
/// A record whose value is longer than its size can say.
pub fn write(contents: &Contents) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    match contents {
        Contents::Nothing | Contents::Same(_) => {}
        Contents::Strings(list) => {
            for s in list {
                out.extend(s.as_bytes());
                out.push(0);
            }
        }
        Contents::Symbols(list) => {
            for s in list {
                out.extend(s.name_at.to_le_bytes());
                out.extend([s.info, s.other]);
                out.extend(s.section.to_le_bytes());
                out.extend(s.value.to_le_bytes());
                out.extend(s.size.to_le_bytes());
            }
        }
        Contents::Relocations(list) => {
            for r in list {
                out.extend(r.offset.to_le_bytes());
                out.extend(r.kind.to_le_bytes());
                out.extend(r.symbol.to_le_bytes());
                out.extend(r.addend.iter().flat_map(|a| a.to_le_bytes()));
            }
        }
        Contents::Records(list) => {
            for record in list {
                emit(&mut out, record, &|_| None)?;
            }
        }
        Contents::Notes(list) => list.iter().for_each(|n| note::write(n, &mut out)),
        Contents::Calls(list) => {
            for (from, to) in list {
                out.extend(from.to_le_bytes());
                out.extend(to.to_le_bytes());
            }
        }
        Contents::Code(words) => out.extend(words.iter().flat_map(|w| w.to_le_bytes())),
        Contents::Addresses(list) => out.extend(list.iter().flat_map(|a| a.to_le_bytes())),
        Contents::Bytes(bytes) => out.extend(bytes),
    }
    Ok(out)
}
