//! Generators and reducing steps for every form.
//!
//! - [`forms`]: one kernel for each arithmetic form of the PTX table.

pub mod forms;
