//! Lanes at one place: what holds of them, and what they hold.

use crate::trace::lanes::Lanes;
use crate::trace::under_way::Copies;
use rustc_hash::FxHashMap;
use sassafras_semantics::TermId;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::hash::Hash;

/// What can name a register.
pub trait Name: Copy + Eq + Hash + Ord + Debug {}
impl<T: Copy + Eq + Hash + Ord + Debug> Name for T {}

/// When a register was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    /// The piece of straight code; none where there are several, or where it got its value otherwise.
    pub piece: Option<u32>,
    /// The first era that this may have been in.
    pub era: u32,
}

/// Lanes at one place.
#[derive(Clone, Debug)]
pub struct Path<R: Name> {
    /// What holds of them: all of these.
    pub conditions: Vec<TermId>,
    /// Those of these that all lanes of the warp decided alike, each in one branch that they came to together.
    pub decided: BTreeSet<TermId>,
    /// Registers that were written or read.
    pub registers: FxHashMap<R, TermId>,
    /// Since when each register holds its value that was written.
    pub since: FxHashMap<R, Since>,
    /// Which state of shared and global memory they see, 32 bits.
    pub version: TermId,
    /// Which their weak loads see: the same, but that relaxed loads leave it as it is.
    pub seen: TermId,
    /// Stores that they see besides: condition, and index of the event.
    pub stores: Vec<(TermId, usize)>,
    /// Who is with them.
    pub lanes: Lanes,
    /// Results of the last reducing barrier.
    pub reduced: Option<[TermId; 2]>,
    /// Copies to shared memory that may be under way.
    pub copies: Copies,
    /// Whether they are in code that stands aside, from which they come back.
    pub aside: bool,
    /// Activations of cut loops, by number, that all lanes of the warp have left.
    pub over: BTreeSet<usize>,
    /// The visits that they come from.
    pub from: Vec<u32>,
}

impl<R: Name> Path<R> {
    /// All lanes of a warp, in some state of memory, 32 bits.
    pub fn new(registers: FxHashMap<R, TermId>, version: TermId) -> Path<R> {
        Path {
            conditions: Vec::new(),
            decided: BTreeSet::new(),
            registers,
            since: FxHashMap::default(),
            version,
            seen: version,
            stores: Vec::new(),
            lanes: Lanes::default(),
            reduced: None,
            copies: Copies::new(),
            aside: false,
            over: BTreeSet::new(),
            from: Vec::new(),
        }
    }
}
