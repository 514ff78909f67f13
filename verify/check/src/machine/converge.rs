//! Convergence barriers: P1 and P2 of `docs/convergence.md`, by following every path.

use super::instruction::{always, kind};
use super::meeting::{Demand, Meetings};
use super::waits::{self, Wait};
use crate::report::Report;
use crate::rules::Rule;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_graph::Entity;
use sassafras_isa::{ControlFlowKind as K, Inst, Meaning, RegClass};
use sassafras_machine::{Block, Function, MInst, Reg};
use std::collections::{BTreeMap, VecDeque};

/// A barrier that is open: its number and where its BSSY says lanes meet.
pub(super) type Open = (u16, Option<Block>);

/// The barrier that BSSY, BSYNC or BREAK names.
fn barrier(inst: &MInst) -> Option<u16> {
    if !matches!(kind(inst), Some(K::Push | K::Sync | K::Break)) {
        return None;
    }
    let operand = inst.operands().into_iter().find(|operand| operand.class == RegClass::B)?;
    match operand.reg {
        Reg::Physical(number) => Some(number),
        Reg::Virtual(..) => None,
    }
}

/// Follows the open barriers through one block. Reports only when `report` is there, so that a fixed point says
/// each thing once.
fn walk(f: &Function, block: Block, mut open: Vec<Open>, mut report: Option<&mut Report>) -> Vec<Open> {
    for (i, inst) in f.blocks[block].insts.iter().enumerate() {
        let mut say = |rule, message: String| {
            if let Some(report) = &mut report {
                report.add(rule, format!("{block}, instruction {i}"), message);
            }
        };
        match (kind(inst), barrier(inst)) {
            (Some(K::Push), Some(b)) => {
                if open.iter().any(|&(other, _)| other == b) {
                    say(Rule::ConvergeSet, format!("B{b} is set while it is open"));
                    open.retain(|&(other, _)| other != b);
                }
                let waited = inst.target.is_some_and(|t| waits(f, t, b));
                if !waited {
                    say(Rule::ConvergeTarget, format!("BSSY B{b}, and no BSYNC B{b} stands where it says"));
                }
                open.push((b, inst.target));
            }
            (Some(K::Sync), Some(b)) => match open.iter().rposition(|&(other, _)| other == b) {
                Some(at) => {
                    if at + 1 != open.len() {
                        say(
                            Rule::ConvergeSync,
                            format!("BSYNC B{b} while {} is open inside", names(&open[at + 1..])),
                        );
                    }
                    let (_, target) = open.remove(at);
                    if target != Some(block) {
                        say(Rule::ConvergeTarget, format!("BSYNC B{b}, but its BSSY names {target:?}"));
                    }
                }
                None => say(Rule::ConvergeSync, format!("BSYNC B{b}, which is not open")),
            },
            (Some(K::Break), Some(b)) => {
                if !always(inst) || !open.iter().any(|&(other, _)| other == b) {
                    say(Rule::ConvergeBreak, format!("BREAK B{b} under a guard, or while B{b} is not open"));
                }
                open.retain(|&(other, _)| other != b);
            }
            _ => {}
        }
    }
    open
}

/// Whether the block has a BSYNC of the barrier.
fn waits(f: &Function, block: Block, b: u16) -> bool {
    f.blocks[block].insts.iter().any(|inst| kind(inst) == Some(K::Sync) && barrier(inst) == Some(b))
}

fn names(open: &[Open]) -> String {
    open.iter().map(|(b, _)| format!("B{b}")).collect::<Vec<_>>().join(", ")
}

/// Where lanes meet, by block index. A block of nothing but BREAK belongs to the edge that it is on, and is none.
pub(super) fn meetings(f: &Function) -> Meetings {
    let index = |block: Block| block.index();
    let mut succs = vec![Vec::new(); f.blocks.len()];
    let mut ends = vec![false; f.blocks.len()];
    let mut waits = vec![false; f.blocks.len()];
    for &block in &f.layout {
        let data = &f.blocks[block];
        succs[index(block)] = data.succs.iter().map(|edge| index(past_breaks(f, edge.block))).collect();
        let over = |inst: &MInst| matches!(kind(inst), Some(K::Exit | K::Trap));
        waits[index(block)] = waits_for_all(f, block) || data.insts.iter().any(|inst| inst.scattered);
        ends[index(block)] = data.succs.is_empty() && data.insts.iter().all(over);
    }
    Meetings::new(index(f.entry), succs, ends, waits)
}

/// Checks a placed function.
pub(super) fn check(f: &Function, report: &mut Report) {
    let enter = states(f, report);
    let index = |block: Block| block.index();
    let mut meetings = meetings(f);
    let looks = looks_at_group(f);
    let names: FxHashMap<usize, Block> = f.layout.iter().map(|&block| (index(block), block)).collect();
    let mut waits = Vec::new();
    let marked = |block: &Block| f.blocks[*block].insts.iter().any(|inst| inst.scattered);
    let scattered: Vec<usize> = f.layout.iter().copied().filter(marked).map(index).collect();
    for &block in &f.layout {
        let Some(open) = enter.get(&block).cloned() else { continue };
        walk(f, block, open.clone(), Some(report));
        let succs = &f.blocks[block].succs;
        for (i, inst) in f.blocks[block].insts.iter().enumerate() {
            if let (Some(K::Sync), Some(barrier)) = (kind(inst), barrier(inst)) {
                let open = upto(f, block, i, open.clone()).into_iter().map(|(other, _)| other);
                let inside = open.filter(|&other| other != barrier).collect();
                waits.push(Wait { block, index: i, barrier, inside });
            }
            let parts = kind(inst) == Some(K::Branch) && !always(inst) && !inst.uniform;
            if !parts || succs.iter().all(|edge| edge.block == succs[0].block) {
                continue;
            }
            let open = upto(f, block, i, open.clone());
            // P2: where all barriers are open lanes may meet further out.
            let mut used: Vec<u16> = open.iter().map(|&(barrier, _)| barrier).collect();
            used.sort_unstable();
            used.dedup();
            if used.len() == BARRIERS && !looks {
                continue;
            }
            for (level, demand) in meetings.demands(index(block)) {
                let what = match demand {
                    Demand::At(meet) if open.iter().any(|(_, at)| *at == names.get(&meet).copied()) => {
                        continue;
                    }
                    // P1: where lanes come one by one they are not counted on as together behind it.
                    _ if !scattered.is_empty() && meetings.reached_from(&scattered, level, demand) => {
                        continue;
                    }
                    Demand::At(meet) => format!("at {}", names[&meet]),
                    Demand::Bottom(header) => format!("at the bottom of the loop of {}", names[&header]),
                };
                report.add(
                    Rule::ConvergeBranch,
                    format!("{block}, instruction {i}"),
                    format!("lanes that part here meet {what}, where no open barrier is waited at"),
                );
            }
        }
    }
    waits::check(&waits, report);
}

/// Whether lanes wait in a block for all of the warp that have not exited (P1: they do not meet behind it).
pub(super) fn waits_for_all(f: &Function, block: Block) -> bool {
    f.blocks[block].insts.iter().any(waits_for_all_at)
}

/// Whether lanes wait at an instruction for all of the warp that have not exited.
pub(super) fn waits_for_all_at(inst: &MInst) -> bool {
    inst.inst().is_some_and(|inst: &Inst| match inst.row().meaning {
        Meaning::WarpsyncAll => true,
        Meaning::Warpsync => inst.get("m") == Some(0xffff_ffff),
        _ => inst.row().id == "warpsync.collective.all",
    })
}

/// Barriers of a warp (`docs/convergence.md`).
const BARRIERS: usize = 16;

/// Whether an operation of C13 comes without a WARPSYNC before it in its block.
fn looks_at_group(f: &Function) -> bool {
    use sassafras_isa::Meaning as M;
    f.layout.iter().any(|&block| {
        for inst in f.blocks[block].insts.iter().filter_map(MInst::inst) {
            match (inst.row().control_flow, inst.row().meaning) {
                (Some(K::Warp), meaning) if meaning != M::Yield => return false,
                (_, M::Shfl | M::Vote | M::Voteu | M::Match | M::Redux | M::Elect) => return true,
                (_, M::Ldsm | M::Stsm | M::Movm | M::Hmma | M::Imma | M::Dmma | M::Bmma) => return true,
                _ => {}
            }
        }
        false
    })
}

/// What an edge leads to: a block of nothing but BREAK belongs to the edge that it is on.
pub(super) fn past_breaks(f: &Function, mut block: Block) -> Block {
    let is_break = |inst: &MInst| kind(inst) == Some(K::Break);
    let leaves = |inst: &MInst| is_break(inst) || kind(inst) == Some(K::Branch) && always(inst);
    for _ in 0..f.blocks.len() {
        let data = &f.blocks[block];
        match &data.succs[..] {
            [edge] if data.insts.iter().any(is_break) && data.insts.iter().all(leaves) => block = edge.block,
            _ => break,
        }
    }
    block
}

/// What is open before an instruction of a block that is reached.
pub(super) fn open_at(f: &Function, enter: &FxHashMap<Block, Vec<Open>>, block: Block, i: usize) -> Vec<u16> {
    let open = enter.get(&block).cloned().unwrap_or_default();
    upto(f, block, i, open).into_iter().map(|(barrier, _)| barrier).collect()
}

/// What is open before instruction `i`.
fn upto(f: &Function, block: Block, end: usize, mut open: Vec<Open>) -> Vec<Open> {
    for inst in &f.blocks[block].insts[..end] {
        match (kind(inst), barrier(inst)) {
            (Some(K::Push), Some(b)) => open.push((b, inst.target)),
            (Some(K::Sync | K::Break), Some(b)) => open.retain(|&(other, _)| other != b),
            _ => {}
        }
    }
    open
}

/// What is open at the start of each block that is reached. Where paths disagree, what they share counts.
pub(super) fn states(f: &Function, report: &mut Report) -> FxHashMap<Block, Vec<Open>> {
    let mut enter: FxHashMap<Block, Vec<Open>> = FxHashMap::from_iter([(f.entry, Vec::new())]);
    let mut work = VecDeque::from([f.entry]);
    let mut differ: BTreeMap<usize, String> = BTreeMap::new();
    while let Some(block) = work.pop_front() {
        let out = walk(f, block, enter[&block].clone(), None);
        for edge in &f.blocks[block].succs {
            match enter.get_mut(&edge.block) {
                None => {
                    enter.insert(edge.block, out.clone());
                    work.push_back(edge.block);
                }
                Some(there) if *there != out => {
                    let what = format!("`{}` from {block}, else `{}`", names(&out), names(there));
                    differ.entry(edge.block.index()).or_insert(what);
                    let shared = there.iter().zip(&out).take_while(|(a, b)| a == b).count();
                    if shared < there.len() {
                        there.truncate(shared);
                        work.push_back(edge.block);
                    }
                }
                Some(_) => {}
            }
        }
    }
    for (index, what) in differ {
        // Paths that only lead to the end may bring what they like.
        if let Some(&block) = f.layout.iter().find(|b| b.index() == index)
            && waits_later(f, block)
        {
            report.add(Rule::ConvergeMeet, block, format!("open barriers differ: {what}"));
        }
    }
    enter
}

/// Whether a BSYNC is reached from the block.
fn waits_later(f: &Function, from: Block) -> bool {
    let (mut seen, mut stack) = (FxHashSet::default(), vec![from]);
    while let Some(block) = stack.pop() {
        if seen.insert(block) {
            if f.blocks[block].insts.iter().any(|inst| kind(inst) == Some(K::Sync)) {
                return true;
            }
            stack.extend(f.blocks[block].succs.iter().map(|edge| edge.block));
        }
    }
    false
}
