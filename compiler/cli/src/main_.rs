//! From a command line to an exit code.

use std::ffi::OsString;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use clap::Parser;

use crate::command::{self, Command};
use crate::{Exit, Failure};

/// The command line. `compile` takes ptxas's spellings, which its own table parses.
#[derive(Parser)]
#[command(name = "sassafras", version, about = "Compiles PTX to SASS, and judges what it emits.")]
struct Line {
    /// Form of the output; JSON only grows.
    #[arg(long, global = true, default_value = "text")]
    format: command::Format,
    /// Most threads of a command that works in parallel; 0 is one for each CPU.
    #[arg(long, global = true, default_value_t = 0)]
    jobs: usize,
    /// Print results and errors only.
    #[arg(long, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

/// Runs a command line, program name first. Never panics.
pub fn main(line: impl IntoIterator<Item = OsString>) -> Exit {
    let line: Vec<OsString> = line.into_iter().collect();
    // Our own handler: a panic is an internal error with a message, not a stack of Rust's.
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!(" at {}:{}", l.file(), l.line())).unwrap_or_default();
        let what = info.payload_as_str().unwrap_or("no message");
        eprintln!("error[C0009]: an error inside Sassafras{place}: {what}");
        eprintln!("  help: this is a bug; the input and this message are all that a report needs");
    }));
    let result = catch_unwind(AssertUnwindSafe(|| dispatch(&line)));
    // The handler has printed the message already.
    let exit = result.unwrap_or(Exit::Internal);
    // A verdict of which the text is lost is not one to go on with; an error inside stays one.
    match crate::files::lost() {
        Some(failure) if exit != Exit::Internal => report(&failure, false),
        _ => exit,
    }
}

fn dispatch(line: &[OsString]) -> Exit {
    let Some(words) = line.iter().map(|w| w.to_str().map(str::to_owned)).collect::<Option<Vec<String>>>()
    else {
        return report(&Failure::usage("an argument is no UTF-8 text"), false);
    };
    let program =
        words.first().map(|w| Path::new(w).file_stem().unwrap_or_default().to_string_lossy().into_owned());
    match program.as_deref() {
        // Triton calls one of two links, `ptxas` and `ptxas-blackwell`.
        Some(name) if name == "ptxas" || name.starts_with("ptxas-") => {
            return command::compile::run(&words[1..], true);
        }
        Some("nvdisasm") => return command::nvdisasm::run(&words[1..]),
        Some("cuobjdump") => return command::cuobjdump::run(&words[1..]),
        _ => {}
    }
    if let Some(rest) = of_compile(&words[1..]) {
        return command::compile::run(&rest, false);
    }
    if let [_, help, command] = &words[..]
        && help == "help"
        && command == "compile"
    {
        return command::compile::run(&["--help".to_owned()], false);
    }
    let line = match Line::try_parse_from(words.iter().map(|w| two_dashes(w))) {
        Ok(line) => line,
        Err(error) => {
            if let Err(error) = error.print().and_then(|()| std::io::stdout().flush()) {
                crate::files::note_lost(&error);
            }
            return if error.use_stderr() { Exit::Usage } else { Exit::Done };
        }
    };
    let context = command::Context {
        json: line.format == command::Format::Json,
        sarif: line.format == command::Format::Sarif,
        jobs: line.jobs,
        quiet: line.quiet,
    };
    match line.command.run(&context) {
        Ok(exit) => exit,
        Err(failure) => report(&failure, context.json),
    }
}

/// The words of `compile`, with the options that every command has and that stand before its name; `None` for another command.
fn of_compile(words: &[String]) -> Option<Vec<String>> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match word.as_str() {
            "compile" => return Some([&words[..at], &words[at + 1..]].concat()),
            "--quiet" => at += 1,
            "--format" | "--jobs" => at += 2,
            _ if word.starts_with("--format=") || word.starts_with("--jobs=") => at += 1,
            _ => return None,
        }
    }
    None
}

/// nvdisasm and ptxas write some long names after one dash.
fn two_dashes(word: &str) -> String {
    let name = word.split_once('=').map_or(word, |w| w.0);
    let known = ["-arch", "-hex", "-json", "-cfg", "-bbcfg", "-poff", "-plr", "-base", "-gi", "-fun", "-ndf"]
        .contains(&name);
    if known { format!("-{word}") } else { word.to_owned() }
}

/// Prints a failure where it belongs.
pub(crate) fn report(failure: &Failure, json: bool) -> Exit {
    if json {
        let record = serde_json::json!({
            "schema": 1,
            "exit": failure.exit as u8,
            "error": { "code": failure.code, "message": failure.message },
        });
        crate::files::print(&format!("{record}\n"));
    } else if failure.rendered {
        eprint!("{}", failure.message);
    } else {
        eprintln!("error[{}]: {}", failure.code, failure.message);
    }
    failure.exit
}
