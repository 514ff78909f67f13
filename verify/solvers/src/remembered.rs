//! Answers of one search, by the content of the question, where the same is asked in more than one way.

use rustc_hash::FxHashMap;
use sassafras_solve::smt::Script;
use sassafras_solve::solver::{Answer, Solver};
use sha2::{Digest, Sha256};

/// How a question was asked.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum How {
    Whole,
    Short,
    Bits,
    Sums,
    Numbers,
    Last,
}

/// A question: how it was asked, its effort, and the hash of its text.
type Key = (How, u64, [u8; 32]);

/// Keeps the answers of a solver in memory, what it does not know too, but no values: a [`Answer::Sat`] that was kept has none. For
/// questions whose terms have the same numbers or whose values nobody reads.
pub struct Remembered<'s> {
    inner: &'s mut dyn Solver,
    answers: FxHashMap<Key, Answer>,
}

impl<'s> Remembered<'s> {
    /// Before a solver, with nothing kept yet.
    pub fn new(inner: &'s mut dyn Solver) -> Remembered<'s> {
        Remembered { inner, answers: FxHashMap::default() }
    }

    fn look(
        &mut self,
        script: &Script,
        (how, effort): (How, u64),
        ask: impl FnOnce(&mut dyn Solver) -> Answer,
    ) -> Answer {
        let key = (how, effort, Sha256::digest(&script.text).into());
        if let Some(answer) = self.answers.get(&key) {
            return answer.clone();
        }
        let answer = match ask(self.inner) {
            Answer::Sat(_) => Answer::Sat(Default::default()),
            other => other,
        };
        self.answers.insert(key, answer.clone());
        answer
    }
}

impl Solver for Remembered<'_> {
    fn check(&mut self, script: &Script) -> Answer {
        self.look(script, (How::Whole, 0), |s| s.check(script))
    }
    fn check_short(&mut self, script: &Script, effort: u64) -> Answer {
        self.look(script, (How::Short, effort), |s| s.check_short(script, effort))
    }
    fn check_bits(&mut self, script: &Script, effort: u64) -> Answer {
        self.look(script, (How::Bits, effort), |s| s.check_bits(script, effort))
    }
    fn check_sums(&mut self, script: &Script, effort: u64) -> Answer {
        self.look(script, (How::Sums, effort), |s| s.check_sums(script, effort))
    }
    fn check_numbers(&mut self, script: &Script, effort: u64) -> Answer {
        self.look(script, (How::Numbers, effort), |s| s.check_numbers(script, effort))
    }
    fn check_last(&mut self, script: &Script) -> Answer {
        self.look(script, (How::Last, 0), |s| s.check_last(script))
    }
    fn renew(&mut self) {
        self.inner.renew();
    }
    fn inner(&self) -> Option<&dyn Solver> {
        Some(&*self.inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts what it is asked, and knows nothing.
    #[derive(Default)]
    struct Counts(u32);

    impl Solver for Counts {
        fn check(&mut self, _: &Script) -> Answer {
            self.0 += 1;
            if self.0 == 1 { Answer::Unsat } else { Answer::Unknown("no".into()) }
        }
    }

    #[test]
    fn the_same_question_asked_the_same_way_is_asked_once() {
        let mut inner = Counts::default();
        let mut all = Remembered::new(&mut inner);
        let [a, b] = ["(assert false)", "(assert true)"].map(|text| Script {
            text: text.into(),
            symbols: Default::default(),
            question: Default::default(),
        });
        assert_eq!(all.check(&a), Answer::Unsat);
        assert_eq!(all.check(&a), Answer::Unsat);
        let other = Answer::Unknown("no".into());
        assert_eq!(all.check(&b), other, "another question");
        assert_eq!(all.check_bits(&a, 1), other, "another way");
        assert_eq!(all.check_bits(&a, 2), other, "another effort");
        assert_eq!(all.check_bits(&a, 2), other);
        assert_eq!(inner.0, 4);
    }
}
