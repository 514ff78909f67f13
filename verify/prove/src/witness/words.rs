//! Long words are equal if each of their words is.

use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_semantics::term::Node;
use sassafras_semantics::{CompareOp, Domain, TermId, Terms};

/// Bits of what is compared by itself.
pub(crate) const WORD: u32 = 32;

/// Most conditions of which each case is asked about by itself.
const CASES: usize = 3;

/// A condition once for each word of the longest words that are compared in it, with these words compared alone. If it can hold, then one of
/// them can: of the words one differs if the long ones do, and none otherwise. None where nothing long is compared.
pub(super) fn by_words(d: &Terms, t: TermId) -> Vec<TermId> {
    let conditions = conditions(d, t);
    let compared = |t: &TermId| match d.node(*t) {
        Node::Compare(CompareOp::Eq, a, b) if d.width_of(a) > WORD => Some((d.width_of(a), *t, a, b)),
        _ => None,
    };
    let Some((width, comparison, a, b)) = conditions.iter().filter_map(compared).max() else {
        return Vec::new();
    };
    let alone = |low: u32| {
        let one = d.eq(&word(d, a, low), &word(d, b, low));
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
    (0..width).step_by(WORD as usize).map(alone).collect()
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
pub(crate) fn word(d: &Terms, t: TermId, low: u32) -> TermId {
    let width = WORD.min(d.width_of(t) - low);
    bits(d, t, low, width)
}

fn bits(d: &Terms, t: TermId, low: u32, width: u32) -> TermId {
    match d.node(t) {
        _ if low == 0 && width == d.width_of(t) => t,
        Node::Concat(_, l) if low + width <= d.width_of(l) => bits(d, l, low, width),
        Node::Concat(h, l) if low >= d.width_of(l) => bits(d, h, low - d.width_of(l), width),
        Node::Extract { low: more, a } => bits(d, a, low + more, width),
        _ => d.extract(&t, low, width),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::random::Draw;
    use sassafras_semantics::{BinaryOp, Concrete};

    /// One case holds whatever the conditions are.
    #[test]
    fn one_case_holds() {
        let folder = Concrete::default();
        let d = Terms::raw();
        let [p, q, r] = ["p", "q", "r"].map(|n| d.variable(n, 1));
        let [x, y] = ["x", "y"].map(|n| d.variable(n, 32));
        let two = d.ite(&d.and(&p, &q), &d.ite(&q, &x, &y), &y);
        let three = d.ite(&r, &two, &x);
        for (word, many) in [(x, 1), (two, 4), (three, 8)] {
            let t = d.eq(&word, &d.ite(&d.yes(), &x, &y));
            let all = cases(&d, t);
            assert_eq!(all.len(), many);
            for inputs in 0..8u128 {
                let value = |v: TermId| [p, q, r].iter().position(|u| *u == v).map_or(5, |i| inputs >> i & 1);
                let holds =
                    |case: &&Vec<TermId>| case.iter().all(|t| d.evaluate(&folder, *t, value).is_true());
                assert_eq!(all.iter().filter(holds).count(), 1);
            }
        }
        let five = (0..5).fold(x, |all, i| d.ite(&d.variable(&format!("c{i}"), 1), &all, &y));
        assert_eq!(cases(&d, d.eq(&five, &y)), [[]]);
    }

    /// Where a condition holds, it holds for one of its words; and there are as many as the longest has.
    #[test]
    fn a_condition_holds_for_one_of_its_words() {
        let folder = Concrete::default();
        let (mut held, mut apart) = (0, 0);
        for seed in 0..2000 {
            let mut r = Draw(seed);
            let d = Terms::raw();
            let words: Vec<TermId> = (0..4).map(|i| d.variable(&format!("w{i}"), 32)).collect();
            let long = |r: &mut Draw, n: u32| {
                let one = |r: &mut Draw| words[r.below(4) as usize];
                let first = one(r);
                (1..n).fold(first, |all, _| d.concat(&all, &one(r)))
            };
            let n = 2 + r.below(3) as u32;
            let longest = d.eq(&long(&mut r, n), &long(&mut r, n));
            let mut all = vec![longest, d.eq(&words[0], &words[1]), d.eq(&long(&mut r, 2), &long(&mut r, 2))];
            for _ in 0..6 {
                let [a, b, c] = [0; 3].map(|_| all[r.below(all.len() as u64) as usize]);
                all.push(match r.below(4) {
                    0 => d.not(&a),
                    1 => d.binary(BinaryOp::Xor, &a, &b),
                    2 => d.and(&a, &b),
                    _ => d.ite(&a, &b, &c),
                });
            }
            let t = d.binary(BinaryOp::Xor, all.last().expect("some"), &longest);
            let split = by_words(&d, t);
            assert!(split.is_empty() || split.len() >= 2, "{}", split.len());
            for inputs in 0..16u64 {
                // Words that are equal now and then.
                let value =
                    |v: TermId| u128::from(inputs >> words.iter().position(|w| *w == v).expect("one") & 1);
                let of = |t: &TermId| d.evaluate(&folder, *t, value).is_true();
                let hold = split.iter().filter(|t| of(t)).count();
                if of(&t) && !split.is_empty() {
                    held += 1;
                    apart += usize::from(hold < split.len());
                    assert!(hold > 0, "seed {seed} {inputs}: {}", d.listing(t));
                }
            }
        }
        assert!(held > 5000 && apart > 500, "{held} {apart}");
    }
}
