//! Two solvers that have to agree.

use sassafras_solve::smt::Script;
use sassafras_solve::solver::{Answer, Solver};

/// Asks two solvers. An answer stands if both give it; where they contradict each other there is an error in one of them or in
/// the question, and [`Solver::contradiction`] says so.
pub struct Both {
    first: Box<dyn Solver>,
    second: Box<dyn Solver>,
    contradiction: Option<String>,
}

impl Both {
    /// Two solvers.
    pub fn new(first: Box<dyn Solver>, second: Box<dyn Solver>) -> Both {
        Both { first, second, contradiction: None }
    }

    fn agreed(&mut self, first: Answer, second: Answer) -> Answer {
        match (first, second) {
            (Answer::Unsat, Answer::Unsat) => Answer::Unsat,
            // Models differ, and both are right.
            (Answer::Sat(model), Answer::Sat(_)) => Answer::Sat(model),
            (Answer::Unknown(why), _) | (_, Answer::Unknown(why)) => Answer::Unknown(why),
            (a, _) => {
                let word = |sat: bool| if sat { "sat" } else { "unsat" };
                let sat = matches!(a, Answer::Sat(_));
                let (first, second) = (self.first.name(), self.second.name());
                let what = format!("{first} says {}, {second} says {}", word(sat), word(!sat));
                self.contradiction.get_or_insert_with(|| what.clone());
                Answer::Unknown(format!("solver: {what}"))
            }
        }
    }
}

impl Solver for Both {
    fn check(&mut self, script: &Script) -> Answer {
        let (first, second) = (self.first.check(script), self.second.check(script));
        self.agreed(first, second)
    }

    fn check_short(&mut self, script: &Script, effort: u64) -> Answer {
        // What the first does not find easy is no question for the second.
        let first = self.first.check_short(script, effort);
        if matches!(first, Answer::Unknown(_)) {
            return first;
        }
        let second = self.second.check_short(script, effort);
        self.agreed(first, second)
    }

    fn present(&self) -> bool {
        self.first.present() && self.second.present()
    }

    fn name(&self) -> String {
        format!("{} and {}", self.first.name(), self.second.name())
    }

    fn limits(&self) -> String {
        format!("{} and {}", self.first.limits(), self.second.limits())
    }

    fn contradiction(&self) -> Option<String> {
        let inner = || self.first.contradiction().or_else(|| self.second.contradiction());
        self.contradiction.clone().or_else(inner)
    }
}
