//! What a graph of blocks answers.

use crate::{Entity, PrimaryMap};

/// A control-flow graph: blocks with ordered successors and predecessors, and one entry.
///
/// `succs` may name a block twice (two edges); `preds` then names the source twice. Blocks that the entry does not
/// reach may exist; algorithms leave them out unless they say otherwise. Algorithms ask for successors alone, each block
/// once, so that a form may answer `preds` slowly.
pub trait ControlFlow {
    /// What names a block.
    type Block: Entity;
    /// Where control enters.
    fn entry(&self) -> Self::Block;
    /// One more than the largest block index.
    fn capacity(&self) -> usize;
    /// All blocks, in a fixed order.
    fn blocks(&self) -> Vec<Self::Block>;
    /// Successors in order of the edges.
    fn succs(&self, block: Self::Block) -> Vec<Self::Block>;
    /// Predecessors, one per edge.
    fn preds(&self, block: Self::Block) -> Vec<Self::Block>;
}

/// A plain graph: edges in adjacency lists, for tests and for analyses that build a graph of their own.
#[derive(Clone, Debug)]
pub struct Graph<B: Entity> {
    entry: B,
    succs: PrimaryMap<B, Vec<B>>,
    preds: PrimaryMap<B, Vec<B>>,
}

impl<B: Entity> Graph<B> {
    /// A graph of `blocks` blocks with these edges, entered at `entry`.
    pub fn new(entry: B, blocks: usize, edges: impl IntoIterator<Item = (B, B)>) -> Graph<B> {
        let mut succs: PrimaryMap<B, Vec<B>> = (0..blocks).map(|_| Vec::new()).collect();
        let mut preds = succs.clone();
        for (from, to) in edges {
            succs[from].push(to);
            preds[to].push(from);
        }
        Graph { entry, succs, preds }
    }

    /// A copy of any control flow.
    pub fn of(flow: &impl ControlFlow<Block = B>) -> Graph<B> {
        let edges =
            flow.blocks().into_iter().flat_map(|from| flow.succs(from).into_iter().map(move |to| (from, to)));
        Graph::new(flow.entry(), flow.capacity(), edges.collect::<Vec<_>>())
    }
}

impl<B: Entity> ControlFlow for Graph<B> {
    type Block = B;
    fn entry(&self) -> B {
        self.entry
    }
    fn capacity(&self) -> usize {
        self.succs.len()
    }
    fn blocks(&self) -> Vec<B> {
        self.succs.keys().collect()
    }
    fn succs(&self, block: B) -> Vec<B> {
        self.succs[block].clone()
    }
    fn preds(&self, block: B) -> Vec<B> {
        self.preds[block].clone()
    }
}
