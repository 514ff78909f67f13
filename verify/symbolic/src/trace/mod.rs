//! What one side did: the log of guarded events, and the lanes, paths and memory that it comes from.
//!
//! - [`side`]: paths with their conditions and registers. [`event`]: what others may see, [`action`]: what it is. [`order`]: of events at which lanes wait.
//! - [`loops`]: loops, and how often lanes have gone round each. [`course`]: which ways were gone.
//! - [`lanes`]: what lanes ask each other. [`leader`]: one lane's atomic for others. [`nesting`], [`meeting`]: convergence barriers.
//! - [`bank`]: constant banks. [`copies`]: copies to shared memory. [`fences`]: what fences are taken for. [`window`]: generic addresses.
//!   [`system`]: calls that the driver resolves. [`update`], [`retry`]: atomics that are loops around a compare-and-swap.

pub mod action;
pub mod bank;
pub mod copies;
pub mod course;
pub mod event;
pub mod fences;
pub mod lanes;
pub mod leader;
pub mod loops;
pub mod meeting;
pub mod nesting;
pub mod order;
pub mod retry;
pub mod side;
pub mod system;
pub mod update;
pub mod window;
