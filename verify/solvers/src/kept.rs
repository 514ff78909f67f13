//! A solver whose questions are written down.

use sassafras_solve::smt::Script;
use sassafras_solve::solver::{Answer, Solver};
use std::path::PathBuf;

/// Writes each question into a folder as SMT-LIB, numbered, with the answer and the seconds that it took in a comment.
pub struct Kept {
    inner: Box<dyn Solver>,
    folder: PathBuf,
    count: u32,
}

impl Kept {
    /// A solver, and the folder for its questions, which must exist.
    pub fn new(inner: Box<dyn Solver>, folder: PathBuf) -> Kept {
        Kept { inner, folder, count: 0 }
    }
}

impl Kept {
    fn write(&mut self, script: &Script, ask: impl Fn(&mut dyn Solver) -> Answer) -> Answer {
        let started = std::time::Instant::now();
        let answer = ask(self.inner.as_mut());
        let word = match &answer {
            Answer::Sat(_) => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(why) => why,
        };
        let seconds = started.elapsed().as_secs_f64();
        let text = format!("; {word}, {seconds:.3} s\n{}(check-sat)\n", script.text);
        self.count += 1;
        let path = self.folder.join(format!("question-{:04}.smt2", self.count));
        match std::fs::write(&path, text) {
            Ok(()) => answer,
            Err(e) => Answer::Unknown(format!("solver: {}: {e}", path.display())),
        }
    }
}

impl Solver for Kept {
    fn check(&mut self, script: &Script) -> Answer {
        self.write(script, |inner| inner.check(script))
    }

    fn check_short(&mut self, script: &Script, effort: u64) -> Answer {
        self.write(script, |inner| inner.check_short(script, effort))
    }

    fn check_bits(&mut self, script: &Script, effort: u64) -> Answer {
        self.write(script, |inner| inner.check_bits(script, effort))
    }

    fn check_sums(&mut self, script: &Script, effort: u64) -> Answer {
        self.write(script, |inner| inner.check_sums(script, effort))
    }

    fn check_numbers(&mut self, script: &Script, effort: u64) -> Answer {
        self.write(script, |inner| inner.check_numbers(script, effort))
    }

    fn inner(&self) -> Option<&dyn Solver> {
        Some(self.inner.as_ref())
    }
}
