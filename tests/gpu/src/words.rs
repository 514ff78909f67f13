//! Meanings of SASS instructions held against the hardware, one instruction at a time.
//!
//! A *variant* is one random instruction of a row, with its operands in known places. Its lanes load inputs from memory, execute it once with the
//! slowest control bits there are, and store what it wrote. The same cubin runs in our executor; the outputs are compared bit by bit.
//!
//! Everything follows from a seed, so that a report names a variant by its word and the seed of its inputs, and no inputs are carried.
//!
//! - [`inputs`]: values that floats and integers of every width find hard.
//! - [`variant`]: which rows are tried, and random instructions of them.
//! - [`kernel`]: the kernel around variants.
//! - [`expect`]: what the executor makes of it, and what the model leaves open.
//! - [`compare`]: the comparison of a device's outputs with that.
//! - [`jobs`]: many kernels in child processes, since an illegal instruction ends a context; bisection to the instruction.

pub mod compare;
pub mod expect;
pub mod inputs;
pub mod jobs;
pub mod kernel;
pub mod variant;
