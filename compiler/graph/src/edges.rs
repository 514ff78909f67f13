//! Critical edges.

use crate::ControlFlow;

/// Edges from a block with several outgoing edges to a block with several incoming edges, as the block and the
/// position among its successors. Two edges between the same blocks count as two.
pub fn critical_edges<G: ControlFlow>(flow: &G) -> Vec<(G::Block, usize)> {
    let mut found = Vec::new();
    for block in flow.blocks() {
        let succs = flow.succs(block);
        if succs.len() > 1 {
            let critical = succs.iter().enumerate().filter(|(_, succ)| flow.preds(**succ).len() > 1);
            found.extend(critical.map(|(index, _)| (block, index)));
        }
    }
    found
}
