//! Solvers that say one thing.

use sassafras_prove::{Answer, NoSolver, Solver, Z3};
use sassafras_solve::smt::Script;
use std::collections::BTreeMap;

/// Gives one answer first, and another to all that follows.
struct Says(Option<Answer>, Answer);

impl Solver for Says {
    fn check(&mut self, _: &Script) -> Answer {
        self.0.take().unwrap_or_else(|| self.1.clone())
    }
}

/// z3.
pub fn z3() -> Box<dyn Solver> {
    Box::new(Z3::find(&[&sassafras_oracle::workspace_root()], 30, 20).expect("it was found before"))
}

/// None at all.
pub fn none() -> Box<dyn Solver> {
    Box::new(NoSolver)
}

/// It gives up.
pub fn tired() -> Box<dyn Solver> {
    Box::new(Says(None, Answer::Unknown("solver: tired".into())))
}

/// Its time is over.
pub fn late() -> Box<dyn Solver> {
    Box::new(Says(None, Answer::Unknown("time".into())))
}

/// Nothing is possible.
pub fn impossible() -> Box<dyn Solver> {
    Box::new(Says(None, Answer::Unsat))
}

/// The assumptions are possible, and nothing else is.
pub fn lies() -> Box<dyn Solver> {
    Box::new(Says(Some(Answer::Sat(BTreeMap::new())), Answer::Unsat))
}

/// All is possible, with zeros.
pub fn zeros() -> Box<dyn Solver> {
    Box::new(Says(None, Answer::Sat(BTreeMap::new())))
}

/// z3, which gives up where a parameter has to be the address of a buffer of a launch.
struct NoLaunch(Box<dyn Solver>);

impl Solver for NoLaunch {
    fn check(&mut self, script: &Script) -> Answer {
        match script.text.contains("0000000720000000") {
            true => Answer::Unknown("solver: tired".into()),
            false => self.0.check(script),
        }
    }
}

/// z3, which gives up on launches.
pub fn no_launch() -> Box<dyn Solver> {
    Box::new(NoLaunch(z3()))
}

/// All is possible, with a hundred everywhere.
struct Hundreds;

impl Solver for Hundreds {
    fn check(&mut self, script: &Script) -> Answer {
        Answer::Sat(script.symbols.values().map(|term| (*term, 100)).collect())
    }
}

/// All is possible, with a hundred everywhere.
pub fn hundreds() -> Box<dyn Solver> {
    Box::new(Hundreds)
}

/// Rules so many questions out, and gives up on the rest.
struct First(u32);

impl Solver for First {
    fn check(&mut self, _: &Script) -> Answer {
        let Some(left) = self.0.checked_sub(1) else { return Answer::Unknown("solver: tired".into()) };
        self.0 = left;
        Answer::Unsat
    }
}

/// The first three questions have no answer; it gives up on the others.
pub fn three() -> Box<dyn Solver> {
    Box::new(First(3))
}
