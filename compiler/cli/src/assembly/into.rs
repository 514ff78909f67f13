//! The words of a text take the place of those in a cubin; every other byte stays.

use super::{Assembly, Code, Finding};
use sassafras_cubin::attribute::{self, EXIT_INSTR_OFFSETS, REGCOUNT};
use sassafras_cubin::elf::{Image, Section, constants as c};
use sassafras_isa::{
    Chip, ControlFlowKind, Inst, RegClass, Style, Targets, decode, encode, form, parse, print,
};

/// What was done, and what the cubin now says wrongly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Words that differ from those that were there.
    pub changed: usize,
    /// Words whose control bits are the slowest legal ones, because the text has none and the word is new.
    pub safe: usize,
    /// Sentences about records that do not fit the new code.
    pub warnings: Vec<String>,
}

/// Puts the code of `assembly` into `bytes`, the file that `image` was read from. With `update`, records of exits and
/// registers that the new code belies are changed too.
///
/// # Errors
/// A section that the cubin does not have, code that does not fit, a function that would move.
pub fn into(
    bytes: &mut [u8],
    image: &Image,
    chip: Chip,
    assembly: &Assembly,
    update: bool,
) -> Result<Report, Vec<Finding>> {
    let mut report = Report::default();
    let mut found = Vec::new();
    if assembly.chip != chip {
        let what = format!("the text is for {}, the cubin for {chip}", assembly.chip);
        return Err(vec![Finding::new("A0008", 0..0, what)]);
    }
    for code in &assembly.sections {
        match place(image, code)
            .and_then(|index| words(image, index, code, chip, &mut report).map(|w| (index, w)))
        {
            Ok((index, words)) => {
                let offset = image.sections[index].offset as usize;
                for (i, word) in words.iter().enumerate() {
                    let at = offset + 16 * i;
                    bytes[at..at + 16].copy_from_slice(&word.to_le_bytes());
                }
                records(bytes, image, index, &words, chip, update, &mut report);
            }
            Err(finding) => found.push(finding),
        }
    }
    if found.is_empty() { Ok(report) } else { Err(found) }
}

/// The section that the code is for.
fn place(image: &Image, code: &Code) -> Result<usize, Finding> {
    let executable = |s: &Section| s.flags & c::EXEC != 0;
    let fail = |message: String| Finding::new("A0008", code.span.clone(), message);
    match &code.name {
        Some(name) => image
            .sections
            .iter()
            .position(|s| executable(s) && s.name == *name)
            .ok_or_else(|| fail(format!("the cubin has no code section `{name}`"))),
        None => {
            let mut all = image.sections.iter().enumerate().filter(|(_, s)| executable(s));
            match (all.next(), all.next()) {
                (Some((index, _)), None) => Ok(index),
                _ => Err(fail("the cubin has several code sections: begin with `.section NAME`".to_owned())),
            }
        }
    }
}

/// The new words of a section, as many as the old ones.
fn words(
    image: &Image,
    index: usize,
    code: &Code,
    chip: Chip,
    report: &mut Report,
) -> Result<Vec<u128>, Finding> {
    let section = &image.sections[index];
    let old: Vec<u128> = chunks(section.bytes());
    for (label, at) in &code.labels {
        let symbol = image.symbols.iter().find(|s| {
            usize::from(s.section) == index && s.info & 15 == 2 && s.name == *label && s.value != *at
        });
        if let Some(symbol) = symbol {
            return Err(Finding::new(
                "A0008",
                code.span.clone(),
                format!("the function `{label}` would move from {:#x} to {at:#x}", symbol.value),
            ));
        }
    }
    let nop =
        nop(chip).ok_or_else(|| Finding::new("A0008", code.span.clone(), format!("{chip} has no NOP")))?;
    // NOPs at the end are padding, which may be taken or given back.
    let padding = |word: u128| decode(word, chip).is_ok_and(|inst| inst.row().mnemonic == "NOP");
    let used = code.words.iter().rposition(|w| !padding(w.bits)).map_or(0, |i| i + 1);
    if used > old.len() {
        let span = code.words[old.len()].span.clone();
        return Err(Finding::new(
            "A0008",
            span,
            format!(
                "`{}` has room for {} instructions, and {used} are needed: the cubin would have to be laid out anew",
                section.name,
                old.len()
            ),
        ));
    }
    let mut new = Vec::with_capacity(old.len());
    for (i, &before) in old.iter().enumerate() {
        let bits = match code.words.get(i) {
            None => nop,
            // The relocation stays, and it is for the instruction that was there.
            Some(word) if word.linked => match &word.inst {
                Some(inst) if same(inst, before, chip) => before,
                _ => {
                    let what = "a linker fills in an operand, so the instruction has to stay as it was";
                    return Err(Finding::new("A0008", word.span.clone(), what));
                }
            },
            Some(word) if word.controlled => word.bits,
            // The text says nothing of control bits: where the instruction is as before, so are they.
            Some(word) => match &word.inst {
                Some(inst) if same(inst, before, chip) => before,
                _ => {
                    report.safe += 1;
                    word.bits
                }
            },
        };
        report.changed += usize::from(bits != before);
        new.push(bits);
    }
    Ok(new)
}

fn chunks(bytes: &[u8]) -> Vec<u128> {
    bytes.chunks_exact(16).map(|b| u128::from_le_bytes(b.try_into().expect("chunks of 16"))).collect()
}

fn nop(chip: Chip) -> Option<u128> {
    let mut nop = Inst::new(form("nop")?);
    nop.control = sassafras_isa::Control { stall: 0, wait_mask: 0, ..nop.control };
    encode(&nop, chip).ok()
}

/// Whether a word has the text that the instruction was read from.
fn same(inst: &Inst, word: u128, chip: Chip) -> bool {
    let Ok(before) = decode(word, chip) else { return false };
    let style = Style { targets: Targets::Relative, chip: Some(chip), ..Style::default() };
    parse(&print(&before, &style), &style).is_ok_and(|back| back == *inst)
}

/// Holds the records of `.nv.info` against the new words.
fn records(
    bytes: &mut [u8],
    image: &Image,
    index: usize,
    words: &[u128],
    chip: Chip,
    update: bool,
    report: &mut Report,
) {
    let insts: Vec<Option<Inst>> = words.iter().map(|&w| decode(w, chip).ok()).collect();
    let section = &image.sections[index];
    let kernel = section.name.strip_prefix(".text.").unwrap_or_default();
    let own = image.section(&format!(".nv.info.{kernel}")).map(|i| &image.sections[i]);
    if let Some(info) = own {
        for (place, record) in attribute::parse(info.bytes(), info.offset).unwrap_or_default() {
            if record.id == EXIT_INSTR_OFFSETS {
                let stated = record.as_words().unwrap_or_default();
                exits(bytes, place, &stated, &insts, &section.name, update, report);
            }
        }
    }
    let Some(info) = image.section(".nv.info").map(|i| &image.sections[i]) else { return };
    let needed = highest(&insts).map_or(0, |r| r + 1);
    for (place, record) in attribute::parse(info.bytes(), info.offset).unwrap_or_default() {
        let Some([symbol, count]) = record.as_words().and_then(|w| <[u32; 2]>::try_from(w).ok()) else {
            continue;
        };
        let ours = image
            .symbols
            .get(symbol as usize)
            .is_some_and(|s| usize::from(s.section) == index && s.info & 15 == 2 && s.name == kernel);
        if record.id != REGCOUNT || !ours || needed <= count {
            continue;
        }
        // Two more that the hardware keeps, as ptxas counts them.
        let new = (needed + 2).min(255);
        report.warnings.push(format!(
            "`{kernel}` names R{}, and REGCOUNT is {count}{}",
            needed - 1,
            if update { format!("; now {new}") } else { String::new() }
        ));
        if update {
            let at = place as usize + 8;
            bytes[at..at + 4].copy_from_slice(&new.to_le_bytes());
            header_count(bytes, index, new, chip);
        }
    }
}

/// Up to sm_89 the section header holds the count too, in the highest byte of `sh_info`.
fn header_count(bytes: &mut [u8], index: usize, count: u32, chip: Chip) {
    if chip.number() >= 90 {
        return;
    }
    let Some(headers) = bytes.get(0x28..0x30).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes) else {
        return;
    };
    let at = headers as usize + 64 * index + 44 + 3;
    if let Some(byte) = bytes.get_mut(at) {
        *byte = count as u8;
    }
}

fn exits(
    bytes: &mut [u8],
    place: u64,
    stated: &[u32],
    insts: &[Option<Inst>],
    section: &str,
    update: bool,
    report: &mut Report,
) {
    let exit = |inst: &Inst| inst.row().control_flow == Some(ControlFlowKind::Exit);
    let actual: Vec<u32> = (0u32..)
        .zip(insts)
        .filter(|(_, inst)| inst.as_ref().is_some_and(exit))
        .map(|(i, _)| 16 * i)
        .collect();
    let mut sorted = stated.to_vec();
    sorted.sort_unstable();
    if sorted == actual {
        return;
    }
    let fits = update && actual.len() == stated.len();
    report.warnings.push(format!(
        "`{section}` exits at {}, and EXIT_INSTR_OFFSETS says {}{}",
        list(&actual),
        list(stated),
        match (update, fits) {
            (_, true) => "; set",
            (true, false) => "; another number of them, so the record stays",
            (false, false) => "",
        }
    ));
    if fits {
        for (i, exit) in actual.iter().enumerate() {
            let at = place as usize + 4 + 4 * i;
            bytes[at..at + 4].copy_from_slice(&exit.to_le_bytes());
        }
    }
}

/// Offsets for a sentence.
fn list(offsets: &[u32]) -> String {
    if offsets.is_empty() {
        return "no offset".to_owned();
    }
    offsets.iter().map(|at| format!("{at:#06x}")).collect::<Vec<_>>().join(", ")
}

/// The highest general register named.
fn highest(insts: &[Option<Inst>]) -> Option<u32> {
    let operands = insts.iter().flatten().flat_map(Inst::operands);
    operands.filter(|o| o.class == RegClass::R).map(|o| o.number + u32::from(o.units) - 1).max()
}
