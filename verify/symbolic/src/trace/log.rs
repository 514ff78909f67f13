//! What a side did, in order. Nothing is taken from it again; [`crate::trace::side::Side::merge`] alone changes what stands in it.

use crate::assumption::Assumption;
use crate::opaque::StandIn;
use crate::trace::event::Event;
use rustc_hash::FxHashMap;
use sassafras_semantics::TermId;
use std::collections::BTreeSet;

/// The log of a side.
#[derive(Debug, Default)]
pub struct Log {
    /// Loads, stores, and what others may see or answer.
    pub events: Vec<Event>,
    /// By event: the ways on which the lanes came to it.
    pub(super) came: Vec<Vec<(TermId, bool)>>,
    /// Events that are one, on two ways: the second counts for the first.
    pub twins: Vec<(usize, usize)>,
    /// Events that rest on it that the source's operations of whole warps are aligned.
    pub whole: BTreeSet<usize>,
    /// Conditions under which it trapped, with places.
    pub traps: Vec<(TermId, u64)>,
    /// Conditions under which a loop was left unfinished.
    pub beyond: Vec<TermId>,
    /// Conditions under which what it does is undefined.
    pub undefined: Vec<TermId>,
    /// Conditions under which the hardware does not take an instruction, with places.
    pub demands: Vec<(TermId, u64)>,
    /// What registers hold where paths bring two values together.
    pub joined: Vec<TermId>,
    /// Where jumps to addresses and returns went: from word to word of the code.
    pub jumped: BTreeSet<(usize, usize)>,
    /// What loads find of stores in place of what is stored.
    pub stood_in: Vec<StandIn>,
    /// Variables in local memory: where each lies, 32 bits, and its size in bytes.
    pub locals: Vec<(TermId, u64)>,
    /// What was assumed.
    pub assumed: BTreeSet<Assumption>,
    /// How generic addresses are used.
    pub generic: Generic,
    /// How often each was asked that is answered anew each time.
    pub(super) occurrences: FxHashMap<String, u32>,
}

/// How a side uses generic addresses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Generic {
    /// It makes or asks about those of shared or local memory.
    pub windows: bool,
    /// It uses some that are not made of a window: they are taken for global ones.
    pub open: bool,
    /// It stores, or changes as a whole, what lies at such an address.
    pub stored: bool,
}

impl Log {
    /// How often this was asked, this time included.
    pub(super) fn occurs(&mut self, what: String) -> u32 {
        let count = self.occurrences.entry(what).or_insert(0);
        *count += 1;
        *count
    }
}
