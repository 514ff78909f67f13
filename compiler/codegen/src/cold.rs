//! MarkAdditionalColdBlocks: which blocks are seldom run, by what they lead to; OptimizeHotColdInLoop and OptimizeHotColdFlow: where
//! they go.
//!
//! There is no profile, so that coldness is a guess: a block is cold if every way on from it traps. Failed assertions and checks
//! of bounds look so.

use sassafras_graph::{BitSet, ControlFlow, order};
use sassafras_ir::tree::nest::{Cycle, Nest};
use sassafras_isa::ControlFlowKind;
use sassafras_machine::{Block, Function};
use std::collections::{BTreeMap, HashMap};

/// The name by which `--disable-phase` knows it.
pub const MARK_COLD: &str = "MarkAdditionalColdBlocks";
/// Cold blocks in the midst of a loop's go behind them.
pub const OUT_OF_LOOPS: &str = "OptimizeHotColdInLoop";
/// Cold blocks that do not stand in the midst of a loop's go behind all others.
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

/// Moves the cold blocks as the choices say; the others keep their order, and so do the cold ones that stand together. How many were
/// moved past one that is not cold.
pub(crate) fn separate(f: &mut Function, choices: ColdChoices) -> usize {
    let cold = if choices.mark { mark(f) } else { return 0 };
    let is_cold = |block: &Block| cold.contains(block.0 as usize);
    let before = warm_before(&f.layout, &is_cold);
    let mut around = spans(f);
    if choices.out_of_loops {
        for &(first, last) in &around {
            // Stable: cold ones behind the others.
            f.layout[first..=last].sort_by_key(is_cold);
        }
        around.clear();
    }
    if choices.to_the_end {
        let inside = |at: usize| around.iter().any(|&(first, last)| (first..=last).contains(&at));
        let all: Vec<(usize, Block)> = f.layout.iter().copied().enumerate().collect();
        let (behind, front): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(at, block)| is_cold(block) && !inside(*at));
        f.layout = front.into_iter().chain(behind).map(|(_, block)| block).collect();
    }
    let after = warm_before(&f.layout, &is_cold);
    before.into_iter().filter(|(block, warm)| after.get(block).is_some_and(|now| now > warm)).count()
}

/// For each cold block, how many in front of it are not cold.
fn warm_before(layout: &[Block], is_cold: &impl Fn(&Block) -> bool) -> HashMap<Block, usize> {
    let mut warm = 0;
    let mut found = HashMap::new();
    for block in layout {
        if is_cold(block) {
            found.insert(*block, warm);
        } else {
            warm += 1;
        }
    }
    found
}

/// The stretches of the layout that outermost loops take up, from the first of a loop's blocks to its last; those that overlap as one.
fn spans(f: &Function) -> Vec<(usize, usize)> {
    let nest = Nest::new(&f.graph());
    let mut of_cycle: BTreeMap<Cycle, (usize, usize)> = BTreeMap::new();
    for (at, &block) in f.layout.iter().enumerate() {
        if let Some(outermost) = nest.child_at(None, block) {
            of_cycle.entry(outermost).or_insert((at, at)).1 = at;
        }
    }
    let mut found: Vec<(usize, usize)> = of_cycle.into_values().collect();
    found.sort_unstable();
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (first, last) in found {
        match joined.last_mut().filter(|(_, end)| first <= *end) {
            Some((_, end)) => *end = last.max(*end),
            None => joined.push((first, last)),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expand::make;
    use sassafras_isa::Chip;
    use sassafras_machine::{Edge, MInst};

    /// Blocks 1 and 3 are a loop in whose midst 2 traps; 4 traps in front of 5 and 6, which lead to the end.
    fn example() -> Function {
        let mut f = Function::new("f", Chip::Sm90);
        let mut blocks = vec![f.entry];
        blocks.extend((0..6).map(|_| f.add_block()));
        for (from, to) in [(0, 1), (1, 2), (1, 3), (3, 1), (3, 5), (5, 4), (5, 6)] {
            f.blocks[blocks[from]].succs.push(Edge::to(blocks[to]));
        }
        for trap in [2, 4] {
            f.blocks[blocks[trap]].insts.push(MInst::new(make(f.chip, "bpt.trap", &[]).expect("a form")));
        }
        f.layout = blocks;
        f
    }

    #[test]
    fn each_part_does_its_own() {
        for bits in 0..8u8 {
            let [mark, out_of_loops, to_the_end] = [1, 2, 4].map(|bit| bits & bit != 0);
            let mut f = example();
            let moved = separate(&mut f, ColdChoices { mark, out_of_loops, to_the_end });
            let (expected, passed) = match (mark, out_of_loops, to_the_end) {
                (false, ..) | (true, false, false) => ([0, 1, 2, 3, 4, 5, 6], 0),
                (true, true, false) => ([0, 1, 3, 2, 4, 5, 6], 1),
                (true, false, true) => ([0, 1, 2, 3, 5, 6, 4], 1),
                (true, true, true) => ([0, 1, 3, 5, 6, 2, 4], 2),
            };
            let layout: Vec<u32> = f.layout.iter().map(|block| block.0).collect();
            assert_eq!((layout, moved), (expected.to_vec(), passed), "{bits:#b}");
        }
    }
}
