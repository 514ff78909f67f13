//! Cases: what cannot be violated where a condition holds, nor where it does not.
//!
//! Exact numbers know a choice as a product with its condition, and a floor of such a product is no product of floors. Where the
//! condition is known, both are.

use super::local::Local;
use sassafras_normal::integer::{Case, Integers};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, Domain, TermId, Terms};

/// Most conditions that are known together.
const DEEPEST: usize = 5;
/// Most cases of one part.
const MOST: u32 = 40;
/// Most terms of a part.
const LARGEST: usize = 500;

/// Parts without those that are excluded in each case as exact numbers.
pub(super) fn excluded(local: &Local, parts: &[TermId]) -> Vec<TermId> {
    let d = &*local.terms;
    let none = |part: &TermId| {
        let order = d.topological(&[*part]);
        if d.as_constant(part).is_some() || order.len() > LARGEST {
            return *part;
        }
        let mut conditions: Vec<TermId> = Vec::new();
        for id in order {
            let sign = |t: TermId| d.extract(&t, d.width_of(t) - 1, 1);
            let condition = match d.node(id) {
                Node::Ite(c, ..) => c,
                Node::Sext(a) | Node::Binary(BinaryOp::AShr | BinaryOp::SDiv | BinaryOp::SRem, a, _) => {
                    sign(a)
                }
                _ => continue,
            };
            if !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        let mut left = MOST;
        let excluded = !conditions.is_empty() && holds(d, *part, &conditions, &mut Vec::new(), &mut left);
        if excluded { d.no() } else { *part }
    };
    parts.iter().map(none).collect()
}

/// Whether a part is never one where some conditions are known.
fn holds(
    d: &Terms,
    part: TermId,
    conditions: &[TermId],
    known: &mut Vec<(TermId, bool)>,
    left: &mut u32,
) -> bool {
    let Some(rest) = left.checked_sub(1) else { return false };
    *left = rest;
    let mut integers = Integers::new(d);
    for (condition, value) in known.iter() {
        match integers.case(*condition) {
            // There is no such case.
            Case::Known(is) if is != *value => return true,
            Case::Known(_) => {}
            Case::Open => integers.assume(*condition, *value),
            Case::Other => return false,
        }
    }
    let form = integers.form(part);
    if let Some(bits) = integers.constant(form) {
        return bits & 1 == 0;
    }
    let mut open = conditions.iter().filter(|c| integers.case(**c) == Case::Open);
    if known.len() == DEEPEST {
        return false;
    }
    let Some(next) = open.next().copied() else { return false };
    [false, true].into_iter().all(|value| {
        known.push((next, value));
        let all = holds(d, part, conditions, known, left);
        known.pop();
        all
    })
}
