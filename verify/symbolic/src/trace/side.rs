//! What one side did: paths with their conditions and registers, and the log of guarded events.
//!
//! Of all lanes on their way the one furthest back goes first, so that paths meet where they can: registers are merged by
//! the conditions that tell the paths apart. Lanes in different rounds of a loop do not meet. Whoever returns to the head of a loop more often than
//! the bound says, since coming to the loop, is left in [`Side::beyond`].

mod access;
mod join;
mod spot;
mod ways;

use crate::assumption::Assumption;
use crate::inputs::Inputs;
use crate::opaque::StandIn;
use crate::trace::action::Action;
use crate::trace::copies::Copies;
use crate::trace::course::{Course, Taken, Visit};
use crate::trace::event::Wait;
use crate::trace::event::{Event, Kind};
use crate::trace::loops::{Edge, Loops, Rounds};
use crate::trace::meeting::Meeting;
use crate::trace::nesting::{Barriers, Nesting};
use rustc_hash::FxHashMap;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, Space, TermId, Terms, Trap};
pub use spot::Calls;
use spot::Spot;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::hash::Hash;

/// Most instructions run on one side.
const MOST_STEPS: u32 = 20_000;
/// Bytes per instruction.
pub const WORD: u64 = 16;
/// Work that an instruction counts for.
const STEP: u64 = 16;

/// What can name a register.
pub trait Name: Copy + Eq + Hash + Ord + Debug {}
impl<T: Copy + Eq + Hash + Ord + Debug> Name for T {}

/// Lanes at one place.
#[derive(Clone, Debug)]
pub struct Path<R: Name> {
    /// What holds of them: all of these.
    pub conditions: Vec<TermId>,
    /// Registers that were written or read.
    pub registers: FxHashMap<R, TermId>,
    /// Since which piece of straight code each register holds its value.
    pub since: FxHashMap<R, u32>,
    /// The piece of straight code.
    pub piece: u32,
    /// Which state of shared and global memory they see, 32 bits.
    pub version: TermId,
    /// Which their weak loads see: the same, but that relaxed loads leave it as it is.
    pub seen: TermId,
    /// Stores that they see besides: condition, and index of the event.
    pub stores: Vec<(TermId, usize)>,
    /// Whether other lanes of the warp may be elsewhere.
    pub parted: bool,
    /// Whether the lanes here, since they were last together, have all gone the same ways: no others have come to them.
    pub same_ways: bool,
    /// Whether that they are together rests on an operation of the whole warp that they are to come to.
    pub to_be_whole: bool,
    /// Convergence barriers that were set by lanes that had all gone the same ways.
    pub set_by_all: BTreeSet<u32>,
    /// Which lanes have left a barrier by `BREAK`, and neither set nor come to one since, one bit.
    pub broke: Option<TermId>,
    /// Whether, since then, some waited for others of the warp.
    pub waited: bool,
    /// Whether, since then, some waited at a barrier of the block.
    pub stopped: bool,
    /// Convergence barriers that were set while no lane was elsewhere.
    pub whole: BTreeSet<u32>,
    /// Results of the last reducing barrier.
    pub reduced: Option<[TermId; 2]>,
    /// The convergence barriers that the lanes are in.
    pub meeting: Meeting,
    /// The same, lane by lane.
    pub nesting: Nesting,
    /// Where lanes here may have waited.
    pub met: BTreeSet<Wait>,
    /// How many events there were behind the last barrier of the whole warp.
    pub synced: Option<usize>,
    /// The lanes that a barrier of the warp brought together, and the piece of straight code behind it.
    pub gathered: Option<(u32, TermId)>,
    /// Whether lanes with another mask are kept from joining these.
    pub exclusive: bool,
    /// Copies to shared memory that may be under way.
    pub copies: Copies,
    /// Whether they are in code that stands aside, from which they come back.
    pub aside: bool,
    /// The visits that they come from.
    pub from: Vec<u32>,
}

/// What code nowhere asks: then what others ask of it is no event, since any answer is as good as another.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unasked {
    /// What time it is.
    pub clocks: bool,
    /// Which lanes are here.
    pub lanes: bool,
}

/// One side of a comparison.
#[derive(Debug)]
pub struct Side<'i, R: Name> {
    /// What it starts from.
    pub inputs: &'i Inputs<'i>,
    /// `source` or `target`: for what only one side knows.
    pub who: &'static str,
    /// Whether it is SASS, where lanes have to be together for what is asked of several.
    pub machine: bool,
    /// What it did, in order.
    pub events: Vec<Event>,
    /// Conditions under which it trapped, with places.
    pub traps: Vec<(TermId, u64)>,
    /// Conditions under which a loop was left unfinished.
    pub beyond: Vec<TermId>,
    /// What registers hold where paths bring two values together.
    pub joined: Vec<TermId>,
    /// Conditions under which what it does is undefined.
    pub undefined: Vec<TermId>,
    /// Conditions under which the hardware does not take an instruction, with places.
    pub demands: Vec<(TermId, u64)>,
    /// Where jumps to addresses and returns went: from word to word of the code.
    pub jumped: BTreeSet<(usize, usize)>,
    /// Whether it makes or asks about generic addresses of shared or local memory.
    pub windows: bool,
    /// Whether it uses generic addresses that are not made of a window: they are taken for global ones.
    pub generic: bool,
    /// Whether it stores, or changes as a whole, what lies at such an address.
    pub scattered: bool,
    /// Variables in local memory: where each lies, 32 bits, and its size in bytes.
    pub locals: Vec<(TermId, u64)>,
    /// Bytes of the module's constants.
    pub constants: u64,
    /// What the other side never asks.
    pub unasked: Unasked,
    /// What loads find of stores in place of what is stored.
    pub stood_in: Vec<StandIn>,
    /// The lanes that are looked at.
    pub path: Path<R>,
    /// The guard of the current instruction, one bit.
    pub guard: TermId,
    /// The current place, for events.
    pub place: u64,
    /// The current place among those that lanes go to.
    current: u64,
    /// Which time the current instruction was come to: in which rounds of loops, and which time in these.
    pub visit: u64,
    /// Barriers of the warp that lanes may wait at for ever, by the piece of straight code behind each: place, and whether an event there
    /// is known to have all of these lanes.
    pub owed: BTreeMap<u32, (u64, bool)>,
    /// Whether lanes ended that had waited while others were elsewhere: they may be under way still.
    pub ended_waiting: bool,
    /// Where lanes meet, and at which convergence barrier.
    pub places: FxHashMap<u64, u32>,
    /// What is known of convergence barriers.
    pub barriers: Barriers,
    /// What holds on every input that counts, one bit: ways on which it does not are not followed.
    pub admitted: TermId,
    /// What was assumed.
    pub assumed: BTreeSet<Assumption>,
    /// One more than how often lanes return to the head of a loop, at most.
    pub bound: u32,
    /// Whether all accesses of shared memory are events that others see: SASS does not say which are strong.
    pub strong_shared: bool,
    /// Whether all loads of four bytes of shared memory are: SASS does not say which ask how far a barrier object is.
    pub strong_tests: bool,
    /// Whether atomic operations are changes of words (`update.rs`).
    pub updates: bool,
    /// What the compare-and-swap of a loop finds, where one is about to be done (`retry.rs`).
    pub expected: Option<TermId>,
    /// Conditions that may hold or not on any input, and their complements: which it is, and whether it holds.
    ways: FxHashMap<TermId, (TermId, bool)>,
    /// By event: the ways on which the lanes came to it.
    came: Vec<Vec<(TermId, bool)>>,
    /// Events that are one, on two ways: the second counts for the first.
    pub twins: Vec<(usize, usize)>,
    /// Whether the source is PTX, of which such operations are aligned that need whole warps.
    pub aligned: bool,
    /// Events that rest on that.
    pub whole: BTreeSet<usize>,
    here: bool,
    pending: BTreeMap<Spot, Path<R>>,
    /// Instructions that were run.
    visited: BTreeSet<u64>,
    /// How often each was come to in the same calls and rounds.
    times: FxHashMap<Spot, u32>,
    /// The calls that the lanes are in, if lanes in different calls are followed apart.
    calls: Calls,
    /// The loops that they are in within the innermost of these calls.
    rounds: Rounds,
    /// How lanes go that jump from here.
    pub edge: Edge,
    /// Whether some have gone elsewhere from here.
    branched: bool,
    /// Which ways were gone.
    pub course: Course,
    steps: u32,
    pieces: u32,
    occurrences: FxHashMap<String, u32>,
    /// Registers that did not exist before: the same for all paths.
    fresh: FxHashMap<R, TermId>,
}

impl<'i, R: Name> Side<'i, R> {
    /// At the entry.
    pub fn new(inputs: &'i Inputs<'i>, who: &'static str, bound: u32) -> Side<'i, R> {
        let d = inputs.terms;
        let start = Path {
            conditions: Vec::new(),
            registers: FxHashMap::default(),
            since: FxHashMap::default(),
            piece: 0,
            version: d.constant(32, 0),
            seen: d.constant(32, 0),
            stores: Vec::new(),
            parted: false,
            same_ways: true,
            to_be_whole: false,
            broke: None,
            set_by_all: BTreeSet::new(),
            waited: false,
            stopped: false,
            whole: BTreeSet::new(),
            reduced: None,
            meeting: Meeting::default(),
            nesting: Nesting::default(),
            met: BTreeSet::new(),
            synced: None,
            gathered: None,
            exclusive: false,
            copies: Copies::new(),
            aside: false,
            from: Vec::new(),
        };
        Side {
            inputs,
            who,
            machine: false,
            events: Vec::new(),
            traps: Vec::new(),
            beyond: Vec::new(),
            joined: Vec::new(),
            undefined: Vec::new(),
            demands: Vec::new(),
            jumped: BTreeSet::new(),
            windows: false,
            generic: false,
            scattered: false,
            locals: Vec::new(),
            constants: 0,
            unasked: Unasked::default(),
            stood_in: Vec::new(),
            path: start.clone(),
            guard: d.yes(),
            place: 0,
            current: 0,
            visit: 0,
            owed: BTreeMap::new(),
            ended_waiting: false,
            places: FxHashMap::default(),
            barriers: Barriers::default(),
            admitted: d.yes(),
            assumed: BTreeSet::new(),
            bound,
            strong_shared: false,
            strong_tests: false,
            updates: false,
            expected: None,
            ways: FxHashMap::default(),
            came: Vec::new(),
            twins: Vec::new(),
            aligned: false,
            whole: BTreeSet::new(),
            here: false,
            pending: BTreeMap::from([(Spot::new(&Loops::default(), &[], &Rounds::new(), 0), start)]),
            visited: BTreeSet::new(),
            times: FxHashMap::default(),
            calls: Vec::new(),
            rounds: Rounds::new(),
            edge: Edge::Step,
            branched: false,
            course: Course::default(),
            steps: 0,
            pieces: 0,
            occurrences: FxHashMap::default(),
            fresh: FxHashMap::default(),
        }
    }

    /// Says which loops there are; before anything is run.
    pub fn with_loops(mut self, loops: Loops) -> Side<'i, R> {
        let start = |at: u64| Spot::new(&loops, &[], &loops.begin(at), at);
        self.pending =
            std::mem::take(&mut self.pending).into_iter().map(|(s, p)| (start(s.at()), p)).collect();
        self.course.loops = loops;
        self
    }

    /// At another place than the entry, with values in registers and some state of memory.
    pub fn start(&mut self, at: u64, registers: FxHashMap<R, TermId>, version: TermId) {
        self.path.registers = registers;
        (self.path.version, self.path.seen) = (version, version);
        let loops = &self.course.loops;
        let spot = Spot::new(loops, &[], &loops.begin(at), at);
        self.pending = BTreeMap::from([(spot, self.path.clone())]);
    }

    /// What registers hold at the entry.
    pub fn begin(&mut self, given: &[(R, TermId)]) {
        for path in self.pending.values_mut() {
            path.registers.extend(given.iter().copied());
        }
    }

    fn terms(&self) -> &'i Terms {
        self.inputs.terms
    }

    fn normal(&self, t: TermId) -> TermId {
        self.inputs.normal.of(t)
    }

    /// Goes to the place furthest back where lanes wait; `None` if there are none.
    ///
    /// # Errors
    /// More steps than are run.
    pub fn advance(&mut self) -> Result<Option<u64>, String> {
        loop {
            let aside = self.pending.iter().find(|(_, path)| path.aside).map(|(spot, _)| spot);
            let free = aside.or_else(|| self.pending.keys().find(|spot| !self.waits(spot)));
            let Some(spot) = free.or_else(|| self.pending.keys().next()).cloned() else { return Ok(None) };
            let Some(path) = self.pending.remove(&spot) else { return Ok(None) };
            let at = spot.at();
            (self.calls, self.rounds) = spot.parts();
            self.steps += 1;
            sassafras_solve::limit::spend(STEP);
            if self.steps > MOST_STEPS {
                return Err(format!("coverage: more than {MOST_STEPS} instructions on its paths"));
            }
            let times = self.times.entry(spot.clone()).or_insert(0);
            *times += 1;
            (self.visit, self.current) = (spot.visit(*times), at);
            (self.edge, self.branched) = (Edge::Step, false);
            self.path = path;
            let cut = self.is_over(at);
            let number = self.course.visits.len() as u32;
            let from = std::mem::replace(&mut self.path.from, vec![number]);
            self.course.visits.push(Visit { at, from, cut });
            if cut {
                let condition = self.condition();
                self.beyond.push(condition);
                continue;
            }
            self.visited.insert(at);
            self.here = true;
            self.guard = self.terms().yes();
            return Ok(Some(at));
        }
    }

    /// Whether lanes that come to a place have returned more often than is followed.
    fn is_over(&self, at: u64) -> bool {
        if self.course.loops.forgets_nothing() {
            let all = self.times.iter().filter(|(spot, _)| spot.at() == at);
            return all.map(|(_, times)| times).sum::<u32>() > self.bound;
        }
        self.rounds.iter().any(|(_, returns)| *returns >= self.bound)
    }

    /// Whether lanes wait at a meeting place for such as are on their way. Subroutines stand behind the code that calls them.
    fn waits(&self, spot: &Spot) -> bool {
        let (Some(barrier), Some(path)) = (self.places.get(&spot.at()), self.pending.get(spot)) else {
            return false;
        };
        let others = self.pending.iter().filter(|(other, _)| *other != spot);
        let others = others.map(|(_, p)| (&p.nesting, p.conditions.as_slice()));
        path.nesting.waits(self.terms(), *barrier, others)
    }

    /// The lanes here whose guard did not take them elsewhere go on at `to`.
    pub fn proceed(&mut self, to: u64) {
        if self.here {
            let path = self.path.clone();
            self.here = false;
            self.note(&path.conditions, Some(to), Edge::Step);
            self.wait(self.spot(to, Edge::Step), path);
        }
    }

    /// Lanes for which all of these hold go one of several ways, or leave loops: a source is to be evaluated on such. None: they end.
    fn note(&mut self, conditions: &[TermId], to: Option<u64>, edge: Edge) {
        if self.who != "source" {
            return;
        }
        self.course.lines.insert(self.current, self.place);
        let stays =
            to.map_or_else(Rounds::new, |to| self.course.loops.go(&self.rounds, (self.current, to), edge));
        let gone = self.rounds.iter().filter(|(l, _)| stays.iter().all(|(other, _)| other != l));
        let left: Vec<(u64, u32)> = gone.map(|(l, returns)| (self.course.get(*l).head, *returns)).collect();
        if self.branched || !left.is_empty() {
            let d = self.terms();
            let condition = self.normal(conditions.iter().fold(d.yes(), |all, c| d.and(&all, c)));
            self.course.taken.push(Taken {
                from: self.current,
                to,
                branches: self.branched,
                left,
                condition,
            });
        }
    }

    fn wait(&mut self, spot: Spot, path: Path<R>) {
        let all = match self.pending.remove(&spot) {
            Some(other) => self.join(other, path),
            None => path,
        };
        self.pending.insert(spot, all);
    }

    /// Lanes for which `taken` holds leave; what they take with them.
    fn part(&mut self, taken: TermId) -> Option<Path<R>> {
        let d = self.terms();
        match self.inputs.known(taken) {
            Some(0) => return None,
            Some(_) => {
                self.here = false;
                return Some(self.path.clone());
            }
            None => {}
        }
        let parts = !self.inputs.is_uniform(taken);
        let mut gone = self.path.clone();
        let stays = self.normal(d.not(&taken));
        let (g, s) = (self.add(&mut gone.conditions, taken), {
            let mut mine = std::mem::take(&mut self.path.conditions);
            let s = self.add(&mut mine, stays);
            self.path.conditions = mine;
            s
        });
        match (g, s) {
            (false, _) => return None,
            (_, false) => {
                self.here = false;
                return Some(gone);
            }
            _ => {}
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
        self.pieces += 2;
        (gone.piece, self.path.piece) = (self.pieces - 1, self.pieces);
        gone.parted |= parts;
        self.path.parted |= parts;
        Some(gone)
    }

    /// Adds a condition; whether all of them can still hold on an input that counts.
    fn add(&self, conditions: &mut Vec<TermId>, new: TermId) -> bool {
        let d = self.terms();
        let all = conditions.iter().fold(self.admitted, |all, c| d.and(&all, c));
        let both = self.normal(d.and(&all, &new));
        conditions.push(new);
        self.inputs.known(both) != Some(0)
    }

    /// The lanes here go on one after another.
    pub fn scatter(&mut self) {
        (self.path.parted, self.path.same_ways) = (true, false);
        self.path.meeting.scatter();
        self.new_piece();
    }

    /// The current instruction is executed by the whole warp or by nobody, since the source is undefined else (PTX ISA, "mma", "ldmatrix", "wgmma" and their kin: `.aligned`): an
    /// event of the source has its condition. Lanes that came to it by the same branches are together then, since each of them went the same way at each. So the event may be none on
    /// two ways.
    ///
    /// # Errors
    /// Lanes that came by several ways, or in turns.
    pub fn as_a_whole(&mut self) -> Result<(), Trap> {
        if self.path.parted && !self.comes_as_a_whole() {
            let what = "convergence: a cross-lane operation where lanes may be apart";
            return Err(Trap::Unsupported(what.into()));
        }
        if std::mem::take(&mut self.path.to_be_whole) {
            self.whole.insert(self.events.len());
        }
        Ok(())
    }

    /// The lanes here go straight on to such an operation: whether they are together already.
    pub fn comes_as_a_whole(&mut self) -> bool {
        let unguarded = self.inputs.known(self.guard) == Some(1);
        let together = self.aligned && self.path.same_ways && unguarded;
        if together {
            self.together();
            self.path.to_be_whole = true;
        }
        together
    }

    /// All lanes of the warp that have not ended are here.
    pub fn together(&mut self) {
        (self.path.parted, self.path.waited, self.path.stopped) = (false, false, false);
        self.path.same_ways = true;
    }

    /// Lanes here whose guard holds, and `condition` besides, leave for instruction `to`.
    pub fn jump(&mut self, to: u64, condition: Option<TermId>) {
        let d = self.terms();
        let taken = self.normal(condition.map_or(self.guard, |c| d.and(&self.guard, &c)));
        self.branched |= self.inputs.known(taken) != Some(1);
        if let Some(mut path) = self.part(taken) {
            self.pieces += 1;
            path.piece = self.pieces;
            // What stands aside stands behind.
            path.aside &= to * WORD > self.place;
            self.note(&path.conditions, Some(to), self.edge);
            self.wait(self.spot(to, self.edge), path);
        }
        self.new_piece();
    }

    /// The calls that the lanes are in.
    pub fn calls(&self) -> &[(u64, u64)] {
        &self.calls
    }

    /// A place that lanes come to from here.
    fn spot(&self, at: u64, edge: Edge) -> Spot {
        let loops = &self.course.loops;
        Spot::new(loops, &self.calls, &loops.go(&self.rounds, (self.current, at), edge), at)
    }

    /// The same, for a call of what lies at `to`, whose lanes are then followed apart from those of other calls. Where it is called within itself as often as `most` says,
    /// that is left unfinished.
    pub fn call(&mut self, to: u64, condition: Option<TermId>, most: u32) {
        let within = self.calls.iter().filter(|(_, callee)| *callee == to).count();
        if within >= most as usize {
            return self.give_up(condition);
        }
        let (calls, rounds, edge) = (self.calls.clone(), std::mem::take(&mut self.rounds), self.edge);
        self.calls = spot::with_loops(&self.course.loops, &calls, &rounds);
        self.calls.push((self.current, to));
        self.edge = Edge::Call;
        self.jump(to, condition);
        (self.calls, self.rounds, self.edge) = (calls, rounds, edge);
    }

    /// The same, for a return: lanes are followed with those that the innermost call was parted from.
    pub fn come_back(&mut self, to: u64, condition: Option<TermId>) {
        let own = (self.calls.clone(), self.rounds.clone(), self.edge, self.current);
        if let Some((call, calls, rounds)) = spot::innermost(&self.calls) {
            (self.calls, self.rounds, self.edge, self.current) = (calls, rounds, Edge::Step, call.0);
        }
        self.jump(to, condition);
        (self.calls, self.rounds, self.edge, self.current) = own;
    }

    /// What the lanes here do whose guard holds, and `condition` besides, is left unfinished.
    pub fn give_up(&mut self, condition: Option<TermId>) {
        let d = self.terms();
        let happens = condition.map_or_else(|| self.happens(), |c| self.normal(d.and(&self.happens(), &c)));
        self.beyond.push(happens);
        self.leave(condition);
    }

    /// The same lanes end.
    pub fn leave(&mut self, condition: Option<TermId>) {
        let d = self.terms();
        let taken = self.normal(condition.map_or(self.guard, |c| d.and(&self.guard, &c)));
        self.branched |= self.inputs.known(taken) != Some(1);
        let parted = self.path.parted;
        if parted && (self.path.waited || self.path.stopped) && self.inputs.known(taken) != Some(0) {
            self.ended_waiting = true;
        }
        if let Some(gone) = self.part(taken) {
            self.note(&gone.conditions, None, Edge::Step);
        }
        // Lanes that ended are not elsewhere.
        self.path.parted = parted;
    }

    /// The lanes whose guard holds trap.
    pub fn trap(&mut self) {
        let happens = self.happens();
        self.traps.push((happens, self.place));
        self.leave(None);
    }

    /// The lanes here do something undefined.
    pub fn undefine(&mut self) {
        let happens = self.happens();
        self.undefined.push(happens);
        self.leave(None);
    }

    /// Whether an instruction was run.
    pub fn visited(&self, at: u64) -> bool {
        self.visited.contains(&at)
    }

    /// A new piece of straight code begins here.
    pub fn new_piece(&mut self) {
        self.pieces += 1;
        self.path.piece = self.pieces;
    }

    /// Changes all paths that wait elsewhere.
    pub fn everywhere(&mut self, change: impl FnMut(&mut Path<R>)) {
        self.pending.values_mut().for_each(change);
    }

    /// Whether no lane of the warp waits elsewhere. Where the launch alone decides which way lanes go, those of one warp all go the same.
    pub fn alone(&self) -> bool {
        self.pending.values().all(|other| self.excludes(&self.path, other))
    }

    /// Whether lanes of two paths are never of one warp: what the launch alone decides holds for all lanes of the first's warp, and not for
    /// those of the second.
    fn excludes(&self, a: &Path<R>, b: &Path<R>) -> bool {
        let d = self.terms();
        let all = a.conditions.iter().copied();
        let holds: Vec<TermId> = all.filter(|c| self.inputs.is_of_launch(*c)).collect();
        let both = holds.iter().chain(&b.conditions).fold(d.yes(), |all, c| d.and(&all, c));
        b.conditions.iter().any(|c| d.as_constant(&crate::trace::nesting::under(d, &holds, *c)) == Some(0))
            || self.inputs.known(self.normal(both)) == Some(0)
    }

    /// Narrows the guard to where a condition holds besides.
    pub fn narrow(&mut self, condition: TermId) {
        self.guard = self.normal(self.terms().and(&self.guard, &condition));
    }

    /// Whether lanes are left here.
    pub fn remains(&self) -> bool {
        self.here
    }

    /// Lanes pass an instruction without being looked at there.
    pub fn pass(&mut self, at: u64) {
        self.visited.insert(at);
    }

    /// The condition of the lanes here, one bit.
    pub fn condition(&self) -> TermId {
        let d = self.terms();
        self.normal(self.path.conditions.iter().fold(d.yes(), |all, c| d.and(&all, c)))
    }

    /// That the current instruction takes effect.
    pub fn happens(&self) -> TermId {
        self.normal(self.terms().and(&self.condition(), &self.guard))
    }

    /// Two groups of lanes become one.
    fn join(&mut self, a: Path<R>, b: Path<R>) -> Path<R> {
        let d = self.terms();
        let same = a.conditions.iter().zip(&b.conditions).take_while(|(x, y)| x == y).count();
        let rest =
            |p: &Path<R>| self.normal(p.conditions[same..].iter().fold(d.yes(), |all, c| d.and(&all, c)));
        let (ra, rb) = (rest(&a), rest(&b));
        let mut conditions = a.conditions[..same].to_vec();
        let either = self.normal(d.or(&ra, &rb));
        if self.inputs.known(either) != Some(1) {
            conditions.push(either);
        }
        // Opposite conditions: either tells the groups apart.
        let pick = |x: TermId, y: TermId| match x == y || crate::sum::same(d, x, y) {
            true => x.min(y),
            false => self.chosen((ra, x), (rb, y)),
        };
        let mut registers = FxHashMap::default();
        let mut joined = Vec::new();
        let names: BTreeSet<R> = a.registers.keys().chain(b.registers.keys()).copied().collect();
        for r in names {
            // A register that one group has not touched is what it was at the entry.
            let of = |p: &Path<R>| p.registers.get(&r).or(self.fresh.get(&r)).copied();
            let value = match (of(&a), of(&b)) {
                (Some(x), Some(y)) => pick(x, y),
                (Some(x), None) | (None, Some(x)) => x,
                (None, None) => continue,
            };
            if of(&a) != of(&b) {
                joined.push(value);
            }
            registers.insert(r, value);
        }
        let mut since = a.since.clone();
        for (r, s) in &b.since {
            if since.get(r) != Some(s) {
                since.insert(*r, u32::MAX);
            }
        }
        let mut stores: Vec<(TermId, usize)> = Vec::new();
        let all: BTreeSet<usize> = a.stores.iter().chain(&b.stores).map(|s| s.1).collect();
        for index in all {
            let of = |p: &Path<R>| p.stores.iter().find(|s| s.1 == index).map(|s| s.0);
            let condition = match (of(&a), of(&b)) {
                (Some(x), Some(y)) => pick(x, y),
                // On the other path it is not seen: it did not happen, or memory has changed since.
                (Some(x), None) => self.normal(d.and(&ra, &x)),
                (None, Some(y)) => self.normal(d.and(&d.not(&ra), &y)),
                (None, None) => continue,
            };
            stores.push((condition, index));
        }
        let reduced = match (a.reduced, b.reduced) {
            (Some(x), Some(y)) => Some([pick(x[0], y[0]), pick(x[1], y[1])]),
            (x, y) => x.or(y),
        };
        let broke = match (a.broke, b.broke) {
            (None, None) => None,
            (x, y) => Some(pick(x.unwrap_or_else(|| d.no()), y.unwrap_or_else(|| d.no()))),
        };
        let (version, seen) = (pick(a.version, b.version), pick(a.seen, b.seen));
        let apart = (a.parted || b.parted) && !self.inputs.is_uniform(ra);
        let nesting = Nesting::join(self.inputs, &self.nested(&a), &self.nested(&b), ra);
        let meeting = match self.barriers.groups() {
            true => Meeting::join(self.settle(&a), self.settle(&b), apart, d.no(), pick),
            false => Meeting::default(),
        };
        self.joined.extend(joined);
        self.pieces += 1;
        Path {
            conditions,
            registers,
            since,
            piece: self.pieces,
            version,
            seen,
            stores,
            parted: a.parted || b.parted,
            to_be_whole: a.to_be_whole || b.to_be_whole,
            broke,
            set_by_all: a.set_by_all.intersection(&b.set_by_all).copied().collect(),
            same_ways: a.same_ways && b.same_ways && !(a.parted || b.parted),
            waited: a.waited || b.waited,
            stopped: a.stopped || b.stopped,
            whole: a.whole.intersection(&b.whole).copied().collect(),
            reduced,
            meeting,
            nesting,
            met: a.met.union(&b.met).copied().collect(),
            synced: None,
            gathered: None,
            exclusive: false,
            copies: crate::trace::copies::join(&a.copies, &b.copies),
            aside: a.aside && b.aside,
            from: a.from.iter().chain(&b.from).copied().collect::<BTreeSet<u32>>().into_iter().collect(),
        }
    }

    /// The barriers of a path without those that all its lanes have left.
    pub fn settle(&self, path: &Path<R>) -> Meeting {
        let d = self.terms();
        let mut meeting = path.meeting.clone();
        meeting.settle(|left| {
            // A condition of the path itself: terms that are not simplified do not show it otherwise.
            if path.conditions.contains(&left) {
                return true;
            }
            let stays = path.conditions.iter().fold(d.not(&left), |all, c| d.and(&all, c));
            self.inputs.known(self.normal(stays)) == Some(0)
        });
        meeting
    }

    /// A register's value; `first` makes what it holds before it is written.
    pub fn read(&mut self, register: R, first: impl FnOnce(&Inputs<'i>) -> TermId) -> TermId {
        if let Some(v) = self.path.registers.get(&register) {
            return *v;
        }
        let inputs = self.inputs;
        let v = *self.fresh.entry(register).or_insert_with(|| first(inputs));
        self.path.registers.insert(register, v);
        v
    }

    /// Sets a register, where the guard holds; what it then holds.
    pub fn write(&mut self, register: R, value: TermId, old: TermId) -> TermId {
        let d = self.terms();
        let new = match self.inputs.known(self.guard) {
            Some(1) => self.normal(value),
            _ => self.normal(d.ite(&self.guard, &value, &old)),
        };
        self.path.registers.insert(register, new);
        self.path.since.insert(register, self.path.piece);
        new
    }

    /// What an atomic operation of lanes here is about to find, a variable of its own; `what` as [`Side::update`] has it.
    pub fn foretell(&mut self, what: &Action, width: u32) -> TermId {
        let (anyway, _) = self.happens_anyway();
        let key = format!("{what} answers {anyway} after {}", self.path.version);
        let count = self.occurrences.entry(key.clone()).or_insert(0);
        *count += 1;
        let scope = if self.inputs.normal.is_active() { "" } else { self.who };
        let name = format!("event {scope} {key} {count}");
        let found = self.inputs.variable(&name, width, false);
        self.inputs.bind(found, what, &[], self.path.version, 0);
        found
    }

    /// An atomic operation that finds `old`, which was foretold, and leaves `new`.
    pub fn update(&mut self, what: Action, address: TermId, old: TermId, new: TermId) {
        self.event_that(what, &[address, new], &[], Some(old), true);
    }

    /// Something that other threads may see or answer; its results are `widths` bits wide.
    pub fn event(&mut self, what: Action, arguments: &[TermId], widths: &[u32], memory: bool) -> Vec<TermId> {
        self.event_that(what, arguments, widths, None, memory)
    }

    /// The same; `foretold` is its answer, if there is one already.
    fn event_that(
        &mut self,
        what: Action,
        arguments: &[TermId],
        widths: &[u32],
        foretold: Option<TermId>,
        memory: bool,
    ) -> Vec<TermId> {
        let d = self.terms();
        let arguments: Vec<TermId> = arguments.iter().map(|a| self.normal(*a)).collect();
        let guard = self.happens();
        let (anyway, came) = self.happens_anyway();
        // What a call finds in a buffer is compared, and names nothing: the source may leave part of it open, which is chosen later. Of two events in one state of
        // memory one happens at most, so that no two that happen get one answer.
        let mut key = format!("{what} {:?} {anyway}", crate::trace::event::call_asked(&what, &arguments));
        if memory {
            key += &format!(" after {}", self.path.version);
        }
        // Who asks, and what, decides the answer of lanes that ask each other twice; but who is here is any set each time.
        let asks_all = arguments.first().is_some_and(|a| self.inputs.known(*a) == Some(1));
        let free = what == Action::Vote && asks_all;
        let pure = !(memory || free);
        let count = self.occurrences.entry(key.clone()).or_insert(0);
        *count += 1;
        let answer = if pure { key.clone() } else { format!("{key} {count}") };
        // In an arena of raw terms the sides have no terms in common.
        let scope = if self.inputs.normal.is_active() { "" } else { self.who };
        let name = |part: String| format!("event {scope} {answer} {part}");
        let fresh = widths.iter().enumerate().map(|(i, w)| {
            // Members with masks of their own get answers of their own.
            let mask = arguments.get(usize::from(what != Action::Elect));
            let alike = mask.is_none_or(|m| self.inputs.is_uniform(*m));
            let one = match what {
                Action::Vote | Action::Redux(_) => true,
                Action::Elect => i == 0,
                _ => false,
            };
            let uniform = one && alike;
            self.inputs.variable(&name(i.to_string()), *w, uniform)
        });
        let results: Vec<TermId> = foretold.into_iter().chain(fresh).collect();
        let before = self.path.version;
        let mut yields = results.clone();
        if memory {
            let after = self.inputs.variable(&name("memory".into()), 32, true);
            yields.push(after);
            self.path.version = self.normal(d.ite(&self.guard, &after, &before));
            self.path.seen = self.normal(d.ite(&self.guard, &after, &self.path.seen));
            let operands = crate::trace::event::call_asked(&what, &arguments);
            self.inputs.bind(after, &what, operands, before, u32::MAX);
            // What others may have changed is no longer known; one's own stack is.
            let kept = |e: &Event| e.space == Space::Local;
            let not = self.normal(d.not(&self.guard));
            let mut stores = std::mem::take(&mut self.path.stores);
            for s in &mut stores {
                if !kept(&self.events[s.1]) {
                    s.0 = self.normal(d.and(&s.0, &not));
                }
            }
            stores.retain(|s| self.inputs.known(s.0) != Some(0));
            self.path.stores = stores;
        }
        for (i, r) in results.iter().enumerate() {
            // What lanes answer each other does not depend on memory.
            let state = if memory { before } else { d.constant(32, 0) };
            if foretold.is_none() {
                self.inputs.bind(*r, &what, crate::trace::event::asked(&what, &arguments), state, i as u32);
            }
        }
        self.came.push(came);
        self.events.push(Event {
            kind: Kind::Sync(what),
            space: Space::Generic,
            guard,
            address: d.constant(64, 0),
            bytes: 0,
            value: guard,
            snapshot: false,
            version: before,
            place: self.place,
            visit: self.visit,
            orders: memory,
            arguments,
            results: yields,
            waits: None,
            met: self.path.met.clone(),
        });
        results
    }

    /// Whether each generic address is known to lie in a window or in global memory.
    ///
    /// # Errors
    /// Addresses of windows, and others that may be such: they may come from memory. Barriers that lanes may wait at for ever.
    pub fn settled(&self) -> Result<(), String> {
        if let Some((place, _)) = self.owed.values().find(|(_, paid)| !paid) {
            return Err(format!(
                "convergence: the barrier at {place:#06x} waits for lanes that may not come"
            ));
        }
        self.barriers.open()?;
        if self.who == "source" && self.barriers.wait_for_some() {
            return Err("convergence: lanes in a barrier wait for some of the warp".into());
        }
        // Where nothing is stored in a window, nor at such an address, each load finds what lies there, whatever that is.
        let own = |e: &Event| e.kind == Kind::Store && matches!(e.space, Space::Shared | Space::Local);
        let written = self.scattered || self.strong_shared || self.events.iter().any(own);
        match self.windows && self.generic && written {
            true => Err("generic: an address of which it is not known in which window it lies".into()),
            false => Ok(()),
        }
    }
}

/// A space for people.
pub fn name(space: Space) -> String {
    format!("{space:?}").to_lowercase()
}
