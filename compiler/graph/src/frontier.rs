//! Dominance frontiers.

use crate::order::Csr;
use crate::{ControlFlow, DepthFirst, Dominators, Entity};

/// For each block, where its dominance ends: the blocks that it does not strictly dominate, but of which it
/// dominates a predecessor (Cytron et al., 1991). Over post-dominators of a [`crate::Reversed`] graph: control dependence.
///
/// All frontiers together can be quadratic in the size of the graph (in a nest of loops each inner block has all outer
/// headers), so they are not stored: an edge `x → y` puts `y` into the frontier of every dominator of `x` that is at
/// least as deep in the tree as `y`. Edges stand in the order of the tree walk by source, with the least depth of a
/// target over each range, so that [`Self::of`] takes O(log edges) for each member.
#[derive(Clone, Debug)]
pub struct DominanceFrontier<B: Entity> {
    /// Targets by the source's position in the walk of the tree.
    targets: Vec<B>,
    /// A heap-shaped tree over `targets`: the least depth below each node. Leaves start at `leaves`.
    least: Vec<u32>,
    leaves: usize,
    /// By block index: range of edges whose source the block dominates, and its depth.
    ranges: Vec<Option<(u32, u32, u32)>>,
    /// By block index: children in the tree.
    children: Csr,
    /// By block index: range of its own edges.
    own: Vec<(u32, u32)>,
}

impl<B: Entity> DominanceFrontier<B> {
    /// The frontiers of all blocks that the entry reaches. Linear.
    pub fn new(flow: &impl ControlFlow<Block = B>, dominators: &Dominators<B>) -> DominanceFrontier<B> {
        Self::of_walk(&DepthFirst::new(flow), dominators)
    }

    /// The same from a walk that was made before.
    pub fn of_walk(walk: &DepthFirst<B>, dominators: &Dominators<B>) -> DominanceFrontier<B> {
        let blocks = dominators.top_down();
        let capacity = blocks.iter().map(|block| block.index() + 1).max().unwrap_or(0);
        let mut by_position = vec![None; blocks.len() + 1];
        for &block in blocks {
            if let Some(interval) = dominators.interval(block) {
                by_position[*interval.start() as usize] = Some(block);
            }
        }
        let mut targets = Vec::new();
        let mut start = vec![0; blocks.len() + 2];
        let mut own = vec![(0, 0); capacity];
        for (position, block) in by_position.iter().enumerate() {
            start[position] = targets.len() as u32;
            if let &Some(block) = block {
                // The tree's own edges end no dominance.
                targets.extend(walk.succs(block).filter(|&to| dominators.immediate(to) != Some(block)));
                own[block.index()] = (start[position], targets.len() as u32);
            }
        }
        start[blocks.len() + 1] = targets.len() as u32;
        let leaves = targets.len().next_power_of_two();
        let mut least = vec![u32::MAX; 2 * leaves];
        for (at, &target) in targets.iter().enumerate() {
            least[leaves + at] = dominators.depth(target).unwrap_or(u32::MAX);
        }
        for at in (1..leaves).rev() {
            least[at] = least[2 * at].min(least[2 * at + 1]);
        }
        let mut ranges = vec![None; capacity];
        for &block in blocks {
            if let (Some(interval), Some(depth)) = (dominators.interval(block), dominators.depth(block)) {
                let end = start[*interval.end() as usize + 1];
                ranges[block.index()] = Some((start[*interval.start() as usize], end, depth));
            }
        }
        let tree =
            blocks.iter().filter_map(|&b| Some((dominators.immediate(b)?.index() as u32, b.index() as u32)));
        DominanceFrontier { targets, least, leaves, ranges, children: Csr::new(capacity, tree), own }
    }

    /// The frontier of one block, in order of index.
    pub fn of(&self, block: B) -> Vec<B> {
        let mut found = Vec::new();
        if let Some((start, end, depth)) = self.ranges.get(block.index()).copied().flatten() {
            let mut stack = vec![(1usize, 0usize, self.leaves)];
            while let Some((node, low, high)) = stack.pop() {
                if high <= start as usize || end as usize <= low || self.least[node] > depth {
                    continue;
                }
                if node >= self.leaves {
                    found.push(self.targets[low]);
                } else {
                    let middle = usize::midpoint(low, high);
                    stack.extend([(2 * node, low, middle), (2 * node + 1, middle, high)]);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The iterated frontier of a set: the least set that holds the frontiers of the given blocks and of its own members;
    /// where a value with these definitions needs block parameters. Linear in the size of the graph (Sreedhar and Gao, "A
    /// Linear Time Algorithm for Placing φ-Nodes", 1995). In order of index.
    pub fn iterated(&self, blocks: impl IntoIterator<Item = B>) -> Vec<B> {
        // The deepest block first; what a deeper one has visited, a shallower one need not.
        let depth = |block: B| self.ranges.get(block.index()).copied().flatten().map(|(.., depth)| depth);
        let mut heap = std::collections::BinaryHeap::new();
        let mut queued = crate::BitSet::new(self.ranges.len());
        for block in blocks {
            if let Some(depth) = depth(block).filter(|_| queued.insert(block.index())) {
                heap.push((depth, block.index()));
            }
        }
        let (mut visited, mut found) =
            (crate::BitSet::new(self.ranges.len()), crate::BitSet::new(self.ranges.len()));
        while let Some((root_depth, root)) = heap.pop() {
            let mut stack = vec![root];
            while let Some(at) = stack.pop() {
                if !visited.insert(at) {
                    continue;
                }
                let (start, end) = self.own[at];
                for (edge, &target) in (start..end).zip(&self.targets[start as usize..end as usize]) {
                    let target_depth = self.least[self.leaves + edge as usize];
                    if target_depth <= root_depth
                        && found.insert(target.index())
                        && queued.insert(target.index())
                    {
                        heap.push((target_depth, target.index()));
                    }
                }
                stack.extend(self.children.of(at as u32).iter().map(|&child| child as usize));
            }
        }
        found.iter().map(B::from_index).collect()
    }
}
