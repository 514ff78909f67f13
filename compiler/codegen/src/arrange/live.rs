//! Which values live at the end of each block, in SSA: from each use back to the definition (Boissinot et al., "Computing Liveness Sets for SSA-Form
//! Programs", 2011). Time and memory follow the size of the result.

use rustc_hash::FxHashSet;
use sassafras_graph::{ControlFlow, SecondaryMap};
use sassafras_machine::{Block, Function, VReg};

/// Values by block.
pub(crate) type Live = SecondaryMap<Block, Vec<VReg>>;

/// Values that are read behind the block, or that its edges pass on; in no order.
pub fn live_out(f: &Function) -> Live {
    let graph = f.graph();
    let mut home: SecondaryMap<VReg, Option<Block>> = SecondaryMap::new();
    for &block in &f.layout {
        let data = &f.blocks[block];
        data.params.iter().for_each(|&param| home[param] = Some(block));
        let defined = data.insts.iter().flat_map(|inst| inst.defs()).filter_map(|def| def.reg.vreg());
        defined.for_each(|vreg| home[vreg] = Some(block));
    }
    let mut found = Live::new();
    let mut seen: FxHashSet<(Block, VReg)> = FxHashSet::default();
    let mut stack: Vec<(Block, VReg)> = Vec::new();
    for &block in &f.layout {
        let data = &f.blocks[block];
        let read = data.insts.iter().flat_map(|inst| inst.uses()).filter_map(|operand| operand.reg.vreg());
        for vreg in read.filter(|&vreg| home[vreg] != Some(block)) {
            stack.extend(graph.preds(block).iter().map(|&pred| (pred, vreg)));
        }
        stack.extend(data.succs.iter().flat_map(|edge| &edge.args).map(|&arg| (block, arg)));
        while let Some((at, vreg)) = stack.pop() {
            if !seen.insert((at, vreg)) {
                continue;
            }
            found[at].push(vreg);
            if home[vreg].is_some_and(|home| home != at) {
                stack.extend(graph.preds(at).iter().map(|&pred| (pred, vreg)));
            }
        }
    }
    found
}
