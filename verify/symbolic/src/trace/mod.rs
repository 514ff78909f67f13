//! What one side did: the log of guarded events, and the lanes, paths and memory that it comes from.
//!
//! - [`side`]: a run of one side. [`path`]: lanes at one place, and what they hold. [`walk`]: where lanes are on their way. [`log`]: what was done. `moves`: how lanes go
//!   on, `join`: how paths meet, `access`: what is read and stored, `emit`: what others see, `ways`: ways that may be gone on any input.
//! - [`lanes`]: who is together, by the rules of convergence. [`collective`]: what lanes ask each other. [`leader`]: one lane's atomic for others.
//! - [`event`]: what others may see, [`action`]: what it is. [`order`]: of events at which lanes wait. [`facts`]: what a source says that decides how a side is read.
//! - [`loops`]: loops, and how often lanes have gone round each; [`spot`]: a place in them. [`cut`]: loops that are gone through once, for all turns; [`heads`]: what is known of them. [`course`]: which ways were gone. [`done`]: all of it, when it is over.
//! - [`bank`]: constant banks. [`copies`]: copies to shared memory, [`under_way`]: which may be under way. [`fence`]: fences; [`fences`]: what they are taken for. [`ordering`]: acquires and releases. [`window`]: generic addresses.
//!   [`system`]: calls that the driver resolves. [`atomic`]: atomics; [`update`], [`retry`]: those that are loops around a compare-and-swap.

mod access;
pub mod action;
pub mod atomic;
pub mod bank;
pub mod collective;
pub mod copies;
pub mod course;
pub mod cut;
pub mod done;
mod emit;
pub mod event;
pub mod facts;
pub mod fence;
pub mod fences;
pub mod heads;
mod join;
pub mod lanes;
pub mod leader;
pub mod log;
pub mod loops;
mod moves;
pub mod order;
pub mod ordering;
pub mod path;
pub mod retry;
pub mod side;
pub mod spot;
pub mod system;
pub mod under_way;
pub mod update;
pub mod walk;
mod ways;
pub mod window;
