//! Convergence barriers, and waits of the warp (`docs/convergence.md`, C7 to C11).

use super::state::Run;
use super::stop::Stop;
use crate::assumption::Assumption;
use crate::obstacle::convergence::Convergence;
use crate::trace::collective::{collective, names_itself};
use crate::trace::fences;
use crate::trace::lanes::WarpSync;
use sassafras_isa::step::Output;
use sassafras_isa::{Inst, Meaning, Register};
use sassafras_semantics::{Collective, Domain, State, TermId};

impl Run<'_, '_> {
    /// `YIELD`.
    pub(super) fn yields(&mut self) {
        let (lanes, warp, here) = self.side.lanes();
        lanes.yields(warp, &here);
    }

    /// `BSSY`.
    pub(super) fn set_barrier(&mut self, barrier: u32) {
        self.side.log.assumed.insert(Assumption::Conv);
        let (lanes, warp, here) = self.side.lanes();
        lanes.set(warp, &here, barrier);
    }

    /// `BSYNC`.
    pub(super) fn sync(&mut self, barrier: u32, condition: Option<TermId>) -> Result<(), Stop> {
        let inputs = self.side.inputs;
        if !self.side.is_unguarded() || condition.is_some_and(|c| inputs.known(c) != Some(1)) {
            return Err(Convergence::SyncUnderCondition {}.into());
        }
        let (lanes, warp, here) = self.side.lanes();
        let whole = lanes.sync(warp, &here, barrier);
        if whole {
            let alone = self.side.gathered_by(barrier);
            let (lanes, warp, _) = self.side.lanes();
            lanes.reconverge(warp, barrier, alone);
        }
        self.side.new_piece();
        Ok(())
    }

    /// `BREAK`.
    pub(super) fn break_off(&mut self, barrier: u32, condition: Option<TermId>) {
        let (inputs, d) = (self.side.inputs, self.side.inputs.terms);
        let guard = self.side.guard;
        let gone = inputs.normal.of(condition.map_or(guard, |c| d.and(&guard, &c)));
        let (lanes, warp, here) = self.side.lanes();
        lanes.break_off(warp, &here, barrier, gone);
    }

    /// `BMOV` to a barrier.
    pub(super) fn write_barrier(&mut self, barrier: u32, mask: TermId) {
        let mask = self.side.inputs.normal.of(mask);
        let (lanes, warp, here) = self.side.lanes();
        lanes.restore(warp, &here, barrier, mask);
    }

    /// `BMOV` of a barrier to a register.
    pub(super) fn read_barrier(&mut self, barrier: u32, to: Output, clear: bool) {
        let side = &mut self.side;
        let name = format!("{}.mask{:#x}.{}", side.who, side.place, side.walk.visit());
        let (inputs, d) = (side.inputs, side.inputs.terms);
        let mask = inputs.variable(&name, 32, false);
        let (lanes, warp, here) = side.lanes();
        lanes.read_barrier(barrier);
        if clear {
            lanes.keep(warp, &here, barrier, mask);
        }
        if let Some(r) = to.register {
            self.write(d, r, mask);
        }
    }

    /// `WARPSYNC`.
    pub(super) fn warpsync(&mut self, index: u64, inst: &Inst, mask: TermId) -> Result<(), Stop> {
        if !self.side.is_unguarded() {
            return Err(Convergence::WarpUnderCondition {}.into());
        }
        let whole = self.side.inputs.known(mask) == Some(0xffff_ffff);
        names_itself(&mut self.side, mask);
        // Who waits before an operation of the whole warp comes to it.
        if self.side.path.lanes.are_apart() && whole && self.code.needs_whole_warp(index + 1) {
            let aligned = self.side.reading.facts.whole;
            let (lanes, warp, here) = self.side.lanes();
            lanes.come_as_a_whole(warp, &here, aligned);
        }
        let alone = self.side.alone();
        let (lanes, warp, here) = self.side.lanes();
        let apart = lanes.warpsync(warp, &here, mask, alone)?;
        let event = self.warp_barrier(mask)?;
        let sync = WarpSync {
            mask,
            exclusive: inst.keeps_others_away(),
            collective: inst.row().meaning == Meaning::Collective,
        };
        let (lanes, warp, here) = self.side.lanes();
        lanes.gather(warp, &here, &sync, apart, event);
        Ok(())
    }

    /// A barrier of the warp as an event; whether it is one. It is none if it is left out of account, or stands right behind another of all lanes.
    pub(super) fn warp_barrier(&mut self, mask: TermId) -> Result<bool, Stop> {
        let side = &mut self.side;
        let again = side.path.lanes.repeats_warp_barrier(side.log.events.len());
        let left_out = fences::is_left_out(self.weakened, side.place, side.walk.visit());
        if !side.reading.facts.warp_barriers || again || left_out {
            return Ok(false);
        }
        collective(side, Collective::WarpSync, &[mask])?;
        side.path.lanes.note_warp_barrier(side.log.events.len());
        Ok(true)
    }
}

/// The parts of 32 bits of an output: each with its register.
pub(super) fn parts(output: &Output) -> impl Iterator<Item = (u32, Register)> {
    let all = 0..output.width.div_ceil(32);
    output.register.into_iter().flat_map(move |r| {
        all.clone().map(move |unit| (32 * unit, Register { number: r.number + unit, ..r }))
    })
}
