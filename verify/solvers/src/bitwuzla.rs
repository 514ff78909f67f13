//! bitwuzla, the second solver, through a driver of ten lines for its package from PyPI.

use sassafras_solve::smt::Script;
use sassafras_solve::solver::process::{CHECK, converse, found, read};
use sassafras_solve::solver::{Answer, Solver};
use std::path::{Path, PathBuf};
use std::process::Command;

const DRIVER: &str = include_str!("bitwuzla.py");

/// bitwuzla as a process, started anew for each question. It has no deterministic limit: only a time, after which it knows
/// nothing.
#[derive(Clone, Debug)]
pub struct Bitwuzla {
    /// The folder with its Python package.
    pub package: PathBuf,
    /// Seconds after which it gives up.
    pub timeout: u64,
}

impl Bitwuzla {
    /// bitwuzla's package by the environment variable `SASSAFRAS_BITWUZLA`, else `.oracle/bitwuzla` under one of the folders
    /// or those above them.
    pub fn find(folders: &[&Path], timeout: u64) -> Option<Bitwuzla> {
        let package = found("SASSAFRAS_BITWUZLA", ".oracle/bitwuzla", folders, |p| p.is_dir())?;
        Some(Bitwuzla { package, timeout })
    }

    fn command(&self) -> Command {
        let mut command = Command::new("python3");
        command.env("PYTHONPATH", &self.package).env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }
}

impl Solver for Bitwuzla {
    fn check(&mut self, script: &Script) -> Answer {
        sassafras_solve::limit::look();
        let most = sassafras_solve::limit::milliseconds(self.timeout.saturating_mul(1000));
        let mut command = self.command();
        command.args(["-c", DRIVER, &most.to_string()]);
        let text = format!("(set-logic QF_UFBV)\n{}", script.text);
        match converse(&mut command, &text, CHECK, script, most.div_ceil(1000)) {
            // It says `unknown` for nothing else than its time.
            Ok(text) if text.trim_start().starts_with("unknown") => Answer::Unknown("time".into()),
            Ok(text) => read(&text, script),
            Err(e) => Answer::Unknown(format!("solver: {e}")),
        }
    }

    fn name(&self) -> String {
        let output = self.command().args(["-c", "import bitwuzla; print(bitwuzla.version())"]).output();
        let version = output.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
        format!("bitwuzla {}", version.unwrap_or_default())
    }
}
