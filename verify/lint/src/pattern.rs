//! What the errors look like: a function for each, which is given a place and says whether the error may show there.
//!
//! Each pattern is as wide as the code that ptxas was seen to compile wrongly: `tests/files/cases/lint` has a program that matches and one that nearly
//! does, and `compiler/cli/tests/lint.rs` holds both against ptxas.

mod floats;
mod guards;
mod integers;
mod memory;
mod taken;
mod video;

pub use floats::*;
pub use guards::*;
pub use integers::*;
pub use memory::*;
pub use taken::*;
pub use video::*;

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

const F32: Type = Type::F(FloatFormat::F32);
const F16: Type = Type::F(FloatFormat::F16);

/// A match with its condition; of what the condition cannot name, by its form.
fn found(shows: Option<Shows>) -> Option<Found> {
    Some(Found { shows })
}

/// The `n`th type of an instruction.
fn ty(inst: &Inst, n: usize) -> Option<Type> {
    inst.types.get(n).copied()
}
