//! What lowering cannot do.

use sassafras_ptx::checked::{Inst, Op};
use std::ops::Range;

/// A form that is not supported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: `{form}`: {message}")]
pub struct Error {
    /// 1-based line of the source; 0 if the error has none.
    pub line: u32,
    /// Bytes of the source text.
    pub span: Range<usize>,
    /// The form: the instruction's name with its types, or the name of a variable or function.
    pub form: String,
    /// What is not supported.
    pub message: String,
}

impl Error {
    /// An error at an instruction.
    pub(crate) fn at(inst: &Inst, message: impl Into<String>) -> Error {
        Error { line: inst.line, span: inst.span.clone(), form: form(inst), message: message.into() }
    }

    /// An error about something that has a name and no place.
    pub(crate) fn named(name: &str, message: impl Into<String>) -> Error {
        Error { line: 0, span: 0..0, form: name.into(), message: message.into() }
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
