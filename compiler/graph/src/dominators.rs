//! Dominators, by the algorithm of Lengauer and Tarjan ("A Fast Algorithm for Finding Dominators in a Flowgraph", 1979)
//! with path compression: O(edges · log blocks) for every graph.

use crate::order::NONE;
use crate::{ControlFlow, DepthFirst, Entity, Reversed};

/// The dominator tree of what the entry reaches. Over a [`Reversed`] graph: the post-dominator tree.
#[derive(Clone, Debug)]
pub struct Dominators<B: Entity> {
    root: B,
    order: Vec<B>,
    /// By block index.
    nodes: Vec<Node<B>>,
}

#[derive(Clone, Copy, Debug)]
struct Node<B> {
    /// Immediate dominator; `None` for the root and for what is not reached.
    parent: Option<B>,
    /// Position in a walk of the tree that sees a block before its children, counted from 1; 0 for what is not reached.
    first: u32,
    /// The last position among the block and all below it.
    last: u32,
    /// Steps from the root.
    depth: u32,
}

impl<B: Entity> Dominators<B> {
    /// Dominators of every block that the entry reaches.
    pub fn new(flow: &impl ControlFlow<Block = B>) -> Dominators<B> {
        Self::of(&DepthFirst::new(flow), flow.capacity())
    }

    /// The same from a walk that was made before; `capacity` is that of the graph.
    pub fn of(walk: &DepthFirst<B>, capacity: usize) -> Dominators<B> {
        let parents = immediate(walk);
        let (blocks, ..) = walk.tree();
        let none = Node { parent: None, first: 0, last: 0, depth: 0 };
        let mut nodes = vec![none; capacity];
        // A block is discovered behind its dominators, so sizes of subtrees sum up backwards, and positions follow
        // forwards: each child takes the next free interval of its parent.
        let mut size = vec![1u32; blocks.len()];
        for at in (1..blocks.len()).rev() {
            size[parents[at] as usize] += size[at];
        }
        let mut free = vec![0; blocks.len()];
        for (at, &block) in blocks.iter().enumerate() {
            let node = if at == 0 {
                Node { parent: None, first: 1, last: size[0], depth: 0 }
            } else {
                let up = parents[at] as usize;
                let Node { depth, .. } = nodes[blocks[up].index()];
                let first = free[up];
                free[up] += size[at];
                Node { parent: Some(blocks[up]), first, last: first + size[at] - 1, depth: depth + 1 }
            };
            free[at] = node.first + 1;
            nodes[block.index()] = node;
        }
        Dominators { root: blocks[0], order: walk.reverse_post_order().to_vec(), nodes }
    }

    /// Post-dominators, and the virtual exit that is their root: see [`Reversed`] for several exits and endless loops.
    pub fn post(flow: &impl ControlFlow<Block = B>) -> (Dominators<B>, B) {
        let reversed = Reversed::new(flow);
        (Dominators::new(&reversed), reversed.exit())
    }

    fn node(&self, block: B) -> Option<&Node<B>> {
        self.nodes.get(block.index()).filter(|node| node.first != 0)
    }
    /// The immediate dominator; none for the root and for what is not reached.
    pub fn immediate(&self, block: B) -> Option<B> {
        self.node(block)?.parent
    }
    /// Whether the entry reaches the block.
    pub fn is_reachable(&self, block: B) -> bool {
        self.node(block).is_some()
    }
    /// Whether every path from the root to `b` passes `a`, in constant time. A block dominates itself; what is not
    /// reached neither dominates nor is dominated.
    pub fn dominates(&self, a: B, b: B) -> bool {
        let (Some(a), Some(b)) = (self.node(a), self.node(b)) else { return false };
        a.first <= b.first && b.first <= a.last
    }
    /// [`Self::dominates`], and the two differ.
    pub fn strictly_dominates(&self, a: B, b: B) -> bool {
        a != b && self.dominates(a, b)
    }
    /// The root of the tree.
    pub fn root(&self) -> B {
        self.root
    }
    /// Steps from the root to the block in the tree; none for what is not reached.
    pub fn depth(&self, block: B) -> Option<u32> {
        self.node(block).map(|node| node.depth)
    }
    /// What is reached, each block before those it dominates: reverse post-order.
    pub fn top_down(&self) -> &[B] {
        &self.order
    }
    /// The block's interval of positions in a walk of the tree: of two blocks one dominates the other if its interval
    /// holds the other's, and they are disjoint if neither does. None for what is not reached.
    pub fn interval(&self, block: B) -> Option<std::ops::RangeInclusive<u32>> {
        self.node(block).map(|node| node.first..=node.last)
    }
    /// The nearest block that dominates both; none when either is not reached.
    pub fn common(&self, a: B, b: B) -> Option<B> {
        if !self.is_reachable(a) || !self.is_reachable(b) {
            return None;
        }
        let mut up = a;
        while !self.dominates(up, b) {
            up = self.immediate(up)?;
        }
        Some(up)
    }
}

/// Immediate dominators by discovery number; the root's is unused.
fn immediate<B: Entity>(walk: &DepthFirst<B>) -> Vec<u32> {
    let (blocks, parent, preds) = walk.tree();
    let count = blocks.len() as u32;
    let mut forest = Forest {
        semi: (0..count).collect(),
        label: (0..count).collect(),
        up: vec![NONE; blocks.len()],
        path: Vec::new(),
    };
    let mut immediate = vec![0; blocks.len()];
    // Of each block, those with it as semidominator whose dominator is still open: a chain.
    let (mut first, mut next) = (vec![NONE; blocks.len()], vec![NONE; blocks.len()]);
    for block in (1..count).rev() {
        for &pred in preds.of(block) {
            let best = forest.lowest(pred);
            forest.semi[block as usize] = forest.semi[block as usize].min(forest.semi[best as usize]);
        }
        let semi = forest.semi[block as usize] as usize;
        (next[block as usize], first[semi]) = (first[semi], block);
        let above = parent[block as usize];
        forest.up[block as usize] = above;
        let mut open = std::mem::replace(&mut first[above as usize], NONE);
        while open != NONE {
            let best = forest.lowest(open);
            let lower = forest.semi[best as usize] < forest.semi[open as usize];
            immediate[open as usize] = if lower { best } else { above };
            open = next[open as usize];
        }
    }
    for block in 1..blocks.len() {
        if immediate[block] != forest.semi[block] {
            immediate[block] = immediate[immediate[block] as usize];
        }
    }
    immediate
}

/// The part of the walk's tree that was already seen from below, with compressed paths.
struct Forest {
    semi: Vec<u32>,
    /// The block with the lowest semidominator on the compressed path above.
    label: Vec<u32>,
    up: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    /// The block with the lowest semidominator on the way from `block` up to, but without, the root of its tree.
    fn lowest(&mut self, block: u32) -> u32 {
        let mut at = block;
        while self.up[at as usize] != NONE && self.up[self.up[at as usize] as usize] != NONE {
            self.path.push(at);
            at = self.up[at as usize];
        }
        while let Some(below) = self.path.pop() {
            let above = self.up[below as usize] as usize;
            let (ours, theirs) = (self.label[below as usize], self.label[above]);
            if self.semi[theirs as usize] < self.semi[ours as usize] {
                self.label[below as usize] = theirs;
            }
            self.up[below as usize] = self.up[above];
        }
        self.label[block as usize]
    }
}
