//! A smaller input that shows the same difference.
//!
//! Bytes become zero, then numbers smaller, one after another, and each change stays if the assumptions still hold, the
//! obligation is still violated, and both executors still differ. What is tried is counted, not timed, so that the result
//! is the same everywhere.

use crate::reason::Reason;
use crate::verdict::Counterexample;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Concrete, TermId};
use sassafras_symbolic::inputs::{AXES, Inputs};
use std::collections::BTreeMap;

/// Most candidates whose terms are evaluated.
const EVALUATIONS: u32 = 600;
/// Most candidates that are run in both executors.
const REPLAYS: u32 = 60;

/// What an input has to meet.
pub struct Demands<'a> {
    /// Inputs of both sides.
    pub inputs: &'a Inputs<'a>,
    /// Bits that are one: assumptions, and the violated obligation.
    pub bits: Vec<TermId>,
    /// Variables that stay: pointers.
    pub fixed: Vec<TermId>,
}

/// Values of variables.
pub type Model = BTreeMap<TermId, u128>;

/// Makes a model smaller; `replay` runs one in both executors.
pub fn smallest(
    demands: &Demands<'_>,
    first: Model,
    found: Counterexample,
    replay: &dyn Fn(&Model) -> Result<Counterexample, Reason>,
) -> (Model, Counterexample) {
    let inputs = demands.inputs;
    let terms = inputs.terms;
    let order = terms.topological(&demands.bits);
    let holds = |m: &Model| {
        let values = terms.evaluate_all(&Concrete::default(), &order, |v| m.get(&v).copied().unwrap_or(0));
        demands.bits.iter().all(|b| values[b].is_true())
    };
    if !holds(&first) {
        return (first, found);
    }
    let mut search = Search { best: first, found, evaluations: 0, replays: 0, holds: &holds, replay };
    // One thread.
    let mut alone = search.best.clone();
    let variable = |t: TermId| terms.free(&[t]).into_iter().next();
    for axis in AXES {
        alone.extend(variable(inputs.tid(axis)).map(|v| (v, 0)));
        alone.extend(variable(inputs.ntid(axis)).map(|v| (v, 1)));
    }
    alone.extend(variable(inputs.laneid()).map(|v| (v, 0)));
    search.take(alone);
    let free = |v: &TermId| matches!(terms.node(*v), Node::Variable(_)) && !demands.fixed.contains(v);
    let variables: Vec<TermId> = search.best.keys().copied().filter(free).collect();
    loop {
        let before = search.best.clone();
        for &v in &variables {
            for smaller in bytes(terms.width_of(v)) {
                search.change(v, |old| old & !smaller);
            }
        }
        for &v in &variables {
            for at in (0..terms.width_of(v)).step_by(32) {
                let word = 0xffff_ffffu128 << at;
                for most in [1u128, 0xff, 0xffff] {
                    search.change(v, |old| old & !word | (old & word) >> at & most << at);
                }
                while search.change(v, |old| old & !word | (((old & word) >> at) >> 1) << at) {}
            }
        }
        if search.best == before || search.spent() {
            return (search.best, search.found);
        }
    }
}

/// Masks: the whole, words, bytes.
fn bytes(width: u32) -> Vec<u128> {
    let mut all = vec![u128::MAX];
    for size in [32, 8] {
        if width > size {
            all.extend((0..width).step_by(size as usize).map(|at| ((1u128 << size) - 1) << at));
        }
    }
    all
}

struct Search<'a> {
    best: Model,
    found: Counterexample,
    evaluations: u32,
    replays: u32,
    holds: &'a dyn Fn(&Model) -> bool,
    replay: &'a dyn Fn(&Model) -> Result<Counterexample, Reason>,
}

impl Search<'_> {
    fn spent(&self) -> bool {
        self.evaluations >= EVALUATIONS || self.replays >= REPLAYS
    }

    /// Whether a model was taken.
    fn take(&mut self, model: Model) -> bool {
        sassafras_solve::limit::look();
        if model == self.best || self.spent() {
            return false;
        }
        self.evaluations += 1;
        if !(self.holds)(&model) {
            return false;
        }
        self.replays += 1;
        match (self.replay)(&model) {
            Ok(found) => {
                (self.best, self.found) = (model, found);
                true
            }
            Err(_) => false,
        }
    }

    fn change(&mut self, v: TermId, to: impl Fn(u128) -> u128) -> bool {
        let old = self.best.get(&v).copied().unwrap_or(0);
        let new = to(old);
        if new >= old {
            return false;
        }
        let mut model = self.best.clone();
        model.insert(v, new);
        self.take(model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_cover_a_variable() {
        assert_eq!(bytes(8), [u128::MAX]);
        assert_eq!(bytes(32).len(), 1 + 4);
        assert_eq!(bytes(64).len(), 1 + 2 + 8);
        assert!(bytes(64)[1..3].iter().fold(0, |a, b| a | b) == u128::from(u64::MAX));
    }
}
