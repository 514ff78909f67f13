//! Questions about terms, and who answers them. Knows no program and no normal form, so that who checks proofs can be built on it.
//!
//! - [`smt`]: terms as SMT-LIB text; [`read`]: memory that they are about. [`solver`]: the [`Solver`] trait, and z3.
//! - [`limit`]: how much work is done about one entry, and until when.
//! - [`simplify`]: what a normal form is to those who run programs. [`floats`]: relations of floats written out on bits.

pub mod floats;
pub mod limit;
pub mod read;
pub mod simplify;
pub mod smt;
pub mod solver;

pub use limit::Limits;
pub use simplify::Simplify;
pub use solver::{Answer, NoSolver, Solver, Z3};
