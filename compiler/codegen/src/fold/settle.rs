//! OptimizeBranches, as far as it depends on the order of blocks: cases 4, 5 and 6. This is what `branch-fold-placement` runs behind placement.
//!
//! Does: (4) takes out a branch to the block behind; (5) turns a condition around that leads to the block behind, so that one branch is left where
//! there were two; (6) moves a block that ends the thread behind all others, where the block in front of it then falls into what it branched to. Does not:
//! change where control goes. Needs and preserves: `Phase::Placed`.
//!
//! Placement leaves nothing for (4) and (5), and seldom something for (6), since it writes branches for the order that it has chosen. Tails are not merged
//! here: convergence barriers stand already, and lanes would have to meet at a tail that no barrier waits for.

use super::equal::{inverts, is_branch};
use crate::Error;
use sassafras_machine::{Block, Function, MInst, Phase};

/// What [`settle`](settle()) did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SettleStats {
    /// Branches to the block behind that went.
    pub redundant: usize,
    /// Conditions turned around, so that a branch went.
    pub turned: usize,
    /// Blocks moved to the end.
    pub moved: usize,
}

/// See the head of this file. `worth` is the score of an order: (6) lowers it never.
///
/// # Errors
/// The function is in another phase.
pub fn settle(f: &mut Function, worth: impl Fn(&[Block]) -> f64) -> Result<SettleStats, Error> {
    Error::unless(super::BRANCH_FOLDER, Phase::Placed, f.phase)?;
    let mut stats = SettleStats::default();
    loop {
        let before = stats;
        for at in 0..f.layout.len() {
            let (block, next) = (f.layout[at], f.layout.get(at + 1).copied());
            stats.redundant += usize::from(redundant(&mut f.blocks[block].insts, next));
            stats.turned += usize::from(turn(&mut f.blocks[block].insts, next));
        }
        for at in 0..f.layout.len() {
            stats.moved += usize::from(move_end(f, at, &worth));
        }
        if stats == before {
            return Ok(stats);
        }
    }
}

/// Whether it is a branch that is always taken.
fn jumps(inst: &MInst) -> bool {
    is_branch(inst) && inst.inst().is_some_and(|real| real.guard.is_always())
}

/// Case 4, and a condition that leads to the block into which it falls.
fn redundant(insts: &mut Vec<MInst>, next: Option<Block>) -> bool {
    let goes = |last: &MInst| is_branch(last) && last.target.is_some() && last.target == next;
    let found = insts.last().is_some_and(goes);
    if found {
        insts.pop();
    }
    found
}

/// Case 5.
fn turn(insts: &mut Vec<MInst>, next: Option<Block>) -> bool {
    let [.., condition, jump] = &mut insts[..] else { return false };
    let wanted =
        jumps(jump) && is_branch(condition) && condition.target.is_some() && condition.target == next;
    if !wanted || !inverts(condition) {
        return false;
    }
    condition.target = jump.target;
    if let Some(real) = condition.inst_mut() {
        real.guard.negate = !real.guard.negate;
    }
    insts.pop();
    true
}

/// Case 6: the block behind position `at` ends the thread, and that at `at` branches past it to a block from which the function goes on.
fn move_end(f: &mut Function, at: usize, worth: &impl Fn(&[Block]) -> f64) -> bool {
    let (Some(&end), Some(&behind)) = (f.layout.get(at + 1), f.layout.get(at + 2)) else { return false };
    let ends =
        f.blocks[end].succs.is_empty() && f.blocks[end].insts.last().is_some_and(MInst::transfers_control);
    let goes_on = !f.blocks[behind].succs.is_empty();
    let Some(last) = f.blocks[f.layout[at]].insts.last_mut() else { return false };
    if !ends || !goes_on || !is_branch(last) || last.target != Some(behind) || !inverts(last) {
        return false;
    }
    let mut moved = f.layout.clone();
    moved.remove(at + 1);
    moved.push(end);
    if worth(&moved) < worth(&f.layout) {
        return false;
    }
    last.target = Some(end);
    if let Some(real) = last.inst_mut() {
        real.guard.negate = !real.guard.negate;
    }
    f.layout = moved;
    true
}
