//! The prover on kernels with loops: the shapes of their loops, proofs as processes with their processor time, and a file of rows that an interrupted
//! measurement goes on with.

pub mod faults;
pub mod process;
pub mod prove;
pub mod rows;
pub mod shape;
pub mod table;

/// The half of `corpus/loops` that a file without its extension belongs to, `tune` or `report` (`corpus/README.md`).
pub fn half(stem: &str) -> &'static str {
    if stem.bytes().map(u32::from).sum::<u32>().is_multiple_of(2) { "tune" } else { "report" }
}
