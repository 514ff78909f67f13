//! The cache of operands: what an instruction marked `.reuse` keeps is what a later one finds in the same slot, whatever was written to
//! the register since.
//!
//! A slot keeps a register until another operand is read in it (R. Huerta et al., "Analyzing Modern NVIDIA GPU cores", 2025, "Register file cache": three slots; writes do
//! not change what is kept). That paper finds two banks that keep one each; but ptxas 13.0.88 and 13.5.37 overwrite a register that was kept, and read it again in the slot, as soon
//! as any other was read there, of whatever bank and under whatever guard. They do neither before.

use crate::register::Register;
use sassafras_isa::{Access, Inst, RegClass};
use smallvec::SmallVec;

/// A register that a slot may keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// The instruction that marked it.
    pub(crate) at: usize,
    slot: u8,
    number: u32,
    /// Whether it may have been overwritten since.
    stale: bool,
}

/// What slots may keep.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Kept(SmallVec<[Entry; 2]>);

impl Kept {
    /// Operands of an instruction that it may find as they were before they were overwritten: each with the instruction that kept it.
    pub(crate) fn stale(&self, inst: &Inst) -> Option<(Register, usize)> {
        if self.0.is_empty() {
            return None;
        }
        reads(inst).find_map(|(slot, number)| {
            let old = self.0.iter().find(|e| e.stale && e.slot == slot && e.number == number)?;
            Some(((RegClass::R, number), old.at))
        })
    }

    /// An instruction reads its operands, keeps those it marks, then writes.
    pub(crate) fn step(&mut self, at: usize, inst: &Inst) {
        let marked = if inst.control.yield_ { inst.control.reuse } else { 0 };
        if self.0.is_empty() && marked == 0 {
            return;
        }
        self.0.retain(|e| reads(inst).all(|(slot, _)| slot != e.slot));
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
    pub(crate) fn meet(&mut self, other: &Kept) -> bool {
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
