//! Floats.

use super::found::{F16, F32, Found, found, ty};
use crate::slice::Shows;
use crate::view::View;
use sassafras_ptx::checked::{Inst, Op, Operand, Type};
use sassafras_semantics::Rounding;

/// A conversion to binary16 that rounds away from zero on one side and flushes subnormals.
pub fn cvt_ftz_f16(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let half = inst.types[..] == [F16, F32];
    // What is rounded up shows where the subnormal is positive, and the other way round.
    let sign = match inst.mods.rounding {
        Some(Rounding::Up) => "eq",
        Some(Rounding::Down) => "ne",
        _ => return None,
    };
    if inst.op != Op::Cvt || !inst.mods.ftz || !half {
        return None;
    }
    let last = format!("setp.{sign}.and.u32 %lint_p, %lint_r1, 0, %lint_q;");
    let lines = [
        "mov.b32 %lint_r0, {0};",
        "and.b32 %lint_r1, %lint_r0, 0x80000000;",
        "and.b32 %lint_r2, %lint_r0, 0x7fffffff;",
        "sub.u32 %lint_r2, %lint_r2, 1;",
        "setp.lt.u32 %lint_q, %lint_r2, 0x7fffff;",
        &last,
    ];
    found(Shows::new(&lines, &[(at, inst.operands.get(1)?)]))
}

/// The extremum of a number and itself.
pub fn max_same_nan(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let [_, a, b] = &inst.operands[..] else { return None };
    let plain = !inst.mods.ftz && !inst.mods.nan && !inst.mods.xorsign_abs;
    if !matches!(inst.op, Op::Max | Op::Min) || !plain || !view.same(view.value(at, a)?, view.value(at, b)?) {
        return None;
    }
    // A NaN that is not the canonical one.
    let (magnitude, infinite, get) = match ty(inst, 0)? {
        F32 => (0x7fff_ffffu32, 0x7f80_0000u32, "mov.b32"),
        F16 => (0x7fff, 0x7c00, "cvt.u32.u16"),
        _ => return None,
    };
    let lines = [
        format!("{get} %lint_r0, {{0}};"),
        format!("setp.ne.u32 %lint_q, %lint_r0, {magnitude};"),
        format!("and.b32 %lint_r1, %lint_r0, {magnitude};"),
        format!("setp.gt.and.u32 %lint_p, %lint_r1, {infinite}, %lint_q;"),
    ];
    found(Shows::new(&lines.each_ref().map(String::as_str), &[(at, a)]))
}

/// The source of a clamp to 1: of an extremum of binary32 with a constant, whose other operand another such extremum gives, that one and what it reads.
fn clamped<'a>(
    view: &View<'a>,
    at: usize,
    (outer, bound): (Op, u64),
    (inner, other): (Op, u64),
) -> Option<(usize, &'a Operand)> {
    let plain = |i: &Inst, op: Op| {
        i.op == op && ty(i, 0) == Some(F32) && !i.mods.nan && !i.mods.xorsign_abs && i.operands.len() == 3
    };
    // The operand beside a constant.
    let beside = |n: usize, constant: u64| {
        let (a, b) = (view.insts[n].operands.get(1)?, view.insts[n].operands.get(2)?);
        if view.constant(n, b) == Some(constant) {
            Some(a)
        } else {
            (view.constant(n, a) == Some(constant)).then_some(b)
        }
    };
    if !plain(&view.insts[at], outer) {
        return None;
    }
    let first = view.source(at, beside(at, bound)?, inner)?;
    plain(&view.insts[first], inner).then_some(())?;
    Some((first, beside(first, other)?))
}

/// The bits of 1 and of -0.
const ONE: u64 = 0x3f80_0000;
const MINUS_ZERO: u64 = 0x8000_0000;

/// The larger of 0 and of what is at most 1.
pub fn clamp_nan(view: &View<'_>, at: usize) -> Option<Found> {
    let (first, from) = clamped(view, at, (Op::Max, 0), (Op::Min, ONE))?;
    found(Shows::new(&["setp.nan.f32 %lint_p, {0}, {0};"], &[(first, from)]))
}

/// The smaller of 1 and of what is at least -0.
pub fn clamp_minus_zero(view: &View<'_>, at: usize) -> Option<Found> {
    let (first, from) = clamped(view, at, (Op::Min, ONE), (Op::Max, MINUS_ZERO))?;
    let lines = [
        "mov.b32 %lint_r0, {0};",
        "setp.nan.f32 %lint_q, {0}, {0};",
        "setp.lt.or.s32 %lint_p, %lint_r0, 0, %lint_q;",
    ];
    found(Shows::new(&lines, &[(first, from)]))
}

/// A conversion of binary16 to an integer toward zero, of what was negated or made absolute with subnormals flushed.
pub fn cvt_neg_ftz_f16(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let truncates = inst.mods.integer_rounding && inst.mods.rounding == Some(Rounding::Zero);
    if inst.op != Op::Cvt || !truncates || ty(inst, 1) != Some(F16) || matches!(ty(inst, 0)?, Type::F(_)) {
        return None;
    }
    let from = inst.operands.get(1)?;
    let of = view.source(at, from, Op::Neg).or_else(|| view.source(at, from, Op::Abs))?;
    let flushes = view.insts[of].mods.ftz && ty(&view.insts[of], 0) == Some(F16);
    // Whether the two roundings differ is for no solver: the form alone.
    flushes.then(Found::default)
}

/// A selection of bits by a magnitude.
pub fn slct_abs_nan(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    if inst.op != Op::Slct || ty(inst, 1) != Some(F32) || ty(inst, 0) == Some(F32) {
        return None;
    }
    let abs = view.source(at, inst.operands.get(3)?, Op::Abs)?;
    let of = &view.insts[abs];
    if ty(of, 0) != Some(F32) || of.mods.ftz {
        return None;
    }
    found(Shows::new(&["setp.nan.f32 %lint_p, {0}, {0};"], &[(abs, of.operands.get(1)?)]))
}
