//! Starting programs: shown as a person would type them, their output passed on.

use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// `cargo` as this process was started by it, working in `root`.
pub fn cargo(root: &Path, args: &[&str]) -> Command {
    let mut c = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    c.current_dir(root).args(args);
    // Cargo marks its children with the package that runs; a nested cargo must not take those marks for its own.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CARGO_PKG_")
            || name.starts_with("CARGO_MANIFEST")
            || name == "CARGO_PRIMARY_PACKAGE"
        {
            c.env_remove(&name);
        }
    }
    c
}

/// The command line, for people.
pub fn shown(command: &Command) -> String {
    let program =
        Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let args = command.get_args().map(|a| a.to_string_lossy());
    let quoted = args.map(|a| if a.contains([' ', '\'']) { format!("\"{a}\"") } else { a.into_owned() });
    std::iter::once(program).chain(quoted).collect::<Vec<_>>().join(" ")
}

/// Runs to the end with inherited output; gives the exit code (`None` when a signal ended it).
pub fn run(command: &mut Command) -> Result<Option<i32>> {
    let status = command.status().with_context(|| format!("cannot run {}", shown(command)))?;
    Ok(status.code())
}

/// Runs to the end, passes both outputs on as they come, and gives exit code and all lines of both.
pub fn tee(command: &mut Command) -> Result<(Option<i32>, Vec<String>)> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot run {}", shown(command)))?;
    let out = child.stdout.take().context("standard output is piped")?;
    let err = child.stderr.take().context("standard error is piped")?;
    let lines = std::thread::scope(|s| {
        let errors = s.spawn(move || pass(err, &mut std::io::stderr()));
        let mut lines = pass(out, &mut std::io::stdout());
        lines.extend(errors.join().unwrap_or_default());
        lines
    });
    Ok((child.wait()?.code(), lines))
}

fn pass(from: impl Read, to: &mut impl Write) -> Vec<String> {
    let mut lines = Vec::new();
    let mut reader = BufReader::new(from);
    let mut raw = Vec::new();
    while reader.read_until(b'\n', &mut raw).is_ok_and(|n| n > 0) {
        // A closed terminal is no reason to stop the checks.
        let _ = to.write_all(&raw).and_then(|()| to.flush());
        lines.push(String::from_utf8_lossy(&raw).trim_end().to_string());
        raw.clear();
    }
    lines
}
