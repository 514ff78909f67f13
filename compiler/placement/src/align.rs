//! Where padding goes: by frequency, depth of loops, and whether control falls in.

use crate::{Flow, Knobs, Node};
use sassafras_graph::{Dominators, Loops};

/// The binary logarithm of the alignment of each block in bytes, by the order's places; 0 is none. By default a GPU gains nothing by it, and every
/// answer is 0. A knob for all blocks, and one for those that nothing falls into, ask for it; padding larger than the
/// knob for it is left out, and so are blocks that are run less often than the entry outside of loops.
pub fn alignment(flow: &Flow, order: &[Node], knobs: &Knobs) -> Vec<u32> {
    let loops = if flow.is_empty() { None } else { Some(Loops::new(flow, &Dominators::new(flow))) };
    let entry = order.first().map_or(0.0, |&node| flow.block(node).frequency);
    let mut before: Option<Node> = None;
    let mut address = 0u64;
    let mut all = Vec::with_capacity(order.len());
    for &node in order {
        let fallen_into = before.is_some_and(|before| flow.outgoing(before).any(|edge| edge.to == node));
        let seldom =
            flow.block(node).frequency < entry && loops.as_ref().is_none_or(|loops| loops.depth(node) == 0);
        let mut wanted = knobs.align_all;
        if !fallen_into && before.is_some() && !seldom {
            wanted = wanted.max(knobs.align_jumped);
        }
        let step = 1u64 << wanted.min(30);
        let padding = address.next_multiple_of(step) - address;
        if wanted > 0 && (knobs.align_most == 0 || padding <= knobs.align_most) {
            address += padding;
            all.push(wanted.min(30));
        } else {
            all.push(0);
        }
        address += flow.block(node).size;
        before = Some(node);
    }
    all
}
