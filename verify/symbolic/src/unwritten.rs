//! What rests on registers and local memory that the source never wrote.
//!
//! Nothing in the PTX ISA says what such a register holds, so that each read of it may give something else. A guard, a branch or an address that rests on it
//! has no meaning: such inputs are excluded (A-UB). A value that is stored is not excluded by this; it may be chosen (`choose.rs`).
//!
//! Whether a term rests on it is a condition, found from the operands up: for each term a *shadow* of its width, in which a bit is one where that bit
//! is open. As precise as the operation allows for bitwise operations, choices and comparisons, so that what is masked, or decided whatever the open bits
//! are, does not count; of other operations the whole result is open where an operand is.

use crate::inputs::{Inputs, NEVER};
use rustc_hash::FxHashMap;
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, CompareOp, Domain, TermId, Terms, UnaryOp};

/// A register.
pub const REGISTER: &str = NEVER[0];
/// `.param` memory of a call.
pub const PARAMETER: &str = NEVER[1];
/// Local memory.
pub const LOCAL: &str = NEVER[2];

/// Whether a value is undefined for one of these reasons.
pub fn is_never(why: &str) -> bool {
    NEVER.contains(&why)
}

/// Whether a value rests on what was never written, one bit; none if it does on no input.
pub fn rests(inputs: &Inputs<'_>, value: TermId) -> Option<TermId> {
    let d = inputs.terms;
    if inputs.is_written(value) {
        return None;
    }
    let mut shadows: FxHashMap<TermId, TermId> = FxHashMap::default();
    for id in d.topological(&[value]) {
        let shadow = match d.node(id) {
            Node::Undef { why, .. } if NEVER.contains(&why) => Some(ones(d, d.width_of(id))),
            node if node.operands().iter().any(|o| shadows.contains_key(o)) => {
                of(d, id, &node, &|t| shadows.get(&t).copied())
            }
            _ => None,
        };
        if let Some(shadow) = shadow.map(|s| inputs.normal.of(s)).filter(|s| inputs.known(*s) != Some(0)) {
            shadows.insert(id, shadow);
        }
    }
    let shadow = shadows.get(&value)?;
    let rests = inputs.normal.of(any(d, *shadow));
    (inputs.known(rests) != Some(0)).then_some(rests)
}

fn ones(d: &Terms, width: u32) -> TermId {
    d.not(&d.constant(width, 0))
}

/// Whether a bit is one, one bit.
fn any(d: &Terms, shadow: TermId) -> TermId {
    d.not(&d.eq(&shadow, &d.constant(d.width_of(shadow), 0)))
}

/// All bits, where one of a shadow is one.
fn all(d: &Terms, shadow: TermId, width: u32) -> TermId {
    d.ite(&any(d, shadow), &ones(d, width), &d.constant(width, 0))
}

fn of(d: &Terms, id: TermId, node: &Node, shadow: &dyn Fn(TermId) -> Option<TermId>) -> Option<TermId> {
    let width = d.width_of(id);
    let none = |t: TermId| d.constant(d.width_of(t), 0);
    let s = |t: TermId| shadow(t).unwrap_or_else(|| none(t));
    Some(match *node {
        Node::Unary(UnaryOp::Not, a) => s(a),
        Node::Unary(UnaryOp::Reverse, a) => d.unary(UnaryOp::Reverse, &s(a)),
        Node::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
            // A bit that decides by itself hides the other.
            let passes = |t: TermId| if op == BinaryOp::And { t } else { d.not(&t) };
            let (x, y) = (s(a), s(b));
            let left = d.and(&x, &d.or(&passes(b), &y));
            let right = d.and(&y, &d.or(&passes(a), &x));
            d.or(&left, &right)
        }
        Node::Binary(BinaryOp::Xor, a, b) => d.or(&s(a), &s(b)),
        Node::Binary(op @ (BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr), a, by) => {
            let moved = d.binary(op, &s(a), &by);
            d.or(&moved, &all(d, s(by), width))
        }
        Node::Binary(BinaryOp::Mul, a, b) => {
            // Zero times anything is zero.
            let counts = |x: TermId, other: TermId| {
                let zero = d.and(&d.eq(&other, &none(other)), &d.not(&any(d, s(other))));
                d.and(&any(d, s(x)), &d.not(&zero))
            };
            let either = d.or(&counts(a, b), &counts(b, a));
            d.ite(&either, &ones(d, width), &d.constant(width, 0))
        }
        Node::Compare(CompareOp::Eq, a, b) => {
            let open = d.or(&s(a), &s(b));
            let told = d.and(&d.xor(&a, &b), &d.not(&open));
            d.and(&any(d, open), &d.not(&any(d, told)))
        }
        Node::Compare(op, a, b) => {
            // Open bits all the one way, and all the other: signs count the other way round.
            let sign = match op {
                CompareOp::SLt | CompareOp::SLe => d.constant(d.width_of(a), 1 << (d.width_of(a) - 1)),
                _ => none(a),
            };
            let low = |t: TermId| {
                let (t, open) = (d.xor(&t, &sign), s(t));
                (d.and(&t, &d.not(&open)), d.or(&t, &open))
            };
            let ((a_low, a_high), (b_low, b_high)) = (low(a), low(b));
            let plain =
                if matches!(op, CompareOp::SLt | CompareOp::ULt) { CompareOp::ULt } else { CompareOp::ULe };
            let most = d.compare(plain, &a_low, &b_high);
            let least = d.compare(plain, &a_high, &b_low);
            d.and(&d.or(&any(d, s(a)), &any(d, s(b))), &d.xor(&most, &least))
        }
        Node::Extract { low, a } => d.extract(&s(a), low, width),
        Node::Concat(high, low) => d.concat(&s(high), &s(low)),
        Node::Zext(a) => d.zext(&s(a), width),
        Node::Sext(a) => d.sext(&s(a), width),
        Node::Ite(c, a, b) => {
            let own = d.ite(&c, &s(a), &s(b));
            match shadow(c) {
                None => own,
                Some(open) => {
                    let either = d.or(&d.xor(&a, &b), &d.or(&s(a), &s(b)));
                    d.ite(&open, &either, &own)
                }
            }
        }
        _ => {
            let open = node
                .operands()
                .iter()
                .filter_map(|o| shadow(*o))
                .map(|o| any(d, o))
                .fold(d.no(), |x, y| d.or(&x, &y));
            d.ite(&open, &ones(d, width), &d.constant(width, 0))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sassafras_normal::Normal;
    use sassafras_semantics::Concrete;

    /// The condition of a term with two registers: `x` that was written, and `u` that was not.
    fn condition(make: impl Fn(&Terms, TermId, TermId) -> TermId, x: u128) -> bool {
        let terms = Terms::new();
        let inputs = Inputs::new(&terms, Normal::boxed(&terms));
        let (a, u) = (terms.variable("x", 8), terms.undef(8, REGISTER));
        match rests(&inputs, make(&terms, a, u)) {
            None => false,
            Some(t) => terms.evaluate(&Concrete::default(), t, |v| if v == a { x } else { 0x5a }).is_true(),
        }
    }

    /// Whether some two values of `u` tell.
    fn tells(make: impl Fn(&Terms, TermId, TermId) -> TermId, x: u128) -> bool {
        let terms = Terms::raw();
        let (a, u) = (terms.variable("x", 8), terms.variable("u", 8));
        let t = make(&terms, a, u);
        let of = |own: u128| terms.evaluate(&Concrete::default(), t, |v| if v == a { x } else { own }).bits();
        (1..256).any(|own| of(own) != of(0))
    }

    #[test]
    fn single_operations_rest_on_what_was_not_written_exactly_where_it_tells() {
        type Make = fn(&Terms, TermId, TermId) -> TermId;
        let all: [Make; 11] = [
            |d, x, u| d.compare(CompareOp::ULe, &x, &u),
            |d, x, u| d.compare(CompareOp::ULt, &u, &x),
            |d, x, u| d.compare(CompareOp::SLe, &x, &u),
            |d, x, u| d.compare(CompareOp::SLt, &x, &u),
            |d, x, u| d.eq(&x, &u),
            |d, x, u| d.eq(&d.and(&u, &d.constant(8, 0xf0)), &x),
            |d, x, u| d.and(&x, &u),
            |d, x, u| d.or(&x, &u),
            |d, x, u| d.mul(&x, &u),
            |d, x, u| d.ite(&d.compare(CompareOp::ULt, &x, &d.constant(8, 9)), &u, &x),
            |d, x, u| d.ite(&d.eq(&u, &d.constant(8, 3)), &x, &d.constant(8, 7)),
        ];
        for (i, make) in all.into_iter().enumerate() {
            for x in 0..256 {
                assert_eq!(condition(make, x), tells(make, x), "operation {i}, x = {x}");
            }
        }
    }

    #[test]
    fn what_is_written_is_not_open() {
        assert!(!condition(|d, x, _| d.eq(&x, &d.constant(8, 3)), 3));
        assert!(!condition(|d, x, u| d.eq(&d.and(&u, &d.constant(8, 0)), &x), 3));
    }
}
