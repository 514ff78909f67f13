//! The option table, and what a command line says by it.
//!
//! One row for each option of ptxas 13.0.88 and 13.5.37, and for each of our own. Parsing, effects, refusals and the
//! help text come from the rows. Every option has its effect, holds already (and says so), or is refused with a
//! sentence; none is ignored in silence.

mod help;
mod parse;
mod row;
mod table;
mod value_error;
mod values;

pub use help::help;
pub use parse::{Fault, parse};
pub use row::{Argument, Effect, Origin, Row};
pub use table::ROWS;
pub use value_error::ValueError;
pub use values::{Arch, DumpKind, DumpRequest, Input, Judges, Options, RegisterLimit};
