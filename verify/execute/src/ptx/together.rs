//! All lanes of a group in one step, where that is the same as stepping one after the other.
//!
//! Registers are written when the step has succeeded, and stores can be done again: whatever goes wrong or depends on the order of lanes is
//! left to the steps of single lanes, from the state before.

use super::decided::Decided;
use super::state::{LaneState, within};
use super::warp::Turn;
use crate::memory::Lane as View;
use sassafras_ptx::checked::{Function, FunctionId, Inst, RegisterId, VariableId};
use sassafras_ptx::step::{Outcome, PtxState, step};
use sassafras_semantics::concrete::{Bits, LANES, Lanes, Vector};
use sassafras_semantics::{Access, AtomicOp, Ordering, Scope, Space, SpecialRegister, State, Trap};
use smallvec::SmallVec;
use std::sync::atomic::Ordering::Relaxed;

/// As many lanes pay for a step of all 32.
const WORTH: u32 = 4;

/// The view of several lanes.
struct Group<'g, 't, 'm, 'w> {
    turn: &'g mut Turn<'t, 'm, 'w>,
    lanes: SmallVec<[usize; LANES]>,
    /// Lanes that have read what is open.
    reads_open: u32,
    /// Registers to be written, and the lanes in which they are open then.
    written: SmallVec<[(RegisterId, Vector, u32); 4]>,
}

impl<'m> Turn<'_, 'm, '_> {
    /// Steps all lanes of a mask, or none: then nothing has changed but what stores have written that will be written again. What has come to
    /// nothing once is not tried again.
    pub(super) fn together(
        &mut self,
        id: FunctionId,
        function: &'m Function,
        inst: &'m Inst,
        pc: u32,
        active: u32,
    ) -> Option<Decided> {
        let options = self.world.options;
        let watched = options.one_by_one || options.trace.is_some() || self.world.memory.log.is_some();
        if active.count_ones() < WORTH || watched {
            return None;
        }
        let apart = &self.program.apart[id.0 as usize][pc as usize];
        if apart.load(Relaxed) {
            return None;
        }
        let decided = self.attempt(function, inst, active);
        apart.store(decided.is_none(), Relaxed);
        decided
    }

    fn attempt(&mut self, function: &'m Function, inst: &'m Inst, active: u32) -> Option<Decided> {
        let program = self.program;
        // What is open and decides an address, a branch or a result is looked at lane by lane.
        let addresses = super::open::address_registers(inst);
        let open = |lane: usize| {
            let frame = self.warp.threads[lane].frames.last().expect("a lane is in a function");
            addresses.iter().any(|&r| frame.open.is_open(r))
        };
        if !addresses.is_empty() && crate::collective::lanes(active).any(open) {
            return None;
        }
        let domain = Lanes::new(&program.domain, active);
        let lanes = crate::collective::lanes(active).collect();
        let mut group = Group { turn: self, lanes, reads_open: 0, written: SmallVec::new() };
        let outcome = step(&domain, program.module, function, inst, &mut group).ok()?;
        let written = group.written;
        if domain.gave_up() {
            return None;
        }
        let decided = match outcome {
            Outcome::Next => Decided::Next,
            Outcome::Branch(label) => Decided::Branch(label),
            Outcome::Return => Decided::Return,
            Outcome::Exit => Decided::Exit,
            _ => return None,
        };
        for (register, value, open) in &written {
            for lane in crate::collective::lanes(active) {
                let frame = self.warp.threads[lane].frame();
                frame.open.write(*register, open >> lane & 1 != 0);
                frame.set(*register, value.lane(lane));
            }
        }
        Some(decided)
    }
}

impl<'m> Group<'_, '_, 'm, '_> {
    /// What each lane finds out by itself.
    fn each(
        &mut self,
        width: u32,
        mut of: impl FnMut(&mut LaneState<'_, 'm>) -> Result<Bits, Trap>,
    ) -> Result<Vector, Trap> {
        let mut all = [0; LANES];
        for &lane in &self.lanes {
            let mut state = self.turn.state(lane, None);
            state.reads_open = self.reads_open >> lane & 1 != 0;
            all[lane] = of(&mut state)?.bits();
            if state.rests {
                return Err(Trap::Unsupported("what is open decides".into()));
            }
            self.reads_open |= u32::from(state.reads_open) << lane;
        }
        Ok(Vector::each(width, |lane| all[lane]))
    }
}

impl State<Lanes<'_>> for Group<'_, '_, '_, '_> {
    type Register = RegisterId;

    fn read(&mut self, _: &Lanes<'_>, register: RegisterId) -> Result<Vector, Trap> {
        let mut open = self.reads_open;
        let Some(&first) = self.lanes.first() else { return Ok(Vector::same(1, 0)) };
        let width = self.turn.warp.threads[first].frame().get(register)?.width();
        let mut low = [0; LANES];
        let mut high = [0; LANES];
        for &lane in &self.lanes {
            let frame = self.turn.warp.threads[lane].frame();
            open |= u32::from(frame.open.is_open(register)) << lane;
            let bits = frame.get(register)?.bits();
            (low[lane], high[lane]) = (bits as u64, (bits >> 64) as u64);
        }
        self.reads_open = open;
        Ok(match width {
            0..=64 => Vector::narrow(width, |lane| low[lane]),
            _ => Vector::each(width, |lane| u128::from(high[lane]) << 64 | u128::from(low[lane])),
        })
    }

    fn write(&mut self, _: &Lanes<'_>, register: RegisterId, value: Vector) {
        self.written.push((register, value, self.reads_open));
    }

    fn load(&mut self, _: &Lanes<'_>, access: &Access, at: &Vector) -> Result<Vector, Trap> {
        let domain = &self.turn.program.domain;
        self.each(8 * access.bytes, |state| {
            let lane = state.asker.lane as usize;
            state.load(domain, access, &at.lane(lane))
        })
    }

    fn store(&mut self, _: &Lanes<'_>, access: &Access, at: &Vector, value: &Vector) -> Result<(), Trap> {
        let domain = &self.turn.program.domain;
        self.each(1, |state| {
            let lane = state.asker.lane as usize;
            state.store(domain, access, &at.lane(lane), &value.lane(lane))?;
            Ok(Bits::new(1, 0))
        })?;
        Ok(())
    }

    fn atomic(
        &mut self,
        _: &Lanes<'_>,
        _: &Access,
        _: AtomicOp,
        _: &Vector,
        _: &[Vector],
    ) -> Result<Vector, Trap> {
        Err(Trap::Unsupported("an atomic operation of several lanes at once".into()))
    }

    fn fence(&mut self, _: &Lanes<'_>, _: Ordering, _: Scope) -> Result<(), Trap> {
        Ok(())
    }

    fn has_barrier_unit(&self) -> bool {
        self.turn.program.barrier_unit
    }

    fn special(&mut self, _: &Lanes<'_>, register: SpecialRegister) -> Result<Vector, Trap> {
        let domain = &self.turn.program.domain;
        self.each(register.width(), |state| state.special(domain, register))
    }

    fn cvta(&mut self, d: &Lanes<'_>, space: Space, at: &Vector) -> Result<Vector, Trap> {
        self.each(64, |state| {
            let to = state.generic(space, at.lane(state.asker.lane as usize).bits() as u64)?;
            if !within(space, to) {
                d.give_up();
            }
            Ok(Bits::new(64, to.into()))
        })
    }

    fn cvta_to(&mut self, d: &Lanes<'_>, space: Space, at: &Vector) -> Result<Vector, Trap> {
        self.each(64, |state| {
            let at = at.lane(state.asker.lane as usize).bits() as u64;
            if !within(space, at) {
                d.give_up();
            }
            View::cvta_to(space, at).map(|to| Bits::new(64, to.into()))
        })
    }

    fn is_space(&mut self, _: &Lanes<'_>, space: Space, at: &Vector) -> Result<Vector, Trap> {
        let domain = &self.turn.program.domain;
        self.each(1, |state| {
            let lane = state.asker.lane as usize;
            state.is_space(domain, space, &at.lane(lane))
        })
    }
}

impl PtxState<Lanes<'_>> for Group<'_, '_, '_, '_> {
    fn symbol_address(&mut self, _: &Lanes<'_>, variable: VariableId) -> Result<Vector, Trap> {
        let domain = &self.turn.program.domain;
        self.each(64, |state| state.symbol_address(domain, variable))
    }

    fn param_address(&mut self, _: &Lanes<'_>, index: u32, returns: bool) -> Result<Vector, Trap> {
        let domain = &self.turn.program.domain;
        self.each(64, |state| state.param_address(domain, index, returns))
    }

    fn function_address(&mut self, _: &Lanes<'_>, function: FunctionId) -> Result<Vector, Trap> {
        let domain = &self.turn.program.domain;
        self.each(64, |state| state.function_address(domain, function))
    }
}
