//! Values of two groups of lanes that become one.

use super::{Name, Side};
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, TermId};

/// Choices within choices that are looked into.
const DEPTH: u32 = 4;

impl<R: Name> Side<'_, R> {
    /// `first ? x : y`, of one group of lanes and of another. What each value is chosen by is settled where the condition of its group says it, for
    /// nobody else has it. What is the same under two conditions is chosen once: a division under a branch joins three paths, and
    /// two of them have its quotient. Raw terms stay as they are.
    pub(super) fn chosen(&self, (first, x): (TermId, TermId), (second, y): (TermId, TermId)) -> TermId {
        let d = self.terms();
        if !self.inputs.normal.is_active() || d.width_of(x) == 1 {
            return self.normal(d.ite(&first, &x, &y));
        }
        let (x, y) = (self.under(first, x), self.under(second, y));
        if x == y {
            return x;
        }
        match (d.node(x), d.node(y)) {
            (_, Node::Ite(c, a, b)) if a == x => self.normal(d.ite(&d.or(&first, &c), &x, &b)),
            (_, Node::Ite(c, a, b)) if b == x => self.normal(d.ite(&d.or(&first, &d.not(&c)), &x, &a)),
            (Node::Ite(c, a, b), _) if b == y => self.normal(d.ite(&d.and(&first, &c), &a, &y)),
            (Node::Ite(c, a, b), _) if a == y => self.normal(d.ite(&d.and(&first, &d.not(&c)), &b, &y)),
            _ => self.normal(d.ite(&first, &x, &y)),
        }
    }

    /// A value where a condition holds, if that says what it is chosen by.
    fn under(&self, condition: TermId, value: TermId) -> TermId {
        let d = self.terms();
        let mut value = value;
        for _ in 0..DEPTH {
            let Node::Ite(c, a, b) = d.node(value) else { break };
            let never = |t: TermId| self.inputs.known(self.normal(d.and(&condition, &t))) == Some(0);
            value = if never(d.not(&c)) {
                a
            } else if never(c) {
                b
            } else {
                break;
            };
        }
        value
    }
}
