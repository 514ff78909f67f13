//! The corpus through the whole house.
//!
//! Each program is run, for every launch of its description, by the PTX executor and, compiled by us and as recorded from ptxas, by the
//! SASS executor; all must agree with each other, and kernels with their CPU reference, as the launch file declares.
//! Our cubins also run in timing mode, in four interleavings, and with the approximate functions at both ends of their bounds.

pub mod barriers;
mod chips;
pub mod loops;
pub mod measure;
mod program;
mod verdict;

pub use chips::{Code, Sides, examine_code, expected, runs_on};
pub use program::{Program, programs};
pub use verdict::{Difference, NoCode, Row, Volume, compile, compile_for, differences, examine, prepare};
