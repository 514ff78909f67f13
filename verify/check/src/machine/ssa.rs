//! One definition, on every path to each use.

use crate::paths::Paths;
use crate::report::Report;
use crate::rules::Rule;
use sassafras_graph::Entity;
use sassafras_machine::{Function, VReg};

/// The graph of the blocks in the layout, by index.
fn paths(f: &Function) -> Paths {
    let mut succs = vec![Vec::new(); f.blocks.len()];
    for &block in &f.layout {
        succs[block.index()] = f.blocks[block].succs.iter().map(|edge| edge.block.index()).collect();
    }
    Paths::new(f.entry.index(), succs)
}

/// Checks the definitions and uses of virtual registers.
pub(super) fn check(f: &Function, report: &mut Report) {
    let mut paths = paths(f);
    // The block, and how many of its instructions stand before the register is known.
    let mut defined: Vec<Option<(usize, usize)>> = vec![None; f.vregs.len()];
    for &block in &f.layout {
        let data = &f.blocks[block];
        let mut define = |vreg: VReg, at: usize| {
            let Some(place) = defined.get_mut(vreg.index()) else {
                return report.add(Rule::MachineSsa, block, format!("{vreg} does not exist"));
            };
            if place.replace((block.index(), at)).is_some() {
                report.add(Rule::MachineSsa, block, format!("{vreg} is defined twice"));
            }
        };
        data.params.iter().for_each(|&param| define(param, 0));
        for (i, inst) in data.insts.iter().enumerate() {
            inst.defs().filter_map(|d| d.reg.vreg()).for_each(|vreg| define(vreg, i + 1));
        }
    }
    for &block in &f.layout {
        if !paths.reaches(block.index()) {
            continue;
        }
        let data = &f.blocks[block];
        let read = data
            .insts
            .iter()
            .enumerate()
            .flat_map(|(i, inst)| inst.uses().filter_map(|u| u.reg.vreg()).map(move |vreg| (vreg, i)));
        let passed = data.succs.iter().flat_map(|edge| edge.args.iter().map(|&arg| (arg, data.insts.len())));
        for (vreg, at) in read.chain(passed) {
            let fine = match defined.get(vreg.index()).copied().flatten() {
                Some((b, from)) if b == block.index() => from <= at,
                Some((b, _)) => paths.dominates(b, block.index()),
                None => false,
            };
            if !fine {
                let what = format!("{vreg} is read at {at} and not defined on every path there");
                report.add(Rule::MachineSsa, block, what);
            }
        }
    }
}
