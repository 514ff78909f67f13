//! Generators and reducing steps for every form.
//!
//! - [`forms`]: one kernel for each arithmetic form of the PTX table.
//! - [`program`]: random programs over these forms, and their reduction.

pub mod forms;
pub mod program;
