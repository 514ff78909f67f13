//! A session that compiles with judges, and the commands of the `sassafras` binary.
//!
//! * [`main`]: from a command line to an exit code.
//! * [`command`]: one file for each subcommand.
//! * [`checks`]: what the fuzz targets of these rooms check.
//! * [`harness`]: random programs through compilers, executors and the prover.
//! * [`judges`]: who judges each stage of a compilation.
//! * [`listing`]: the text of `nvdisasm -c`.
//! * [`containers`]: cubins out of fatbins, objects, executables and libraries.
//! * [`assembly`]: from that text back to words.
//! * [`Exit`], [`Failure`]: what a command tells its caller.
//! * [`files`]: inputs, and outputs that are there whole or not at all.

// First, so that the modules below see its macros.
#[macro_use]
mod standard_error;

pub mod assembly;
pub mod checks;
pub mod command;
pub mod containers;
mod exit;
mod failure;
pub mod files;
pub mod harness;
pub mod judges;
pub mod listing;
mod main_;
mod plural;
mod report;

pub use exit::Exit;
pub use failure::{CODES, Failure};
pub use main_::main;
