//! Limits of what is done about one entry beside the solver's questions: normal forms, searches, proof construction.
//!
//! Terms may grow with the power of what a program is long, and every part of the prover walks over them. So they count what they do here, and whoever asked for it is told
//! that it was too much. That goes by unwinding without a panic, since no term has a value that would stand for "not known": [`within`] is the one place where it ends.
//!
//! - Work is counted, so that verdicts do not depend on the machine. It is renewed for each way to prove.
//! - Time is safety alone, and the same for all that is done about an entry: the solver's questions have what is left of it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

/// Work for each way to prove where nobody says how much: several times what the longest proofs of the corpus take.
const WORK: u64 = 600_000_000;

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most times that a loop of the source is gone through.
    pub unroll: u32,
    /// Whether loops are tried for any number of turns before they are unrolled.
    pub turns: bool,
    /// Effort for all questions about an entry, in thousands of z3's `rlimit`.
    pub effort: u64,
    /// Launches on which both sides are run where nothing is proved.
    pub launches: u64,
    /// Work beside the solver's questions, for each way to prove.
    pub work: u64,
    /// When everything about an entry has to end, for safety.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// Where nobody says otherwise.
    pub const DEFAULT: Limits =
        Limits { unroll: 4, turns: true, effort: 12_000, launches: 40, work: WORK, deadline: None };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

/// Work after which the clock is looked at.
const LOOK: u64 = 1 << 12;

/// What is left.
#[derive(Clone, Copy, Debug)]
struct Left {
    work: u64,
    deadline: Option<Instant>,
    /// Work until the clock is looked at.
    until: u64,
}

thread_local! {
    static LEFT: Cell<Option<Left>> = const { Cell::new(None) };
}

/// What there was too little of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// Work.
    Work,
    /// Time.
    Time,
}

impl Reached {
    /// The reason of an `Unknown`.
    pub fn reason(self) -> &'static str {
        match self {
            Reached::Work => "effort: terms grow beyond what is worked through",
            Reached::Time => "time",
        }
    }
}

/// Puts back what was left before.
struct Before(Option<Left>);

impl Drop for Before {
    fn drop(&mut self) {
        LEFT.set(self.0);
    }
}

/// Does something with a limited amount of work, by a deadline.
///
/// # Errors
/// What there was too little of.
pub fn within<T>(work: u64, deadline: Option<Instant>, run: impl FnOnce() -> T) -> Result<T, Reached> {
    if is_over(deadline) {
        return Err(Reached::Time);
    }
    let before = Before(LEFT.replace(Some(Left { work, deadline, until: LOOK })));
    // What is left half done is thrown away with the terms that it is about.
    let done = catch_unwind(AssertUnwindSafe(run));
    drop(before);
    done.map_err(|what| match what.downcast::<Reached>() {
        Ok(reached) => *reached,
        Err(panic) => resume_unwind(panic),
    })
}

/// Counts work, and ends what [`within`] began if it is too much.
pub fn spend(amount: u64) {
    let Some(mut left) = LEFT.get() else { return };
    let reached = if left.work < amount {
        Some(Reached::Work)
    } else {
        left.work -= amount;
        if left.until > amount {
            left.until -= amount;
            None
        } else {
            left.until = LOOK;
            is_over(left.deadline).then_some(Reached::Time)
        }
    };
    LEFT.set(Some(left));
    if let Some(reached) = reached {
        resume_unwind(Box::new(reached));
    }
}

/// Looks at the clock, before something that takes long in one piece.
pub fn look() {
    if let Some(left) = LEFT.get()
        && is_over(left.deadline)
    {
        resume_unwind(Box::new(Reached::Time));
    }
}

fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|d| Instant::now() >= d)
}

/// Milliseconds for a question: what is left, at most those asked for; at least one.
pub fn milliseconds(most: u64) -> u64 {
    let left = LEFT.get().and_then(|left| left.deadline);
    let left = left.map(|d| d.saturating_duration_since(Instant::now()).as_millis());
    left.and_then(|left| u64::try_from(left).ok()).map_or(most, |left| left.min(most)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn too_much_work_ends_what_was_begun_and_nothing_else() {
        assert_eq!(within(10, None, || spend(10)), Ok(()));
        assert_eq!(within(10, None, || spend(11)), Err(Reached::Work));
        // Outside of any limit nothing is counted.
        spend(u64::MAX);
        let outer = within(100, None, || {
            let inner = within(10, None, || spend(50));
            spend(90);
            inner
        });
        assert_eq!(outer, Ok(Err(Reached::Work)));
    }

    #[test]
    fn time_ends_what_works_on() {
        let soon = Instant::now() + Duration::from_millis(20);
        let run = || loop {
            spend(1);
        };
        assert_eq!(within(u64::MAX, Some(soon), run), Err(Reached::Time));
        assert_eq!(within(u64::MAX, Some(soon), || ()), Err(Reached::Time), "it is over");
    }

    #[test]
    fn a_panic_stays_one() {
        let run = || within(10, None, || panic!("of its own"));
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    }
}
