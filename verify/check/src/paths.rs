//! Dominance, apart from the tree that the compiler builds.
//!
//! Up to [`SMALL`] blocks by its definition: take a block away and see what is still reached. Above, where that would
//! take time and memory in the square of the blocks, by Cooper, Harvey and Kennedy's iteration over immediate
//! dominators; the compiler's is Lengauer and Tarjan's. A test holds the two together.

use std::collections::HashMap;

/// The most blocks for the definition.
const SMALL: usize = 64;

/// A graph of numbered blocks.
pub(crate) struct Paths {
    entry: usize,
    succs: Vec<Vec<usize>>,
    /// Reached blocks in reverse post-order, and each block's place there.
    order: Vec<usize>,
    number: Vec<usize>,
    /// By block taken away: what is reached without it. Of small graphs.
    without: HashMap<usize, Vec<bool>>,
    /// Of large graphs: the span of each block in a walk of the dominator tree, and its parent.
    tree: Option<Vec<(usize, usize, usize)>>,
}

const NONE: usize = usize::MAX;

impl Paths {
    /// The graph with these successors. Successors that are no block must have been left out.
    pub(crate) fn new(entry: usize, succs: Vec<Vec<usize>>) -> Paths {
        let large = succs.len() > SMALL;
        Self::with(entry, succs, large)
    }

    fn with(entry: usize, succs: Vec<Vec<usize>>, large: bool) -> Paths {
        let number = vec![NONE; succs.len()];
        let mut paths =
            Paths { entry, succs, order: Vec::new(), number, without: HashMap::new(), tree: None };
        let mut seen = vec![false; paths.succs.len()];
        seen[entry] = true;
        let mut stack = vec![(entry, 0)];
        while let Some((block, next)) = stack.last_mut() {
            if let Some(&to) = paths.succs[*block].get(*next) {
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            } else {
                paths.order.push(*block);
                stack.pop();
            }
        }
        paths.order.reverse();
        for (at, &block) in paths.order.iter().enumerate() {
            paths.number[block] = at;
        }
        if large {
            paths.tree = Some(paths.spans());
        }
        paths
    }

    /// Whether the entry reaches the block.
    pub(crate) fn reaches(&self, block: usize) -> bool {
        self.number[block] != NONE
    }

    /// Edges of what is reached that go back in reverse post-order.
    pub(crate) fn retreating(&self) -> Vec<(usize, usize)> {
        let edges = self.order.iter().flat_map(|&from| self.succs[from].iter().map(move |&to| (from, to)));
        edges.filter(|&(from, to)| self.number[to] <= self.number[from]).collect()
    }

    fn walk(&self, without: usize) -> Vec<bool> {
        let mut seen = vec![false; self.succs.len()];
        let mut stack: Vec<usize> = Some(self.entry).filter(|&e| e != without).into_iter().collect();
        while let Some(block) = stack.pop() {
            if !std::mem::replace(&mut seen[block], true) {
                stack.extend(self.succs[block].iter().copied().filter(|&s| s != without));
            }
        }
        seen
    }

    /// Whether every path from the entry to `b` passes `a`. Of a block that is not reached nothing dominates anything.
    pub(crate) fn dominates(&mut self, a: usize, b: usize) -> bool {
        if !self.reaches(a) || !self.reaches(b) {
            return false;
        }
        if let Some(tree) = &self.tree {
            let ((first, last, _), (at, ..)) = (tree[a], tree[b]);
            return first <= at && at <= last;
        }
        if a == b {
            return true;
        }
        if !self.without.contains_key(&a) {
            let seen = self.walk(a);
            self.without.insert(a, seen);
        }
        self.without.get(&a).is_some_and(|seen| !seen[b])
    }

    /// The strict dominator of `b` that every other one dominates; none for the entry and for what is not reached.
    pub(crate) fn immediate(&mut self, b: usize) -> Option<usize> {
        if let Some(tree) = &self.tree {
            return Some(tree[b].2).filter(|&parent| parent != NONE);
        }
        let all: Vec<usize> = (0..self.succs.len()).filter(|&a| a != b && self.dominates(a, b)).collect();
        all.iter().copied().find(|&a| all.iter().all(|&other| self.dominates(other, a)))
    }

    /// By block: first and last place in a walk of the dominator tree, and the parent.
    fn spans(&self) -> Vec<(usize, usize, usize)> {
        let mut preds = vec![Vec::new(); self.order.len()];
        for (at, &from) in self.order.iter().enumerate() {
            self.succs[from].iter().for_each(|&to| preds[self.number[to]].push(at));
        }
        let mut parent = vec![NONE; self.order.len()];
        parent[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for at in 1..parent.len() {
                let known = preds[at].iter().copied().filter(|&p| parent[p] != NONE);
                let new = known.reduce(|mut a, mut b| {
                    while a != b {
                        if a > b { a = parent[a] } else { b = parent[b] }
                    }
                    a
                });
                let new = new.unwrap_or(NONE);
                changed |= std::mem::replace(&mut parent[at], new) != new;
            }
        }
        let mut size = vec![1; parent.len()];
        for at in (1..parent.len()).rev() {
            size[parent[at]] += size[at];
        }
        let mut spans = vec![(NONE, NONE, NONE); self.succs.len()];
        let mut free = vec![0; parent.len()];
        for at in 0..parent.len() {
            let first = if at == 0 { 0 } else { free[parent[at]] };
            if at != 0 {
                free[parent[at]] += size[at];
            }
            free[at] = first + 1;
            let above = if at == 0 { NONE } else { self.order[parent[at]] };
            spans[self.order[at]] = (first, first + size[at] - 1, above);
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_diamond_in_a_loop() {
        // 0 → 1; 1 → 2, 3; 2 → 4; 3 → 4; 4 → 1, 5; 6 is not reached.
        let succs = vec![vec![1], vec![2, 3], vec![4], vec![4], vec![1, 5], vec![], vec![5]];
        let mut paths = Paths::new(0, succs);
        assert_eq!(paths.immediate(4), Some(1));
        assert_eq!(paths.immediate(5), Some(4));
        assert_eq!(paths.immediate(0), None);
        assert_eq!(paths.retreating(), [(4, 1)]);
        assert!(!paths.dominates(2, 4) && !paths.reaches(6));
    }

    proptest! {
        #[test]
        fn both_ways_agree(succs in prop::collection::vec(prop::collection::vec(0usize..20, 0..4), 20)) {
            let (mut slow, mut fast) = (Paths::with(0, succs.clone(), false), Paths::with(0, succs, true));
            for b in 0..20 {
                prop_assert_eq!(slow.immediate(b), fast.immediate(b));
                for a in 0..20 {
                    prop_assert_eq!(slow.dominates(a, b), fast.dominates(a, b), "{} {}", a, b);
                }
            }
        }
    }
}
