//! Generators and reducing steps for every form, and what the fuzz targets check.
//!
//! - [`barriers`]: random programs of barriers and lanes.
//! - [`exercise`]: a kernel for every PTX instruction and modifier, with every kind of operand.
//! - [`forms`]: one kernel for each arithmetic form of the PTX table.
//! - [`open`]: random programs over what the PTX ISA leaves open.
//! - [`program`]: random programs over these forms, and their reduction.
//! - [`ptx`](mod@ptx): random modules, valid by construction: any control flow, memory, lanes, calls.
//! - [`ptxas`]: what ptxas is known to compile wrongly, for those who use them.
//! - [`reduce`](mod@reduce): steps that make PTX smaller, valid after each.
//! - [`spellings`]: every spelling of every operand for every form.
//! - [`straight`]: random loop-free functions for a prover.
//! - [`vocabulary`]: every instruction with the modifiers and types that the PTX ISA lists, those included that do not go together.
//!
//! Each check takes raw input and panics with a sentence when a promise is broken; `fuzz/` calls it with libFuzzer's inputs, and
//! a test of this crate calls it for a second with random ones.
//!
//! - [`parser()`]: any bytes through the PTX front end.
//! - [`codec()`]: any 16 bytes through the SASS codec.
//! - [`accepted`], [`reduction`]: generated PTX. [`encode`]: legal instructions of any form.

pub mod barriers;
mod codec;
pub mod exercise;
pub mod forms;
pub mod open;
mod parser;
pub mod program;
pub mod ptx;
pub mod ptxas;
pub mod reduce;
pub mod spellings;
pub mod straight;
mod targets;
pub mod vocabulary;

pub use codec::codec;
pub use parser::parser;
pub use targets::{accepted, encode, reduction};
