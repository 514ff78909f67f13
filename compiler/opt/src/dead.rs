//! Dead code.

use crate::Stats;
use sassafras_graph::{ControlFlow, Entity, SecondaryMap};
use sassafras_ir::{Block, Function, Value, ValueDef};

/// Removes instructions without effects whose results are unused, and block parameters that only feed themselves and other
/// unused ones.
///
/// Does not remove effects, convergent operations or blocks. Needs SSA. Preserves the graph.
pub fn dead(function: &mut Function) -> Stats {
    let given = crate::phi::arguments(function);
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
            ValueDef::Param(..) => work.extend(given[value].iter().copied()),
        }
    }
    let mut changes = 0;
    for block in function.blocks() {
        let before = function.blocks[block].insts.len();
        function.blocks[block].insts.retain(|i| keep[i.index()]);
        changes += before - function.blocks[block].insts.len();
    }
    let mut gone: SecondaryMap<Block, Vec<bool>> = SecondaryMap::new();
    for (block, data) in function.blocks.iter() {
        gone[block] = data.params.iter().map(|v| !live[v.index()]).collect();
    }
    changes += function.remove_params(&gone);
    Stats::new(changes)
}
