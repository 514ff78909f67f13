//! Options, modes, phases and parallel sessions.
//!
//! * [`options`]: the option table and what a command line says by it.

pub mod options;
