//! Fat binaries: a header of 16 bytes, then entries, each with a header of its own.

use std::ops::Range;

use crate::{Item, Kind, Packing, part};
use sassafras_cubin::Error;

const MAGIC: [u8; 4] = 0xba55_ed50_u32.to_le_bytes();
const HEADER: u64 = 16;
/// The least size of an entry's header: options and names follow.
const ENTRY: u64 = 64;

/// Bits of an entry's flags. Others (the host's system, 64-bit addresses, obfuscation) change nothing here.
mod flag {
    pub const DEBUG: u64 = 0x2;
    pub const LZ4: u64 = 0x2000;
    pub const ZSTD: u64 = 0x8000;
    pub const ACCELERATED: u64 = 0x10_0000;
    pub const FAMILY: u64 = 0x20_0000;
}

/// Whether bytes begin with a fat binary.
pub fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads the fat binaries that stand one after the other in a part of a file; groups count on from `group`.
pub fn read(file: &[u8], range: Range<u64>, group: usize) -> Result<Vec<Item>, Error> {
    let bytes = part(file, &range)?;
    let mut items = Vec::new();
    let (mut at, mut group) = (0u64, group);
    loop {
        // Linkers put each at its alignment.
        let rest = &bytes[at as usize..];
        let Some(zeros) = rest.iter().position(|&b| b != 0) else { return Ok(items) };
        at += zeros as u64 & !7;
        let place = range.start + at;
        let head = field(bytes, at, HEADER, place, "a fat binary's header is cut short")?;
        if !begins(head) {
            return Err(Error::at(place, "no fat binary begins here"));
        }
        let (version, header, size) = (half(head, 4), u64::from(half(head, 6)), quad(head, 8));
        if version != 1 || header < HEADER {
            let what = format!("a fat binary of version {version} with a header of {header} bytes");
            return Err(Error::unsupported(place + 4, what));
        }
        let from = at + header;
        let to = from.checked_add(size).filter(|&end| end <= bytes.len() as u64);
        let to = to.ok_or_else(|| Error::at(place + 8, "a fat binary runs past the end"))?;
        entries(&bytes[..to as usize], from, range.start, group, &mut items)?;
        group += 1;
        at = to;
    }
}

fn entries(bytes: &[u8], from: u64, base: u64, group: usize, items: &mut Vec<Item>) -> Result<(), Error> {
    let mut at = from;
    while at < bytes.len() as u64 {
        let place = base + at;
        let h = field(bytes, at, ENTRY, place, "the header of an entry is cut short")?;
        let (kind, header, payload) = (half(h, 0), u64::from(word(h, 4)), quad(h, 8));
        let packed = u64::from(word(h, 16));
        let end = at.checked_add(header).and_then(|p| p.checked_add(payload));
        let end = end.filter(|&end| header >= ENTRY && end <= bytes.len() as u64);
        let end = end.ok_or_else(|| Error::at(place + 4, "an entry runs past the end of its fat binary"))?;
        let flags = quad(h, 40);
        let packing = match flags & (flag::LZ4 | flag::ZSTD) {
            0 => Packing::None,
            flag::LZ4 => Packing::Lz4,
            flag::ZSTD => Packing::Zstd,
            _ => return Err(Error::at(place + 40, "an entry is compressed in two ways")),
        };
        if packed > payload || packing != Packing::None && packed == 0 {
            return Err(Error::at(place + 16, "an entry's compressed size does not fit its bytes"));
        }
        let size = if packing == Packing::None { payload } else { quad(h, 56) };
        let start = place + header;
        let head = &bytes[at as usize..(at + header) as usize];
        let kind = match kind {
            1 => Kind::Ptx,
            2 => Kind::Cubin,
            8 => Kind::Nvvm,
            other => Kind::Other(other),
        };
        let suffix = match (flags & flag::ACCELERATED != 0, flags & flag::FAMILY != 0) {
            (true, _) => "a",
            (false, true) => "f",
            (false, false) => "",
        };
        items.push(Item {
            kind,
            sm: word(h, 28),
            suffix,
            version: (half(h, 26), half(h, 24)),
            debug: flags & flag::DEBUG != 0,
            packing,
            stored: start..start + if packing == Packing::None { payload } else { packed },
            size,
            member: None,
            section: None,
            group,
            flags,
            source: Some(text(head, word(h, 32), word(h, 36))).filter(|name| !name.is_empty()),
            // The place of the options is a pair of words: where they begin, and their length.
            options: match (kind, word(h, 20)) {
                (Kind::Ptx, place @ 1..) => {
                    let pair = head.get(place as usize..).and_then(|rest| rest.first_chunk::<8>());
                    pair.map_or_else(String::new, |pair| text(head, word(pair, 0), word(pair, 4)))
                }
                _ => String::new(),
            },
        });
        at = end;
    }
    Ok(())
}

/// A string of an entry's header; one that does not lie inside is empty.
fn text(head: &[u8], at: u32, length: u32) -> String {
    let bytes = head.get(at as usize..).and_then(|rest| rest.get(..length as usize)).unwrap_or_default();
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}

fn field<'a>(bytes: &'a [u8], at: u64, size: u64, place: u64, what: &str) -> Result<&'a [u8], Error> {
    let end = at.checked_add(size).filter(|&end| end <= bytes.len() as u64);
    let end = end.ok_or_else(|| Error::at(place, what))?;
    Ok(&bytes[at as usize..end as usize])
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from(half(bytes, at)) | u32::from(half(bytes, at + 2)) << 16
}

fn quad(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}
