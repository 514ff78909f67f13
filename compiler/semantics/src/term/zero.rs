//! Which bits of a term are zero by its form alone, simplified or not.

use super::{Node, TermId, Terms};
use crate::domain::{BinaryOp, Domain};

impl Terms {
    /// Whether so many bits from `low` upwards are zero whatever the variables are. A "no" says nothing.
    pub fn is_zero_in(&self, term: TermId, low: u32, width: u32) -> bool {
        match self.node(term) {
            Node::Constant(bits) => {
                let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
                bits.checked_shr(low).unwrap_or(0) & mask == 0
            }
            Node::Extract { low: from, a } => self.is_zero_in(a, from + low, width),
            Node::Concat(high, least) => {
                let (end, middle) = (low + width, self.width(&least));
                (low >= middle || self.is_zero_in(least, low, end.min(middle) - low))
                    && (end <= middle
                        || self.is_zero_in(high, low.max(middle) - middle, end - low.max(middle)))
            }
            Node::Zext(a) => {
                let inside = self.width(&a);
                low >= inside || self.is_zero_in(a, low, (low + width).min(inside) - low)
            }
            Node::Ite(condition, then, otherwise) => match self.as_constant(&condition) {
                Some(0) => self.is_zero_in(otherwise, low, width),
                Some(_) => self.is_zero_in(then, low, width),
                None => self.is_zero_in(then, low, width) && self.is_zero_in(otherwise, low, width),
            },
            Node::Binary(BinaryOp::And, a, b) => {
                self.is_zero_in(a, low, width) || self.is_zero_in(b, low, width)
            }
            Node::Binary(BinaryOp::Or | BinaryOp::Xor, a, b) => {
                self.is_zero_in(a, low, width) && self.is_zero_in(b, low, width)
            }
            // What lies below is not touched by what lies above.
            Node::Binary(BinaryOp::Mul, a, b) => {
                self.is_zero_in(a, 0, low + width) || self.is_zero_in(b, 0, low + width)
            }
            Node::Binary(BinaryOp::Add, a, b) => {
                self.is_zero_in(a, 0, low + width) && self.is_zero_in(b, 0, low + width)
            }
            // Nothing comes from beyond.
            Node::Binary(BinaryOp::LShr, a, _) => self.is_zero_in(a, 0, self.width(&a)),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_pair() {
        let t = Terms::new();
        let (x, zero) = (t.variable("x", 32), t.constant(32, 0));
        let pair = t.concat(&zero, &x);
        let all = |term: TermId| t.is_zero_in(term, 0, t.width(&term));
        assert!(all(t.extract(&pair, 32, 32)) && all(t.extract(&pair, 40, 8)));
        assert!(!all(t.extract(&pair, 0, 32)) && !all(t.extract(&pair, 31, 2)) && !all(pair));
        assert!(all(t.add(&t.mul(&x, &zero), &zero)));
        assert!(all(t.and(&t.extract(&pair, 32, 32), &x)) && !all(t.or(&t.extract(&pair, 32, 32), &x)));
    }
}
