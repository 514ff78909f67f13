//! The target: SASS over terms.
//!
//! - [`target`]: the side itself. [`demand`]: what the hardware demands of operands. [`jumps`]: where indirect branches go. `recognise`: instructions that are
//!   looked for before any is executed.

pub mod demand;
pub mod jumps;
mod recognise;
pub mod target;
