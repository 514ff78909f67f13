//! Selection, allocation, placement, scheduling and emission.
//!
//! - [`select`]: from the IR to machine code in SSA, by rows.

pub mod select;
