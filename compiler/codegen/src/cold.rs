//! MarkAdditionalColdBlocks: which blocks are seldom run, by what they lead to.
//!
//! There is no profile, so that coldness is a guess: a block is cold if every way on from it traps. Failed assertions and checks
//! of bounds look so.

use sassafras_graph::{BitSet, ControlFlow, order};
use sassafras_isa::ControlFlowKind;
use sassafras_machine::{Block, Function};

/// The name by which `--disable-phase` knows it.
pub const MARK_COLD: &str = "MarkAdditionalColdBlocks";

/// The cold blocks of a function, by index. The entry is none.
pub(crate) fn mark(f: &Function) -> BitSet {
    let graph = f.graph();
    let mut cold = BitSet::new(f.blocks.len());
    // Successors come first but for back edges; a cycle is cold only if it is left for a trap alone, which one walk may
    // miss and two do not need to find.
    for block in order::post_order(&graph) {
        let traps = f.blocks[block].insts.iter().any(|inst| {
            let real = inst.inst().filter(|real| real.guard.is_always());
            real.is_some_and(|real| real.row().control_flow == Some(ControlFlowKind::Trap))
        });
        let succs = graph.succs(block);
        let leads_to_cold = !succs.is_empty() && succs.iter().all(|succ| cold.contains(succ.0 as usize));
        if block != f.entry && (traps || leads_to_cold) {
            cold.insert(block.0 as usize);
        }
    }
    cold
}

/// Puts the cold blocks behind all others, each part in the order it had. How many were moved past one that is not cold.
pub(crate) fn to_the_end(f: &mut Function) -> usize {
    let cold = mark(f);
    let is_cold = |block: &Block| cold.contains(block.0 as usize);
    let moved =
        f.layout.iter().rev().skip_while(|block| is_cold(block)).filter(|block| is_cold(block)).count();
    let (behind, front): (Vec<Block>, Vec<Block>) = f.layout.iter().partition(|block| is_cold(block));
    f.layout = front;
    f.layout.extend(behind);
    moved
}
