//! The cache of operands: what an instruction marked `.reuse` keeps is what a later one finds in the same slot, whatever was written to
//! the register since.
//!
//! A slot keeps a register for each bank until an operand of that bank is read in it without the mark (R. Huerta et al., "Analyzing Modern NVIDIA
//! GPU cores", 2025, section "Register file cache": two banks, by the lowest bit of the number, three slots). Writes do not change what is kept. ptxas 13.0.88 marks no
//! register that the instruction itself, or one before the next reader, overwrites.

use super::flight::Register;
use sassafras_isa::{Access, Inst, RegClass};
use smallvec::SmallVec;

/// Register banks; the number of a register modulo this is its bank.
const BANKS: u32 = 2;

/// A register that a slot may keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// The instruction that marked it.
    pub(super) at: usize,
    slot: u8,
    number: u32,
    /// Whether it may have been overwritten since.
    stale: bool,
}

/// What slots may keep.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Kept(SmallVec<[Entry; 2]>);

impl Kept {
    /// Operands of an instruction that it may find as they were before they were overwritten: each with the instruction that kept it.
    pub(super) fn stale(&self, inst: &Inst) -> Option<(Register, usize)> {
        if self.0.is_empty() {
            return None;
        }
        reads(inst).find_map(|(slot, number)| {
            let old = self.0.iter().find(|e| e.stale && e.slot == slot && e.number == number)?;
            Some(((RegClass::R, number), old.at))
        })
    }

    /// An instruction reads its operands, keeps those it marks, then writes. Under a guard it may do none of this.
    pub(super) fn step(&mut self, at: usize, inst: &Inst) {
        let marked = if inst.control.yield_ { inst.control.reuse } else { 0 };
        if self.0.is_empty() && marked == 0 {
            return;
        }
        if inst.guard.is_always() {
            let evicted =
                |e: &Entry| reads(inst).any(|(slot, n)| slot == e.slot && n % BANKS == e.number % BANKS);
            self.0.retain(|e| !evicted(e));
        }
        for (slot, number) in reads(inst).filter(|(slot, _)| marked >> slot & 1 == 1) {
            self.0.retain(|e| e.at != at || e.slot != slot || e.number != number);
            self.0.push(Entry { at, slot, number, stale: false });
        }
        let written = inst.operands().filter(|o| o.class == RegClass::R && o.access == Access::Write);
        for o in written {
            let within = o.number..o.number + u32::from(o.units);
            self.0.iter_mut().filter(|e| within.contains(&e.number)).for_each(|e| e.stale = true);
        }
    }

    /// Joins another path. Returns whether anything new is possible.
    pub(super) fn meet(&mut self, other: &Kept) -> bool {
        let mut changed = false;
        for entry in &other.0 {
            let same = |e: &&mut Entry| (e.at, e.slot, e.number) == (entry.at, entry.slot, entry.number);
            match self.0.iter_mut().find(same) {
                Some(own) => {
                    changed |= entry.stale && !own.stale;
                    own.stale |= entry.stale;
                }
                None => {
                    self.0.push(*entry);
                    changed = true;
                }
            }
        }
        changed
    }
}

/// The general registers that an instruction reads in slots of the cache: slot and number.
fn reads(inst: &Inst) -> impl Iterator<Item = (u8, u32)> + '_ {
    let fields = &inst.row().fields;
    let general = inst.operands().filter(|o| o.class == RegClass::R && o.access == Access::Read);
    general.flat_map(move |o| {
        let slot = o.field.and_then(|field| fields[field].reuse);
        slot.into_iter()
            .flat_map(move |slot| (0..u32::from(o.units)).map(move |unit| (slot, o.number + unit)))
    })
}
