//! Depth-first orders, with a stack of our own: input graphs may be deep.

use crate::{BitSet, ControlFlow, Entity};

/// The blocks that the entry reaches, each after all blocks first found through it. Successors are visited in order.
pub fn post_order<G: ControlFlow>(flow: &G) -> Vec<G::Block> {
    let mut seen = BitSet::new(flow.capacity());
    let mut order = Vec::new();
    seen.insert(flow.entry().index());
    let mut stack = vec![(flow.entry(), flow.succs(flow.entry()).into_iter())];
    while let Some((block, rest)) = stack.last_mut() {
        match rest.next() {
            Some(next) => {
                if seen.insert(next.index()) {
                    stack.push((next, flow.succs(next).into_iter()));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order
}

/// The reverse of [`post_order`]: each block before its successors, but for back edges.
pub fn reverse_post_order<G: ControlFlow>(flow: &G) -> Vec<G::Block> {
    let mut order = post_order(flow);
    order.reverse();
    order
}
