//! The target: SASS over terms.
//!
//! - [`target`]: the side itself. [`demand`]: what the hardware demands of operands. `cut`: loops that are cut. [`flow`]: where instructions lead, [`jumps`]: indirect branches. `recognise`: instructions that are
//!   looked for before any is executed.

mod cut;
pub mod demand;
pub mod flow;
pub mod jumps;
mod recognise;
pub mod target;
