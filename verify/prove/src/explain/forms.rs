//! The arena of normal forms, and terms of the checker in it and out of it.

use rustc_hash::FxHashMap;
use sassafras_normal::Normal;
use sassafras_normal::normal::trace::{Equal, Noted, Traced};
use sassafras_semantics::{TermId, Terms};

/// An arena of normal forms, and which terms of the checker its own are.
pub(super) struct Forms<'f> {
    pub(super) terms: &'f Terms,
    pub(super) normal: Normal<'f>,
    pub(super) to: FxHashMap<TermId, TermId>,
    pub(super) back: FxHashMap<TermId, TermId>,
}

impl Forms<'_> {
    /// The term in this arena; of what it is made of it has to be asked before.
    pub(super) fn enter(&mut self, d: &Terms, t: TermId, stands_for: Option<TermId>) {
        if self.to.contains_key(&t) {
            return;
        }
        let node = d.node(t);
        let width = d.width_of(t);
        let own = match stands_for {
            Some(other) => self.to[&other],
            None if node.is_free() => {
                let own = self.terms.variable(&format!("{t}"), width);
                self.back.insert(own, t);
                own
            }
            None => self.terms.make(node.map(|o| self.to[&o]), width),
        };
        self.to.insert(t, own);
    }

    /// The normal form as a term of the checker, and what was rewritten in it.
    pub(super) fn form(&mut self, d: &Terms, t: TermId) -> (TermId, Traced) {
        let own = self.to[&t];
        let (form, mut trace) = self.normal.traced(own);
        let operands: Option<Vec<TermId>> =
            d.node(t).operands().iter().map(|o| self.to.get(o).copied()).collect();
        if let Some(operands) = operands.filter(|all| self.terms.node(own).operands()[..] != all[..]) {
            // This arena saw at once what operands are made of: that they are this in their normal forms is told too.
            for o in operands {
                let node = self.terms.node(o).map(|o| self.normal.of(o));
                let more = self.normal.traced_node(&node, self.terms.width_of(o));
                trace.notes.extend(more.notes);
                trace.last.extend(more.last);
            }
        }
        let mut out = |t: TermId| self.leave(d, t);
        let mut both = |e: Equal| (out(e.0), out(e.1));
        let last = trace.last.into_iter().map(&mut both).collect();
        let mut notes = Vec::new();
        for n in trace.notes {
            let (equal, by) = (both(n.equal), n.by.into_iter().map(&mut both).collect());
            notes.push((equal, by, n.anything));
        }
        let notes = notes.into_iter().map(|(equal, by, anything)| {
            let anything = anything.map(|all| all.into_iter().map(|t| self.leave(d, t)).collect());
            Noted { equal, by, anything }
        });
        let notes = notes.collect();
        (self.leave(d, form), Traced { notes, last })
    }

    /// A term of this arena as one of the checker.
    pub(super) fn leave(&mut self, d: &Terms, t: TermId) -> TermId {
        for own in self.terms.topological(&[t]) {
            if !self.back.contains_key(&own) {
                let node = self.terms.node(own).map(|o| self.back[&o]);
                self.back.insert(own, d.make(node, self.terms.width_of(own)));
            }
        }
        self.back[&t]
    }
}
