//! What a side did, when it is over.

use crate::assumption::Assumption;
use crate::cut::{Key, Needs};
use crate::trace::course::Course;
use crate::trace::event::Event;
use crate::trace::heads::Arrival;
use crate::trace::log::Log;
use crate::trace::path::Name;
use crate::trace::side::Side;
use sassafras_semantics::TermId;
use std::collections::BTreeSet;

/// What a side did, without its registers.
#[derive(Debug)]
pub struct Trace {
    /// What it did, in order.
    pub events: Vec<Event>,
    /// Conditions under which it trapped, with places.
    pub traps: Vec<(TermId, u64)>,
    /// Conditions under which a loop was left unfinished.
    pub beyond: Vec<TermId>,
    /// Conditions under which what it does is undefined.
    pub undefined: Vec<TermId>,
    /// Conditions under which the hardware does not take an instruction, with places.
    pub demands: Vec<(TermId, u64)>,
    /// What was assumed.
    pub assumed: BTreeSet<Assumption>,
    /// Which ways it went.
    pub course: Course,
    /// What does not hold again at the heads of cut loops.
    pub needs: Needs,
    /// Lanes that came to the heads of loops, where that was noted.
    pub arrivals: Vec<Arrival<Key>>,
    /// What its lanes choose where loops are unfolded, as far as it was not known.
    pub chosen: Vec<((u64, Vec<u32>), TermId)>,
}

impl Trace {
    /// What a side did. `key` gives a register its number.
    pub fn of<R: Name>(side: Side<'_, R>, key: impl Fn(R) -> Key) -> Trace {
        let needs = side.cuts.needs_by(&key);
        let arrivals = side.cuts.arrivals.iter().map(|a| a.by(&key)).collect();
        let Side { log, warp, walk, cuts, .. } = side;
        let Log { events, traps, beyond, undefined, mut demands, assumed, .. } = log;
        demands.extend(warp.open().into_iter().flatten().copied());
        let (course, chosen) = (walk.course, cuts.chosen);
        Trace { events, traps, beyond, undefined, demands, assumed, course, needs, arrivals, chosen }
    }
}
