//! Conditions that exclude each other: relations of floats, a number that is zero and one of its bits.

use super::Normal;
use super::boolean::{Diagram, FALSE, TRUE};
use sassafras_semantics::term::Node;
use sassafras_semantics::{CompareOp, FloatRelation as R, TermId};

impl Normal<'_> {
    /// Row `relations`: of two floats one is less than the other, or they are equal, or unordered, and only one of these. So what asks
    /// whether they are unordered, and for one other relation, is one relation or its complement. Example: unordered or not less is the
    /// complement of less.
    pub(super) fn relation(&self, f: Diagram) -> Diagram {
        self.one_relation(f).or_else(|| self.bit_of_zero(f)).unwrap_or(f)
    }

    /// Row `zero-bit`: of a number that is zero no bit is set. What is made of both conditions is one of them, neither, or that either holds.
    fn bit_of_zero(&self, f: Diagram) -> Option<Diagram> {
        let (first, second) = self.two(f)?;
        let within = |zero: TermId, bit: TermId| {
            let Node::Compare(CompareOp::Eq, x, k) = self.terms.node(zero) else { return false };
            let Node::Extract { low: at, a: whole } = self.terms.node(bit) else { return false };
            let (low, from) = match self.terms.node(x) {
                Node::Extract { low, a } if x != whole => (low, a),
                _ => (0, x),
            };
            self.known(k) == Some(0) && from == whole && (low..low + self.width(x)).contains(&at)
        };
        let zero_first = within(first, second);
        if !zero_first && !within(second, first) {
            return None;
        }
        let at = |zero: bool, set: bool| match zero_first {
            true => self.at(f, zero, set),
            false => self.at(f, set, zero),
        };
        let (neither, set, zero) = (at(false, false), at(false, true), at(true, false));
        let mut all = self.diagrams.borrow_mut();
        let (a, b) = (all.variable(first), all.variable(second));
        let (is_zero, is_set) = if zero_first { (a, b) } else { (b, a) };
        let made = match (set == neither, zero == neither) {
            (true, true) => FALSE,
            (false, true) => is_set,
            (true, false) => is_zero,
            (false, false) => all.ite(is_zero, TRUE, is_set),
        };
        Some(if neither { all.not(made) } else { made })
    }

    fn one_relation(&self, f: Diagram) -> Option<Diagram> {
        let (first, second) = self.two(f)?;
        let (x, y) = (self.terms.node(first), self.terms.node(second));
        let (Node::FloatRelation { relation: p, format, ftz, args }, Node::FloatRelation { relation: q, .. }) =
            (&x, &y)
        else {
            return None;
        };
        let alike = |node: &Node| match node {
            Node::FloatRelation { format: g, ftz: z, args: [a, b], .. } => {
                g == format && z == ftz && ([*a, *b] == *args || [*b, *a] == *args)
            }
            _ => false,
        };
        let unordered_first = match (p == &R::Unordered, q == &R::Unordered) {
            (true, false) => true,
            (false, true) => false,
            _ => return None,
        };
        if !alike(&y) {
            return None;
        }
        let (nan, other) = if unordered_first { (first, second) } else { (second, first) };
        let at = |unordered: bool, holds: bool| {
            let (a, b) = if unordered_first { (unordered, holds) } else { (holds, unordered) };
            self.at(f, a, b)
        };
        let one = |t: TermId, holds: bool| {
            let mut all = self.diagrams.borrow_mut();
            let f = all.variable(t);
            if holds { f } else { all.not(f) }
        };
        Some(match (at(true, false), at(false, true), at(false, false)) {
            (false, false, false) => FALSE,
            (true, true, true) => TRUE,
            (false, true, false) => one(other, true),
            (true, false, true) => one(other, false),
            (true, false, false) => one(nan, true),
            (false, true, true) => one(nan, false),
            (unordered, _, _) => one(self.otherwise(other)?, !unordered),
        })
    }

    /// What ordered floats do for which a relation does not hold, as one relation.
    fn otherwise(&self, relation: TermId) -> Option<TermId> {
        let Node::FloatRelation { relation, format, ftz, args: [a, b] } = self.terms.node(relation) else {
            return None;
        };
        let relation = match relation {
            R::Lt => R::Le,
            R::Le => R::Lt,
            R::Eq | R::Unordered => return None,
        };
        let t = self.terms.make(Node::FloatRelation { relation, format, ftz, args: [b, a] }, 1);
        self.memo.borrow_mut().insert(t, t);
        Some(t)
    }

    /// The two conditions that a function is made of, if it is made of two.
    fn two(&self, f: Diagram) -> Option<(TermId, TermId)> {
        let all = self.diagrams.borrow();
        let inner = |f: Diagram| (f > TRUE).then(|| all.node(f));
        let (first, high, low) = inner(f)?;
        let below = [inner(high), inner(low)];
        let second = below.iter().flatten().next()?.0;
        let flat = below.iter().flatten().all(|(v, h, l)| *v == second && *h <= TRUE && *l <= TRUE);
        flat.then_some((first, second))
    }

    /// The value of a function of two conditions.
    fn at(&self, f: Diagram, first: bool, second: bool) -> bool {
        let all = self.diagrams.borrow();
        let step = |f: Diagram, holds: bool| match f {
            FALSE | TRUE => f,
            _ if holds => all.node(f).1,
            _ => all.node(f).2,
        };
        step(step(f, first), second) == TRUE
    }
}
