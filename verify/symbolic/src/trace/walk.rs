//! Where the lanes of a side are, and in which rounds and calls. Of all lanes on their way the one furthest back goes first.

use crate::obstacle::coverage::Coverage;
use crate::trace::course::Course;
use crate::trace::loops::{Edge, Loops, Rounds};
use crate::trace::path::{Name, Path};
use crate::trace::spot::{self, Calls, Spot};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Most instructions run on one side.
const MOST_STEPS: u32 = 20_000;

/// Where lanes are.
#[derive(Debug)]
pub struct Walk<R: Name> {
    /// Lanes on their way.
    pub(super) pending: BTreeMap<Spot, Path<R>>,
    /// Lanes at places at which the run ends.
    pub(super) stopped: Vec<Path<R>>,
    /// Whether the lanes that are looked at are still at the current place.
    pub(super) here: bool,
    /// The current place among those that lanes go to.
    pub(super) current: u64,
    /// Which time the current instruction was come to: in which rounds of loops, and which time in these.
    pub(super) visit: u64,
    /// The calls that the lanes are in, if lanes in different calls are followed apart.
    pub(super) calls: Calls,
    /// The loops that they are in within the innermost of these calls.
    pub(super) rounds: Rounds,
    /// How lanes go that jump from here.
    pub edge: Edge,
    /// Whether some have gone elsewhere from here.
    pub(super) branched: bool,
    /// Which ways were gone.
    pub course: Course,
    /// Where lanes meet, and at which convergence barrier.
    pub meeting_places: FxHashMap<u64, u32>,
    /// Instructions that were run.
    visited: BTreeSet<u64>,
    /// How often each was come to in the same calls and rounds.
    times: FxHashMap<Spot, u32>,
    /// One more than how often lanes return to the head of a loop, at most.
    bound: u32,
    steps: u32,
}

impl<R: Name> Walk<R> {
    /// Lanes begin at a place of code with these loops.
    pub(super) fn new(loops: Loops, at: u64, path: Path<R>, bound: u32) -> Walk<R> {
        let start = Spot::new(&loops, &[], &loops.begin(at), at);
        Walk {
            pending: BTreeMap::from([(start, path)]),
            stopped: Vec::new(),
            here: false,
            current: 0,
            visit: 0,
            calls: Vec::new(),
            rounds: Rounds::new(),
            edge: Edge::Step,
            branched: false,
            course: Course { loops, ..Course::default() },
            meeting_places: FxHashMap::default(),
            visited: BTreeSet::new(),
            times: FxHashMap::default(),
            bound,
            steps: 0,
        }
    }

    /// Which time the current instruction was come to: in which rounds of loops, and which time in these.
    pub fn visit(&self) -> u64 {
        self.visit
    }

    /// The calls that the lanes are in.
    pub fn calls(&self) -> &[(u64, u64)] {
        &self.calls
    }

    /// Whether an instruction was run.
    pub fn visited(&self, at: u64) -> bool {
        self.visited.contains(&at)
    }

    /// Lanes pass an instruction, which may not have been looked at.
    pub fn pass(&mut self, at: u64) {
        self.visited.insert(at);
    }

    /// Takes the lanes at a place up; they come to it anew.
    ///
    /// # Errors
    /// More steps than are run.
    pub(super) fn take(&mut self, spot: &Spot) -> Result<Option<Path<R>>, Coverage> {
        let Some(path) = self.pending.remove(spot) else { return Ok(None) };
        (self.calls, self.rounds) = spot.parts();
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(Coverage::Steps { most: MOST_STEPS });
        }
        let times = self.times.entry(spot.clone()).or_insert(0);
        *times += 1;
        (self.visit, self.current) = (spot.visit(*times), spot.at());
        (self.edge, self.branched) = (Edge::Step, false);
        Ok(Some(path))
    }

    /// Whether the lanes here have returned more often than is followed.
    pub(super) fn is_over(&self) -> bool {
        if self.course.loops.forgets_nothing() {
            let all = self.times.iter().filter(|(spot, _)| spot.at() == self.current);
            return all.map(|(_, times)| times).sum::<u32>() > self.bound;
        }
        self.rounds.iter().any(|(_, returns)| *returns >= self.bound)
    }

    /// Whether lanes that return to the head of the innermost loop that they are in are not followed.
    pub(super) fn is_last(&self) -> bool {
        self.rounds.last().is_some_and(|(_, returns)| returns.saturating_add(1) >= self.bound)
    }

    /// How often lanes have returned in each loop around this place, the outermost first.
    pub fn returns(&self) -> Vec<u32> {
        self.rounds.iter().map(|(_, returns)| *returns).collect()
    }

    /// A place that lanes come to from here.
    pub(super) fn spot(&self, at: u64) -> Spot {
        self.spot_by(at, self.edge)
    }

    /// The same, by an edge.
    pub(super) fn spot_by(&self, at: u64, edge: Edge) -> Spot {
        let loops = &self.course.loops;
        Spot::new(loops, &self.calls, &loops.go(&self.rounds, (self.current, at), edge), at)
    }

    /// Where lanes are that leave for elsewhere.
    pub(super) fn position(&self) -> Position {
        Position {
            calls: self.calls.clone(),
            rounds: self.rounds.clone(),
            edge: self.edge,
            current: self.current,
        }
    }

    /// Back to where lanes left from.
    pub(super) fn resume(&mut self, at: Position) {
        (self.calls, self.rounds, self.edge, self.current) = (at.calls, at.rounds, at.edge, at.current);
    }

    /// Lanes go into a call of what lies at a place: those of other calls are followed apart.
    pub(super) fn enter_call(&mut self, to: u64) {
        let rounds = std::mem::take(&mut self.rounds);
        self.calls = spot::with_loops(&self.course.loops, &self.calls, &rounds);
        self.calls.push((self.current, to));
        self.edge = Edge::Call;
    }

    /// Lanes come out of the innermost call: they are followed with those that it was kept apart from.
    pub(super) fn leave_call(&mut self) {
        if let Some((call, calls, rounds)) = spot::innermost(&self.calls) {
            (self.calls, self.rounds, self.edge, self.current) = (calls, rounds, Edge::Step, call.0);
        }
    }
}

/// Where lanes are: calls, rounds of loops, the way on, the place.
#[derive(Debug)]
pub(super) struct Position {
    calls: Calls,
    rounds: Rounds,
    edge: Edge,
    current: u64,
}
