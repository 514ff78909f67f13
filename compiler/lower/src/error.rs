//! What lowering cannot do.

use crate::refusal::Refusal;
use sassafras_ptx::checked::{Inst, Op};
use std::ops::Range;

/// A form that is not supported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: `{form}`: {why}")]
pub struct Error {
    /// 1-based line of the source; 0 if the error has none.
    pub line: u32,
    /// Bytes of the source text.
    pub span: Range<usize>,
    /// The form: the instruction's name with its types, or the name of a variable or function.
    pub form: String,
    /// Why it is not lowered.
    pub why: Refusal,
}

impl Error {
    /// An error at an instruction.
    pub(crate) fn at(inst: &Inst, why: Refusal) -> Error {
        Error { line: inst.line, span: inst.span.clone(), form: form(inst), why }
    }

    /// An error about something that has a name and no place.
    pub(crate) fn named(name: &str, why: Refusal) -> Error {
        Error { line: 0, span: 0..0, form: name.into(), why }
    }
}

/// The name of an instruction with its one-of-many suffix and its types.
fn form(inst: &Inst) -> String {
    let mut form = match inst.op {
        Op::Unmodelled | Op::Video => inst.mods.words.join("."),
        op => format!("{op:?}").to_lowercase(),
    };
    if let Some(mode) = inst.mods.mode {
        form += &format!(".{mode}");
    }
    for ty in &inst.types {
        form += &format!(".{}", ty.name());
    }
    form
}
