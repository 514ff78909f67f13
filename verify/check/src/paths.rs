//! Dominance by its definition: take a block away and see what is still reached.
//!
//! Slow and simple on purpose; it shares nothing with the tree that the compiler builds.

use std::collections::HashMap;

/// A graph of numbered blocks.
pub(crate) struct Paths {
    entry: usize,
    succs: Vec<Vec<usize>>,
    reached: Vec<bool>,
    /// By block taken away: what is reached without it.
    without: HashMap<usize, Vec<bool>>,
}

impl Paths {
    /// The graph with these successors. Successors that are no block must have been left out.
    pub(crate) fn new(entry: usize, succs: Vec<Vec<usize>>) -> Paths {
        let mut paths = Paths { entry, succs, reached: Vec::new(), without: HashMap::new() };
        paths.reached = paths.walk(None);
        paths
    }

    /// The reversed graph from a virtual exit, which is the last block: post-dominance. Blocks without successors
    /// lead to the exit.
    pub(crate) fn reversed(&self) -> Paths {
        let exit = self.succs.len();
        let mut back = vec![Vec::new(); exit + 1];
        for (from, succs) in self.succs.iter().enumerate().filter(|&(from, _)| self.reached[from]) {
            succs.iter().for_each(|&to| back[to].push(from));
            if succs.is_empty() {
                back[exit].push(from);
            }
        }
        Paths::new(exit, back)
    }

    /// Whether the entry reaches the block.
    pub(crate) fn reaches(&self, block: usize) -> bool {
        self.reached[block]
    }

    fn walk(&self, without: Option<usize>) -> Vec<bool> {
        let mut seen = vec![false; self.succs.len()];
        let mut stack: Vec<usize> = Some(self.entry).filter(|&e| Some(e) != without).into_iter().collect();
        while let Some(block) = stack.pop() {
            if !std::mem::replace(&mut seen[block], true) {
                stack.extend(self.succs[block].iter().copied().filter(|&s| Some(s) != without));
            }
        }
        seen
    }

    /// Whether every path from the entry to `b` passes `a`. Of a block that is not reached nothing dominates anything.
    pub(crate) fn dominates(&mut self, a: usize, b: usize) -> bool {
        if a == b || !self.reached[b] {
            return self.reached[b];
        }
        if !self.without.contains_key(&a) {
            let seen = self.walk(Some(a));
            self.without.insert(a, seen);
        }
        self.without.get(&a).is_some_and(|seen| !seen[b])
    }

    /// The strict dominator of `b` that every other one dominates; none for the entry and for what is not reached.
    pub(crate) fn immediate(&mut self, b: usize) -> Option<usize> {
        let all: Vec<usize> = (0..self.succs.len()).filter(|&a| a != b && self.dominates(a, b)).collect();
        all.iter().copied().find(|&a| all.iter().all(|&other| self.dominates(other, a)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diamond_in_a_loop() {
        // 0 → 1; 1 → 2, 3; 2 → 4; 3 → 4; 4 → 1, 5; 6 is not reached.
        let succs = vec![vec![1], vec![2, 3], vec![4], vec![4], vec![1, 5], vec![], vec![5]];
        let mut paths = Paths::new(0, succs);
        assert_eq!(paths.immediate(4), Some(1));
        assert_eq!(paths.immediate(5), Some(4));
        assert_eq!(paths.immediate(0), None);
        assert!(!paths.dominates(2, 4) && !paths.reaches(6));
        let mut back = paths.reversed();
        assert_eq!(back.immediate(1), Some(4));
        assert_eq!(back.immediate(2), Some(4));
        assert_eq!(back.immediate(5), Some(7));
    }
}
