//! The prover on kernels with loops: the shapes of their loops, proofs as processes with their processor time, and a file of rows that an interrupted
//! measurement goes on with.

pub mod faults;
pub mod process;
pub mod prove;
pub mod rows;
pub mod shape;
pub mod table;
