//! Row `slice-widen` of what is chosen: low bits of longer numbers, chosen by conditions, as the choice of the longer numbers.
//!
//! A slice goes into both sides of a choice (row `slice-select`) and into the summands of a sum (`slice-low`). Where a coefficient
//! shifts out what is above the slice, the way back is open: whatever is above makes no difference.

use super::Normal;
use super::poly::{Poly, ones};
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, TermId};

/// Most choices and sums within each other.
const DEPTH: u32 = 8;

impl Normal<'_> {
    /// A number of `width` bits of which a narrower choice, a normal form, is the low bits: one between sums of longer numbers.
    pub(super) fn widened_choice(&self, t: TermId, width: u32) -> Option<TermId> {
        matches!(self.terms.node(t), Node::Ite(..)).then_some(())?;
        let longer =
            (self.width(t) > 1 && self.has_sum(t, DEPTH)).then(|| self.longer(t, width, DEPTH)).flatten()?;
        if self.is_traced() {
            let (mark, n) = (self.mark(), self.width(t));
            let back = self.slice(longer, 0, n);
            self.note(|| (back, t));
            self.note_since(mark, || (self.terms.extract(&longer, 0, n), t));
        }
        Some(longer)
    }

    /// Whether one of the numbers between which it chooses is a sum.
    fn has_sum(&self, t: TermId, depth: u32) -> bool {
        match self.terms.node(t) {
            _ if depth == 0 => false,
            Node::Ite(_, a, b) => self.has_sum(a, depth - 1) || self.has_sum(b, depth - 1),
            _ => self.polys.borrow().contains_key(&t),
        }
    }

    /// A number of `width` bits with the low bits of a narrower one, if its parts are bits of longer ones. Constants keep their signs.
    fn longer(&self, t: TermId, width: u32, depth: u32) -> Option<TermId> {
        let n = self.width(t);
        if depth == 0 || n < 2 {
            return None;
        }
        let extended = |c: u128| if c >> (n - 1) & 1 == 1 { (c | !ones(n)) & ones(width) } else { c };
        if let Some(c) = self.known(t) {
            return Some(self.terms.constant(width, extended(c)));
        }
        let own = self.polys.borrow().get(&t).cloned();
        if let Some(own) = own {
            let mut sum = Poly::constant(width, extended(own.constant));
            let mut any = false;
            for (m, c) in &own.terms {
                let mut all = m.clone();
                for a in all.iter_mut().filter(|a| self.width(**a) == n) {
                    *a = self.longer(*a, width, depth - 1)?;
                    any = true;
                }
                // What became longer may be a sum itself, whose terms are no atoms.
                if all.iter().any(|a| self.known(*a).is_some() || self.polys.borrow().contains_key(a)) {
                    return None;
                }
                all.sort_unstable();
                sum.plus(all, extended(*c));
            }
            return any.then(|| self.number(sum));
        }
        match self.terms.node(t) {
            Node::Ite(c, a, b) => {
                Some(self.select(c, self.longer(a, width, depth - 1)?, self.longer(b, width, depth - 1)?))
            }
            Node::Extract { low, a: whole } if self.width(whole) >= low + width => {
                Some(self.slice(whole, low, width))
            }
            _ => None,
        }
    }
}
