//! A switch becomes a tree of comparisons.

use sassafras_graph::ControlFlow;
use sassafras_ir::{Block, CfgEditor, Compare, Edge, Terminator, Value};

/// Replaces every switch. An index out of range, which is undefined, goes to some target.
pub(super) fn switches(editor: &mut CfgEditor) -> usize {
    let mut changes = 0;
    for block in editor.function().blocks() {
        if let Terminator::Switch { index, targets } = &editor.function().blocks[block].terminator {
            let (index, targets) = (*index, targets.clone());
            tree(editor, block, index, &targets, 0);
            changes += 1;
        }
    }
    changes
}

/// Ends `block` with the choice among `targets`, the first of which has index `first`.
fn tree(editor: &mut CfgEditor, block: Block, index: Value, targets: &[Edge], first: u32) {
    let same = targets.windows(2).all(|w| w[0] == w[1]);
    let end = match targets {
        [] => Terminator::Unreachable,
        [one, ..] if same => Terminator::Jump(one.clone()),
        _ => {
            let half = targets.len() / 2;
            let (low, high) = targets.split_at(half);
            let (left, right) = (editor.add_block(), editor.add_block());
            let condition = editor.rewrite(block, |b, insts| {
                b.function.blocks[block].insts = insts;
                let limit = b.i32(first + half as u32);
                b.compare(Compare::ULt, index, limit)
            });
            tree(editor, left, index, low, first);
            tree(editor, right, index, high, first + half as u32);
            let (then, otherwise) = (Edge::new(left, &[]), Edge::new(right, &[]));
            Terminator::Branch { condition, then, otherwise }
        }
    };
    editor.set_terminator(block, end);
}
