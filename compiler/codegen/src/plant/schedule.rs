//! Faults of scheduling.

use super::choose::choose;
use crate::schedule::hazard::{Facts, distance};
use sassafras_chip::latency::{Hazard, OperandKind};
use sassafras_isa::{Control, ControlFlowKind, MemoryKind, MemorySpace};
use sassafras_machine::{Block, Function, MInst};

type At = (Block, usize);

fn control(inst: &MInst) -> Option<Control> {
    inst.inst().map(|real| real.control)
}

fn control_mut(f: &mut Function, (block, index): At) -> Option<&mut Control> {
    f.blocks[block].insts.get_mut(index)?.inst_mut().map(|real| &mut real.control)
}

/// Pairs in one block, near enough that only stall counts keep them apart, with the distance they need and have.
fn tight(f: &Function, guards: bool) -> Vec<(Block, usize, usize)> {
    let mut found = Vec::new();
    for &block in &f.layout {
        let insts = &f.blocks[block].insts;
        let facts: Vec<Facts> = insts.iter().map(|inst| Facts::new(f.chip, inst)).collect();
        for (from, maker) in facts.iter().enumerate().filter(|(_, maker)| !maker.late_results) {
            let mut passed = 0;
            for to in from + 1..insts.len().min(from + 12) {
                passed += u32::from(control(&insts[to - 1]).map_or(1, |c| c.stall.max(1)));
                for &(register, kind) in &facts[to].reads {
                    let guard = kind == OperandKind::Guard;
                    let last =
                        (from + 1..to).all(|other| facts[other].writes.iter().all(|w| w.0 != register));
                    if guard == guards && last && maker.writes.iter().any(|w| w.0 == register) {
                        let need = distance(f.chip, maker.class, facts[to].class, Hazard::Raw, kind);
                        // Shortening the last stall must break this pair.
                        let stall = control(&insts[to - 1]).map_or(1, |c| c.stall);
                        if stall > 1 && passed - u32::from(stall) + 1 < u32::from(need) {
                            found.push((block, from, to));
                        }
                    }
                }
            }
        }
    }
    found
}

fn shorten(f: &mut Function, seed: u64, guards: bool) -> bool {
    let Some((block, _, to)) = choose(tight(f, guards), seed) else { return false };
    let Some(control) = control_mut(f, (block, to - 1)) else { return false };
    control.stall = 1;
    true
}

pub fn short_stall(f: &mut Function, seed: u64) -> bool {
    shorten(f, seed, false)
}

pub fn short_guard_stall(f: &mut Function, seed: u64) -> bool {
    shorten(f, seed, true)
}

/// Waits with the scoreboard, told apart by whether the block itself raised it before.
fn waits(f: &Function, far: bool) -> Vec<(At, u8)> {
    let mut found = Vec::new();
    for (block, index, inst) in f.insts() {
        let mask = control(inst).map_or(0, |c| c.wait_mask);
        for board in (0..6u8).filter(|board| mask >> board & 1 == 1) {
            let raises = |inst: &MInst| {
                control(inst).is_some_and(|c| [c.write_barrier, c.read_barrier].contains(&board))
            };
            if f.blocks[block].insts[..index].iter().any(raises) != far {
                found.push(((block, index), board));
            }
        }
    }
    found
}

fn drop_wait(f: &mut Function, seed: u64, far: bool) -> bool {
    let Some((at, board)) = choose(waits(f, far), seed) else { return false };
    let Some(control) = control_mut(f, at) else { return false };
    control.wait_mask &= !(1 << board);
    true
}

pub fn dropped_wait(f: &mut Function, seed: u64) -> bool {
    drop_wait(f, seed, false)
}

pub fn dropped_far_wait(f: &mut Function, seed: u64) -> bool {
    drop_wait(f, seed, true)
}

fn raising(f: &Function, wanted: impl Fn(Control) -> bool) -> Vec<At> {
    let found = f.insts().filter(|(_, _, inst)| control(inst).is_some_and(&wanted));
    found.map(|(block, index, _)| (block, index)).collect()
}

pub fn wrong_scoreboard(f: &mut Function, seed: u64) -> bool {
    let Some(at) = choose(raising(f, |c| c.write_barrier < 6), seed) else { return false };
    let Some(control) = control_mut(f, at) else { return false };
    control.write_barrier = (control.write_barrier + 1) % 6;
    true
}

pub fn dropped_write_barrier(f: &mut Function, seed: u64) -> bool {
    let Some(at) = choose(raising(f, |c| c.write_barrier < 6), seed) else { return false };
    let Some(control) = control_mut(f, at) else { return false };
    control.write_barrier = 7;
    true
}

pub fn dropped_read_barrier(f: &mut Function, seed: u64) -> bool {
    let Some(at) = choose(raising(f, |c| c.read_barrier < 6), seed) else { return false };
    let Some(control) = control_mut(f, at) else { return false };
    control.read_barrier = 7;
    true
}

/// Neighbours that satisfy the condition change places, each with its control bits.
fn swap_neighbours(f: &mut Function, seed: u64, wanted: impl Fn(&MInst, &MInst) -> bool) -> bool {
    let mut sites = Vec::new();
    for &block in &f.layout {
        let pairs = f.blocks[block].insts.windows(2).enumerate();
        sites.extend(pairs.filter(|(_, pair)| wanted(&pair[0], &pair[1])).map(|(index, _)| (block, index)));
    }
    let Some((block, index)) = choose(sites, seed) else { return false };
    f.blocks[block].insts.swap(index, index + 1);
    true
}

pub fn memory_out_of_order(f: &mut Function, seed: u64) -> bool {
    let memory = |inst: &MInst| {
        let real = inst.inst()?;
        let memory = real.row().memory?;
        Some((memory, real.get("a"), real.get("o")))
    };
    swap_neighbours(f, seed, |a, b| match (memory(a), memory(b)) {
        (Some((x, p, o)), Some((y, q, r))) => {
            let writes = [x.kind, y.kind].iter().any(|kind| *kind != MemoryKind::Load);
            // With one base register, different offsets would not meet.
            x.space == y.space && writes && (p != q || o == r)
        }
        _ => false,
    })
}

pub fn memory_rearranged(f: &mut Function, seed: u64) -> bool {
    let barrier = |inst: &MInst| {
        inst.inst().is_some_and(|real| real.row().control_flow == Some(ControlFlowKind::Block))
    };
    let shared = |inst: &MInst| {
        let memory = inst.inst().and_then(|real| real.row().memory);
        memory.is_some_and(|memory| memory.space == MemorySpace::Shared)
    };
    swap_neighbours(f, seed, |a, b| (barrier(a) && shared(b)) || (shared(a) && barrier(b)))
        || memory_out_of_order(f, seed)
}

pub fn use_before_definition(f: &mut Function, seed: u64) -> bool {
    let chip = f.chip;
    swap_neighbours(f, seed, |a, b| {
        let (first, second) = (Facts::new(chip, a), Facts::new(chip, b));
        !b.transfers_control()
            && first.writes.iter().any(|(register, _)| second.reads.iter().any(|(read, _)| read == register))
    })
}
