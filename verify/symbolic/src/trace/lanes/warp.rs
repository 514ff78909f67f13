//! Lanes wait for others of the warp, and do together what asks several of them.

use super::state::{ALL, Debt, Gathered, Here, Lanes, Warp};
use crate::obstacle::convergence::Convergence;
use crate::trace::event::Wait;
use sassafras_semantics::TermId;

/// A `WARPSYNC` that lanes have come to.
#[derive(Clone, Copy, Debug)]
pub struct WarpSync {
    /// Who is waited for, 32 bits.
    pub mask: TermId,
    /// Whether it keeps lanes with other masks from joining those behind it (`.EXCLUSIVE`, `.COLLECTIVE`).
    pub exclusive: bool,
    /// Whether lanes arrive for themselves behind it (`.COLLECTIVE`).
    pub collective: bool,
}

impl Lanes {
    /// C10: lanes wait at a `WARPSYNC`, and go on behind it. `alone`: whether no path leads elsewhere, as far as that is known. Whether others might have been elsewhere
    /// before.
    ///
    /// # Errors
    /// Those elsewhere may wait for the lanes here.
    pub fn warpsync(
        &mut self,
        warp: &mut Warp,
        here: &Here<'_, '_>,
        mask: TermId,
        alone: bool,
    ) -> Result<bool, Convergence> {
        let whole = here.inputs.known(mask) == Some(ALL);
        let apart = self.apart;
        if apart && whole {
            self.are_in_none(warp, here);
        }
        // Barriers of the warp that differ in place serve as one: lanes that waited at another since they diverged may have been met there.
        let met = self.waited || warp.ended_waiting;
        let all = whole && alone && !met;
        if whole && !all && apart {
            self.meeting.wait_for_all()?;
        }
        self.new_piece(warp);
        if apart && !whole {
            let held = self.nested(here).0;
            warp.barriers.some.extend(held.into_iter().map(|h| (h.barrier, self.piece.into())));
        }
        if all {
            self.together(warp);
            self.ending = false;
            self.meeting.gather();
        } else if !here.inputs.is_uniform(mask) {
            // Lanes with one mask go on together, and nothing says when those with another do.
            (self.apart, self.same_ways, self.band) = (true, false, None);
        }
        Ok(apart)
    }

    /// C10: behind a `WARPSYNC`, and the event that it is. `apart` is what [`Lanes::warpsync`] said, `event` whether it is one.
    pub fn gather(
        &mut self,
        warp: &mut Warp,
        here: &Here<'_, '_>,
        sync: &WarpSync,
        apart: bool,
        event: bool,
    ) {
        self.waited |= self.apart;
        if apart {
            self.met.insert(Wait::At(self.piece.into()));
        }
        if self.apart {
            self.gathered = Some(Gathered { mask: sync.mask, exclusive: sync.exclusive });
            let debt = Debt { place: here.place, paid: event, collective: sync.collective };
            warp.owed.insert(self.piece, debt);
        }
    }

    /// C10: behind the end of what lanes of one mask do alone, those of other masks may join these, or run.
    pub fn end_collective(&mut self, warp: &mut Warp) {
        self.new_piece(warp);
    }

    /// C13: behind a `BRA.DIV` that goes on where the lanes of a mask are all here. Nothing keeps those of another mask from joining them (C4).
    pub fn hold(&mut self, mask: TermId) {
        self.gathered = Some(Gathered { mask, exclusive: false });
    }

    /// C13: the lanes of a machine's operation that asks several of them: none where they are all that have not ended, else their mask. `shuffle`: whether the own lane
    /// of its mask is all that it sees.
    ///
    /// # Errors
    /// Lanes that may not be together.
    pub fn members(
        &self,
        warp: &mut Warp,
        here: &Here<'_, '_>,
        shuffle: bool,
    ) -> Result<Option<TermId>, Convergence> {
        if !self.apart {
            return Ok(None);
        }
        let Some(Gathered { mask, exclusive }) = self.gathered else {
            return Err(Convergence::Apart {});
        };
        // Groups at one place may become one (C4), also such as come there in other calls or turns; a shuffle sees the own lane of the mask all the same.
        if !shuffle && !exclusive {
            let first = *warp.asked.entry(here.place).or_insert(mask);
            if !here.inputs.is_uniform(mask) || first != mask {
                return Err(Convergence::OthersJoined {});
            }
        }
        // Who waited has to ask as well.
        if here.unguarded()
            && let Some(debt) = warp.owed.get_mut(&self.piece)
        {
            debt.paid = true;
        }
        Ok((here.inputs.known(mask) != Some(ALL)).then_some(mask))
    }

    /// C15: the lanes of an operation of PTX that names a mask, likewise. `alone`: whether no path leads elsewhere.
    ///
    /// Who is not in the mask of its own executes nothing defined (PTX ISA, "vote.sync" and its kin): where all lanes that have not ended come with one mask, it
    /// names them all.
    pub fn named(&self, warp: &Warp, here: &Here<'_, '_>, mask: TermId, alone: bool) -> Option<TermId> {
        let inputs = here.inputs;
        // Lanes that waited somewhere else since they diverged may have been met there by some of these, or still be on their way to an end.
        let waited = self.waited || warp.ended_waiting;
        let all_come = alone && !waited && inputs.is_uniform(here.guard) && inputs.is_uniform(mask);
        (inputs.known(mask) != Some(ALL) && !all_come).then_some(mask)
    }

    /// Lanes come to an operation at which they wait for others: of the block, or of the warp. `first`: the number of its first event. What the wait is known by, where others may be
    /// elsewhere; `machine`: whether barriers of the block are places that lanes wait at (O6).
    pub fn wait(&mut self, block: bool, first: usize, machine: bool) -> Option<u64> {
        // Barriers of the block wait by themselves.
        let own = if block { 1 << 32 | first as u64 } else { self.piece.into() };
        if block && machine {
            self.met.insert(Wait::At(own));
        }
        let apart = self.apart;
        if apart {
            self.stopped |= block;
            self.waited |= !block;
        }
        (block || apart).then_some(own)
    }

    /// A barrier of the warp that stands right behind another of all lanes is none; `events`: how many there are.
    pub fn repeats_warp_barrier(&self, events: usize) -> bool {
        !self.apart && self.synced == Some(events)
    }

    /// A barrier of the warp is the newest of so many events.
    pub fn note_warp_barrier(&mut self, events: usize) {
        self.synced = (!self.apart).then_some(events);
    }

    /// They go straight on to an operation of the whole warp: whether they are together. `aligned`: the source is undefined where a warp comes to one in parts (PTX ISA, "mma",
    /// "ldmatrix", "wgmma" and their kin). Lanes that came to it by the same branches are together then, since each went the same way at each.
    pub fn come_as_a_whole(&mut self, warp: &mut Warp, here: &Here<'_, '_>, aligned: bool) -> bool {
        let together = aligned && self.same_ways && here.unguarded();
        if together {
            self.together(warp);
            self.to_be_whole = true;
        }
        together
    }

    /// C14: the current instruction is executed by the whole warp or by nobody. Whether that they are together rests on the source, so that its event may be none on two ways.
    ///
    /// # Errors
    /// Lanes that came by several ways, or in turns.
    pub fn whole_warp(
        &mut self,
        warp: &mut Warp,
        here: &Here<'_, '_>,
        aligned: bool,
    ) -> Result<bool, Convergence> {
        if self.apart && !self.come_as_a_whole(warp, here, aligned) {
            return Err(Convergence::Apart {});
        }
        Ok(std::mem::take(&mut self.to_be_whole))
    }
}
