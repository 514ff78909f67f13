//! Words as exact whole numbers: sums of products of atoms and of *floors*.
//!
//! A word of n bits that a sum s wraps to is s − 2^n·⌊s / 2^n⌋; its upper bits are ⌊s / 2^l⌋; a carry, a borrow, a comparison and a
//! sign are floors too, and so are quotients by constants. With words written so, what is computed in parts with carries becomes
//! the same sum as what is computed at once, since ⌊(q + ⌊r / a⌋) / b⌋ = ⌊(a·q + r) / (a·b)⌋: `floor` has the identities, each a
//! row of [`rows`] with a proof. What no identity speaks of is an atom, over the forms of its operands.
//!
//! Two terms of one form are equal. Nothing is rewritten: a form is only ever compared. Whatever grows too large, or leaves 127
//! bits, is an atom.

mod bitwise;
mod case;
mod condition;
mod floor;
mod form;
mod operation;
pub mod rows;
pub mod sum;
#[cfg(test)]
mod tests;
mod wide;

use crate::normal::boolean::{Diagram, Diagrams};
pub use condition::Case;
use rustc_hash::FxHashMap;
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, TermId, Terms};
use std::rc::Rc;
use sum::{Atom, Monomial, Sum};
use wide::Wide;

/// Most products of a sum.
const MOST: usize = 40;
/// Most atoms of a product.
const DEGREE: usize = 6;
/// Bits of the parts that what is not known is taken apart into.
const LIMB: u32 = 32;

/// What an atom is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Kind {
    /// Bits of a value of which nothing is known, from the lowest.
    Bits(u32, u32),
    /// ⌊sum / divisor⌋.
    Floor(Sum, i128),
}

/// An operation whose value is an atom.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Operation {
    /// One that is not understood, over the forms of its operands; and its width.
    Other(Node, u32),
    /// The least or the greatest of some words, without their order.
    Extreme(Extreme),
    /// A shift of a word of a width by a number: operation, width, word, count.
    Shift(BinaryOp, u32, u32, u32),
    /// A bitwise function of words, by their forms; and its width.
    Bitwise(Diagram, u32),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Extreme {
    greatest: bool,
    signed: bool,
    of: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Known {
    kind: Kind,
    /// The least and the greatest value, if they fit.
    range: Option<(i128, i128)>,
}

/// The forms of the terms of an arena.
#[derive(Debug)]
pub struct Integers<'t> {
    terms: &'t Terms,
    atoms: Vec<Known>,
    ids: FxHashMap<Kind, Atom>,
    /// Operations whose values are atoms.
    operations: Vec<Operation>,
    numbered: FxHashMap<Operation, u32>,
    extremes: FxHashMap<u32, Extreme>,
    /// Floors that came out of others, as they were before.
    nested: FxHashMap<Atom, (Sum, i128)>,
    /// Width and sum of each form. A word is known modulo its width, a bit exactly.
    forms: Vec<(u32, Rc<Sum>)>,
    numbers: FxHashMap<(u32, Rc<Sum>), u32>,
    of_terms: FxHashMap<TermId, u32>,
    values: FxHashMap<u32, Option<Rc<Sum>>>,
    /// Ranges that are known of sums, by those without a constant and a common factor.
    ranges: FxHashMap<Sum, (i128, i128)>,
    floors: FxHashMap<(Sum, i128), Option<Sum>>,
    /// Atoms of which a case says what they are.
    fixed: FxHashMap<Atom, Sum>,
    diagrams: Diagrams,
    /// Forms that are bitwise functions of others.
    functions: FxHashMap<u32, Diagram>,
    /// The first form of each such function, by width.
    by_function: FxHashMap<(Diagram, u32), u32>,
}

impl<'t> Integers<'t> {
    /// Of an arena.
    pub fn new(terms: &'t Terms) -> Integers<'t> {
        Integers {
            terms,
            atoms: Vec::new(),
            ids: FxHashMap::default(),
            operations: Vec::new(),
            numbered: FxHashMap::default(),
            extremes: FxHashMap::default(),
            nested: FxHashMap::default(),
            forms: Vec::new(),
            numbers: FxHashMap::default(),
            of_terms: FxHashMap::default(),
            values: FxHashMap::default(),
            ranges: FxHashMap::default(),
            floors: FxHashMap::default(),
            fixed: FxHashMap::default(),
            diagrams: Diagrams::default(),
            functions: FxHashMap::default(),
            by_function: FxHashMap::default(),
        }
    }

    /// The constant that a form is, if it is one, as the bits of a word.
    pub fn constant(&self, form: u32) -> Option<u128> {
        let (width, sum) = &self.forms[form as usize];
        let mask = if *width >= 128 { u128::MAX } else { (1 << width) - 1 };
        Some(sum.known()? as u128 & mask)
    }

    fn atom(&mut self, kind: Kind, range: Option<(i128, i128)>) -> Sum {
        let next = self.atoms.len() as Atom;
        let id = *self.ids.entry(kind.clone()).or_insert(next);
        if id == next {
            self.atoms.push(Known { kind, range });
        }
        self.fixed.get(&id).cloned().unwrap_or_else(|| Sum::atom(id))
    }

    /// The least and the greatest value of a sum: by those of its summands, and by what is known of it.
    fn range(&self, sum: &Sum) -> Option<(i128, i128)> {
        let known = self.known_range(sum);
        match (known, self.range_of_summands(sum)) {
            (Some((a, b)), Some((c, e))) => Some((a.max(c), b.min(e))),
            (known, computed) => known.or(computed),
        }
    }

    fn range_of_summands(&self, sum: &Sum) -> Option<(i128, i128)> {
        let (mut least, mut most) = (sum.constant, sum.constant);
        for (m, c) in &sum.terms {
            let (low, high) = self.range_of_product(m)?;
            let (x, y) = (low.checked_mul(*c)?, high.checked_mul(*c)?);
            least = least.checked_add(x.min(y))?;
            most = most.checked_add(x.max(y))?;
        }
        Some((least, most))
    }

    fn range_of_product(&self, m: &Monomial) -> Option<(i128, i128)> {
        let (mut low, mut high) = (1i128, 1i128);
        for a in m {
            let (l, h) = self.atoms[*a as usize].range?;
            let mut corners =
                [l.checked_mul(low)?, l.checked_mul(high)?, h.checked_mul(low)?, h.checked_mul(high)?];
            corners.sort_unstable();
            (low, high) = (corners[0], corners[3]);
        }
        Some((low, high))
    }

    /// The range of ⌊sum / divisor⌋: of a sum that leaves 127 bits, by a power of two alone.
    fn range_of_floor(&self, sum: &Sum, divisor: i128) -> Option<(i128, i128)> {
        if let Some((least, most)) = self.range(sum) {
            return Some((least.div_euclid(divisor), most.div_euclid(divisor)));
        }
        if divisor < 2 || divisor.count_ones() != 1 {
            return None;
        }
        let (mut least, mut most) = (Wide::from(sum.constant), Wide::from(sum.constant));
        for (m, c) in &sum.terms {
            let (low, high) = self.range_of_product(m)?;
            let (x, y) = (Wide::product(low, *c), Wide::product(high, *c));
            least = least.plus(x.min(y))?;
            most = most.plus(x.max(y))?;
        }
        let power = divisor.trailing_zeros();
        Some((least.floor(power)?, most.floor(power)?))
    }

    /// What is known of a sum of which this one is a multiple, and a constant.
    fn known_range(&self, sum: &Sum) -> Option<(i128, i128)> {
        let (part, factor) = primitive(sum)?;
        let (least, most) = self.ranges.get(&part)?;
        let (a, b) = (least.checked_mul(factor)?, most.checked_mul(factor)?);
        Some((a.min(b).checked_add(sum.constant)?, a.max(b).checked_add(sum.constant)?))
    }

    /// Keeps that a sum lies in a range, besides what is known of it.
    fn keep_range(&mut self, sum: &Sum, (least, most): (i128, i128)) {
        let Some((part, factor)) = primitive(sum) else { return };
        let (Some(a), Some(b)) = (least.checked_sub(sum.constant), most.checked_sub(sum.constant)) else {
            return;
        };
        if a == i128::MIN || b == i128::MIN {
            return;
        }
        // A multiple of the factor that is at least a is at least the next above it.
        let (a, b) = if factor > 0 { (a, b) } else { (-b, -a) };
        let by = factor.abs();
        let (a, b) = (-(-a).div_euclid(by), b.div_euclid(by));
        let known = self.ranges.entry(part).or_insert((a, b));
        *known = (known.0.max(a), known.1.min(b));
    }

    /// The product of two products, and its sign: a number that is 0 or 1 is its own square, one that is 0 or −1 is minus it.
    fn joined(&self, a: &Monomial, b: &Monomial) -> Option<(Monomial, i128)> {
        let mut all: Monomial = a.iter().chain(b).copied().collect();
        all.sort_unstable();
        let (mut kept, mut sign) = (Monomial::new(), 1);
        for x in all {
            if kept.last() == Some(&x) {
                match self.atoms[x as usize].range {
                    Some((0, 1)) => continue,
                    Some((-1, 0)) => {
                        sign = -sign;
                        continue;
                    }
                    _ => {}
                }
            }
            kept.push(x);
        }
        (kept.len() <= DEGREE).then_some((kept, sign))
    }

    /// The product; with a width modulo 2^width, else exact.
    fn product(&self, a: &Sum, b: &Sum, width: Option<u32>) -> Option<Sum> {
        if (a.terms.len() + 1) * (b.terms.len() + 1) > 4 * MOST {
            return None;
        }
        let parts = |s: &Sum| -> Vec<(Monomial, i128)> {
            let all = s.terms.iter().map(|(m, c)| (m.clone(), *c));
            all.chain((s.constant != 0).then(|| (Monomial::new(), s.constant))).collect()
        };
        let (left, right) = (parts(a), parts(b));
        let mut sum = Sum::default();
        for (m, c) in &left {
            for (n, e) in &right {
                let (joined, sign) = self.joined(m, n)?;
                match width {
                    None => sum.plus(&joined, c.checked_mul(*e)?.checked_mul(sign)?)?,
                    Some(_) => sum.plus_wrapping(joined, c.wrapping_mul(*e).wrapping_mul(sign)),
                }
            }
        }
        if let Some(width) = width {
            sum = sum.modulo(width);
        }
        (sum.terms.len() <= MOST).then_some(sum)
    }
}
/// A sum of several summands as a multiple of one without a constant and a common factor, whose first coefficient is positive; and a constant.
fn primitive(sum: &Sum) -> Option<(Sum, i128)> {
    if sum.terms.len() < 2 {
        return None;
    }
    let factor = sum.terms.values().fold(0, |g, c| sum::gcd(g, *c));
    let factor = if sum.terms.values().next().is_some_and(|c| *c < 0) { -factor } else { factor };
    if factor == 0 || factor == i128::MIN {
        return None;
    }
    let terms = sum.terms.iter().map(|(m, c)| (m.clone(), c / factor)).collect();
    Some((Sum { constant: 0, terms }, factor))
}
