//! What is known of lanes at the head of a loop that is cut.

use super::state::{Lanes, Warp};
use crate::cut::{Need, Weaker};
use crate::inputs::Inputs;
use crate::obstacle::convergence::Disorder;
use sassafras_semantics::TermId;
use std::collections::BTreeMap;

/// What a run knew of a warp at one time.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// How often barriers had been set, and for each whether lanes that wait there may be let go early.
    early: Vec<bool>,
    ended_waiting: bool,
}

impl Warp {
    /// What is known now.
    pub fn marks(&self) -> Marks {
        Marks { early: self.barriers.instances.early(), ended_waiting: self.ended_waiting }
    }
}

impl Lanes {
    /// Lanes that come to the head of a cut loop, as whoever comes to it later: with less known of them. None where what they are known by rests on what they are to come
    /// to, or is a barrier that some of them have left.
    pub fn at_head(&self, warp: &mut Warp, weaker: &Weaker) -> Option<Lanes> {
        if self.to_be_whole || self.broke.is_some() {
            return None;
        }
        let mut head = self.clone();
        head.new_piece(warp);
        head.synced = None;
        head.apart |= weaker.apart;
        head.same_ways &= !weaker.ways;
        head.waited |= weaker.waited;
        head.stopped |= weaker.stopped;
        warp.ended_waiting |= weaker.ended;
        for barrier in &weaker.lost {
            head.whole.remove(barrier);
            head.set_by_all.remove(barrier);
        }
        if head.apart {
            // Others of their turns may have left the loop.
            (head.band, head.bands) = (None, BTreeMap::new());
            head.meeting.scatter();
        }
        Some(head)
    }

    /// Whether all of them are in a convergence barrier, where the conditions of a path hold.
    pub fn all_hold(&self, inputs: &Inputs<'_>, conditions: &[TermId], barrier: u32) -> bool {
        let held = self.nesting.settled(inputs, conditions).0;
        held.iter().any(|h| h.barrier == barrier && inputs.known(h.within) == Some(1))
    }

    /// Lanes that come back to the head: what was known there and is not known of these. None where they are in other barriers.
    pub fn hold_again<R>(
        &self,
        warp: &mut Warp,
        (inputs, conditions): (&Inputs<'_>, &[TermId]),
        head: &Lanes,
        marks: &Marks,
    ) -> Option<Vec<Need<R>>> {
        if self.to_be_whole || self.broke.is_some() {
            return None;
        }
        warp.eras.come_back(&head.eras, &self.eras, head.apart);
        let mut needs = Vec::new();
        let mut need = |missing: bool, need: Need<R>| {
            if missing {
                needs.push(need);
            }
        };
        need(self.apart && !head.apart, Need::Apart);
        need(!self.same_ways && head.same_ways, Need::Ways);
        need(self.waited && !head.waited, Need::Waited);
        need(self.stopped && !head.stopped, Need::Stopped);
        need(warp.ended_waiting && !marks.ended_waiting, Need::Ended);
        for (own, all) in [(&self.whole, &head.whole), (&self.set_by_all, &head.set_by_all)] {
            for (barrier, losses) in all {
                let kept = own.get(barrier) == Some(losses) && warp.losses(*barrier) == *losses;
                need(!kept, Need::Lost(*barrier));
            }
        }
        // Lane by lane: the barriers of the head, and no others.
        let own = self.nesting.settled(inputs, conditions);
        let was = head.nesting.settled(inputs, conditions);
        let same = own.0.len() == was.0.len()
            && own.0.iter().zip(&was.0).all(|(a, b)| {
                (a.barrier, a.instance) == (b.barrier, b.instance)
                    && inputs.normal.of(a.within) == inputs.normal.of(b.within)
            });
        // Whoever waits for some of the warp in a barrier may wait for lanes of other turns.
        // Lanes of other turns may join those that ask each other something, with masks of their own.
        let asked = head.apart && warp.asked.values().any(|mask| inputs.known(*mask).is_none());
        if !same || asked || !warp.barriers.some.is_empty() {
            return None;
        }
        if warp.barriers.groups() {
            let meeting = self.settled(inputs, conditions);
            let early = warp.barriers.instances.early();
            let same = early.starts_with(&marks.early);
            if !same || !meeting.holds_again(&head.meeting, marks.early.len(), early.len()) {
                warp.barriers.strictly(0, Err(Disorder::OtherAtHead));
            }
        }
        Some(needs)
    }
}
