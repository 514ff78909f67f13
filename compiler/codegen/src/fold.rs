//! Branch folding: equal tails become one, branches that decide nothing go, equal beginnings move up.
//!
//! Does: three transformations until none finds anything. `tail` joins equal ends of blocks that go on alike (TailMergeBlocks), `branches`
//! takes out empty blocks, branches to one place and joins (OptimizeBranches), `hoist` moves what both sides of a branch begin with in front of it
//! (HoistCommonCode). `settle` does what is left of OptimizeBranches when blocks have their order.
//! Does not: change what any lane executes, or with whom it executes what sees other lanes; make a reducible graph irreducible.
//! Needs: `Phase::Allocated`, no pseudo-instructions, no convergence barriers yet: these are placed on the graph that is left.
//! Preserves: the phase, names of blocks. What it merged is recorded for its judge ([`Merge`]).
//!
//! Behaviour follows LLVM's documentation and tests of BranchFolding; a condition on reducibility and one on lanes stand where LLVM gives up
//! on targets such as this (`docs/decisions.md`).
//!
//! Every round has fewer instructions, or as many and fewer blocks, or as many of both and fewer branches; so it ends.

mod branches;
mod equal;
mod hoist;
mod knobs;
mod lanes;
pub mod reducible;
pub mod reserved;
mod settle;
mod tail;

pub use equal::hash;
pub use knobs::{Knob, Knobs, Setting, TABLE};
pub use settle::{SettleStats, settle};

use crate::Error;
use sassafras_isa::ControlFlowKind;
use sassafras_machine::{Function, Merge, Phase};

/// The name by which `--disable-phase` knows it, and LLVM's of the pass.
pub const BRANCH_FOLDER: &str = "branch-folder";

/// Why two tails stayed apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Gate {
    /// Gate 1: fewer equal instructions than `tail-merge-size`.
    Length,
    /// Gate 2: the end of a block is not understood.
    Branch,
    /// Gate 3: the tail reads a reserved register.
    Reserved,
    /// Gate 4: no instruction would be saved.
    Profit,
    /// A cycle would have two entries.
    Reducible,
}

impl Gate {
    /// All of them, in their order.
    pub const ALL: [Gate; 5] = [Gate::Length, Gate::Branch, Gate::Reserved, Gate::Profit, Gate::Reducible];

    /// How statistics name what it kept apart.
    pub fn name(self) -> &'static str {
        match self {
            Gate::Length => "kept_by_length",
            Gate::Branch => "kept_by_branch",
            Gate::Reserved => "kept_by_reserved",
            Gate::Profit => "kept_by_profit",
            Gate::Reducible => "kept_by_reducible",
        }
    }
}

/// What [`fold`](fold()) did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FoldStats {
    /// What was merged and hoisted, in order.
    pub merges: Vec<Merge>,
    /// Pairs of tails that a gate kept apart, in order; a pair may come again in a later round.
    pub rejected: Vec<Gate>,
    /// Pairs of blocks whose ends were compared.
    pub compared: usize,
    /// Instructions of which a copy went away, branches included.
    pub saved: usize,
    /// Branches whose two ways were one.
    pub same: usize,
    /// Blocks joined with their only successor.
    pub joined: usize,
    /// Blocks that nothing leads to any more.
    pub unreachable: usize,
    /// Rounds, the last of which found nothing.
    pub rounds: usize,
}

/// See the head of this file.
///
/// # Errors
/// The function is in another phase, has a pseudo-instruction, or a convergence barrier.
pub fn fold(f: &mut Function, knobs: &Knobs) -> Result<FoldStats, Error> {
    Error::unless(BRANCH_FOLDER, Phase::Allocated, f.phase)?;
    expect_shape(f)?;
    let mut stats = FoldStats::default();
    if knobs.disable {
        return Ok(stats);
    }
    loop {
        stats.rounds += 1;
        let merged = tail::merge(f, knobs, &mut stats);
        let optimised = branches::optimise(f, &mut stats);
        let hoisted = hoist::hoist(f, &mut stats);
        if !(merged || optimised || hoisted) {
            return Ok(stats);
        }
    }
}

/// References to a block are its edges and the branch at its predecessor's end; a barrier would be one more.
fn expect_shape(f: &Function) -> Result<(), Error> {
    for (block, index, inst) in f.insts() {
        let Some(real) = inst.inst() else {
            return Err(Error::malformed(block, index, "a pseudo-instruction behind expansion"));
        };
        use ControlFlowKind as K;
        if matches!(real.row().control_flow, Some(K::Push | K::Sync | K::Break)) {
            return Err(Error::malformed(block, index, "a convergence barrier in front of folding"));
        }
        let data = &f.blocks[block];
        if inst.target.is_some() && (index + 1 != data.insts.len() || data.succs.len() != 2) {
            return Err(Error::malformed(
                block,
                index,
                "a branch that does not end a block of two successors",
            ));
        }
    }
    Ok(())
}
