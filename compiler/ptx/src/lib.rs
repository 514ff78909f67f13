//! PTX: one row per instruction; lex, parse, print, check and meaning.
//!
//! - [`source`]: the text and positions in it
//! - [`diagnostics`]: findings with a stable code, a caret and a help line
//! - [`lex`]: tokens
//! - [`ast`]: syntax, without loss
//! - [`parse`](mod@parse): text to syntax
//! - [`print`](mod@print): syntax to text
//! - [`table`]: one row per instruction
//! - [`check`](mod@check): syntax to a checked module
//! - [`checked`]: a module that has been checked: names resolved, types known, control flow flat. Later rooms take only this form.
//! - [`step`]: what each instruction means, per lane.

pub mod ast;
pub mod check;
pub mod checked;
pub mod diagnostics;
pub mod lex;
pub mod parse;
pub mod print;
pub mod source;
pub mod step;
pub mod table;

pub use check::check;
pub use diagnostics::{Diagnostic, Diagnostics, Record};
pub use parse::parse;
pub use print::print;

/// Parses and checks a text; `name` is shown in messages.
///
/// # Errors
/// Every mistake found. The text is not checked further if it could not be parsed.
pub fn load(text: &str, name: &str) -> Result<checked::Module, Diagnostics> {
    let (module, diagnostics) = parse(text, name);
    if diagnostics.has_errors() { Err(diagnostics) } else { check(&module) }
}
