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
//! again. Not supported are a thread's own stack written in a loop, copies under way and calls.

use crate::cut::{Key, Needs, Weaker};
use crate::obstacle::Obstacle;
use crate::obstacle::coverage::Coverage;
use crate::obstacle::place::Place;
use crate::trace::action::Action;
use crate::trace::event::{Event, Kind};
use crate::trace::lanes::{Lanes, Marks};
use crate::trace::loops::Rounds;
use crate::trace::path::Name;
use crate::trace::side::Side;
use rustc_hash::FxHashMap;
use sassafras_semantics::{Domain, Space, TermId, Terms};
use std::collections::BTreeSet;

/// What registers hold behind the head of a cut loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Bits of a variable, from `low` on.
    Part {
        /// Which.
        variable: usize,
        /// The lowest bit.
        low: u32,
    },
    /// What they held when lanes came to the loop, and so many times a variable.
    Moved {
        /// Which.
        variable: usize,
        /// How many times.
        factor: i64,
    },
}

/// What is compared of registers where lanes come to the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// Bits of them.
    Part {
        /// The lowest bit.
        low: u32,
        /// How many.
        width: u32,
    },
    /// So many times what they have moved by since lanes came to the loop.
    Moved {
        /// How many times.
        factor: i64,
        /// Width in bits.
        width: u32,
    },
}

/// A cut loop as one side sees it.
#[derive(Clone, Debug)]
pub struct SideCut<R> {
    /// The head.
    pub at: u64,
    /// What events say where they happen.
    pub place: u64,
    /// The variables: widths in bits, and whether lanes of a warp have them in common.
    pub variables: Vec<(u32, bool)>,
    /// What registers hold behind the head. The lowest bits are in the first; each with its width.
    pub holds: Vec<(Vec<(R, u32)>, Holds)>,
    /// What is compared, in the same order on both sides.
    pub shows: Vec<(Vec<R>, Shows)>,
    /// Registers that may hold anything: widths in bits, and whether lanes of a warp have them in common.
    pub free: Vec<(R, u32, bool)>,
    /// What holds less at the head than when lanes first come to it.
    pub weaker: Weaker,
    /// Whether the lanes of a warp are together at the head, on both sides.
    pub together: bool,
    /// Whether memory is unchanged.
    pub keeps_memory: bool,
}

/// What does not hold again where lanes come back to a head, and has to be given up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need<R> {
    /// A register holds something else.
    Register(R),
    /// A variable is not one that lanes have in common.
    NotCommon(usize),
    /// Memory is changed.
    Memory,
    /// Lanes of the warp may be elsewhere.
    Apart,
    /// Lanes may have gone different ways.
    Ways,
    /// Lanes may have waited for others of the warp.
    Waited,
    /// Lanes may have waited for others of the block.
    Stopped,
    /// Lanes that had waited may have ended.
    Ended,
    /// A convergence barrier does not bring together whom it was set by.
    Lost(u32),
}

/// Lanes that come to the head of a loop.
#[derive(Clone, Debug)]
pub struct Arrival<R: Name> {
    /// The head.
    pub at: u64,
    /// In which rounds of which loops, the own one last.
    pub rounds: Rounds,
    /// The condition under which they come, one bit.
    pub guard: TermId,
    /// How many events changed memory so far.
    pub changes: usize,
    /// What registers hold.
    pub registers: FxHashMap<R, TermId>,
}

/// Lanes that came to a cut loop.
#[derive(Debug)]
struct Entered<R: Name> {
    cut: usize,
    /// In which rounds of the loops around it.
    around: Rounds,
    /// How often the cut was entered before.
    time: u32,
    /// The condition that this turn is looked at: it holds of whoever has been at the head.
    turn: TermId,
    /// What registers hold behind the head.
    registers: FxHashMap<R, TermId>,
    /// What those held before that have moved, by the number in [`SideCut::holds`].
    before: Vec<Option<TermId>>,
    version: TermId,
    /// How many events there were.
    events: usize,
    lanes: Lanes,
    marks: Marks,
}

/// The cut loops of a side.
#[derive(Debug)]
pub struct Cuts<R: Name> {
    /// All of them; the same numbers on both sides.
    pub all: Vec<SideCut<R>>,
    /// Places in loops where arrivals are noted.
    pub watched: BTreeSet<u64>,
    /// What was noted.
    pub arrivals: Vec<Arrival<R>>,
    /// What has to be given up, with the number of the loop: nothing is shown while there is any.
    pub needs: BTreeSet<(usize, Need<R>)>,
    entered: Vec<Entered<R>>,
}

impl<R: Name> Default for Cuts<R> {
    fn default() -> Cuts<R> {
        let (all, arrivals, entered) = (Vec::new(), Vec::new(), Vec::new());
        Cuts { all, watched: BTreeSet::new(), arrivals, needs: BTreeSet::new(), entered }
    }
}

impl<R: Name> Cuts<R> {
    /// Of these loops; arrivals at some places are noted.
    pub fn of(all: Vec<SideCut<R>>, watched: BTreeSet<u64>) -> Cuts<R> {
        Cuts { all, watched, ..Cuts::default() }
    }

    /// What has to be given up, with registers by their numbers.
    pub fn needs_by(&self, key: &impl Fn(R) -> Key) -> Needs {
        self.needs.iter().map(|(cut, need)| (*cut, need.by(key))).collect()
    }
}

impl<R: Copy> Need<R> {
    /// The same with registers by their numbers.
    fn by(&self, key: &impl Fn(R) -> Key) -> Need<Key> {
        match self {
            Need::Register(r) => Need::Register(key(*r)),
            Need::NotCommon(variable) => Need::NotCommon(*variable),
            Need::Memory => Need::Memory,
            Need::Apart => Need::Apart,
            Need::Ways => Need::Ways,
            Need::Waited => Need::Waited,
            Need::Stopped => Need::Stopped,
            Need::Ended => Need::Ended,
            Need::Lost(barrier) => Need::Lost(*barrier),
        }
    }
}

impl<R: Name> Arrival<R> {
    /// The same with registers by their numbers.
    pub fn by(&self, key: &impl Fn(R) -> Key) -> Arrival<Key> {
        let registers = self.registers.iter().map(|(r, value)| (key(*r), *value)).collect();
        let Arrival { at, guard, changes, .. } = *self;
        Arrival { at, rounds: self.rounds.clone(), guard, changes, registers }
    }
}

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
            let changes = self.log.events.iter().filter(|e| e.stores() || e.orders).count();
            self.cuts.arrivals.push(Arrival { at, rounds, guard, changes, registers });
        }
        let Some(cut) = self.cuts.all.iter().position(|cut| cut.at == at) else { return Ok(false) };
        if self.path.aside || !self.walk.calls.is_empty() || !self.path.copies.is_empty() {
            let at = self.spot_of(self.cuts.all[cut].place);
            return Err(Coverage::CutAmong { at }.into());
        }
        if returns == 0 {
            self.enter(cut)?;
            return Ok(false);
        }
        self.come_back_to(cut)?;
        Ok(true)
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
        if self.cuts.entered.iter().any(|e| e.cut == number && e.around == around) {
            return Err(Coverage::CutTwice { at: self.spot_of(cut.place) }.into());
        }
        let before = self.values(&cut)?;
        self.are_common(number, &cut);
        let lanes = self.path.lanes.at_head(&mut self.warp, &cut.weaker)?;
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
        if lanes.are_apart() && cut.together {
            self.cuts.needs.insert((number, Need::Apart));
        }
        // Which turn it is that is looked at: what lanes ask each other in one turn is not what they asked before.
        let turn = inputs.variable(&name("turn"), 1, cut.together);
        let what = Action::Cut { number: number as u32, again: false };
        let results = variables.iter().copied().chain([turn]).collect();
        self.note_head(&cut, what, shown, results, &name("memory"));
        self.path.conditions.push(turn);
        for ((registers, holds), before) in cut.holds.iter().zip(&before) {
            let width = registers.iter().map(|r| r.1).sum();
            let value = match *holds {
                Holds::Part { variable, low } => d.extract(&variables[variable], low, width),
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
        self.path.lanes = lanes.clone();
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
        let found = self.cuts.entered.iter().position(|e| e.cut == number && e.around == around);
        let Some(found) = found else {
            return Err(Coverage::CutTwice { at: self.spot_of(cut.place) }.into());
        };
        self.are_common(number, &cut);
        let entered = &self.cuts.entered[found];
        // A place that is not the head of its loop may be come to without having been there.
        if !self.path.conditions.contains(&entered.turn) {
            return Err(Coverage::CutTwice { at: self.spot_of(cut.place) }.into());
        }
        let local = |i: &usize| self.log.events[*i].space == Space::Local;
        let since: Vec<usize> = (entered.events..self.log.events.len())
            .filter(|i| self.log.events[*i].stores() || self.log.events[*i].orders)
            .collect();
        if since.iter().any(local) || self.log.generic.stored && self.log.generic.windows {
            return Err(Coverage::CutStack { at: self.spot_of(cut.place) }.into());
        }
        let mut needs: Vec<Need<R>> = Vec::new();
        if cut.keeps_memory && (self.path.version != entered.version || !since.is_empty()) {
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
        let (before, time) = (entered.before.clone(), entered.time);
        let (own, head, marks) = (&self.path.lanes, &entered.lanes, &entered.marks);
        needs.extend(own.hold_again(&mut self.warp, (self.inputs, &self.path.conditions), head, marks)?);
        self.cuts.needs.extend(needs.into_iter().map(|need| (number, need)));
        let shown = self.shown(&cut, &before)?;
        let memory = format!("cut {} {number} {time} again {}", self.scope(), self.log.events.len());
        let what = Action::Cut { number: number as u32, again: true };
        self.note_head(&cut, what, shown, Vec::new(), &memory);
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
                Shows::Moved { factor, width } => {
                    let same = |(held, _): &(Vec<(R, u32)>, Holds)| held.iter().map(|h| &h.0).eq(registers);
                    let at = cut.holds.iter().position(same);
                    match at.and_then(|at| before.get(at).copied().flatten()) {
                        Some(before) => times(d, factor, d.sub(&value, &before), width),
                        None => d.constant(width, 0),
                    }
                }
            }))
        };
        cut.shows.iter().map(show).collect()
    }

    /// Variables that lanes are said to have in common are such: the lanes are together, and what becomes one is the same for all of them.
    fn are_common(&mut self, number: usize, cut: &SideCut<R>) {
        let apart = self.path.lanes.are_apart();
        for (registers, holds) in &cut.holds {
            let Holds::Part { variable, .. } = holds else { continue };
            let value = |(r, _): &(R, u32)| self.path.registers.get(r).or(self.fresh.get(r)).copied();
            let alike = registers.iter().all(|r| value(r).is_some_and(|v| self.inputs.is_uniform(v)));
            if cut.variables.get(*variable).is_some_and(|v| v.1) && (apart || !alike) {
                self.cuts.needs.insert((number, Need::NotCommon(*variable)));
            }
        }
        let all = cut.variables.iter().enumerate().filter(|(_, v)| v.1 && apart);
        let needs: Vec<(usize, Need<R>)> = all.map(|(i, _)| (number, Need::NotCommon(i))).collect();
        self.cuts.needs.extend(needs);
        if apart {
            let free = cut.free.iter().filter(|f| f.2).map(|f| (number, Need::Register(f.0)));
            let free: Vec<(usize, Need<R>)> = free.collect();
            self.cuts.needs.extend(free);
        }
    }

    fn hold(&mut self, registers: &[(R, u32)], value: TermId) {
        let d = self.terms();
        let mut low = 0;
        for (register, width) in registers {
            let part = self.normal(d.extract(&value, low, *width));
            self.path.registers.insert(*register, part);
            self.path.since.remove(register);
            low += width;
        }
    }

    /// The event that lanes come to a head. Where the loop may change memory it is in another state behind it.
    fn note_head(
        &mut self,
        cut: &SideCut<R>,
        what: Action,
        arguments: Vec<TermId>,
        variables: Vec<TermId>,
        memory: &str,
    ) {
        let before = self.path.version;
        let guard = self.happens();
        let mut results = variables;
        for (i, variable) in results.iter().enumerate() {
            self.inputs.bind(*variable, &what, &arguments, before, i as u32);
        }
        if !cut.keeps_memory {
            let after = self.inputs.variable(memory, 32, true);
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
