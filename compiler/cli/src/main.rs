//! The `sassafras` binary.

use std::process::ExitCode;

/// A compilation makes and drops many small things: a tenth of the time and more goes to the system's allocator. It stands in for `malloc` too (feature `override`), since
/// z3 makes a context for each question and drops it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    sassafras::main(std::env::args_os()).into()
}
