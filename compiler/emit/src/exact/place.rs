//! Where everything stands in the file.

use super::contents;
use super::contents::Contents;
use super::file::{File, SHARED_RESERVED, Section, Segment};
use sassafras_cubin::Error;
use sassafras_cubin::elf::{self, constants as c};

const HEADER: u64 = 64;
const SECTION_HEADER: u64 = 64;
const PROGRAM_HEADER: u64 = 56;

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from(half(bytes, at)) | u32::from(half(bytes, at + 2)) << 16
}

fn quad(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}

/// Whether another section, or a table, has bytes where section `index` would have its own.
fn shares(bytes: &[u8], headers: u64, count: u64, index: u64) -> bool {
    let range = |i: u64| {
        let at = (headers + i * SECTION_HEADER) as usize;
        let (offset, size) = (quad(bytes, at + 24), quad(bytes, at + 32));
        (word(bytes, at + 4), offset, offset.saturating_add(size))
    };
    let (_, start, end) = range(index);
    let crosses = |from: u64, to: u64| from < end && start < to;
    crosses(headers, headers + count * SECTION_HEADER)
        || (0..count).filter(|i| *i != index).map(range).any(|(kind, from, to)| {
            !matches!(kind, 0 | c::NOBITS | c::CUDA_GLOBAL | c::CUDA_SHARED | SHARED_RESERVED)
                && crosses(from, to)
        })
}

/// The section that already stands in this place.
fn twin(sections: &[Section], offset: u64, size: u64) -> Option<usize> {
    let same = |s: &Section| {
        (s.offset, s.size) == (offset, size) && !matches!(s.contents, Contents::Nothing | Contents::Same(_))
    };
    sections.iter().position(same).filter(|_| size != 0)
}

/// Reads a cubin.
///
/// # Errors
/// As [`elf::read`], and bytes that belong to nothing and are not zero, each with the offset.
pub fn read(bytes: &[u8]) -> Result<File, Error> {
    // Checks every field of the header, and that all tables lie inside the file.
    let image = elf::read(bytes)?;
    let size = bytes.len() as u64;
    let (program_headers, section_headers) = (quad(bytes, 0x20), quad(bytes, 0x28));
    // What a byte belongs to: the file must be covered, but for zeros.
    let mut covered = vec![(0, HEADER)];
    let count = image.sections.len() as u64;
    covered.push((section_headers, section_headers + count * SECTION_HEADER));
    let mut sections = Vec::new();
    for (i, s) in image.sections.iter().enumerate() {
        let at = section_headers as usize + i * SECTION_HEADER as usize;
        let (kind, flags) = (word(bytes, at + 4), quad(bytes, at + 8));
        let (offset, length) = (quad(bytes, at + 24), quad(bytes, at + 32));
        // Reserved shared memory has a size and no bytes, but for some copies of it among the mercury sections: those
        // whose place is their own.
        let reserved = kind == SHARED_RESERVED
            && (flags & c::MERCURY == 0 || shares(bytes, section_headers, count, i as u64));
        let contents = if reserved || matches!(kind, 0 | c::NOBITS | c::CUDA_GLOBAL | c::CUDA_SHARED) {
            Contents::Nothing
        } else if let Some(first) = twin(&sections, offset, length) {
            Contents::Same(first)
        } else {
            covered.push((offset, offset + length));
            contents::read(kind, flags, &s.name, &bytes[offset as usize..(offset + length) as usize], offset)?
        };
        sections.push(Section {
            name: s.name.clone(),
            name_at: word(bytes, at),
            kind,
            flags,
            offset,
            size: length,
            link: word(bytes, at + 40),
            info: word(bytes, at + 44),
            align: quad(bytes, at + 48),
            entry_size: quad(bytes, at + 56),
            contents,
        });
    }
    let mut segments = Vec::new();
    for i in 0..image.segments.len() as u64 {
        let at = (program_headers + i * PROGRAM_HEADER) as usize;
        covered.push((at as u64, at as u64 + PROGRAM_HEADER));
        segments.push(Segment {
            kind: word(bytes, at),
            flags: word(bytes, at + 4),
            offset: quad(bytes, at + 8),
            addresses: [quad(bytes, at + 16), quad(bytes, at + 24)],
            file_size: quad(bytes, at + 32),
            memory_size: quad(bytes, at + 40),
            align: quad(bytes, at + 48),
        });
    }
    covered.sort_unstable();
    let mut end = 0;
    for (start, stop) in covered.into_iter().chain([(size, size)]) {
        if start < end && stop > start {
            return Err(Error::at(start, "two parts of the file stand in one place"));
        }
        if let Some(at) = (end..start).find(|at| bytes[*at as usize] != 0) {
            return Err(Error::at(at, "a byte that belongs to no part of the file is not zero"));
        }
        end = end.max(stop);
    }
    Ok(File {
        kind: image.header.kind,
        abi: image.header.abi,
        version: image.header.version,
        flags: image.header.flags,
        size,
        section_headers,
        program_headers,
        program_header_size: half(bytes, 0x36),
        names: half(bytes, 0x3e),
        sections,
        segments,
    })
}

/// The bytes of a file.
///
/// # Errors
/// A part that does not fit where the file says it stands.
pub fn write(file: &File) -> Result<Vec<u8>, Error> {
    let mut out = vec![0; usize::try_from(file.size).map_err(|_| Error::part("file", "it is too long"))?];
    let mut put = |what: &str, at: u64, bytes: &[u8]| -> Result<(), Error> {
        let start = usize::try_from(at).unwrap_or(usize::MAX);
        let place = start.checked_add(bytes.len()).and_then(|end| out.get_mut(start..end));
        let place = place.ok_or_else(|| Error::part(what, "it does not fit into the file"))?;
        place.copy_from_slice(bytes);
        Ok(())
    };
    put("header", 0, &header(file)?)?;
    for (i, s) in file.sections.iter().enumerate() {
        let bytes = contents::write(&s.contents)?;
        if let Contents::Same(first) = s.contents {
            if file.sections.get(first).is_none_or(|f| (f.offset, f.size) != (s.offset, s.size)) {
                return Err(Error::part(&s.name, format!("it does not stand where section {first} does")));
            }
        } else if s.contents != Contents::Nothing {
            if bytes.len() as u64 != s.size {
                return Err(Error::part(&s.name, format!("it has {} bytes, not {}", bytes.len(), s.size)));
            }
            put(&s.name, s.offset, &bytes)?;
        }
        let mut h = Vec::new();
        h.extend(s.name_at.to_le_bytes());
        h.extend(s.kind.to_le_bytes());
        for field in [s.flags, 0, s.offset, s.size] {
            h.extend(field.to_le_bytes());
        }
        h.extend(s.link.to_le_bytes());
        h.extend(s.info.to_le_bytes());
        h.extend(s.align.to_le_bytes());
        h.extend(s.entry_size.to_le_bytes());
        put(&s.name, file.section_headers + i as u64 * SECTION_HEADER, &h)?;
    }
    for (i, s) in file.segments.iter().enumerate() {
        let mut h = Vec::new();
        h.extend(s.kind.to_le_bytes());
        h.extend(s.flags.to_le_bytes());
        for field in [s.offset, s.addresses[0], s.addresses[1], s.file_size, s.memory_size, s.align] {
            h.extend(field.to_le_bytes());
        }
        put("program header", file.program_headers + i as u64 * PROGRAM_HEADER, &h)?;
    }
    Ok(out)
}

fn header(file: &File) -> Result<Vec<u8>, Error> {
    let many = |n: usize, what: &str| u16::try_from(n).map_err(|_| Error::part(what, "there are too many"));
    let (os_abi, version) = (file.abi.os_abi(), file.abi.version());
    let mut h = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, os_abi, version, 0, 0, 0, 0, 0, 0, 0];
    h.extend(file.kind.to_le_bytes());
    h.extend(c::MACHINE.to_le_bytes());
    h.extend(file.version.to_le_bytes());
    for field in [0, file.program_headers, file.section_headers] {
        h.extend(field.to_le_bytes());
    }
    h.extend(file.flags.to_le_bytes());
    let counts = [
        HEADER as u16,
        file.program_header_size,
        many(file.segments.len(), "program headers")?,
        SECTION_HEADER as u16,
        many(file.sections.len(), "sections")?,
        file.names,
    ];
    for field in counts {
        h.extend(field.to_le_bytes());
    }
    Ok(h)
}
