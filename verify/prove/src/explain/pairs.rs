//! Terms whose normal forms differ, though they are equal, are taken apart side by side: what is at the same place of both is shown to be equal
//! first, the least first. Independent stores that were exchanged leave such terms: choices whose conditions exclude each other, in two orders.

use super::steps::Found;
use super::{EFFORT, Explanation, LEVELS, PLAIN};
use rustc_hash::FxHashSet;
use sassafras_normal::normal::trace::Equal;
use sassafras_semantics::term::Node;
use sassafras_semantics::{CompareOp, TermId};

/// Most pairs that two terms are taken apart into.
const PAIRS: usize = 2000;
/// Most of them that are asked about and not shown.
const OPEN: usize = 100;

impl Explanation<'_, '_, '_, '_, '_> {
    /// Shows of each comparison that a condition is made of that its sides are equal, from the least parts of both on.
    pub(super) fn sides(&mut self, t: TermId) {
        let d = self.so_far.inputs.terms;
        for comparison in self.comparisons(t, 1) {
            let Node::Compare(CompareOp::Eq, a, b) = d.node(comparison) else { continue };
            let [to, from] = [a, b].map(|t| self.so_far.current(t));
            if from == to || d.topological(&[to]).contains(&from) {
                continue;
            }
            self.apart(from, to);
            if let Some(&fact) = self.all.facts.get(&(from, to)) {
                self.write(Found { from, to, opaque: &[from, to], by: &[fact], fact: false });
            }
        }
    }

    /// Shows what it can of the pairs that two terms are taken apart into.
    fn apart(&mut self, from: TermId, to: TermId) {
        let mut failed = 0;
        for (a, b) in self.pairs(from, to) {
            if self.all.facts.contains_key(&(a, b)) {
                continue;
            }
            let inner = self.inner_pairs(a, b).unwrap_or_default();
            let by: Vec<usize> = inner.iter().filter_map(|e| self.all.facts.get(e)).copied().collect();
            let opaque = match by.len() == inner.len() && !inner.is_empty() {
                true => self.of_operands(a, b, &by),
                false if failed < OPEN => self.of_itself(a, b, &by),
                false => None,
            };
            match opaque {
                Some((opaque, by)) => self.state((a, b), &opaque, &by),
                None => failed += 1,
            }
        }
    }

    /// That terms are equal by their operands.
    fn of_operands(&mut self, a: TermId, b: TermId, by: &[usize]) -> Option<(Vec<TermId>, Vec<usize>)> {
        let d = self.so_far.inputs.terms;
        let operands: Vec<TermId> = [a, b].iter().flat_map(|t| d.node(*t).operands()).collect();
        let opaque = self.inner(&operands);
        self.goes(a, b, &opaque, by, EFFORT).then(|| (opaque, by.to_vec()))
    }

    /// That terms are equal by what is next in both, of which some is known to be equal.
    fn of_itself(&mut self, a: TermId, b: TermId, by: &[usize]) -> Option<(Vec<TermId>, Vec<usize>)> {
        if !self.all.open.insert((a, b)) {
            return None;
        }
        let found = self.plainly(a, b, &LEVELS, PLAIN).map(|opaque| (opaque, Vec::new()));
        found.or_else(|| self.goes_by(a, b, by).map(|opaque| (opaque, by.to_vec())))
    }

    /// The pairs of terms at the same places of two, the least first.
    fn pairs(&self, a: TermId, b: TermId) -> Vec<Equal> {
        let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
        let mut stack = vec![((a, b), false)];
        while let Some((pair, ready)) = stack.pop() {
            if ready {
                order.push(pair);
            } else if seen.len() < PAIRS && seen.insert(pair) {
                stack.push((pair, true));
                let inner = self.inner_pairs(pair.0, pair.1).unwrap_or_default();
                stack.extend(inner.into_iter().map(|pair| (pair, false)));
            }
        }
        order
    }

    /// The operands of two terms that differ, where these are the same operation; in the other order where one is the same so.
    fn inner_pairs(&self, a: TermId, b: TermId) -> Option<Vec<Equal>> {
        let d = self.so_far.inputs.terms;
        let of_nothing = |t: TermId| (d.node(t).map(|_| TermId(0)), d.width_of(t));
        if of_nothing(a) != of_nothing(b) {
            return None;
        }
        let [x, mut y] = [a, b].map(|t| d.node(t).operands());
        if x.len() == 2 && (x[0] == y[1] || x[1] == y[0]) {
            y.reverse();
        }
        let pairs: Vec<Equal> = x.into_iter().zip(y).filter(|(a, b)| a != b).collect();
        pairs.iter().all(|(a, b)| d.width_of(*a) == d.width_of(*b)).then_some(pairs)
    }
}
