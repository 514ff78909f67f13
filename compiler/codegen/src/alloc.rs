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
use sassafras_chip::Chip;
use sassafras_graph::Entity;
use sassafras_machine::{Function, Held, Phase, Reg, RegClass, VReg};
use work::{Item, Loc, Work};

/// General registers with which [`allocate`] always succeeds.
pub const MINIMUM_REGISTERS: u32 = 14;

/// By how many registers less places are looked for, where more warps fit then: as many as one step of the hardware's own allocation.
const CLOSE: u32 = 8;

/// How much more may be executed then.
const DEARER: f32 = 1.02;

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
    let found = place(f, limit, true)?.expect("slots are never short");
    let found = closer(f, found, limit)?;
    let Placed { work, ranges, fresh, places, limit, in_memory, mut stats } = found;
    let places = spread(f, &work, &ranges, fresh, places, limit)?;
    f.held.0.retain_mut(|held| hold(&f.blocks[held.block].params, held, &places, &in_memory));
    finish(f, work, &places, &mut stats)?;
    Ok(stats)
}

/// What the rounds of assignment end with.
struct Placed {
    work: Work,
    ranges: ranges::Ranges,
    /// Before anything was placed.
    fresh: bundles::Bundles,
    places: Vec<u16>,
    /// General registers that the places keep to.
    limit: u32,
    /// What lies in no register.
    in_memory: FxHashSet<VReg>,
    stats: AllocStats,
}

/// Assigns registers, with spills, until all have places; none where that needs slots in the frame and there are to be none.
fn place(f: &mut Function, limit: u32, slots: bool) -> Result<Option<Placed>, Error> {
    let mut work = destruct::destruct(f)?;
    let mut stats = AllocStats::default();
    let mut in_memory = FxHashSet::default();
    loop {
        stats.rounds += 1;
        let mut ranges = ranges::Ranges::new(f, &work);
        while work.drop_dead(&ranges) {
            ranges = ranges::Ranges::new(f, &work);
        }
        let mut bundles = bundles::Bundles::new(f, &work, &ranges);
        let fresh = bundles.clone();
        match assign::assign(f, &work, &ranges, &mut bundles, limit, 0)? {
            assign::Outcome::Placed(places) => {
                return Ok(Some(Placed { work, ranges, fresh, places, limit, in_memory, stats }));
            }
            assign::Outcome::Spill(list) => {
                let again = list.iter().filter(|spilled| bundles.again.has(spilled.vreg)).count();
                if !slots && again < list.len() {
                    return Ok(None);
                }
                stats.spilled += list.len();
                in_memory.extend(list.iter().map(|spilled| spilled.vreg));
                stats.again += again;
                spill::spill(f, &mut work, &list, &bundles.again)?;
            }
        }
    }
}

/// One more than the highest general register of these places.
fn used(f: &Function, places: &[u16]) -> u32 {
    let general = f.vregs.values().zip(places).filter(|(data, _)| data.class == RegClass::R);
    general.map(|(data, place)| u32::from(*place) + u32::from(data.units)).max().unwrap_or(0)
}

/// Assigns again, with a few registers less ([`CLOSE`]) if more warps fit then: places that came first leave gaps between pairs, which fewer registers
/// make it fill; where they do not suffice, what can be made again is, unless that costs too much ([`DEARER`]). Keeps the old places where something
/// would have to lie in the frame.
fn closer(f: &mut Function, found: Placed, limit: u32) -> Result<Placed, Error> {
    let reserved = f.chip.limits().reserved_registers;
    let fewer = fewer(f.chip, used(f, &found.places) + reserved, CLOSE).map(|count| count - reserved);
    let Some(fewer) = fewer.filter(|fewer| (MINIMUM_REGISTERS..limit).contains(fewer)) else {
        return Ok(found);
    };
    if found.work.scratch.is_some() {
        return Ok(found);
    }
    let mut bundles = found.fresh.clone();
    match assign::assign(f, &found.work, &found.ranges, &mut bundles, fewer, 0) {
        Ok(assign::Outcome::Placed(places)) => return Ok(Placed { places, limit: fewer, ..found }),
        Ok(assign::Outcome::Spill(_)) | Err(_) => {}
    }
    let mut again = f.clone();
    match place(&mut again, fewer, false) {
        Ok(Some(other)) if cost(&again, &other) <= cost(f, &found) * DEARER => {
            *f = again;
            Ok(other)
        }
        _ => Ok(found),
    }
}

/// The next lower number of registers per thread, those that the hardware keeps included, with which more warps fit a multiprocessor than with `now`; none
/// if it is lower by more than `reach`.
pub(crate) fn fewer(chip: Chip, now: u32, reach: u32) -> Option<u32> {
    let more = |count: &u32| chip.warps_by_registers(*count) > chip.warps_by_registers(now);
    (now.saturating_sub(reach)..now).rev().find(more)
}

/// Estimated executions of instructions and of moves between different places.
fn cost(f: &Function, placed: &Placed) -> f32 {
    let Placed { work, ranges, places, .. } = placed;
    let place = |loc: Loc| match loc {
        Loc::Unit(vreg, unit) => Some((f.vregs[vreg].class, places[vreg.index()] + u16::from(unit))),
        _ => None,
    };
    let moves = |one: &&work::Move| place(one.dst).is_none() || place(one.dst) != place(one.src);
    let steps = |item: &Item| match item {
        Item::Moves(list) => list.iter().filter(moves).count(),
        Item::Inst(_) => 1,
        Item::Held(_) => 0,
    };
    let blocks = work.blocks.iter().zip(&ranges.frequency);
    blocks.map(|(items, often)| often * items.iter().map(steps).sum::<usize>() as f32).sum()
}

/// Assigns again, over all registers that are used, so that they rest between uses. Keeps the old places where this needs more.
fn spread(
    f: &Function,
    work: &Work,
    ranges: &ranges::Ranges,
    mut bundles: bundles::Bundles,
    places: Vec<u16>,
    limit: u32,
) -> Result<Vec<u16>, Error> {
    let free = used(f, &places);
    if work.scratch.is_some() {
        return Ok(places);
    }
    match assign::assign(f, work, ranges, &mut bundles, limit, free)? {
        assign::Outcome::Placed(wide) if used(f, &wide) <= free => Ok(wide),
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
