//! Cases: forms where a condition holds, or does not.
//!
//! A condition that is one atom and a constant says what this atom is. From then on the atom is that number: all forms are made
//! anew, and what they say is true in this case alone.

use super::sum::Sum;
use super::{Integers, Kind};
use sassafras_semantics::TermId;

/// What became of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// It is known in this case: forms are as before.
    Known(bool),
    /// It is one atom: it may be assumed.
    Open,
    /// It is something else.
    Other,
}

impl Integers<'_> {
    /// What is known of a condition, a term of one bit.
    pub fn case(&mut self, condition: TermId) -> Case {
        let form = self.form(condition);
        match (self.constant(form), self.lone(form)) {
            (Some(bit), _) => Case::Known(bit & 1 == 1),
            (None, Some(_)) => Case::Open,
            (None, None) => Case::Other,
        }
    }

    /// Assumes that a condition holds, or that it does not. Only if it is [`Case::Open`]; else nothing is assumed.
    pub fn assume(&mut self, condition: TermId, holds: bool) {
        let form = self.form(condition);
        let Some((atom, sign, constant)) = self.lone(form) else { return };
        let value = sign * (i128::from(holds) - constant);
        self.fixed.insert(atom, value);
        // Row `case-range`: ⌊x / d⌋ = v says that x is one of d numbers.
        if let Kind::Floor(sum, divisor) = &self.atoms[atom as usize].kind
            && let Some(inside) = super::floor::single(sum)
            && let Some(least) = value.checked_mul(*divisor)
            && let Some(most) = least.checked_add(divisor - 1)
            && let Some((a, b)) = self.atoms[inside as usize].range
        {
            self.atoms[inside as usize].range = Some((a.max(least), b.min(most)));
        }
        self.of_terms.clear();
        self.values.clear();
        self.floors.clear();
    }

    /// The atom, its sign and the constant that the form of a condition is.
    fn lone(&self, form: u32) -> Option<(super::sum::Atom, i128, i128)> {
        let (1, sum) = &self.forms[form as usize] else { return None };
        let sum: &Sum = sum;
        let (m, c) = sum.terms.iter().next()?;
        (sum.terms.len() == 1 && m.len() == 1 && c.abs() == 1).then(|| (m[0], *c, sum.constant))
    }
}
