//! T13: what somebody knows of a tree's graph is of the tree as it stands. Dominance by its definition, loops by walking
//! back from what leads to their headers.

use super::view::View;
use crate::paths::Paths;
use crate::report::Report;
use crate::rules::Rule;
use sassafras_graph::nest::Nest;
use sassafras_graph::{ControlFlow, Dominators, Entity};
use sassafras_hazards::Verdict;
use sassafras_ir::{Block, Function};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of a function's graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// By block that is reached, but for the entry: its immediate dominator.
    pub immediate: BTreeMap<Block, Block>,
    /// Blocks of the loops, by header.
    pub loops: BTreeMap<Block, BTreeSet<Block>>,
}

impl Known {
    /// As the compiler's analyses say when they are asked now.
    pub fn of(f: &Function) -> Known {
        let dominators = Dominators::new(f);
        let nest = Nest::new(f);
        let blocks = || ControlFlow::blocks(f);
        let immediate = blocks().into_iter().filter_map(|b| Some((b, dominators.immediate(b)?))).collect();
        let cycles = nest.cycles.iter().filter_map(|(cycle, data)| Some((data.header()?, cycle)));
        let loops =
            cycles.map(|(header, cycle)| (header, nest.blocks(cycle).iter().copied().collect())).collect();
        Known { immediate, loops }
    }
}

/// Judges what is known of the graph of a reducible tree.
pub fn check_known(view: &View, known: &Known) -> Verdict {
    let mut report = Report::of(&view.function.name);
    let f = &view.function;
    let succs: Vec<Vec<usize>> = f
        .blocks
        .values()
        .map(|data| data.terminator.edges().iter().map(|edge| edge.block.index()).collect())
        .collect();
    let mut preds = vec![Vec::new(); succs.len()];
    for (from, to) in succs.iter().enumerate() {
        to.iter().for_each(|&to| preds[to].push(from));
    }
    let mut paths = Paths::new(f.entry.index(), succs);
    for block in (0..preds.len()).map(Block::from_index) {
        let immediate = paths.immediate(block.index()).map(Block::from_index);
        let said = known.immediate.get(&block).copied();
        if said != immediate {
            let what = format!("its immediate dominator is {immediate:?}, not {said:?}");
            report.add(Rule::TreeKnown, block, what);
        }
    }
    let mut loops: BTreeMap<Block, BTreeSet<Block>> = BTreeMap::new();
    for (from, header) in paths.retreating() {
        let blocks = loops.entry(Block::from_index(header)).or_default();
        blocks.insert(Block::from_index(header));
        let mut stack = vec![from];
        while let Some(at) = stack.pop() {
            if paths.reaches(at) && blocks.insert(Block::from_index(at)) {
                stack.extend(&preds[at]);
            }
        }
    }
    if loops != known.loops {
        let what = format!("its loops are {loops:?}, not {:?}", known.loops);
        report.add(Rule::TreeKnown, f.entry, what);
    }
    report.verdict()
}
