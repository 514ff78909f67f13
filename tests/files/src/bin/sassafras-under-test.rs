//! The `sassafras` binary, built for the file tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    sassafras::main(std::env::args_os()).into()
}
