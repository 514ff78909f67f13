//! What a pattern is, and what it finds.

use crate::slice::Shows;
use crate::view::View;
use sassafras_ptx::checked::{Inst, Type};
use sassafras_semantics::FloatFormat;

/// A pattern: the view, and the index of the instruction that may be wrong.
pub type Pattern = fn(&View<'_>, usize) -> Option<Found>;

/// What a pattern found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// For which values the error shows; none where only the form is known.
    pub shows: Option<Shows>,
}

pub(super) const F32: Type = Type::F(FloatFormat::F32);
pub(super) const F16: Type = Type::F(FloatFormat::F16);

/// A match with its condition; of what the condition cannot name, by its form.
pub(super) fn found(shows: Option<Shows>) -> Option<Found> {
    Some(Found { shows })
}

/// The `n`th type of an instruction.
pub(super) fn ty(inst: &Inst, n: usize) -> Option<Type> {
    inst.types.get(n).copied()
}
