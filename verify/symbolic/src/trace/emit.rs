//! Events that other threads may see or answer.

use crate::trace::action::Action;
use crate::trace::event::{Event, Kind, asked, call_asked};
use crate::trace::path::Name;
use crate::trace::side::Side;
use sassafras_semantics::state::BarrierMode;
use sassafras_semantics::{Domain, Space, TermId};

impl<R: Name> Side<'_, R> {
    /// What an atomic operation of lanes here is about to find, a variable of its own; `what` as [`Side::update`] has it.
    pub fn foretell(&mut self, what: &Action, width: u32) -> TermId {
        let (anyway, _) = self.happens_anyway();
        let key = format!("{what} answers {anyway} after {}", self.path.version);
        let count = self.log.occurs(key.clone());
        let name = format!("event {} {key} {count}", self.scope());
        let found = self.inputs.variable(&name, width, false);
        self.inputs.bind(found, what, &[], self.path.version, 0);
        found
    }

    /// In an arena of raw terms the sides have no terms in common, so that names of events are of one side.
    pub(super) fn scope(&self) -> &'static str {
        if self.inputs.normal.is_active() { "" } else { self.who }
    }

    /// An atomic operation that finds `old`, which was foretold, and leaves `new`.
    pub fn update(&mut self, what: Action, address: TermId, old: TermId, new: TermId) {
        self.emit(what, &[address, new], &[], Some(old), true);
    }

    /// Something that other threads may see or answer; its results are `widths` bits wide.
    pub fn event(&mut self, what: Action, arguments: &[TermId], widths: &[u32], memory: bool) -> Vec<TermId> {
        self.emit(what, arguments, widths, None, memory)
    }

    /// The same; `foretold` is its answer, if there is one already.
    fn emit(
        &mut self,
        what: Action,
        arguments: &[TermId],
        widths: &[u32],
        foretold: Option<TermId>,
        memory: bool,
    ) -> Vec<TermId> {
        let arguments: Vec<TermId> = arguments.iter().map(|a| self.normal(*a)).collect();
        let guard = self.happens();
        let (anyway, came) = self.happens_anyway();
        let name = self.answer(&what, &arguments, anyway, memory);
        let fresh = widths.iter().enumerate().map(|(i, w)| {
            self.inputs.variable(&format!("{name} {i}"), *w, self.is_one_answer(&what, &arguments, i))
        });
        let results: Vec<TermId> = foretold.into_iter().chain(fresh).collect();
        let before = self.path.version;
        let mut yields = results.clone();
        if memory {
            // A side that takes it for one state and a side that does not have no state in common.
            let one = self.is_one_memory(&what, &arguments);
            let state = if one { "memory" } else { "memory of each" };
            let after = self.inputs.variable(&format!("{name} {state}"), 32, one);
            yields.push(after);
            self.inputs.bind(after, &what, call_asked(&what, &arguments), before, u32::MAX);
            self.change_memory(after);
        }
        if foretold.is_none() {
            // What lanes answer each other does not depend on memory.
            let state = if memory { before } else { self.terms().constant(32, 0) };
            for (i, r) in results.iter().enumerate() {
                self.inputs.bind(*r, &what, asked(&what, &arguments), state, i as u32);
            }
        }
        self.log.came.push(came);
        self.log.events.push(Event {
            kind: Kind::Sync(what),
            space: Space::Generic,
            guard,
            address: self.terms().constant(64, 0),
            bytes: 0,
            align: 0,
            value: guard,
            snapshot: false,
            version: before,
            place: self.place,
            visit: self.walk.visit,
            orders: memory,
            arguments,
            results: yields,
            waits: None,
            met: self.path.lanes.waits().clone(),
        });
        results
    }

    /// The name of the answer to an event, for lanes for which `anyway` holds.
    ///
    /// What a call finds in a buffer is compared, and names nothing: the source may leave part of it open, which is chosen later. Of two events in one state of
    /// memory one happens at most, so that no two that happen get one answer.
    fn answer(&mut self, what: &Action, arguments: &[TermId], anyway: TermId, memory: bool) -> String {
        let mut key = format!("{what} {:?} {anyway}", call_asked(what, arguments));
        if memory {
            key += &format!(" after {}", self.path.version);
        }
        // Who asks, and what, decides the answer of lanes that ask each other twice; but who is here is any set each time.
        let asks_all = arguments.first().is_some_and(|a| self.inputs.known(*a) == Some(1));
        let free = *what == Action::Vote && asks_all;
        let count = self.log.occurs(key.clone());
        let scope = self.scope();
        if memory || free { format!("event {scope} {key} {count}") } else { format!("event {scope} {key}") }
    }

    /// Whether the answer with this number is the same for all lanes that ask. Members with masks of their own get answers of their own.
    fn is_one_answer(&self, what: &Action, arguments: &[TermId], number: usize) -> bool {
        let mask = arguments.get(usize::from(*what != Action::Elect));
        let alike = mask.is_none_or(|m| self.inputs.is_uniform(*m));
        let one = match what {
            Action::Vote | Action::Redux(_) => true,
            Action::Elect => number == 0,
            _ => false,
        };
        one && alike
    }

    /// Whether all lanes of a warp find memory in one state behind an event, as far as others leave it to them: they come to it at one time. Who has waited for a lock, say, finds
    /// what the one before it left.
    fn is_one_memory(&self, what: &Action, arguments: &[TermId]) -> bool {
        match what {
            Action::Barrier(mode) => *mode != BarrierMode::Arrive && self.reading.facts.aligned,
            Action::WarpSync => arguments.iter().all(|mask| self.inputs.is_uniform(*mask)),
            _ => false,
        }
    }

    /// Memory is in another state where the guard holds. What others may have changed is no longer known; one's own stack is.
    pub(super) fn change_memory(&mut self, after: TermId) {
        let d = self.terms();
        self.path.version = self.normal(d.ite(&self.guard, &after, &self.path.version));
        self.path.seen = self.normal(d.ite(&self.guard, &after, &self.path.seen));
        let not = self.normal(d.not(&self.guard));
        let mut stores = std::mem::take(&mut self.path.stores);
        for s in &mut stores {
            if self.log.events[s.1].space != Space::Local {
                s.0 = self.normal(d.and(&s.0, &not));
            }
        }
        stores.retain(|s| self.inputs.known(s.0) != Some(0));
        self.path.stores = stores;
    }
}
