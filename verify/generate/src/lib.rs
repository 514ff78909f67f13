//! Generators and reducing steps for every form, and what the fuzz targets check.
//!
//! - [`exercise`]: a kernel for every PTX instruction and modifier, with every kind of operand.
//! - [`forms`]: one kernel for each arithmetic form of the PTX table.
//! - [`open`]: random programs over what the PTX ISA leaves open.
//! - [`program`]: random programs over these forms, and their reduction.
//! - [`ptxas`]: what ptxas is known to compile wrongly, for those who use them.
//! - [`spellings`]: every spelling of every operand for every form.
//! - [`straight`]: random loop-free functions for a prover.
//! - [`vocabulary`]: every instruction with the modifiers and types that the PTX ISA lists, those included that do not go together.
//!
//! Each check takes raw input and panics with a sentence when a promise is broken; `fuzz/` calls it with libFuzzer's inputs, and
//! a test of this crate calls it for a second with random ones.
//!
//! - [`parser()`]: any bytes through the PTX front end.
//! - [`codec()`]: any 16 bytes through the SASS codec.

mod codec;
pub mod exercise;
pub mod forms;
pub mod open;
mod parser;
pub mod program;
pub mod ptxas;
pub mod spellings;
pub mod straight;
pub mod vocabulary;

pub use codec::codec;
pub use parser::parser;
