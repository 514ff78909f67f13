//! From an obligation to an answer: how a solver is asked.
//!
//! The question is made small, then weakened, and asked as it is only at last. Every step keeps `unsat` true: leaving out
//! assumptions, and letting products be any number, only allows more. `sat` is said of all assumptions alone.
//!
//! 1. The terms are rebuilt in an arena of their own, relations and extrema of floats written out on bits, equations of sums with all signs
//!    positive. What is violated where any of several parts holds is asked part by part; assumptions that share no input with
//!    a part are left out.
//! 2. A short question about each part; most end here.
//! 3. Where there are products and quotients, they become unknown numbers: short questions, and the sweep below.
//! 4. Terms that are equal on many inputs are proved equal from the bottom up, each by a short question, and merged.
//! 5. The rest as it is.

mod local;
mod sweep;

use crate::inputs::Inputs;
use crate::solver::{Answer, Solver};
use local::Local;
use sassafras_semantics::TermId;

/// Effort of a short question, in thousands of z3's `rlimit`.
const SHORT: u64 = 1_000;

/// Whether all of `assumptions` and `violated` (one bit each) can hold together.
pub fn ask(inputs: &Inputs<'_>, assumptions: &[TermId], violated: TermId, solver: &mut dyn Solver) -> Answer {
    let local = Local::new(inputs, assumptions, violated);
    let mut open = Vec::new();
    for part in local.parts(local.violated) {
        match check(&local, part, &mut |script| solver.check_short(script, SHORT)) {
            Answer::Unsat => {}
            Answer::Sat(model) => return local.model(&model),
            Answer::Unknown(_) => open.push(part),
        }
    }
    if open.is_empty() || local.weakened().is_some_and(|weak| excluded(&weak, solver)) {
        return Answer::Unsat;
    }
    for part in sweep::sweep(&local, &open, solver) {
        match check(&local, part, &mut |script| solver.check(script)) {
            Answer::Unsat => {}
            Answer::Sat(model) => return local.model(&model),
            // The others cannot make good for this one.
            unknown @ Answer::Unknown(_) => return unknown,
        }
    }
    Answer::Unsat
}

/// Whether a weakened question is known to have no answer. An answer to it says nothing.
fn excluded(weak: &Local, solver: &mut dyn Solver) -> bool {
    let mut open = Vec::new();
    for part in weak.parts(weak.violated) {
        match check(weak, part, &mut |script| solver.check_short(script, SHORT)) {
            Answer::Unsat => {}
            Answer::Sat(_) => return false,
            Answer::Unknown(_) => open.push(part),
        }
    }
    let swept = if open.is_empty() { open } else { sweep::sweep(weak, &open, solver) };
    let mut short = |script: &crate::smt::Script| solver.check_short(script, 3 * SHORT);
    swept.into_iter().all(|part| check(weak, part, &mut short) == Answer::Unsat)
}

/// Asks about a part under the assumptions near it; `sat` is asked again under all.
fn check(local: &Local, part: TermId, asker: &mut dyn FnMut(&crate::smt::Script) -> Answer) -> Answer {
    if local.terms_known(part) == Some(0) {
        return Answer::Unsat;
    }
    let near = local.near(part);
    match asker(&local.script(&near, part)) {
        Answer::Sat(_) if near.len() < local.assumptions.len() => {
            asker(&local.script(&local.assumptions, part))
        }
        answer => answer,
    }
}

#[cfg(test)]
mod tests;
