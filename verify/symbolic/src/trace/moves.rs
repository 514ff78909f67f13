//! How lanes go on: from place to place, by branches, into calls and back, to their end.

use crate::obstacle::Obstacle;
use crate::obstacle::convergence::Convergence;
use crate::trace::course::{Taken, Visit};
use crate::trace::lanes::under;
use crate::trace::loops::{Edge, Rounds};
use crate::trace::path::{Name, Path};
use crate::trace::side::{Side, WORD};
use crate::trace::spot::Spot;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, TermId};

/// Work that an instruction counts for.
const STEP: u64 = 16;

impl<R: Name> Side<'_, R> {
    /// Goes to the place furthest back where lanes wait; `None` if there are none.
    ///
    /// # Errors
    /// More steps than are run; what is not supported of cut loops.
    pub fn advance(&mut self) -> Result<Option<u64>, Obstacle> {
        loop {
            let pending = &self.walk.pending;
            let aside = pending.iter().find(|(_, path)| path.aside).map(|(spot, _)| spot);
            let free =
                aside.or_else(|| pending.keys().find(|spot| !self.waits(spot) && !self.enters_early(spot)));
            let Some(spot) = free.or_else(|| pending.keys().next()).cloned() else { return Ok(None) };
            sassafras_solve::limit::spend(STEP);
            let Some(path) = self.walk.take(&spot)? else { return Ok(None) };
            let (at, cut) = (spot.at(), self.walk.is_over());
            self.path = path;
            if self.path.lanes.are_apart() {
                self.walk.course.apart.insert(at);
            }
            let visits = &mut self.walk.course.visits;
            let from = std::mem::replace(&mut self.path.from, vec![visits.len() as u32]);
            visits.push(Visit { at, from, cut });
            self.note_followed(at);
            if cut {
                let condition = self.condition();
                self.log.beyond.push(condition);
                continue;
            }
            self.walk.pass(at);
            self.walk.here = true;
            self.guard = self.terms().yes();
            if self.come_to_head(at)? {
                continue;
            }
            return Ok(Some(at));
        }
    }

    /// Whether lanes wait at a `BSYNC` for such as are on their way. Subroutines stand behind the code that calls them.
    fn waits(&self, spot: &Spot) -> bool {
        let pending = &self.walk.pending;
        let (Some(barrier), Some(path)) = (self.walk.meeting_places.get(&spot.at()), pending.get(spot))
        else {
            return false;
        };
        let others = pending.iter().filter(|(other, _)| *other != spot);
        let others = others.map(|(_, p)| (&p.lanes, p.conditions.as_slice()));
        path.lanes.wait_at(self.terms(), *barrier, others)
    }

    /// Whether lanes come to the head of a cut loop, or of one that is watched, from outside, while others are on their way to it that stand behind it: one iteration of the loop is executed, by all of them.
    fn enters_early(&self, spot: &Spot) -> bool {
        let Some(before) = self.cuts.before.get(&spot.at()) else { return false };
        let (calls, rounds) = spot.parts();
        let Some(((own, 0), around)) = rounds.split_last() else { return false };
        let mut others =
            self.walk.pending.keys().filter(|other| *other != spot && before.contains(&other.at()));
        others.any(|other| {
            let (of, rounds) = other.parts();
            of == calls
                && rounds.starts_with(around)
                && rounds.get(around.len()).is_none_or(|(l, _)| l != own)
        })
    }

    /// The lanes here whose guard did not take them elsewhere go on at `to`.
    pub fn proceed(&mut self, to: u64) {
        if self.walk.here {
            let path = self.path.clone();
            self.walk.here = false;
            self.note(&path.conditions, Some(to), Edge::Step);
            self.arrive(self.walk.spot_by(to, Edge::Step), path);
        }
    }

    /// The lanes here stop: the run ends at this place. They have not ended.
    pub fn stop(&mut self) {
        self.walk.here = false;
        self.walk.stopped.push(self.path.clone());
    }

    /// Lanes for which all of these hold go one of several ways, or leave loops: a source is to be evaluated on such. None: they end.
    fn note(&mut self, conditions: &[TermId], to: Option<u64>, edge: Edge) {
        if self.who != "source" {
            return;
        }
        let (d, walk) = (self.inputs.terms, &mut self.walk);
        walk.course.lines.insert(walk.current, self.place);
        let stays =
            to.map_or_else(Rounds::new, |to| walk.course.loops.go(&walk.rounds, (walk.current, to), edge));
        let gone = walk.rounds.iter().filter(|(l, _)| stays.iter().all(|(other, _)| other != l));
        let left: Vec<(u64, u32)> = gone.map(|(l, returns)| (walk.course.get(*l).head, *returns)).collect();
        if walk.branched || !left.is_empty() {
            let (from, branches) = (walk.current, walk.branched);
            let condition = self.inputs.normal.of(conditions.iter().fold(d.yes(), |all, c| d.and(&all, c)));
            self.walk.course.taken.push(Taken { from, to, branches, left, condition });
        }
    }

    /// Lanes come to a place, where others may be.
    fn arrive(&mut self, spot: Spot, path: Path<R>) {
        let all = match self.walk.pending.remove(&spot) {
            Some(other) => self.join(other, path),
            None => path,
        };
        self.walk.pending.insert(spot, all);
    }

    /// Lanes for which `taken` holds leave; what they take with them. `diverges`: whether who stays has lanes elsewhere then.
    fn part(&mut self, taken: TermId, diverges: bool) -> Option<Path<R>> {
        let d = self.terms();
        match self.inputs.known(taken) {
            Some(0) => return None,
            Some(_) => {
                self.walk.here = false;
                return Some(self.path.clone());
            }
            None => {}
        }
        let alike = self.inputs.is_uniform(taken);
        let mut gone = self.path.clone();
        let stays = self.normal(d.not(&taken));
        if alike && self.machine && !self.path.lanes.are_apart() {
            gone.decided.insert(taken);
            self.path.decided.insert(stays);
        }
        let go = self.add(&mut gone.conditions, taken);
        let mut own = std::mem::take(&mut self.path.conditions);
        let stay = self.add(&mut own, stays);
        self.path.conditions = own;
        if !go {
            return None;
        }
        if !stay {
            self.walk.here = false;
            return Some(gone);
        }
        // Each group knows the condition: what was written under it, as before a branch under the same guard, is what it is.
        if self.inputs.normal.is_active() {
            for (path, holds, fails) in [(&mut gone, taken, stays), (&mut self.path, stays, taken)] {
                for value in path.registers.values_mut() {
                    match d.node(*value) {
                        Node::Ite(c, x, _) if c == holds => *value = x,
                        Node::Ite(c, _, y) if c == fails => *value = y,
                        _ => {}
                    }
                }
            }
        }
        gone.lanes = self.path.lanes.branch(&mut self.warp, diverges && !alike && !self.cuts.watches());
        Some(gone)
    }

    /// Adds a condition; whether all of them can still hold on an input that counts.
    pub(super) fn add(&self, conditions: &mut Vec<TermId>, new: TermId) -> bool {
        let d = self.terms();
        let admitted = self.reading.admitted.unwrap_or_else(|| d.yes());
        let all = conditions.iter().fold(admitted, |all, c| d.and(&all, c));
        let both = self.normal(d.and(&all, &new));
        conditions.push(new);
        self.inputs.known(both) != Some(0)
    }

    /// Whether lanes are left here.
    pub fn remains(&self) -> bool {
        self.walk.here
    }

    /// Whether no lane of the warp waits elsewhere. Where the launch alone decides which way lanes go, those of one warp all go the same; and where they came together to a
    /// branch on what is the same for all of them.
    pub fn alone(&self) -> bool {
        self.alone_in_turns(None) && self.alone_on_ways()
    }

    /// Whether no lane of the warp is elsewhere that a convergence barrier does not bring here, which was set while all lanes were together. All lanes that are left are here then.
    pub fn gathered_by(&mut self, barrier: u32) -> bool {
        let all = self.alone_in_turns(Some(barrier)) && self.alone_on_ways();
        if all {
            self.all_turns_are_over();
        }
        all
    }

    fn alone_on_ways(&self) -> bool {
        if self.cuts.watches() {
            return true;
        }
        let others = self.walk.pending.values().chain(&self.walk.stopped);
        others.into_iter().all(|other| self.excludes(&self.path, other))
    }

    /// Whether lanes of two paths are never of one warp: what the launch alone decides holds for all lanes of the first's warp, and not for
    /// those of the second.
    fn excludes(&self, a: &Path<R>, b: &Path<R>) -> bool {
        let d = self.terms();
        let all = a.conditions.iter().copied();
        let alike = |c: &TermId| self.inputs.is_of_launch(*c) || a.decided.contains(c);
        let holds: Vec<TermId> = all.filter(alike).collect();
        let both = holds.iter().chain(&b.conditions).fold(d.yes(), |all, c| d.and(&all, c));
        b.conditions.iter().any(|c| d.as_constant(&under(d, &holds, *c)) == Some(0))
            || self.inputs.known(self.normal(both)) == Some(0)
    }

    /// The lanes here go on one after another.
    pub fn scatter(&mut self) {
        if self.cuts.watches() {
            return self.new_piece();
        }
        self.path.lanes.scatter(&mut self.warp);
    }

    /// The current instruction is executed by the whole warp or by nobody, since the source is undefined else (PTX ISA, "mma", "ldmatrix", "wgmma" and their kin: `.aligned`): an
    /// event of the source has its condition. Lanes that came to it by the same branches are together then, since each of them went the same way at each. So the event may be none on
    /// two ways.
    ///
    /// # Errors
    /// Lanes that came by several ways, or in turns.
    pub fn as_a_whole(&mut self) -> Result<(), Convergence> {
        let aligned = self.reading.facts.whole;
        let (lanes, warp, here) = self.lanes();
        if lanes.whole_warp(warp, &here, aligned)? {
            self.log.whole.insert(self.log.events.len());
        }
        Ok(())
    }

    /// A branch in the last turn that is looked at of a loop that is watched: where it is known that lanes stay in the loop, they leave it instead, so that they come to what is
    /// behind it. A loop around it is repeated on both sides then, though neither has executed all iterations of this one.
    fn leaves_at_last(&self, to: u64, taken: TermId) -> TermId {
        let (walk, known) = (&self.walk, self.inputs.known(taken));
        let branches = self.cuts.exits.contains(&walk.current) && walk.is_last();
        let Some((own, _)) = walk.rounds.last().filter(|_| branches) else { return taken };
        let inside = |at: u64| walk.course.loops.around(at).contains(own);
        let leaves = match known {
            Some(0) => inside(walk.current + 1) && !inside(to),
            Some(_) => inside(to) && !inside(walk.current + 1),
            None => false,
        };
        if leaves && walk.edge == Edge::Step { self.terms().not(&taken) } else { taken }
    }

    /// Lanes here whose guard holds, and `condition` besides, leave for instruction `to`.
    pub fn jump(&mut self, to: u64, condition: Option<TermId>) {
        let taken = self.leaves_at_last(to, self.guarded(condition));
        self.walk.branched |= self.inputs.known(taken) != Some(1);
        if let Some(mut path) = self.part(taken, true) {
            path.lanes.new_piece(&mut self.warp);
            // What stands aside stands behind.
            path.aside &= to * WORD > self.place;
            let edge = self.walk.edge;
            self.note(&path.conditions, Some(to), edge);
            self.arrive(self.walk.spot(to), path);
        }
        self.new_piece();
    }

    /// The same, for a call of what lies at `to`, whose lanes are then followed apart from those of other calls. Where it is called within itself as often as `most` says,
    /// that is left unfinished.
    pub fn call(&mut self, to: u64, condition: Option<TermId>, most: u32) {
        let within = self.walk.calls.iter().filter(|(_, callee)| *callee == to).count();
        if within >= most as usize {
            return self.give_up(condition);
        }
        let own = self.walk.position();
        self.walk.enter_call(to);
        self.jump(to, condition);
        self.walk.resume(own);
    }

    /// The same, for a return: lanes are followed with those that the innermost call was kept apart from.
    pub fn come_back(&mut self, to: u64, condition: Option<TermId>) {
        let own = self.walk.position();
        self.walk.leave_call();
        self.jump(to, condition);
        self.walk.resume(own);
    }

    /// What the lanes here do whose guard holds, and `condition` besides, is left unfinished.
    pub fn give_up(&mut self, condition: Option<TermId>) {
        let d = self.terms();
        let happens = condition.map_or_else(|| self.happens(), |c| self.normal(d.and(&self.happens(), &c)));
        self.log.beyond.push(happens);
        self.leave(condition);
    }

    /// The same lanes end. They are not elsewhere then.
    pub fn leave(&mut self, condition: Option<TermId>) {
        let taken = self.guarded(condition);
        self.walk.branched |= self.inputs.known(taken) != Some(1);
        if self.inputs.known(taken) != Some(0) {
            self.path.lanes.exit(&mut self.warp);
        }
        if let Some(gone) = self.part(taken, false) {
            self.note(&gone.conditions, None, Edge::Step);
        }
    }

    /// The lanes whose guard holds trap.
    pub fn trap(&mut self) {
        let happens = self.happens();
        self.log.traps.push((happens, self.place));
        self.leave(None);
    }

    /// The lanes here do something undefined.
    pub fn undefine(&mut self) {
        let happens = self.happens();
        self.log.undefined.push(happens);
        self.leave(None);
    }
}
