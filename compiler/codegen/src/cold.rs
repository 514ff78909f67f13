//! MarkAdditionalColdBlocks: which blocks are seldom run, by what they lead to; OptimizeHotColdInLoop and OptimizeHotColdFlow: which of them
//! placement puts behind all others.
//!
//! Coldness is a guess: a block is cold if every path from it traps. Failed assertions and checks of bounds look so.

use sassafras_graph::nest::Nest;
use sassafras_graph::{BitSet, ControlFlow, order};
use sassafras_isa::ControlFlowKind;
use sassafras_machine::Function;

/// The name by which `--disable-phase` knows it.
pub const MARK_COLD: &str = "MarkAdditionalColdBlocks";
/// Cold blocks of loops go behind all others.
pub const OUT_OF_LOOPS: &str = "OptimizeHotColdInLoop";
/// Cold blocks of no loop go behind all others.
pub const TO_THE_END: &str = "OptimizeHotColdFlow";

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

/// What is done with blocks that are seldom run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ColdChoices {
    /// [`MARK_COLD`]: without it nothing is known to be cold.
    pub mark: bool,
    /// [`OUT_OF_LOOPS`].
    pub out_of_loops: bool,
    /// [`TO_THE_END`].
    pub to_the_end: bool,
}

/// The blocks that are seldom run and may leave their places.
pub(crate) fn seldom(f: &Function, choices: ColdChoices) -> BitSet {
    let mut found = if choices.mark { mark(f) } else { return BitSet::new(f.blocks.len()) };
    if !(choices.out_of_loops && choices.to_the_end) {
        let nest = Nest::new(&f.graph());
        for &block in &f.layout {
            let in_loop = nest.innermost(block).is_some();
            if !(if in_loop { choices.out_of_loops } else { choices.to_the_end }) {
                found.remove(block.0 as usize);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expand::make;
    use sassafras_isa::Chip;
    use sassafras_machine::{Edge, MInst};

    /// Blocks 1 to 3 are a loop, of which 2 traps or goes on; 4 traps.
    fn example() -> Function {
        let mut f = Function::new("f", Chip::Sm90);
        let mut blocks = vec![f.entry];
        blocks.extend((0..5).map(|_| f.add_block()));
        for (from, to) in [(0, 1), (1, 2), (1, 3), (2, 1), (3, 1), (3, 4), (3, 5)] {
            f.blocks[blocks[from]].succs.push(Edge::to(blocks[to]));
        }
        for trap in [2, 4] {
            f.blocks[blocks[trap]].insts.push(MInst::new(make(f.chip, "bpt.trap", &[]).expect("a form")));
        }
        f
    }

    #[test]
    fn each_part_does_its_own() {
        for bits in 0..8u8 {
            let [mark, out_of_loops, to_the_end] = [1, 2, 4].map(|bit| bits & bit != 0);
            let found = seldom(&example(), ColdChoices { mark, out_of_loops, to_the_end });
            let found: Vec<usize> = (0..6).filter(|&block| found.contains(block)).collect();
            let expected: Vec<usize> = [(2, out_of_loops), (4, to_the_end)]
                .into_iter()
                .filter_map(|(block, wanted)| (mark && wanted).then_some(block))
                .collect();
            assert_eq!(found, expected, "{bits:#b}");
        }
    }
}
