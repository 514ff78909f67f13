//! Polynomials modulo 2^width over atoms: what sums, products, shifts by constants and concatenations have in common.
//!
//! An atom is a term of at most the polynomial's width, read as an unsigned number (extended by zeros). A concatenation
//! `h:l` is `2^n·h + l`; signed extension is the unsigned one less `2^n` times the sign bit.

use sassafras_semantics::TermId;
use sassafras_solve::limit;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// The atoms of a product, in order.
pub type Monomial = SmallVec<[TermId; 2]>;

/// Ones in the lowest `width` bits.
pub fn ones(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// A sum of products with coefficients, modulo 2^width.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Poly {
    /// Width in bits.
    pub width: u32,
    /// The summand without atoms.
    pub constant: u128,
    /// Coefficients, none zero.
    pub terms: BTreeMap<Monomial, u128>,
}

impl Poly {
    /// A constant.
    pub fn constant(width: u32, constant: u128) -> Poly {
        Poly { width, constant: constant & ones(width), terms: BTreeMap::new() }
    }

    /// An atom.
    pub fn atom(width: u32, atom: TermId) -> Poly {
        let mut p = Poly::constant(width, 0);
        p.terms.insert(Monomial::from_slice(&[atom]), 1);
        p
    }

    /// Adds a product.
    pub fn plus(&mut self, monomial: Monomial, coefficient: u128) {
        let mask = ones(self.width);
        if monomial.is_empty() {
            self.constant = self.constant.wrapping_add(coefficient) & mask;
            return;
        }
        let sum = self.terms.get(&monomial).copied().unwrap_or(0).wrapping_add(coefficient) & mask;
        if sum == 0 {
            self.terms.remove(&monomial);
        } else {
            self.terms.insert(monomial, sum);
        }
    }

    /// Adds a multiple of another polynomial, whose numbers are taken modulo this one's width.
    pub fn plus_scaled(&mut self, other: &Poly, scale: u128) {
        self.plus(Monomial::new(), other.constant.wrapping_mul(scale));
        limit::spend(1 + other.terms.len() as u64);
        for (m, c) in &other.terms {
            self.plus(m.clone(), c.wrapping_mul(scale));
        }
    }

    /// A multiple.
    pub fn scaled(&self, scale: u128) -> Poly {
        let mut p = Poly::constant(self.width, 0);
        p.plus_scaled(self, scale);
        p
    }

    /// −1 − p, the complement.
    pub fn complement(&self) -> Poly {
        let mut p = Poly::constant(self.width, u128::MAX);
        p.plus_scaled(self, u128::MAX);
        p
    }

    /// The product; `None` if it has more than `most` summands or a summand more than four atoms.
    pub fn times(&self, other: &Poly, most: usize) -> Option<Poly> {
        if (self.terms.len() + 1) * (other.terms.len() + 1) > most {
            return None;
        }
        limit::spend(((self.terms.len() + 1) * (other.terms.len() + 1)) as u64);
        let mut p = other.scaled(self.constant);
        for (m, c) in &self.terms {
            p.plus(m.clone(), c.wrapping_mul(other.constant));
            for (n, e) in &other.terms {
                let mut both: Monomial = m.iter().chain(n).copied().collect();
                both.sort_unstable();
                if both.len() > 4 {
                    return None;
                }
                p.plus(both, c.wrapping_mul(*e));
            }
        }
        Some(p)
    }

    /// The constant, if it is one.
    pub fn known(&self) -> Option<u128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Whether it is a single atom.
    pub fn single(&self) -> Option<TermId> {
        match self.terms.iter().next() {
            Some((m, 1)) if self.terms.len() == 1 && self.constant == 0 && m.len() == 1 => Some(m[0]),
            _ => None,
        }
    }

    /// Whether the first coefficient is in the upper half of the range, so that the complement is the simpler one.
    pub fn negative(&self) -> bool {
        match self.terms.values().next() {
            Some(c) => *c > ones(self.width) / 2 + 1,
            None => false,
        }
    }

    /// How many times two divides all coefficients.
    pub fn evenness(&self) -> u32 {
        let all = self.terms.values().copied().chain([self.constant]).filter(|c| *c != 0);
        all.map(u128::trailing_zeros).min().unwrap_or(self.width)
    }

    /// The least and the greatest value of the sum without wrapping, with coefficients of the upper half of the range read as
    /// negative numbers. `None` if it may reach 2^120.
    pub fn range(&self, width_of: &dyn Fn(TermId) -> u32) -> Option<(i128, i128)> {
        let start = i128::try_from(self.constant).ok()?;
        let (mut least, mut most) = (start, start);
        for (m, c) in &self.terms {
            let mut product = signed(*c, self.width)?;
            for a in m {
                product = product.checked_mul(i128::try_from(ones(width_of(*a))).ok()?)?;
            }
            if product < 0 {
                least = least.checked_add(product)?;
            } else {
                most = most.checked_add(product)?;
            }
        }
        (most >> 120 == 0 && least >> 120 >= -1).then_some((least, most))
    }

    /// The greatest value, if the least is not negative.
    pub fn most(&self, width_of: &dyn Fn(TermId) -> u32) -> Option<u128> {
        self.range(width_of).and_then(|(least, most)| (least >= 0).then_some(most as u128))
    }

    /// The greatest value of the sum without wrapping, with all coefficients read as positive numbers. `None` if it may reach 2^128.
    pub fn greatest(&self, width_of: &dyn Fn(TermId) -> u32) -> Option<u128> {
        self.terms.iter().try_fold(self.constant, |sum, (m, c)| {
            let product = m.iter().try_fold(*c, |p, a| p.checked_mul(ones(width_of(*a))));
            sum.checked_add(product?)
        })
    }

    /// The same sum with its numbers in a width that is not less, coefficients read as positive.
    pub fn extended(&self, width: u32) -> Poly {
        Poly { width, ..self.clone() }
    }

    /// The same sum with its numbers in another width, coefficients of the upper half read as negative.
    pub fn widened(&self, width: u32) -> Poly {
        limit::spend(1 + self.terms.len() as u64);
        let mut p = Poly::constant(width, self.constant);
        for (m, c) in &self.terms {
            let high = c >> (self.width - 1) & 1 == 1;
            p.plus(m.clone(), if high { c | !ones(self.width) } else { *c });
        }
        p
    }
}

/// A number of a width as a signed one.
fn signed(c: u128, width: u32) -> Option<i128> {
    if c >> (width - 1) & 1 == 0 { i128::try_from(c).ok() } else { Some((c | !ones(width)) as i128) }
}
