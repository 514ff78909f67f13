//! Addresses that depend on one number alone, read off their form: terms that are not simplified show it too.

use crate::inputs::Inputs;
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, Domain, TermId, UnaryOp};

/// The low 32 bits of a term as `factor * number + rest`; none if its form does not show that.
pub(super) fn affine(inputs: &Inputs<'_>, term: TermId, number: TermId) -> Option<(u32, u32)> {
    if term == number {
        return Some((1, 0));
    }
    if let Some(bits) = inputs.known(term) {
        return Some((0, bits as u32));
    }
    let of = |t: TermId| affine(inputs, t, number);
    let wide = |t: TermId| inputs.terms.width(&t) >= 32;
    match inputs.terms.node(term) {
        Node::Extract { low: 0, a } | Node::Zext(a) | Node::Sext(a) | Node::Concat(_, a) if wide(a) => of(a),
        Node::Unary(UnaryOp::Neg, a) => of(a).map(|(f, r)| (f.wrapping_neg(), r.wrapping_neg())),
        Node::Binary(op, a, b) => {
            let ((f, r), (g, s)) = (of(a)?, of(b)?);
            match op {
                BinaryOp::Add => Some((f.wrapping_add(g), r.wrapping_add(s))),
                BinaryOp::Sub => Some((f.wrapping_sub(g), r.wrapping_sub(s))),
                BinaryOp::Mul if g == 0 => Some((f.wrapping_mul(s), r.wrapping_mul(s))),
                BinaryOp::Mul if f == 0 => Some((g.wrapping_mul(r), s.wrapping_mul(r))),
                _ => None,
            }
        }
        Node::Ite(condition, then, otherwise) => match inputs.known(condition)? {
            0 => of(otherwise),
            _ => of(then),
        },
        _ => None,
    }
}
