//! Sums of products with whole coefficients: exact, or modulo a power of two.

use smallvec::SmallVec;
use std::collections::BTreeMap;

/// A number of which only the range is known, by its place in the table of [`super::Integers`].
pub type Atom = u32;
/// The atoms of a product, in order.
pub type Monomial = SmallVec<[Atom; 3]>;

/// A constant and products of atoms with coefficients, none of them zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sum {
    /// The summand without atoms.
    pub constant: i128,
    /// Coefficients by products.
    pub terms: BTreeMap<Monomial, i128>,
}

/// The representative of a number modulo 2^`width` that is nearest to zero, the positive one of two.
pub fn reduced(number: i128, width: u32) -> i128 {
    if width >= 128 {
        return number;
    }
    let low = number & ((1 << width) - 1);
    if low > 1 << (width - 1) { low - (1 << width) } else { low }
}

/// The remainder by a positive divisor that is nearest to zero, the positive one of two.
pub fn balanced(number: i128, divisor: i128) -> i128 {
    let low = number.rem_euclid(divisor);
    if low > divisor - low { low - divisor } else { low }
}

impl Sum {
    /// A constant.
    pub fn constant(constant: i128) -> Sum {
        Sum { constant, terms: BTreeMap::new() }
    }

    /// An atom.
    pub fn atom(atom: Atom) -> Sum {
        Sum { constant: 0, terms: BTreeMap::from([(Monomial::from_slice(&[atom]), 1)]) }
    }

    /// The constant, if it is one.
    pub fn known(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Adds a product; `None` if a coefficient leaves 127 bits.
    pub fn plus(&mut self, monomial: &Monomial, coefficient: i128) -> Option<()> {
        if monomial.is_empty() {
            self.constant = self.constant.checked_add(coefficient)?;
            return Some(());
        }
        let old = self.terms.get(monomial).copied().unwrap_or(0);
        match old.checked_add(coefficient)? {
            0 => drop(self.terms.remove(monomial)),
            sum => drop(self.terms.insert(monomial.clone(), sum)),
        }
        Some(())
    }

    /// Adds a product modulo 2^128. [`Sum::modulo`] has to follow.
    pub fn plus_wrapping(&mut self, monomial: Monomial, coefficient: i128) {
        if monomial.is_empty() {
            self.constant = self.constant.wrapping_add(coefficient);
            return;
        }
        let old = self.terms.entry(monomial).or_insert(0);
        *old = old.wrapping_add(coefficient);
    }

    /// The sum with a multiple of another; `None` if a coefficient leaves 127 bits.
    pub fn and(&self, other: &Sum, scale: i128) -> Option<Sum> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(scale)?)?;
        for (m, c) in &other.terms {
            sum.plus(m, c.checked_mul(scale)?)?;
        }
        Some(sum)
    }

    /// A multiple; `None` if a coefficient leaves 127 bits.
    pub fn times(&self, scale: i128) -> Option<Sum> {
        Sum::default().and(self, scale)
    }

    /// −1 − the sum; `None` if a coefficient leaves 127 bits.
    pub fn complement(&self) -> Option<Sum> {
        Sum::constant(-1).and(self, -1)
    }

    /// The same modulo 2^`width`, coefficients nearest to zero.
    pub fn modulo(&self, width: u32) -> Sum {
        let of = |c: i128| reduced(c, width);
        let terms = self.terms.iter().map(|(m, c)| (m.clone(), of(*c))).filter(|(_, c)| *c != 0);
        Sum { constant: of(self.constant), terms: terms.collect() }
    }

    /// The sum with a multiple of another, modulo 2^`width`.
    pub fn and_modulo(&self, other: &Sum, scale: i128, width: u32) -> Sum {
        let mut sum = self.clone();
        sum.plus_wrapping(Monomial::new(), other.constant.wrapping_mul(scale));
        for (m, c) in &other.terms {
            sum.plus_wrapping(m.clone(), c.wrapping_mul(scale));
        }
        sum.modulo(width)
    }

    /// Quotient and remainder of each coefficient by a positive divisor: `self = divisor·quotient + remainder`, the remainder's
    /// constant not negative.
    pub fn split(&self, divisor: i128) -> Option<(Sum, Sum)> {
        let (mut quotient, mut rest) = (Sum::default(), Sum::default());
        quotient.constant = self.constant.div_euclid(divisor);
        rest.constant = self.constant.rem_euclid(divisor);
        for (m, c) in &self.terms {
            let low = balanced(*c, divisor);
            rest.plus(m, low)?;
            quotient.plus(m, c.checked_sub(low)? / divisor)?;
        }
        Some((quotient, rest))
    }
}

pub(super) fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
