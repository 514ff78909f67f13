//! Bitwise functions of words, by what they are of each bit.

use super::sum::Sum;
use super::{Integers, LIMB, Operation};
use crate::normal::boolean::{Diagram, FALSE, TRUE};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp as B, TermId};

/// A function of more decisions than this is an operation that is not understood.
const DECISIONS: usize = 24;

impl Integers<'_> {
    /// Row `bitwise-function`: and, or, exclusive or of words as the function of the words that these are made of.
    pub(super) fn function(&mut self, node: &Node, width: u32) -> Option<Diagram> {
        let Node::Binary(op @ (B::And | B::Or | B::Xor), a, b) = node else { return None };
        if width == 1 || width == 2 * LIMB {
            return None;
        }
        let made = self.combined(*op, self.of(*a), self.of(*b));
        (made > TRUE && self.diagrams.size(made, DECISIONS) < DECISIONS).then_some(made)
    }

    fn combined(&mut self, op: B, a: u32, b: u32) -> Diagram {
        let (f, g) = (self.diagram(a), self.diagram(b));
        self.diagrams.combine(op, f, g)
    }

    /// A bitwise function of words of 64 bits by those of their halves: row `bitwise-halves`.
    pub(super) fn by_halves(&mut self, op: B, a: &Sum, b: &Sum) -> Option<Sum> {
        let low = self.half(op, &a.modulo(LIMB), &b.modulo(LIMB))?;
        let low = self.value_of(low)?;
        let (x, y) = (self.bits(a, LIMB, LIMB)?, self.bits(b, LIMB, LIMB)?);
        let high = self.half(op, &x, &y)?;
        let high = self.forms[high as usize].1.clone();
        Some(low.and_modulo(&high, 1 << LIMB, 2 * LIMB))
    }

    fn half(&mut self, op: B, a: &Sum, b: &Sum) -> Option<u32> {
        let (a, b) = (self.number(LIMB, a.clone()), self.number(LIMB, b.clone()));
        let f = self.combined(op, a, b);
        if f <= TRUE {
            return Some(self.number(LIMB, Sum::constant(-i128::from(f))));
        }
        if let Some(known) = self.known_function(f, LIMB) {
            return Some(known);
        }
        if self.diagrams.size(f, DECISIONS) >= DECISIONS {
            return None;
        }
        let sum = match self.masked_function(f, LIMB) {
            Some(sum) => sum,
            None => self.value_of_operation(Operation::Bitwise(f, LIMB), LIMB),
        };
        let form = self.number(LIMB, sum);
        self.functions.entry(form).or_insert(f);
        self.by_function.insert((f, LIMB), form);
        Some(form)
    }

    /// Row `masked-function`: a function of a word and constants is, bit by bit, a constant, the word, or its complement.
    pub(super) fn masked_function(&mut self, f: Diagram, width: u32) -> Option<Sum> {
        let mut words = self.diagrams.leaves(f);
        words.retain(|leaf| self.constant(leaf.0).is_none());
        let &[word] = &words[..] else { return None };
        let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        let at = |bits: u128| {
            let of = |leaf: TermId| if leaf == word { bits } else { self.constant(leaf.0).unwrap_or(0) };
            self.diagrams.value(f, &of) & mask
        };
        let (zero, one) = (at(0), at(u128::MAX));
        let as_it_is = self.masked(word.0, one & !zero, width)?.modulo(width);
        let complement = self.masked(word.0, zero & !one, width)?.modulo(width);
        Some(Sum::constant(zero as i128).and_modulo(&as_it_is, 1, width).and_modulo(&complement, -1, width))
    }

    /// The form that a function is: a variable, the complement of one, or what was met before.
    pub(super) fn known_function(&mut self, f: Diagram, width: u32) -> Option<u32> {
        let (leaf, high, low) = self.diagrams.node(f);
        match (high, low) {
            (TRUE, FALSE) => Some(leaf.0),
            (FALSE, TRUE) => {
                let sum = self.forms[leaf.0 as usize].1.clone();
                Some(self.number(width, Sum::constant(-1).and_modulo(&sum, -1, width)))
            }
            _ => self.by_function.get(&(f, width)).copied(),
        }
    }

    /// The function that a form is: one that is known, the complement of one, or a variable.
    fn diagram(&mut self, form: u32) -> Diagram {
        let (width, sum) = self.forms[form as usize].clone();
        match sum.known() {
            Some(0) => return FALSE,
            Some(-1) => return TRUE,
            _ => {}
        }
        if let Some(f) = self.functions.get(&form) {
            return *f;
        }
        let not = self.number(width, Sum::constant(-1).and_modulo(&sum, -1, width));
        if let Some(f) = self.functions.get(&not).copied() {
            return self.diagrams.not(f);
        }
        let f = self.diagrams.variable(TermId(form.min(not)));
        if form < not { f } else { self.diagrams.not(f) }
    }
}
