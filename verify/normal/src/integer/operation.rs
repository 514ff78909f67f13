//! Operations whose values are atoms: shifts by numbers, least and greatest, and what is not understood.

use super::floor::single;
use super::sum::Sum;
use super::{Extreme, Integers, Kind, LIMB, Operation};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp as B, CompareOp as C, TermId, UnaryOp};

/// Width of counts of shifts, which are numbers whatever the width of the word.
const COUNT: u32 = 120;

impl Integers<'_> {
    /// An operation that is not understood, over the forms of its operands.
    pub(super) fn unknown(&mut self, node: &Node, width: u32) -> Sum {
        let mut key = node.map(|o| TermId(self.of(o)));
        if let Node::Binary(B::And | B::Or | B::Xor | B::Mul | B::Add, a, b) = &mut key
            && a > b
        {
            std::mem::swap(a, b);
        }
        self.value_of_operation(Operation::Other(key, width), width)
    }

    fn operation_id(&mut self, operation: Operation) -> u32 {
        let next = self.operations.len() as u32;
        let id = *self.numbered.entry(operation.clone()).or_insert(next);
        if id == next {
            self.operations.push(operation);
        }
        id
    }

    fn limb(&mut self, id: u32, low: u32, width: u32) -> Sum {
        let n = LIMB.min(width - low);
        self.atom(Kind::Bits(id, low), Some((0, (1 << n) - 1)))
    }

    /// The bits of an operation's value, in parts.
    pub(super) fn value_of_operation(&mut self, operation: Operation, width: u32) -> Sum {
        let id = self.operation_id(operation);
        let mut sum = Sum::default();
        for low in (0..width).step_by(LIMB as usize) {
            let limb = self.limb(id, low, width);
            sum = sum.and_modulo(&limb, 1i128.wrapping_shl(low), 128);
        }
        sum
    }

    /// Row `extreme`: the least or the greatest of two words that a condition chooses, whichever way; of several, in any order.
    pub(super) fn extreme(&mut self, mut c: TermId, mut a: TermId, mut b: TermId, width: u32) -> Option<Sum> {
        while let Node::Unary(UnaryOp::Not, not) = self.terms.node(c) {
            c = not;
            std::mem::swap(&mut a, &mut b);
        }
        let Node::Compare(op, x, y) = self.terms.node(c) else { return None };
        let (x, y, a, b) = (self.of(x), self.of(y), self.of(a), self.of(b));
        let greatest = match ((x, y) == (a, b), (x, y) == (b, a)) {
            _ if op == C::Eq => return None,
            (true, _) => false,
            (_, true) => true,
            _ => return None,
        };
        let signed = matches!(op, C::SLt | C::SLe);
        let mut of = Vec::new();
        for form in [x, y] {
            match self.extremes.get(&form) {
                Some(e) if (e.greatest, e.signed) == (greatest, signed) => of.extend(&e.of),
                _ => of.push(form),
            }
        }
        of.sort_unstable();
        of.dedup();
        let extreme = Extreme { greatest, signed, of };
        let sum = self.value_of_operation(Operation::Extreme(extreme.clone()), width);
        let form = self.number(width, sum.clone());
        self.extremes.insert(form, extreme);
        Some(sum)
    }

    /// A word of a width, known modulo that, shifted by a number. What is above 32 bits is another shift of fewer: row `shift-part`.
    pub(super) fn shift(&mut self, op: B, of: &Sum, by: Sum, width: u32) -> Option<Sum> {
        let count = self.count(op, by.clone(), width)?;
        let count = self.number(COUNT, count);
        let word = self.number(width, of.modulo(width));
        let operation = Operation::Shift(op, width, word, count);
        if width != 2 * LIMB {
            return Some(self.value_of_operation(operation, width));
        }
        let id = self.operation_id(operation);
        let (low, high) = match op {
            B::Shl => {
                let low = of.modulo(LIMB);
                (self.shift(op, &low, by, LIMB)?, self.limb(id, LIMB, width))
            }
            _ => {
                let high = self.bits(of, LIMB, LIMB)?;
                (self.limb(id, 0, width), self.shift(op, &high, by, LIMB)?)
            }
        };
        // The lower part is below 2^32, as an atom of that width is.
        Some(low.and_modulo(&high, 1 << LIMB, width))
    }

    /// Row `shift-count`: a count that is the least of a number and one that shifts everything out is that number.
    fn count(&mut self, op: B, by: Sum, width: u32) -> Option<Sum> {
        let Some(atom) = single(&by) else { return Some(by) };
        let Kind::Bits(id, 0) = self.atoms[atom as usize].kind else { return Some(by) };
        let Operation::Extreme(Extreme { greatest: false, signed: false, of }) =
            &self.operations[id as usize]
        else {
            return Some(by);
        };
        let [a, b] = of[..] else { return Some(by) };
        let enough = u128::from(if op == B::AShr { width - 1 } else { width });
        let rest = match (self.constant(a), self.constant(b)) {
            (Some(c), None) if c >= enough => b,
            (None, Some(c)) if c >= enough => a,
            _ => return Some(by),
        };
        Some((*self.value_of(rest)?).clone())
    }
}
