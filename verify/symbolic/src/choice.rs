//! Names that outlive a run: of events, and of what is chosen where the source leaves something open. They stand in witnesses.

use crate::trace::event::Event;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// An event of a side: PTX line or byte offset, and which of those there, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// PTX line, or byte offset in the function.
    pub at: u64,
    /// Which of the events there: the rounds of loops in which it happens, and which of those in them, from 0.
    pub nth: u64,
}

/// What a NaN is whose payload the source leaves open, at all places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Payloads {
    /// Any, or as [`Choice`]s say.
    #[default]
    Open,
    /// What the operation gives without that rule.
    Natural,
    /// What -0 and that give, when they are added: code may move or negate a number so.
    Sum,
}

/// A value that the source leaves undefined, and what it is taken to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Which: they are numbered in the order in which the source makes them, from 0.
    pub value: u32,
    /// A store of the target, and the lowest of the bits there that it is; of a call the bits of its operands, 64 for each; none for zero.
    pub like: Option<(Place, u32)>,
}

/// Bits for how many events a place has in one round of its loops.
const EVENTS: u32 = 10;

/// The place of each event.
pub fn places(events: &[Event]) -> Vec<Place> {
    let mut counts: FxHashMap<(u64, u64), u64> = FxHashMap::default();
    let mut place = |e: &Event| {
        let count = counts.entry((e.place, e.visit)).or_insert(0);
        *count += 1;
        Place { at: e.place, nth: e.visit.wrapping_sub(1).wrapping_shl(EVENTS).wrapping_add(*count - 1) }
    };
    events.iter().map(&mut place).collect()
}
