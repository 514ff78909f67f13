//! The notation of the table: from the text of a row to [`Form`]s.
//!
//! ```text
//! @macro text                                  text put in for $macro
//! ID CHIPS OPCODES FIXED "SYNTAX" ; ATTRIBUTES
//!   | CONDITIONS "SYNTAX"                      another text of the row above
//! ```
//! `OPCODES` is one opcode, or `shape:opcode,…`: then the row stands for one form per shape, `*` in the ID is the shape,
//! and each letter of it says what the next `<@name …>` of the text is: `r` register, `i` immediate (`k=` gives its
//! kind), `c` constant bank, `u` uniform register. `@chips` after an opcode narrows the chips of that shape.
//! What is no register stands at bit 32; `a` is at 24, `b` at 32 and `c`
//! at 64, and `b` moves to 64 when `c` is no register.
//!
//! In the text, `<KIND NAME BITS options>` is a field, `{conditions? text}` is shown when the conditions hold, all else
//! stands for itself. Kinds: `R UR P UP B`, `PI UPI` stored inverted, `E` enum followed by its texts (`_` is no text,
//! `-` no legal value), `V` an enum shown again with other texts, `H` before a kind: a field without text, `U` a signed
//! number shown again as unsigned, `sN uN pcN` numbers of N bits with an optional `*scale`,
//! `f32 f64h f16 bf16 h16:NAME`, `C` constant offset and bank, `CS` the same with a blank between
//! them in the text, `SR`, `S` a set of bits in braces, `N` a register shown again as the one behind it. A uniform register of
//! one place has 6 bits there, and 8 on chips with wide ones; of several places, as in `56+2,62+6`, as many as they say.
//! Options: `nBIT aBIT !BIT ~BIT` flags, `i=NAME` tilde for
//! minus, `xN`, `v=NAME`, `v=NAME:2/1` and `v=NAME+NAME:0/4=1/2/2/3/4` register counts: the last by the sum of what the
//! values weigh (themselves where nothing is said). `=N` default, `uN` the reuse bit. Of the attributes, `deny=CONDITIONS` are values
//! that no instruction has together, `family=NAME` is what rules call the form by where that is not its ID without chips, `noreuse=BIT:CONDITIONS` says when an operand cannot be kept, `nowait` that no wait goes with it, and `runs`
//! that bits 122 to 124 may be set without bit 109.

mod build;
mod lines;
mod syntax;

pub use build::build;
pub use lines::{Row, rows};

use crate::form::Form;

/// A row that cannot be read. Those of the table are part of the program and tested.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{row}: {message}")]
pub struct NotationError {
    /// The row's ID.
    pub row: String,
    /// What is wrong.
    pub message: String,
}

/// The forms of one file of rows; [`crate::forms`] are those of the table.
///
/// # Errors
/// The first row that cannot be read.
pub fn forms(text: &str) -> Result<Vec<Form>, NotationError> {
    rows(text)?.iter().map(build::build).collect()
}
