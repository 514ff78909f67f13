//! Hazards of machine code: whether each result is ready when it is read, and whether branches lead to instructions. Proofs rest on this judge, so it
//! needs tables, words and containers alone; `sassafras_check` hands it functions of other forms.
//!
//! - [`judge`](mod@judge): the judge. [`flow`]: what it judges, single instructions and the ways between them. [`jumps`]: where a cubin says that
//!   indirect branches go. `flight`, `reuse`, `groups`, `register`: what may be under way. `stall`, `control`: control bits by themselves.
//! - [`astray`](mod@astray): branches that lead to no instruction.
//! - [`finding`]: what a judge answers. [`mod@rules`]: names of rules and what they say.

pub mod astray;
mod control;
pub mod finding;
mod flight;
pub mod flow;
mod groups;
pub mod judge;
pub mod jumps;
mod register;
mod reuse;
pub mod rules;
mod stall;

pub use astray::astray;
pub use finding::{Finding, Verdict};
pub use flow::{Blocks, Program, is_routine};
pub use judge::{
    check_own_words, check_words, check_words_with, drains, examine, holds_until_read, judge, listed,
};
