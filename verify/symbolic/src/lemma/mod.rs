//! Lemmas: sequences of instructions that are known to give an operation's result, whatever the multi-function unit answers
//! within its bounds.
//!
//! A lemma is code ([`Lemma::code`]) and the operation that it computes. It is matched on terms: for each such operation of the
//! source its code is run on the operation's operands, and where the target has written the same term, that term is the
//! operation. Names of symbols and registers, and the order of instructions, do not matter. How each lemma is checked stands
//! beside it (`table`) and in `docs/proof-notes.md`.

mod approximations;
mod bits;
mod code;
mod doubles;
mod form;
mod lists;
mod matching;
mod routines;
mod table;
mod unusable;

pub use approximations::ESTIMATES;
pub use bits::BITS;
pub use code::{Code, code};
pub use doubles::DOUBLES;
pub use form::{Estimate, Lemma, Premise, Subject, Yield};
pub use lists::{all, named, of_sites, of_terms};
pub use matching::written;
pub use matching::{Uses, is_open, said, uses};
pub use routines::ROUTINES;
pub use table::LEMMAS;
pub use unusable::Unusable;
