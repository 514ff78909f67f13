//! Loops that are cut at their heads: a run goes through them once, and what it shows of one turn holds for all.
//!
//! Where lanes come to the head of a cut loop from outside, registers that the loop writes get variables: from there on the run is that of lanes
//! that come to the head for some time, the first one among them. Where they come back to it, their way ends. Both are events
//! ([`Action::Cut`]), whose operands are what both sides have to hold alike there and whose results are the variables, so that
//! comparing the events of both sides compares one turn of the loops under what holds at their heads, and asks that it holds
//! again (Floyd 1967; for two programs: Necula 2000, Sharma et al. 2013).
//!
//! That one turn stands for all is sound because of what is asked here of each way back to the head ([`Need`]): a register holds what it held at the head, or is one of those that
//! get variables; memory is unchanged, or the head is an event behind which it is in a new state; whatever is known there of lanes is known
//! again. Not supported are a thread's own stack written in a loop, copies under way, and heads within a call that is followed apart from others.

use crate::cut::{Need, Needs, Relation};
use crate::obstacle::Obstacle;
use crate::obstacle::coverage::Coverage;
use crate::obstacle::place::Place;
use crate::trace::action::Action;
use crate::trace::event::{Event, Kind};
use crate::trace::heads::{Arrival, Carried, Compared, Entered, Holds, Shows, SideCut};
use crate::trace::loops::Rounds;
use crate::trace::path::Name;
use crate::trace::side::Side;
use sassafras_semantics::{Domain, Space, TermId, Terms};
use std::collections::BTreeSet;

/// Whatever holds at the heads of cut loops holds again.
///
/// # Errors
/// The first that does not.
pub fn hold_again(needs: &Needs) -> Result<(), Coverage> {
    match needs.first() {
        None => Ok(()),
        Some((cut, need)) => {
            Err(Coverage::NotAgain { number: *cut as u32, what: format!("{need:?}").into() })
        }
    }
}

/// So many times a number, as a number of another width: cut off, or extended with its sign.
fn times(d: &Terms, factor: i64, number: TermId, width: u32) -> TermId {
    let own = d.width_of(number);
    let fit = match own.cmp(&width) {
        std::cmp::Ordering::Less => d.sext(&number, width),
        std::cmp::Ordering::Equal => number,
        std::cmp::Ordering::Greater => d.extract(&number, 0, width),
    };
    match factor {
        1 => fit,
        _ => d.mul(&fit, &d.constant(width, i128::from(factor) as u128 & mask(width))),
    }
}

fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width.clamp(1, 128))
}

impl<R: Name> Side<'_, R> {
    /// Lanes have come to a place: whether their way ends there, since they came back to the head of a loop that is cut.
    ///
    /// # Errors
    /// What is not supported of cut loops.
    pub(super) fn come_to_head(&mut self, at: u64) -> Result<bool, Obstacle> {
        let loops = &self.walk.course.loops;
        let Some((own, returns)) = self.walk.rounds.last().copied() else { return Ok(false) };
        if !loops.around(at).contains(&own) {
            return Ok(false);
        }
        if self.cuts.watched.contains(&at) {
            let (rounds, guard) = (self.walk.rounds.clone(), self.condition());
            let registers = self.path.registers.clone();
            let changes = (self.path.version, self.path.stores.iter().map(|s| s.1).collect());
            self.cuts.arrivals.push(Arrival { at, rounds, guard, changes, registers });
        }
        let Some(cut) = self.cuts.all.iter().position(|cut| cut.at == at) else { return Ok(false) };
        if self.path.aside || !self.walk.calls.is_empty() || !self.path.copies.is_empty() {
            let at = self.spot_of(self.cuts.all[cut].place);
            return Err(Coverage::CutState { at }.into());
        }
        if returns == 0 {
            self.enter(cut)?;
            return Ok(false);
        }
        self.come_back_to(cut)?;
        Ok(true)
    }

    /// Notes when lanes come to a place that a version of the source's loop follows.
    pub(super) fn note_followed(&mut self, at: u64) {
        if !self.cuts.followed.contains(&at) {
            return;
        }
        let d = self.terms();
        let (key, comes) = ((at, self.walk.returns()), self.condition());
        let any = self.cuts.came.get(&key).map_or(comes, |other| self.normal(d.or(other, &comes)));
        self.cuts.came.insert(key, any);
    }

    /// A place as people see it.
    fn spot_of(&self, at: u64) -> Place {
        if self.machine { Place::Offset(at) } else { Place::Line(at) }
    }

    /// The rounds of the loops around the one that lanes are at the head of.
    fn around(&self) -> Rounds {
        let rounds = &self.walk.rounds;
        rounds[..rounds.len().saturating_sub(1)].to_vec()
    }

    /// Lanes come to a cut loop from outside.
    fn enter(&mut self, number: usize) -> Result<(), Obstacle> {
        let (d, inputs) = (self.terms(), self.inputs);
        let cut = self.cuts.all[number].clone();
        let around = self.around();
        let before = self.values(&cut)?;
        self.are_common(number, &cut, &vec![None; cut.holds.len()]);
        self.carry(number, &cut);
        self.find_one_memory(number, &cut);
        let state = Coverage::CutState { at: self.spot_of(cut.place) };
        let lanes = self.path.lanes.at_head(&mut self.warp, &cut.weaker).ok_or(state)?;
        let time = self.cuts.entered.iter().filter(|e| e.cut == number).count() as u32;
        let shown = self.shown(&cut, &vec![None; cut.holds.len()])?;
        let scope = self.scope();
        let name = move |what: &str| format!("cut {scope} {number} {time} {what}");
        let variables: Vec<TermId> = cut
            .variables
            .iter()
            .enumerate()
            .map(|(i, (width, common))| inputs.variable(&name(&i.to_string()), *width, *common))
            .collect();
        if lanes.are_apart() && cut.together && self.machine {
            self.cuts.needs.insert((number, Need::Apart));
        }
        // Which turn it is that is looked at: what lanes ask each other in one turn is not what they asked before.
        let turn = inputs.variable(&name("turn"), 1, cut.together);
        let what = Action::Cut { number: number as u32, again: false };
        let results = variables.iter().copied().chain([turn]).collect();
        self.note_head(&cut, what, (shown, time), results, &name("memory"));
        self.path.conditions.push(turn);
        self.path.lanes = lanes.clone();
        for ((registers, holds), before) in cut.holds.iter().zip(&before) {
            let width = registers.iter().map(|r| r.1).sum();
            let value = match *holds {
                Holds::Part { variable, low } => d.extract(&variables[variable], low, width),
                Holds::Low { variable, bits } => {
                    let name = format!("cut {} {number} {time} above {:?}", self.who, registers[0].0);
                    let above = inputs.variable(&name, width - bits, false);
                    d.concat(&above, &d.extract(&variables[variable], 0, bits))
                }
                Holds::Moved { variable, factor } => {
                    d.add(before, &times(d, factor, variables[variable], width))
                }
            };
            self.hold(registers, value);
        }
        for (register, width, common) in &cut.free {
            let name = format!("cut {} {number} {time} {register:?}", self.who);
            let value = inputs.variable(&name, *width, *common);
            self.hold(&[(*register, *width)], value);
        }
        self.path.reduced = None;
        for fact in self.compared(&cut)? {
            self.cuts.known.push(self.normal(d.or(&d.not(&turn), &fact)));
        }
        let moved = |holds: &Holds| matches!(holds, Holds::Moved { .. });
        let before = cut.holds.iter().zip(before).map(|((_, h), b)| moved(h).then_some(b)).collect();
        self.cuts.entered.push(Entered {
            cut: number,
            around,
            time,
            turn,
            registers: self.path.registers.clone(),
            before,
            version: self.path.version,
            events: self.log.events.len(),
            lanes,
            marks: self.warp.marks(),
        });
        Ok(())
    }

    /// Lanes come back to the head of a cut loop: what held there has to hold again.
    fn come_back_to(&mut self, number: usize) -> Result<(), Obstacle> {
        let cut = self.cuts.all[number].clone();
        let around = self.around();
        // The activation that these lanes are in, of several: a place that is not the head of its loop may be come to without having been there.
        let own = |e: &Entered<R>| {
            (e.cut, &e.around) == (number, &around) && self.path.conditions.contains(&e.turn)
        };
        let Some(found) = self.cuts.entered.iter().rposition(own) else {
            return Err(Coverage::CutTwice { at: self.spot_of(cut.place) }.into());
        };
        self.are_common(number, &cut, &self.cuts.entered[found].before.clone());
        self.carry(number, &cut);
        self.find_one_memory(number, &cut);
        let entered = &self.cuts.entered[found];
        // What these lanes did since: others that came out of the loop may have gone on before.
        let since = self.path.stores.iter().map(|s| s.1).filter(|at| *at >= entered.events);
        let since: Vec<Space> = since.map(|at| self.log.events[at].space).collect();
        // A thread's own stack is no state of memory that both sides share: what one turn leaves there the next would not find.
        if since.contains(&Space::Local) || self.log.generic.stored && self.log.generic.windows {
            return Err(Coverage::CutState { at: self.spot_of(cut.place) }.into());
        }
        let changed = !since.is_empty();
        let mut needs: Vec<Need<R>> = Vec::new();
        if cut.keeps_memory && (self.path.version != entered.version || changed) {
            needs.push(Need::Memory);
        }
        let given: BTreeSet<R> = cut
            .holds
            .iter()
            .flat_map(|(registers, _)| registers.iter().map(|r| r.0))
            .chain(cut.free.iter().map(|f| f.0))
            .collect();
        for (register, value) in self.path.registers.iter().filter(|(r, _)| !given.contains(r)) {
            let before = entered.registers.get(register).or(self.fresh.get(register));
            if before != Some(value) {
                needs.push(Need::Register(*register));
            }
        }
        let (before, time, at) = (entered.before.clone(), entered.time, self.spot_of(cut.place));
        let (own, head, marks) = (&self.path.lanes, &entered.lanes, &entered.marks);
        let again = own.hold_again(&mut self.warp, (self.inputs, &self.path.conditions), head, marks);
        needs.extend(again.ok_or(Coverage::CutState { at })?);
        self.cuts.needs.extend(needs.into_iter().map(|need| (number, need)));
        let shown = self.shown(&cut, &before)?;
        let memory = format!("cut {} {number} {time} again {}", self.scope(), self.log.events.len());
        let what = Action::Cut { number: number as u32, again: true };
        self.note_head(&cut, what, (shown, time), Vec::new(), &memory);
        self.walk.here = false;
        Ok(())
    }

    /// Whether no lane of the warp is in another turn of a loop that is cut, or has left it before. `barrier`: a convergence barrier that brings all lanes together that are in it.
    pub(super) fn alone_in_turns(&self, barrier: Option<u32>) -> bool {
        let held =
            |e: &Entered<R>| barrier.is_some_and(|b| e.lanes.all_hold(self.inputs, &self.path.conditions, b));
        let mut open = self.cuts.entered.iter().enumerate().filter(|(i, _)| !self.path.over.contains(i));
        open.all(|(_, e)| !e.lanes.are_apart() || held(e))
    }

    /// All lanes of the warp are here: none is in a loop any more.
    pub(super) fn all_turns_are_over(&mut self) {
        self.path.over.extend(0..self.cuts.entered.len());
    }

    /// What the registers hold that get variables, before they do.
    fn values(&self, cut: &SideCut<R>) -> Result<Vec<TermId>, Coverage> {
        cut.holds.iter().map(|(registers, _)| self.together(cut, registers.iter().map(|r| r.0))).collect()
    }

    /// What registers hold, the lowest bits in the first.
    fn together(&self, cut: &SideCut<R>, mut registers: impl Iterator<Item = R>) -> Result<TermId, Coverage> {
        let value = |r: R| {
            let value = self.path.registers.get(&r).or(self.fresh.get(&r)).copied();
            value.ok_or_else(|| Coverage::CutUnset {
                at: self.spot_of(cut.place),
                register: format!("{r:?}").into(),
            })
        };
        let first = registers.next().ok_or(Coverage::CutTwice { at: self.spot_of(cut.place) })?;
        registers.try_fold(value(first)?, |low, r| Ok(self.terms().concat(&value(r)?, &low)))
    }

    /// What is compared. `before`: what those held that have moved, where lanes have been in the loop.
    fn shown(&self, cut: &SideCut<R>, before: &[Option<TermId>]) -> Result<Vec<TermId>, Coverage> {
        let d = self.terms();
        let show = |(registers, shows): &(Vec<R>, Shows)| {
            let value = self.together(cut, registers.iter().copied())?;
            Ok(self.normal(match *shows {
                Shows::Part { low, width } => d.extract(&value, low, width),
                Shows::Moved { of, factor, width } => match before.get(of).copied().flatten() {
                    Some(before) => times(d, factor, d.sub(&value, &before), width),
                    None => d.constant(width, 0),
                },
            }))
        };
        let rows: Vec<TermId> = cut.shows.iter().map(show).collect::<Result<_, _>>()?;
        Ok(rows.into_iter().chain(self.compared(cut)?).collect())
    }

    /// Whether what is known at the head is so, one bit each.
    fn compared(&self, cut: &SideCut<R>) -> Result<Vec<TermId>, Coverage> {
        let d = self.terms();
        let value = |of: &Compared<R>| match *of {
            Compared::Register(r) => self.together(cut, std::iter::once(r)),
            Compared::Number(n) => Ok(d.constant(32, n.into())),
        };
        let holds = |fact: &Option<(Relation, [Compared<R>; 2])>| {
            let Some((relation, [a, b])) = fact else { return Ok(d.yes()) };
            Ok(self.normal(relation.of(d, value(a)?, value(b)?)))
        };
        cut.facts.iter().map(holds).collect()
    }

    /// Variables that lanes are said to have in common are such. `before`: what those held that have moved, where lanes have been in the loop.
    ///
    /// On the target lanes are together, so that all of a warp are in one turn. In it a lane of the source has what its lane of the target has, wherever
    /// other lanes of the source are: that what it holds is a function of what all have in common is asked of the source, and that both hold the same is
    /// asked of the heads.
    fn are_common(&mut self, number: usize, cut: &SideCut<R>, before: &[Option<TermId>]) {
        let common = |i: usize| cut.variables.get(i).is_some_and(|v| v.1);
        if self.machine {
            if self.path.lanes.are_apart() {
                let all = (0..cut.variables.len()).filter(|i| common(*i)).map(Need::NotCommon);
                let free = cut.free.iter().filter(|f| f.2).map(|f| Need::Register(f.0));
                self.cuts.needs.extend(all.chain(free).map(|need| (number, need)));
            }
            return;
        }
        let d = self.terms();
        for (i, (registers, holds)) in cut.holds.iter().enumerate() {
            let (Holds::Part { variable, .. } | Holds::Low { variable, .. } | Holds::Moved { variable, .. }) =
                *holds;
            let alike = |value: TermId| match (holds, before.get(i).copied().flatten()) {
                (Holds::Part { .. } | Holds::Low { .. }, _) => self.inputs.is_uniform(value),
                (Holds::Moved { .. }, None) => true,
                (Holds::Moved { .. }, Some(before)) => {
                    self.inputs.is_uniform(self.normal(d.sub(&value, &before)))
                }
            };
            let value = self.together(cut, registers.iter().map(|r| r.0));
            if common(variable) && !value.is_ok_and(alike) {
                self.cuts.needs.insert((number, Need::NotCommon(variable)));
            }
        }
    }

    /// All lanes of a warp find memory in one state at the head, unless it is said that they may not.
    fn find_one_memory(&mut self, number: usize, cut: &SideCut<R>) {
        let one = [self.path.version, self.path.seen].iter().all(|v| self.inputs.is_uniform(*v));
        if !one && !cut.own_memory {
            self.cuts.needs.insert((number, Need::OwnMemory));
        }
    }

    /// Notes what registers hold of which it is said what they hold at the head, where lanes of the warp are together there.
    fn carry(&mut self, number: usize, cut: &SideCut<R>) {
        if self.path.lanes.are_apart() {
            return;
        }
        let free = |r: &R| cut.free.iter().any(|f| f.0 == *r);
        for (register, _) in cut.holds.iter().flat_map(|(registers, _)| registers).filter(|(r, _)| !free(r)) {
            let value = self.path.registers.get(register).or(self.fresh.get(register)).copied();
            if let Some(value) = value {
                let span = self.span(*register);
                self.cuts.carried.push(Carried { cut: number, register: *register, value, span });
            }
        }
    }

    fn hold(&mut self, registers: &[(R, u32)], value: TermId) {
        let d = self.terms();
        let mut low = 0;
        for (register, width) in registers {
            let part = self.normal(d.extract(&value, low, *width));
            self.path.registers.insert(*register, part);
            self.since(*register, None);
            low += width;
        }
    }

    /// The event that lanes come to a head. Where the loop may change memory it is in another state behind it. `time`: which activation it is. What both sides have
    /// there has one name in the activation with the same number, so that its partner is that of the other side, and no other.
    fn note_head(
        &mut self,
        cut: &SideCut<R>,
        what: Action,
        (mut arguments, time): (Vec<TermId>, u32),
        variables: Vec<TermId>,
        memory: &str,
    ) {
        arguments.push(self.terms().constant(32, time.into()));
        let before = self.path.version;
        let guard = self.happens();
        let mut results = variables;
        for (i, variable) in results.iter().enumerate() {
            self.inputs.bind(*variable, &what, &arguments, before, i as u32);
        }
        if !cut.keeps_memory {
            let after = self.inputs.variable(memory, 32, !cut.own_memory);
            self.inputs.bind(after, &what, &arguments, before, u32::MAX);
            self.change_memory(after);
            results.push(after);
        }
        self.log.came.push(Vec::new());
        self.log.events.push(Event {
            kind: Kind::Sync(what),
            space: Space::Generic,
            guard,
            address: self.terms().constant(64, 0),
            bytes: 0,
            align: 0,
            value: guard,
            snapshot: false,
            version: before,
            place: cut.place,
            visit: self.walk.visit,
            orders: !cut.keeps_memory,
            arguments,
            results,
            waits: None,
            met: self.path.lanes.waits().clone(),
        });
    }
}
