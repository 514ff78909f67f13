//! `sassafras compile`, and the whole program when it is called `ptxas`.

use std::path::Path;

use sassafras_chip::Target;
use sassafras_driver::options::{Fault, help, parse};

use crate::main_::report;
use crate::{Exit, Failure, files};

/// Runs it on the words after `compile`.
pub fn run(words: &[String], as_ptxas: bool) -> Exit {
    let json = words.windows(2).any(|w| w[0] == "--format" && w[1] == "json")
        || words.iter().any(|w| w == "--format=json");
    match attempt(words, as_ptxas) {
        Ok(exit) => exit,
        Err(failure) => report(&failure, json),
    }
}

fn attempt(words: &[String], as_ptxas: bool) -> Result<Exit, Failure> {
    let options = parse(words, &|file| {
        files::read_text(Path::new(file)).map_err(|failure| std::io::Error::other(failure.message))
    })
    .map_err(|fault| match fault {
        Fault::Usage(text) => Failure::usage(text),
        Fault::Unsupported { .. } => Failure::unsupported(fault.to_string()),
    })?;
    if words.is_empty() || options.help {
        files::print(&help(if as_ptxas { "ptxas" } else { "sassafras compile" }));
        return Ok(Exit::Done);
    }
    if options.version {
        files::print(&format!("sassafras {}\n", env!("CARGO_PKG_VERSION")));
        return Ok(Exit::Done);
    }
    if options.list_chips {
        files::print(&Target::all().map(|t| format!("{t}\n")).collect::<String>());
        return Ok(Exit::Done);
    }
    Err(Failure::unsupported(format!("compiling {} inputs", options.inputs.len())))
}
