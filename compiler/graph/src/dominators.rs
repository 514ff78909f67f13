//! Dominators, by the iterative algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001).

use crate::{ControlFlow, Entity, Reversed, SecondaryMap, order};

/// The dominator tree of what the entry reaches. Over a [`Reversed`] graph: the post-dominator tree.
#[derive(Clone, Debug)]
pub struct Dominators<B: Entity> {
    root: B,
    /// Immediate dominator; `None` for the root and for what is not reached.
    parent: SecondaryMap<B, Option<B>>,
    /// Entry and exit time in a walk of the tree; (0, 0) for what is not reached.
    span: SecondaryMap<B, (u32, u32)>,
    order: Vec<B>,
}

impl<B: Entity> Dominators<B> {
    /// Dominators of every block that the entry reaches.
    pub fn new(flow: &impl ControlFlow<Block = B>) -> Dominators<B> {
        let order = order::reverse_post_order(flow);
        let mut number = SecondaryMap::<B, u32>::with_default(u32::MAX);
        for (index, &block) in order.iter().enumerate() {
            number[block] = index as u32;
        }
        let preds: Vec<Vec<u32>> = order
            .iter()
            .map(|&block| {
                flow.preds(block).into_iter().map(|pred| number[pred]).filter(|&n| n != u32::MAX).collect()
            })
            .collect();
        let mut parent = vec![u32::MAX; order.len()];
        parent[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for block in 1..order.len() {
                let mut new = u32::MAX;
                for &pred in &preds[block] {
                    if parent[pred as usize] != u32::MAX {
                        new = if new == u32::MAX { pred } else { meet(&parent, new, pred) };
                    }
                }
                if parent[block] != new {
                    parent[block] = new;
                    changed = true;
                }
            }
        }
        Self::from_parents(flow.entry(), order, &parent)
    }

    /// Post-dominators, and the virtual exit that is their root: see [`Reversed`].
    pub fn post(flow: &impl ControlFlow<Block = B>) -> (Dominators<B>, B) {
        let reversed = Reversed::new(flow);
        (Dominators::new(&reversed), reversed.exit())
    }

    fn from_parents(root: B, order: Vec<B>, parent: &[u32]) -> Dominators<B> {
        let mut children = vec![Vec::new(); order.len()];
        let mut map = SecondaryMap::new();
        for index in 1..order.len() {
            children[parent[index] as usize].push(index);
            map[order[index]] = Some(order[parent[index] as usize]);
        }
        let mut span = SecondaryMap::<B, (u32, u32)>::new();
        let mut time = 1;
        let mut stack = vec![(0usize, 0usize)];
        span[root].0 = time;
        while let Some((node, next)) = stack.last_mut() {
            time += 1;
            if let Some(&child) = children[*node].get(*next) {
                *next += 1;
                span[order[child]].0 = time;
                stack.push((child, 0));
            } else {
                span[order[*node]].1 = time;
                stack.pop();
            }
        }
        Dominators { root, parent: map, span, order }
    }

    /// The immediate dominator; none for the root and for what is not reached.
    pub fn immediate(&self, block: B) -> Option<B> {
        self.parent[block]
    }
    /// Whether the entry reaches the block.
    pub fn is_reachable(&self, block: B) -> bool {
        self.span[block].0 != 0
    }
    /// Whether every path from the root to `b` passes `a`. A block dominates itself; what is not reached neither
    /// dominates nor is dominated.
    pub fn dominates(&self, a: B, b: B) -> bool {
        let (a, b) = (self.span[a], self.span[b]);
        a.0 != 0 && b.0 != 0 && a.0 <= b.0 && b.1 <= a.1
    }
    /// [`Self::dominates`], and the two differ.
    pub fn strictly_dominates(&self, a: B, b: B) -> bool {
        a != b && self.dominates(a, b)
    }
    /// The root of the tree.
    pub fn root(&self) -> B {
        self.root
    }
    /// What is reached, each block before those it dominates.
    pub fn top_down(&self) -> &[B] {
        &self.order
    }
    /// The nearest block that dominates both; none when either is not reached.
    pub fn common(&self, a: B, b: B) -> Option<B> {
        if !self.is_reachable(a) || !self.is_reachable(b) {
            return None;
        }
        let mut up = a;
        while !self.dominates(up, b) {
            up = self.parent[up]?;
        }
        Some(up)
    }
}

/// Nearest common ancestor in reverse post-order numbers, where a parent's number is the smaller.
fn meet(parent: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = parent[a as usize];
        }
        while b > a {
            b = parent[b as usize];
        }
    }
    a
}

/// For each block, where its dominance ends: the blocks that it does not strictly dominate, but of which it
/// dominates a predecessor (Cytron et al., 1991). Over post-dominators of a [`Reversed`] graph: control dependence.
#[derive(Clone, Debug)]
pub struct DominanceFrontier<B: Entity> {
    sets: SecondaryMap<B, Vec<B>>,
}

impl<B: Entity> DominanceFrontier<B> {
    /// The frontiers of all blocks that the entry reaches.
    pub fn new(flow: &impl ControlFlow<Block = B>, dominators: &Dominators<B>) -> DominanceFrontier<B> {
        let mut sets = SecondaryMap::<B, Vec<B>>::new();
        for &block in dominators.top_down() {
            for pred in flow.preds(block) {
                let mut runner = Some(pred).filter(|&pred| dominators.is_reachable(pred));
                while let Some(at) = runner.filter(|&at| !dominators.strictly_dominates(at, block)) {
                    if !sets[at].contains(&block) {
                        sets[at].push(block);
                    }
                    runner = dominators.immediate(at);
                }
            }
        }
        DominanceFrontier { sets }
    }

    /// The frontier of one block, in order of discovery.
    pub fn of(&self, block: B) -> &[B] {
        &self.sets[block]
    }
}
