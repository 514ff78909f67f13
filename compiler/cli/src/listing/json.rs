//! The JSON of `nvdisasm -json`, but for the name of the program that made it.

use super::section::{Context, words};
use super::{Labels, Listing, Look, UnknownWord, unknown};
use sassafras_cubin::elf::{Abi, Image, Symbol, constants as c};
use sassafras_isa::{Chip, ControlFlowKind, Form, Inst, decode};
use std::fmt::Write;

pub(super) fn write(
    image: &Image,
    chip: Chip,
    look: Look,
    labels: &Labels,
    out: &mut Listing,
) -> Result<(), UnknownWord> {
    head(image, chip, &mut out.text);
    let mut first = true;
    for (index, section) in image.sections.iter().enumerate().filter(|(_, s)| s.flags & c::EXEC != 0) {
        let context = Context::new(index, section, chip, look, labels);
        let words: Vec<u128> = words(section).collect();
        for (symbol, range) in functions(image, index, words.len()) {
            out.text.push_str(if first { "{" } else { ",{" });
            first = false;
            let _ = write!(
                out.text,
                "\"function-name\":{},\"start\":{},\"length\":{},\"other-attributes\":[],\"sass-instructions\":[",
                quoted(&symbol.name),
                symbol.value,
                symbol.size
            );
            for i in range.clone() {
                if i > range.start {
                    out.text.push(',');
                }
                match decode(words[i], chip) {
                    Ok(inst) => {
                        let address = 16 * i as u64;
                        let text = relocated(&context, words[i], address, chip).unwrap_or_else(|| {
                            let mut text = String::new();
                            context.text(&inst, address, &mut text);
                            text
                        });
                        instruction(&context, &inst, &text, address, &mut out.text);
                    }
                    Err(error) => {
                        let found = unknown(section, 16 * i as u64, words[i], error);
                        if !look.lenient {
                            return Err(found);
                        }
                        let quads = [words[i] as u64, (words[i] >> 64) as u64];
                        let _ = write!(
                            out.text,
                            "{{\"opcode\":\".quad\",\"operands\":\"{:#018x},{:#018x}\"}}",
                            quads[0], quads[1]
                        );
                        out.unknown.push(found);
                    }
                }
            }
            out.text.push_str("]}");
        }
    }
    out.text.push_str("]]");
    Ok(())
}

/// The functions of a section by address, each with its words: up to the next function.
pub(super) fn functions(
    image: &Image,
    section: usize,
    words: usize,
) -> Vec<(&Symbol, std::ops::Range<usize>)> {
    let mut list: Vec<&Symbol> =
        image.symbols.iter().filter(|s| usize::from(s.section) == section && s.info & 15 == 2).collect();
    list.sort_by_key(|s| s.value);
    let place = |s: &Symbol| usize::try_from(s.value / 16).unwrap_or(usize::MAX).min(words);
    let end = |i: usize| list.get(i + 1).map_or(words, |next| place(next));
    (0..list.len()).map(|i| (list[i], place(list[i])..end(i))).collect()
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The layout that nvdisasm names: of an older file it is that of CUDA 13's sm_90.
fn layout_id(image: &Image) -> u32 {
    match image.header.abi {
        Abi::V7 => 4,
        Abi::V8 => image.header.flags & 0xff,
    }
}

/// What the file says about itself.
fn head(image: &Image, chip: Chip, out: &mut String) {
    let _ = write!(
        out,
        "[{{\"ELF\":{{\"layout-id\":{},\"ei_osabi\":{},\"ei_abiversion\":{}}},\
         \"SM\":{{\"version\":{{\"major\":{},\"minor\":{}}}}},\
         \"SchemaVersion\":{{\"major\":13,\"minor\":2,\"revision\":0}},\"Producer\":{},\"Description\":\"\"",
        layout_id(image),
        image.header.abi.os_abi(),
        image.header.abi.version(),
        chip.number() / 10,
        chip.number() % 10,
        quoted(concat!("sassafras ", env!("CARGO_PKG_VERSION"))),
    );
    let note = |name: &str| image.section(name).map(|i| image.sections[i].bytes()).and_then(|b| b.get(24..));
    if let Some(data) = note(".note.nv.cuinfo").filter(|data| data.len() >= 6) {
        let half = |at: usize| u16::from_le_bytes([data[at], data[at + 1]]);
        let _ = write!(
            out,
            ",\".note.nv.cuinfo\":{{\"nv_note_cuinfo\":{},\"nv_note_cuinfo_virt_sm\":{},\
             \"nv_note_cuinfo_toolVersion\":{}}}",
            half(0),
            half(2),
            half(4)
        );
    }
    if let Some(data) = note(".note.nv.tkinfo").filter(|data| data.len() >= 24) {
        let word =
            |i: usize| u32::from_le_bytes([data[4 * i], data[4 * i + 1], data[4 * i + 2], data[4 * i + 3]]);
        let text = |i: usize| {
            let tail = data.get(24 + word(i) as usize..).unwrap_or_default();
            let end = tail.iter().position(|&b| b == 0).unwrap_or(tail.len());
            quoted(&String::from_utf8_lossy(&tail[..end]))
        };
        let _ = write!(
            out,
            ",\".note.nv.tkinfo\":{{\"nv_note_tkinfo\": {},\"tki_objFname\": {}, \"tki_toolName\": {},\
             \"tki_toolVersion\": {},\"tki_toolBranch\": {},\"tki_toolOptions\": {}}}",
            word(0),
            text(1),
            text(2),
            text(3),
            text(4),
            text(5)
        );
    }
    out.push_str("},[");
}

/// The text of a word that a linker fills something into.
fn relocated(context: &Context<'_>, word: u128, address: u64, chip: Chip) -> Option<String> {
    let relocated = context.labels.relocated(context.section, address)?;
    let inst = decode(relocated.marked(word), chip).ok()?;
    let mut text = String::new();
    context.text(&inst, address, &mut text);
    relocated.plain(&text, word)
}

fn instruction(context: &Context<'_>, inst: &Inst, text: &str, address: u64, out: &mut String) {
    let mut rest = text;
    out.push('{');
    if rest.starts_with('@') {
        let (guard, after) = rest.split_once(' ').unwrap_or((rest, ""));
        let _ = write!(out, "\"predicate\":\"{guard}\",");
        rest = after;
    }
    let (opcode, operands) = rest.split_once(' ').unwrap_or((rest, ""));
    let _ = write!(out, "\"opcode\":\"{opcode}\"");
    if !operands.is_empty() {
        let _ = write!(out, ",\"operands\":{}", quoted(&operands_text(context, opcode, operands)));
    }
    let row = inst.row();
    let jump = || super::blocks::flow(inst, address, context.section, context.labels).targets;
    let attributes = [
        (flows(row), "control-flow"),
        (row.control_flow == Some(ControlFlowKind::Call) && jump().is_empty(), "subroutine-call"),
        (["ACQBULK", "BAR", "SYNCS", "UCGABAR_WAIT"].contains(&row.mnemonic), "inter-warp-barrier"),
    ];
    if attributes.iter().any(|a| a.0) {
        let list = attributes.iter().filter(|a| a.0).map(|a| format!("\"{}\":\"True\"", a.1));
        let list: Vec<String> = list.collect();
        let _ = write!(out, ",\"other-attributes\":{{{}}}", list.join(","));
    }
    out.push('}');
}

/// Whether nvdisasm counts the instruction to control flow: more than change it. Source: `-json` of the words that ptxas makes for sm_75,
/// sm_80, sm_90 and sm_100.
fn flows(row: &Form) -> bool {
    const OTHERS: [&str; 8] =
        ["ACQBULK", "BMOV", "ELECT", "ENDCOLLECTIVE", "NANOSLEEP", "PREEXIT", "RPCMOV", "UTCBAR"];
    OTHERS.contains(&row.mnemonic) || row.control_flow.is_some_and(|kind| kind != ControlFlowKind::Block)
}

/// Operands without spaces; labels as addresses, functions by name.
fn operands_text(context: &Context<'_>, opcode: &str, operands: &str) -> String {
    // The barrier comes first here, though the text has the predicate first.
    if let ("BREAK", Some((predicate, barrier))) = (opcode, operands.split_once(", ")) {
        return format!("{barrier},{predicate}");
    }
    let mut text = String::with_capacity(operands.len());
    for operand in operands.split(", ") {
        // No comma comes before an address in brackets.
        if !text.is_empty() && !operand.starts_with('[') {
            text.push(',');
        }
        match operand.find("`(") {
            Some(at) => {
                text.push_str(&operand[..at].replace(' ', ","));
                let name = operand[at + 2..].trim_end_matches(')');
                match context.labels.place(context.section, name).filter(|_| name.starts_with(".L_x_")) {
                    Some(place) => text.push_str(&format!("{place:#x}")),
                    None => text.push_str(name),
                }
            }
            None => {
                // A space inside parts two operands; one at the end belongs to a number.
                let (inner, tail) = operand.split_at(operand.trim_end().len());
                text.push_str(&inner.replace(' ', ","));
                text.push_str(tail);
            }
        }
    }
    text
}
