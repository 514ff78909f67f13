//! Which parts of terms may be anything where terms are shown to be others.

use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, TermId, Terms, UnaryOp};
use std::collections::BTreeSet;

/// Most rounds in which what is met in one term alone is opened.
const ROUNDS: usize = 40;

/// The first terms on each way down from some that are not opened. `opens`: of a term that is met, and how many levels were counted there, how many
/// are counted for its operands; none where it stays closed. A term that is opened on one way is opened.
fn closed(d: &Terms, roots: &[TermId], opens: impl Fn(TermId, &Node, usize) -> Option<usize>) -> Vec<TermId> {
    let (mut all, mut best) = (BTreeSet::new(), FxHashMap::default());
    let mut stack: Vec<(TermId, usize)> = roots.iter().map(|t| (*t, 0)).collect();
    while let Some((t, depth)) = stack.pop() {
        let node = d.node(t);
        if best.get(&t).is_some_and(|before| *before <= depth) || node.operands().is_empty() {
            continue;
        }
        best.insert(t, depth);
        match opens(t, &node, depth) {
            Some(depth) => {
                all.remove(&t);
                stack.extend(node.operands().into_iter().map(|o| (o, depth)));
            }
            None => drop(all.insert(t)),
        }
    }
    all.into_iter().collect()
}

/// What some terms are made of, and they themselves.
fn parts(d: &Terms, of: &[TermId]) -> FxHashSet<TermId> {
    d.topological(of).into_iter().collect()
}

/// What two or more of some terms are made of, or are, the first on each way down, or as many levels further.
pub(super) fn shared(d: &Terms, roots: &[TermId], below: usize) -> Vec<TermId> {
    let mut count: FxHashMap<TermId, u32> = FxHashMap::default();
    for (i, r) in roots.iter().enumerate() {
        if !roots[..i].contains(r) || i > 1 {
            d.topological(&[*r]).into_iter().for_each(|t| *count.entry(t).or_default() += 1);
        }
    }
    closed(d, roots, |t, node, depth| match wires(node) || is_bitwise(node) || count[&t] < 2 {
        true => Some(depth),
        false => (depth < below).then_some(depth + 1),
    })
}

/// The first terms on each way down from some that are met so from two or more of them. What is met first from one alone is opened, even if another has
/// it too, further down: where it is closed there, nothing would say that it is the same. None where that goes on.
pub(super) fn met(d: &Terms, roots: &[TermId], also_bitwise: bool) -> Option<Vec<TermId>> {
    let mut count: FxHashMap<TermId, u32> = FxHashMap::default();
    let roots: BTreeSet<TermId> = roots.iter().copied().collect();
    for r in &roots {
        parts(d, &[*r]).into_iter().for_each(|t| *count.entry(t).or_default() += 1);
    }
    let mut opened = FxHashSet::default();
    for _ in 0..ROUNDS {
        let mut here: FxHashMap<TermId, u32> = FxHashMap::default();
        for r in &roots {
            let opens = |t, node: &Node| {
                wires(node) || also_bitwise && is_bitwise(node) || count[&t] < 2 || opened.contains(&t)
            };
            let all = closed(d, &[*r], |t, node, depth| opens(t, node).then_some(depth));
            all.into_iter().for_each(|t| *here.entry(t).or_default() += 1);
        }
        let alone: Vec<TermId> = here.iter().filter(|(_, n)| **n < 2).map(|(t, _)| *t).collect();
        if alone.is_empty() {
            let mut all: Vec<TermId> = here.into_keys().collect();
            all.sort_unstable();
            return Some(all);
        }
        opened.extend(alone);
    }
    None
}

/// What two terms are both made of, the first on each way down, but for some terms, and for how conditions are made of others.
pub(super) fn apart(d: &Terms, a: TermId, b: TermId, differ: &FxHashSet<TermId>) -> Vec<TermId> {
    let (of_a, of_b) = (parts(d, &[a]), parts(d, &[b]));
    closed(d, &[a, b], |t, node, depth| {
        let decides = d.width_of(t) == 1 && (is_bitwise(node) || matches!(node, Node::Ite(..)));
        (decides || differ.contains(&t) || !(of_a.contains(&t) && of_b.contains(&t))).then_some(depth)
    })
}

/// Terms below two that both are made of, the first on each way down, or as many levels further.
pub(super) fn frontier(d: &Terms, a: TermId, b: TermId, below: usize) -> Vec<TermId> {
    let [of_a, of_b] = [a, b].map(|t| parts(d, &d.node(t).operands()));
    closed(d, &[a, b], |t, node, depth| {
        let shared = t != a && t != b && of_a.contains(&t) && of_b.contains(&t)
            || t == a && of_b.contains(&a)
            || t == b && of_a.contains(&b);
        let depth = if shared || depth > 0 { depth + 1 } else { 0 };
        (depth <= below || wires(node)).then_some(depth)
    })
}

/// The numbers that sums and products are of: what is not said by them is said by nothing else then. A number that is extended by zeros may be what
/// something is known of; what extends it is opened then, unless something is known of that.
pub(super) fn numbers(d: &Terms, roots: &[TermId]) -> Vec<TermId> {
    use {BinaryOp as B, UnaryOp as U};
    closed(d, roots, |t, node, depth| match node {
        _ if depth > 0 => None,
        Node::Binary(B::Add | B::Sub | B::Mul, ..) | Node::Unary(U::Neg | U::Not, _) => Some(0),
        Node::Zext(_) if !roots.contains(&t) => Some(1),
        _ => None,
    })
}

/// Whether an operation is about each bit by itself: where what is known says so much of a function, its operands may be anything.
fn is_bitwise(node: &Node) -> bool {
    use BinaryOp as B;
    matches!(node, Node::Binary(B::And | B::Or | B::Xor, ..) | Node::Unary(UnaryOp::Not, _))
}

/// Whether an operation moves bits alone: what it is made of may be anything then, which says more at no cost.
pub(super) fn wires(node: &Node) -> bool {
    matches!(node, Node::Zext(_) | Node::Sext(_) | Node::Extract { .. } | Node::Concat(..))
}
