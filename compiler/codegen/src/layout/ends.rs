//! The ends of blocks: exits in place of branches to them, and explicit branches in a given order.

use super::LayoutStats;
use crate::{Error, expand::make};
use sassafras_graph::Dominators;
use sassafras_isa::{Chip, ControlFlowKind};
use sassafras_machine::{Block, BlockData, Edge, Function, MInst};

/// Makes every branch explicit that does not fall through in the layout; turns a branch around where that saves one, or where neither way follows
/// and `likelier` says that the other is taken more often.
pub(super) fn write(
    f: &mut Function,
    stats: &mut LayoutStats,
    likelier: &dyn Fn(Block, Block, Block) -> bool,
) -> Result<(), Error> {
    let chip = f.chip;
    for (at, block) in f.layout.clone().into_iter().enumerate() {
        let next = f.layout.get(at + 1).copied();
        let mut succs: Vec<Block> = f.blocks[block].succs.iter().map(|edge| edge.block).collect();
        // The other way follows, so that no jump is needed.
        if succs.iter().any(|&to| Some(to) == next && plain_exit(f, to).is_none()) && guarded_exit(f, block) {
            succs.retain(|&to| Some(to) == next);
            stats.exits += 1;
        }
        let exits: Vec<_> = succs.iter().filter_map(|&to| Some((to, plain_exit(f, to)?))).collect();
        let line = f.blocks[block].line;
        let BlockData { insts, succs: edges, .. } = &mut f.blocks[block];
        let mut to_place = |insts: &mut Vec<MInst>, edges: &mut Vec<Edge>, to: Block| -> Result<(), Error> {
            if Some(to) == next {
                return Ok(());
            }
            if let Some((_, exit)) = exits.iter().find(|(block, _)| *block == to) {
                insts.push(exit.clone());
                edges.retain(|edge| edge.block != to);
                stats.exits += 1;
            } else {
                insts.push(jump(chip, to)?.from_line(line));
                stats.jumps += 1;
            }
            Ok(())
        };
        match succs[..] {
            [] => {}
            [to] => to_place(insts, edges, to)?,
            [taken, otherwise] => {
                let last = insts
                    .last_mut()
                    .ok_or_else(|| Error::malformed(block, 0, "two successors and no branch"))?;
                let neither = Some(taken) != next && Some(otherwise) != next;
                let turn = Some(taken) == next || neither && likelier(block, otherwise, taken);
                if taken == otherwise {
                    insts.pop();
                    edges.pop();
                    to_place(insts, edges, taken)?;
                } else if turn && inverts(last) {
                    last.target = Some(otherwise);
                    if let Some(real) = last.inst_mut() {
                        real.guard.negate = !real.guard.negate;
                    }
                    stats.inverted += 1;
                    to_place(insts, edges, taken)?;
                } else {
                    to_place(insts, edges, otherwise)?;
                }
            }
            _ => return Err(Error::malformed(block, insts.len(), "more than two successors")),
        }
    }
    Ok(())
}

/// An unconditional branch, which all lanes take together.
fn jump(chip: Chip, to: Block) -> Result<MInst, Error> {
    let mut branch = MInst::new(make(chip, "bra", &[])?);
    branch.target = Some(to);
    branch.uniform = true;
    Ok(branch)
}

/// Branches to a block of one `exit` become that `exit`. A loop's last branch stays: it may go to the head, and need no jump behind it. Returns how many.
pub(super) fn exit_at_once(f: &mut Function) -> usize {
    let mut count = 0;
    let dominators = Dominators::new(&f.graph());
    for &block in &f.layout.clone() {
        let succs: Vec<Block> = f.blocks[block].succs.iter().map(|edge| edge.block).collect();
        let changed = match succs[..] {
            [to] => exit_in_place(f, block, to),
            [one, other] if !dominators.dominates(one, block) && !dominators.dominates(other, block) => {
                guarded_exit(f, block)
            }
            _ => false,
        };
        count += usize::from(changed);
    }
    count
}

/// The instruction of a block that does nothing but `exit`.
fn plain_exit(f: &Function, block: Block) -> Option<MInst> {
    let [only] = &f.blocks[block].insts[..] else { return None };
    let real = only.inst()?;
    let exit = real.row().control_flow == Some(ControlFlowKind::Exit) && real.guard.is_always();
    exit.then(|| MInst::new(real.clone()).from_line(only.line))
}

/// Where the block would go on to a plain `exit`, puts that at its end. Whether it did.
fn exit_in_place(f: &mut Function, block: Block, to: Block) -> bool {
    let Some(exit) = plain_exit(f, to) else { return false };
    let data = &mut f.blocks[block];
    data.insts.push(exit);
    data.succs.retain(|edge| edge.block != to);
    true
}

/// Where one way of the block's branch leads to a plain `exit`, makes the branch a guarded `exit`. Whether it did.
fn guarded_exit(f: &mut Function, block: Block) -> bool {
    let ends: Vec<_> = f.blocks[block].succs.iter().map(|edge| plain_exit(f, edge.block)).collect();
    let (mut exit, second) = match &ends[..] {
        [Some(exit), None] => (exit.clone(), false),
        [None, Some(exit)] => (exit.clone(), true),
        _ => return false,
    };
    let data = &mut f.blocks[block];
    let Some(last) = data.insts.last_mut().filter(|last| inverts(last)) else { return false };
    let (Some(branch), Some(real)) = (last.inst(), exit.inst_mut()) else { return false };
    real.guard = branch.guard;
    real.guard.negate ^= second;
    *last = MInst { origin: last.origin, line: last.line, ..exit };
    data.succs.remove(usize::from(second));
    true
}

/// Whether negating the guard negates the branch: not when the form has a further condition that is in use.
fn inverts(branch: &MInst) -> bool {
    let Some(real) = branch.inst() else { return false };
    !real.guard.is_always()
        && real.row().fields.iter().zip(&real.fields).all(|(f, &value)| !f.read || value == f.default)
}
