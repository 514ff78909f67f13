//! z3 as a process.

use super::ask::{Answer, Solver, short};
use super::process::{CHECK, converse, found, read};
use super::tactics::{Arithmetic, BITS, MONOMIALS, NUMBERS, in_turn};
use crate::smt::Script;
use std::path::{Path, PathBuf};
use std::process::Command;

/// z3 as a process, started anew for each question so that the answers do not depend on one another.
#[derive(Clone, Debug)]
pub struct Z3 {
    /// The executable.
    pub path: PathBuf,
    /// z3's `rlimit`, in millions.
    pub budget: u64,
    /// Seconds after which it gives up; a safety net alone, since answers would depend on the machine.
    pub timeout: u64,
}

impl Z3 {
    /// z3 by the environment variable `SASSAFRAS_Z3`, else `.z3/bin/z3` under one of the folders or those above them. If the variable names no file,
    /// none: another program than the one that was asked for is no answer.
    pub fn find(folders: &[&Path], budget: u64, timeout: u64) -> Option<Z3> {
        let path = found("SASSAFRAS_Z3", ".z3/bin/z3", folders, |p| p.is_file())?;
        Some(Z3 { path, budget, timeout })
    }

    /// The program.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Z3 {
    fn within(&self, script: &Script, limit: u64, ask: &str) -> Answer {
        let limit = limit.min(u64::from(u32::MAX));
        if script.question.products() > limit {
            return short();
        }
        let text = format!("(set-option :rlimit {limit})\n{}", script.text);
        crate::limit::look();
        let seconds = crate::limit::milliseconds(self.timeout.saturating_mul(1000)).div_ceil(1000);
        let mut command = Command::new(&self.path);
        command.args(["-in", "-smt2", &format!("-T:{seconds}")]);
        match converse(&mut command, &text, ask, script, seconds) {
            Ok(text) => read(&text, script),
            Err(e) => Answer::Unknown(format!("solver: {e}")),
        }
    }
}

impl Solver for Z3 {
    fn check(&mut self, script: &Script) -> Answer {
        self.within(script, self.budget.saturating_mul(1_000_000), CHECK)
    }

    fn check_short(&mut self, script: &Script, effort: u64) -> Answer {
        self.within(script, effort.min(self.budget.saturating_mul(1000)).saturating_mul(1000), CHECK)
    }

    fn check_bits(&mut self, script: &Script, effort: u64) -> Answer {
        let limit = effort.min(self.budget.saturating_mul(1000)).saturating_mul(1000);
        self.within(script, limit, &format!("(check-sat-using (then {}))", BITS.join(" ")))
    }

    fn check_sums(&mut self, script: &Script, effort: u64) -> Answer {
        let limit = effort.min(self.budget.saturating_mul(1000)).saturating_mul(1000);
        let multiplied = |s: &str| match s {
            "simplify" => format!("(using-params simplify :som true :som_blowup {MONOMIALS})"),
            other => other.to_owned(),
        };
        let steps = BITS.into_iter().map(multiplied).collect::<Vec<_>>().join(" ");
        self.within(script, limit, &format!("(check-sat-using (then {steps}))"))
    }

    fn check_numbers(&mut self, script: &Script, effort: u64) -> Answer {
        let limit = effort.min(self.budget.saturating_mul(1000)).saturating_mul(1000);
        let ask = |Arithmetic { solver, seed, .. }, limit| {
            let step = |s: &str| match s {
                "smt" => format!("(using-params smt :arith.solver {solver} :random_seed {seed})"),
                other => other.to_owned(),
            };
            let steps = NUMBERS.into_iter().map(step).collect::<Vec<_>>().join(" ");
            self.within(script, limit, &format!("(check-sat-using (then {steps}))"))
        };
        in_turn(limit, ask)
    }

    fn name(&self) -> String {
        let output = Command::new(&self.path).arg("--version").output();
        let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
        let version = text.split_whitespace().find(|w| w.starts_with(|c: char| c.is_ascii_digit()));
        format!("z3 {}", version.unwrap_or_default())
    }

    fn limits(&self) -> String {
        format!("rlimit {} million", self.budget)
    }
}
