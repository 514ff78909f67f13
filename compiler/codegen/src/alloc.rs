//! Register allocation: out of SSA, onto real registers.
//!
//! Does: turns block parameters, packs and tied uses into moves; joins registers that moves connect and that are never
//! live at once; gives every register a real one, wide ones aligned; spills what finds none; puts moves in sequence.
//! Does not: reorder, add or drop any other instruction. Needs: `Phase::Ssa` after [`crate::prepare()`]. Preserves:
//! blocks, edges, the order of instructions and their `origin`.
//!
//! The method is a greedy one over whole live ranges: registers are handled in order of their first definition; one
//! that finds no free place throws out cheaper ones, or is spilled. A spilled value lives in the frame (a predicate or
//! uniform register in a general register), and each use and definition gets a register for itself alone that is
//! never spilled. Rounds repeat until all have places. Spilling reserves R1 for the stack pointer and two registers
//! for moves between slots.

mod assign;
mod bundles;
mod destruct;
mod ranges;
mod sequence;
mod spill;
mod work;

use crate::Error;
use sassafras_machine::{Function, Phase, RegClass};
use work::Work;

/// General registers with which [`allocate`] always succeeds.
pub const MINIMUM_REGISTERS: u32 = 14;

/// What [`allocate`] did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AllocStats {
    /// Rounds of assignment; 1 when nothing was spilled.
    pub rounds: usize,
    /// Virtual registers, by then, that were spilled.
    pub spilled: usize,
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
    let places = loop {
        stats.rounds += 1;
        let mut ranges = ranges::Ranges::new(f, &work);
        while work.drop_dead_moves(&ranges) {
            ranges = ranges::Ranges::new(f, &work);
        }
        let mut bundles = bundles::Bundles::new(f, &work, &ranges);
        match assign::assign(f, &work, &ranges, &mut bundles, limit)? {
            assign::Outcome::Placed(places) => break places,
            assign::Outcome::Spill(list) => {
                stats.spilled += list.len();
                spill::spill(f, &mut work, &list)?;
            }
        }
    };
    finish(f, work, &places, &mut stats)?;
    Ok(stats)
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
