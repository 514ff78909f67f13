//! Rules about words: each says what its instruction said, and no bit of it is lost.

use crate::finding::Verdict;
use crate::report::Report;
use crate::rules::Rule;
use sassafras_chip::Chip;
use sassafras_isa::{FieldKind, Inst, Meaning, Style, decode, encode, parse, print};
use sassafras_machine::{Block, Function};
use std::collections::HashMap;

/// Bytes of a word.
const WORD: u64 = 16;
/// Words to which a function is padded: 128 bytes.
const PAD: usize = 8;

/// Where a word stands; its text is made for what is objected to.
#[derive(Clone, Copy)]
enum At {
    /// The word of an instruction of a block, and its address.
    Instruction(Block, usize, u64),
    /// A word behind the last instruction.
    Padding(usize),
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            At::Instruction(block, index, address) => {
                write!(f, "{block}, instruction {index} at {address:#06x}")
            }
            At::Padding(word) => write!(f, "padding, word {word}"),
        }
    }
}

/// Judges the words of a scheduled function, padding included.
pub fn check(f: &Function, words: &[u128], chip: Chip) -> Verdict {
    let mut report = Report::of(&f.name);
    let mut starts = HashMap::new();
    let mut count = 0u64;
    for &block in &f.layout {
        starts.insert(block, count);
        count += f.blocks[block].insts.len() as u64;
    }
    if count > words.len() as u64 {
        report.add(Rule::WordsCount, "code", format!("{count} instructions became {} words", words.len()));
        return report.verdict();
    }
    let (own, padding) = words.split_at(count as usize);
    for (at, ((block, index, inst), &word)) in f.insts().zip(own).enumerate() {
        let place = At::Instruction(block, index, WORD * at as u64);
        let Some(said) = inst.inst() else {
            report.add(Rule::WordsDecode, place, "a pseudo-instruction was encoded");
            continue;
        };
        let Some(found) = one(word, chip, place, &mut report) else { continue };
        let mut said = said.clone();
        let target =
            said.row().fields.iter().position(|field| matches!(field.kind, FieldKind::Target { .. }));
        if let (Some(field), Some(target)) = (target, inst.target) {
            let Some(&start) = starts.get(&target) else {
                report.add(Rule::WordsDecode, place, format!("{target} has no place"));
                continue;
            };
            said.fields[field] = (WORD * start).wrapping_sub(WORD * (at as u64 + 1));
        }
        if found != said {
            let style = Style { control: true, exact: true, ..Style::default() };
            let what = format!("`{}` became `{}`", print(&said, &style), print(&found, &style));
            report.add(Rule::WordsDecode, place, what);
        }
    }
    pads(padding, words.len(), chip, &mut report);
    report.verdict()
}

/// What holds of a word by itself. Its instruction, if it has one.
fn one(word: u128, chip: Chip, place: At, report: &mut Report) -> Option<Inst> {
    let found = match decode(word, chip) {
        Ok(found) => found,
        Err(error) => {
            report.add(Rule::WordsDecode, place, format!("{word:#034x} does not decode: {error}"));
            return None;
        }
    };
    match encode(&found, chip) {
        Ok(again) if again == word => {}
        Ok(again) => report.add(Rule::WordsBits, place, format!("{word:#034x} encodes as {again:#034x}")),
        Err(error) => report.add(Rule::WordsBits, place, format!("{word:#034x} does not encode: {error}")),
    }
    let style = Style { control: true, exact: true, ..Style::default() };
    let text = print(&found, &style);
    match parse(&text, &style) {
        Ok(again) if again == found => {}
        Ok(_) => report.add(Rule::WordsText, place, format!("`{text}` reads as another instruction")),
        Err(error) => report.add(Rule::WordsText, place, format!("`{text}` does not read: {error}")),
    }
    if let Some(fault) = found.control.fault() {
        report.add(Rule::WordsControl, place, fault);
    }
    Some(found)
}

/// Behind the last instruction: a branch to itself, then NOPs, up to a full line.
fn pads(padding: &[u128], all: usize, chip: Chip, report: &mut Report) {
    if padding.is_empty() || !all.is_multiple_of(PAD) {
        report.add(Rule::WordsCount, "padding", format!("{} words, {all} in all", padding.len()));
    }
    for (i, &word) in padding.iter().enumerate() {
        let place = At::Padding(i);
        let Some(inst) = one(word, chip, place, report) else { continue };
        let own = inst.row().fields.iter().zip(&inst.fields).any(|(field, &value)| {
            matches!(field.kind, FieldKind::Target { .. }) && value == WORD.wrapping_neg()
        });
        let fine = match i {
            0 => inst.row().meaning == Meaning::Bra && own && inst.guard.is_always(),
            _ => inst.row().meaning == Meaning::Nop,
        };
        if !fine {
            report.add(Rule::WordsCount, place, format!("`{}`", print(&inst, &Style::default())));
        }
    }
}
