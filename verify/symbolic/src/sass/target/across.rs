//! What lanes ask each other, and barriers of the block (`docs/convergence.md`, C13 and C14).

use super::converge::parts;
use super::state::Run;
use super::stop::Stop;
use crate::obstacle::target::Target;
use crate::trace::collective::collective;
use sassafras_isa::Inst;
use sassafras_isa::step::Output;
use sassafras_semantics::state::{BarrierMode, ShuffleMode, VoteMode};
use sassafras_semantics::{Collective, Domain, State, TermId};

impl Run<'_, '_> {
    /// An operation of several lanes, and its results.
    pub(super) fn collective(
        &mut self,
        index: u64,
        inst: &Inst,
        op: Collective,
        arguments: &[TermId],
        results: &[Output],
    ) -> Result<(), Stop> {
        if op == Collective::WarpSync {
            return self.warpsync(index, inst, arguments[0]);
        }
        if let Collective::Barrier(mode) = op {
            self.arrive(mode, arguments)?;
        }
        let d = self.side.inputs.terms;
        let values = match self.stand_in(op, arguments) {
            Some(values) => values,
            None => collective(&mut self.side, op, arguments)?,
        };
        if let Collective::Barrier(_) = op {
            // Of a result of before nothing says that it is still there behind another barrier.
            self.side.path.reduced = values.first().map(|value| {
                let wide = d.zext(value, 32);
                [wide, d.extract(&wide, 0, 1)]
            });
        }
        self.answers = true;
        for (output, value) in results.iter().zip(values) {
            for (low, register) in parts(output) {
                let part = d.extract(&value, low, output.width.min(32));
                self.write(d, register, part);
            }
        }
        self.answers = false;
        Ok(())
    }

    /// Lanes come to a barrier of the block.
    fn arrive(&mut self, mode: BarrierMode, arguments: &[TermId]) -> Result<(), Stop> {
        let (inputs, aligned) = (self.side.inputs, self.side.reading.facts.aligned);
        let block = arguments.get(1).is_some_and(|&t| inputs.known(inputs.normal.of(t)) == Some(0));
        let events = self.side.log.events.len();
        let (lanes, warp, here) = self.side.lanes();
        if aligned {
            lanes.meet_wait(warp, &here);
        }
        let waits = block && mode != BarrierMode::Arrive;
        if !aligned && lanes.are_apart() && waits && lanes.arrive_for_themselves(warp, &here) {
            return Ok(());
        }
        if lanes.arrive_as_a_whole(&here, aligned)? {
            self.side.log.whole.insert(events);
        }
        Ok(())
    }

    /// The results of what lanes ask each other so that one of them acts for all; none if this is nothing of the kind.
    fn stand_in(&mut self, op: Collective, arguments: &[TermId]) -> Option<Vec<TermId>> {
        let (side, leaders) = (&mut self.side, &mut self.leaders);
        let (d, facts) = (side.inputs.terms, side.reading.facts);
        let known = |t: &TermId| side.inputs.known(*t) == Some(1);
        let unguarded = known(&side.guard);
        // No vote of the source that names its lanes is made where nobody knows who is here.
        let votes = facts.votes && !side.path.lanes.are_anyone();
        match (op, arguments) {
            (Collective::Vote(VoteMode::Any | VoteMode::All), [asked, ..])
                if !votes && unguarded && known(asked) =>
            {
                Some(vec![leaders.gather(side), d.yes()])
            }
            (Collective::Redux(op), [value, ..]) if !facts.combines && unguarded => {
                Some(vec![leaders.combine(side, op, *value)])
            }
            (Collective::Shuffle(ShuffleMode::Idx), all) => {
                let own = leaders.hand_on(side, all)?;
                Some(vec![own, d.yes()])
            }
            _ => None,
        }
    }

    /// What the last barrier of the block combined.
    pub(super) fn barrier_result(&mut self, outputs: [Output; 2]) -> Result<(), Stop> {
        let Some(values) = self.side.path.reduced else {
            return Err(Target::BarrierResult {}.into());
        };
        let d = self.side.inputs.terms;
        for (output, value) in outputs.iter().zip(values) {
            if let Some(r) = output.register {
                self.write(d, r, value);
            }
        }
        Ok(())
    }
}
