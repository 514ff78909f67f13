//! The control-flow graph of a function.

use crate::function::{Block, Function};
use sassafras_graph::{ControlFlow, Entity, Graph};

/// Every block in the arena is a block of the graph; removed ones have no edges. `preds` looks through all blocks: an
/// analysis that asks often should take [`Function::graph`].
impl ControlFlow for Function {
    type Block = Block;
    fn entry(&self) -> Block {
        self.entry
    }
    fn capacity(&self) -> usize {
        self.blocks.len()
    }
    fn blocks(&self) -> Vec<Block> {
        self.blocks.keys().collect()
    }
    fn succs(&self, block: Block) -> Vec<Block> {
        self.blocks[block].terminator.edges().iter().map(|e| e.block).collect()
    }
    fn preds(&self, block: Block) -> Vec<Block> {
        let mut all = Vec::new();
        for (from, data) in self.blocks.iter() {
            all.extend(data.terminator.edges().iter().filter(|e| e.block == block).map(|_| from));
        }
        all
    }
}

impl Function {
    /// A copy of the control flow with quick `preds`. It does not follow later changes.
    pub fn graph(&self) -> Graph<Block> {
        Graph::of(self)
    }

    /// Blocks that the entry reaches, in reverse post-order.
    pub fn reverse_post_order(&self) -> Vec<Block> {
        sassafras_graph::order::reverse_post_order(self)
    }

    /// For every block whether the entry reaches it, by block index.
    pub fn reachable(&self) -> Vec<bool> {
        let mut seen = vec![false; self.blocks.len()];
        for block in self.reverse_post_order() {
            seen[block.index()] = true;
        }
        seen
    }
}
