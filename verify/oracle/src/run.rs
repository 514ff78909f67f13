//! Running a program and keeping what it said.

use std::ffi::OsStr;
use std::process::Command;
use std::time::Instant;

/// What a program did.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Exit status; `None` when a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Wall time of the process in seconds, start-up included.
    pub seconds: f64,
}

impl Output {
    /// Whether it exited with 0.
    pub fn ok(&self) -> bool {
        self.code == Some(0)
    }
}

/// A program that could not be run, or whose files could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It did not start.
    #[error("cannot run {program}: {source}")]
    Start {
        /// Its path.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// A temporary or output file.
    #[error("{0}")]
    File(#[from] std::io::Error),
    /// It ran and said no.
    #[error("{program} failed ({code:?}): {stderr}")]
    Failed {
        /// Its path.
        program: String,
        /// Exit status; `None` when a signal ended it.
        code: Option<i32>,
        /// What it said.
        stderr: String,
    },
}

pub fn run(program: &OsStr, args: &[&OsStr]) -> Result<Output, RunError> {
    let started = Instant::now();
    let out = Command::new(program)
        .args(args)
        .output()
        .map_err(|source| RunError::Start { program: program.to_string_lossy().into_owned(), source })?;
    Ok(Output {
        code: out.status.code(),
        stdout: String::from_utf8_lossy(&out.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&out.stderr).into_owned(),
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// As [`run`], but a status other than 0 is an error.
pub fn run_ok(program: &OsStr, args: &[&OsStr]) -> Result<Output, RunError> {
    let out = run(program, args)?;
    if out.ok() {
        return Ok(out);
    }
    let said = if out.stderr.trim().is_empty() { out.stdout } else { out.stderr };
    Err(RunError::Failed {
        program: program.to_string_lossy().into_owned(),
        code: out.code,
        stderr: said.trim().to_string(),
    })
}
