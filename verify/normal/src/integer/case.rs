//! Cases: forms where a condition holds, or does not.
//!
//! A condition says what an atom of its form is, by the others: a bit of a number is ⌊x / d⌋ - 2·⌊x / (2·d)⌋. From then on the atom is that
//! sum: all forms are made anew, and what they say is true in this case alone.

use super::condition::Case;
use super::sum::{Atom, Monomial, Sum};
use super::{Integers, Kind};
use sassafras_semantics::TermId;

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
        let Some((atom, sign, rest)) = self.lone(form) else { return };
        // sign·atom + rest = value.
        let Some(known) = Sum::constant(i128::from(holds)).and(&rest, -1).and_then(|s| s.times(sign)) else {
            return;
        };
        let m = Monomial::from_slice(&[atom]);
        for sum in self.fixed.values_mut() {
            if let Some(c) = sum.terms.get(&m).copied() {
                let mut without = sum.clone();
                without.terms.remove(&m);
                if let Some(all) = without.and(&known, c) {
                    *sum = all;
                }
            }
        }
        // Row `case-range`: ⌊x / d⌋ = t says that x - d·t is one of d numbers.
        if let Kind::Floor(inside, divisor) = self.atoms[atom as usize].kind.clone()
            && let Some(above) = known.times(divisor).and_then(|t| inside.and(&t, -1))
        {
            match above.terms.len() {
                // One atom and a constant.
                1 => self.narrow_atom(&above, divisor - 1),
                _ => self.keep_range(&above, (0, divisor - 1)),
            }
        }
        self.fixed.insert(atom, known);
        self.narrow();
        self.of_terms.clear();
        self.values.clear();
        self.floors.clear();
    }

    /// Keeps that an atom and a constant lie between zero and a number.
    fn narrow_atom(&mut self, sum: &Sum, most: i128) {
        let Some((m, 1)) = sum.terms.iter().next().map(|(m, c)| (m, *c)) else { return };
        let [atom] = m[..] else { return };
        let (Some(a), Some(b)) = (0i128.checked_sub(sum.constant), most.checked_sub(sum.constant)) else {
            return;
        };
        let (least, greatest) = self.atoms[atom as usize].range.unwrap_or((a, b));
        self.atoms[atom as usize].range = Some((a.max(least), b.min(greatest)));
    }

    /// Ranges of floors after those of what is in them became narrower.
    fn narrow(&mut self) {
        for atom in 0..self.atoms.len() {
            let Kind::Floor(sum, divisor) = &self.atoms[atom].kind else { continue };
            let range = self.range_of_floor(sum, *divisor);
            if let Some((a, b)) = range {
                let (least, most) = self.atoms[atom].range.unwrap_or((a, b));
                self.atoms[atom].range = Some((a.max(least), b.min(most)));
            }
        }
    }

    /// An atom that a condition says the value of, its sign in the form of the condition, and what is besides: the one that was met last.
    fn lone(&self, form: u32) -> Option<(Atom, i128, Sum)> {
        let (1, sum) = &self.forms[form as usize] else { return None };
        let alone = |a: &Atom| sum.terms.keys().filter(|m| m.contains(a)).count() == 1;
        let of = |(m, c): (&Monomial, &i128)| match (&m[..], c) {
            ([a], 1 | -1) if alone(a) => Some((*a, *c)),
            _ => None,
        };
        let (atom, sign) = sum.terms.iter().filter_map(of).max()?;
        let mut rest = (**sum).clone();
        rest.terms.remove(&Monomial::from_slice(&[atom]));
        Some((atom, sign, rest))
    }
}
