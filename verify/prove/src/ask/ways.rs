//! Ways: what is violated on none of the ways that conditions leave open.
//!
//! Where lanes come together, a value is a choice between those of the ways that they came by. Two sides that part by other conditions make other choices of the same
//! values, and a solver has to find which of them go together within the question about the values. Here conditions are taken as true and as
//! false, the outermost first. Where they cannot be so together, which is a short question about them alone, nothing is left to be shown;
//! elsewhere values are without choices at last.

use super::local::Local;
use super::{check, reads, sweep};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, Domain, TermId, Terms, UnaryOp};
use sassafras_solve::solver::{Answer, Solver};
use sassafras_solvers::Timed;
use std::collections::BTreeSet;

/// Most conditions that are known together.
const DEEPEST: usize = 32;
/// Most ways of all parts, those that are given up before their end among them.
const MOST: u32 = 160;
/// Most terms of a part.
const LARGEST: usize = 2_000;
/// Most terms of an assumption that is known of conditions.
const SMALL: usize = 64;
/// Effort of each question about conditions, in thousands of z3's `rlimit`: comparisons of sums that may wrap around take some.
const CONDITIONS: u64 = 1_000;
/// Effort of each question about what is left, in the same unit.
const EFFORT: u64 = 400;
/// Effort of all questions.
const ALL: u64 = 4_000;

/// Whether a part is made of choices, few enough to be looked at.
pub(super) fn leads_apart(local: &Local, part: TermId) -> bool {
    let d = &*local.terms;
    d.topological(&[part]).len() <= LARGEST && outermost(d, part).is_some()
}

/// Parts without those that are excluded on each way.
pub(super) fn excluded(local: &Local, parts: &[TermId], solver: &mut dyn Solver) -> Vec<TermId> {
    let d = &*local.terms;
    let solver = &mut Timed::within(solver, ALL);
    let mut left = MOST;
    let is_small = |t: &TermId| d.topological(&[*t]).len() <= SMALL;
    let mut is_open = |part: &TermId| {
        let known: Vec<TermId> = local.near(*part).into_iter().filter(is_small).collect();
        !never(&local.about(known, *part), &mut Vec::new(), &mut left, solver)
    };
    parts.iter().copied().filter(|part| is_open(part)).collect()
}

/// Whether something is violated on none of the ways that are left. `decided`: what is known of conditions.
fn never(local: &Local, decided: &mut Vec<TermId>, left: &mut u32, solver: &mut dyn Solver) -> bool {
    let d = &*local.terms;
    let Some(condition) = outermost(d, local.violated) else { return is_shown(local, solver) };
    [condition, d.not(&condition)].into_iter().all(|holds| {
        let there = local.known(condition, holds == condition).assuming(holds);
        if there.terms_known(there.violated) == Some(0) {
            return true;
        }
        let Some(rest) = left.checked_sub(1).filter(|_| decided.len() < DEEPEST) else { return false };
        *left = rest;
        decided.push(holds);
        let is_never = !is_possible(&there, decided, solver) || never(&there, decided, left, solver);
        decided.pop();
        is_never
    })
}

/// Whether what is known of conditions may be so, as far as that is seen of them alone: where something lies in memory is not asked.
fn is_possible(local: &Local, decided: &[TermId], solver: &mut dyn Solver) -> bool {
    let d = &*local.terms;
    let mut asked = local.about(decided.to_vec(), local.violated).under().assumptions;
    let about: BTreeSet<TermId> = d.free(&asked).into_iter().collect();
    let near = |t: &TermId| d.free(&[*t]).iter().all(|v| about.contains(v));
    asked.extend(local.assumptions.iter().copied().filter(near));
    solver.check_short(&local.bare(&asked), CONDITIONS) != Answer::Unsat
}

/// Whether something without choices is not violated.
fn is_shown(local: &Local, solver: &mut dyn Solver) -> bool {
    let open = |local: &Local| {
        let merged = sweep::merge(local, &local.parts(local.violated));
        merged.into_iter().any(|part| local.terms_known(part) != Some(0))
    };
    if !open(local) {
        return true;
    }
    let joined = reads::joined(local, solver);
    if joined.as_ref().is_some_and(|joined| !open(joined)) {
        return true;
    }
    let rest = joined.as_ref().unwrap_or(local);
    rest.parts(rest.violated).into_iter().all(|part| check(rest, part, Some(EFFORT), solver) == Answer::Unsat)
}

/// A condition that something is chosen by and which is made of no choice itself, the outermost first.
fn outermost(d: &Terms, root: TermId) -> Option<TermId> {
    let (mut seen, mut stack) = (BTreeSet::new(), vec![root]);
    while let Some(t) = stack.pop() {
        if !seen.insert(t) {
            continue;
        }
        let node = d.node(t);
        if let Node::Ite(condition, ..) = node {
            let condition = part_of(d, condition);
            return Some(outermost(d, condition).unwrap_or(condition));
        }
        stack.extend(node.operands().into_iter().rev());
    }
    None
}

/// A part of a condition that is no function of conditions.
fn part_of(d: &Terms, mut condition: TermId) -> TermId {
    loop {
        condition = match d.node(condition) {
            Node::Ite(c, ..) => c,
            Node::Unary(UnaryOp::Not, a)
            | Node::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, a, _) => a,
            _ => return condition,
        }
    }
}
