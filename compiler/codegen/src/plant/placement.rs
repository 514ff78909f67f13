//! Faults of expansion, of convergence barriers, and of the layout.

use super::choose::choose;
use sassafras_isa::{ControlFlowKind, FieldKind, Meaning, RegClass};
use sassafras_machine::{Block, Function, MInst};

type At = (Block, usize);

fn places(f: &Function, wanted: impl Fn(&MInst) -> bool) -> Vec<At> {
    f.insts().filter(|(_, _, inst)| wanted(inst)).map(|(block, index, _)| (block, index)).collect()
}

fn is(inst: &MInst, kind: ControlFlowKind) -> bool {
    inst.inst().is_some_and(|real| real.row().control_flow == Some(kind))
}

pub fn inverted_select(f: &mut Function, seed: u64) -> bool {
    let sel = |inst: &MInst| {
        inst.origin.is_none() && inst.inst().is_some_and(|real| real.row().meaning == Meaning::Sel)
    };
    let Some((block, index)) = choose(places(f, sel), seed) else { return false };
    f.blocks[block].insts[index].inst_mut().is_some_and(|real| real.set("q.not", 0).is_ok())
}

pub fn short_frame(f: &mut Function, _: u64) -> bool {
    if f.frame.size() == 0 {
        return false;
    }
    let down = |inst: &MInst| {
        inst.origin.is_none()
            && inst.inst().is_some_and(|real| {
                real.row().meaning == Meaning::Iadd3 && real.get("d") == Some(1) && real.get("a") == Some(1)
            })
    };
    let Some(inst) = f.blocks[f.entry].insts.iter_mut().find(|inst| down(inst)) else { return false };
    inst.inst_mut().is_some_and(|real| real.set("b", 0).is_ok())
}

pub fn dropped_sync(f: &mut Function, seed: u64) -> bool {
    let Some((block, index)) = choose(places(f, |inst| is(inst, ControlFlowKind::Sync)), seed) else {
        return false;
    };
    f.blocks[block].insts.remove(index);
    true
}

pub fn late_sync(f: &mut Function, seed: u64) -> bool {
    // Behind it in its block, or in the only successor, there is work in front of the end of the block.
    let end = |f: &Function, block: Block| {
        let insts = &f.blocks[block].insts;
        insts.iter().rposition(|inst| !is(inst, ControlFlowKind::Branch)).map_or(0, |last| last + 1)
    };
    let late = |f: &Function, (block, index): At| match &f.blocks[block].succs[..] {
        [edge] if index + 1 == f.blocks[block].insts.len() && edge.block != block => Some(edge.block),
        _ => None,
    };
    let works = |f: &Function, block: Block| {
        let insts = &f.blocks[block].insts[..end(f, block)];
        !insts.is_empty()
            && insts.iter().all(|inst| inst.inst().is_some_and(|i| i.row().control_flow.is_none()))
    };
    let syncs = places(f, |inst| is(inst, ControlFlowKind::Sync));
    let sites = syncs.into_iter().filter(|&at| late(f, at).is_some_and(|to| works(f, to))).collect();
    let Some((block, index)) = choose(sites, seed) else { return false };
    let Some(to) = late(f, (block, index)) else { return false };
    let sync = f.blocks[block].insts.remove(index);
    let at = end(f, to);
    f.blocks[to].insts.insert(at, sync);
    true
}

pub fn dropped_break(f: &mut Function, seed: u64) -> bool {
    let Some((block, index)) = choose(places(f, |inst| is(inst, ControlFlowKind::Break)), seed) else {
        return false;
    };
    f.blocks[block].insts.remove(index);
    true
}

pub fn dropped_push(f: &mut Function, seed: u64) -> bool {
    let Some((block, index)) = choose(places(f, |inst| is(inst, ControlFlowKind::Push)), seed) else {
        return false;
    };
    f.blocks[block].insts.remove(index);
    true
}

pub fn wrong_barrier(f: &mut Function, seed: u64) -> bool {
    let Some((block, index)) = choose(places(f, |inst| is(inst, ControlFlowKind::Push)), seed) else {
        return false;
    };
    let Some(real) = f.blocks[block].insts[index].inst_mut() else { return false };
    let barrier = |kind: &FieldKind| matches!(kind, FieldKind::Register { class: RegClass::B, .. });
    let Some(field) = real.row().fields.iter().position(|field| barrier(&field.kind)) else { return false };
    let number = &mut real.fields[field];
    *number = if *number > 0 { *number - 1 } else { *number + 1 };
    true
}

pub fn branch_not_inverted(f: &mut Function, seed: u64) -> bool {
    let conditional = |inst: &MInst| {
        is(inst, ControlFlowKind::Branch) && inst.inst().is_some_and(|real| !real.guard.is_always())
    };
    let Some((block, index)) = choose(places(f, conditional), seed) else { return false };
    let Some(real) = f.blocks[block].insts[index].inst_mut() else { return false };
    real.guard.negate = !real.guard.negate;
    true
}

pub fn dropped_jump(f: &mut Function, seed: u64) -> bool {
    let jump = |inst: &MInst| {
        is(inst, ControlFlowKind::Branch) && inst.inst().is_some_and(|real| real.guard.is_always())
    };
    let last = f.layout.last().copied();
    // Behind the last block there would be nothing to fall into.
    let sites = places(f, jump).into_iter().filter(|(block, _)| Some(*block) != last).collect();
    let Some((block, index)) = choose(sites, seed) else { return false };
    f.blocks[block].insts.remove(index);
    true
}

pub fn wrong_target(f: &mut Function, seed: u64) -> bool {
    let sites = places(f, |inst| is(inst, ControlFlowKind::Branch) && inst.target.is_some());
    let Some((block, index)) = choose(sites, seed) else { return false };
    let inst = &f.blocks[block].insts[index];
    let others: Vec<Block> =
        f.layout.iter().copied().filter(|&to| Some(to) != inst.target && to != f.entry).collect();
    let Some(other) = choose(others, seed ^ 1) else { return false };
    f.blocks[block].insts[index].target = Some(other);
    true
}
