//! The `sassafras` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    sassafras::main(std::env::args_os()).into()
}
