//! Normal forms, as those see them who run programs over terms. Who proves hands in one; who checks leaves terms as they are built.

use rustc_hash::FxHashMap;
use sassafras_semantics::{Domain, TermId, Terms};
use std::fmt::Debug;

/// Brings the terms of an arena to a normal form within the same arena: terms with one normal form are equal, whatever is free.
pub trait Simplify: Debug {
    /// Whether terms are rewritten at all.
    fn is_active(&self) -> bool;
    /// The normal form of a term.
    fn of(&self, term: TermId) -> TermId;
    /// An equal term over the operations that were executed.
    fn executed(&self, term: TermId) -> TermId;
    /// Bits of a normal form: as many as `width`, from `low` on.
    fn bits(&self, term: TermId, low: u32, width: u32) -> TermId;
    /// A normal form as runs of bits from the lowest: lowest bit, width, value.
    fn parts(&self, term: TermId) -> Vec<(u32, u32, TermId)>;
    /// A normal form that is one of a few constants: each with the condition under which it is.
    fn cases(&self, term: TermId) -> Option<Vec<(TermId, u128)>>;
    /// A normal form where a condition holds.
    fn given(&self, term: TermId, condition: TermId) -> TermId;
    /// Terms, normal forms, are to be replaced by others wherever they are met from now on.
    fn replace(&self, pairs: &FxHashMap<TermId, TermId>);
    /// Terms, normal forms, are others: whatever becomes one of them from now on is its partner.
    fn declare(&self, pairs: &FxHashMap<TermId, TermId>);
}

/// Leaves every term as it is built.
#[derive(Debug)]
pub struct AsBuilt<'t>(pub &'t Terms);

impl Simplify for AsBuilt<'_> {
    fn is_active(&self) -> bool {
        false
    }
    fn of(&self, term: TermId) -> TermId {
        term
    }
    fn executed(&self, term: TermId) -> TermId {
        term
    }
    fn bits(&self, term: TermId, low: u32, width: u32) -> TermId {
        self.0.extract(&term, low, width)
    }
    fn parts(&self, term: TermId) -> Vec<(u32, u32, TermId)> {
        vec![(0, self.0.width_of(term), term)]
    }
    fn cases(&self, _: TermId) -> Option<Vec<(TermId, u128)>> {
        None
    }
    fn given(&self, term: TermId, _: TermId) -> TermId {
        term
    }
    fn replace(&self, _: &FxHashMap<TermId, TermId>) {}
    fn declare(&self, _: &FxHashMap<TermId, TermId>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_terms_stay_as_they_are_built() {
        let d = Terms::raw();
        let (x, y, c) = (d.variable("x", 32), d.variable("y", 32), d.variable("c", 1));
        let plain = AsBuilt(&d);
        plain.declare(&[(x, y)].into_iter().collect());
        plain.replace(&[(x, y)].into_iter().collect());
        let sum = d.sub(&d.add(&x, &y), &y);
        let chosen = d.ite(&c, &x, &y);
        assert!(!plain.is_active() && plain.cases(sum).is_none());
        assert_eq!([plain.of(sum), plain.executed(sum), plain.given(chosen, c)], [sum, sum, chosen]);
        assert_eq!(plain.parts(sum), [(0, 32, sum)]);
        assert_eq!(plain.bits(x, 8, 16), d.extract(&x, 8, 16));
    }
}
