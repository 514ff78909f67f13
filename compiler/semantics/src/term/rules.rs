//! The simplifications made when a term is built: one named row each, tried in order. A rule is cheap, makes its operands no
//! larger, and holds for every width it applies to; the tests evaluate each on random operands.

use super::{Node, TermId, Terms};
use crate::concrete::mask;
use crate::domain::{BinaryOp as B, CompareOp as C, Domain, FloatOp, UnaryOp as U};

/// A rule: the term that equals the node, if the rule applies.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub doc: &'static str,
    /// Applies it to a node of a width in bits.
    pub apply: fn(&Terms, &Node, u32) -> Option<TermId>,
}

/// All rules.
pub const RULES: &[Rule] = &[
    Rule {
        name: "commute",
        doc: "operands of a commutative operation: by id, a constant last",
        apply: commute,
    },
    Rule { name: "unary-twice", doc: "not not x, neg neg x, reverse reverse x = x", apply: unary_twice },
    Rule {
        name: "constant-operand",
        doc: "x+0, x·1, x·0, x&0, x&-1, x|0, x|-1, x^0, x^-1, shifts by 0",
        apply: constant,
    },
    Rule {
        name: "equal-operands",
        doc: "x-x, x^x = 0; x&x, x|x = x; x=x; not x<x; x<=x",
        apply: equal_operands,
    },
    Rule { name: "sub-constant", doc: "x - c = x + (-c)", apply: sub_constant },
    Rule {
        name: "associate-constants",
        doc: "(x ∘ c) ∘ d = x ∘ (c ∘ d) for +, ·, &, |, ^",
        apply: associate,
    },
    Rule { name: "extract-all", doc: "all bits of x = x", apply: extract_all },
    Rule { name: "extract-extract", doc: "bits of bits", apply: extract_extract },
    Rule {
        name: "extract-concat",
        doc: "bits that lie in one part of a concatenation",
        apply: extract_concat,
    },
    Rule {
        name: "extract-extension",
        doc: "bits that lie below or above the operand of an extension",
        apply: extract_ext,
    },
    Rule { name: "concat-adjacent", doc: "adjacent bits of one value, joined", apply: concat_adjacent },
    Rule { name: "concat-zero", doc: "zeros above x = zero extension", apply: concat_zero },
    Rule {
        name: "extend-twice",
        doc: "zext zext, sext sext, sext zext as one extension",
        apply: extend_twice,
    },
    Rule { name: "ite-known", doc: "a constant condition, or two equal arms", apply: ite_known },
    Rule { name: "ite-not", doc: "a negated condition swaps the arms", apply: ite_not },
    Rule { name: "ite-boolean", doc: "c ? 1 : 0 = c for one bit", apply: ite_boolean },
    Rule { name: "eq-boolean", doc: "x = 1 is x, x = 0 is not x, for one bit", apply: eq_boolean },
];

impl Terms {
    fn pair(&self, op: B, a: TermId, b: TermId) -> TermId {
        self.binary(op, &a, &b)
    }
}

fn commutes(op: B) -> bool {
    matches!(op, B::Add | B::Mul | B::And | B::Or | B::Xor)
}

/// Whether two operands are in the wrong order.
fn misplaced(t: &Terms, a: TermId, b: TermId) -> bool {
    match (t.as_constant(&a).is_some(), t.as_constant(&b).is_some()) {
        (true, false) => true,
        (false, true) => false,
        _ => a > b,
    }
}

fn commute(t: &Terms, n: &Node, width: u32) -> Option<TermId> {
    match n {
        Node::Binary(op, a, b) if commutes(*op) && misplaced(t, *a, *b) => Some(t.pair(*op, *b, *a)),
        Node::Compare(C::Eq, a, b) if misplaced(t, *a, *b) => Some(t.eq(b, a)),
        Node::Float { op, format, mode, args } => {
            let symmetric = matches!(
                op,
                FloatOp::Add
                    | FloatOp::Mul
                    | FloatOp::Fma
                    | FloatOp::Min
                    | FloatOp::Max
                    | FloatOp::MinNan
                    | FloatOp::MaxNan
            );
            if !symmetric || !misplaced(t, args[0], args[1]) {
                return None;
            }
            let mut args = args.clone();
            args.swap(0, 1);
            Some(t.make(Node::Float { op: *op, format: *format, mode: *mode, args }, width))
        }
        _ => None,
    }
}

fn unary_twice(t: &Terms, n: &Node, _: u32) -> Option<TermId> {
    let Node::Unary(op @ (U::Not | U::Neg | U::Reverse), a) = n else { return None };
    match t.node(*a) {
        Node::Unary(inner, x) if inner == *op => Some(x),
        _ => None,
    }
}

fn constant(t: &Terms, n: &Node, width: u32) -> Option<TermId> {
    let Node::Binary(op, a, b) = n else { return None };
    let c = t.as_constant(b)?;
    let ones = mask(width);
    match op {
        B::Add | B::Sub | B::Or | B::Xor | B::Shl | B::LShr | B::AShr if c == 0 => Some(*a),
        B::Mul | B::UDiv | B::SDiv if c == 1 && width > 1 => Some(*a),
        B::Mul | B::And if c == 0 => Some(*b),
        B::And if c == ones => Some(*a),
        B::Or if c == ones => Some(*b),
        B::Xor if c == ones => Some(t.not(a)),
        B::Shl | B::LShr if c >= u128::from(width) => Some(t.constant(width, 0)),
        _ => None,
    }
}

fn equal_operands(t: &Terms, n: &Node, width: u32) -> Option<TermId> {
    match n {
        Node::Binary(B::Sub | B::Xor, a, b) if a == b => Some(t.constant(width, 0)),
        Node::Binary(B::And | B::Or, a, b) if a == b => Some(*a),
        Node::Compare(C::Eq | C::ULe | C::SLe, a, b) if a == b => Some(t.yes()),
        Node::Compare(C::ULt | C::SLt, a, b) if a == b => Some(t.no()),
        _ => None,
    }
}

fn sub_constant(t: &Terms, n: &Node, width: u32) -> Option<TermId> {
    let Node::Binary(B::Sub, a, b) = n else { return None };
    let c = t.as_constant(b)?;
    Some(t.add(a, &t.constant(width, c.wrapping_neg())))
}

fn associate(t: &Terms, n: &Node, _: u32) -> Option<TermId> {
    let Node::Binary(op, a, b) = n else { return None };
    if !commutes(*op) {
        return None;
    }
    t.as_constant(b)?;
    match t.node(*a) {
        Node::Binary(inner, x, c) if inner == *op && t.as_constant(&c).is_some() => {
            Some(t.pair(*op, x, t.pair(*op, c, *b)))
        }
        _ => None,
    }
}

fn extract_all(t: &Terms, n: &Node, width: u32) -> Option<TermId> {
    match n {
        Node::Extract { low: 0, a } if t.width_of(*a) == width => Some(*a),
        _ => None,
    }
}

fn extract_extract(t: &Terms, n: &Node, width: u32) -> Option<TermId> {
    let Node::Extract { low, a } = n else { return None };
    match t.node(*a) {
        Node::Extract { low: inner, a: x } => Some(t.extract(&x, low + inner, width)),
        _ => None,
    }
}

fn extract_concat(t: &Terms, n: &Node, width: u32) -> Option<TermId> {
    let Node::Extract { low, a } = n else { return None };
    let Node::Concat(h, l) = t.node(*a) else { return None };
    let split = t.width_of(l);
    if low + width <= split {
        Some(t.extract(&l, *low, width))
    } else if *low >= split {
        Some(t.extract(&h, low - split, width))
    } else {
        None
    }
}

fn extract_ext(t: &Terms, n: &Node, width: u32) -> Option<TermId> {
    let Node::Extract { low, a } = n else { return None };
    let (x, zero) = match t.node(*a) {
        Node::Zext(x) => (x, true),
        Node::Sext(x) => (x, false),
        _ => return None,
    };
    let inner = t.width_of(x);
    if low + width <= inner {
        Some(t.extract(&x, *low, width))
    } else if *low >= inner && zero {
        Some(t.constant(width, 0))
    } else if *low == 0 {
        Some(if zero { t.zext(&x, width) } else { t.sext(&x, width) })
    } else {
        None
    }
}

fn concat_adjacent(t: &Terms, n: &Node, width: u32) -> Option<TermId> {
    let Node::Concat(h, l) = n else { return None };
    match (t.node(*h), t.node(*l)) {
        (Node::Extract { low: hi, a: x }, Node::Extract { low: lo, a: y })
            if x == y && hi == lo + t.width_of(*l) =>
        {
            Some(t.extract(&x, lo, width))
        }
        _ => None,
    }
}

fn concat_zero(t: &Terms, n: &Node, width: u32) -> Option<TermId> {
    let Node::Concat(h, l) = n else { return None };
    (t.as_constant(h) == Some(0)).then(|| t.zext(l, width))
}

fn extend_twice(t: &Terms, n: &Node, width: u32) -> Option<TermId> {
    match n {
        Node::Zext(a) => match t.node(*a) {
            Node::Zext(x) => Some(t.zext(&x, width)),
            _ => None,
        },
        Node::Sext(a) => match t.node(*a) {
            Node::Sext(x) => Some(t.sext(&x, width)),
            Node::Zext(x) => Some(t.zext(&x, width)),
            _ => None,
        },
        _ => None,
    }
}

fn ite_known(t: &Terms, n: &Node, _: u32) -> Option<TermId> {
    let Node::Ite(c, a, b) = n else { return None };
    match t.as_constant(c) {
        Some(0) => Some(*b),
        Some(_) => Some(*a),
        None => (a == b).then_some(*a),
    }
}

fn ite_not(t: &Terms, n: &Node, _: u32) -> Option<TermId> {
    let Node::Ite(c, a, b) = n else { return None };
    match t.node(*c) {
        Node::Unary(U::Not, x) => Some(t.ite(&x, b, a)),
        _ => None,
    }
}

fn ite_boolean(t: &Terms, n: &Node, width: u32) -> Option<TermId> {
    let Node::Ite(c, a, b) = n else { return None };
    if width != 1 {
        return None;
    }
    match (t.as_constant(a), t.as_constant(b)) {
        (Some(1), Some(0)) => Some(*c),
        (Some(0), Some(1)) => Some(t.not(c)),
        _ => None,
    }
}

fn eq_boolean(t: &Terms, n: &Node, _: u32) -> Option<TermId> {
    let Node::Compare(C::Eq, a, b) = n else { return None };
    if t.width_of(*a) != 1 {
        return None;
    }
    match t.as_constant(b)? {
        0 => Some(t.not(a)),
        _ => Some(*a),
    }
}
