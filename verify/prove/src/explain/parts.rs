//! Which parts of terms may be anything where terms are shown to be others.

use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, TermId, Terms, UnaryOp};

/// What two or more of some terms are made of, or are, the first on each way down, or as many levels further.
pub(super) fn shared(d: &Terms, roots: &[TermId], below: usize) -> Vec<TermId> {
    let mut count: FxHashMap<TermId, u32> = FxHashMap::default();
    for (i, r) in roots.iter().enumerate() {
        if !roots[..i].contains(r) || i > 1 {
            d.topological(&[*r]).into_iter().for_each(|t| *count.entry(t).or_default() += 1);
        }
    }
    let (mut all, mut best) = (FxHashSet::default(), FxHashMap::default());
    let mut stack: Vec<(TermId, usize)> = roots.iter().map(|t| (*t, 0)).collect();
    while let Some((t, depth)) = stack.pop() {
        let node = d.node(t);
        if best.get(&t).is_some_and(|before| *before <= depth) || node.operands().is_empty() {
            continue;
        }
        best.insert(t, depth);
        let plain = wires(&node) || is_bitwise(&node) || count[&t] < 2;
        if plain || depth < below {
            all.remove(&t);
            let depth = if plain { depth } else { depth + 1 };
            stack.extend(node.operands().into_iter().map(|o| (o, depth)));
        } else {
            all.insert(t);
        }
    }
    let mut all: Vec<TermId> = all.into_iter().collect();
    all.sort();
    all
}

/// What two terms are both made of, the first on each way down, but for some terms, and for how conditions are made of others.
pub(super) fn apart(d: &Terms, a: TermId, b: TermId, differ: &FxHashSet<TermId>) -> Vec<TermId> {
    let parts = |t: TermId| -> FxHashSet<TermId> { d.topological(&[t]).into_iter().collect() };
    let (of_a, of_b) = (parts(a), parts(b));
    let (mut all, mut seen, mut stack) = (Vec::new(), FxHashSet::default(), vec![a, b]);
    while let Some(t) = stack.pop() {
        let node = d.node(t);
        if !seen.insert(t) || node.operands().is_empty() {
            continue;
        }
        let decides = d.width_of(t) == 1 && (is_bitwise(&node) || matches!(node, Node::Ite(..)));
        if decides || differ.contains(&t) || !(of_a.contains(&t) && of_b.contains(&t)) {
            stack.extend(node.operands());
        } else {
            all.push(t);
        }
    }
    all.sort();
    all
}

/// Terms below two that both are made of, the first on each way down, or as many levels further.
pub(super) fn frontier(d: &Terms, a: TermId, b: TermId, below: usize) -> Vec<TermId> {
    let parts =
        |t: TermId| -> FxHashSet<TermId> { d.topological(&d.node(t).operands()).into_iter().collect() };
    let (of_a, of_b) = (parts(a), parts(b));
    let mut best: FxHashMap<TermId, usize> = FxHashMap::default();
    let mut stack = vec![(a, 0), (b, 0)];
    let mut all = FxHashSet::default();
    while let Some((t, depth)) = stack.pop() {
        if best.get(&t).is_some_and(|before| *before <= depth) {
            continue;
        }
        best.insert(t, depth);
        let node = d.node(t);
        if node.operands().is_empty() {
            continue;
        }
        let shared = t != a && t != b && of_a.contains(&t) && of_b.contains(&t)
            || t == a && of_b.contains(&a)
            || t == b && of_a.contains(&b);
        let depth = if shared || depth > 0 { depth + 1 } else { 0 };
        if depth <= below || wires(&node) {
            all.remove(&t);
            stack.extend(node.operands().into_iter().map(|o| (o, depth)));
        } else {
            all.insert(t);
        }
    }
    let mut all: Vec<TermId> = all.into_iter().collect();
    all.sort();
    all
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
