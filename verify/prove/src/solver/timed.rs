//! How long a solver took.

use super::{Answer, Solver};
use crate::smt::Script;
use std::time::Instant;

/// A solver whose questions are counted and timed.
pub struct Timed<'s> {
    inner: &'s mut dyn Solver,
    /// Seconds that its answers took.
    pub seconds: f64,
    /// Questions.
    pub questions: u32,
}

impl<'s> Timed<'s> {
    /// Around a solver.
    pub fn new(inner: &'s mut dyn Solver) -> Timed<'s> {
        Timed { inner, seconds: 0.0, questions: 0 }
    }

    fn timed(&mut self, ask: impl FnOnce(&mut dyn Solver) -> Answer) -> Answer {
        let started = Instant::now();
        let answer = ask(self.inner);
        self.seconds += started.elapsed().as_secs_f64();
        self.questions += 1;
        answer
    }
}

impl Solver for Timed<'_> {
    fn check(&mut self, script: &Script) -> Answer {
        self.timed(|s| s.check(script))
    }
    fn check_short(&mut self, script: &Script, effort: u64) -> Answer {
        self.timed(|s| s.check_short(script, effort))
    }
    fn present(&self) -> bool {
        self.inner.present()
    }
    fn name(&self) -> String {
        self.inner.name()
    }
    fn limits(&self) -> String {
        self.inner.limits()
    }
    fn contradiction(&self) -> Option<String> {
        self.inner.contradiction()
    }
}
