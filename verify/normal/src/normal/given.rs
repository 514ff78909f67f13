//! What terms are where a condition is known.

use super::bitwise::DECISIONS;
use super::poly::Poly;
use super::{MOST, Normal};
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, TermId};

/// Words within words in which a condition is known.
const INSIDE: u32 = 2;

impl Normal<'_> {
    /// A number where a condition, as a summand or a factor of one, is known; also within the words that are summands.
    pub(super) fn knowing(&self, a: TermId, condition: TermId, value: u128) -> TermId {
        self.knowing_inside(a, condition, value, INSIDE)
    }

    fn knowing_inside(&self, a: TermId, condition: TermId, value: u128, depth: u32) -> TermId {
        if a == condition {
            return a;
        }
        let p = self.poly(a);
        let mut known = Poly::constant(p.width, p.constant);
        let mut changed = false;
        for (m, c) in &p.terms {
            let mut product = Some(Poly::constant(p.width, *c));
            let mut new = false;
            for factor in m {
                let other = if *factor == condition {
                    Some(self.terms.constant(1, value))
                } else {
                    self.known_part(*factor, condition, value, depth)
                };
                new |= other.is_some();
                let factor = self.lifted(other.unwrap_or(*factor), p.width);
                product = product.and_then(|all| all.times(&factor, MOST));
            }
            match product.filter(|_| new) {
                Some(product) => {
                    known.plus_scaled(&product, 1);
                    changed = true;
                }
                None => known.plus(m.clone(), *c),
            }
        }
        if changed { self.number(known) } else { a }
    }

    /// A word, or bits of one, that is another where a condition is known.
    fn known_part(&self, t: TermId, condition: TermId, value: u128, depth: u32) -> Option<TermId> {
        let (low, whole) = match self.terms.node(t) {
            Node::Extract { low, a } => (low, a),
            _ => (0, t),
        };
        if depth == 0 || !self.polys.borrow().contains_key(&whole) {
            return None;
        }
        let other = self.knowing_inside(whole, condition, value, depth - 1);
        (other != whole).then(|| self.slice(other, low, self.width(t)))
    }

    /// A normal form where a condition holds: of what it chooses by the condition, what it then is. Row `select-inside`.
    pub fn given(&self, t: TermId, condition: TermId) -> TermId {
        if self.known(condition).is_some() {
            return t;
        }
        let not = self.complement(condition);
        let mut t = t;
        loop {
            t = match self.terms.node(t) {
                Node::Ite(c, a, _) if c == condition => a,
                Node::Ite(c, _, b) if c == not => b,
                _ => break,
            };
        }
        if self.width(t) == 1 {
            return self.decided(t, condition);
        }
        self.knowing(self.knowing(t, condition, 1), not, 0)
    }

    /// A condition where another holds, if that makes it smaller.
    fn decided(&self, t: TermId, condition: TermId) -> TermId {
        let (f, care) = (self.diagram(t), self.diagram(condition));
        let mut diagrams = self.diagrams.borrow_mut();
        let size = diagrams.size(f, DECISIONS);
        if care <= 1 || size + diagrams.size(care, DECISIONS) >= DECISIONS {
            return t;
        }
        let made = diagrams.constrained(f, care);
        let smaller = diagrams.size(made, DECISIONS) < size;
        drop(diagrams);
        if smaller { self.function(self.relation(made), 1) } else { t }
    }
}
