//! A function as a graph.

use crate::{Block, Function};
use sassafras_graph::{ControlFlow, Graph};

impl Function {
    /// The graph of the blocks in the layout, with predecessors. A copy: changes of the function do not show in it.
    pub fn graph(&self) -> Graph<Block> {
        let edges = self
            .layout
            .iter()
            .flat_map(|&from| self.blocks[from].succs.iter().map(move |to| (from, to.block)));
        Graph::new(self.entry, self.blocks.len(), edges)
    }

    /// Takes out of the layout the blocks that the entry does not reach. Returns how many.
    pub fn remove_unreachable(&mut self) -> usize {
        let reached: sassafras_graph::BitSet =
            sassafras_graph::order::post_order(&self.graph()).iter().map(|block| block.0 as usize).collect();
        let before = self.layout.len();
        self.layout.retain(|block| reached.contains(block.0 as usize));
        before - self.layout.len()
    }

    /// Predecessors of a block, one per edge, by looking at every block: for single questions. Use [`Self::graph`]
    /// for more.
    pub fn preds(&self, block: Block) -> Vec<Block> {
        self.graph().preds(block)
    }
}
