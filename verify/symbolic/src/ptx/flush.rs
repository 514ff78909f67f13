//! Quotients that flush, where tininess is detected as if exponents had no lower end.
//!
//! PTX says that `.ftz` flushes subnormal results to zero, and not whether a result is subnormal before it is rounded to the format or behind it
//! (PTX ISA, "div", "rcp", "cvt"; IEEE 754, 7.5, leaves the like open). What the meaning here gives is flushed behind the rounding: 0x00ffffff / 2 rounds to
//! 2⁻¹²⁶, which stays. ptxas's routines flush it, since the exact quotient is below 2⁻¹²⁶. Either is right.

use sassafras_ptx::checked::{Inst, Op, Type};
use sassafras_semantics::term::Node;
use sassafras_semantics::{CompareOp, Domain, FloatFormat, FloatMode, FloatOp, Rounding, TermId, Terms};

const F32: FloatFormat = FloatFormat::F32;

/// How a flushing operation rounds.
const fn flushing(rounding: Rounding) -> FloatMode {
    FloatMode { rounding, ftz: true, sat: false }
}

/// Whether an operation may round what is below 2⁻¹²⁶ up to it, and flushes.
pub fn is_open(node: &Node) -> bool {
    let open = |mode: &FloatMode| mode.ftz && mode.rounding != Rounding::Zero;
    match node {
        Node::Float { op: FloatOp::Div, format: F32, mode, .. } => open(mode),
        Node::FloatToFloat { from: FloatFormat::F64, to: F32, mode, .. } => open(mode),
        _ => false,
    }
}

/// The quotient of binary32 that is flushed behind its rounding.
pub fn behind(d: &Terms, rounding: Rounding, a: &TermId, b: &TermId) -> TermId {
    d.float(FloatOp::Div, F32, flushing(rounding), &[a, b])
}

/// The quotient of binary32, zero where the exact one is below 2⁻¹²⁶: rounding to zero does not reach 2⁻¹²⁶ from below, so there the quotient
/// that is rounded so, with its subnormal results, is subnormal or zero, and has the sign.
///
/// Rounded to 24 bits with exponents that have no end such a quotient stays below as well: a / b < 1 of 24 bits is at most 1 - 1/b,
/// which is below 1 - 2⁻²⁴. So one detected behind such a rounding is the same.
pub fn quotient(d: &Terms, rounding: Rounding, a: &TermId, b: &TermId) -> TermId {
    let sign = d.constant(32, 1 << 31);
    let tiny = |x: &TermId| d.compare(CompareOp::Eq, &d.extract(x, 23, 8), &d.constant(8, 0));
    let flushed = |x: &TermId| d.ite(&tiny(x), &d.and(x, &sign), x);
    let mode = FloatMode { rounding: Rounding::Zero, ..FloatMode::default() };
    let cut = d.float(FloatOp::Div, F32, mode, &[&flushed(a), &flushed(b)]);
    d.ite(&tiny(&cut), &d.and(&cut, &sign), &behind(d, rounding, a, b))
}

/// The rounding of an instruction that divides binary32 and leaves open what is flushed.
pub fn divides(inst: &Inst) -> Option<Rounding> {
    let rounding = inst.mods.rounding.filter(|r| *r != Rounding::Zero)?;
    let is = matches!(inst.op, Op::Div | Op::Rcp) && inst.types.first() == Some(&Type::F(F32));
    (is && inst.mods.ftz && !inst.mods.sat).then_some(rounding)
}

/// Whether an instruction is `cvt.rn.ftz.f32.f64`.
pub fn narrows(inst: &Inst) -> bool {
    let types = [Type::F(F32), Type::F(FloatFormat::F64)];
    let mods = &inst.mods;
    inst.op == Op::Cvt
        && inst.types.as_slice() == types
        && mods.ftz
        && !mods.sat
        && mods.rounding == Some(Rounding::NearestEven)
}
