//! Moves of a loop's back edge that can stand in front of the branch: then the block on the split edge is empty, and the branch goes to the head itself.
//!
//! Legal for a parameter of the head that neither the other way nor the branch reads, old as it is. Of use where the other way does not read the
//! argument either, nor what shares its register: argument and parameter would both be live there, and could not share one.

use crate::arrange::live_out;
use rustc_hash::FxHashSet;
use sassafras_graph::{ControlFlow, Dominators, SecondaryMap};
use sassafras_machine::{Block, Function, Pseudo, VReg};

/// By block on a split back edge: its one predecessor, and the head's parameters that are written there already.
#[derive(Debug, Default)]
pub struct Early {
    of: SecondaryMap<Block, Option<Vec<VReg>>>,
    middle: SecondaryMap<Block, Option<Block>>,
}

impl Early {
    /// Whether the block in front of `middle` writes the parameter.
    pub fn has(&self, middle: Block, param: VReg) -> bool {
        self.of[middle].as_ref().is_some_and(|params| params.contains(&param))
    }

    /// The block on the back edge of `latch`, if some of its moves stand in `latch`.
    pub fn behind(&self, latch: Block) -> Option<Block> {
        self.middle[latch]
    }
}

/// Finds them.
pub fn early(f: &Function) -> Early {
    let mut early = Early::default();
    let graph = f.graph();
    let dominators = Dominators::new(&graph);
    let mut known = None;
    for &middle in &f.layout {
        let data = &f.blocks[middle];
        let ([latch], [edge]) = (&graph.preds(middle)[..], &data.succs[..]) else { continue };
        let ends = &f.blocks[*latch];
        let branch = ends.insts.last().filter(|last| last.target.is_some() && ends.succs.len() == 2);
        let (Some(branch), true) =
            (branch, data.insts.is_empty() && dominators.dominates(edge.block, middle))
        else {
            continue;
        };
        let Some(other) = ends.succs.iter().find(|edge| edge.block != middle) else { continue };
        let (live, shared) = known.get_or_insert_with(|| (live_out(f), shared(f)));
        let mut kept = entering(f, live, other.block);
        kept.extend(&other.args);
        let lives: FxHashSet<VReg> = kept.iter().map(|&vreg| root(shared, vreg)).collect();
        kept.extend(branch.uses().filter_map(|operand| operand.reg.vreg()));
        // What the other moves read is read behind these.
        let pairs = || f.blocks[edge.block].params.iter().zip(&edge.args).filter(|(param, arg)| param != arg);
        let moved =
            pairs().filter(|(param, arg)| !kept.contains(param) && !lives.contains(&root(shared, **arg)));
        let mut moved: Vec<VReg> = moved.map(|(&param, _)| param).collect();
        loop {
            let read = |param: &VReg| pairs().any(|(to, arg)| !moved.contains(to) && arg == param);
            let stays: Vec<VReg> = moved.iter().copied().filter(read).collect();
            if stays.is_empty() {
                break;
            }
            moved.retain(|param| !stays.contains(param));
        }
        if moved.is_empty() {
            continue;
        }
        // Both ways of a block may lead back. One of them is followed more often, that to the inner head.
        if let Some(before) = early.middle[*latch] {
            let outer = f.blocks[before].succs.iter().all(|to| dominators.dominates(to.block, edge.block));
            if !outer {
                continue;
            }
            early.of[before] = None;
        }
        early.of[middle] = Some(moved);
        early.middle[*latch] = Some(middle);
    }
    early
}

/// What the block reads of what is made before it, or hands on.
fn entering(f: &Function, live: &SecondaryMap<Block, Vec<VReg>>, block: Block) -> FxHashSet<VReg> {
    let data = &f.blocks[block];
    let read = data.insts.iter().flat_map(|inst| inst.uses()).filter_map(|operand| operand.reg.vreg());
    read.chain(live[block].iter().copied()).collect()
}

/// Another register of those that copies and packs join it with, or none.
type Shared = SecondaryMap<VReg, Option<VReg>>;

fn root(shared: &Shared, mut vreg: VReg) -> VReg {
    while let Some(next) = shared[vreg] {
        vreg = next;
    }
    vreg
}

/// Which registers copies and packs join.
fn shared(f: &Function) -> Shared {
    let mut shared = Shared::new();
    for (_, _, inst) in f.insts() {
        let Some(Pseudo::Copy { .. } | Pseudo::Pack { .. }) = inst.as_pseudo() else { continue };
        let [uses, defs] = [inst.uses().collect::<Vec<_>>(), inst.defs().collect()];
        for vreg in defs.iter().chain(&uses).filter_map(|operand| operand.reg.vreg()) {
            let Some(first) = defs.first().and_then(|def| def.reg.vreg()) else { continue };
            let (from, to) = (root(&shared, vreg), root(&shared, first));
            if from != to {
                shared[from] = Some(to);
            }
        }
    }
    shared
}
