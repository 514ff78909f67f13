//! The ends of blocks: exits in place of branches to them, and explicit branches in a given order.

use super::LayoutStats;
use crate::{Error, expand::make};
use sassafras_isa::{Chip, ControlFlowKind};
use sassafras_machine::{Block, BlockData, Function, MInst};

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
        let succs: Vec<Block> = f.blocks[block].succs.iter().map(|edge| edge.block).collect();
        let line = f.blocks[block].line;
        let BlockData { insts, succs: edges, .. } = &mut f.blocks[block];
        let mut to_place = |insts: &mut Vec<MInst>, to: Block| -> Result<(), Error> {
            if Some(to) != next {
                insts.push(jump(chip, to)?.from_line(line));
                stats.jumps += 1;
            }
            Ok(())
        };
        match succs[..] {
            [] => {}
            [to] => to_place(insts, to)?,
            [taken, otherwise] => {
                let last = insts
                    .last_mut()
                    .ok_or_else(|| Error::malformed(block, 0, "two successors and no branch"))?;
                let neither = Some(taken) != next && Some(otherwise) != next;
                let turn = Some(taken) == next || neither && likelier(block, otherwise, taken);
                if taken == otherwise {
                    insts.pop();
                    edges.pop();
                    to_place(insts, taken)?;
                } else if turn && inverts(last) {
                    last.target = Some(otherwise);
                    if let Some(real) = last.inst_mut() {
                        real.guard.negate = !real.guard.negate;
                    }
                    stats.inverted += 1;
                    to_place(insts, taken)?;
                } else {
                    to_place(insts, otherwise)?;
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

/// Branches to a block of one `exit` become that `exit`. Returns how many.
pub(super) fn exit_at_once(f: &mut Function) -> Result<usize, Error> {
    let mut count = 0;
    let plain_exit = |f: &Function, block: Block| match &f.blocks[block].insts[..] {
        [only] => only
            .inst()
            .filter(|real| real.row().control_flow == Some(ControlFlowKind::Exit) && real.guard.is_always())
            .map(|real| MInst::new(real.clone()).from_line(only.line)),
        _ => None,
    };
    for &block in &f.layout.clone() {
        let succs: Vec<Block> = f.blocks[block].succs.iter().map(|edge| edge.block).collect();
        let ends: Vec<_> = succs.iter().map(|&succ| plain_exit(f, succ)).collect();
        let data = &mut f.blocks[block];
        match (&succs[..], &ends[..]) {
            ([_], [Some(exit)]) => {
                data.insts.push(exit.clone());
                data.succs.clear();
            }
            ([_, _], [first, second]) if first.is_some() != second.is_some() => {
                let Some(last) = data.insts.last_mut().filter(|last| inverts(last)) else { continue };
                let Some(branch) = last.inst_mut() else { continue };
                let mut guard = branch.guard;
                guard.negate ^= second.is_some();
                let Some(mut exit) = first.clone().or_else(|| second.clone()) else { continue };
                let Some(real) = exit.inst_mut() else { continue };
                real.guard = guard;
                *last = MInst { origin: last.origin, line: last.line, ..exit };
                data.succs.remove(usize::from(second.is_some()));
            }
            _ => continue,
        }
        count += 1;
    }
    Ok(count)
}

/// Whether negating the guard negates the branch: not when the form has a further condition that is in use.
fn inverts(branch: &MInst) -> bool {
    let Some(real) = branch.inst() else { return false };
    !real.guard.is_always()
        && real.row().fields.iter().zip(&real.fields).all(|(f, &value)| !f.read || value == f.default)
}
