//! What errs under a guard alone: where the guard is false, the old value of the result does not stay.

use super::found::{Found, found, ty};
use crate::slice::Shows;
use crate::view::View;
use sassafras_ptx::checked::{Op, Operand, Type};
use sassafras_semantics::FloatFormat;

/// A guarded instruction of an operation whose result had a value before: where the guard is false, that value must stay.
fn kept(view: &View<'_>, at: usize, op: Op) -> Option<Found> {
    let inst = &view.insts[at];
    let guard = inst.guard?;
    let Operand::Register(result) = *inst.operands.first()? else { return None };
    if inst.op != op || !view.has_old_value(result) {
        return None;
    }
    let line = if guard.negate { "mov.pred %lint_p, {0};" } else { "not.pred %lint_p, {0};" };
    found(Shows::new(&[line], &[(at, &Operand::Register(guard.register))]))
}

/// Whether a result of zero alone would be kept: what an integer zero is converted to is zero.
fn only_zero(view: &View<'_>, at: usize) -> bool {
    let Some(Operand::Register(result)) = view.insts[at].operands.first() else { return false };
    view.writers(*result).iter().filter(|&&w| w != at).all(|&w| {
        let inst = &view.insts[w];
        inst.op == Op::Mov && matches!(inst.operands.get(1), Some(Operand::Immediate(0)))
    })
}

/// A set to binary32.
pub fn set_guarded_f32(view: &View<'_>, at: usize) -> Option<Found> {
    let float = ty(&view.insts[at], 0) == Some(super::found::F32);
    (float && !only_zero(view, at)).then(|| kept(view, at, Op::Set))?
}

/// A set to binary16 or bfloat16.
pub fn set_guarded_f16(view: &View<'_>, at: usize) -> Option<Found> {
    let half = matches!(ty(&view.insts[at], 0), Some(Type::F(FloatFormat::F16 | FloatFormat::Bf16)));
    (half && !only_zero(view, at)).then(|| kept(view, at, Op::Set))?
}

/// A set of 16-bit sources to an integer of 32 bits.
pub fn set_guarded_s16(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let wide = matches!(ty(inst, 0), Some(Type::U(32) | Type::S(32)));
    let half = ty(inst, 1).is_some_and(|t| t.width() == 16);
    (wide && half && !only_zero(view, at)).then(|| kept(view, at, Op::Set))?
}

/// A test of a float's class.
pub fn testp_guarded(view: &View<'_>, at: usize) -> Option<Found> {
    kept(view, at, Op::Testp)
}

/// Sums and differences of four unsigned bytes that are added up.
pub fn video_guarded(view: &View<'_>, at: usize) -> Option<Found> {
    let words = &view.insts[at].mods.words;
    let unsigned = view.insts[at].types.iter().all(|t| *t == Type::U(32));
    let sums = words.first().is_some_and(|w| matches!(*w, "vadd4" | "vsub4")) && words.contains(&"add");
    (sums && unsigned).then(|| kept(view, at, Op::Video))?
}
