//! Video instructions. Of most, values that show the error are those of a sum that no PTX instruction gives, so that only the form is known.

use super::found::{Found, found};
use crate::slice::Shows;
use crate::view::View;
use sassafras_ptx::checked::{Inst, Op, Operand, Type};

/// Root and types, as the type of the result and those of the first two sources.
fn video(inst: &Inst) -> Option<(&'static str, [Type; 3])> {
    let [d, a, b] = inst.types[..] else { return None };
    (inst.op == Op::Video).then_some((*inst.mods.words.first()?, [d, a, b]))
}

fn has(inst: &Inst, word: &str) -> bool {
    inst.mods.words.contains(&word) || (word == "sat" && inst.mods.sat)
}

/// Whether the bits above the low 32 show in the result.
fn high_bits(inst: &Inst) -> bool {
    ["sat", "shr7", "shr15"].iter().any(|w| has(inst, w))
}

/// A word that may have its highest bit set: the condition.
fn highest(at: usize, word: &Operand) -> Option<Found> {
    found(Shows::new(&["setp.lt.s32 %lint_p, {0}, 0;"], &[(at, word)]))
}

/// A product of a signed and an unsigned word that is not a part of one; also where a negation makes unsigned words signed.
pub fn video_mad_mixed(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let ("vmad", [_, a, b]) = video(inst)? else { return None };
    if !a.signed()
        && !b.signed()
        && high_bits(inst)
        && inst.operands.iter().any(|o| matches!(o, Operand::Negated(_)))
    {
        return Some(Found::default());
    }
    let unsigned = match (a.signed(), b.signed()) {
        (true, false) => inst.operands.get(2)?,
        (false, true) => inst.operands.get(1)?,
        _ => return None,
    };
    (high_bits(inst) && matches!(unsigned, Operand::Register(_))).then(|| highest(at, unsigned))?
}

/// A product of unsigned words with an addend.
pub fn video_mad_unsigned(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let ("vmad", [_, a, b]) = video(inst)? else { return None };
    let negated = inst.operands.iter().any(|o| matches!(o, Operand::Negated(_)));
    if a.signed() || b.signed() || negated || has(inst, "po") || !high_bits(inst) {
        return None;
    }
    highest(at, inst.operands.get(3)?)
}

/// A saturated result that becomes a part of a word.
pub fn video_part_sat(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let (root, types) = video(inst)?;
    let part = matches!(inst.operands.first(), Some(Operand::Pieces(..)));
    let signed = [types[1], types[2]].map(Type::signed);
    // What may be below zero, and shifts.
    let errs = match root {
        "vadd" | "vmin" => signed[0] || signed[1],
        "vmax" => signed[0] && signed[1],
        "vsub" | "vshl" | "vshr" => true,
        _ => false,
    };
    (part && errs && has(inst, "sat")).then(Found::default)
}

/// A sum, difference or shift of unsigned words, or one that is kept as such, that goes through a second operation.
pub fn video_second_min(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let (root, [d, a, b]) = video(inst)?;
    let (sat, extremum) = (has(inst, "sat"), has(inst, "min") || has(inst, "max"));
    let errs = match root {
        "vadd" | "vsub" if extremum => !d.signed(),
        "vadd" => has(inst, "add") && sat && !d.signed() && !(a.signed() && b.signed()),
        "vsub" => has(inst, "add") && sat && !d.signed() && a.signed() != b.signed(),
        "vshl" => extremum && (!d.signed() || !sat),
        "vshr" => extremum && sat && !d.signed() && !a.signed(),
        _ => false,
    };
    // Parts of words are too small.
    let whole = inst.operands.iter().skip(1).take(2).any(|o| matches!(o, Operand::Register(_)));
    (errs && whole).then(Found::default)
}

/// A sum, difference or distance of whole words that may be 2^32 or more, saturated as an unsigned word.
pub fn video_sum_sat(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let (root, [d, a, b]) = video(inst)?;
    let large = match root {
        "vadd" => !a.signed() || !b.signed(),
        "vsub" => !a.signed() && b.signed(),
        "vabsdiff" => a.signed() != b.signed(),
        _ => false,
    };
    // `video_part_sat` and `video_second_min` have the others.
    let alone = !["min", "max", "add"].iter().any(|second| has(inst, second));
    let whole =
        inst.operands.iter().take(3).all(|o| matches!(o, Operand::Register(_) | Operand::Immediate(_)));
    (large && !d.signed() && has(inst, "sat") && alone && whole).then(Found::default)
}
