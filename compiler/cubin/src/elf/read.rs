//! Bytes to [`Image`]; every field of the header is checked.

use object::LittleEndian as Le;
use object::elf::{FileHeader64, ProgramHeader64, SectionHeader64, Sym64};
use object::pod;

use super::abi::{Abi, Header};
use super::constants as c;
use super::image::{Data, Image, Section, Segment, Symbol};
use crate::Error;

/// Reads an ELF image of a cubin.
///
/// # Errors
/// Anything that is not a 64-bit little-endian CUDA ELF of a known [`Abi`] whose tables lie inside the file.
pub fn read(bytes: &[u8]) -> Result<Image, Error> {
    let (header, own) = header(bytes)?;
    let e = Le;
    let (phoff, phnum) = (header.e_phoff.get(e), u64::from(header.e_phnum.get(e)));
    let (shoff, shnum) = (header.e_shoff.get(e), u64::from(header.e_shnum.get(e)));
    let size = bytes.len() as u64;
    if shnum == 0 {
        return Err(Error::at(0x3c, "the file has no sections"));
    }
    if shoff < 64 {
        return Err(Error::at(0x28, format!("the section headers cannot begin at {shoff:#x}")));
    }
    let headers: &[SectionHeader64<Le>] = table(bytes, shoff, shnum).ok_or_else(|| {
        Error::at(0x28, format!("{shnum} section headers at {shoff:#x} do not fit in {size} bytes"))
    })?;
    let segments = segments(bytes, phoff, phnum)?;
    // The headers are the last thing in the file, in this order, without a gap: a wrong count shows here.
    let end = shoff + shnum * 64;
    let next = if phnum != 0 && phoff > shoff { phoff } else { size };
    if end != next {
        return Err(Error::at(
            0x3c,
            format!("{shnum} section headers end at {end:#x}, but the next part begins at {next:#x}"),
        ));
    }
    let names = u64::from(header.e_shstrndx.get(e).0);
    let Some(names) = headers.get(names as usize).filter(|s| names != 0 && s.sh_type.get(e).0 == c::STRTAB)
    else {
        return Err(Error::at(0x3e, format!("section {names} is no table of section names")));
    };
    let names = slice(bytes, names.sh_offset.get(e), names.sh_size.get(e))
        .ok_or_else(|| Error::at(0x3e, "the table of section names lies outside the file"))?;
    let mut sections = Vec::with_capacity(headers.len());
    for (index, raw) in headers.iter().enumerate() {
        sections.push(section(bytes, names, raw, shoff + 64 * index as u64, headers.len())?);
    }
    if sections[0] != Section::default() {
        return Err(Error::at(shoff, "section 0 is not empty"));
    }
    if sections.get(usize::from(header.e_shstrndx.get(e).0)).is_none_or(|s| s.name != ".shstrtab") {
        return Err(Error::at(0x3e, "the table of section names is not called `.shstrtab`"));
    }
    let symbols = symbols(bytes, &sections)?;
    Ok(Image { header: own, sections, symbols, segments })
}

fn header(bytes: &[u8]) -> Result<(&FileHeader64<Le>, Header), Error> {
    if bytes.is_empty() {
        return Err(Error::at(0, "the file is empty"));
    }
    if !bytes.starts_with(b"\x7fELF") {
        return Err(Error::at(0, "the file does not begin with the ELF magic number"));
    }
    let Ok((header, _)) = pod::from_bytes::<FileHeader64<Le>>(bytes) else {
        return Err(Error::at(bytes.len() as u64, "the file ends inside the ELF header"));
    };
    let e = Le;
    let ident = &header.e_ident;
    // A file without program headers may leave their size out.
    let phentsize = if header.e_phnum.get(e) == 0 && header.e_phentsize.get(e) == 0 { 0 } else { 56 };
    let os_abi = ident.os_abi.0;
    let Some(abi) = Abi::ALL.into_iter().find(|abi| abi.os_abi() == os_abi) else {
        let known: Vec<String> = Abi::ALL.iter().map(|abi| format!("{:#x}", abi.os_abi())).collect();
        return Err(Error::at(
            0x07,
            format!("the ELF header's OS ABI is {os_abi:#x}, not {}", known.join(" or ")),
        ));
    };
    let version = header.e_version.get(e);
    // Under the older ABI it is the toolkit's version.
    let expected = if abi == Abi::V7 && (100..130).contains(&version) { version } else { 1 };
    let rows: [(u64, &str, u64, u64); 11] = [
        (0x04, "class", ident.class.0.into(), 2),
        (0x05, "byte order", ident.data.0.into(), 1),
        (0x06, "identification version", ident.version.0.into(), 1),
        (0x08, "ABI version", ident.abi_version.into(), abi.version().into()),
        (0x09, "padding", ident.padding.iter().map(|&b| u64::from(b)).sum(), 0),
        (0x12, "machine", header.e_machine.get(e).0.into(), c::MACHINE.into()),
        (0x14, "version", version.into(), expected.into()),
        (0x18, "entry point", header.e_entry.get(e), 0),
        (0x34, "header size", header.e_ehsize.get(e).into(), 64),
        (0x36, "program header size", header.e_phentsize.get(e).into(), phentsize),
        (0x3a, "section header size", header.e_shentsize.get(e).into(), 64),
    ];
    for (at, what, found, expected) in rows {
        if found != expected {
            return Err(Error::at(at, format!("the ELF header's {what} is {found:#x}, not {expected:#x}")));
        }
    }
    let kind = header.e_type.get(e).0;
    if ![c::EXECUTABLE, c::RELOCATABLE, c::EXTENSIBLE].contains(&kind) {
        return Err(Error::at(
            0x10,
            format!("file type {kind:#x} is neither an executable nor a relocatable object"),
        ));
    }
    let own = Header { abi, kind, version, flags: header.e_flags.get(e).0 };
    own.layout()?;
    Ok((header, own))
}

fn slice(bytes: &[u8], offset: u64, size: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(size).ok()?)?)
}

fn table<T: pod::Pod>(bytes: &[u8], offset: u64, count: u64) -> Option<&[T]> {
    let bytes = slice(bytes, offset, count.checked_mul(size_of::<T>() as u64)?)?;
    pod::slice_from_bytes(bytes, usize::try_from(count).ok()?).ok().map(|(table, _)| table)
}

fn string(table: &[u8], at: u32) -> Option<String> {
    let tail = table.get(at as usize..)?;
    let end = tail.iter().position(|&b| b == 0)?;
    String::from_utf8(tail[..end].to_vec()).ok()
}

fn segments(bytes: &[u8], phoff: u64, phnum: u64) -> Result<Vec<Segment>, Error> {
    let e = Le;
    let raw: &[ProgramHeader64<Le>] = table(bytes, phoff, phnum).ok_or_else(|| {
        Error::at(0x20, format!("{phnum} program headers at {phoff:#x} do not fit in the file"))
    })?;
    if phnum == 0 {
        if phoff != 0 {
            return Err(Error::at(0x20, "there are no program headers, but they have a place"));
        }
        return Ok(Vec::new());
    }
    let first = &raw[0];
    if first.p_type.get(e).0 != 6 || first.p_offset.get(e) != phoff || first.p_filesz.get(e) != phnum * 56 {
        return Err(Error::at(0x20, format!("no table of {phnum} program headers begins at {phoff:#x}")));
    }
    raw.iter()
        .enumerate()
        .map(|(i, p)| {
            let (offset, file_size) = (p.p_offset.get(e), p.p_filesz.get(e));
            if slice(bytes, offset, file_size).is_none() {
                return Err(Error::at(phoff + 56 * i as u64, format!("segment {i} lies outside the file")));
            }
            let (kind, flags, memory_size) = (p.p_type.get(e).0, p.p_flags.get(e).0, p.p_memsz.get(e));
            Ok(Segment { kind, flags, offset, file_size, memory_size })
        })
        .collect()
}

fn section(
    bytes: &[u8],
    names: &[u8],
    raw: &SectionHeader64<Le>,
    at: u64,
    count: usize,
) -> Result<Section, Error> {
    let e = Le;
    let name = string(names, raw.sh_name.get(e))
        .ok_or_else(|| Error::at(at, "a section's name lies outside its table"))?;
    let (kind, flags, offset, size) =
        (raw.sh_type.get(e).0, raw.sh_flags.get(e).0, raw.sh_offset.get(e), raw.sh_size.get(e));
    if raw.sh_addr.get(e) != 0 {
        return Err(Error::at(at + 16, format!("section `{name}` has an address")));
    }
    if raw.sh_link.get(e) as usize >= count {
        return Err(Error::at(at + 40, format!("section `{name}` links to a section that does not exist")));
    }
    let align = raw.sh_addralign.get(e);
    if align != 0 && !align.is_power_of_two() {
        return Err(Error::at(
            at + 48,
            format!("section `{name}` has alignment {align}, which is no power of two"),
        ));
    }
    let data = match kind {
        0 | c::NOBITS | c::CUDA_GLOBAL | c::CUDA_SHARED => Data::NoBits(size),
        _ => match slice(bytes, offset, size) {
            Some(data) => Data::Bytes(data.to_vec()),
            None => return Err(Error::at(at + 24, format!("section `{name}` lies outside the file"))),
        },
    };
    let data = if kind == 0 && size == 0 { Data::default() } else { data };
    let (link, info, entry_size) = (raw.sh_link.get(e), raw.sh_info.get(e), raw.sh_entsize.get(e));
    Ok(Section { name, kind, flags, link, info, align, entry_size, data, offset })
}

fn symbols(bytes: &[u8], sections: &[Section]) -> Result<Vec<Symbol>, Error> {
    let e = Le;
    let Some(index) = sections.iter().position(|s| s.kind == c::SYMTAB) else {
        return Ok(vec![Symbol::default()]);
    };
    let table_section = &sections[index];
    let at = table_section.offset;
    if table_section.entry_size != 24 || !table_section.size().is_multiple_of(24) {
        return Err(Error::at(at, "the symbol table is no table of 24-byte entries"));
    }
    let names = &sections[table_section.link as usize];
    if names.kind != c::STRTAB {
        return Err(Error::at(at, "the symbol table links to no table of strings"));
    }
    let raw: &[Sym64<Le>] = table(bytes, at, table_section.size() / 24)
        .ok_or_else(|| Error::at(at, "the symbol table lies outside the file"))?;
    raw.iter()
        .enumerate()
        .map(|(i, s)| {
            let at = at + 24 * i as u64;
            let name = string(names.bytes(), s.st_name.get(e))
                .ok_or_else(|| Error::at(at, format!("symbol {i}'s name lies outside its table")))?;
            let section = s.st_shndx.get(e).0;
            if usize::from(section) >= sections.len() && section < 0xff00 {
                return Err(Error::at(
                    at + 6,
                    format!("symbol `{name}` lies in section {section}, which does not exist"),
                ));
            }
            let (info, other) = (s.st_info.0, s.st_other.0);
            Ok(Symbol { name, info, other, section, value: s.st_value.get(e), size: s.st_size.get(e) })
        })
        .collect()
}
