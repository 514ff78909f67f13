//! Faults of allocation.

use super::choose::choose;
use sassafras_isa::{Access, RegClass};
use sassafras_machine::{Block, Function, MInst, Op, Place, Position, Pseudo, Reg, RegOperand};
use std::collections::BTreeSet;

type At = (Block, usize);

fn places(f: &Function, wanted: impl Fn(&MInst) -> bool) -> Vec<At> {
    f.insts().filter(|(_, _, inst)| wanted(inst)).map(|(block, index, _)| (block, index)).collect()
}

/// Reads of the hardware's instructions, tied uses left out.
fn reads(f: &Function, wanted: impl Fn(&RegOperand) -> bool) -> Vec<(At, RegOperand)> {
    let mut found = Vec::new();
    for (block, index, inst) in f.insts().filter(|(_, _, inst)| inst.inst().is_some()) {
        let plain = |o: &RegOperand| o.access == Access::Read && !matches!(o.position, Position::Tied(_));
        found.extend(
            inst.operands().into_iter().filter(|o| plain(o) && wanted(o)).map(|o| ((block, index), o)),
        );
    }
    found
}

fn change(f: &mut Function, (block, index): At, at: &RegOperand, to: Reg) {
    f.blocks[block].insts[index].map_registers(|operand| {
        let same = operand.position == at.position && operand.access == at.access;
        if same { to } else { operand.reg }
    });
}

/// Real registers of a class that some instruction writes.
fn written(f: &Function, class: RegClass) -> BTreeSet<u16> {
    let defs = f.insts().flat_map(|(_, _, inst)| inst.defs());
    let mut set = BTreeSet::new();
    for def in defs.filter(|def| def.class == class) {
        if let Reg::Physical(first) = def.reg {
            set.extend((0..u16::from(def.units)).map(|unit| first + unit));
        }
    }
    set
}

pub fn wrong_unit(f: &mut Function, seed: u64) -> bool {
    let known = written(f, RegClass::R);
    let other = |operand: &RegOperand| match operand.reg {
        Reg::Physical(number) => Some(number ^ 1).filter(|other| known.contains(other) && *other != 1),
        Reg::Virtual(..) => None,
    };
    let sites = reads(f, |o| o.class == RegClass::R && o.units == 1 && other(o).is_some());
    let Some((at, operand)) = choose(sites, seed) else { return false };
    let Some(to) = other(&operand) else { return false };
    change(f, at, &operand, Reg::Physical(to));
    true
}

fn slot_of(inst: &MInst) -> Option<u32> {
    match inst.as_pseudo() {
        Some(Pseudo::Spill { slot, .. } | Pseudo::Reload { slot, .. }) => Some(*slot),
        _ => None,
    }
}

fn move_slot(f: &mut Function, seed: u64, spill: bool) -> bool {
    let slots: BTreeSet<u32> = f.insts().filter_map(|(_, _, inst)| slot_of(inst)).collect();
    let wanted = |inst: &MInst| match inst.as_pseudo() {
        Some(Pseudo::Spill { src, .. }) => spill && src.units == 1,
        Some(Pseudo::Reload { dst, .. }) => !spill && dst.units == 1,
        _ => false,
    };
    let Some((block, index)) = choose(places(f, wanted), seed) else { return false };
    let own = slot_of(&f.blocks[block].insts[index]);
    let others: Vec<u32> = slots.into_iter().filter(|slot| Some(*slot) != own).collect();
    let Some(other) = choose(others, seed ^ 1) else { return false };
    match &mut f.blocks[block].insts[index].op {
        Op::Pseudo(Pseudo::Spill { slot, .. } | Pseudo::Reload { slot, .. }) => *slot = other,
        _ => return false,
    }
    true
}

pub fn clobbered_slot(f: &mut Function, seed: u64) -> bool {
    move_slot(f, seed, true)
}

pub fn wrong_slot(f: &mut Function, seed: u64) -> bool {
    move_slot(f, seed, false)
}

pub fn dropped_move(f: &mut Function, seed: u64) -> bool {
    let sites = places(f, |inst| matches!(inst.as_pseudo(), Some(Pseudo::Copy { .. } | Pseudo::Swap { .. })));
    let Some((block, index)) = choose(sites, seed) else { return false };
    f.blocks[block].insts.remove(index);
    true
}

pub fn moves_out_of_order(f: &mut Function, seed: u64) -> bool {
    let ends = |inst: &MInst| match inst.as_pseudo() {
        Some(Pseudo::Copy { dst, src }) => Some((*dst, *src)),
        _ => None,
    };
    let meet = |a: Place, b: Place| a.class == b.class && a.reg == b.reg;
    let sites = f.insts().filter(|(block, index, inst)| {
        let next = f.blocks[*block].insts.get(index + 1).and_then(ends);
        // In order, the first reads what the second overwrites.
        ends(inst).zip(next).is_some_and(|((_, src), (dst, _))| meet(src, dst))
    });
    let sites: Vec<At> = sites.map(|(block, index, _)| (block, index)).collect();
    let Some((block, index)) = choose(sites, seed) else { return false };
    f.blocks[block].insts.swap(index, index + 1);
    true
}

pub fn swapped_predicate(f: &mut Function, seed: u64) -> bool {
    let known = written(f, RegClass::P);
    let sites = reads(f, |o| o.class == RegClass::P);
    let Some((at, operand)) = choose(sites, seed) else { return false };
    let others: Vec<u16> = known.into_iter().filter(|n| operand.reg != Reg::Physical(*n)).collect();
    let Some(other) = choose(others, seed ^ 1) else { return false };
    change(f, at, &operand, Reg::Physical(other));
    true
}

pub fn tied_use_lost(f: &mut Function, seed: u64) -> bool {
    let feeds = |inst: &MInst, before: &MInst| match before.as_pseudo() {
        Some(Pseudo::Copy { dst, .. }) => inst.tied.iter().any(|tied| tied.old == dst.reg),
        _ => false,
    };
    let sites = f.insts().filter(|(block, index, inst)| {
        index.checked_sub(1).is_some_and(|before| feeds(inst, &f.blocks[*block].insts[before]))
    });
    let sites: Vec<At> = sites.map(|(block, index, _)| (block, index)).collect();
    let Some((block, index)) = choose(sites, seed) else { return false };
    f.blocks[block].insts[index].tied.clear();
    f.blocks[block].insts.remove(index - 1);
    true
}

pub fn shared_register(f: &mut Function, seed: u64) -> bool {
    let known = written(f, RegClass::R);
    let mut sites = Vec::new();
    for (block, index, inst) in f.insts().filter(|(_, _, inst)| inst.inst().is_some()) {
        let one = |o: &RegOperand| o.class == RegClass::R && o.units == 1 && inst.tied.is_empty();
        sites.extend(inst.defs().filter(one).map(|o| ((block, index), o)));
    }
    let Some((at, operand)) = choose(sites, seed) else { return false };
    let others: Vec<u16> =
        known.into_iter().filter(|n| operand.reg != Reg::Physical(*n) && *n != 1).collect();
    let Some(other) = choose(others, seed ^ 1) else { return false };
    // The next reader in the block follows, as if the allocator had meant this register.
    change(f, at, &operand, Reg::Physical(other));
    let (block, index) = at;
    let behind = f.blocks[block].insts.iter().enumerate().skip(index + 1);
    let mut readers = Vec::new();
    for (next, inst) in behind {
        readers.extend(
            inst.uses()
                .filter(|o| o.class == RegClass::R && o.reg == operand.reg && o.units == 1)
                .map(|o| (next, o)),
        );
        if inst.defs().any(|o| o.class == RegClass::R && o.reg == operand.reg) {
            break;
        }
    }
    for (next, reader) in readers {
        change(f, (block, next), &reader, Reg::Physical(other));
    }
    true
}
