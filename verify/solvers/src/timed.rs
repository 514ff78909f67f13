//! How long a solver took, and that it does not take for ever.

use sassafras_solve::smt::Script;
use sassafras_solve::solver::{Answer, Solver};
use std::time::Instant;

/// What an answer is reckoned to take of its limit: most come at once.
const SHARE: u64 = 16;
/// Effort that is kept for the last question.
const KEPT: u64 = 2_000;

/// A solver whose questions are counted and timed. When those about one entry have taken their effort together, which is reckoned
/// from their limits so that it does not depend on the machine, the rest stay open.
pub struct Timed<'s> {
    inner: &'s mut dyn Solver,
    /// Seconds that its answers took.
    pub seconds: f64,
    /// Questions.
    pub questions: u32,
    /// Effort that was reckoned so far.
    spent: u64,
    /// Effort for all questions.
    most: u64,
}

impl<'s> Timed<'s> {
    /// Around a solver; `most`: effort for all questions, in thousands of z3's `rlimit`.
    pub fn within(inner: &'s mut dyn Solver, most: u64) -> Timed<'s> {
        Timed { inner, seconds: 0.0, questions: 0, spent: 0, most }
    }

    fn timed(&mut self, effort: u64, ask: impl FnOnce(&mut dyn Solver) -> Answer) -> Answer {
        if self.spent >= self.most {
            return Answer::Unknown("solver: the effort for one entry was not enough".into());
        }
        let started = Instant::now();
        let answer = ask(self.inner);
        self.seconds += started.elapsed().as_secs_f64();
        self.questions += 1;
        self.spent += if matches!(answer, Answer::Unknown(_)) { effort } else { effort / SHARE };
        answer
    }
}

impl Solver for Timed<'_> {
    fn check(&mut self, script: &Script) -> Answer {
        let rest = self.most.saturating_sub(self.spent);
        self.timed(rest, |s| s.check_short(script, rest))
    }
    fn check_short(&mut self, script: &Script, effort: u64) -> Answer {
        self.timed(effort, |s| s.check_short(script, effort))
    }
    fn check_last(&mut self, script: &Script) -> Answer {
        self.most = self.most.max(self.spent.saturating_add(KEPT));
        self.timed(KEPT, |s| s.check_short(script, KEPT))
    }
    fn renew(&mut self) {
        self.spent = 0;
    }
    fn inner(&self) -> Option<&dyn Solver> {
        Some(&*self.inner)
    }
}
