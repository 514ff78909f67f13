//! How often blocks and edges were run.

use sassafras_machine::Block;
use std::collections::HashMap;

/// Counts of one function, by the names that its blocks have before placement. What is not named was never run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Executions of blocks.
    pub blocks: HashMap<Block, u64>,
    /// Executions of edges, by the blocks at their ends.
    pub edges: HashMap<(Block, Block), u64>,
}

impl Counts {
    /// Executions of a block.
    pub fn block(&self, block: Block) -> u64 {
        self.blocks.get(&block).copied().unwrap_or(0)
    }

    /// Executions of an edge.
    pub fn edge(&self, from: Block, to: Block) -> u64 {
        self.edges.get(&(from, to)).copied().unwrap_or(0)
    }
}
