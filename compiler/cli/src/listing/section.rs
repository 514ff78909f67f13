//! One section of code.

use std::fmt::Write;

use sassafras_cubin::elf::{Image, Section, Symbol, constants as c};
use sassafras_isa::{Chip, Control, Inst, Style, Targets, decode, print};

use super::{Labels, Listing, Look, UnknownWord};

/// The control bits for which nvdisasm leaves out the space before the semicolon: no wait, no stall.
const QUIET: Control =
    Control { stall: 0, yield_: false, write_barrier: 7, read_barrier: 7, wait_mask: 0, reuse: 0 };

/// Stands before an indirect branch's targets until their column is known.
const TARGETS: char = '\u{2}';
/// Stands before each half of a word until the column of the words is known.
const WORD: char = '\u{1}';

pub(super) fn write(
    image: &Image,
    index: usize,
    section: &Section,
    chip: Chip,
    look: Look,
    labels: &Labels,
    out: &mut Listing,
) -> Result<(), UnknownWord> {
    let _ = writeln!(out.text, "//--------------------- {:<25} --------------------------", section.name);
    let _ = writeln!(out.text, "\t.section\t{},\"ax\",@progbits", section.name);
    let _ = writeln!(out.text, "\t.align\t{}", section.align);
    let mut functions: Vec<&Symbol> =
        image.symbols.iter().filter(|s| usize::from(s.section) == index && s.info & 15 == 2).collect();
    functions.sort_by_key(|s| s.value);
    let mut functions = functions.into_iter().peekable();
    // The section's own label comes after a function that others see, and before one that is local.
    let mut own = Some(format!("{}:\n", section.name));
    for (i, bytes) in section.bytes().chunks_exact(16).enumerate() {
        let address = 16 * i as u64;
        while let Some(s) = functions.next_if(|s| s.value <= address) {
            if s.info >> 4 == 0 {
                out.text.extend(own.take());
            }
            function(s, index, labels, &mut out.text);
        }
        out.text.extend(own.take());
        if let Some(label) = labels.at(index, address) {
            let _ = writeln!(out.text, "{label}:");
        }
        let word = u128::from_le_bytes(bytes.try_into().expect("chunks of 16"));
        match decode(word, chip) {
            Ok(inst) => {
                instruction(&inst, word, address, index, section.size(), chip, look, labels, &mut out.text);
            }
            Err(error) => {
                let unknown = UnknownWord { section: section.name.clone(), address, word, error };
                if !look.lenient {
                    return Err(unknown);
                }
                let quads = [word as u64, (word >> 64) as u64];
                let _ = writeln!(
                    out.text,
                    "        /*{address:04x}*/                   .quad {:#018x}, {:#018x} ; // {}",
                    quads[0], quads[1], unknown.error
                );
                out.unknown.push(unknown);
            }
        }
    }
    if let Some(label) = labels.at(index, section.size()) {
        let _ = writeln!(out.text, "{label}:");
    }
    out.text.push_str("\n\n");
    Ok(())
}

fn function(s: &Symbol, section: usize, labels: &Labels, out: &mut String) {
    let name = &s.name;
    match s.info >> 4 {
        1 => {
            let _ = writeln!(out, "        .global         {name}");
        }
        2 => {
            let _ = writeln!(out, "        .weak           {name}");
        }
        _ => {}
    }
    let _ = writeln!(out, "        .type           {name},@function");
    let end =
        labels.reference(section, s.value.saturating_add(s.size)).unwrap_or_else(|| format!("{:#x}", s.size));
    let _ = writeln!(out, "        .size           {name},({end} - {name})");
    if s.other & c::STO_ENTRY != 0 {
        let _ = writeln!(out, "        .other          {name},@\"STO_CUDA_ENTRY STV_DEFAULT\"");
    }
    let _ = writeln!(out, "{name}:");
}

/// nvdisasm writes a space after an infinity, a NaN and a negative zero.
fn spaced(text: String) -> String {
    if !["INF", "NAN", "-0.0"].iter().any(|name| text.contains(name)) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 4);
    for (i, operand) in text.split(',').enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str(operand);
        if ["-0.0", "+INF", "-INF", "+QNAN", "-QNAN", "+SNAN", "-SNAN"]
            .iter()
            .any(|name| operand.ends_with(name))
        {
            out.push(' ');
        }
    }
    out
}

fn instruction(
    inst: &Inst,
    word: u128,
    address: u64,
    section: usize,
    size: u64,
    chip: Chip,
    look: Look,
    labels: &Labels,
    out: &mut String,
) {
    let name = |distance: i64| {
        let target = address.wrapping_add(16).wrapping_add(distance as u64);
        (target < size).then(|| labels.reference(section, target)).flatten().map(|l| format!("`({l})"))
    };
    // What is printed is read back with the names as they stand, to see what the text loses.
    let find = |text: &str| {
        let place = labels.place(section, text.strip_prefix("`(")?.strip_suffix(')')?)?;
        Some(place.wrapping_sub(address).wrapping_sub(16) as i64)
    };
    let targets = Targets::Named { name: &name, find: &find };
    let style = Style { targets, control: look.control, exact: look.control, chip: Some(chip) };
    let text = spaced(print(inst, &style));
    let space = if inst.control == QUIET { "" } else { " " };
    let mut line = format!("        /*{address:04x}*/");
    match text.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
        Some((guard, rest)) if !look.control => {
            let _ = write!(line, "{:>18} {rest}", format!("@{guard}"));
        }
        _ => {
            let _ = write!(line, "{:19}{text}", "");
        }
    }
    if let Some(places) = labels.targets(section, address) {
        let mut names: Vec<String> = Vec::new();
        for &place in places {
            let name = labels.reference(section, place).unwrap_or_else(|| format!("{place:#x}"));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let _ = write!(line, "{TARGETS}(*\"BRANCH_TARGETS {}\"*)", names.join(","));
        line.push(';');
    } else {
        let _ = write!(line, "{space};");
    }
    if look.hex {
        let _ = write!(line, "{WORD}{:#018x}{WORD}{:#018x}", word as u64, (word >> 64) as u64);
    }
    let _ = writeln!(out, "{line}");
}

/// Puts targets of indirect branches behind the longest line of the file, and the words of `-hex` behind those.
pub(super) fn align(text: &str) -> String {
    if !text.contains([WORD, TARGETS]) {
        return text.to_owned();
    }
    let code = |line: &str| line.split(WORD).next().unwrap_or_default().len();
    let lines = || text.lines().filter(|l| l.starts_with("        /*"));
    let plain = lines().filter(|l| !l.contains(TARGETS)).map(code).max().unwrap_or(0);
    let aimed = lines().filter_map(|l| l.split(WORD).next()?.split_once(TARGETS));
    let words = aimed.map(|(_, places)| plain + places.len() + 1).max().unwrap_or(0).max(plain + 2);
    let mut out = String::with_capacity(2 * text.len());
    for line in text.lines() {
        let parts: Vec<&str> = line.split(WORD).collect();
        let code = match parts[0].split_once(TARGETS) {
            Some((code, places)) => format!("{code:plain$}{places}"),
            None => parts[0].to_owned(),
        };
        let _ = match parts[1..] {
            [low, high] => writeln!(out, "{code:words$}/* {low} */\n{:words$}/* {high} */", ""),
            _ => writeln!(out, "{code}"),
        };
    }
    out
}
