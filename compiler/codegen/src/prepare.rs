//! Makes a function ready for allocation.
//!
//! Does: takes unreachable blocks out of the layout, cuts blocks behind an instruction that transfers control
//! (SetControlFlowOpLastInBB), splits critical edges, marks branches that are uniform, and names
//! every instruction (`origin`). Does not: change an instruction. Needs: `Phase::Ssa`. Preserves: SSA, meaning.

use crate::{Error, uniform};
use sassafras_graph::{ControlFlow, critical_edges};
use sassafras_machine::{Edge, Function, Phase};

/// What [`prepare`](prepare()) did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PrepareStats {
    /// Blocks that were not reached.
    pub unreachable: usize,
    /// Blocks that were cut.
    pub cut: usize,
    /// Edges that got a block of their own.
    pub split: usize,
    /// Conditional branches found uniform.
    pub uniform: usize,
}

/// See the head of this file.
pub fn prepare(f: &mut Function) -> Result<PrepareStats, Error> {
    Error::unless("prepare", Phase::Ssa, f.phase)?;
    let unreachable = f.remove_unreachable();
    let cut = f.set_control_flow_last();
    let critical = critical_edges(&f.graph());
    for &(from, index) in &critical {
        let middle = f.add_block();
        let old = std::mem::replace(&mut f.blocks[from].succs[index], Edge::to(middle));
        if index == 0
            && let Some(last) = f.blocks[from].insts.last_mut().filter(|last| last.target.is_some())
        {
            last.target = Some(middle);
        }
        f.blocks[middle].succs = vec![old];
        f.blocks[middle].line = f.blocks[from].line;
    }
    let uniform = uniform::mark(f);
    let mut next = 0;
    for &block in &f.layout {
        for inst in f.blocks[block].insts.iter_mut() {
            inst.origin = Some(next);
            next += 1;
        }
    }
    check_shape(f)?;
    Ok(PrepareStats { unreachable, cut, split: critical.len(), uniform })
}

/// That blocks end as the machine crate says: the stages behind rely on it.
fn check_shape(f: &Function) -> Result<(), Error> {
    let graph = f.graph();
    for &block in &f.layout {
        let data = &f.blocks[block];
        let last = data.insts.len().wrapping_sub(1);
        for (index, inst) in data.insts.iter().enumerate() {
            let branch = inst.target.is_some();
            if branch && (index != last || data.succs.len() != 2) {
                return Err(Error::malformed(
                    block,
                    index,
                    "a branch that does not end a block of two successors",
                ));
            }
            if branch && inst.target != Some(data.succs[0].block) {
                return Err(Error::malformed(
                    block,
                    index,
                    "a branch that does not go to the first successor",
                ));
            }
        }
        match data.succs.len() {
            0 if !data.insts.last().is_some_and(|last| last.transfers_control()) => {
                return Err(Error::malformed(
                    block,
                    last,
                    "a block without successors that does not end the thread",
                ));
            }
            2 if data.insts.last().is_none_or(|last| last.target.is_none()) => {
                return Err(Error::malformed(block, last, "two successors and no branch"));
            }
            0..=2 => {}
            _ => return Err(Error::malformed(block, last, "more than two successors")),
        }
        for edge in &data.succs {
            let params = f.blocks[edge.block].params.len();
            if edge.args.len() != params {
                let what =
                    format!("{} arguments for the {params} parameters of {}", edge.args.len(), edge.block);
                return Err(Error::malformed(block, last, what));
            }
        }
    }
    if !graph.preds(f.entry).is_empty() || !f.blocks[f.entry].params.is_empty() {
        return Err(Error::malformed(f.entry, 0, "the entry has predecessors or parameters"));
    }
    Ok(())
}
