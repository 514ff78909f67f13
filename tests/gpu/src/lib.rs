//! Runs the corpus and random programs on a GPU through libcuda, where there is one, and records what it saw.
//!
//! Needs no toolkit: libcuda is loaded at run time, and ptxas is run only where its path is given. The binary is built on a machine
//! without a GPU, carried to one that has a GPU, and run there with the repository's `corpus` beside it.
//!
//! - [`cuda`]: the functions of the driver that are needed.
//! - [`arguments`]: a launch's parameters as the driver wants them.
//! - [`maker`]: who compiles: we at a level, or a ptxas.
//! - [`item`]: one program with its launches and what its results are held against.
//! - [`session`]: one cubin, all launches, compared.
//! - [`table`]: what a device left, as recorded in `reference-traces/gpu`.
//! - [`worker`]: items one after another, in a process of its own.
//! - [`pool`]: several workers, with an eye on those that hang or die.
//! - [`timing`]: the latency tables, one pair of instructions at a time.
//! - [`words`]: one SASS instruction at a time, against our executor.

pub mod arguments;
pub mod cuda;
pub mod item;
pub mod maker;
pub mod pool;
pub mod session;
pub mod table;
pub mod timing;
pub mod words;
pub mod worker;
