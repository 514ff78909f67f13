//! `sassafras reduce`: the smallest PTX of which something still holds.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use sassafras_generate::reduce::{Effort, acts, reduce};
use sassafras_prove::Limits;
use serde_json::json;

use super::{Context, solvers};
use crate::harness::case::Case;
use crate::harness::compiler::{Compiler, Name};
use crate::harness::oracle::{self, Decision};
use crate::{Exit, Failure, files};

/// Reduce PTX as long as a command, given the file, still exits with 0, or as long as a verdict stays.
#[derive(Args)]
pub struct Reduce {
    /// The PTX.
    input: PathBuf,
    /// What must exit with 0: run by `sh -c` with the file's path behind it, or in place of each `{}`.
    #[arg(
        long,
        value_name = "COMMAND",
        required_unless_present = "keep_verdict",
        conflicts_with = "keep_verdict"
    )]
    keep: Option<String>,
    /// Keep what an oracle says of the compiled program instead, for the same reason, and that the program does something: `run`, both executors on the launch that the first line names
    /// (`// launch: blocks 1 threads 32 out 65536 in 65536 seed 0`), or `prove`.
    #[arg(long, value_name = "ORACLE", num_args = 0..=1, default_missing_value = "run", value_parser = ["run", "prove"])]
    keep_verdict: Option<String>,
    /// Whose code the verdict is about: `ours`, `ptxas@VERSION` or `program:PATH`; by default ours. A command of --keep says for itself what it compiles with.
    #[arg(long, conflicts_with = "keep")]
    compiler: Option<Name>,
    /// For which chip; by default sm_90.
    #[arg(long = "arch", value_name = "sm_XX", conflicts_with = "keep")]
    arch: Option<sassafras_chip::Target>,
    /// At which level; by default 3.
    #[arg(long, conflicts_with = "keep", value_parser = clap::value_parser!(u8).range(0..=3))]
    level: Option<u8>,
    /// Where the result goes, after each step; standard output without it.
    #[arg(short = 'o', value_name = "OUT.ptx")]
    output: Option<PathBuf>,
}

pub(super) fn run(arguments: &Reduce, context: &Context) -> Result<Exit, Failure> {
    let text = files::read_text(&arguments.input)?;
    let case = Case::read(&text).map_err(Failure::wrong)?;
    let named = text.starts_with("// launch:");
    // A file that names its launch is run after each step: what it leaves must mean something.
    let means = |text: &str| {
        let case = Case { text: text.to_owned(), ..case.clone() };
        !named || case.module().and_then(|m| case.expected(&m)).is_ok()
    };
    let whole = |text: &str| match named {
        true => Case { text: text.to_owned(), ..case.clone() }.file(),
        false => text.to_owned(),
    };
    let folder = Temporary::new()?;
    let keep: Box<dyn Fn(&str) -> bool + Sync> = match &arguments.keep {
        Some(command) => Box::new(|text: &str| means(text) && folder.holds(command, &whole(text))),
        None => {
            let chip = arguments.arch.map_or(90, |a| a.chip.number());
            let name = arguments.compiler.as_ref().unwrap_or(&Name::Ours);
            let compiler = Compiler::find(name, chip, arguments.level.unwrap_or(3))
                .map_err(|skipped| Failure::usage(skipped.to_string()))?;
            let proves = arguments.keep_verdict.as_deref() == Some("prove");
            let case = case.clone();
            let decide = move |text: &str| {
                let case = Case { text: text.to_owned(), ..case.clone() };
                match proves {
                    false => oracle::by_running(&case, &compiler),
                    true => {
                        let mut solver = solvers::first(10, 20);
                        oracle::by_proof(&case, &compiler, solver.as_mut(), Limits::default())
                    }
                }
            };
            let first = decide(&text);
            if let Decision::Meaningless(why) = &first {
                return Err(Failure::wrong(why.to_string()).about(&arguments.input));
            }
            let ground = first.ground();
            if !context.quiet {
                eprintln!("kept: {ground}");
            }
            // What does nothing agrees with anything that does nothing.
            let must_act = acts(&text);
            Box::new(move |text: &str| (!must_act || acts(text)) && decide(text).ground() == ground)
        }
    };
    if !keep(&text) {
        let why =
            "the input itself is not kept: the command does not exit with 0, or its launch means nothing";
        return Err(Failure::usage(why).about(&arguments.input));
    }
    let jobs = match context.jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    };
    let mut unwritten = None;
    let mut taken = |text: &str, effort: Effort| {
        if let Some(path) = &arguments.output
            && let Err(e) = files::write(path, whole(text).as_bytes())
        {
            unwritten.get_or_insert(e);
        }
        if !context.quiet && std::io::IsTerminal::is_terminal(&std::io::stderr()) {
            eprint!("\r{} lines, {} steps taken of {} ", text.lines().count(), effort.taken, effort.tests);
        }
    };
    let small = reduce(&text, keep.as_ref(), jobs, &mut taken).map_err(Failure::wrong)?;
    if let Some(e) = unwritten {
        return Err(e);
    }
    let result = whole(&small.text);
    match &arguments.output {
        Some(path) => files::write(path, result.as_bytes())?,
        None if !context.json => files::print(&result),
        None => {}
    }
    let (before, after) = (text.lines().count(), result.lines().count());
    let Effort { tests, taken } = small.effort;
    if context.json {
        let record = json!({
            "schema": 1, "lines_before": before, "lines_after": after, "tests": tests, "taken": taken,
            "text": result,
        });
        files::print(&format!("{record}\n"));
    } else if !context.quiet {
        eprintln!("from {before} to {after} lines: {taken} steps taken of {tests} that were tried");
    }
    Ok(Exit::Done)
}

/// A folder for the files that a command is given; it goes at the end.
struct Temporary {
    path: PathBuf,
    next: AtomicUsize,
}

impl Temporary {
    fn new() -> Result<Temporary, Failure> {
        let path = std::env::temp_dir().join(format!("sassafras-reduce-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|e| Failure::wrong(e.to_string()).about(&path))?;
        Ok(Temporary { path, next: AtomicUsize::new(0) })
    }

    /// Whether a command, given a file with the text, exits with 0.
    fn holds(&self, command: &str, text: &str) -> bool {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let file = self.path.join(format!("{n}.ptx"));
        let quoted = quoted(&file);
        let line = match command.contains("{}") {
            true => command.replace("{}", &quoted),
            false => format!("{command} {quoted}"),
        };
        let run = || {
            std::fs::write(&file, text)?;
            let silent = Stdio::null;
            Command::new("sh").arg("-c").arg(line).stdin(silent()).stdout(silent()).stderr(silent()).status()
        };
        let kept = run().is_ok_and(|status| status.success());
        // A leftover goes with the folder.
        let _ = std::fs::remove_file(&file);
        kept
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// A path as one word of a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}
