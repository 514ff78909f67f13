//! What a side did, when it is over.

use crate::assumption::Assumption;
use crate::trace::course::Course;
use crate::trace::event::Event;
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
}

impl<R: Name> From<Side<'_, R>> for Trace {
    fn from(side: Side<'_, R>) -> Trace {
        let Side { log, warp, walk, .. } = side;
        let Log { events, traps, beyond, undefined, mut demands, assumed, .. } = log;
        demands.extend(warp.open().into_iter().flatten().copied());
        Trace { events, traps, beyond, undefined, demands, assumed, course: walk.course }
    }
}
