//! `cuobjdump -sass`: each function by itself, with jumps to addresses and every word in hexadecimal.

use std::path::Path;

use sassafras_container::Item;
use sassafras_cubin::elf::{self, Abi, Data, Image, Section, V7_FLAGS, constants as c};

use super::super::disasm::complain;
use crate::listing::{Look, chip, columns, words_only};
use crate::{Exit, Failure, files};

/// Prints the code of a cubin; of the functions named only, when some are.
pub fn print(path: &Path, bytes: &[u8], item: &Item, names: Option<&str>) -> Result<Exit, Failure> {
    let image = elf::read(bytes)?;
    let chip = chip(&image).ok_or_else(|| Failure::unsupported("the chip has no instruction table"))?;
    let target = item.target();
    let names: Option<Vec<&str>> = names.map(|list| list.split(',').map(str::trim).collect());
    let mut out = format!("\n\tcode for {target}\n");
    if image.header.abi == Abi::V8 && names.is_none() {
        out.push_str(&format!("\t.target\t{target}\n\n"));
    }
    let mut exit = Exit::Done;
    for (name, section) in functions(&image) {
        if names.as_ref().is_some_and(|list| !list.contains(&name)) {
            continue;
        }
        let one = Image { header: image.header, sections: vec![section.clone()], ..Image::default() };
        let look = Look { hex: true, lenient: true, raw: Some(0), ..Look::default() };
        let made = words_only(&one, chip, look).map_err(|e| Failure::word(e.to_string()))?;
        let head = format!("\t\tFunction : {name}\n\t.headerflags\t@\"{}\"\n", flags(&image, item));
        out.push_str(&format!("{head}{}\t\t..........\n\n\n", made.text));
        if !made.unknown.is_empty() {
            complain(path, &made.unknown, &[]);
            exit = Exit::Wrong;
        }
    }
    // The columns are those of the whole file.
    files::print(&columns(&out));
    Ok(exit)
}

/// The names of the functions that have a section of their own, and those sections, in the order of the symbol table.
fn functions(image: &Image) -> impl Iterator<Item = (&str, &Section)> {
    image.symbols.iter().filter_map(|s| {
        let section = image.sections.get(usize::from(s.section))?;
        let own = section.name.strip_prefix(".text.") == Some(&s.name);
        let code = section.flags & c::EXEC != 0 && matches!(section.data, Data::Bytes(_));
        (s.info & 15 == 2 && own && code).then_some((s.name.as_str(), section))
    })
}

fn flags(image: &Image, item: &Item) -> String {
    let sm = image.header.sm();
    if let Some(virtual_sm) = image.header.virtual_sm() {
        let names = V7_FLAGS.iter().filter(|row| image.header.flags & row.0 != 0).map(|row| row.1);
        let names: Vec<&str> = names.collect();
        return format!("{} EF_CUDA_SM{sm} EF_CUDA_VIRTUAL_SM(EF_CUDA_SM{virtual_sm})", names.join(" "));
    }
    let accelerated = if item.suffix == "a" { "EF_CUDA_ACCELERATORS " } else { "" };
    let virtual_sm = virtual_sm(image).unwrap_or(sm);
    format!("{accelerated}EF_CUDA_SM{sm} EF_CUDA_VIRTUAL_SM(EF_CUDA_SM{virtual_sm})")
}

/// The virtual architecture of the input, as the note about the toolkit has it behind its version.
fn virtual_sm(image: &Image) -> Option<u32> {
    let section = image.section(".note.nv.cuinfo").or_else(|| image.section(".note.nv.cuver"))?;
    let half = image.sections[section].bytes().get(26..28)?;
    Some(u16::from_le_bytes([half[0], half[1]]).into())
}
