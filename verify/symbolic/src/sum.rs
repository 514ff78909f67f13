//! Addresses of 32 bits as sums: how far apart two lie, and whether one lies in a variable.
//!
//! Shared and local memory have addresses of 32 bits, with zeros above. No access reaches over the end of such a space (A-ADDR), so that where bytes lie follows from
//! the difference of two sums modulo 2^32. What both have in common falls out, also in arms of choices that differ by constants alone; of what is left the least and the greatest value are
//! seen from zeros.

use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, Domain, TermId, Terms, UnaryOp};

/// Most nodes of a sum that are looked at.
const MOST: u32 = 64;

/// A sum modulo 2^32: terms of 32 bits, sorted, and a constant from `low` to `high`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sum {
    terms: Vec<TermId>,
    low: i64,
    high: i64,
}

impl Sum {
    fn plus(mut self, other: Sum) -> Sum {
        self.terms.extend(other.terms);
        self.terms.sort_unstable();
        Sum { terms: self.terms, low: self.low + other.low, high: self.high + other.high }
    }
}

/// An address as base and constant offset.
pub fn split(terms: &Terms, address: TermId) -> (TermId, i64) {
    if let Node::Binary(BinaryOp::Add, a, b) = terms.node(address)
        && let Some(c) = terms.as_constant(&b)
    {
        return (a, c as u64 as i64);
    }
    (address, 0)
}

/// The 32 bits of an address above which there are zeros.
pub fn narrow(d: &Terms, address: TermId) -> Option<TermId> {
    let low = match d.node(address) {
        Node::Zext(low) => low,
        Node::Concat(high, low) if d.as_constant(&high) == Some(0) => low,
        _ => return None,
    };
    (d.width_of(low) == 32).then_some(low)
}

/// A constant of 32 bits as a signed number.
fn signed(constant: u128) -> i64 {
    (constant as u32 as i32).into()
}

/// The low 32 bits of a wider sum of such, as `IADD3` makes them.
fn low(d: &Terms, t: TermId, left: &mut u32) -> Option<Sum> {
    if let Some(c) = d.as_constant(&t) {
        return Some(Sum { terms: Vec::new(), low: signed(c), high: signed(c) });
    }
    match d.node(t) {
        Node::Binary(BinaryOp::Add, a, b) => Some(low(d, a, left)?.plus(low(d, b, left)?)),
        Node::Zext(a) if d.width_of(a) == 32 => Some(sum(d, a, left)),
        _ => None,
    }
}

fn sum(d: &Terms, t: TermId, left: &mut u32) -> Sum {
    let own = Sum { terms: vec![t], low: 0, high: 0 };
    if *left == 0 {
        return own;
    }
    *left -= 1;
    if let Some(c) = d.as_constant(&t) {
        return Sum { terms: Vec::new(), low: signed(c), high: signed(c) };
    }
    match d.node(t) {
        Node::Binary(BinaryOp::Add, a, b) => sum(d, a, left).plus(sum(d, b, left)),
        Node::Extract { low: 0, a } => low(d, a, left).unwrap_or(own),
        Node::Unary(UnaryOp::Not, a) => match d.as_constant(&a) {
            Some(c) => Sum { terms: Vec::new(), low: signed(!c), high: signed(!c) },
            None => own,
        },
        Node::Binary(BinaryOp::Sub, a, b) => match (sum(d, a, left), d.as_constant(&b)) {
            (a, Some(c)) => Sum { terms: a.terms, low: a.low - signed(c), high: a.high - signed(c) },
            (_, None) => own,
        },
        Node::Binary(BinaryOp::Mul, a, b) => match (d.as_constant(&a), d.as_constant(&b)) {
            (Some(0), _) | (_, Some(0)) => Sum { terms: Vec::new(), low: 0, high: 0 },
            (Some(1), _) => sum(d, b, left),
            (_, Some(1)) => sum(d, a, left),
            _ => own,
        },
        Node::Ite(_, a, b) => {
            let (a, b) = (sum(d, a, left), sum(d, b, left));
            match a.terms == b.terms {
                true => Sum { terms: a.terms, low: a.low.min(b.low), high: a.high.max(b.high) },
                false => own,
            }
        }
        _ => own,
    }
}

/// The greatest value that a term may have as far as zeros in it show.
fn most(d: &Terms, t: TermId, depth: u32) -> u64 {
    let width = d.width_of(t);
    let all = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
    if let Some(c) = d.as_constant(&t) {
        return u64::try_from(c).unwrap_or(u64::MAX);
    }
    if depth == 0 {
        return all;
    }
    let of = |t: TermId| most(d, t, depth - 1);
    let bits = |n: u64| n.checked_add(1).and_then(u64::checked_next_power_of_two).map_or(u64::MAX, |n| n - 1);
    let found = match d.node(t) {
        Node::Zext(a) => of(a),
        Node::Concat(high, low) => {
            let shift = d.width_of(low);
            let high = if shift < 64 { of(high).checked_mul(1 << shift) } else { None };
            high.and_then(|high| high.checked_add(of(low))).unwrap_or(u64::MAX)
        }
        Node::Extract { low: 0, a } => of(a),
        Node::Ite(_, a, b) => of(a).max(of(b)),
        Node::Binary(BinaryOp::And, a, b) => of(a).min(of(b)),
        Node::Binary(BinaryOp::Or | BinaryOp::Xor, a, b) => bits(of(a).max(of(b))),
        Node::Binary(BinaryOp::Mul, a, b) => of(a).saturating_mul(of(b)),
        Node::Binary(BinaryOp::Shl, a, b) => match d.as_constant(&b) {
            Some(count) if count < 32 => of(a).saturating_mul(1 << count),
            Some(_) | None => u64::MAX,
        },
        _ => u64::MAX,
    };
    // What does not fit wraps to any value.
    found.min(all)
}

/// The least and the greatest sum of the terms of `a` that `b` lacks.
fn rest(d: &Terms, a: &[TermId], b: &[TermId]) -> u64 {
    let mut other = b.to_vec();
    let mut total = 0_u64;
    for t in a {
        match other.iter().position(|o| o == t) {
            Some(i) => {
                other.swap_remove(i);
            }
            None => total = total.saturating_add(most(d, *t, 8)),
        }
    }
    total
}

/// How far behind `to` an address lies, at least and at most, where that is known.
pub fn between(d: &Terms, address: TermId, to: TermId) -> Option<(i64, i64)> {
    let (a, b) = (sum(d, narrow(d, address)?, &mut { MOST }), sum(d, narrow(d, to)?, &mut { MOST }));
    let (above, below) = (rest(d, &a.terms, &b.terms), rest(d, &b.terms, &a.terms));
    let (above, below) = (i64::from(u32::try_from(above).ok()?), i64::from(u32::try_from(below).ok()?));
    let (low, high) = (a.low - b.high - below, a.high - b.low + above);
    // Constants are taken modulo 2^32.
    let middle = signed(low as u128);
    let (low, high) = (middle, middle + (high - low));
    (high < 1 << 31).then_some((low, high))
}

/// The variable among some that an access lies in, whatever its address is made of besides: each with its size in bytes.
pub fn inside(d: &Terms, address: TermId, bytes: u32, variables: &[(TermId, u64)]) -> Option<TermId> {
    let of = sum(d, narrow(d, address)?, &mut { MOST });
    let (base, size) = variables.iter().find(|(v, _)| of.terms.contains(v))?;
    let above = i64::from(u32::try_from(rest(d, &of.terms, &[*base])).ok()?);
    let end = of.high + above + i64::from(bytes);
    (of.low >= 0 && end <= i64::try_from(*size).ok()?).then_some(*base)
}

/// The condition, and the choice itself, of the first choice between sums that an address is made of.
pub fn choice(d: &Terms, address: TermId) -> Option<(TermId, TermId, TermId, TermId)> {
    let mut open = vec![narrow(d, address)?];
    for _ in 0..MOST {
        let t = open.pop()?;
        match d.node(t) {
            Node::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => open.extend([b, a]),
            Node::Ite(c, a, b) => return Some((t, c, a, b)),
            _ => {}
        }
    }
    None
}

/// Whether two terms are one sum.
pub fn same(d: &Terms, a: TermId, b: TermId) -> bool {
    if d.width_of(a) != 32 {
        return false;
    }
    let (a, b) = (sum(d, a, &mut { MOST }), sum(d, b, &mut { MOST }));
    // Differences of constants modulo 2^32.
    a.terms == b.terms && a.low == a.high && b.low == b.high && (a.low - b.low) as u32 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_sums() {
        for d in [Terms::new(), Terms::raw()] {
            let (x, y, p) = (d.variable("x", 32), d.variable("y", 32), d.variable("p", 1));
            let at = |t: TermId| d.zext(&t, 64);
            let plus = |t: TermId, c: i64| d.add(&t, &d.constant(32, c as u32 as u128));
            let apart = |a: TermId, b: TermId| between(&d, at(a), at(b));
            assert_eq!(apart(plus(plus(x, -16), 8), x), Some((-8, -8)));
            assert_eq!(apart(x, y), None);
            let index = d.zext(&d.extract(&y, 0, 3), 32);
            assert_eq!(apart(d.add(&plus(x, 8), &index), x), Some((8, 15)));
            assert_eq!(apart(x, d.add(&plus(x, 8), &index)), Some((-15, -8)));
            let wide = |t: TermId| d.zext(&t, 34);
            let sum = d.add(&d.add(&wide(x), &d.constant(34, 0xffff_fff0)), &wide(d.constant(32, 4)));
            assert_eq!(apart(d.extract(&sum, 0, 32), x), Some((-12, -12)));
            let either = d.ite(&p, &plus(x, -32), &plus(x, -16));
            assert_eq!(apart(plus(either, 4), x), Some((-28, -12)));
            // A product may wrap.
            let many = d.mul(&index, &d.constant(32, 0x4000_0000));
            assert_eq!(apart(d.add(&x, &many), x), None);
            assert_eq!(inside(&d, at(d.add(&x, &index)), 1, &[(y, 64), (x, 8)]), Some(x));
            assert_eq!(inside(&d, at(d.add(&x, &index)), 2, &[(x, 8)]), None, "the last byte lies behind");
            assert_eq!(inside(&d, at(plus(x, -4)), 4, &[(x, 8)]), None);
            assert_eq!(inside(&d, at(d.add(&x, &y)), 1, &[(x, 8)]), None);
            assert!(same(&d, plus(plus(x, -16), 16), x));
            assert!(!same(&d, plus(plus(x, -16), 12), x));
            assert!(!same(&d, either, plus(x, -16)));
        }
    }
}
