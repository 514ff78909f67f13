//! PTX: one row per instruction; lex, parse, print, check and meaning.
//!
//! - [`checked`]: a module that has been checked: names resolved, types known, control flow flat. Later rooms take only this form.

pub mod checked;
