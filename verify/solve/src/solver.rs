//! Solvers: the trait, and z3 as a process that reads SMT-LIB.
//!
//! - [`Bitwuzla`]: the second solver. [`Both`]: two solvers that have to agree. `NativeZ3`: z3 in process (feature `z3`).
//! - [`Cache`]: answers of earlier runs. [`Kept`]: questions written down.
//! - [`Remembered`]: answers of one search. [`Timed`]: how long it took.

mod bitwuzla;
mod both;
mod cache;
mod kept;
#[cfg(feature = "z3")]
mod native;
mod remembered;
mod timed;

pub use bitwuzla::Bitwuzla;
pub use both::Both;
pub use cache::Cache;
pub use kept::Kept;
#[cfg(feature = "z3")]
pub use native::NativeZ3;
pub use remembered::Remembered;
pub use timed::Timed;

use crate::smt::Script;
use sassafras_semantics::TermId;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

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
    /// The same with little effort, in thousands of z3's `rlimit`, for questions that need no answer.
    fn check_short(&mut self, script: &Script, effort: u64) -> Answer {
        let _ = effort;
        self.check(script)
    }
    /// The same for questions that are best taken bit by bit, functions as tables of what they are asked.
    fn check_bits(&mut self, script: &Script, effort: u64) -> Answer {
        self.check_short(script, effort)
    }
    /// The same with products of sums multiplied out before.
    fn check_sums(&mut self, script: &Script, effort: u64) -> Answer {
        self.check_bits(script, effort)
    }
    /// The same for questions about whole numbers.
    fn check_numbers(&mut self, script: &Script, effort: u64) -> Answer {
        self.check_short(script, effort)
    }
    /// Whether the assertions can hold, with the effort that was kept for this question, whatever others took.
    fn check_last(&mut self, script: &Script) -> Answer {
        self.check(script)
    }
    /// Gives the effort for one entry once more, for another way to prove.
    fn renew(&mut self) {}
    /// The solver that this one stands before, which says what is not about single questions.
    fn inner(&self) -> Option<&dyn Solver> {
        None
    }
    /// Whether there is a solver at all.
    fn present(&self) -> bool {
        self.inner().is_none_or(|inner| inner.present())
    }
    /// Its name and version, for records and for the cache.
    fn name(&self) -> String {
        self.inner().map_or_else(|| "a solver without a name".into(), |inner| inner.name())
    }
    /// The limits that its answers depend on.
    fn limits(&self) -> String {
        self.inner().map_or_else(String::new, |inner| inner.limits())
    }
    /// Whether solvers contradicted each other, and how: an error of our own or of one of them.
    fn contradiction(&self) -> Option<String> {
        self.inner()?.contradiction()
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
    fn name(&self) -> String {
        "no solver".into()
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

/// A tool by an environment variable, if it is set; else under one of the folders or those above them.
fn found(variable: &str, place: &str, folders: &[&Path], is: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    match std::env::var_os(variable).filter(|value| !value.is_empty()) {
        Some(value) => Some(PathBuf::from(value)).filter(|p| is(p)),
        None => folders.iter().flat_map(|f| f.ancestors()).map(|f| f.join(place)).find(|p| is(p)),
    }
}

/// Seconds that a solver has beyond its own limit before it is ended.
const GRACE: u64 = 5;

/// How a question is asked.
const CHECK: &str = "(check-sat)";

/// The steps of a question that is taken bit by bit.
const BITS: [&str; 6] = ["simplify", "solve-eqs", "ackermannize_bv", "simplify", "bit-blast", "sat"];

/// How many times as many summands a sum may have with its products multiplied out; what a solver takes for enough by itself is ten.
const MONOMIALS: u32 = 1000;

/// Steps for whole numbers: what is equal to something else goes first.
const NUMBERS: [&str; 5] = ["simplify", "propagate-values", "solve-eqs", "simplify", "smt"];

/// How the solver is asked about whole numbers.
#[derive(Clone, Copy, Debug)]
struct Arithmetic {
    /// Which of its procedures.
    solver: u32,
    /// Where its choices begin.
    seed: u32,
    /// Which part of the effort it has.
    share: u64,
}

/// The short tries with whole numbers. Most questions end with little or not at all, and which it is hangs on the order of choices as well.
const TRIES: [Arithmetic; 4] = [
    Arithmetic { solver: 2, seed: 0, share: 16 },
    Arithmetic { solver: 6, seed: 0, share: 16 },
    Arithmetic { solver: 2, seed: 1, share: 16 },
    Arithmetic { solver: 6, seed: 1, share: 16 },
];

/// The ways behind them: the older procedure, with which sums of words with many carries end that do not with the newer, and then the newer, which does
/// better with quotients.
const ARITHMETIC: [Arithmetic; 2] =
    [Arithmetic { solver: 2, seed: 0, share: 2 }, Arithmetic { solver: 6, seed: 0, share: 1 }];

/// Least effort of a short try, in z3's `rlimit`.
const TRY: u64 = 300_000;

/// The first answer of the ways with whole numbers, or that of the last. `ask`: with how much effort.
fn in_turn(limit: u64, mut ask: impl FnMut(Arithmetic, u64) -> Answer) -> Answer {
    let mut last = short();
    let tries = TRIES.into_iter().filter(|way| limit / way.share >= TRY);
    for way in tries.chain(ARITHMETIC) {
        last = ask(way, limit / way.share);
        if !matches!(last, Answer::Unknown(_)) {
            break;
        }
    }
    last
}

/// Gives a program a question, how to ask it, and a wish for the values of all symbols; what it prints within some seconds. One
/// that neither answers nor ends by then is ended.
fn converse(
    command: &mut Command,
    head: &str,
    ask: &str,
    script: &Script,
    seconds: u64,
) -> std::io::Result<String> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let names: Vec<&str> = script.symbols.keys().map(String::as_str).collect();
    let values =
        if names.is_empty() { String::new() } else { format!("(get-value ({}))\n", names.join(" ")) };
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let question = format!("{head}{ask}\n{values}");
    // Each end has a thread of its own: a solver may stop reading, and stop writing.
    let writer = std::thread::spawn(move || {
        // A solver that has gone away has closed its end; what it printed tells.
        stdin.map(|mut s| s.write_all(question.as_bytes()))
    });
    let (done, read) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let result = stdout.map_or(Ok(0), |mut s| s.read_to_end(&mut bytes));
        // Nobody listens any more if it was too late.
        let _ = done.send(result.map(|_| bytes));
    });
    let answer = read.recv_timeout(Duration::from_secs(seconds.saturating_add(GRACE)));
    if answer.is_err() {
        child.kill()?;
    }
    child.wait()?;
    let Ok(bytes) = answer else { return Ok("timeout".into()) };
    // Both ends are closed by now.
    let _ = (writer.join(), reader.join());
    Ok(String::from_utf8_lossy(&bytes?).into_owned())
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

/// A question whose limit was reached, or would be.
fn short() -> Answer {
    Answer::Unknown("solver: the budget was not enough".into())
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
        "unknown" => short(),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Short tries come first where they have some effort; the first answer counts.
    #[test]
    fn whole_numbers_are_asked_about_in_turn() {
        let asked = |limit, answers_at| {
            let mut all = Vec::new();
            let answer = in_turn(limit, |way, own| {
                all.push((way.solver, own));
                if all.len() == answers_at { Answer::Unsat } else { Answer::Unknown("no".into()) }
            });
            (all, answer == Answer::Unsat)
        };
        let tries = [(2, 300_000), (6, 300_000), (2, 300_000), (6, 300_000)];
        let long = [(2, 2_400_000), (6, 4_800_000)];
        assert_eq!(asked(4_800_000, 0), ([&tries[..], &long].concat(), false));
        assert_eq!(asked(4_800_000, 2), (tries[..2].to_vec(), true));
        assert_eq!(asked(4_700_000, 2), (vec![(2, 2_350_000), (6, 4_700_000)], true));
    }
}
