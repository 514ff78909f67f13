//! The target: SASS over terms.
//!
//! - [`target`]: the side itself. [`demand`]: what the hardware demands of operands. [`jumps`]: where indirect branches go.

pub mod demand;
pub mod jumps;
pub mod target;
