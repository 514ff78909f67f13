//! Executors of PTX, SASS and the IR: warps of 32 lanes, convergence, blocks and memory.
//!
//! What both executors stand on:
//! - [`launch`], [`argument`]: a grid, its parameters and buffers; the `--arg` specifications.
//! - [`options`], [`order`]: what a program may not depend on: interleavings, choosers, undefined bits, free inputs.
//! - [`memory`], [`atomic`]: allocations with guard gaps, windows of generic addresses, bounds and alignment faults.
//! - [`collective`]: shuffles, votes, matches and reductions as pure functions of the participating lanes.
//! - [`matrix`]: matrix products and the spreading of matrices over lanes, likewise.
//! - [`barrier`], [`schedule`]: block barriers, and the loop over blocks and warps, generic over a [`schedule::Machine`].
//! - [`races`]: whether a run of PTX shows that threads race, and where.
//! - [`special`]: special registers and free inputs.
//! - [`system`]: functions that the driver resolves.
//! - [`outcome`]: what a run gives, or why it failed and where.
//! - [`compare`]: exact, within N ulp, or unordered, with the first difference.
//!
//! - `across`: what each lane gets of a collective that several ask for.
//!
//! And the executors: [`ptx`], [`sass`], and [`ir`], which lowering is judged by.
//!
//! How lanes part and meet is defined in `docs/convergence.md`.

mod across;
pub mod argument;
pub mod atomic;
pub mod barrier;
mod called;
pub mod collective;
pub mod compare;
pub mod ir;
pub mod launch;
mod lockstep;
pub mod matrix;
pub mod memory;
mod opaque;
pub mod options;
pub mod order;
pub mod outcome;
pub mod ptx;
pub mod races;
pub mod sass;
pub mod schedule;
pub mod special;
pub mod system;

pub use argument::Argument;
pub use launch::{Launch, LaunchError, Slot};
pub use memory::Memory;
pub use options::{Approx, Options};
pub use order::Order;
pub use outcome::{Failure, Location, Outcome};
