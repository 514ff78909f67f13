//! Critical edges.

use crate::ControlFlow;

/// Edges from a block with several outgoing edges to a block with several incoming edges, as the block and the
/// position among its successors. Two edges between the same blocks count as two. Blocks that the entry does not reach
/// count as all others.
pub fn critical_edges<G: ControlFlow>(flow: &G) -> Vec<(G::Block, usize)> {
    use crate::Entity;
    let mut incoming = vec![0u32; flow.capacity()];
    let blocks = flow.blocks();
    for &block in &blocks {
        flow.succs(block).into_iter().for_each(|to| incoming[to.index()] += 1);
    }
    let mut found = Vec::new();
    for block in blocks {
        let succs = flow.succs(block);
        if succs.len() > 1 {
            let critical = succs.iter().enumerate().filter(|(_, to)| incoming[to.index()] > 1);
            found.extend(critical.map(|(index, _)| (block, index)));
        }
    }
    found
}
