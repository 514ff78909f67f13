//! Dead code.

use crate::Stats;
use sassafras_graph::{ControlFlow, Entity};
use sassafras_ir::{Function, Value, ValueDef};

/// Removes instructions without effects whose results are unused, and block parameters that only feed themselves and other
/// unused ones.
///
/// Does not remove effects, convergent operations or blocks. Needs SSA. Preserves the graph.
pub fn dead(function: &mut Function) -> Stats {
    let preds = function.predecessors();
    let mut live = vec![false; function.values.len()];
    let mut work: Vec<Value> = Vec::new();
    let mut keep = vec![false; function.insts.len()];
    let reachable = function.reachable();
    for (block, data) in function.blocks.iter() {
        if !reachable[block.index()] {
            continue;
        }
        for &inst in &data.insts {
            if function.insts[inst].op.has_effect() {
                keep[inst.index()] = true;
                function.insts[inst].for_each_use(|v| work.push(v));
            }
        }
        use sassafras_ir::Terminator as T;
        match data.terminator {
            T::Branch { condition: v, .. } | T::Switch { index: v, .. } => work.push(v),
            T::Jump(_) | T::Exit | T::Trap | T::Unreachable => {}
        }
    }
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut live[value.index()], true) {
            continue;
        }
        match function.values[value].def {
            ValueDef::Result(inst, _) => {
                if !std::mem::replace(&mut keep[inst.index()], true) {
                    function.insts[inst].for_each_use(|v| work.push(v));
                }
            }
            ValueDef::Param(block, index) => {
                let mut from = preds[block].clone();
                from.dedup();
                for pred in from {
                    for edge in function.blocks[pred].terminator.edges() {
                        if edge.block == block {
                            work.push(edge.args[usize::from(index)]);
                        }
                    }
                }
            }
        }
    }
    let mut changes = 0;
    for block in function.blocks() {
        let before = function.blocks[block].insts.len();
        function.blocks[block].insts.retain(|i| keep[i.index()]);
        changes += before - function.blocks[block].insts.len();
    }
    // Parameters: remove the dead ones and their arguments, all in one walk over the edges.
    let mut dead: Vec<Vec<bool>> = Vec::new();
    for block in function.blocks() {
        dead.push(function.blocks[block].params.iter().map(|v| !live[v.index()]).collect());
    }
    let any: Vec<bool> = dead.iter().map(|d| d.contains(&true)).collect();
    if any.contains(&true) {
        for block in function.blocks() {
            for edge in function.blocks[block].terminator.edges_mut() {
                let gone = &dead[edge.block.index()];
                if any[edge.block.index()] {
                    let mut i = 0;
                    edge.args.retain(|_| {
                        i += 1;
                        !gone[i - 1]
                    });
                }
            }
            let gone = &dead[block.index()];
            if any[block.index()] {
                changes += gone.iter().filter(|d| **d).count();
                let mut i = 0;
                function.blocks[block].params.retain(|_| {
                    i += 1;
                    !gone[i - 1]
                });
                for (i, value) in function.blocks[block].params.clone().into_iter().enumerate() {
                    function.values[value].def = ValueDef::Param(block, i as u16);
                }
            }
        }
    }
    Stats::new(changes)
}
