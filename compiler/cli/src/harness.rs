//! Random programs through compilers, executors and the prover: what fuzz targets, their short twins, `fuzz` and `reduce` share.
//!
//! - [`campaign`]: many seeds through compilers and oracles, with a journal and a folder for each finding.
//! - [`case`]: a program with its launch, and what the PTX executor says that it leaves.
//! - [`compiler`]: who compiles it: this compiler, or ptxas of some version, at some level.
//! - [`oracle`]: whether what was compiled does the same: by execution, by proof.
//! - [`targets`]: one check for each fuzz target. Each takes choices, and panics with a sentence when a promise is broken.

pub mod campaign;
pub mod case;
pub mod compiler;
pub mod oracle;
pub mod targets;
