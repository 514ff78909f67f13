//! What is rewritten on the way to a normal form, as equalities of terms: for witnesses, whose checker has none.

pub use super::noted::{Equal, Noted, Traced};

use super::Normal;
use super::poly::{Monomial, Poly};
use rustc_hash::FxHashSet;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, TermId};

impl Normal<'_> {
    /// The normal form of a term, and what was rewritten in it.
    pub fn traced(&self, term: TermId) -> (TermId, Traced) {
        *self.trace.0.borrow_mut() = Some(Traced::default());
        let form = self.of(term);
        (form, self.trace.0.borrow_mut().take().unwrap_or_default())
    }

    /// What is rewritten where an operation over normal forms becomes its normal form, as it is, without what the arena makes of it.
    pub fn traced_node(&self, node: &Node, width: u32) -> Traced {
        let operands = node.operands();
        if !operands.is_empty() {
            for o in &operands {
                self.of(*o);
            }
            *self.trace.0.borrow_mut() = Some(Traced::default());
            self.rebuild(node, width, operands[0]);
        }
        self.trace.0.borrow_mut().take().unwrap_or_default()
    }

    /// Whether somebody asks.
    pub(super) fn is_traced(&self) -> bool {
        self.trace.0.borrow().is_some()
    }

    /// How many there are on which no other one rests: what is noted behind may be brought together.
    pub(super) fn mark(&self) -> usize {
        self.trace.0.borrow().as_ref().map_or(0, |t| t.last.len())
    }

    /// That two terms are equal, if somebody asks.
    pub(super) fn note(&self, equal: impl FnOnce() -> Equal) {
        if self.is_traced() {
            let equal = equal();
            self.put(equal, Vec::new(), None, true);
        }
    }

    /// That two terms are equal by what was noted behind a mark.
    pub(super) fn note_since(&self, mark: usize, equal: impl FnOnce() -> Equal) {
        if self.is_traced() {
            let equal = equal();
            let by = self.trace.0.borrow_mut().as_mut().map(|t| t.last.split_off(mark.min(t.last.len())));
            self.put(equal, by.unwrap_or_default(), None, true);
        }
    }

    /// That two terms are equal by what is named, whatever some terms are, on which something else will rest.
    pub(super) fn note_by(&self, equal: Equal, by: &[Equal], anything: Vec<TermId>) -> Equal {
        self.put(equal, by.to_vec(), Some(anything), false);
        equal
    }

    /// That two terms are equal by what is named, whatever some terms are.
    pub(super) fn note_from(&self, equal: Equal, by: &[Equal], anything: Vec<TermId>) {
        self.put(equal, by.to_vec(), Some(anything), true);
    }

    /// That two sums are equal, whatever the numbers in them are.
    pub(super) fn note_sums(&self, equal: impl FnOnce() -> Equal, anything: Vec<TermId>) {
        if self.is_traced() {
            let equal = equal();
            self.put(equal, Vec::new(), Some(anything), true);
        }
    }

    fn put(&self, equal: Equal, mut by: Vec<Equal>, anything: Option<Vec<TermId>>, last: bool) {
        if let Some(t) = self.trace.0.borrow_mut().as_mut()
            && equal.0 != equal.1
        {
            let mut seen = FxHashSet::default();
            by.retain(|e| e.0 != e.1 && *e != equal && seen.insert(*e));
            if !t.notes.iter().any(|n| n.equal == equal) {
                t.notes.push(Noted { equal, by, anything });
            }
            // What was found before another mark may be what this one rests on too.
            if last {
                t.last.push(equal);
            }
        }
    }

    /// That a sum is another, since some of its summands, `old`, are `new`, by what was noted behind a mark; in both times a factor. `of`: what else the sums are of.
    pub(super) fn note_exchanged(
        &self,
        mark: usize,
        (before, after): (&Poly, &Poly),
        kept: &Poly,
        (old, new, factor): (TermId, TermId, Option<TermId>),
        of: &Poly,
    ) {
        if !self.is_traced() {
            return;
        }
        let (d, numbers) = (self.terms, self.numbers(&[before, after, kept, of]));
        // A number that is what stands for it is opened there with it.
        let (inside, own) = (self.above(new, of), self.numbers(&[after, kept, of]));
        let own: Vec<TermId> = own.into_iter().filter(|n| !inside.contains(n)).collect();
        self.note_since(mark, || (old, new));
        let kept = self.plain(kept);
        let around = |t: TermId| {
            let product = factor.map_or(t, |f| d.mul(&t, &f));
            d.add(&product, &kept)
        };
        let (before, after) = (self.plain(before), self.plain(after));
        let (first, second) = (around(old), around(new));
        let same = [kept, old, new].into_iter().chain(factor).collect();
        let chain = [
            self.note_by((before, first), &[], numbers.clone()),
            self.note_by((first, second), &[(old, new)], same),
            self.note_by((second, after), &[], own),
        ];
        if let Some(t) = self.trace.0.borrow_mut().as_mut() {
            t.last.truncate(mark);
        }
        self.note_from((before, after), &chain, vec![before, first, second, after]);
    }

    /// What a term is made of, and it itself, down to the numbers of a sum, without these.
    fn above(&self, t: TermId, sum: &Poly) -> FxHashSet<TermId> {
        let numbers = self.numbers(&[sum]);
        let (mut seen, mut stack) = (FxHashSet::default(), vec![t]);
        while let Some(t) = stack.pop() {
            if !numbers.contains(&t) && seen.insert(t) {
                stack.extend(self.terms.node(t).operands());
            }
        }
        seen
    }

    /// That a sum is another, since a factor of one of its summands is a sum: of a summand its factors, its coefficient, and which it is;
    /// `new` and how many powers of two the coefficient lost.
    pub(super) fn note_replaced(
        &self,
        mark: usize,
        (before, after): (&Poly, &Poly),
        (m, c, i): (&Monomial, u128, usize),
        (new, left): (&Poly, u128),
    ) {
        let (d, width) = (self.terms, after.width);
        let mut kept = before.clone();
        kept.terms.remove(m);
        let others = m.iter().enumerate().filter(|(j, _)| *j != i);
        let factor = others.map(|(_, a)| d.zext(a, width)).reduce(|all, a| d.mul(&all, &a));
        let scaled = |t: TermId, c: u128| d.mul(&t, &d.constant(width, c));
        let (of, new) = (new, self.plain(&Poly { width, ..new.clone() }));
        let (old, new) = (scaled(d.zext(&m[i], width), c), scaled(new, left));
        self.note_exchanged(mark, (before, after), &kept, (old, new, factor), of);
    }

    /// A normal form from the sum that a term is.
    pub(super) fn number_of(&self, term: impl FnOnce() -> TermId, p: Poly) -> TermId {
        if !self.is_traced() {
            return self.number(p);
        }
        let (mark, term, plain) = (self.mark(), term(), self.plain(&p));
        self.note(|| (term, plain));
        let made = self.number(p);
        self.note_since(mark, || (term, made));
        made
    }

    /// A sum as it stands.
    pub(super) fn plain(&self, p: &Poly) -> TermId {
        let (d, width) = (self.terms, p.width);
        let summand = |(m, c): (&Monomial, &u128)| {
            let product = m.iter().map(|a| d.zext(a, width)).reduce(|all, a| d.mul(&all, &a));
            product.map_or(d.constant(width, *c), |all| d.mul(&all, &d.constant(width, *c)))
        };
        p.terms.iter().map(summand).fold(d.constant(width, p.constant), |all, t| d.add(&t, &all))
    }
}
