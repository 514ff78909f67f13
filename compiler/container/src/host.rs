//! ELF files of the host: objects, executables, shared libraries.

use std::ops::Range;

use object::Endianness;
use object::elf;
use object::read::elf::ElfFile64;
use object::{Object, ObjectKind, ObjectSection};

use crate::{Form, Item, fatbin, part};
use sassafras_cubin::Error;

/// Sections of fat binaries: those that are loaded, and those of relocatable device code, which wait for the device linker.
const SECTIONS: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];

/// Reads a part of a file as an ELF file of the host; groups count on from `group`.
pub fn read(file: &[u8], range: Range<u64>, group: usize) -> Result<(Form, Vec<Item>), Error> {
    let bytes = part(file, &range)?;
    let base = range.start;
    let machine = bytes.get(0x12..0x14).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]));
    if bytes.get(4) == Some(&1) {
        return Err(Error::unsupported(base + 4, "an ELF file of a 32-bit host"));
    }
    let host: ElfFile64<'_, Endianness> =
        ElfFile64::parse(bytes).map_err(|e| Error::at(base, format!("the ELF file of the host: {e}")))?;
    let form = match host.kind() {
        ObjectKind::Relocatable => Form::Object,
        ObjectKind::Executable => Form::Executable,
        // Executables that are loaded anywhere have an interpreter.
        ObjectKind::Dynamic if interpreted(&host) => Form::Executable,
        _ => Form::Shared,
    };
    let (mut items, mut group, mut found) = (Vec::new(), group, false);
    for section in host.sections() {
        let name = section.name().unwrap_or_default();
        if !SECTIONS.contains(&name) {
            continue;
        }
        found = true;
        let Some((offset, size)) = section.file_range() else { continue };
        let from = base.saturating_add(offset);
        let here = from..from.saturating_add(size);
        if here.end > range.end {
            return Err(Error::at(base, format!("section `{name}` lies outside the file")));
        }
        let mut more = fatbin::read(file, here, group)?;
        group = more.last().map_or(group, |last| last.group + 1);
        more.iter_mut().for_each(|item| item.section = Some(name.to_owned()));
        items.append(&mut more);
    }
    if !found {
        let what =
            format!("an ELF file for machine {machine:#x} without a section {}", SECTIONS.join(" or "));
        return Err(Error::at(base + 0x12, what));
    }
    Ok((form, items))
}

/// Whether bytes name one of the sections at all.
pub fn names_a_section(bytes: &[u8]) -> bool {
    SECTIONS.iter().any(|name| bytes.windows(name.len()).any(|w| w == name.as_bytes()))
}

fn interpreted(host: &ElfFile64<'_, Endianness>) -> bool {
    use object::read::elf::ProgramHeader;
    let endian = host.endian();
    host.elf_program_headers().iter().any(|header| header.p_type(endian) == elf::PT_INTERP)
}
