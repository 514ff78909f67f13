//! Lanes that end while others of the warp come to a barrier of the block: C14 of `docs/convergence.md`.
//!
//! At a branch some lanes may go on to an end without a barrier of the block, and the others to one: `if (i >= n) { write; return; }`. The warp is not whole
//! at that barrier until the first have ended, and never if they wait for the others at a BSYNC. A WARPSYNC of all lanes in front of the barrier waits for them.
//!
//! What is followed along every path is whether lanes may have gone another path to an end, and if so the convergence barriers that were open where they
//! did: a BSYNC of one of these brings them back. An edge to nothing but the end does not count, as its lanes end at once.

use super::converge::{open_at, states, waits_for_all_at};
use super::instruction::{always, ends_thread, kind};
use crate::report::Report;
use crate::rules::Rule;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_isa::{ControlFlowKind as K, Meaning, RegClass};
use sassafras_machine::{Block, Function, MInst, Reg};

/// The convergence barriers that bring back lanes that went another path to an end; none: there are no such lanes.
type Away = Option<u16>;

fn is_barrier(inst: &MInst) -> bool {
    inst.inst().is_some_and(|inst| inst.row().meaning == Meaning::Bar)
}

/// Blocks from which a path leads to the end of the thread and passes no barrier of the block.
fn bare(f: &Function) -> FxHashSet<Block> {
    let mut preds: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
    for &block in &f.layout {
        f.blocks[block].succs.iter().for_each(|edge| preds.entry(edge.block).or_default().push(block));
    }
    let waits = |block: Block| f.blocks[block].insts.iter().any(is_barrier);
    let trap = |inst: &MInst| kind(inst) == Some(K::Trap);
    let ends = |block: &Block| {
        let insts = &f.blocks[*block].insts;
        insts.iter().any(ends_thread) && !insts.iter().any(trap)
    };
    let mut work: Vec<Block> = f.layout.iter().copied().filter(ends).collect();
    let mut found = FxHashSet::default();
    while let Some(block) = work.pop() {
        if !waits(block) && found.insert(block) {
            work.extend(preds.get(&block).into_iter().flatten());
        }
    }
    found
}

/// Whether a block does nothing but end the thread.
fn only_ends(f: &Function, block: Block) -> bool {
    let idle = |inst: &MInst| ends_thread(inst) || kind(inst) == Some(K::Break);
    f.blocks[block].succs.is_empty() && f.blocks[block].insts.iter().all(idle)
}

fn set(barriers: &[u16]) -> u16 {
    barriers.iter().filter(|&&b| b < 16).fold(0, |set, b| set | 1 << b)
}

/// What an instruction leaves of it.
fn after(inst: &MInst, away: Away) -> Away {
    if waits_for_all_at(inst) {
        return None;
    }
    let barrier = inst.operands().into_iter().find(|operand| operand.class == RegClass::B);
    match (kind(inst), barrier.map(|operand| operand.reg), away) {
        (Some(K::Sync), Some(Reg::Physical(b)), Some(open)) if open >> b & 1 != 0 => None,
        _ => away,
    }
}

/// Judges barriers of the block.
pub(super) fn check(f: &Function, report: &mut Report) {
    if !f.insts().any(|(.., inst)| is_barrier(inst)) {
        return;
    }
    let bare = bare(f);
    // What is amiss with them is said elsewhere.
    let open = states(f, &mut Report::of(&f.name));
    let parts = |block: Block| {
        let branch = |inst: &MInst| kind(inst) == Some(K::Branch) && !always(inst) && !inst.uniform;
        f.blocks[block].insts.iter().any(branch)
    };
    let mut enter: FxHashMap<Block, Away> = FxHashMap::from_iter([(f.entry, None)]);
    let mut work = vec![f.entry];
    while let Some(block) = work.pop() {
        let data = &f.blocks[block];
        let out = data.insts.iter().fold(enter[&block], |away, inst| after(inst, away));
        for edge in &data.succs {
            let leaves = |to: Block| to != edge.block && bare.contains(&to) && !only_ends(f, to);
            let mut new = out;
            if parts(block) && data.succs.iter().any(|other| leaves(other.block)) {
                let here = set(&open_at(f, &open, block, data.insts.len()));
                new = Some(out.map_or(here, |before| before & here));
            }
            let new = match enter.get(&edge.block) {
                None => new,
                Some(&old) => match (old, new) {
                    (Some(a), Some(b)) => Some(a & b),
                    (a, b) => a.or(b),
                },
            };
            if enter.insert(edge.block, new) != Some(new) {
                work.push(edge.block);
            }
        }
    }
    for &block in &f.layout {
        let Some(&(mut away)) = enter.get(&block) else { continue };
        for (i, inst) in f.blocks[block].insts.iter().enumerate() {
            if is_barrier(inst) && away.is_some() {
                let what = "a barrier of the block while lanes of the warp may be on their way to an end, without a WARPSYNC of all before it";
                report.add(Rule::ConvergeBarrier, format!("{block}, instruction {i}"), what);
            }
            away = after(inst, away);
        }
    }
}
