//! Lanes that BSYNC may have let go early: C9, C11 and C14 of `docs/convergence.md`.
//!
//! Lanes that wait at a BSYNC may go on without others that yield, and lanes that stay where others leave a barrier by BREAK may be
//! let go one by one. So in and behind loops in which one of these happens lanes are together for certain behind a WARPSYNC alone, until
//! they part again. What is followed along every path is the worst of three states:
//! - *together*: what BSYNC says of lanes holds;
//! - *masked*: lanes of one mask have waited for each other, others may be anywhere;
//! - *scattered*: any lanes may be anywhere.
//!
//! WARPSYNC of all gives the first, any other turns the last into the second. A branch at which lanes part, in a loop of which this is so,
//! gives the last, as does what lets lanes go. Masks are not compared, and votes are not looked at: a program may ask who is here.
//!
//! A WARPSYNC may claim that its lanes come one by one ([`MInst::scattered`]). No convergence barrier need be open then, so what is
//! behind it is taken as if it were so. The lanes of a collective are together up to its end, and any may be anywhere behind it.
//!
//! Where lanes are not together they wait at a WARPSYNC in no convergence barrier (O4, O6): others that it is for may still wait at a BSYNC before it, of the same
//! barrier, which they have set again since.

use super::converge::{meetings, open_at, past_breaks, states, waits_for_all_at};
use super::instruction::{always, kind};
use crate::report::Report;
use crate::rules::Rule;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_graph::Entity;
use sassafras_isa::{ControlFlowKind as K, FieldKind, Meaning as M, RegClass};
use sassafras_machine::{Block, Function, MInst, Reg};

/// What is known of the lanes, from the best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Lanes {
    Together,
    Masked,
    Scattered,
}

/// `.ANY` of VOTE's field `mode` (`.ALL`, `.ANY`, `.EQ`).
const VOTE_ANY: u64 = 1;

fn meaning(inst: &MInst) -> Option<M> {
    inst.inst().map(|inst| inst.row().meaning)
}

/// Whether lanes may part at the end of a block.
fn parts(f: &Function, block: Block) -> bool {
    let data = &f.blocks[block];
    let several = data.succs.iter().any(|edge| edge.block != data.succs[0].block);
    several && data.insts.iter().any(|inst| kind(inst) == Some(K::Branch) && !always(inst) && !inst.uniform)
}

/// Whether an operation needs what lanes it is for, other than those that happen to be there. BAR needs them all.
fn needs(inst: &MInst) -> bool {
    matches!(
        meaning(inst),
        Some(M::Shfl | M::Match | M::Ldsm | M::Stsm | M::Movm | M::Hmma | M::Imma | M::Dmma | M::Bmma)
    )
}

/// What a BREAK or BSSY names.
fn barrier(inst: &MInst) -> Option<Reg> {
    inst.operands().into_iter().find(|operand| operand.class == RegClass::B).map(|operand| operand.reg)
}

/// By block: whether it lies in a loop in which BSYNC may let lanes go early.
fn early(f: &Function) -> Vec<bool> {
    let mut found = vec![false; f.blocks.len()];
    let yields = |inst: &MInst| meaning(inst) == Some(M::Yield);
    let spins: FxHashSet<Block> =
        f.insts().filter(|(.., inst)| yields(inst)).map(|(block, ..)| block).collect();
    let breaks = f.insts().filter(|(.., inst)| kind(inst) == Some(K::Break));
    let broken: FxHashSet<Reg> = breaks.filter_map(|(.., inst)| barrier(inst)).collect();
    if spins.is_empty() && broken.is_empty() {
        return found;
    }
    let meetings = meetings(f);
    for own in meetings.loops() {
        let blocks = || own.iter().map(|&block| Block::from_index(block));
        if blocks().any(|block| spins.contains(&block)) && blocks().any(|block| parts(f, block)) {
            own.iter().for_each(|&block| found[block] = true);
        }
    }
    for (.., inst) in f.insts().filter(|(.., inst)| kind(inst) == Some(K::Push)) {
        let (Some(barrier), Some(target)) = (barrier(inst), inst.target) else { continue };
        let Some(own) = meetings.innermost_loop(target.index()).filter(|_| broken.contains(&barrier)) else {
            continue;
        };
        // Lanes leave it past the place where others of them are waited for.
        let inside: FxHashSet<usize> = own.iter().copied().collect();
        let edges = own.iter().flat_map(|&block| &f.blocks[Block::from_index(block)].succs);
        let mut out =
            edges.map(|edge| edge.block).filter(|&to| !inside.contains(&past_breaks(f, to).index()));
        if out.any(|to| leaves(f, to, barrier)) {
            own.iter().for_each(|&block| found[block] = true);
        }
    }
    found
}

/// Whether a block, or what nothing but it leads to, is one of BREAKs that belong to the edge to it, and one of this barrier is among them.
fn leaves(f: &Function, mut block: Block, left: Reg) -> bool {
    for _ in 0..f.blocks.len() {
        let data = &f.blocks[block];
        let is_break = |inst: &MInst| kind(inst) == Some(K::Break);
        if data.insts.iter().any(|inst| is_break(inst) && barrier(inst) == Some(left)) {
            return true;
        }
        match &data.succs[..] {
            [edge] if data.insts.iter().all(|inst| is_break(inst) || kind(inst) == Some(K::Branch)) => {
                block = edge.block
            }
            _ => return false,
        }
    }
    false
}

/// The state behind a block; `each` gets each instruction and the state before it.
fn walk(
    f: &Function,
    block: Block,
    early: bool,
    mut lanes: Lanes,
    mut each: impl FnMut(usize, &MInst, Lanes),
) -> Lanes {
    for (i, inst) in f.blocks[block].insts.iter().enumerate() {
        each(i, inst, lanes);
        if waits_for_all_at(inst) {
            lanes = Lanes::Together;
        } else if meaning(inst) == Some(M::Warpsync) {
            lanes = if inst.scattered { Lanes::Masked } else { lanes.min(Lanes::Masked) };
        } else if ends_collective(inst) || early && meaning(inst) == Some(M::Yield) {
            lanes = Lanes::Scattered;
        }
    }
    if early && parts(f, block) { Lanes::Scattered } else { lanes }
}

/// Whether it is a WARPSYNC of some lanes.
fn masked(inst: &MInst) -> bool {
    meaning(inst) == Some(M::Warpsync) && !waits_for_all_at(inst)
}

/// Whether a WARPSYNC names the lanes that execute it and no others: its mask is what a `VOTE.ANY R, PT, PT` of its block gives, and they have waited for nothing
/// but each other since. So no lane of the mask is anywhere else.
fn names_own_group(f: &Function, block: Block, at: usize) -> bool {
    let insts = &f.blocks[block].insts;
    let Some(wait) = insts[at].inst().filter(|inst| inst.guard.is_always()) else { return false };
    let Some(mask) = wait.get("a") else { return false };
    for inst in insts[..at].iter().rev() {
        let Some(inst) = inst.inst() else { return false };
        if inst.guard.is_always() && inst.get("d") == Some(mask) && inst.row().meaning == M::Vote {
            let plain = sassafras_isa::Inst::new(inst.form);
            let fields = inst.row().fields.iter().zip(inst.fields.iter().zip(&plain.fields));
            let asks_nothing = |(field, (own, usual)): (&sassafras_isa::Field, (&u64, &u64))| {
                own == usual || ["d", "p", "mode"].contains(&field.name)
            };
            return inst.get("mode") == Some(VOTE_ANY) && fields.into_iter().all(asks_nothing);
        }
        // Lanes of the group may end under a guard, or wait for each other.
        let same = inst.guard.is_always()
            && inst.row().meaning == M::Warpsync
            && inst.form == wait.form
            && inst.get("a") == Some(mask);
        let stays = same || matches!(inst.row().control_flow, None | Some(K::Exit));
        let waits = [M::WarpsyncAll, M::Bsync, M::Bar, M::Yield, M::Collective, M::ClusterBarrier];
        let writes = writes(inst, mask);
        if !stays || waits.contains(&inst.row().meaning) || writes {
            return false;
        }
    }
    false
}

/// Whether an instruction writes a general register, as one of those that its result spans.
fn writes(inst: &sassafras_isa::Inst, register: u64) -> bool {
    inst.row().fields.iter().enumerate().any(|(n, field)| {
        let general = matches!(field.kind, FieldKind::Register { class: RegClass::R, .. });
        let first = inst.fields[n];
        field.write && general && (first..first + u64::from(inst.units(n))).contains(&register)
    })
}

fn ends_collective(inst: &MInst) -> bool {
    inst.inst().is_some_and(|inst| inst.ends_collective())
}

/// Adds the blocks that are reached from where lanes are said to come one by one.
fn add_scattered(f: &Function, early: &mut [bool]) {
    let begins = |inst: &MInst| inst.scattered || ends_collective(inst);
    let mut work: Vec<Block> = f.insts().filter(|(.., inst)| begins(inst)).map(|(block, ..)| block).collect();
    let mut seen = FxHashSet::default();
    while let Some(block) = work.pop() {
        if seen.insert(block) {
            early[block.index()] = true;
            work.extend(f.blocks[block].succs.iter().map(|edge| edge.block));
        }
    }
}

/// Judges barriers of the block, operations across lanes, and waits for some of them.
pub(super) fn check(f: &Function, report: &mut Report) {
    let waits = |inst: &MInst| masked(inst) || waits_for_all_at(inst);
    let asks = |inst: &MInst| meaning(inst) == Some(M::Bar) || needs(inst) || waits(inst);
    if !f.insts().any(|(.., inst)| asks(inst)) {
        return;
    }
    let mut early = early(f);
    add_scattered(f, &mut early);
    if !early.contains(&true) {
        return;
    }
    // What is amiss with them is said elsewhere.
    let open = states(f, &mut Report::of(&f.name));
    let mut enter: FxHashMap<Block, Lanes> = FxHashMap::from_iter([(f.entry, Lanes::Together)]);
    let mut work = vec![f.entry];
    while let Some(block) = work.pop() {
        let out = walk(f, block, early[block.index()], enter[&block], |_, _, _| {});
        for edge in &f.blocks[block].succs {
            let new = enter.get(&edge.block).map_or(out, |&old| old.max(out));
            if enter.insert(edge.block, new) != Some(new) {
                work.push(edge.block);
            }
        }
    }
    for &block in &f.layout {
        let Some(&lanes) = enter.get(&block) else { continue };
        walk(f, block, early[block.index()], lanes, |i, inst, lanes| {
            let place = || format!("{block}, instruction {i}");
            if meaning(inst) == Some(M::Bar) && lanes != Lanes::Together {
                let what = "a barrier of the block where lanes may have been let go early, without a WARPSYNC of all before it";
                report.add(Rule::ConvergeBarrier, place(), what);
            }
            let apart = inst.scattered || lanes != Lanes::Together;
            if waits(inst) && apart && !names_own_group(f, block, i) {
                let inside = open_at(f, &open, block, i);
                if !inside.is_empty() {
                    let names: Vec<String> = inside.iter().map(|barrier| format!("B{barrier}")).collect();
                    let of = if masked(inst) { "one mask" } else { "the warp" };
                    let what = format!(
                        "lanes of {of} wait in {}, and others of it may be anywhere",
                        names.join(", ")
                    );
                    report.add(Rule::ConvergeMasked, place(), what);
                }
            }
            if needs(inst) && lanes == Lanes::Scattered {
                let what = "an operation across lanes where they may have been let go early, without a WARPSYNC before it";
                report.add(Rule::ConvergeEarly, place(), what);
            }
        });
    }
}
