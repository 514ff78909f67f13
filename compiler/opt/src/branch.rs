//! Branches and blocks.

use crate::Stats;
use sassafras_graph::{ControlFlow, SecondaryMap};
use sassafras_ir::{Function, Op, Terminator};

/// Folds branches and switches on constants, and branches whose two edges are equal; empties blocks that the entry does not
/// reach; joins a block with its only successor if it is that block's only predecessor; and skips empty blocks that only jump.
///
/// Does not move or copy instructions across branches, so convergent operations stay under their conditions. Needs SSA.
/// Preserves SSA.
pub fn branch(function: &mut Function) -> Stats {
    let mut changes = 0;
    loop {
        let round = fold(function) + skip(function) + unreachable(function) + merge(function);
        if round == 0 {
            return Stats::new(changes);
        }
        changes += round;
    }
}

fn fold(function: &mut Function) -> usize {
    let mut changes = 0;
    for block in function.blocks() {
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
            function.blocks[block].terminator = new;
            changes += 1;
        }
    }
    changes
}

/// An edge to an empty block without parameters that jumps on goes where that block goes, unless the source has another edge to
/// that place (the two would have to carry different arguments).
fn skip(function: &mut Function) -> usize {
    let mut changes = 0;
    for block in function.blocks() {
        let count = function.blocks[block].terminator.edges().len();
        for i in 0..count {
            let terminator = &function.blocks[block].terminator;
            let edges = terminator.edges();
            let via = edges[i].block;
            let data = &function.blocks[via];
            let Terminator::Jump(next) = &data.terminator else { continue };
            let plain = data.insts.is_empty() && data.params.is_empty() && next.block != via && via != block;
            if !plain || edges.iter().any(|e| e.block == next.block) {
                continue;
            }
            let (next, several) = (next.clone(), edges.len() > 1);
            drop(edges);
            // A critical edge would need the block back.
            if several && !next.args.is_empty() {
                continue;
            }
            *function.blocks[block].terminator.edges_mut()[i] = next;
            changes += 1;
        }
    }
    changes
}

fn unreachable(function: &mut Function) -> usize {
    let reachable = function.reachable();
    let mut changes = 0;
    for (i, block) in function.blocks().into_iter().enumerate() {
        let data = &function.blocks[block];
        let empty =
            data.insts.is_empty() && data.params.is_empty() && data.terminator == Terminator::Unreachable;
        if !reachable[i] && !empty {
            function.clear_block(block);
            changes += 1;
        }
    }
    changes
}

fn merge(function: &mut Function) -> usize {
    let mut changes = 0;
    let mut preds = function.predecessors();
    let mut map = SecondaryMap::new();
    for block in function.blocks() {
        while let Terminator::Jump(edge) = &function.blocks[block].terminator {
            let next = edge.block;
            if next == block || next == function.entry || preds[next].len() != 1 {
                break;
            }
            let args = edge.args.clone();
            let params = std::mem::take(&mut function.blocks[next].params);
            let insts = std::mem::take(&mut function.blocks[next].insts);
            let terminator =
                std::mem::replace(&mut function.blocks[next].terminator, Terminator::Unreachable);
            for succ in terminator.edges() {
                for pred in &mut preds[succ.block] {
                    if *pred == next {
                        *pred = block;
                    }
                }
            }
            preds[next].clear();
            function.blocks[block].insts.extend(insts);
            function.blocks[block].terminator = terminator;
            for (param, arg) in params.into_iter().zip(args) {
                map[param] = Some(arg);
            }
            changes += 1;
        }
    }
    if changes != 0 {
        function.replace_all(&map);
    }
    changes
}
