//! Runs the corpus on a GPU through libcuda, where there is one, and records what it saw.
//!
//! Needs no toolkit: libcuda is loaded at run time. The binary takes a folder of cubins, so that it can be built here, carried to a
//! machine that has a GPU and no compiler, and run there.
//!
//! - [`cuda`]: the fourteen functions of the driver that are needed.
//! - [`arguments`]: a launch's parameters as the driver wants them.
//! - [`session`]: one cubin, all launches, compared and timed.
//! - [`timing`]: the latency tables, one pair of instructions at a time.
//! - [`words`]: one SASS instruction at a time, against our executor.

pub mod arguments;
pub mod cuda;
pub mod session;
pub mod timing;
pub mod words;
