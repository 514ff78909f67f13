//! PTX: one row per instruction; lex, parse, print, check and meaning.
//!
//! - [`source`]: the text and positions in it
//! - [`diagnostics`]: findings with a stable code, a caret and a help line
//! - [`lex`]: tokens
//! - [`ast`]: syntax, without loss
//! - [`parse`](mod@parse): text to syntax
//! - [`print`](mod@print): syntax to text
//! - [`checked`]: a module that has been checked: names resolved, types known, control flow flat. Later rooms take only this form.
//! - [`step`]: what each instruction means, per lane.

pub mod ast;
pub mod checked;
pub mod diagnostics;
pub mod lex;
pub mod parse;
pub mod print;
pub mod source;
pub mod step;

pub use diagnostics::{Diagnostic, Diagnostics, Record};
pub use parse::parse;
pub use print::print;
