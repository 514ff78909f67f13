//! A step: that a term is another, what may be anything then, and how it is written down.

use super::parts::{frontier, met, numbers, shared};
use super::{EFFORT, Explanation, FLOATS};
use rustc_hash::FxHashMap;
use sassafras_normal::normal::trace::Equal;
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, TermId};
use sassafras_witness::check::Fault;
use sassafras_witness::rewrite::{Made, Rewrite};

/// A step.
pub(super) struct Found<'f> {
    pub(super) from: TermId,
    pub(super) to: TermId,
    pub(super) opaque: &'f [TermId],
    pub(super) by: &'f [usize],
    pub(super) fact: bool,
}

impl Explanation<'_, '_, '_, '_, '_> {
    pub(super) fn state(&mut self, (from, to): Equal, opaque: &[TermId], by: &[usize]) {
        let index = self.so_far.known.len();
        self.write(Found { from, to, opaque, by, fact: true });
        self.all.facts.insert((from, to), index);
    }

    /// What may be anything where a term is another by what is known.
    pub(super) fn goes_by(&mut self, from: TermId, to: TermId, by: &[usize]) -> Option<Vec<TermId>> {
        if by.is_empty() {
            return None;
        }
        let d = self.so_far.inputs.terms;
        let mut roots = vec![from, to];
        for i in by {
            roots.extend(d.node(self.so_far.known[*i]).operands());
        }
        // What was exchanged in a sum is seen to be the same where products are multiplied out.
        let is_sum = matches!(d.node(from), Node::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..));
        let sums = is_sum.then(|| numbers(d, &roots));
        let tries = [Some(shared(d, &roots, 0)), sums, met(d, &roots, true), Some(shared(d, &roots, 2))];
        let effort = self.effort(from);
        self.first_that_goes(from, to, tries, by, effort)
    }

    pub(super) fn effort(&self, t: TermId) -> u64 {
        if matches!(self.so_far.inputs.terms.node(t), Node::Float { .. }) { FLOATS } else { EFFORT }
    }

    /// Those that are made of others.
    pub(super) fn inner(&self, all: &[TermId]) -> Vec<TermId> {
        let d = self.so_far.inputs.terms;
        all.iter().copied().filter(|t| !d.node(*t).operands().is_empty()).collect()
    }

    pub(super) fn goes(
        &mut self,
        from: TermId,
        to: TermId,
        opaque: &[TermId],
        by: &[usize],
        effort: u64,
    ) -> bool {
        let facts: Vec<TermId> = by.iter().map(|i| self.so_far.known[*i]).collect();
        if self.all.spent >= self.all.way.most_open() {
            return false;
        }
        let result = self.so_far.show((from, to), (opaque, &facts), effort, self.solver);
        self.all.spent += u32::from(matches!(result, Err(Fault::Undecided(_))));
        result.is_ok()
    }

    /// What may be anything where a term is shown to be another.
    pub(super) fn plainly(
        &mut self,
        from: TermId,
        to: TermId,
        levels: &[usize],
        effort: u64,
    ) -> Option<Vec<TermId>> {
        let d = self.so_far.inputs.terms;
        let (first, rest) = levels.split_first()?;
        let tries = [Some(frontier(d, from, to, *first)), met(d, &[from, to], false)];
        let rest = rest.iter().map(|below| Some(frontier(d, from, to, *below)));
        self.first_that_goes(from, to, tries.into_iter().chain(rest), &[], effort)
    }

    /// The first of what may be anything with which a term is shown to be another.
    pub(super) fn first_that_goes(
        &mut self,
        from: TermId,
        to: TermId,
        tries: impl IntoIterator<Item = Option<Vec<TermId>>>,
        by: &[usize],
        effort: u64,
    ) -> Option<Vec<TermId>> {
        let mut before = Vec::new();
        let most = self.all.spent.saturating_add(self.all.way.most_open_of_two());
        for opaque in tries.into_iter().flatten() {
            if !before.contains(&opaque) && self.all.spent < most {
                if self.goes(from, to, &opaque, by, effort) {
                    return Some(opaque);
                }
                before.push(opaque);
            }
        }
        None
    }

    /// Writes a step down, and takes it.
    pub(super) fn write(&mut self, step: Found<'_>) {
        let Found { from, to, opaque, by, fact } = step;
        let d = self.so_far.inputs.terms;
        match fact {
            true => self.so_far.state(from, to),
            false => {
                let facts: Vec<TermId> = by.iter().map(|i| self.so_far.known[*i]).collect();
                self.so_far.rewrite(from, to, &facts);
                self.all.rewritten.insert((from, to), (opaque.to_vec(), by.to_vec()));
            }
        }
        let roots: Vec<TermId> = [from, to].into_iter().chain(opaque.iter().copied()).collect();
        let all = &mut *self.all;
        for t in d.topological(&roots) {
            if t.0 >= all.found.terms && !all.numbers.contains_key(&t) {
                let number = all.found.terms + all.found.made.len() as u32;
                let node = d.node(t).map(|o| TermId(number_of(all.found.terms, &all.numbers, o)));
                all.found.made.push(Made { node, width: d.width_of(t) });
                all.numbers.insert(t, number);
            }
        }
        let number = |t: &TermId| number_of(all.found.terms, &all.numbers, *t);
        let opaque = opaque.iter().map(number).collect();
        let step =
            Rewrite { at: self.at, from: number(&from), to: number(&to), opaque, by: by.to_vec(), fact };
        self.all.found.steps.push(step);
    }
}

fn number_of(terms: u32, numbers: &FxHashMap<TermId, u32>, t: TermId) -> u32 {
    if t.0 < terms { t.0 } else { numbers[&t] }
}
