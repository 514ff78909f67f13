//! What is rewritten on the way to a normal form, as equalities of terms: for witnesses, whose checker has none.

use super::Normal;
use super::poly::{Monomial, Poly, ones};
use sassafras_semantics::{Domain, TermId};
use std::cell::RefCell;

/// Equal terms, in the order in which they were found: what an equality rests on comes before it. None where nobody asked.
#[derive(Debug, Default)]
pub(super) struct Trace(RefCell<Option<Vec<(TermId, TermId)>>>);

impl Normal<'_> {
    /// The normal form of a term, and what was rewritten in it.
    pub fn traced(&self, term: TermId) -> (TermId, Vec<(TermId, TermId)>) {
        *self.trace.0.borrow_mut() = Some(Vec::new());
        let form = self.of(term);
        (form, self.trace.0.borrow_mut().take().unwrap_or_default())
    }

    /// That two terms are equal, if somebody asks.
    pub(super) fn note(&self, equal: impl FnOnce() -> (TermId, TermId)) {
        if self.trace.0.borrow().is_none() {
            return;
        }
        let (a, b) = equal();
        if let Some(list) = self.trace.0.borrow_mut().as_mut()
            && a != b
            && !list.contains(&(a, b))
        {
            list.push((a, b));
        }
    }

    /// That a sum is another: by the summands that differ.
    pub(super) fn note_round(&self, before: &mut Poly, after: &Poly) {
        if self.trace.0.borrow().is_none() {
            return;
        }
        let before = std::mem::replace(before, after.clone());
        let parts = |own: &Poly, other: &Poly| {
            let is_shared = |m: &Monomial, c: &u128| other.terms.get(m) == Some(c);
            let (mut shared, mut rest) =
                (Poly::constant(own.width, 0), Poly::constant(own.width, own.constant));
            for (m, c) in &own.terms {
                if is_shared(m, c) { &mut shared } else { &mut rest }.plus(m.clone(), *c);
            }
            (shared, rest)
        };
        let ((shared, old), (_, new)) = (parts(&before, after), parts(after, &before));
        let [whole, made, shared, old, new] = [&before, after, &shared, &old, &new].map(|p| self.plain(p));
        let sum = |part: TermId| self.terms.add(&part, &shared);
        self.note(|| (whole, sum(old)));
        self.note(|| (old, new));
        self.note(|| (sum(new), made));
        self.note(|| (whole, made));
    }

    /// That upper bits of a sum, times a power of two, are the sum less the lower ones; of a borrow the other way around.
    pub(super) fn note_rejoined(
        &self,
        (upper, scale, low): (TermId, u128, u32),
        (rest, whole): (TermId, TermId),
        (made, borrow): (&Poly, bool),
    ) {
        let (d, width) = (self.terms, made.width);
        if self.trace.0.borrow().is_none() {
            return;
        }
        let fit = |t: TermId, signed: bool| match self.width(t) {
            n if n > width => d.extract(&t, 0, width),
            _ if signed => d.sext(&t, width),
            _ => d.zext(&t, width),
        };
        // What is left of the coefficient, as it is used.
        let left = if scale >> (width - 1) & 1 == 1 { scale | !ones(width) } else { scale };
        let left = d.constant(width, ((left as i128) >> low) as u128);
        let (all, rest) = (fit(whole, borrow), fit(rest, false));
        let difference = if borrow { d.sub(&rest, &all) } else { d.sub(&all, &rest) };
        let structured = d.mul(&difference, &left);
        self.note(|| (d.mul(&d.zext(&upper, width), &d.constant(width, scale)), structured));
        self.note(|| (structured, d.mul(&self.plain(made), &left)));
    }

    /// A sum as it stands.
    pub(super) fn plain(&self, p: &Poly) -> TermId {
        let (d, width) = (self.terms, p.width);
        let summand = |(m, c): (&Monomial, &u128)| {
            let scale = d.constant(width, *c);
            m.iter().map(|a| d.zext(a, width)).fold(scale, |all, a| d.mul(&a, &all))
        };
        p.terms.iter().map(summand).fold(d.constant(width, p.constant), |all, t| d.add(&t, &all))
    }

    /// The same shifted up.
    pub(super) fn plain_scaled(&self, t: TermId, width: u32, scale: u128) -> TermId {
        let d = self.terms;
        d.mul(&d.zext(&t, width), &d.constant(width, scale))
    }
}
