//! A lane of the target, as the meanings of instructions see it: registers, constant banks, memory.

use super::code::Code;
use super::request::Role;
use crate::cut::{Need, width};
use crate::obstacle::uniform::Uniform;
use crate::trace::action::Action;
use crate::trace::bank::constant;
use crate::trace::fence::Fence;
use crate::trace::fences::{self, Weakened};
use crate::trace::heads::SideCut;
use crate::trace::lanes::{Elsewhere, Span, Warp};
use crate::trace::leader::Leaders;
use crate::trace::side::Side;
use crate::trace::{atomic, ordering, window};
use sassafras_chip::Chip;
use sassafras_cubin::{Cubin, Function};
use sassafras_isa::{RegClass, Register};
use sassafras_semantics::{
    Access, AtomicOp, Domain, Opaque, Ordering, Scope, Space, SpecialRegister, State, TermId, Terms, Trap,
};
use std::collections::{BTreeMap, BTreeSet};

/// A register write: byte offset of the instruction, and the value.
pub type Write = (u64, TermId);

pub(super) use crate::cut::is_of_warp as of_warp;

/// What is to be known about the registers of a warp: lanes that are elsewhere may write them.
#[derive(Default)]
pub(super) struct Shared {
    /// Writes while lanes may have been apart.
    apart: BTreeMap<Register, BTreeSet<(TermId, Elsewhere)>>,
    /// Reads of what was written before the last branch or reconvergence: value, place, and from when it was written to the read.
    later: BTreeMap<Register, BTreeSet<(TermId, Span, u64)>>,
    /// Places of reads of what was written in the same straight piece of code.
    near: BTreeSet<u64>,
    /// What callees do not keep.
    lost: BTreeSet<Register>,
    /// Those of the reads during which lanes may be elsewhere in a callee, or may have been in one since: registers and places.
    behind: Vec<(Register, u64)>,
}

impl Shared {
    /// At the end of a run: whether anything rests on it when lanes elsewhere write these registers (A-SWITCH).
    ///
    /// # Errors
    /// A read of what others may have written meanwhile.
    pub(super) fn settled(&self, warp: &Warp) -> Result<bool, Uniform> {
        // What other lanes wrote meanwhile is what was there.
        for (register, reads) in &self.later {
            let wrong = |(value, span, _): &&(TermId, Span, u64)| self.is_lost(warp, *register, *value, span);
            if let Some((_, _, place)) = reads.iter().find(wrong) {
                return Err(Uniform::WrittenMeanwhile { at: *place, register: register.to_string().into() });
            }
        }
        if let Some((register, place)) = self.behind.iter().find(|(r, _)| self.lost.contains(r)) {
            return Err(Uniform::Called { at: *place, register: register.to_string().into() });
        }
        Ok(!self.apart.is_empty() || !self.lost.is_empty())
    }

    /// Places at which registers are read that were always written in another straight piece of code.
    pub(super) fn later(&self) -> BTreeSet<u64> {
        let all = self.later.values().flatten().map(|(_, _, place)| *place);
        all.filter(|place| !self.near.contains(place)).collect()
    }

    /// Whether lanes elsewhere may have written another value to a register that held this one from one time to another.
    pub(super) fn is_lost(&self, warp: &Warp, register: Register, value: TermId, span: &Span) -> bool {
        let writes = self.apart.get(&register).into_iter().flatten();
        writes.into_iter().any(|(other, by)| *other != value && warp.interfere(span, by))
    }
}

/// A run of code.
pub(super) struct Run<'s, 'i> {
    pub(super) side: Side<'i, Register>,
    pub(super) chip: Chip,
    pub(super) cubin: &'s Cubin,
    pub(super) function: &'s Function,
    pub(super) code: &'s Code,
    /// Which side the code is.
    pub(super) role: Role,
    /// What fences and accesses are taken for.
    pub(super) weakened: &'s [Weakened],
    pub(super) writes: Vec<Write>,
    pub(super) shared: Shared,
    /// Why a write could not be done; `write` has no result of its own.
    pub(super) fault: Option<Uniform>,
    /// Lanes that act for others.
    pub(super) leaders: Leaders,
    /// Whether what is written is what the lanes here answered each other: the same for all of them.
    pub(super) answers: bool,
    /// Where the load of a word that is expected lies, if one is looked at.
    pub(super) guessed: Option<TermId>,
}

impl Run<'_, '_> {
    /// What a register of the warp holds after an instruction of which other lanes alone may be the ones that execute it.
    fn of_others(&self, register: Register) -> TermId {
        let (side, role) = (&self.side, self.role);
        let name = format!("others.{role:?}.{register}.{:#x}.{}", side.place, side.walk.visit());
        side.inputs.variable(&name, width(register), false)
    }

    /// What a callee leaves in a register may be anything, for each lane another.
    pub(super) fn lose(&mut self, register: Register) {
        let (side, role) = (&self.side, self.role);
        let name = format!("callee.{role:?}.{register}.{:#x}.{}", side.place, side.walk.visit());
        let value = side.inputs.variable(&name, width(register), false);
        let old = self.old(register);
        self.side.write(register, value, old);
        if of_warp(register) {
            self.shared.lost.insert(register);
        }
    }

    /// What a register holds before it is written may be anything: for the source to choose, for the target to bear.
    fn old(&mut self, register: Register) -> TermId {
        let (width, role) = (width(register), self.role);
        self.side.read(register, |i| match role {
            Role::Source => i.undefined(width, "a register that was not written", of_warp(register)),
            Role::Target => i.variable(&format!("sass.{register}"), width, of_warp(register)),
        })
    }

    /// A register of the warp holds what may differ between lanes, since it is said at the head of a loop to be made of that: this is given up. Whether it is
    /// said of some loop.
    fn give_up_rows(&mut self, register: Register) -> bool {
        let said = |cut: &SideCut<Register>| {
            let rows = cut.holds.iter().flat_map(|(registers, _)| registers);
            rows.map(|r| r.0).any(|r| r == register) && cut.free.iter().all(|f| f.0 != register)
        };
        let cuts = &mut self.side.cuts;
        let all: Vec<usize> = (0..cuts.all.len()).filter(|i| said(&cuts.all[*i])).collect();
        cuts.needs.extend(all.iter().map(|cut| (*cut, Need::Register(register))));
        !all.is_empty()
    }

    /// The access as what it is taken for.
    fn weakened(&self, access: &Access) -> Access {
        let strong = !matches!(access.ordering, Ordering::Weak | Ordering::NonCoherent);
        let weak = strong && fences::is_weak(self.weakened, self.side.place, self.side.walk.visit());
        if weak { Access { ordering: Ordering::Weak, ..*access } } else { *access }
    }

    /// A fence as the event that it is taken for, if it is one.
    pub(super) fn fence_event(&mut self, fence: Fence) -> Result<(), Trap> {
        let side = &mut self.side;
        match fences::taken(self.weakened, side.place, side.walk.visit(), fence) {
            Ok(Some(fence)) => {
                side.event(Action::Fence(fence), &[], &[], true);
                Ok(())
            }
            Ok(None) => Ok(()),
            Err(why) => Err(side.inputs.held.trap(why)),
        }
    }
}

impl State<Terms> for Run<'_, '_> {
    type Register = Register;

    fn read(&mut self, _: &Terms, register: Register) -> Result<TermId, Trap> {
        match register.class {
            RegClass::B => Err(Trap::Unsupported("a convergence barrier as a register".into())),
            _ => {
                let value = self.old(register);
                let path = &self.side.path;
                let here = Some(path.lanes.piece());
                if of_warp(register) && path.since.get(&register).and_then(|s| s.piece) != here {
                    // What some lanes answered each other is theirs, and what a callee left may be anything.
                    if !self.side.inputs.is_uniform(value) && !self.side.cuts.watches() {
                        let (at, name) = (self.side.place, register.to_string().into());
                        let called = self.shared.lost.contains(&register);
                        if called || !self.give_up_rows(register) {
                            return Err(self.side.inputs.held.trap(match called {
                                true => Uniform::Called { at, register: name },
                                false => Uniform::Answered { register: name },
                            }));
                        }
                    }
                    let read = (value, self.side.span(register), self.side.place);
                    self.shared.later.entry(register).or_default().insert(read);
                    if self.side.path.lanes.are_apart() || !self.shared.lost.is_empty() {
                        self.shared.behind.push((register, self.side.place));
                    }
                } else if of_warp(register) {
                    self.shared.near.insert(self.side.place);
                }
                // Where the guard does not hold the instruction does nothing.
                Ok(self.side.inputs.normal.given(value, self.side.guard))
            }
        }
    }
    fn write(&mut self, _: &Terms, register: Register, value: TermId) {
        let inputs = self.side.inputs;
        let old = match of_warp(register) && !inputs.is_uniform(self.side.guard) {
            // Others of the warp write it where this lane's guard does not hold: or nobody does.
            true => self.of_others(register),
            false => self.old(register),
        };
        let new = self.side.write(register, value, old);
        if of_warp(register) {
            if !inputs.is_uniform(value) && !self.answers && !self.side.cuts.watches() {
                self.fault = Some(Uniform::Differs { register: register.to_string().into() });
            }
            // Where all are here each of them knows of it, also whose guard does not hold.
            if self.side.path.lanes.are_apart() {
                // Lanes elsewhere have another value by the same name.
                let other = self.leaders.is_of_some(&self.side, new);
                let new = if other { inputs.variable("another", 32, true) } else { new };
                let written = (new, self.side.path.lanes.doing());
                self.shared.apart.entry(register).or_default().insert(written);
            }
        }
        self.writes.push((self.side.place, new));
    }
    fn load(&mut self, d: &Terms, access: &Access, address: &TermId) -> Result<TermId, Trap> {
        let Space::Bank(bank) = access.space else {
            if let Some(guessed) = &mut self.guessed {
                // Its value is nobody's.
                *guessed = *address;
                return Ok(d.constant(8 * access.bytes, 0));
            }
            let access = self.weakened(access);
            let (access, address, fixed) = window::load(&mut self.side, &access, *address)?;
            let value = match access.space {
                Space::Const => {
                    let low = d.extract(&address, 0, 32);
                    constant(&mut self.side, self.cubin, Some(self.function), 3, low, access.bytes)?
                }
                Space::Param => self.parameters(d, 0, address, access.bytes)?,
                _ => return self.side.load(&access, address),
            };
            if fixed {
                self.side.read_only(&access, address, value);
            }
            return Ok(value);
        };
        match self.side.inputs.known(*address) {
            Some(at) => self.bank(d, bank, at as u64, access.bytes),
            None if bank == 0 => {
                if let Some(at) = self.copied(d, *address)? {
                    return self.words(d, at, access.bytes);
                }
                let base = u64::from(self.chip.bank().parameters);
                self.parameters(d, base, *address, access.bytes)
            }
            None => constant(&mut self.side, self.cubin, Some(self.function), bank, *address, access.bytes),
        }
    }
    fn load_where(
        &mut self,
        d: &Terms,
        access: &Access,
        address: &TermId,
        condition: &TermId,
    ) -> Result<TermId, Trap> {
        let guard = self.side.guard;
        // An event also where the condition never holds: terms that are not simplified do not show it.
        self.side.narrow(*condition);
        let value = self.load(d, access, address);
        self.side.guard = guard;
        Ok(d.ite(condition, &value?, &d.constant(8 * access.bytes, 0)))
    }
    fn aligned(&mut self, _: &Terms, _: Space, _: &TermId, bytes: u32) -> Result<(), Trap> {
        self.side.align = Some(bytes);
        Ok(())
    }
    fn store(&mut self, _: &Terms, access: &Access, address: &TermId, value: &TermId) -> Result<(), Trap> {
        let access = self.weakened(access);
        self.side.store(&access, *address, *value)
    }
    fn atomic(
        &mut self,
        _: &Terms,
        access: &Access,
        op: AtomicOp,
        address: &TermId,
        operands: &[TermId],
    ) -> Result<TermId, Trap> {
        match self.leaders.atomic(&mut self.side, access, op, *address, operands)? {
            Some(old) => Ok(old),
            None => atomic::atomic(&mut self.side, access, op, *address, operands),
        }
    }
    fn fence(&mut self, _: &Terms, ordering: Ordering, scope: Scope) -> Result<(), Trap> {
        let scope = ordering::executed(scope);
        let what = match ordering {
            Ordering::SequentiallyConsistent => Fence::Sequential(scope),
            _ => Fence::Release(scope),
        };
        self.fence_event(what)
    }
    fn opaque(&mut self, _: &Terms, op: Opaque, arguments: &[TermId]) -> Result<Vec<TermId>, Trap> {
        self.side.perform(op, arguments)
    }
    fn special(&mut self, _: &Terms, register: SpecialRegister) -> Result<TermId, Trap> {
        self.side.special(register)
    }
    fn cvta(&mut self, _: &Terms, space: Space, address: &TermId) -> Result<TermId, Trap> {
        window::to_generic(&mut self.side, space, *address)
    }
    fn cvta_to(&mut self, _: &Terms, space: Space, address: &TermId) -> Result<TermId, Trap> {
        window::from_generic(&mut self.side, space, *address)
    }
    fn is_space(&mut self, _: &Terms, space: Space, address: &TermId) -> Result<TermId, Trap> {
        window::lies_in(&mut self.side, space, *address)
    }
}
