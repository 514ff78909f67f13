//! Register allocation: out of SSA, onto real registers.
//!
//! Does: turns block parameters, packs and tied uses into moves; joins registers that moves connect and that are never
//! live at once; gives every register a real one, wide ones aligned; spills what finds none; puts moves in sequence.
//! Does not: reorder, add or drop any other instruction. Needs: `Phase::Ssa` after [`crate::prepare()`]. Preserves:
//! blocks, edges, the order of instructions and their `origin`.
//!
//! The method is a greedy one over whole live ranges: registers are handled in order of their first definition; one
//! that finds no free place throws out cheaper ones, or is spilled, or made again where it is read if it is a constant. A spilled value lives in the frame (a predicate or
//! uniform register in a general register), and each use and definition gets a register for itself alone that is
//! never spilled. Rounds repeat until all have places. Spilling reserves R1 for the stack pointer and two registers
//! for moves between slots.

mod again;
mod assign;
mod bundles;
mod destruct;
mod groups;
mod ranges;
mod sequence;

pub use sequence::{End, sequence as parallel_moves};
mod spill;
mod work;

use crate::Error;
use rustc_hash::FxHashSet;
use sassafras_graph::Entity;
use sassafras_machine::{Function, Held, Phase, Reg, RegClass, VReg};
use work::Work;

/// General registers with which [`allocate`] always succeeds.
pub const MINIMUM_REGISTERS: u32 = 14;

/// Registers per thread, those that the hardware keeps included, with which the most warps that a multiprocessor of
/// any chip schedules (64) fit its 65,536 registers.
const FULL_OCCUPANCY: u32 = 32;

/// A register may rest after use if one in so many more is enough for that: the count is what people read first.
const MORE: u32 = 20;

/// By how many registers less places are looked for, where more warps fit then.
const CLOSE: u32 = 6;

/// What [`allocate`] did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AllocStats {
    /// Rounds of assignment; 1 when nothing was spilled.
    pub rounds: usize,
    /// Virtual registers, by then, that were spilled.
    pub spilled: usize,
    /// Those of them whose value is made again where it is read.
    pub again: usize,
    /// Copies left, swaps included.
    pub copies: usize,
    /// Instructions that store to the frame.
    pub spills: usize,
    /// Instructions that load from the frame.
    pub reloads: usize,
    /// One more than the highest general register used.
    pub registers: u32,
}

/// See the head of this file.
pub fn allocate(f: &mut Function) -> Result<AllocStats, Error> {
    Error::unless("allocate", Phase::Ssa, f.phase)?;
    let limit = f.max_registers.min(f.chip.limits().registers_per_thread);
    if limit < MINIMUM_REGISTERS {
        return Err(Error::TooFewRegisters { given: limit, minimum: MINIMUM_REGISTERS });
    }
    let mut work = destruct::destruct(f)?;
    let mut stats = AllocStats::default();
    let mut in_memory = FxHashSet::default();
    let places = loop {
        stats.rounds += 1;
        let mut ranges = ranges::Ranges::new(f, &work);
        while work.drop_dead_moves(&ranges) {
            ranges = ranges::Ranges::new(f, &work);
        }
        let mut bundles = bundles::Bundles::new(f, &work, &ranges);
        let fresh = bundles.clone();
        match assign::assign(f, &work, &ranges, &mut bundles, limit, 0)? {
            assign::Outcome::Placed(places) => {
                let (places, limit) = closer(f, &work, &ranges, fresh.clone(), places, limit)?;
                break spread(f, &work, &ranges, fresh, places, limit)?;
            }
            assign::Outcome::Spill(list) => {
                stats.spilled += list.len();
                in_memory.extend(list.iter().map(|spilled| spilled.vreg));
                stats.again += list.iter().filter(|spilled| bundles.again.has(spilled.vreg)).count();
                spill::spill(f, &mut work, &list, &bundles.again)?;
            }
        }
    };
    f.held.0.retain_mut(|held| hold(&f.blocks[held.block].params, held, &places, &in_memory));
    finish(f, work, &places, &mut stats)?;
    Ok(stats)
}

/// One more than the highest general register of these places.
fn used(f: &Function, places: &[u16]) -> u32 {
    let general = f.vregs.values().zip(places).filter(|(data, _)| data.class == RegClass::R);
    general.map(|(data, place)| u32::from(*place) + u32::from(data.units)).max().unwrap_or(0)
}

/// Assigns again, with a few registers less ([`CLOSE`]) if more warps fit then: places that came first leave gaps between pairs, which fewer registers
/// make it fill. Keeps the old places where something would have to be spilled. The places, and the limit that they keep to.
fn closer(
    f: &Function,
    work: &Work,
    ranges: &ranges::Ranges,
    mut bundles: bundles::Bundles,
    places: Vec<u16>,
    limit: u32,
) -> Result<(Vec<u16>, u32), Error> {
    let reserved = f.chip.limits().reserved_registers;
    let now = used(f, &places) + reserved;
    let more = |count: &u32| f.chip.warps_by_registers(*count) > f.chip.warps_by_registers(now);
    let fewer = (now.saturating_sub(CLOSE)..now).rev().find(more).map(|count| count - reserved);
    let Some(fewer) = fewer.filter(|fewer| *fewer >= MINIMUM_REGISTERS && work.scratch.is_none()) else {
        return Ok((places, limit));
    };
    match assign::assign(f, work, ranges, &mut bundles, fewer, 0) {
        Ok(assign::Outcome::Placed(places)) => Ok((places, fewer)),
        Ok(assign::Outcome::Spill(_)) | Err(_) => Ok((places, limit)),
    }
}

/// Assigns again, over a few registers more ([`MORE`]) as long as that costs nothing: up to the next step of the hardware's own allocation,
/// and at least to those with which a multiprocessor can hold all its warps. Keeps the old places where this needs more.
fn spread(
    f: &Function,
    work: &Work,
    ranges: &ranges::Ranges,
    mut bundles: bundles::Bundles,
    places: Vec<u16>,
    limit: u32,
) -> Result<Vec<u16>, Error> {
    let used = |places: &[u16]| used(f, places);
    let limits = f.chip.limits();
    let step = limits.register_allocation_unit;
    let free = (used(&places) + limits.reserved_registers).next_multiple_of(step).max(FULL_OCCUPANCY);
    let few = used(&places) + used(&places) / MORE + 1;
    let free = limit.min(free - limits.reserved_registers).min(few);
    if work.scratch.is_some() {
        return Ok(places);
    }
    match assign::assign(f, work, ranges, &mut bundles, limit, free)? {
        assign::Outcome::Placed(wide) if used(&wide) <= free => Ok(wide),
        _ => Ok(places),
    }
}

/// Puts what is known of a register of the source where it has come to lie; false if it lies in no register when the block begins.
fn hold(params: &[VReg], held: &mut Held, places: &[u16], in_memory: &FxHashSet<VReg>) -> bool {
    let Some(vreg) = held.place.reg.vreg().filter(|vreg| params.contains(vreg)) else { return false };
    match places.get(vreg.index()) {
        Some(&place) if !in_memory.contains(&vreg) => held.place.reg = Reg::Physical(place),
        _ => return false,
    }
    true
}

/// Writes the function back with real registers.
fn finish(f: &mut Function, work: Work, places: &[u16], stats: &mut AllocStats) -> Result<(), Error> {
    let blocks = f.layout.clone();
    for (block, items) in blocks.into_iter().zip(work.blocks) {
        f.blocks[block].insts = sequence::instructions(f, block, items, places, work.scratch)?;
        f.blocks[block].params.clear();
        for edge in &mut f.blocks[block].succs {
            edge.args.clear();
        }
    }
    crate::lines::inherit(f);
    use sassafras_machine::Pseudo;
    for (_, _, inst) in f.insts() {
        match inst.as_pseudo() {
            Some(Pseudo::Copy { .. } | Pseudo::Swap { .. }) => stats.copies += 1,
            Some(Pseudo::Spill { .. }) => stats.spills += 1,
            Some(Pseudo::Reload { .. }) => stats.reloads += 1,
            _ => {}
        }
        for operand in inst.operands() {
            if let (RegClass::R, sassafras_machine::Reg::Physical(number)) = (operand.class, operand.reg) {
                stats.registers = stats.registers.max(u32::from(number) + u32::from(operand.units));
            }
        }
    }
    f.phase = Phase::Allocated;
    Ok(())
}
