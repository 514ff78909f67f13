//! Every use is dominated by its definition.

use crate::paths::Paths;
use crate::report::Report;
use crate::rules::Rule;
use sassafras_graph::Entity;
use sassafras_ir::{Function, Terminator, Value};

/// Checks the uses in blocks that the entry reaches.
pub(super) fn check(f: &Function, report: &mut Report) {
    let succs = f.blocks.values().map(|data| {
        let edges = data.terminator.edges();
        edges.iter().map(|edge| edge.block.index()).collect()
    });
    let mut paths = Paths::new(f.entry.index(), succs.collect());
    // Where a value is defined: the block, and how many instructions stand before it becomes known.
    let mut place: Vec<Option<(usize, usize)>> = vec![None; f.values.len()];
    for (block, data) in f.blocks.iter() {
        data.params.iter().for_each(|p| place[p.index()] = Some((block.index(), 0)));
        for (i, &inst) in data.insts.iter().enumerate() {
            let results = &f.insts[inst].results;
            results.iter().for_each(|r| place[r.index()] = Some((block.index(), i + 1)));
        }
    }
    for (block, data) in f.blocks.iter() {
        let here = block.index();
        if !paths.reaches(here) {
            continue;
        }
        let mut uses: Vec<(Value, usize)> = Vec::new();
        for (i, &inst) in data.insts.iter().enumerate() {
            let data = &f.insts[inst];
            uses.extend(data.args.iter().copied().chain(data.guard.map(|g| g.value)).map(|v| (v, i)));
        }
        let end = data.insts.len();
        match &data.terminator {
            Terminator::Branch { condition, .. } => uses.push((*condition, end)),
            Terminator::Switch { index, .. } => uses.push((*index, end)),
            Terminator::Jump(_) | Terminator::Exit | Terminator::Trap | Terminator::Unreachable => {}
        }
        for edge in data.terminator.edges() {
            uses.extend(edge.args.iter().map(|&v| (v, end)));
        }
        for (value, at) in uses {
            let fine = match place[value.index()] {
                Some((b, from)) if b == here => from <= at,
                Some((b, _)) => paths.dominates(b, here),
                None => false,
            };
            if !fine {
                let what = format!("{value} is used at {at} and not defined on every path there");
                report.add(Rule::IrDominance, block, what);
            }
        }
    }
}
