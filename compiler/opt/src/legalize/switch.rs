//! A switch becomes a tree of comparisons.

use sassafras_graph::ControlFlow;
use sassafras_ir::{Block, Builder, Compare, Edge, Function, Terminator, Value};

/// Replaces every switch. An index out of range, which is undefined, goes to some target.
pub(super) fn switches(function: &mut Function) -> usize {
    let mut changes = 0;
    for block in function.blocks() {
        if let Terminator::Switch { index, targets } = function.blocks[block].terminator.clone() {
            tree(function, block, index, &targets, 0);
            changes += 1;
        }
    }
    changes
}

/// Ends `block` with the choice among `targets`, the first of which has index `first`.
fn tree(function: &mut Function, block: Block, index: Value, targets: &[Edge], first: u32) {
    let same = targets.windows(2).all(|w| w[0] == w[1]);
    match targets {
        [] => {
            function.blocks[block].terminator = Terminator::Unreachable;
            return;
        }
        [one, ..] if same => {
            function.blocks[block].terminator = Terminator::Jump(one.clone());
            return;
        }
        _ => {}
    }
    let half = targets.len() / 2;
    let (low, high) = targets.split_at(half);
    let (left, right) = (function.add_block(), function.add_block());
    let mut b = Builder::new(function, block);
    let limit = b.i32(first + half as u32);
    let below = b.compare(Compare::ULt, index, limit);
    b.branch(below, Edge::new(left, &[]), Edge::new(right, &[]));
    tree(function, left, index, low, first);
    tree(function, right, index, high, first + half as u32);
}
