//! Options, modes, phases and parallel sessions.
//!
//! * [`options`]: the option table and what a command line says by it.
//! * [`phase`]: the phases, one row each: what they need, what they promise.
//! * [`observe`]: who looks at each stage.
//! * [`level`]: what runs at which level of optimisation.
//! * [`limits`]: how many registers an entry may use.
//! * [`assemble`]: words and variables into a cubin.
//! * [`plant`]: faults to make on purpose.
//! * [`session`]: one compilation.
//! * [`statistics`]: what `-v` prints.
//! * [`Failure`]: why a compilation stopped. [`Warning`]: what it warns of.

pub mod assemble;
mod failure;
pub mod level;
pub mod limits;
pub mod observe;
pub mod options;
pub mod phase;
pub mod plant;
pub mod profile;
pub mod session;
pub mod statistics;
mod warning;

pub use failure::Failure;
pub use phase::Stage;
pub use warning::Warning;
