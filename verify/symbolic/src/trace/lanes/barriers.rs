//! Convergence barriers: `BSSY`, `BSYNC`, `BREAK`, `YIELD`, `BMOV`.

use super::nesting::{Held, Nesting, both, not, under};
use super::state::{Here, Lanes, Warp, outside};
use crate::obstacle::convergence::Tangle;
use sassafras_semantics::{Domain, TermId};

impl Lanes {
    /// C7: `BSSY`.
    ///
    /// Where lanes of the warp may be elsewhere, the hardware may lose those that were in the barrier before: then it no longer brings
    /// all lanes together, wherever they are.
    pub fn set(&mut self, warp: &mut Warp, here: &Here<'_, '_>, barrier: u32) {
        self.broke = None;
        if warp.barriers.groups() {
            self.meeting = self.settled(here.inputs, here.conditions);
            let said = self.meeting.set(barrier, self.apart, &mut warp.barriers.instances);
            warp.barriers.strictly(here.place, said);
        }
        if self.apart || !here.unguarded() {
            warp.lose(barrier);
        } else {
            self.whole.insert(barrier, warp.losses(barrier));
        }
        self.bands.insert(barrier, self.band.filter(|_| here.unguarded()));
        self.enter(warp, here, barrier, here.guard);
        if self.same_ways && here.unguarded() {
            self.set_by_all.insert(barrier, warp.losses(barrier));
        } else {
            self.set_by_all.remove(&barrier);
        }
    }

    /// The lanes for which `within` holds come into a barrier, in which none of them is (O1, O2).
    fn enter(&mut self, warp: &mut Warp, here: &Here<'_, '_>, barrier: u32, within: TermId) {
        self.nesting = self.nested(here);
        let held = self.nesting.0.clone();
        for h in held.iter().filter(|h| h.barrier == barrier) {
            warp.forbid(here, h.within);
        }
        if here.inputs.known(within) == Some(0) {
            return;
        }
        if warp.barriers.nests(held.iter().map(|h| h.barrier), barrier) {
            let place = here.place;
            warp.barriers.refuse(place, Tangle::Circle { barrier });
        }
        self.nesting.0.retain(|h| h.barrier != barrier);
        self.nesting.0.push(Held { barrier, instance: warp.barriers.count, within });
        warp.barriers.count += 1;
    }

    /// C8: `BSYNC`, by all lanes that are here. Whether the barrier was set while no lane was elsewhere, and nobody has left it elsewhere: then all who were
    /// there are here now, or have ended, if no path leads elsewhere.
    pub fn sync(&mut self, warp: &mut Warp, here: &Here<'_, '_>, barrier: u32) -> bool {
        self.broke = None;
        if warp.barriers.groups() {
            self.meeting = self.settled(here.inputs, here.conditions);
            let said = self.meeting.sync(barrier, &warp.barriers.instances);
            warp.barriers.strictly(here.place, said);
        }
        let d = here.inputs.terms;
        let held = self.nested(here);
        warp.forbid(here, outside(here, &held, barrier));
        for (i, h) in held.0.iter().enumerate().filter(|(_, h)| h.barrier == barrier) {
            for later in held.0[i + 1..].iter().filter(|l| l.barrier != barrier) {
                warp.forbid(here, both(d, h.within, later.within));
            }
        }
        self.nesting = Nesting(held.0.into_iter().filter(|h| h.barrier != barrier).collect());
        self.met.insert(crate::trace::event::Wait::Meeting(barrier));
        // Who set it together is together again, but for those that have left it: they come here by another way.
        let set_by_all = warp.take(&mut self.set_by_all, barrier);
        let whole = warp.take(&mut self.whole, barrier);
        if !whole {
            // Who was lost from it (C7) goes on, and the others wait for each other: lanes that came together part here.
            (self.apart, self.same_ways) = (true, set_by_all);
        }
        self.same_ways |= set_by_all;
        let band = self.bands.remove(&barrier).flatten().filter(|_| set_by_all);
        self.band = band.map(|band| warp.eras.band(Some(band)));
        whole
    }

    /// C8: behind a `BSYNC` of a barrier that was set while no lane was elsewhere. `alone`: whether no path leads elsewhere.
    ///
    /// If one does, it may lead to another `BSYNC` of this barrier. Who comes there goes on at once with these, wherever these are then: that
    /// they have ended by the time that their way is followed says nothing.
    pub fn reconverge(&mut self, warp: &mut Warp, barrier: u32, alone: bool) {
        match alone {
            true => self.together(warp),
            false => warp.lose(barrier),
        }
    }

    /// C9: `BREAK`, by the lanes for which `gone` holds. Nothing says that those who stay come together there, nor, where lanes leave two barriers at
    /// once, at one further out.
    pub fn break_off(&mut self, warp: &mut Warp, here: &Here<'_, '_>, barrier: u32, gone: TermId) {
        let (inputs, d) = (here.inputs, here.inputs.terms);
        let before = self.broke.unwrap_or_else(|| d.no());
        self.broke = Some(inputs.normal.of(d.or(&before, &gone)));
        let again = under(d, here.conditions, both(d, before, gone));
        if here.possible(again).is_some() {
            self.let_go(warp, here);
        }
        warp.lose(barrier);
        let instances = &mut warp.barriers.instances;
        self.meeting.leave(barrier, gone, instances, |a, b| inputs.normal.of(d.or(&a, &b)));
        for h in self.nesting.0.iter_mut().filter(|h| h.barrier == barrier) {
            h.within = inputs.normal.of(both(d, h.within, not(d, gone)));
        }
    }

    /// C11: `YIELD`. Those that wait for lanes that do it again and again may be let go on without them, at different times.
    pub fn yields(&self, warp: &mut Warp, here: &Here<'_, '_>) {
        if self.apart {
            self.let_go(warp, here);
        }
    }

    /// Lanes that wait for these at barriers may be let go without them.
    fn let_go(&self, warp: &mut Warp, here: &Here<'_, '_>) {
        for h in self.nested(here).0 {
            warp.lose(h.barrier);
        }
        self.meeting.let_go(&mut warp.barriers.instances);
    }

    /// C11: `BMOV.CLEAR`. The lanes here leave a barrier; `mask` says which of them were in it.
    pub fn keep(&mut self, warp: &mut Warp, here: &Here<'_, '_>, barrier: u32, mask: TermId) {
        self.tangle(warp, barrier);
        if !here.unguarded() {
            return warp.barriers.lose(here.place, barrier);
        }
        let held = self.nested(here);
        let within = not(here.inputs.terms, outside(here, &held, barrier));
        self.nesting = Nesting(held.0.into_iter().filter(|h| h.barrier != barrier).collect());
        warp.barriers.kept.insert(mask, (barrier, within));
        warp.barriers.last.insert((here.calls.to_vec(), barrier), mask);
    }

    /// C11: `BMOV` to a barrier. Lanes that have left it so come into it again, as if they set it; those that were not in it do not.
    pub fn restore(&mut self, warp: &mut Warp, here: &Here<'_, '_>, barrier: u32, mask: TermId) {
        self.tangle(warp, barrier);
        let own = warp.barriers.kept.contains_key(&mask);
        // From the stack it comes as what lies there: that this is the mask is asked.
        let last = || warp.barriers.last.get(&(here.calls.to_vec(), barrier)).copied();
        let Some(kept) = (if own { Some(mask) } else { last() }) else {
            return warp.barriers.lose(here.place, barrier);
        };
        match warp.barriers.kept.get(&kept).copied() {
            Some((of, within)) if of == barrier && here.unguarded() => {
                if !own {
                    let d = here.inputs.terms;
                    warp.forbid(here, d.not(&d.eq(&mask, &kept)));
                }
                self.enter(warp, here, barrier, within);
            }
            Some(_) | None => warp.barriers.lose(here.place, barrier),
        }
    }

    /// C11: `BMOV` of a barrier that lanes stay in.
    pub fn read_barrier(&mut self, barrier: u32) {
        self.set_by_all.remove(&barrier);
    }

    /// A barrier's lanes are kept in a register or taken from one.
    fn tangle(&mut self, warp: &mut Warp, barrier: u32) {
        self.set_by_all.remove(&barrier);
        warp.lose(barrier);
        self.meeting.tangle();
    }

    /// A barrier of a lower number than this that lanes here may be in.
    pub fn held_below(&self, here: &Here<'_, '_>, first: u32) -> Option<u32> {
        let nested = self.nested(here).0;
        let inside = |h: &&Held| here.inputs.known(h.within) != Some(0);
        nested.iter().filter(|h| h.barrier < first).find(inside).map(|h| h.barrier)
    }
}
