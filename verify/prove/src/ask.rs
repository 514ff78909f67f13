//! From an obligation to an answer: how a solver is asked.
//!
//! The question is made small, then weakened, and asked as it is only at last. Every step keeps `unsat` true: leaving out
//! assumptions, and letting products be any number, only allows more. `sat` is said of all assumptions alone.
//!
//! 1. The terms are rebuilt in an arena of their own, relations and extrema of floats written out on bits, equations of sums with all signs
//!    positive. What is violated where any of several parts holds is asked part by part; assumptions that share no input with
//!    a part are left out.
//! 2. Terms as they were executed that are equal as exact numbers ([`sassafras_normal::integer`]) are merged; what is left of a part may be nothing.
//!    So are parts that depend on few bits (`values`).
//! 3. A short question about each part, at first without any assumption; most end here. Bytes that are read at addresses that are equal
//!    under the assumptions become one (`reads`).
//! 4. What was executed, with equal numbers merged, is asked in place of its normal form: there both sides have more terms in common.
//! 5. Where there are products and quotients, they become unknown numbers: short questions, and the sweep below.
//! 6. Terms that are equal on many inputs are proved equal from the bottom up, each by a short question, and merged.
//! 7. The rest as it is.

mod cases;
mod local;
mod reads;
mod sweep;
mod values;

use local::Local;
use sassafras_semantics::TermId;
use sassafras_solve::solver::{Answer, Solver};
use sassafras_solvers::Timed;
use sassafras_symbolic::inputs::Inputs;

/// Effort of a short question, in thousands of z3's `rlimit`.
const SHORT: u64 = 1_000;
/// Effort of a question without any assumption.
const BARE: u64 = 300;
/// Effort for all short questions about the normal form.
const NORMAL: u64 = 3_000;
/// Effort for all questions about what was executed, and of the first about each part of it.
const EXECUTED: [u64; 2] = [4_000, 200];

/// What must not hold, one bit: in normal form, and as it was executed.
#[derive(Clone, Copy, Debug)]
pub struct Violated {
    /// In normal form: what is asked about, if nothing simpler will do.
    pub normal: TermId,
    /// As it was executed.
    pub executed: TermId,
}

/// Whether all of `assumptions` (one bit each) and what is violated can hold together.
pub fn ask(
    inputs: &Inputs<'_>,
    assumptions: &[TermId],
    violated: Violated,
    solver: &mut dyn Solver,
) -> Answer {
    sassafras_solve::limit::look();
    let mut executed = Local::new(inputs, assumptions, violated.executed);
    let mut merged = sweep::merge(&executed, &executed.parts(executed.violated));
    let none = |local: &Local, parts: &[TermId]| parts.iter().all(|p| local.terms_known(*p) == Some(0));
    if none(&executed, &merged) {
        return Answer::Unsat;
    }
    merged = cases::excluded(&executed, &merged);
    if none(&executed, &merged) {
        return Answer::Unsat;
    }
    let others = values::excluded(&executed, &merged);
    if others != merged {
        // The normal form does not know which of its parts these were.
        let rest = executed.instead(&others);
        let rest = rest.weakened().unwrap_or(rest);
        if none(&executed, &others) || excluded(&rest, SHORT, &mut Timed::within(solver, SHORT)) {
            return Answer::Unsat;
        }
        merged = others;
    }
    if let Some(settled) = reads::settled(&executed, solver) {
        executed = settled;
        merged = cases::excluded(&executed, &sweep::merge(&executed, &executed.parts(executed.violated)));
        if none(&executed, &merged) {
            return Answer::Unsat;
        }
    }
    let local = Local::new(inputs, assumptions, violated.normal);
    let mut open = Vec::new();
    let mut few = Timed::within(solver, NORMAL);
    let parts = local.parts(local.violated);
    let equal = sweep::merge(&local, &parts);
    for (part, _) in parts.into_iter().zip(equal).filter(|(_, e)| local.terms_known(*e) != Some(0)) {
        match check(&local, part, Some(SHORT), &mut few) {
            Answer::Unsat => {}
            Answer::Sat(model) => return local.model(&model),
            Answer::Unknown(_) => open.push(part),
        }
    }
    if open.is_empty() {
        return Answer::Unsat;
    }
    if let Some(joined) = reads::joined(&executed, solver) {
        executed = joined;
        merged = cases::excluded(&executed, &sweep::merge(&executed, &executed.parts(executed.violated)));
        if none(&executed, &merged) {
            return Answer::Unsat;
        }
    }
    let rest = executed.instead(&merged);
    let rest = rest.weakened().unwrap_or(rest);
    let [all, first] = EXECUTED;
    if excluded(&rest, first, &mut Timed::within(solver, all))
        || local.weakened().is_some_and(|weak| excluded(&weak, SHORT, solver))
    {
        return Answer::Unsat;
    }
    for part in sweep::sweep(&local, &open, solver) {
        match check(&local, part, None, solver) {
            Answer::Unsat => {}
            Answer::Sat(model) => return local.model(&model),
            // The others cannot make good for this one.
            unknown @ Answer::Unknown(_) => return unknown,
        }
    }
    Answer::Unsat
}

/// Whether a weakened question is known to have no answer. An answer to it says nothing.
fn excluded(weak: &Local, effort: u64, solver: &mut dyn Solver) -> bool {
    let mut open = Vec::new();
    for part in weak.parts(weak.violated) {
        match check(weak, part, Some(effort), solver) {
            Answer::Unsat => {}
            Answer::Sat(_) => return false,
            Answer::Unknown(_) => open.push(part),
        }
    }
    let swept = if open.is_empty() { open } else { sweep::sweep(weak, &open, solver) };
    swept.into_iter().all(|part| check(weak, part, Some(3 * SHORT), solver) == Answer::Unsat)
}

/// Asks about a part, with an effort or all there is: where that is short, at first alone; under the assumptions near it; `sat` is asked
/// again under all.
fn check(local: &Local, part: TermId, effort: Option<u64>, solver: &mut dyn Solver) -> Answer {
    if local.terms_known(part) == Some(0) {
        return Answer::Unsat;
    }
    let near = local.near(part);
    let script = local.script(&near, part);
    if effort.is_some() && !(near.is_empty() && script.question.ties.is_empty()) {
        let alone = local.bare(&[part]);
        if solver.check_short(&alone, BARE.min(effort.unwrap_or(BARE))) == Answer::Unsat {
            return Answer::Unsat;
        }
    }
    let mut asker = |script: &sassafras_solve::smt::Script| match effort {
        Some(effort) => solver.check_short(script, effort),
        None => solver.check(script),
    };
    match asker(&script) {
        Answer::Sat(_) if near.len() < local.assumptions.len() => {
            asker(&local.script(&local.assumptions, part))
        }
        answer => answer,
    }
}

#[cfg(test)]
mod tests;
