//! Branches, calls, returns and ends of code.

use super::code::declared_stack;
use super::state::Run;
use super::stop::Stop;
use super::system;
use crate::assumption::Assumption;
use crate::obstacle::convergence::Convergence;
use crate::obstacle::target::Target;
use crate::sass::{flow, jumps};
use crate::trace::side::WORD;
use sassafras_isa::{ControlFlowKind, Inst};
use sassafras_semantics::{Domain, SystemCall, TermId};

impl Run<'_, '_> {
    /// A branch or call to a place of the code, in bytes.
    pub(super) fn branch(
        &mut self,
        index: u64,
        inst: &Inst,
        target: u64,
        condition: Option<TermId>,
    ) -> Result<(), Stop> {
        if !target.is_multiple_of(WORD) {
            return Err(Target::BetweenInstructions {}.into());
        }
        let to = target / WORD;
        // A routine of one segment is written out at each call: as a place that many calls lead to it would count as a loop.
        let called = inst.row().mnemonic == "CALL";
        let routine = called && jumps::returns(&self.function.code, self.chip, to);
        let calls = self.side.reading.facts.calls;
        if let Some(most) = calls.filter(|_| called).or(routine.then_some(u32::MAX)) {
            self.side.call(to, condition, most);
            return Ok(());
        }
        self.side.walk.edge = flow::edge(inst);
        self.part_or_end(index, to, condition);
        Ok(())
    }

    /// A branch. Lanes that go to an `EXIT`, or come to it when the others are gone, end at once: they do nothing else, and nobody waits for
    /// who has ended.
    fn part_or_end(&mut self, from: u64, to: u64, condition: Option<TermId>) {
        let (inputs, d, code) = (self.side.inputs, self.side.inputs.terms, self.code);
        let side = &mut self.side;
        let taken = inputs.normal.of(condition.map_or(side.guard, |c| d.and(&side.guard, &c)));
        let open = inputs.known(taken).is_none();
        if open && code.exits_at(to) {
            side.walk.pass(to);
            side.leave(condition);
            side.path.lanes.leave_to_end();
            side.new_piece();
        } else if open && code.exits_at(from + 1) {
            side.walk.pass(from + 1);
            side.guard = d.yes();
            side.leave(Some(d.not(&taken)));
            side.path.lanes.leave_to_end();
            if side.remains() {
                side.jump(to, None);
            }
        } else {
            side.jump(to, condition);
        }
    }

    /// `BRA.CONV`, `BRA.DIV`: a branch on whether the lanes of a mask are here (C13).
    pub(super) fn branch_by_convergence(
        &mut self,
        target: u64,
        mask: TermId,
        converged: bool,
    ) -> Result<(), Stop> {
        let (side, to) = (&mut self.side, target / WORD);
        side.log.assumed.insert(Assumption::Conv);
        let together = !side.path.lanes.are_apart();
        if together && !side.path.lanes.may_be_left() {
            // Where no lane is elsewhere, all that the mask names are here or have ended.
            if converged {
                side.jump(to, None);
            }
            return Ok(());
        }
        if converged || !side.is_unguarded() {
            return Err(Convergence::BranchOnTogether {}.into());
        }
        // Lanes that are together see the same of those that have yet to end.
        let apart = side.either_way(together);
        side.jump(to, Some(apart));
        if target > side.place {
            side.step_aside(to);
        }
        if !together {
            side.path.lanes.hold(mask);
        }
        Ok(())
    }

    /// A jump to an address: a return, a call of the driver's, an entry of a table.
    pub(super) fn indirect_branch(
        &mut self,
        index: u64,
        inst: &Inst,
        target: TermId,
        condition: Option<TermId>,
    ) -> Result<(), Stop> {
        if inst.row().mnemonic == "RET"
            && let Some(call) = self.side.walk.calls().last().copied()
        {
            self.come_back(index, call.0 + 1, target, condition);
            return Ok(());
        }
        if inst.row().control_flow == Some(ControlFlowKind::Call)
            && let Some(callee) = system::callee(self.side.inputs, self.cubin, target)
        {
            return self.call_driver(index, callee, target, condition);
        }
        let Some(cases) = jumps::cases(&mut self.side, self.function, target, condition) else {
            return Err(Target::Jump {}.into());
        };
        let (d, last) = (self.side.inputs.terms, cases.len().saturating_sub(1));
        self.side.walk.edge = flow::edge(inst);
        for (i, (case, to)) in cases.into_iter().enumerate() {
            if !(to as u64).is_multiple_of(WORD) {
                return Err(Target::BetweenInstructions {}.into());
            }
            let to = to as u64 / WORD;
            self.side.log.jumped.insert((index as usize, to as usize));
            // Who goes to no other goes to the last.
            let both = condition.map_or(case, |c| d.and(&case, &c));
            self.side.jump(to, if i == last { condition } else { Some(both) });
        }
        Ok(())
    }

    /// A return goes behind the call that the lanes here came by: that the address is this is demanded.
    fn come_back(&mut self, index: u64, to: u64, target: TermId, condition: Option<TermId>) {
        let d = self.side.inputs.terms;
        let there = d.eq(&target, &d.constant(64, (to * WORD).into()));
        let elsewhere = d.not(&there);
        self.side.demand_not(condition.map_or(elsewhere, |c| d.and(&c, &elsewhere)));
        self.side.log.jumped.insert((index as usize, to as usize));
        self.side.come_back(to, condition);
    }

    /// A call of a function that the driver resolves.
    fn call_driver(
        &mut self,
        index: u64,
        callee: (TermId, SystemCall),
        target: TermId,
        condition: Option<TermId>,
    ) -> Result<(), Stop> {
        if condition.is_some() {
            return Err(Target::PredicatedCall {}.into());
        }
        let bytes = match self.side.reading.facts.calls {
            Some(_) => self.chip.limits().local_bytes_per_thread,
            None => declared_stack(self.function),
        };
        let d = self.side.inputs.terms;
        self.system_call(d, callee, target, index + 1, bytes)?;
        self.side.log.jumped.insert((index as usize, index as usize + 1));
        Ok(())
    }
}
