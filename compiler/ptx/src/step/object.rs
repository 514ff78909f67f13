//! Barrier objects: the PTX ISA's sections "mbarrier" and "cp.async.mbarrier.arrive".
//!
//! What an object holds is opaque there. Where a unit of the machine does what is asked, that is an operation by name; else the object is the word of
//! [`sassafras_semantics::opaque::barrier_words`], and what is asked are accesses to its halves.

use super::opaque::WORD;
use super::{Done, PtxState, Step};
use crate::checked::{Operand, Type};
use sassafras_semantics::opaque::{barrier_word, barrier_words};
use sassafras_semantics::{Access, AtomicOp, Domain, Ordering, Scope, Space};

/// An access to the half of an object, others of which may come at the same time.
const HALF: Access =
    Access { space: Space::Shared, bytes: 4, ordering: Ordering::Relaxed, scope: Scope::Cta };

impl<D: Domain, S: PtxState<D>> Step<'_, '_, D, S> {
    /// `cp.async.mbarrier.arrive`: without `.noinc` an arrival more is awaited, and is made up by the one when the copies are done.
    pub(super) fn copy_arrive(&mut self) -> Done<()> {
        let address = self.object(0)?;
        let noinc = self.says("noinc");
        if !self.state.has_barrier_unit() {
            if !noinc {
                let less = self.d.constant(32, u32::MAX.into());
                self.add_to_half(&address, 4, less)?;
            }
            self.ask("mbarrier.words.copies", &[address])?;
        } else if noinc {
            self.ask("mbarrier.copies.arrive", &[address])?;
        } else {
            let one = self.d.constant(32, 1);
            self.ask("mbarrier.expect_tx", &[address.clone(), one])?;
            self.ask("mbarrier.copies.complete_tx", &[address])?;
        }
        Ok(())
    }

    /// Adds to the half of an object at an offset in bytes; what was there.
    fn add_to_half(&mut self, address: &D::V, offset: u128, value: D::V) -> Done<D::V> {
        let at = self.d.add(address, &self.d.constant(32, offset));
        self.state.atomic(self.d, &HALF, AtomicOp::Add, &at, &[value])
    }

    /// What is asked of an object that is two words.
    fn object_of_words(&mut self, what: &str) -> Done<()> {
        let d = self.d;
        match what {
            "init" => {
                let (address, count) = (self.object(0)?, self.source(1, WORD)?);
                let access = Access { bytes: 8, ordering: Ordering::Weak, ..HALF };
                self.state.store(d, &access, &address, &barrier_words(d, &count))
            }
            // The memory may be used for anything else.
            "inval" => self.object(0).map(drop),
            "pending_count" => {
                let state = self.source(1, Type::B(64))?;
                let left = d.zext(&d.extract(&state, 32, 31), 32);
                self.result(&d.sub(&d.constant(32, 1 << 31), &left))
            }
            "test_wait" => {
                let address = self.object(1)?;
                let phase = match self.says("parity") {
                    true => d.extract(&self.source(2, WORD)?, 0, 1),
                    false => d.extract(&self.source(2, Type::B(64))?, 63, 1),
                };
                let at = d.add(&address, &d.constant(32, 4));
                let half = self.state.load(d, &HALF, &at)?;
                self.ordered(Ordering::Acquire, Ordering::Acquire)?;
                self.result(&d.xor(&d.extract(&half, 31, 1), &phase))
            }
            "arrive" | "arrive_drop" => {
                let address = self.object(1)?;
                let count = match self.operands() {
                    3 => Some(self.source(2, WORD)?),
                    _ => None,
                };
                let ordering = self.inst.mods.ordering.unwrap_or(Ordering::Release);
                if ordering == Ordering::Release {
                    let scope = self.inst.mods.scope.unwrap_or(Scope::Cta);
                    self.state.fence(d, Ordering::Release, scope)?;
                }
                if what == "arrive_drop" {
                    let less = count.clone().unwrap_or_else(|| d.constant(32, 1));
                    self.add_to_half(&address, 0, less)?;
                }
                let state = match count {
                    None => self.ask("mbarrier.words.arrive", &[address])?.remove(0),
                    // No phase ends. Of the state the half that nothing is asked of holds what the other does, as ptxas 13.0.88 has it.
                    Some(count) => {
                        let before = self.add_to_half(&address, 4, count)?;
                        d.concat(&before, &before)
                    }
                };
                self.result(&state)
            }
            _ => Err(self.unsupported()),
        }
    }

    /// What the ordering and scope of an arrival or a wait add to it beyond the block, before or behind.
    fn ordered(&mut self, default: Ordering, now: Ordering) -> Done<()> {
        let ordering = self.inst.mods.ordering.unwrap_or(default);
        let scope = self.inst.mods.scope.unwrap_or(Scope::Cta);
        if ordering == now && scope > Scope::Cta {
            self.state.fence(self.d, now, scope)?;
        }
        Ok(())
    }

    pub(super) fn barrier_object(&mut self) -> Done<()> {
        let d = self.d;
        let words = self.inst.mods.words.clone();
        let what = words.first().copied().unwrap_or_default();
        if !self.state.has_barrier_unit() {
            return self.object_of_words(what);
        }
        match what {
            "init" => {
                let (address, count) = (self.object(0)?, self.source(1, WORD)?);
                self.ask("mbarrier.init", &[address, barrier_word(d, &count)])?;
            }
            "inval" => {
                let address = self.object(0)?;
                self.ask("mbarrier.inval", &[address])?;
            }
            what @ ("expect_tx" | "complete_tx") => {
                let (address, bytes) = (self.object(0)?, self.source(1, WORD)?);
                self.ask(&format!("mbarrier.{what}"), &[address, bytes])?;
            }
            "pending_count" => {
                // Bits 43 to 62 hold 2^20 less the count.
                let state = self.source(1, Type::B(64))?;
                let left = d.zext(&d.extract(&state, 43, 20), 32);
                let count = d.sub(&d.constant(32, 1 << 20), &left);
                return self.result(&count);
            }
            what @ ("test_wait" | "try_wait") => {
                let address = self.object(1)?;
                let phase = if self.says("parity") {
                    let parity = self.source(2, WORD)?;
                    d.concat(&d.extract(&parity, 0, 1), &d.constant(31, 0))
                } else {
                    d.extract(&self.source(2, Type::B(64))?, 32, 32)
                };
                let done = self.ask(&format!("mbarrier.{what}"), &[address, phase])?;
                self.ordered(Ordering::Acquire, Ordering::Acquire)?;
                return self.result(&done[0]);
            }
            arrive @ ("arrive" | "arrive_drop") => {
                let address = self.object(1)?;
                let drop = if arrive == "arrive" { "" } else { ".drop" };
                let (none, one) = (d.constant(32, 0), d.constant(32, 1));
                let given = match self.operands() {
                    3 => Some(self.source(2, WORD)?),
                    _ => None,
                };
                let (count, bytes) = match (self.says("expect_tx"), given) {
                    (true, Some(bytes)) => (one, bytes),
                    (false, Some(count)) => (count, none),
                    (_, None) => (one, none),
                };
                self.ordered(Ordering::Release, Ordering::Release)?;
                let remote = self.says("shared::cluster");
                let what = if remote { "mbarrier.remote.arrive" } else { "mbarrier.arrive" };
                let state = self.ask(&format!("{what}{drop}"), &[address, count, bytes])?;
                match state.first() {
                    Some(state) => return self.result(state),
                    None if matches!(self.operand(0)?, Operand::Sink) => {}
                    None => return Err(self.unsupported()),
                }
            }
            _ => return Err(self.unsupported()),
        }
        Ok(())
    }
}
