//! Solvers beside z3, what stands before a solver, and terms for tests. No check of a witness needs any of it.
//!
//! - [`Bitwuzla`]: the second solver. [`Both`]: two solvers that have to agree.
//! - [`Cache`]: answers of earlier runs. [`Kept`]: questions written down. [`Remembered`]: answers of one search. [`Timed`]: how long it took.
//! - [`random`]: terms for tests.

mod bitwuzla;
mod both;
mod cache;
mod kept;
pub mod random;
mod remembered;
mod timed;

pub use bitwuzla::Bitwuzla;
pub use both::Both;
pub use cache::Cache;
pub use kept::Kept;
pub use remembered::Remembered;
pub use timed::Timed;
