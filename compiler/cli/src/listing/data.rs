//! Sections that hold no code, as plain nvdisasm writes them.

use super::info;
use super::section_error::SectionError;
use sassafras_cubin::elf::{Data, Image, Section, Symbol, constants as c};
use sassafras_cubin::relocation;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// Numbers of the labels `.L_0`, `.L_1` … outside code: first the end of each object in the order of the symbol table,
/// then as records of `.nv.info` need them.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    ends: HashMap<(usize, u64), u32>,
    pub next: u32,
}

const OBJECT: u8 = 1;
const SECTION: u8 = 3;

impl Numbers {
    pub fn new(image: &Image) -> Numbers {
        let mut numbers = Numbers::default();
        for s in objects(image) {
            let place = (usize::from(s.section), s.value.saturating_add(s.size));
            numbers.ends.entry(place).or_insert(numbers.next);
            numbers.next += 1;
        }
        numbers
    }
}

fn objects(image: &Image) -> impl Iterator<Item = &Symbol> {
    image.symbols.iter().filter(|s| s.info & 15 == OBJECT && s.section != 0 && s.other & 0xf0 != RESERVED)
}

/// `STO_CUDA_RESERVED_SHARED` in `st_other`.
const RESERVED: u8 = 0xa0;

/// A relocation: byte offset, kind, symbol, addend.
#[derive(Clone, Copy, Debug)]
struct Relocation {
    kind: u32,
    symbol: u32,
    addend: i64,
}

/// The relocations of a section, by offset.
fn relocations(image: &Image, index: usize) -> BTreeMap<u64, Relocation> {
    let mut out = BTreeMap::new();
    for section in &image.sections {
        let size = match section.kind {
            c::REL => 16,
            c::RELA => 24,
            _ => continue,
        };
        if section.info as usize != index {
            continue;
        }
        for entry in section.bytes().chunks_exact(size) {
            let word = |at: usize| u64::from_le_bytes(entry[at..at + 8].try_into().expect("eight bytes"));
            let info = word(8);
            let kind = info as u32;
            // Without a field of its own the addend stands in the place.
            let place = || {
                let at = usize::try_from(word(0)).ok()?;
                let bytes = image.sections.get(index)?.bytes().get(at..)?.get(..width(kind) as usize)?;
                Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | i64::from(byte)))
            };
            let addend = if size == 24 { word(16) as i64 } else { place().unwrap_or(0) };
            out.insert(word(0), Relocation { kind, symbol: (info >> 32) as u32, addend });
        }
    }
    out
}

/// The kind of a section in its directive; `None` for one that is not known.
fn kind(section: &Section) -> Option<&'static str> {
    Some(match section.kind {
        c::PROGBITS => "@progbits",
        c::NOBITS => "@nobits",
        c::NOTE => "@\"SHT_NOTE\"",
        c::CUDA_INFO => "@\"SHT_CUDA_INFO\"",
        c::CUDA_COMPAT => "@\"SHT_CUDA_COMPAT_INFO\"",
        c::CUDA_CALLGRAPH => "@\"SHT_CUDA_CALLGRAPH\"",
        c::CUDA_RELOCINFO => "@\"SHT_CUDA_RELOCINFO\"",
        _ => return None,
    })
}

/// Whether plain nvdisasm shows the section at all.
pub(super) fn shown(section: &Section) -> bool {
    section.flags & c::MERCURY == 0 && !matches!(section.kind, 0 | c::STRTAB | c::SYMTAB | c::REL | c::RELA)
}

/// Writes one section.
///
/// # Errors
/// What in it is not known.
pub(super) fn write(
    image: &Image,
    index: usize,
    labels: &super::Labels,
    numbers: &mut Numbers,
    out: &mut String,
    notes: &mut Vec<String>,
) -> Result<(), SectionError> {
    let section = &image.sections[index];
    let kind = kind(section).map_or_else(
        || {
            notes
                .push(format!("section `{}` has type {:#x}, which is not known", section.name, section.kind));
            format!("@{:#x}", section.kind)
        },
        str::to_owned,
    );
    let flag = |bit: u64, letter: &'static str| if section.flags & bit != 0 { letter } else { "" };
    let flags = [flag(c::ALLOC, "a"), flag(c::WRITE, "w")].concat();
    let name = &section.name;
    let _ = writeln!(out, "//--------------------- {name:<25} --------------------------");
    let _ = writeln!(out, "\t.section\t{name},\"{flags}\",{kind}");
    let cuda = if section.name == OLDER_NOTE { "SHF_NOTE_NV_CUVER" } else { "SHF_NOTE_NV_CUINFO" };
    let own = [(c::TOOL_NOTE, "SHF_NOTE_NV_TKINFO"), (c::CUDA_NOTE, cuda)];
    if section.flags & !7 != 0 {
        let names: Vec<&str> = own.iter().filter(|f| section.flags & f.0 != 0).map(|f| f.1).collect();
        let _ = writeln!(out, "\t.sectionflags\t@\"{}\"", names.join(" "));
    }
    if section.kind != c::NOTE && section.align > 1 {
        let _ = writeln!(out, "\t.align\t{}", section.align);
    }
    match section.kind {
        c::NOTE => note(section, out)?,
        c::CUDA_INFO => info::write(image, index, labels, numbers, out, notes)?,
        c::CUDA_CALLGRAPH => {
            let _ = writeln!(out, "\t.sectionentsize\t{}", section.entry_size);
            for (i, word) in section.bytes().chunks_exact(4).enumerate() {
                let word = u32::from_le_bytes(word.try_into().expect("chunks of 4"));
                let _ = writeln!(out, "\t.align\t\t4");
                let _ = match image.symbols.get(word as usize).filter(|_| word != 0) {
                    Some(s) => writeln!(out, "        /*{:04x}*/ \t.word\tindex@({})", 4 * i, s.name),
                    None => writeln!(out, "        /*{:04x}*/ \t.word\t{word:#010x}", 4 * i),
                };
            }
        }
        c::CUDA_RELOCINFO => {
            let _ = writeln!(out, "\t.sectionentsize\t{}", section.entry_size);
            bytes(section.bytes(), 0, out);
        }
        c::CUDA_COMPAT => bytes(section.bytes(), 0, out),
        _ => contents(image, index, numbers, out),
    }
    Ok(())
}

/// The note about the toolkit by CUDA 12 for sm_100 and later.
const OLDER_NOTE: &str = ".note.nv.cuver";

fn note(section: &Section, out: &mut String) -> Result<(), SectionError> {
    let broken = || SectionError::Note { section: section.name.clone() };
    let data = section.bytes().get(24..).ok_or_else(broken)?;
    let word = |i: usize| {
        data.get(4 * i..4 * i + 4)
            .map(|b| u32::from_le_bytes(b.try_into().expect("four bytes")))
            .ok_or_else(broken)
    };
    if section.flags & c::TOOL_NOTE != 0 {
        let _ = writeln!(out, "\t.tkinfo\n        /*0018*/ \t.word\t{:#010x}", word(0)?);
        for i in 1..6 {
            let tail = data.get(24 + word(i)? as usize..).ok_or_else(broken)?;
            let end = tail.iter().position(|&b| b == 0).unwrap_or(tail.len());
            let _ =
                writeln!(out, "        /*0030*/ \t.string\t\"{}\"", String::from_utf8_lossy(&tail[..end]));
        }
        out.push('\n');
    } else if section.flags & c::CUDA_NOTE != 0 {
        let half = |i: usize| {
            data.get(2 * i..2 * i + 2).map(|b| u16::from_le_bytes([b[0], b[1]])).ok_or_else(broken)
        };
        let older = section.name == OLDER_NOTE;
        for i in 0..if older { data.len() / 2 } else { 3 } {
            let _ = writeln!(out, "        /*{:04x}*/ \t.short\t{:#06x}", 24 + 2 * i, half(i)?);
        }
        if !older {
            let _ = writeln!(out, "\t.zero\t\t2");
        }
    } else {
        return Err(broken());
    }
    Ok(())
}

/// Bytes, sixteen a line.
fn bytes(bytes: &[u8], at: u64, out: &mut String) {
    for (i, line) in bytes.chunks(16).enumerate() {
        let texts: Vec<String> = line.iter().map(|b| format!("{b:#04x}")).collect();
        let _ = writeln!(out, "        /*{:04x}*/ \t.byte\t{}", at + 16 * i as u64, texts.join(", "));
    }
}

/// The contents of a section of data: objects, references to symbols, bytes.
fn contents(image: &Image, index: usize, numbers: &Numbers, out: &mut String) {
    let section = &image.sections[index];
    let relocations = relocations(image, index);
    let here = |s: &&Symbol| usize::from(s.section) == index;
    let reserved: Vec<&Symbol> =
        image.symbols.iter().filter(here).filter(|s| s.other & 0xf0 == RESERVED).collect();
    if let [symbol, ..] = reserved[..] {
        let name = &symbol.name;
        let _ = writeln!(out, "\t.weak\t\t{name}\n\t.size\t\t{name}, 0, {}", symbol.value);
        let _ = writeln!(out, "\t.other\t\t{name},@\"STO_CUDA_RESERVED_SHARED STV_DEFAULT\"\n{name}:");
        out.push_str("\t.zero\t\t0\n");
    }
    // The section has a label where it has a symbol.
    let named = image.symbols.iter().any(|s| here(&s) && s.info & 15 == SECTION);
    let mut objects: Vec<&Symbol> = objects(image).filter(here).collect();
    objects.sort_by_key(|s| s.value);
    let mut places: Vec<u64> = vec![0, section.size()];
    for s in &objects {
        places.extend([s.value, s.value.saturating_add(s.size)]);
    }
    for (&at, r) in &relocations {
        places.extend([at, at.saturating_add(width(r.kind))]);
    }
    places.retain(|&p| p <= section.size());
    places.sort_unstable();
    places.dedup();
    for (i, &at) in places.iter().enumerate() {
        let relocation = relocations.get(&at);
        if let Some(r) = relocation
            && section.align >= width(r.kind)
        {
            let _ = writeln!(out, "\t.align\t\t{}", width(r.kind));
        }
        if at == 0 && named {
            let _ = writeln!(out, "{}:", section.name);
        }
        let starts: Vec<&&Symbol> = objects.iter().filter(|s| s.value == at).collect();
        // An end has a label of its own where nothing begins.
        if starts.is_empty()
            && let Some(number) = numbers.ends.get(&(index, at))
        {
            let _ = writeln!(out, ".L_{number}:");
        }
        for s in starts {
            object(s, index, &objects, numbers, out);
        }
        let Some(&end) = places.get(i + 1) else { break };
        match (relocation, &section.data) {
            (Some(r), _) => {
                let directive = if width(r.kind) == 8 { ".dword" } else { ".word" };
                let _ = writeln!(out, "        /*{at:04x}*/ \t{directive}\t{}", reference(image, *r));
            }
            (None, Data::NoBits(_)) => out.push_str(&format!("\t.zero\t\t{}\n", end - at)),
            (None, Data::Bytes(all)) => {
                let part = &all[at as usize..end as usize];
                if part.iter().all(|&b| b == 0) {
                    let _ = writeln!(out, "\t.zero\t\t{}", end - at);
                } else {
                    bytes(part, at, out);
                }
            }
        }
    }
}

fn object(s: &Symbol, index: usize, objects: &[&Symbol], numbers: &Numbers, out: &mut String) {
    let name = &s.name;
    let _ = match s.info >> 4 {
        1 => writeln!(out, "\t.global\t\t{name}"),
        2 => writeln!(out, "\t.weak\t\t{name}"),
        _ => Ok(()),
    };
    let end = s.value.saturating_add(s.size);
    let end = match objects.iter().find(|o| o.value == end) {
        Some(next) => next.name.clone(),
        None => format!(".L_{}", numbers.ends.get(&(index, end)).copied().unwrap_or(0)),
    };
    let _ = writeln!(out, "\t.type\t\t{name},@object\n\t.size\t\t{name},({end} - {name})\n{name}:");
}

/// Bytes that a relocation of this kind fills.
fn width(kind: u32) -> u64 {
    relocation::part(kind).map_or(8, |(bytes, _)| bytes as u64)
}

/// How a reference is written.
fn reference(image: &Image, r: Relocation) -> String {
    let name = |i: usize| image.symbols.get(i).map_or("", |s| s.name.as_str());
    let symbol = name(r.symbol as usize);
    if relocation::is_generic(r.kind) && r.addend == 0 {
        let width = 8 * width(r.kind);
        return format!("fun@R_CUDA_G{width}({symbol})");
    }
    if r.addend == 0 {
        return symbol.to_owned();
    }
    let section = image.symbols.get(r.symbol as usize).map_or(0, |s| s.section);
    let inside = image
        .symbols
        .iter()
        .find(|s| s.section == section && section != 0 && s.info & 15 == 2 && s.value == r.addend as u64);
    match inside {
        Some(s) => format!("({symbol} + {}@srel)", s.name),
        None => format!("({symbol} + {:#x})", r.addend),
    }
}
