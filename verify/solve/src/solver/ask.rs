//! Something that answers scripts, and what it answers.

use crate::smt::Script;
use sassafras_semantics::TermId;
use std::collections::BTreeMap;

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

/// A question whose limit was reached, or would be.
pub fn short() -> Answer {
    Answer::Unknown("solver: the budget was not enough".into())
}
