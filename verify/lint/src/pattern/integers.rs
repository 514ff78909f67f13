//! Integers: fields, negations, carries, shifts.

use super::found::{Found, found, ty};
use crate::slice::Shows;
use crate::view::View;
use sassafras_ptx::checked::{Op, Operand, Type};

/// A 64-bit field whose position or length is no constant (constants beyond 255 are refused).
pub fn bfe_64(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let first = match (inst.op, ty(inst, 0)?) {
        (Op::Bfe, Type::U(64) | Type::S(64)) => 2,
        (Op::Bfi, Type::B(64)) => 3,
        _ => return None,
    };
    let (position, length) = (inst.operands.get(first)?, inst.operands.get(first + 1)?);
    if view.constant(at, position).is_some() && view.constant(at, length).is_some() {
        return None;
    }
    let lines = ["or.b32 %lint_r0, {0}, {1};", "setp.gt.u32 %lint_p, %lint_r0, 255;"];
    found(Shows::new(&lines, &[(at, position), (at, length)]))
}

/// A signed field of 32 bits that begins behind the word, at a constant.
pub fn bfe_sign(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let [_, from, position, length] = &inst.operands[..] else { return None };
    let behind = view.constant(at, position).is_some_and(|p| (32..256).contains(&p));
    if inst.op != Op::Bfe
        || ty(inst, 0) != Some(Type::S(32))
        || !behind
        || view.constant(at, length) == Some(0)
    {
        return None;
    }
    // Where the word is negative, all bits of the field are ones, as ptxas has them.
    found(Shows::new(&["setp.ge.s32 %lint_p, {0}, 0;"], &[(at, from)]))
}

/// 0 less a magnitude of 64 bits, for its borrow.
pub fn borrow_abs(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let [_, zero, from] = &inst.operands[..] else { return None };
    let wide = matches!(ty(inst, 0)?, Type::S(64) | Type::U(64));
    if inst.op != Op::Sub || !inst.mods.carry_out || !wide || view.constant(at, zero) != Some(0) {
        return None;
    }
    let abs = view.source(at, from, Op::Abs)?;
    found(Shows::new(&["setp.eq.s64 %lint_p, {0}, 0;"], &[(abs, view.insts[abs].operands.get(1)?)]))
}

/// What a value is the negation of, also as a difference from zero: the operand, and the instruction that reads it.
fn negated<'a>(view: &View<'a>, at: usize, value: &Operand) -> Option<(usize, &'a Operand)> {
    let signed = |&i: &usize| ty(&view.insts[i], 0) == Some(Type::S(32));
    if let Some(neg) = view.source(at, value, Op::Neg).filter(signed) {
        return Some((neg, view.insts[neg].operands.get(1)?));
    }
    let sub = view.source(at, value, Op::Sub).filter(signed)?;
    let inst = &view.insts[sub];
    let plain =
        !inst.mods.carry_out && !inst.mods.sat && view.constant(sub, inst.operands.get(1)?) == Some(0);
    Some((sub, inst.operands.get(2).filter(|_| plain)?))
}

/// A match whose error shows where a value that was negated, or of which the magnitude was taken, is -2147483648.
fn least(of: (usize, &Operand)) -> Option<Found> {
    found(Shows::new(&["setp.eq.s32 %lint_p, {0}, -2147483648;"], &[of]))
}

/// A negation or a magnitude that is saturated.
pub fn cvt_sat_neg(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let narrow = matches!(ty(inst, 0), Some(Type::U(8 | 16 | 32) | Type::S(8 | 16)));
    if inst.op != Op::Cvt
        || inst.mods.mode.is_some()
        || !inst.mods.sat
        || !narrow
        || ty(inst, 1) != Some(Type::S(32))
    {
        return None;
    }
    let value = inst.operands.get(1)?;
    let magnitude = || {
        let abs = view.source(at, value, Op::Abs).filter(|&i| ty(&view.insts[i], 0) == Some(Type::S(32)))?;
        Some((abs, view.insts[abs].operands.get(1)?))
    };
    least(negated(view, at, value).or_else(magnitude)?)
}

/// A selection between signed words by the sign of a negation.
pub fn slct_neg(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let signed = inst.types[..] == [Type::S(32), Type::S(32)];
    (inst.op == Op::Slct && signed).then(|| least(negated(view, at, inst.operands.get(3)?)?))?
}

/// A search for the bit at a distance that no word has.
pub fn fns_far(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let [_, _, _, distance] = &inst.operands[..] else { return None };
    if inst.op != Op::Fns || view.constant(at, distance).is_some_and(|d| d as u32 != 0x8000_0000) {
        return None;
    }
    least((at, distance))
}

/// By how much an operand was shifted to the left, over all shifts by constants that it comes through, and how many these are.
fn shifted(view: &View<'_>, at: usize, operand: &Operand) -> (u64, u32) {
    let (mut at, mut operand, mut by, mut times) = (at, operand, 0u64, 0);
    while times < 16 {
        let word = |&i: &usize| ty(&view.insts[i], 0) == Some(Type::B(32));
        let Some(shl) = view.source(at, operand, Op::Shl).filter(word) else { break };
        let inst = &view.insts[shl];
        let Some(more) = inst.operands.get(2).and_then(|o| view.constant(shl, o)) else { break };
        by = by.saturating_add(more.min(32));
        (at, operand, times) = (shl, &inst.operands[1], times + 1);
    }
    (by, times)
}

/// The carry of a constant and a word of which several shifts leave nothing. One shift by 32 or more is folded rightly.
pub fn carry_folded(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let [_, a, b] = &inst.operands[..] else { return None };
    let word = ty(inst, 0).is_some_and(|t| t.width() == 32);
    if !matches!(inst.op, Op::Add | Op::Sub) || !inst.mods.carry_out || !word {
        return None;
    }
    let zero = |x: &Operand, y: &Operand| {
        let (by, times) = shifted(view, at, x);
        by >= 32 && times > 1 && view.constant(at, y).is_some_and(|c| c as u32 != 0)
    };
    (zero(a, b) || (inst.op == Op::Add && zero(b, a))).then(Found::default)
}

/// The greatest or least of three, of which the second is a negation.
pub fn max_neg(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let [_, a, b] = &inst.operands[..] else { return None };
    if !matches!(inst.op, Op::Max | Op::Min) || ty(inst, 0) != Some(Type::S(32)) {
        return None;
    }
    let inner =
        |o: &Operand| view.source(at, o, inst.op).filter(|&i| ty(&view.insts[i], 0) == Some(Type::S(32)));
    let (inner, third) = [(a, b), (b, a)].into_iter().find_map(|(o, third)| Some((inner(o)?, third)))?;
    let [_, first, second] = &view.insts[inner].operands[..] else { return None };
    let of = negated(view, inner, second)?;
    if view.constant(inner, first).is_some() || view.constant(at, third).is_some() {
        return None;
    }
    // A negated zero is zero, and loses nothing with its sign.
    found(Shows::new(&["setp.ne.s32 %lint_p, {0}, 0;"], &[of]))
}

/// The difference of a 64-bit value shifted to the left and to the right, by 64 places in all.
pub fn rotate64(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let [_, a, b] = &inst.operands[..] else { return None };
    if !matches!(inst.op, Op::Sub | Op::Add) || inst.mods.carry_out || ty(inst, 0)?.width() != 64 {
        return None;
    }
    // A sum with a negation is a difference. An operand, who reads it, and whether it was negated.
    let side = |o| match view.source(at, o, Op::Neg) {
        Some(neg) if inst.op == Op::Add => (neg, view.insts[neg].operands.get(1).unwrap_or(o), true),
        _ => (at, o, inst.op == Op::Sub),
    };
    let (a, b) = (side(a), side(b));
    if !a.2 && !b.2 {
        return None;
    }
    let shift = |(at, o, _): (usize, &Operand, bool), op: Op| {
        let shift = view.source(at, o, op)?;
        let inst = &view.insts[shift];
        Some((view.value(shift, inst.operands.get(1)?)?, view.constant(shift, inst.operands.get(2)?)?))
    };
    let ((x, k), (y, l), right) = match (shift(a, Op::Shl), shift(b, Op::Shr)) {
        (Some(left), Some(right)) => (left, right, b),
        _ => (shift(b, Op::Shl)?, shift(a, Op::Shr)?, a),
    };
    if !view.same(x, y) || k + l != 64 || k == 0 || l == 0 {
        return None;
    }
    found(Shows::new(&["setp.ne.s64 %lint_p, {0}, 0;"], &[(right.0, right.1)]))
}

/// A 16-bit shift by a float's conversion to an unsigned word.
pub fn shift_narrowed(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let half = ty(inst, 0).is_some_and(|t| t.width() == 16);
    if !matches!(inst.op, Op::Shl | Op::Shr) || !half {
        return None;
    }
    let cvt = view.source(at, inst.operands.get(2)?, Op::Cvt)?;
    let types = &view.insts[cvt].types[..];
    if types != [Type::U(32), super::found::F32] {
        return None;
    }
    // From -1 down every rounding leaves a negative number, which the conversion makes 0.
    found(Shows::new(&["setp.le.f32 %lint_p, {0}, 0fBF800000;"], &[(cvt, view.insts[cvt].operands.get(1)?)]))
}
