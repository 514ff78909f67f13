//! Every notion of a graph by its definition: sets of paths, one block or edge taken away at a time.
//!
//! Slow and simple on purpose, for graphs of up to [`MOST`] blocks; it shares nothing with `sassafras-graph`.

/// A set of blocks, one bit each.
pub type Set = u64;

/// The most blocks, so that a set fits a word beside the virtual exit.
pub const MOST: usize = 63;

/// A graph of numbered blocks with ordered successors.
#[derive(Clone, Debug)]
pub struct Definition {
    entry: usize,
    succs: Vec<Vec<usize>>,
    next: Vec<Set>,
    previous: Vec<Set>,
    reached: Set,
    /// By block: what the entry reaches without passing it.
    without: Vec<Set>,
    order: Vec<usize>,
    /// Blocks that lead to the virtual exit.
    ends: Set,
}

/// The blocks of a set in order.
pub fn members(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            first
        })
    })
}

const fn bit(block: usize) -> Set {
    1 << block
}

/// All blocks reached from a set over `next`, itself included, inside `within`.
fn closure(from: Set, next: &[Set], within: Set) -> Set {
    let (mut found, mut new) = (0, from & within);
    while new != 0 {
        found |= new;
        new = members(new).fold(0, |all, block| all | next[block]) & within & !found;
    }
    found
}

impl Definition {
    /// The graph, or nothing when it has more than [`MOST`] blocks.
    pub fn new(entry: usize, succs: Vec<Vec<usize>>) -> Option<Definition> {
        if succs.len() > MOST {
            return None;
        }
        let next: Vec<Set> = succs.iter().map(|list| list.iter().fold(0, |set, &to| set | bit(to))).collect();
        let mut previous = vec![0; succs.len()];
        for (from, &set) in next.iter().enumerate() {
            members(set).for_each(|to| previous[to] |= bit(from));
        }
        let reached = closure(bit(entry), &next, Set::MAX);
        let without = (0..succs.len()).map(|block| closure(bit(entry), &next, !bit(block))).collect();
        let mut graph =
            Definition { entry, succs, next, previous, reached, without, order: Vec::new(), ends: 0 };
        let mut seen = 0;
        graph.visit(entry, &mut seen);
        graph.order.reverse();
        graph.ends = graph.choose_ends();
        Some(graph)
    }

    /// Depth first, first successor first; a block is noted when all its successors are.
    fn visit(&mut self, block: usize, seen: &mut Set) {
        *seen |= bit(block);
        for at in 0..self.succs[block].len() {
            let to = self.succs[block][at];
            if *seen & bit(to) == 0 {
                self.visit(to, seen);
            }
        }
        self.order.push(block);
    }

    /// Blocks without successors; then, of what reaches none, the last in reverse post-order, until all do.
    fn choose_ends(&self) -> Set {
        let mut ends = members(self.reached).filter(|&b| self.succs[b].is_empty()).fold(0, |s, b| s | bit(b));
        loop {
            let reaching = closure(ends, &self.previous, self.reached);
            match self.order.iter().rev().find(|&&block| reaching & bit(block) == 0) {
                Some(&last) => ends |= bit(last),
                None => return ends,
            }
        }
    }

    /// How many blocks there are, reached or not.
    pub fn blocks(&self) -> usize {
        self.succs.len()
    }
    /// What the entry reaches.
    pub fn reached(&self) -> Set {
        self.reached
    }
    /// Reverse post-order.
    pub fn order(&self) -> &[usize] {
        &self.order
    }
    /// The blocks that are taken to lead to the virtual exit.
    pub fn ends(&self) -> Set {
        self.ends
    }
    /// Successors in order.
    pub fn succs(&self, block: usize) -> &[usize] {
        &self.succs[block]
    }
    /// Every path from the entry to `b` passes `a`, and there is one.
    pub fn dominates(&self, a: usize, b: usize) -> bool {
        self.reached & bit(b) != 0 && self.without[a] & bit(b) == 0
    }
    /// What dominates `b`.
    pub fn dominators(&self, b: usize) -> Set {
        (0..self.succs.len()).filter(|&a| self.dominates(a, b)).fold(0, |set, a| set | bit(a))
    }
    /// The dominator that all other strict dominators dominate.
    pub fn immediate(&self, b: usize) -> Option<usize> {
        let strict = self.dominators(b) & !bit(b);
        members(strict).find(|&a| members(strict).all(|other| self.dominates(other, a)))
    }
    /// The same sets by the documents' iteration over bit vectors (requirements CFG-20).
    pub fn iterated_dominators(&self) -> Vec<Set> {
        let mut dom: Vec<Set> = vec![self.reached; self.succs.len()];
        dom[self.entry] = bit(self.entry);
        loop {
            let before = dom.clone();
            for &block in self.order.iter().skip(1) {
                let preds = members(self.previous[block] & self.reached);
                dom[block] = bit(block) | preds.fold(self.reached, |set, pred| set & dom[pred]);
            }
            if dom == before {
                return dom;
            }
        }
    }
    /// The graph against its arrows, from a virtual exit, which is the last block.
    pub fn reversed(&self) -> Option<Definition> {
        let exit = self.succs.len();
        let mut back: Vec<Vec<usize>> =
            (0..exit).map(|b| members(self.previous[b] & self.reached).collect()).collect();
        back.push(members(self.ends).collect());
        for block in (0..exit).filter(|&b| self.reached & bit(b) == 0) {
            back[block].clear();
        }
        (exit < MOST).then(|| Definition::new(exit, back)).flatten()
    }
    /// The blocks that `a` does not strictly dominate although it dominates a predecessor.
    pub fn frontier(&self, a: usize) -> Set {
        let inside = |b: usize| self.previous[b] & self.reached;
        members(self.reached)
            .filter(|&b| {
                (a == b || !self.dominates(a, b)) && members(inside(b)).any(|p| self.dominates(a, p))
            })
            .fold(0, |set, b| set | bit(b))
    }
    /// The least set that holds the frontiers of these blocks and of its own members.
    pub fn iterated_frontier(&self, blocks: Set) -> Set {
        let mut found = 0;
        loop {
            let more = members((blocks | found) & self.reached).fold(found, |set, b| set | self.frontier(b));
            if more == found {
                return found;
            }
            found = more;
        }
    }
    /// The natural loop of a header: what reaches one of its back edges without passing it. Empty for other blocks.
    pub fn natural_loop(&self, header: usize) -> Set {
        let back =
            members(self.previous[header]).filter(|&p| self.dominates(header, p)).fold(0, |s, p| s | bit(p));
        if back == 0 { 0 } else { bit(header) | closure(back, &self.previous, self.reached & !bit(header)) }
    }
    /// Whether the two reductions (T1 drops an edge from a block to itself; T2 joins a block into its only predecessor)
    /// leave one block.
    pub fn reducible(&self) -> bool {
        let mut next = self.next.clone();
        let mut left = self.reached;
        loop {
            let mut changed = false;
            for block in members(left) {
                next[block] &= !bit(block);
                let preds = members(left).filter(|&p| next[p] & bit(block) != 0).fold(0, |s, p| s | bit(p));
                if block != self.entry && preds.count_ones() == 1 {
                    let pred = preds.trailing_zeros() as usize;
                    next[pred] = next[pred] & !bit(block) | next[block];
                    left &= !bit(block);
                    changed = true;
                }
            }
            if !changed {
                return left == bit(self.entry);
            }
        }
    }
    /// Every edge of what is reached: source and position.
    pub fn edges(&self) -> Vec<(usize, usize)> {
        self.order.iter().flat_map(|&from| (0..self.succs[from].len()).map(move |at| (from, at))).collect()
    }
    /// What is reached from `start` without the given edge; `exit_leads_back` adds the virtual exit, the last bit, which
    /// leads to the entry.
    fn reach_without(&self, start: usize, gone: (usize, usize), exit_leads_back: bool) -> Set {
        let exit = self.succs.len();
        let mut next = self.next.clone();
        next[gone.0] = (0..self.succs[gone.0].len())
            .filter(|&at| at != gone.1)
            .fold(0, |set, at| set | bit(self.succs[gone.0][at]));
        members(self.ends).for_each(|end| next[end] |= bit(exit));
        next.push(if exit_leads_back { bit(self.entry) } else { 0 });
        closure(bit(start), &next, Set::MAX)
    }
    /// Whether every cycle through one edge passes the other, and the other way, with an edge from the virtual exit to
    /// the entry.
    pub fn equivalent(&self, e: (usize, usize), f: (usize, usize)) -> bool {
        let avoids = |through: (usize, usize), gone| {
            let to = self.succs[through.0][through.1];
            self.reach_without(to, gone, true) & bit(through.0) != 0
        };
        e == f || (!avoids(e, f) && !avoids(f, e))
    }
    /// What is reached over edge `a` before edge `b` is passed; nothing unless every path from the entry there passes `a`
    /// and every path from there to the exit passes `b`.
    pub fn between(&self, a: (usize, usize), b: (usize, usize)) -> Set {
        let inside = self.reach_without(self.succs[a.0][a.1], b, false);
        let entered = self.reach_without(self.entry, a, false) & inside;
        let left = members(inside).any(|x| self.reach_without(x, b, false) >> self.succs.len() & 1 == 1);
        if entered != 0 || left { 0 } else { inside }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diamond_in_a_loop() {
        // 0 → 1; 1 → 2, 3; 2 → 4; 3 → 4; 4 → 1, 5; 6 is not reached.
        let succs = vec![vec![1], vec![2, 3], vec![4], vec![4], vec![1, 5], vec![], vec![5]];
        let g = Definition::new(0, succs).expect("it is small");
        assert_eq!(g.order(), [0, 1, 3, 2, 4, 5]);
        assert_eq!((g.immediate(4), g.immediate(5), g.immediate(0)), (Some(1), Some(4), None));
        assert_eq!(g.natural_loop(1), 0b1_1110);
        assert_eq!(g.frontier(2), 0b1_0000);
        assert_eq!(g.iterated_frontier(0b100), 0b1_0010);
        assert!(g.reducible());
        let back = g.reversed().expect("it is small");
        assert_eq!((back.immediate(1), back.immediate(2), back.immediate(5)), (Some(4), Some(4), Some(7)));
        assert_eq!(g.between((0, 0), (4, 1)), 0b1_1110);
        assert_eq!(g.between((1, 0), (2, 0)), 0b100);
    }

    #[test]
    fn two_entries_are_not_reducible() {
        let g = Definition::new(0, vec![vec![1, 2], vec![2], vec![1]]).expect("it is small");
        assert!(!g.reducible());
        assert_eq!(g.ends(), 0b100);
    }
}
