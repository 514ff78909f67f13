//! Barrier objects: where the chip has a unit for them, operations by name; else accesses to the two words that an object is
//! (`sassafras_semantics::opaque::barrier_words`).

use crate::context::{Context, Result};
use crate::opaque::{named, says};
use crate::operand::operand;
use crate::refusal::Refusal;
use sassafras_ir::{Compare, MemoryAccess, Op, Type, Value};
use sassafras_ptx::checked::{AddressBase, Inst, Operand, Type as T};
use sassafras_semantics::{AtomicOp, Ordering, Scope, Space};

/// The bit of a word that says the phase, and in its half.
const PHASE: u32 = 31;

/// An access to a half of an object, others of which may come at the same time.
fn half(offset: i32) -> MemoryAccess {
    MemoryAccess { ordering: Ordering::Relaxed, offset, ..MemoryAccess::weak(Space::Shared, 4) }
}

impl Context<'_, '_> {
    pub(crate) fn copy_arrive(&mut self, inst: &Inst) -> Result<()> {
        let address = self.object(inst, 0)?;
        let noinc = says(inst, "noinc");
        if !self.options.barrier_unit {
            if !noinc {
                let less = self.b().i32(u32::MAX);
                self.effect(Op::Atomic { op: AtomicOp::Add, access: half(4) }, &[address, less]);
            }
            return self.ask("mbarrier.words.copies.each", &[address]);
        }
        if noinc {
            return self.ask("mbarrier.copies.arrive.each", &[address]);
        }
        let one = self.b().i32(1);
        self.ask("mbarrier.expect_tx", &[address, one])?;
        self.ask("mbarrier.copies.complete_tx.each", &[address])
    }

    /// The address that an operand names in the window of shared memory, 32 bits; a generic one is taken to it.
    pub(crate) fn object(&mut self, inst: &Inst, index: usize) -> Result<Value> {
        let address = operand(&inst.operands, index)?;
        let generic = inst.mods.space.is_none()
            && matches!(address, Operand::Address(AddressBase::Register(_) | AddressBase::Absolute, _));
        let (value, access) = if generic {
            let (value, access) = self.access_in(Space::Generic, inst, address, T::B(64), 1)?;
            let whole = self.with_offset(value, access);
            return Ok(self.b().low(whole));
        } else {
            self.access_in(Space::Shared, inst, address, T::B(64), 1)?
        };
        Ok(self.with_offset(value, access))
    }

    /// A release before an arrival, or an acquire behind a wait, for more than the block.
    fn ordered(&mut self, inst: &Inst, ordering: Ordering) {
        let scope = inst.mods.scope.unwrap_or(Scope::Cta);
        if inst.mods.ordering.unwrap_or(ordering) == ordering && scope > Scope::Cta {
            self.effect(Op::Fence(ordering, scope), &[]);
        }
    }

    pub(crate) fn barrier_object(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        let what = inst.mods.words.first().copied().unwrap_or_default();
        if !self.options.barrier_unit {
            return self.object_of_words(inst, what);
        }
        match what {
            "init" => {
                let address = self.object(inst, 0)?;
                let count = self.value(operand(o, 1)?, T::U(32))?;
                let all = self.b().i32(1 << 20);
                let left = self.b().sub(all, count);
                let (low, high) = (self.b().shl_by(left, 1), self.b().shl_by(left, 11));
                let word = self.b().concat(low, high);
                self.ask("mbarrier.init.each", &[address, word])
            }
            "inval" => {
                let address = self.object(inst, 0)?;
                self.ask("mbarrier.inval", &[address])
            }
            what @ ("expect_tx" | "complete_tx") => {
                let address = self.object(inst, 0)?;
                let bytes = self.value(operand(o, 1)?, T::U(32))?;
                self.ask(&format!("mbarrier.{what}"), &[address, bytes])
            }
            "pending_count" => {
                let state = self.value(operand(o, 1)?, T::B(64))?;
                let high = self.b().high(state);
                let shifted = self.b().lshr_by(high, 11);
                let mask = self.b().i32((1 << 20) - 1);
                let left = self.b().and(shifted, mask);
                let all = self.b().i32(1 << 20);
                let count = self.b().sub(all, left);
                self.write(&o[0], count, false)
            }
            what @ ("test_wait" | "try_wait") => {
                let address = self.object(inst, 1)?;
                let phase = if says(inst, "parity") {
                    let parity = self.value(operand(o, 2)?, T::U(32))?;
                    self.b().shl_by(parity, 31)
                } else {
                    let state = self.value(operand(o, 2)?, T::B(64))?;
                    self.b().high(state)
                };
                let op = named(&format!("mbarrier.{what}"))?;
                let done = self.b().value(Op::Opaque(op), &[address, phase], Type::I1);
                self.ordered(inst, Ordering::Acquire);
                self.write(&o[0], done, false)
            }
            arrive @ ("arrive" | "arrive_drop") => {
                let address = self.object(inst, 1)?;
                let drop = if arrive == "arrive" { "" } else { ".drop" };
                let (none, one) = (self.b().i32(0), self.b().i32(1));
                let given = match o.get(2) {
                    Some(given) => Some(self.value(given, T::U(32))?),
                    None => None,
                };
                let (count, bytes) = match (says(inst, "expect_tx"), given) {
                    (true, Some(bytes)) => (one, bytes),
                    (false, Some(count)) => (count, none),
                    (_, None) => (one, none),
                };
                self.ordered(inst, Ordering::Release);
                let args = [address, count, bytes];
                if says(inst, "shared::cluster") {
                    if !matches!(o[0], Operand::Sink) {
                        return Err(Refusal::Malformed(
                            "the state of an object that may be another block's is not given",
                        ));
                    }
                    return self.ask(&format!("mbarrier.remote.arrive{drop}"), &args);
                }
                let op = named(&format!("mbarrier.arrive{drop}"))?;
                let state = self.b().value(Op::Opaque(op), &args, Type::I64);
                self.write(&o[0], state, false)
            }
            _ => Err(Refusal::Unsupported("this operation on a barrier object")),
        }
    }

    /// What is asked of an object that is two words.
    fn object_of_words(&mut self, inst: &Inst, what: &str) -> Result<()> {
        let o = &inst.operands;
        match what {
            "init" => {
                let address = self.object(inst, 0)?;
                let count = self.value(operand(o, 1)?, T::U(32))?;
                let (low, high) = (self.b().i32(1 << 30), self.b().i32(1 << PHASE));
                let (low, high) = (self.b().sub(low, count), self.b().sub(high, count));
                let word = self.b().concat(low, high);
                let access = MemoryAccess { bytes: 8, ordering: Ordering::Weak, ..half(0) };
                self.effect(Op::Store(access), &[address, word]);
                Ok(())
            }
            "inval" => Ok(()),
            "pending_count" => {
                let state = self.value(operand(o, 1)?, T::B(64))?;
                let high = self.b().high(state);
                let mask = self.b().i32((1 << PHASE) - 1);
                let left = self.b().and(high, mask);
                let all = self.b().i32(1 << PHASE);
                let count = self.b().sub(all, left);
                self.write(&o[0], count, false)
            }
            "test_wait" => {
                let address = self.object(inst, 1)?;
                let phase = if says(inst, "parity") {
                    let parity = self.value(operand(o, 2)?, T::U(32))?;
                    self.b().shl_by(parity, PHASE)
                } else {
                    let state = self.value(operand(o, 2)?, T::B(64))?;
                    self.b().high(state)
                };
                let now = self.b().value(Op::Load(half(4)), &[address], Type::I32);
                let other = self.b().xor(now, phase);
                let bit = self.b().i32(1 << PHASE);
                let other = self.b().and(other, bit);
                let none = self.b().i32(0);
                let done = self.b().compare(Compare::Ne, other, none);
                self.ordered(inst, Ordering::Acquire);
                self.write(&o[0], done, false)
            }
            "arrive" | "arrive_drop" => {
                let address = self.object(inst, 1)?;
                let count = match o.get(2) {
                    Some(count) => Some(self.value(count, T::U(32))?),
                    None => None,
                };
                if inst.mods.ordering.unwrap_or(Ordering::Release) == Ordering::Release {
                    self.effect(Op::Fence(Ordering::Release, inst.mods.scope.unwrap_or(Scope::Cta)), &[]);
                }
                let add = |offset| Op::Atomic { op: AtomicOp::Add, access: half(offset) };
                if what == "arrive_drop" {
                    let one = self.b().i32(1);
                    self.effect(add(0), &[address, count.unwrap_or(one)]);
                }
                let state = match count {
                    // Of an object that awaits more: no phase ends.
                    Some(count) => {
                        let before = self.b().value(add(4), &[address, count], Type::I32);
                        self.b().concat(before, before)
                    }
                    None => {
                        let op = Op::Opaque(named("mbarrier.words.arrive")?);
                        self.b().value(op, &[address], Type::I64)
                    }
                };
                self.write(&o[0], state, false)
            }
            _ => Err(Refusal::Malformed("this operation on a barrier object is not supported on this chip")),
        }
    }
}
