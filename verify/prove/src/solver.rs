//! Solvers: the trait, and z3 as a process that reads SMT-LIB.

use crate::smt::Script;
use sassafras_semantics::TermId;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a solver says about a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The assertions can hold, for these values of the free terms.
    Sat(BTreeMap<TermId, u128>),
    /// They cannot.
    Unsat,
    /// It does not know, or did not answer; why.
    Unknown(String),
}

/// Something that answers scripts.
pub trait Solver {
    /// Whether the assertions of a script can hold together.
    fn check(&mut self, script: &Script) -> Answer;
    /// Whether there is a solver at all.
    fn present(&self) -> bool {
        true
    }
}

/// No solver: every question stays open.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSolver;

impl Solver for NoSolver {
    fn check(&mut self, _: &Script) -> Answer {
        Answer::Unknown("no solver".into())
    }
    fn present(&self) -> bool {
        false
    }
}

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
    /// z3 by the environment variable `SASSAFRAS_Z3`, else `.z3/bin/z3` under one of the folders or those above them.
    pub fn find(folders: &[&Path], budget: u64, timeout: u64) -> Option<Z3> {
        let named = std::env::var_os("SASSAFRAS_Z3").map(PathBuf::from);
        let beside = || {
            let all = folders.iter().flat_map(|f| f.ancestors());
            all.map(|f| f.join(".z3/bin/z3")).find(|p| p.is_file())
        };
        let path = named.filter(|p| p.is_file()).or_else(beside)?;
        Some(Z3 { path, budget, timeout })
    }

    fn ask(&self, script: &Script) -> std::io::Result<String> {
        let mut child = Command::new(&self.path)
            .args(["-in", "-smt2", &format!("-T:{}", self.timeout)])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let names: Vec<&str> = script.symbols.keys().map(String::as_str).collect();
        let values =
            if names.is_empty() { String::new() } else { format!("(get-value ({}))\n", names.join(" ")) };
        let limit = self.budget.saturating_mul(1_000_000).min(u64::from(u32::MAX));
        let text = format!("(set-option :rlimit {limit})\n{}(check-sat)\n{values}", script.text);
        if let Some(mut stdin) = child.stdin.take() {
            // A solver that has gone away has closed its end; what it printed tells.
            let _ = stdin.write_all(text.as_bytes());
        }
        let output = child.wait_with_output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl Solver for Z3 {
    fn check(&mut self, script: &Script) -> Answer {
        match self.ask(script) {
            Ok(text) => read(&text, script),
            Err(e) => Answer::Unknown(format!("solver: {e}")),
        }
    }
}

/// What a solver printed, read strictly: anything else than an answer is none.
pub fn read(text: &str, script: &Script) -> Answer {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    match first.trim() {
        "unsat" => Answer::Unsat,
        "sat" => match model(rest, script) {
            Some(values) => Answer::Sat(values),
            None => Answer::Unknown("solver: its model cannot be read".into()),
        },
        "unknown" => Answer::Unknown("solver: the budget was not enough".into()),
        "timeout" => Answer::Unknown("time".into()),
        other => Answer::Unknown(format!("solver: it said `{}`", other.chars().take(80).collect::<String>())),
    }
}

/// `((NAME VALUE) …)`.
fn model(text: &str, script: &Script) -> Option<BTreeMap<TermId, u128>> {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c == '(' || c == ')').filter(|w| !w.is_empty()).collect();
    let mut values = BTreeMap::new();
    for pair in words.chunks(2) {
        let [name, value] = pair else { return None };
        let (digits, radix) = match (value.strip_prefix("#x"), value.strip_prefix("#b")) {
            (Some(digits), _) => (digits, 16),
            (_, Some(digits)) => (digits, 2),
            _ => return None,
        };
        values.insert(*script.symbols.get(*name)?, u128::from_str_radix(digits, radix).ok()?);
    }
    (values.len() == script.symbols.len()).then_some(values)
}
