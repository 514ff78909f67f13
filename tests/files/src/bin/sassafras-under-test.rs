//! The `sassafras` binary, built for the file tests; it runs stages alone too.

use std::process::ExitCode;

use sassafras::Exit;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match sassafras_files::stage::run(&words) {
        Ok(Some(exit)) => exit.into(),
        Ok(None) => sassafras::main(std::env::args_os()).into(),
        Err(what) => {
            eprintln!("error: {what}");
            Exit::Usage.into()
        }
    }
}
