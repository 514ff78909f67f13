//! Values of two groups of lanes that become one.

use super::{Name, Side};
use crate::lemma;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, TermId};

/// Choices within choices that are looked into.
const DEPTH: u32 = 4;

impl<R: Name> Side<'_, R> {
    /// `first ? x : y`, of one group of lanes and of another. Where a lemma says nothing of a value is settled by the condition of the group that has it;
    /// and what is then the same under two conditions is chosen once: a division under a branch joins three paths, and two of
    /// them have its quotient. Other values stay as they are, which is what the code of lemmas makes of them too.
    pub(super) fn chosen(&self, (first, x): (TermId, TermId), (second, y): (TermId, TermId)) -> TermId {
        let d = self.terms();
        let (a, b) = (self.said(first, x), self.said(second, y));
        if (a, b) == (x, y) {
            return self.normal(d.ite(&first, &x, &y));
        }
        if a == b {
            return a;
        }
        match (d.node(a), d.node(b)) {
            (_, Node::Ite(c, p, q)) if p == a => self.normal(d.ite(&d.or(&first, &c), &a, &q)),
            (_, Node::Ite(c, p, q)) if q == a => self.normal(d.ite(&d.or(&first, &d.not(&c)), &a, &p)),
            (Node::Ite(c, p, q), _) if q == b => self.normal(d.ite(&d.and(&first, &c), &p, &b)),
            (Node::Ite(c, p, q), _) if p == b => self.normal(d.ite(&d.and(&first, &d.not(&c)), &q, &b)),
            _ => self.normal(d.ite(&first, &a, &b)),
        }
    }

    /// What a lemma says of a value, if the condition is one under which it says something.
    fn said(&self, condition: TermId, value: TermId) -> TermId {
        let d = self.terms();
        let mut value = value;
        for _ in 0..DEPTH {
            let Node::Ite(c, a, b) = d.node(value) else { break };
            let (open, said) = match (lemma::is_open(d, a), lemma::is_open(d, b)) {
                (true, false) => (c, b),
                (false, true) => (d.not(&c), a),
                _ => break,
            };
            if self.inputs.known(self.normal(d.and(&condition, &open))) != Some(0) {
                break;
            }
            value = said;
        }
        value
    }
}
