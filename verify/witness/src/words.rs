//! Long words are equal if each of their words is, and what is joined by "or" is asked about one by one.

use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, CompareOp, Domain, TermId, Terms};

/// Bits of what is compared by itself.
pub const WORD: u32 = 32;

/// Most conditions of which each case is asked about by itself.
const CASES: usize = 3;

/// Most questions in place of one.
const MOST: usize = 16;

/// A condition in parts, of which one can hold if it can: each of what is joined by "or" with what else has to hold, and of that once for each word of
/// what long words are compared in it, with these words compared alone. None where it has one part.
pub(super) fn by_words(d: &Terms, t: TermId) -> Vec<TermId> {
    let mut all = either(d, t);
    loop {
        let further = |t: &TermId| {
            let words = of_longest(d, *t);
            if words.is_empty() { vec![*t] } else { words }
        };
        let next: Vec<TermId> = all.iter().flat_map(further).collect();
        if next.len() == all.len() || next.len() > MOST {
            return if all == [t] { Vec::new() } else { all };
        }
        all = next;
    }
}

/// Each of what a condition joins by "or", with what else has to hold; the condition itself where that is one, or many.
fn either(d: &Terms, t: TermId) -> Vec<TermId> {
    let mut all: FxHashMap<TermId, Vec<TermId>> = FxHashMap::default();
    for t in conditions(d, t) {
        let node = d.node(t);
        let parts: Vec<TermId> = match &node {
            Node::Binary(BinaryOp::Or, a, b) if decides(d, &node) => [&all[a][..], &all[b]].concat(),
            Node::Binary(BinaryOp::And, a, b) if decides(d, &node) => {
                let with = |x: &TermId| all[b].iter().map(|y| d.and(x, y)).collect::<Vec<_>>();
                all[a].iter().flat_map(with).collect()
            }
            _ => vec![t],
        };
        all.insert(t, if parts.len() > 1 && parts.len() <= MOST { parts } else { vec![t] });
    }
    all.remove(&t).unwrap_or_default()
}

/// The same for the longest words alone: of them one differs if the long ones do, and none otherwise. What the first side puts together of parts is
/// taken apart there too.
fn of_longest(d: &Terms, t: TermId) -> Vec<TermId> {
    let conditions = conditions(d, t);
    let compared = |t: &TermId| match d.node(*t) {
        Node::Compare(CompareOp::Eq, a, b) if lowest(d, a) < d.width_of(a) => Some((d.width_of(a), *t, a, b)),
        _ => None,
    };
    let Some((width, comparison, a, b)) = conditions.iter().filter_map(compared).max() else {
        return Vec::new();
    };
    let alone = |(low, width): (u32, u32)| {
        let one = d.eq(&bits(d, a, low, width), &bits(d, b, low, width));
        let mut done: FxHashMap<TermId, TermId> = [(comparison, one)].into_iter().collect();
        for &t in &conditions {
            if !done.contains_key(&t) {
                let node = d.node(t);
                let new = if decides(d, &node) { d.make(node.map(|o| done[&o]), 1) } else { t };
                done.insert(t, new);
            }
        }
        done[&t]
    };
    let first = lowest(d, a);
    let words = (0..width).step_by(WORD as usize).map(|low| (low, WORD.min(width - low)));
    let parts = if first < WORD { vec![(0, first), (first, width - first)] } else { words.collect() };
    parts.into_iter().map(alone).collect()
}

/// Bits of what is asked about first of a word: of a long one a word, of one that is put together of parts the lowest.
fn lowest(d: &Terms, t: TermId) -> u32 {
    let low = match d.node(t) {
        Node::Concat(_, l) => d.width_of(l),
        _ => WORD,
    };
    if d.width_of(t) > WORD { WORD } else { low.min(d.width_of(t)) }
}

/// What some conditions may be together, by which the words in one are chosen: each case as bits that are one. One case without any where there are
/// none, or many.
pub(super) fn cases(d: &Terms, t: TermId) -> Vec<Vec<TermId>> {
    let chosen = |t: TermId| match d.node(t) {
        Node::Ite(c, ..) if d.width_of(t) > 1 && d.as_constant(&c).is_none() => Some(c),
        _ => None,
    };
    let mut conditions: Vec<TermId> = d.topological(&[t]).into_iter().filter_map(chosen).collect();
    conditions.sort_unstable();
    conditions.dedup();
    if conditions.len() > CASES {
        conditions.clear();
    }
    conditions.iter().fold(vec![Vec::new()], |all, c| {
        let with = |bit: TermId| all.iter().map(move |case| [&case[..], &[bit]].concat());
        with(*c).chain(with(d.not(c))).collect()
    })
}

/// The conditions that one is made of, and itself, operands before users.
fn conditions(d: &Terms, t: TermId) -> Vec<TermId> {
    let (mut all, mut seen, mut stack) = (Vec::new(), FxHashSet::default(), vec![(t, false)]);
    while let Some((t, ready)) = stack.pop() {
        if ready {
            all.push(t);
        } else if seen.insert(t) {
            stack.push((t, true));
            let node = d.node(t);
            if decides(d, &node) {
                stack.extend(node.operands().into_iter().map(|o| (o, false)));
            }
        }
    }
    all
}

/// Whether an operation is a condition of conditions.
fn decides(d: &Terms, node: &Node) -> bool {
    let is_one = |t: &TermId| d.width_of(*t) == 1;
    matches!(node, Node::Unary(..) | Node::Binary(..) | Node::Ite(..)) && node.operands().iter().all(is_one)
}

/// Bits of a long word from one on, as many as a word has or are left.
pub fn word(d: &Terms, t: TermId, low: u32) -> TermId {
    let width = WORD.min(d.width_of(t) - low);
    bits(d, t, low, width)
}

/// Bits of a term, of what it moves them from.
fn bits(d: &Terms, t: TermId, low: u32, width: u32) -> TermId {
    match d.node(t) {
        Node::Concat(_, l) if low + width <= d.width_of(l) => bits(d, l, low, width),
        Node::Concat(h, l) if low >= d.width_of(l) => bits(d, h, low - d.width_of(l), width),
        Node::Concat(h, l) => {
            let own = d.width_of(l) - low;
            d.concat(&bits(d, h, 0, width - own), &bits(d, l, low, own))
        }
        Node::Extract { low: more, a } => bits(d, a, low + more, width),
        Node::Binary(BinaryOp::LShr, a, by)
            if d.as_constant(&by).is_some_and(|by| by <= (d.width_of(t) - low - width).into()) =>
        {
            let by = d.as_constant(&by).unwrap_or(0) as u32;
            bits(d, a, low + by, width)
        }
        _ if low == 0 && width == d.width_of(t) => t,
        _ => d.extract(&t, low, width),
    }
}
