//! A term's value under an assignment, by the concrete home.

use super::{Node, TermId, Terms};
use crate::concrete::{Bits, Concrete};
use crate::domain::Domain;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The value of a node that is not free, from its operands' values.
pub(super) fn node(d: &Concrete, node: &Node, width: u32, args: &[Bits]) -> Bits {
    match node {
        Node::Constant(bits) => Bits::new(width, *bits),
        Node::Variable(_) | Node::Undef { .. } => unreachable!("free terms have no value of their own"),
        Node::Unary(op, _) => d.unary(*op, &args[0]),
        Node::Binary(op, ..) => d.binary(*op, &args[0], &args[1]),
        Node::Compare(op, ..) => d.compare(*op, &args[0], &args[1]),
        Node::Extract { low, .. } => d.extract(&args[0], *low, width),
        Node::Concat(..) => d.concat(&args[0], &args[1]),
        Node::Zext(_) => d.zext(&args[0], width),
        Node::Sext(_) => d.sext(&args[0], width),
        Node::Ite(..) => d.ite(&args[0], &args[1], &args[2]),
        Node::Float { op, format, mode, .. } => {
            let args: SmallVec<[&Bits; 3]> = args.iter().collect();
            d.float(*op, *format, *mode, &args)
        }
        Node::FloatRelation { relation, format, ftz, .. } => {
            d.float_relation(*relation, *format, *ftz, &args[0], &args[1])
        }
        Node::FloatToFloat { from, to, mode, .. } => d.float_to_float(*from, *to, *mode, &args[0]),
        Node::FloatToInt { from, signed, mode, nan, .. } => {
            d.float_to_int(*from, *signed, width, *mode, *nan, &args[0])
        }
        Node::IntToFloat { signed, to, mode, .. } => d.int_to_float(*signed, *to, *mode, &args[0]),
        Node::Approximate { function, ftz, .. } => d.approximate(*function, *ftz, &args[0]),
    }
}

impl Terms {
    /// The value of a node that is neither a variable nor undefined, from its operands' values.
    pub fn apply(d: &Concrete, n: &Node, width: u32, operands: &[Bits]) -> Bits {
        node(d, n, width, operands)
    }

    /// The values of all terms of `order` (as [`Terms::topological`] gives it). `free` gives the bits of each variable and
    /// undefined value, taken modulo 2^width.
    pub fn evaluate_all(
        &self,
        d: &Concrete,
        order: &[TermId],
        mut free: impl FnMut(TermId) -> u128,
    ) -> FxHashMap<TermId, Bits> {
        let mut values = FxHashMap::default();
        for &id in order {
            let (n, width) = (self.node(id), self.width_of(id));
            let value = if n.is_free() {
                Bits::new(width, free(id))
            } else {
                let args: SmallVec<[Bits; 3]> = n.operands().iter().map(|a| values[a]).collect();
                node(d, &n, width, &args)
            };
            values.insert(id, value);
        }
        values
    }

    /// The value of one term.
    pub fn evaluate(&self, d: &Concrete, root: TermId, free: impl FnMut(TermId) -> u128) -> Bits {
        self.evaluate_all(d, &self.topological(&[root]), free)[&root]
    }
}
