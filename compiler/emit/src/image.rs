//! [`Image`] to bytes, in ptxas's order: sections, section headers, program headers.

use object::elf::{
    self, ProgramFlags, ProgramType, SectionFlags, SectionType, SymbolInfo, SymbolOther, SymbolSection,
};
use object::write::elf::{FileHeader, ProgramHeader, SectionHeader, Sym, Writer};

use sassafras_cubin::Error;
use sassafras_cubin::elf::{Data, Image, constants as c};

/// Writes an image; its segments are made anew from its sections.
///
/// # Errors
/// Sections 1 to 3 are not the three tables, or a table grew beyond what ELF can hold.
pub fn write(image: &Image) -> Result<Vec<u8>, Error> {
    for (index, name) in [(1, ".shstrtab"), (2, ".strtab"), (3, ".symtab")] {
        if image.sections.get(index).is_none_or(|s| s.name != name) {
            return Err(Error::part("sections", format!("section {index} must be `{name}`")));
        }
    }
    if image.sections.len() >= 0xff00 {
        return Err(Error::part("sections", "there are more than 65,279 of them"));
    }
    let mut buffer = Vec::new();
    let mut w = Writer::new(object::Endianness::Little, true, &mut buffer);
    let table = |what: object::write::Error| Error::part("string table", what.to_string());

    // Reserve.
    w.reserve_file_header();
    w.reserve_shstrtab_section_index();
    w.reserve_strtab_section_index();
    w.reserve_symtab_section_index();
    let mut names = vec![None; 4];
    for section in &image.sections[4..] {
        names.push(Some(w.add_section_name(section.name.as_bytes())));
        w.reserve_section_index();
    }
    let strings: Vec<_> = image
        .symbols
        .iter()
        .map(|s| {
            let id = (!s.name.is_empty()).then(|| w.add_string(s.name.as_bytes()));
            w.require_strtab();
            id
        })
        .collect();
    for symbol in image.symbols.iter().skip(1) {
        let _ = symbol;
        w.reserve_symbol_index(None);
    }
    w.reserve_shstrtab().map_err(table)?;
    w.reserve_strtab().map_err(table)?;
    w.reserve_symtab();
    let mut offsets = vec![0u64; 4];
    for section in &image.sections[4..] {
        let len = section.bytes().len() as u64;
        // A section without bytes still takes an aligned place, as ptxas gives it one.
        offsets.push(w.reserve(len, section.align.max(1)));
    }
    w.reserve_section_headers();
    // Before sm_90 the code and the constants are one segment, and the headers come last.
    let older = image.header.layout().is_ok_and(|chip| !chip.hopper);
    let loads = loads(image, &offsets, older);
    w.reserve_program_headers(loads.len() as u32 + 2);
    let end = w.reserved_len();

    // Write.
    let header = FileHeader {
        os_abi: elf::OsAbi(image.header.abi.os_abi()),
        abi_version: image.header.abi.version(),
        e_type: elf::FileType(image.header.kind),
        e_machine: elf::Machine(c::MACHINE),
        e_entry: 0,
        e_flags: elf::FileFlags(image.header.flags),
    };
    w.write_file_header(&header).map_err(|e| Error::part("header", e.to_string()))?;
    w.write_shstrtab();
    w.write_strtab();
    w.write_null_symbol();
    for (symbol, id) in image.symbols.iter().zip(&strings).skip(1) {
        let st_name = w.string_offset(*id);
        w.write_symbol(&Sym {
            section: None,
            st_name,
            st_info: SymbolInfo(symbol.info),
            st_other: SymbolOther(symbol.other),
            st_shndx: SymbolSection(symbol.section),
            st_value: symbol.value,
            st_size: symbol.size,
        });
    }
    for section in &image.sections[4..] {
        w.write_align(section.align.max(1));
        w.write(section.bytes());
    }
    w.write_null_section_header();
    w.write_shstrtab_section_header();
    w.write_strtab_section_header();
    w.write_symtab_section_header(image.sections[3].info);
    for (index, section) in image.sections.iter().enumerate().skip(4) {
        let sh_name = w.section_name_offset(names[index]);
        w.write_section_header(&SectionHeader {
            sh_name,
            sh_type: SectionType(section.kind),
            sh_flags: SectionFlags(section.flags),
            sh_addr: 0,
            sh_offset: offsets[index],
            sh_size: section.size(),
            sh_link: section.link,
            sh_info: section.info,
            sh_addralign: section.align,
            sh_entsize: section.entry_size,
        });
    }
    w.write_align_program_headers();
    let size = 56 * (loads.len() as u64 + 2);
    let own = Load { flags: if older { 5 } else { 4 }, offset: end - size, file: size, memory: size };
    let headers = [(6, &own), (1, &own)];
    let (first, last) = headers.split_at(if older { 1 } else { 2 });
    let all = first.iter().copied().chain(loads.iter().map(|l| (1, l))).chain(last.iter().copied());
    for (kind, load) in all {
        w.write_program_header(&ProgramHeader {
            p_type: ProgramType(kind),
            p_flags: ProgramFlags(load.flags),
            p_offset: load.offset,
            p_vaddr: 0,
            p_paddr: 0,
            p_filesz: load.file,
            p_memsz: load.memory,
            p_align: 8,
        });
    }
    Ok(buffer)
}

struct Load {
    flags: u32,
    offset: u64,
    file: u64,
    memory: u64,
}

/// One segment for each run of allocated sections with the same rights.
fn loads(image: &Image, offsets: &[u64], older: bool) -> Vec<Load> {
    let mut out: Vec<Load> = Vec::new();
    for (section, &offset) in image.sections.iter().zip(offsets).skip(4) {
        if section.flags & c::ALLOC == 0 {
            continue;
        }
        let right = |bit, flag| if section.flags & bit != 0 { flag } else { 0 };
        let writes = right(c::WRITE, 2);
        let executes = if older && writes == 0 { 1 } else { right(c::EXEC, 1) };
        let flags = 4 | writes | executes;
        if out.last().is_none_or(|l| l.flags != flags) {
            out.push(Load { flags, offset, file: 0, memory: 0 });
        }
        let load = out.last_mut().expect("pushed above when absent");
        let nobits = matches!(section.data, Data::NoBits(_));
        if nobits && load.file == 0 {
            // A segment of nothing but such sections has no bytes, and begins where the first of a size does.
            if load.memory == 0 {
                load.offset = offset;
            }
            load.memory += section.size();
            continue;
        }
        // What has no bytes may begin behind a gap of the file, which is memory too.
        let blank = load.memory - load.file;
        load.file = load.file.max(offset + section.bytes().len() as u64 - load.offset);
        load.memory = load.file + if nobits { blank + section.size() } else { 0 };
    }
    out
}
