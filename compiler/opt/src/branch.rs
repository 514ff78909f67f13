//! Branches and blocks.

use crate::Stats;
use sassafras_graph::nest::Nest;
use sassafras_graph::{ControlFlow, SecondaryMap};
use sassafras_ir::{Block, CfgEditor, Function, Op, Terminator};

/// Folds branches and switches on constants, and branches whose two edges are equal; empties blocks that the entry does not
/// reach; joins a block with its only successor if it is that block's only predecessor; and skips empty blocks that only jump.
///
/// Does not move or copy instructions across branches, so convergent operations stay under their conditions. Needs SSA.
/// Preserves SSA.
pub fn branch(function: &mut Function) -> Stats {
    rounds(function, true)
}

/// The same, but that no two blocks are joined and none is skipped: `-no-bb-merge`.
pub fn branch_without_merging(function: &mut Function) -> Stats {
    rounds(function, false)
}

/// Folds branches and switches on constants, and empties blocks that the entry then does not reach; nothing else.
///
/// Needs SSA. Preserves SSA.
pub fn constant(function: &mut Function) -> Stats {
    let mut editor = CfgEditor::new(function);
    let folded = fold(&mut editor);
    Stats::new(folded + editor.remove_unreachable())
}

fn rounds(function: &mut Function, joins: bool) -> Stats {
    let mut changes = 0;
    let mut editor = CfgEditor::new(function);
    loop {
        let mut round = fold(&mut editor);
        if joins {
            round += skip(&mut editor);
        }
        round += editor.remove_unreachable();
        if joins {
            round += merge(&mut editor);
        }
        if round == 0 {
            return Stats::new(changes);
        }
        changes += round;
    }
}

fn fold(editor: &mut CfgEditor) -> usize {
    let mut changes = 0;
    for block in editor.function().blocks() {
        let function = editor.function();
        let new = match &function.blocks[block].terminator {
            Terminator::Branch { then, otherwise, .. } if then == otherwise => {
                Some(Terminator::Jump(then.clone()))
            }
            Terminator::Branch { condition, then, otherwise } => match function.def(*condition) {
                Some(inst) if function.insts[inst].op == Op::Not => {
                    let condition = function.insts[inst].args[0];
                    Some(Terminator::Branch { condition, then: otherwise.clone(), otherwise: then.clone() })
                }
                _ => function
                    .constant(*condition)
                    .map(|c| Terminator::Jump(if c == 1 { then.clone() } else { otherwise.clone() })),
            },
            Terminator::Switch { index, targets } => {
                let known = function.constant(*index).map(|i| targets.get(i as usize));
                match known {
                    Some(Some(edge)) => Some(Terminator::Jump(edge.clone())),
                    // Out of range is undefined.
                    Some(None) => Some(Terminator::Unreachable),
                    None => None,
                }
            }
            _ => None,
        };
        if let Some(new) = new {
            editor.set_terminator(block, new);
            changes += 1;
        }
    }
    changes
}

/// An edge to an empty block without parameters that jumps on goes where that block goes, unless the source has another edge to
/// that place (the two would have to carry different arguments), or the block keeps two loops apart.
fn skip(editor: &mut CfgEditor) -> usize {
    let mut changes = 0;
    // Leading past blocks does not change which loops there are, as those stay that keep two apart.
    let mut nest: Option<Nest<Block>> = None;
    for block in editor.function().blocks() {
        let count = editor.function().blocks[block].terminator.edges().len();
        for i in 0..count {
            let function = editor.function();
            let edges = function.blocks[block].terminator.edges();
            let via = edges[i].block;
            let data = &function.blocks[via];
            let Terminator::Jump(next) = &data.terminator else { continue };
            let plain = data.insts.is_empty() && data.params.is_empty() && next.block != via && via != block;
            if !plain || edges.iter().any(|e| e.block == next.block) {
                continue;
            }
            // A critical edge would need the block back.
            if edges.len() > 1 && !next.args.is_empty() {
                continue;
            }
            if nest.get_or_insert_with(|| Nest::new(function)).parts_cycles(via, |at| onward(function, at)) {
                continue;
            }
            let next = next.clone();
            drop(edges);
            editor.redirect(block, i, next);
            changes += 1;
        }
    }
    changes
}

/// Where a block goes that does nothing else.
fn onward(function: &Function, block: Block) -> Option<Block> {
    let data = &function.blocks[block];
    match &data.terminator {
        Terminator::Jump(next) if data.insts.is_empty() && data.params.is_empty() => Some(next.block),
        _ => None,
    }
}

fn merge(editor: &mut CfgEditor) -> usize {
    let mut changes = 0;
    let mut map = SecondaryMap::new();
    for block in editor.function().blocks() {
        while let Some(pairs) = editor.merge(block) {
            for (param, arg) in pairs {
                map[param] = Some(arg);
            }
            changes += 1;
        }
    }
    if changes != 0 {
        editor.edit_values(|function| function.replace_all(&map));
    }
    changes
}
