//! In which steps z3 is asked, whether in process or not.

use super::ask::{Answer, short};

/// The steps of a question that is taken bit by bit.
pub(super) const BITS: [&str; 6] =
    ["simplify", "solve-eqs", "ackermannize_bv", "simplify", "bit-blast", "sat"];

/// How many times as many summands a sum may have with its products multiplied out; what a solver takes for enough by itself is ten.
pub(super) const MONOMIALS: u32 = 1000;

/// Steps for whole numbers: what is equal to something else goes first.
pub(super) const NUMBERS: [&str; 5] = ["simplify", "propagate-values", "solve-eqs", "simplify", "smt"];

/// How the solver is asked about whole numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arithmetic {
    /// Which of its procedures.
    pub(super) solver: u32,
    /// Where its choices begin.
    pub(super) seed: u32,
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
pub(super) fn in_turn(limit: u64, mut ask: impl FnMut(Arithmetic, u64) -> Answer) -> Answer {
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
