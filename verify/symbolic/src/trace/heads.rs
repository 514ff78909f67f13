//! Loops that are cut as one side of a run sees them, and lanes that have come to their heads.

use crate::cut::{Follows, Key, Need, Needs, Relation, Weaker};
use crate::trace::lanes::{Lanes, Marks, Span};
use crate::trace::loops::{Flow, Loops, Rounds};
use crate::trace::path::Name;
use rustc_hash::FxHashMap;
use sassafras_semantics::TermId;
use std::collections::{BTreeMap, BTreeSet};

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
    /// The lowest bits of a variable, and above them anything.
    Low {
        /// Which.
        variable: usize,
        /// How many.
        bits: u32,
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
        /// Which of [`SideCut::holds`] they are, of which it is kept what they held then.
        of: usize,
        /// How many times.
        factor: i64,
        /// Width in bits.
        width: u32,
    },
}

/// An operand of a comparison that holds at a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared<R> {
    /// A register.
    Register(R),
    /// A number.
    Number(u32),
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
    /// Comparisons of 32 bits that hold at the head; none on the side that knows nothing of them.
    pub facts: Vec<Option<(Relation, [Compared<R>; 2])>>,
    /// Registers that may hold anything: widths in bits, and whether lanes of a warp have them in common.
    pub free: Vec<(R, u32, bool)>,
    /// What holds less at the head than when lanes first come to it.
    pub weaker: Weaker,
    /// Whether the lanes of a warp are together at the head on the target: all of them are in the same turn then, on both sides.
    pub together: bool,
    /// Whether memory is unchanged.
    pub keeps_memory: bool,
    /// Whether lanes of one warp may find memory in states of their own.
    pub own_memory: bool,
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
    /// The state of memory that they find, and the stores behind it that they have done, by their numbers among all events.
    pub changes: (TermId, BTreeSet<usize>),
    /// What registers hold.
    pub registers: FxHashMap<R, TermId>,
}

/// Lanes that came to a cut loop.
#[derive(Debug)]
pub(super) struct Entered<R: Name> {
    pub(super) cut: usize,
    /// In which rounds of the loops around it.
    pub(super) around: Rounds,
    /// How often the cut was entered before.
    pub(super) time: u32,
    /// The condition that this turn is looked at: it holds of whoever has been at the head.
    pub(super) turn: TermId,
    /// What registers hold behind the head.
    pub(super) registers: FxHashMap<R, TermId>,
    /// What those held before that have moved, by the number in [`SideCut::holds`].
    pub(super) before: Vec<Option<TermId>>,
    pub(super) version: TermId,
    /// How many events there were.
    pub(super) events: usize,
    pub(super) lanes: Lanes,
    pub(super) marks: Marks,
}

/// What a register held where lanes came to a head, of which it is said what it holds there.
#[derive(Clone, Debug)]
pub struct Carried<R> {
    /// The number of the cut.
    pub cut: usize,
    /// The register.
    pub register: R,
    /// What it held.
    pub value: TermId,
    /// From when it was written to the head.
    pub span: Span,
}

/// The cut loops of a side.
#[derive(Debug)]
pub struct Cuts<R: Name> {
    /// All of them; the same numbers on both sides.
    pub all: Vec<SideCut<R>>,
    /// Places in loops where arrivals are noted.
    pub watched: BTreeSet<u64>,
    /// Branches that may leave a loop or stay in it, where arrivals are noted.
    pub exits: BTreeSet<u64>,
    /// By place where a loop is cut, or where arrivals are noted: places outside the loop that lead to it.
    pub before: BTreeMap<u64, BTreeSet<u64>>,
    /// What was noted.
    pub arrivals: Vec<Arrival<R>>,
    /// Places that versions of the source's loops follow.
    pub followed: BTreeSet<u64>,
    /// When lanes came to these.
    pub came: Follows,
    /// What lanes of the source choose, if it is not known yet when those of the target come there.
    pub chosen: Vec<((u64, Vec<u32>), TermId)>,
    /// What is known of turns that are looked at, one bit each.
    pub known: Vec<TermId>,
    /// What has to be given up, with the number of the loop: nothing is shown while there is any.
    pub needs: BTreeSet<(usize, Need<R>)>,
    /// What registers held at heads, where all lanes of the warp are together.
    pub carried: Vec<Carried<R>>,
    pub(super) entered: Vec<Entered<R>>,
}

impl<R: Name> Default for Cuts<R> {
    fn default() -> Cuts<R> {
        Cuts {
            all: Vec::new(),
            watched: BTreeSet::new(),
            exits: BTreeSet::new(),
            before: BTreeMap::new(),
            arrivals: Vec::new(),
            followed: BTreeSet::new(),
            came: Follows::new(),
            chosen: Vec::new(),
            known: Vec::new(),
            needs: BTreeSet::new(),
            carried: Vec::new(),
            entered: Vec::new(),
        }
    }
}

impl<R: Name> Cuts<R> {
    /// Of these loops of code, which leads from place to place; `watches`: whether arrivals at places where loops may be cut are noted.
    pub fn of(all: Vec<SideCut<R>>, loops: &Loops, flow: &Flow, watches: bool) -> Cuts<R> {
        let (watched, exits) = match watches {
            true => (loops.gates(flow), loops.exits(flow)),
            false => Default::default(),
        };
        let places = all.iter().map(|cut| cut.at).chain(watched.iter().copied());
        let before = places.map(|at| (at, loops.before(flow, at))).collect();
        Cuts { all, watched, exits, before, ..Cuts::default() }
    }

    /// Whether arrivals are noted. Nothing is shown of such a run: it is there for what both sides hold alike at the heads of loops, and all lanes of a warp go the same way in it.
    pub fn watches(&self) -> bool {
        !self.watched.is_empty()
    }

    /// What has to be given up, with registers by their numbers.
    pub fn needs_by(&self, key: &impl Fn(R) -> Key) -> Needs {
        self.needs.iter().map(|(cut, need)| (*cut, need.by(key))).collect()
    }
}

impl<R: Name> Arrival<R> {
    /// The same with registers by their numbers.
    pub fn by(&self, key: &impl Fn(R) -> Key) -> Arrival<Key> {
        let registers = self.registers.iter().map(|(r, value)| (key(*r), *value)).collect();
        let Arrival { at, guard, .. } = *self;
        Arrival { at, rounds: self.rounds.clone(), guard, changes: self.changes.clone(), registers }
    }
}
