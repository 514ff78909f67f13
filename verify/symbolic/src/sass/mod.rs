//! The target: SASS over terms.
//!
//! - [`target`]: the side itself. [`demand`]: what the hardware demands of operands. [`flow`]: where instructions lead, [`jumps`]: indirect branches. `recognise`: instructions that are
//!   looked for before any is executed.

pub mod demand;
pub mod flow;
pub mod jumps;
mod recognise;
pub mod target;
