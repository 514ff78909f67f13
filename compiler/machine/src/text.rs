//! The text of a function. `parse(&print(f)) == Ok(f)`.
//!
//! ```text
//! sassafras machine 1 ssa sm_90
//! function "k"
//! entry b0
//! layout b0 b1
//! frame local 0 spill 0
//! shared 0
//! params 24
//! registers 255
//! v0 R 2
//! v1 P 1
//! b0():
//!   s2r d=v0 sr=0x21 ; origin 3
//!   @!v1 iadd3.rrr d=v2.1 a=v0 ; tied d v0
//!   pack v4, v2, v3:R:1
//!   bra ; target b1
//!   -> b1(v0), b1(v2)
//! ```
//! The first line names the form, the version of the text, the phase and the chip. An instruction is its form and
//! the fields that are not at their defaults, in the order of the row; behind the semicolon stand the facts of
//! [`MInst`](crate::MInst) and control bits that are not [`SAFE`](sassafras_isa::Control::SAFE). Empty lines and
//! lines that start with `#` or `//` say nothing.

mod fault;
mod parse;
mod print;
mod version;

pub use fault::Fault;
pub use parse::{ParseError, parse};
pub use print::{print, print_inst};
pub use version::VERSION;
