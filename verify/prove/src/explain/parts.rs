//! Which parts of terms may be anything where terms are shown to be others.

use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, TermId, Terms, UnaryOp};
use std::collections::BTreeSet;

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

/// Whether an operation is about each bit by itself: where what is known says so much of a function, its operands may be anything.
fn is_bitwise(node: &Node) -> bool {
    use BinaryOp as B;
    matches!(node, Node::Binary(B::And | B::Or | B::Xor, ..) | Node::Unary(UnaryOp::Not, _))
}

/// Whether an operation moves bits alone: what it is made of may be anything then, which says more at no cost.
pub(super) fn wires(node: &Node) -> bool {
    matches!(node, Node::Zext(_) | Node::Sext(_) | Node::Extract { .. } | Node::Concat(..))
}
