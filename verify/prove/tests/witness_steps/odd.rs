//! Terms that nobody writes.

use crate::learned::{Learned, Writer};
use crate::pair::{Pair, Said};
use sassafras_semantics::term::Node;
use sassafras_semantics::{
    BinaryOp as B, Bits, Concrete, FloatFormat, FloatMode, FloatOp, FloatRelation, Rounding, TermId, Terms,
};
use sassafras_witness::rewrite::Made;
use std::collections::BTreeMap;

/// All operations on floats, formats, modes and widths of integers, of some operands by their width.
fn odd(of: impl Fn(u32) -> u32) -> Vec<Made> {
    use FloatFormat::{Bf16, F16, F32, F64};
    let id = |w: u32| TermId(of(w));
    let mut all = Vec::new();
    let roundings =
        [Rounding::NearestEven, Rounding::Zero, Rounding::Down, Rounding::Up, Rounding::NearestAway];
    for (format, rounding) in [F16, Bf16, F32, F64].into_iter().flat_map(|f| roundings.map(|r| (f, r))) {
        for (ftz, sat) in [(false, false), (true, false), (false, true), (true, true)] {
            let (mode, w) = (FloatMode { rounding, ftz, sat }, format.width());
            for (op, count) in [
                (FloatOp::Add, 2),
                (FloatOp::Mul, 2),
                (FloatOp::Fma, 3),
                (FloatOp::Div, 2),
                (FloatOp::Sqrt, 1),
                (FloatOp::Min, 2),
                (FloatOp::MaxNan, 2),
                (FloatOp::RoundToIntegral, 1),
            ] {
                let args = (0..count).map(|_| id(w)).collect();
                all.push(Made { node: Node::Float { op, format, mode, args }, width: w });
            }
            for to in [F16, Bf16, F32, F64] {
                all.push(Made {
                    node: Node::FloatToFloat { from: format, to, mode, a: id(w) },
                    width: to.width(),
                });
            }
            for (signed, width) in
                [false, true].into_iter().flat_map(|s| [1, 2, 7, 33, 63, 64].map(|w| (s, w)))
            {
                let node = Node::FloatToInt { from: format, signed, mode, nan: u64::MAX, a: id(w) };
                // No integer with a sign has one bit: see `signed_bit`.
                if !signed || width > 1 {
                    all.push(Made { node, width });
                }
            }
            for (signed, width) in [false, true].into_iter().flat_map(|s| [1, 7, 64, 65, 128].map(|w| (s, w)))
            {
                all.push(Made {
                    node: Node::IntToFloat { signed, to: format, mode, a: id(width) },
                    width: w,
                });
            }
        }
    }
    for (format, ftz) in [F16, Bf16, F32, F64].into_iter().flat_map(|f| [(f, false), (f, true)]) {
        for relation in [FloatRelation::Eq, FloatRelation::Lt, FloatRelation::Le, FloatRelation::Unordered] {
            let args = [id(format.width()); 2];
            all.push(Made { node: Node::FloatRelation { relation, format, ftz, args }, width: 1 });
        }
    }
    all
}

/// Widths of operands of these.
const WIDTHS: [u32; 9] = [1, 7, 16, 32, 33, 64, 65, 127, 128];

/// Steps about all of them, on numbers whose bits are these, and on what may be anything.
pub fn operations(known: &Learned, bits: Option<u128>) -> Writer {
    let mut w = Writer::new(known);
    let free = TermId(known.free(64)[0]);
    let two = w.make(Node::Concat(free, free), 128);
    let mut operand = |width: u32| match bits {
        Some(bits) => w.constant(bits & (u128::MAX >> (128 - width)), width),
        None => w.make(Node::Extract { low: 0, a: TermId(two) }, width),
    };
    let operands: BTreeMap<u32, u32> = WIDTHS.into_iter().map(|width| (width, operand(width))).collect();
    for made in odd(|width| operands[&width]) {
        let t = w.make(made.node, made.width);
        w = w.step(t, t, &[], &[], false);
    }
    w
}

/// The step that no operation on some numbers, which a solver has to find out to be these, is what the concrete home says. If it
/// is taken, what is known of operations contradicts what they are on numbers.
pub fn contradiction(known: &Learned, bits: u128) -> Writer {
    let mut w = Writer::new(known);
    let free = TermId(known.free(64)[0]);
    let two = w.make(Node::Concat(free, free), 128);
    let mut operands: BTreeMap<u32, (u32, Bits)> = BTreeMap::new();
    for width in WIDTHS {
        let value = bits & (u128::MAX >> (128 - width));
        let part = w.make(Node::Extract { low: 0, a: TermId(two) }, width);
        let (nothing, number) = (w.binary(B::Xor, part, part, width), w.constant(value, width));
        operands.insert(width, (w.binary(B::Or, nothing, number, width), Bits::new(width, value)));
    }
    let mut all = w.constant(1, 1);
    for made in odd(|width| operands[&width].0) {
        let values: Vec<Bits> = made
            .node
            .operands()
            .iter()
            .map(|o| operands.values().find(|v| v.0 == o.0).expect("it is one").1)
            .collect();
        let value = Terms::apply(&Concrete::default(), &made.node, made.width, &values);
        let (t, number) = (w.make(made.node, made.width), w.constant(value.bits(), made.width));
        let same = w.make(Node::Compare(sassafras_semantics::CompareOp::Eq, TermId(t), TermId(number)), 1);
        all = w.binary(B::And, all, same, 1);
    }
    let nothing = w.constant(0, 1);
    w.step(all, nothing, &[], &[], false)
}

/// What the checker says of a term that is made of itself so many times over.
pub fn nested(
    pair: &mut Pair,
    known: &Learned,
    depth: u32,
    next: impl Fn(TermId) -> Node,
    squared: bool,
) -> Said {
    let mut w = Writer::new(known);
    let free = known.free(64)[0];
    let mut t = (0..depth).fold(free, |t, _| w.make(next(TermId(t)), 64));
    if squared {
        t = w.binary(B::Mul, t, t, 64);
    }
    pair.said(&w.step(free, t, &[], &[], false).0)
}

/// A number as an integer with a sign and nothing else.
pub fn signed_bit(known: &Learned) -> Writer {
    let mut w = Writer::new(known);
    let a = TermId(w.constant(0x3f80_0000, 32));
    let (from, mode) = (FloatFormat::F32, FloatMode::default());
    let t = w.make(Node::FloatToInt { from, signed: true, mode, nan: 0, a }, 1);
    w.step(t, t, &[], &[], false)
}
