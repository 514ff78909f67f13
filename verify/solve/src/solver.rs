//! Solvers: the trait, and z3. Others, and what stands before one, are in `sassafras_solvers`.
//!
//! - [`ask`]: the trait. [`process`]: programs that read SMT-LIB. `z3`: z3 as one; `native`: z3 in process (feature `z3`). `tactics`: in which steps
//!   it is asked.

pub mod ask;
#[cfg(feature = "z3")]
mod native;
pub mod process;
mod tactics;
mod z3;

pub use ask::{Answer, NoSolver, Solver};
#[cfg(feature = "z3")]
pub use native::NativeZ3;
pub use process::read;
pub use z3::Z3;
