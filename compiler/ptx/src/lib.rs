//! PTX: one row per instruction; lex, parse, print, check and meaning.
//!
//! - [`source`]: the text and positions in it
//! - [`diagnostics`]: findings with a stable code, a caret and a help line
//! - [`lex`]: text to tokens
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

pub use check::{check, check_with_warnings};
pub use diagnostics::{Diagnostic, Diagnostics, Record};
pub use parse::parse;
pub use print::print;

/// Parses and checks a text; `name` is shown in messages.
///
/// # Errors
/// Every mistake found. Of a text that could not be parsed whole, only mistakes in instructions are reported as well: others
/// may only follow from what was left out.
pub fn load(text: &str, name: &str) -> Result<checked::Module, Diagnostics> {
    let (module, mut diagnostics) = parse(text, name);
    if !diagnostics.has_errors() {
        return check(&module);
    }
    if let Err(more) = check(&module) {
        diagnostics.extend(more.retain(|code| code.name().starts_with("P03")));
        diagnostics.sort();
    }
    Err(diagnostics)
}
