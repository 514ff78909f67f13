//! What the errors look like: a function for each, which is given a place and says whether the error may show there.
//!
//! Each pattern is as wide as the code that ptxas was seen to compile wrongly: `tests/files/cases/lint` has a program that matches and one that nearly
//! does, and `compiler/cli/tests/lint.rs` holds both against ptxas.

mod floats;
mod found;
mod guards;
mod integers;
mod memory;
mod taken;
mod video;

pub use floats::*;
pub use found::{Found, Pattern};
pub use guards::*;
pub use integers::*;
pub use memory::*;
pub use taken::*;
pub use video::*;
