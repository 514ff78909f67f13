//! Which ways a side went: for judges of its loops, and for what an evaluation has to reach.

use crate::trace::loops::{Loop, Loops};
use rustc_hash::FxHashMap;
use sassafras_semantics::TermId;
use std::collections::BTreeSet;

/// Lanes at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The place.
    pub at: u64,
    /// The visits that they come from, of lower numbers; none at the start.
    pub from: Vec<u32>,
    /// Whether they are left there, since they have returned as often as the bound says.
    pub cut: bool,
}

/// Lanes that go one of several ways, or leave loops.
#[derive(Clone, Debug)]
pub struct Taken {
    /// Where they come from.
    pub from: u64,
    /// Where they go; none if they end.
    pub to: Option<u64>,
    /// Whether they might have gone elsewhere.
    pub branches: bool,
    /// The heads of the loops that they leave, and how often they returned there.
    pub left: Vec<(u64, u32)>,
    /// The condition under which they go.
    pub condition: TermId,
}

/// The ways of a side.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// Its loops.
    pub loops: Loops,
    /// Where lanes were, in order.
    pub visits: Vec<Visit>,
    /// Places at which lanes of the warp may have been elsewhere.
    pub apart: BTreeSet<u64>,
    /// Where they went.
    pub taken: Vec<Taken>,
    /// By place: the line, or the byte offset.
    pub lines: FxHashMap<u64, u64>,
}

impl Course {
    /// The line or the byte offset of a place.
    pub fn line(&self, place: u64) -> u64 {
        self.lines.get(&place).copied().unwrap_or(place)
    }

    /// Loops, by number.
    pub fn get(&self, number: usize) -> Loop {
        self.loops.get(number)
    }
}
