//! What ptxas makes of an instruction and its source together, where the source's result has other bits than the form that it takes.

use super::found::{F16, F32, Found, found, ty};
use crate::slice::Shows;
use crate::view::View;
use sassafras_ptx::checked::{Comparison, Inst, Op, Operand, Type};

const U32: Type = Type::U(32);
const S32: Type = Type::S(32);

/// Whether an instruction is a plain conversion from a type.
fn converts(inst: &Inst, from: Type) -> bool {
    inst.op == Op::Cvt && inst.mods.mode.is_none() && ty(inst, 1) == Some(from)
}

/// The instruction of an operation and a type that defines the `n`th operand.
fn of(view: &View<'_>, at: usize, n: usize, op: Op, result: Type) -> Option<usize> {
    view.source(at, view.insts[at].operands.get(n)?, op).filter(|&i| ty(&view.insts[i], 0) == Some(result))
}

/// A field of 64 places or more, of bits that a mask left.
pub fn bfi_masked(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let [_, from, _, position, length] = &inst.operands[..] else { return None };
    let (position, length) = (view.constant(at, position)?, view.constant(at, length)?);
    if inst.op != Op::Bfi
        || ty(inst, 0) != Some(Type::B(32))
        || !(1..32).contains(&position)
        || !(64..256).contains(&length)
    {
        return None;
    }
    let and = view.source(at, from, Op::And)?;
    let mask = view.insts[and].operands.iter().skip(1).find_map(|o| view.constant(and, o))? as u32;
    // ptxas takes the length modulo 64, and keeps as much as that of the mask's bits.
    ((length % 64) < u64::from(32 - mask.leading_zeros())).then(Found::default)
}

/// A signed field of 8 or 16 bits that is converted as an unsigned word.
pub fn cvt_field_unsigned(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let shows = inst.mods.sat || matches!(ty(inst, 0)?, Type::F(_));
    let field = of(view, at, 1, Op::Bfe, S32).filter(|_| converts(inst, U32) && shows)?;
    let [_, _, position, length] = &view.insts[field].operands[..] else { return None };
    let (position, length) = (view.constant(field, position)?, view.constant(field, length)?);
    if !matches!(length, 8 | 16) || position % length != 0 || position >= 32 {
        return None;
    }
    found(Shows::new(&["setp.lt.s32 %lint_p, {0}, 0;"], &[(at, inst.operands.get(1)?)]))
}

/// The result of cnot that is saturated to a signed byte or half.
pub fn cvt_sat_cnot(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let narrow = inst.mods.sat && matches!(ty(inst, 0)?, Type::S(8 | 16));
    let cnot = of(view, at, 1, Op::Cnot, Type::B(32)).filter(|_| converts(inst, U32) && narrow)?;
    found(Shows::new(&["setp.eq.s32 %lint_p, {0}, 0;"], &[(cnot, view.insts[cnot].operands.get(1)?)]))
}

/// The conversion of a float to an unsigned word that is saturated to a signed half.
pub fn cvt_sat_narrowed(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let narrow = inst.mods.sat && ty(inst, 0)? == Type::S(16);
    let first = of(view, at, 1, Op::Cvt, U32).filter(|_| converts(inst, U32) && narrow)?;
    if !converts(&view.insts[first], F32) {
        return None;
    }
    let of = (first, view.insts[first].operands.get(1)?);
    found(Shows::new(&["setp.lt.f32 %lint_p, {0}, 0f00000000;"], &[of]))
}

/// The negation of what set gives in binary16, converted to an unsigned integer of 64 bits.
pub fn cvt_neg_set_f16(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let neg =
        of(view, at, 1, Op::Neg, F16).filter(|_| converts(inst, F16) && ty(inst, 0) == Some(Type::U(64)))?;
    of(view, neg, 1, Op::Set, F16).map(|_| Found::default())
}

/// A magnitude of a signed word that is converted to a float as an unsigned one.
pub fn cvt_abs_unsigned(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let float = matches!(ty(inst, 0)?, Type::F(_));
    let abs = of(view, at, 1, Op::Abs, S32).filter(|_| converts(inst, U32) && float)?;
    let of = (abs, view.insts[abs].operands.get(1)?);
    found(Shows::new(&["setp.eq.s32 %lint_p, {0}, -2147483648;"], &[of]))
}

/// A magnitude that is compared with a negative number, or a negated one with a positive, so that all numbers compare alike.
pub fn setp_abs_nan(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let [_, a, b, ..] = &inst.operands[..] else { return None };
    let bound = view.constant(at, b)? as u32;
    let (negative, some) = (bound >> 31 == 1, bound & 0x7fff_ffff != 0);
    if inst.op != Op::Setp || ty(inst, 0) != Some(F32) || !some {
        return None;
    }
    let abs = match inst.mods.compare? {
        Comparison::Gt | Comparison::Ge if negative => view.source(at, a, Op::Abs)?,
        Comparison::Lt | Comparison::Le if !negative => {
            let neg = view.source(at, a, Op::Neg)?;
            view.source(neg, view.insts[neg].operands.get(1)?, Op::Abs)?
        }
        _ => return None,
    };
    let of: &Operand = view.insts[abs].operands.get(1)?;
    found(Shows::new(&["setp.nan.f32 %lint_p, {0}, {0};"], &[(abs, of)]))
}
