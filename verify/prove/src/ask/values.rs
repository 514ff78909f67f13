//! Every value: what depends on few bits of its inputs is evaluated on all of them; what rests on a number of few bits, such as one that selects
//! a way, or on functions of it, is looked at for each of its values.
//!
//! Assumptions are left out, and undefined values are inputs like others: what holds on all values holds under any assumption.

use super::local::Local;
use super::sweep::merge;
use rustc_hash::FxHashMap;
use sassafras_semantics::concrete::Bits;
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp as B, Concrete, Domain, FloatFormat, TermId, Terms, UnaryOp as U};
use smallvec::SmallVec;

/// Most bits that a part may depend on.
const MOST: u32 = 16;
/// Most operations that are evaluated for one part: on all values together.
const WORK: usize = 1 << 22;

/// Most bits of a number that selects.
const SELECTS: u32 = 5;
/// Fewest terms that are functions of such a number.
const USERS: usize = 3;
/// Most terms of a part that is looked at for each value.
const LARGEST: usize = 1000;
/// Most terms that are made so for one question, all values of all parts together: each stays in its arena.
const MADE: usize = 1 << 16;

/// Parts without those that are zero on every value of the bits that they depend on, and without those that nothing is left of for each value
/// of a number that selects.
pub(super) fn excluded(local: &Local, parts: &[TermId]) -> Vec<TermId> {
    let d = &*local.terms;
    let mut left = MADE;
    let mut none =
        |part: TermId| d.as_constant(&part).is_none() && (never(d, part) || selected(local, part, &mut left));
    parts.iter().map(|p| if none(*p) { d.no() } else { *p }).collect()
}

/// Whether nothing is left of a part for each value of the few bits of one term that most of its terms are made of. That other terms are made of
/// the same bits is not used: they are free.
fn selected(local: &Local, part: TermId, left: &mut usize) -> bool {
    let d = &*local.terms;
    let order = d.topological(&[part]);
    if order.len() > LARGEST {
        return false;
    }
    let Some((of, mask)) = selecting(d, &order) else { return false };
    let Some(rest) = left.checked_sub(order.len() << mask.count_ones()) else { return false };
    *left = rest;
    (0..1u128 << mask.count_ones()).all(|mut value| {
        let value = spread(&mut value, mask);
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        for t in &order {
            let node = d.node(*t);
            let new = match few_bits(d, *t) {
                Some(bits) if bits.0 == of && bits.1 & !mask == 0 => {
                    d.constant(d.width_of(*t), (value & bits.1) >> bits.2)
                }
                _ if node.is_free() => *t,
                _ => d.make(node.map(|o| map[&o]), d.width_of(*t)),
            };
            map.insert(*t, new);
        }
        merge(local, &[map[&part]]).iter().all(|t| d.as_constant(t) == Some(0))
    })
}

/// A term, and few of its bits, that most of some terms are functions of: of those alone. Operands come before users.
fn selecting(d: &Terms, order: &[TermId]) -> Option<(TermId, u128)> {
    // Of which term's bits each is a function; none for more than a few bits, or those of two terms.
    let mut made: FxHashMap<TermId, Option<(TermId, u128)>> = FxHashMap::default();
    let mut users: FxHashMap<(TermId, u128), usize> = FxHashMap::default();
    let joined = |a: (TermId, u128), b: (TermId, u128)| {
        let mask = a.1 | b.1;
        (a.0 == b.0 && mask.count_ones() <= SELECTS).then_some((a.0, mask))
    };
    for t in order.iter().filter(|t| d.as_constant(t).is_none()) {
        let operands = d.node(*t).operands();
        let mut of =
            operands.iter().filter(|o| d.as_constant(o).is_none()).map(|o| made.get(o).copied().flatten());
        let bits = match few_bits(d, *t) {
            Some((of, mask, _)) => Some((of, mask)),
            None => of.next().flatten().and_then(|first| of.try_fold(first, |all, o| joined(all, o?))),
        };
        made.insert(*t, bits);
        if let Some(bits) = bits {
            *users.entry(bits).or_default() += 1;
        }
    }
    let within = |(of, mask): (TermId, u128)| {
        let here = users.iter().filter(|((other, bits), _)| *other == of && bits & !mask == 0);
        here.map(|(_, count)| count).sum::<usize>()
    };
    let all = users.keys().map(|bits| (within(*bits), *bits));
    all.filter(|(count, _)| *count >= USERS).max().map(|(_, bits)| bits)
}

/// The term and the bits of it that a term is made of, if they are few, and how many places lower they stand in it.
fn few_bits(d: &Terms, t: TermId) -> Option<(TermId, u128, u32)> {
    let (of, mask, low) = match d.node(t) {
        Node::Binary(B::And, a, b) => match (d.as_constant(&a), d.as_constant(&b)) {
            (_, Some(mask)) => (a, mask, 0),
            (Some(mask), _) => (b, mask, 0),
            _ => return None,
        },
        Node::Extract { low, a } => (a, ones(d.width_of(t)) << low, low),
        _ => return None,
    };
    (1..=SELECTS).contains(&mask.count_ones()).then_some((of, mask, low))
}

/// Whether a term of one bit is zero on every value.
fn never(d: &Terms, part: TermId) -> bool {
    let order = d.topological(&[part]);
    let inputs = support(d, &order);
    let bits: u32 = inputs.iter().map(|(_, mask)| mask.count_ones()).sum();
    if bits > MOST || order.len() << bits > WORK {
        return false;
    }
    let at = |t: &TermId| order.partition_point(|o| o < t);
    let steps: Vec<Step> = order
        .iter()
        .map(|t| {
            let (node, width) = (d.node(*t), d.width_of(*t));
            let operands = node.operands().iter().map(at).collect();
            Step { node, width, operands }
        })
        .collect();
    if !steps.iter().all(|s| is_exact(&s.node)) {
        return false;
    }
    let home = Concrete::default();
    let mut values: Vec<Bits> = steps.iter().map(|s| Bits::new(s.width, 0)).collect();
    (0..1u128 << bits).all(|number| {
        let mut rest = number;
        for (input, mask) in &inputs {
            values[at(input)] = Bits::new(d.width_of(*input), spread(&mut rest, *mask));
        }
        for i in 0..steps.len() {
            let Step { node, width, operands } = &steps[i];
            if node.is_free() {
                continue;
            }
            let of: SmallVec<[Bits; 3]> = operands.iter().map(|o| values[*o]).collect();
            let value = Terms::apply(&home, node, *width, &of);
            if is_nan(node, value.bits()) {
                return false;
            }
            values[i] = value;
        }
        values.last().is_some_and(|v| v.bits() == 0)
    })
}

/// A term, and where its operands are.
struct Step {
    node: Node,
    width: u32,
    operands: SmallVec<[usize; 3]>,
}

/// Whether a value follows from the operands': an approximation's does not. Floats of one format alone are looked at.
fn is_exact(node: &Node) -> bool {
    match node {
        Node::Approximate { .. } => false,
        Node::Float { format: to, .. } | Node::FloatToFloat { to, .. } => *to == FloatFormat::F32,
        _ => true,
    }
}

/// Whether a number of binary32 that was computed is a NaN, which may have another payload.
fn is_nan(node: &Node, bits: u128) -> bool {
    let computed = matches!(node, Node::Float { .. } | Node::FloatToFloat { .. });
    computed && bits & 0x7fff_ffff > 0x7f80_0000
}

/// The lowest bits of a number, as many as a mask has ones, in the places of these; what is left of the number.
fn spread(number: &mut u128, mut mask: u128) -> u128 {
    let mut value = 0;
    while mask != 0 {
        value |= (*number & 1) << mask.trailing_zeros();
        *number >>= 1;
        mask &= mask - 1;
    }
    value
}

fn ones(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The free terms that the last of some terms, one bit, depends on; and on which of their bits. Operands come before users.
fn support(d: &Terms, order: &[TermId]) -> Vec<(TermId, u128)> {
    let at = |t: &TermId| order.partition_point(|o| o < t);
    let mut demanded = vec![0u128; order.len()];
    if let Some(last) = demanded.last_mut() {
        *last = 1;
    }
    for i in (0..order.len()).rev() {
        let mask = demanded[i];
        if mask == 0 {
            continue;
        }
        let mut demand = |t: TermId, mask: u128| demanded[at(&t)] |= mask & ones(d.width_of(t));
        let constant = |t: TermId| d.as_constant(&t).unwrap_or(u128::MAX);
        match d.node(order[i]) {
            Node::Extract { low, a } => demand(a, mask << low),
            Node::Zext(a) | Node::Unary(U::Not, a) => demand(a, mask),
            Node::Concat(h, l) => {
                demand(l, mask);
                demand(h, mask.checked_shr(d.width_of(l)).unwrap_or(0));
            }
            Node::Binary(B::And, a, b) => {
                demand(a, mask & constant(b));
                demand(b, mask & constant(a));
            }
            Node::Binary(B::Or | B::Xor, a, b) => {
                demand(a, mask);
                demand(b, mask);
            }
            Node::Ite(c, a, b) => {
                demand(c, 1);
                demand(a, mask);
                demand(b, mask);
            }
            node => node.operands().into_iter().for_each(|o| demand(o, u128::MAX)),
        }
    }
    let free = |(t, mask): (&TermId, &u128)| (*mask != 0 && d.node(*t).is_free()).then_some((*t, *mask));
    order.iter().zip(&demanded).filter_map(free).collect()
}
