//! The lossless text form.
//!
//! ```text
//! sassafras ir 1 phase=lower
//! variable g0 "tile" space=shared size=1024 align=4 visible=false owner=0
//! function "k" param_size=12 params=0:8:8,8:4:4
//! bb0():
//!   v0:64 = param.0.8.u  # 3
//!   v1:1 = compare.eq v0, v0
//!   @!v1 store.global:u4x1:weak:cta:+0 v0, v2
//!   branch v1, bb1(v0), bb2()
//! end
//! ```
//!
//! `# n` is the source line of an instruction. `parse(print(m)) == m` for a module whose functions are compact
//! ([`crate::Function::compact`]); otherwise what stands in no block is lost, and the text still prints again the same.

mod fault;
mod matrix;
mod parse;
mod print;
#[cfg(test)]
mod tests;
pub(crate) mod token;
mod version;

pub use crate::operations::{NAMES, parse_op, print_op, sample_op};
pub use fault::Fault;
pub use parse::{ParseError, parse};
pub use print::{print, print_function};
pub use version::VERSION;
