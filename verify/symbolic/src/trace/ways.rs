//! Ways that may be gone on any input: what happens on either of two is one event.

use crate::trace::event::Kind;
use crate::trace::path::Name;
use crate::trace::side::Side;
use sassafras_semantics::{Domain, TermId};

impl<R: Name> Side<'_, R> {
    /// A condition that may hold or not, whatever the input: both ways are gone. `uniform`: whether all lanes of a warp go the same.
    pub fn either_way(&mut self, uniform: bool) -> TermId {
        let name = format!("{}.apart{:#x}.{}", self.who, self.place, self.walk.visit);
        let d = self.terms();
        let apart = self.inputs.variable(&name, 1, uniform);
        // As `jump` makes it of this: an arena of raw terms keeps the guard.
        let taken = self.normal(d.and(&self.guard, &apart));
        let not = self.normal(d.not(&taken));
        self.ways.extend([(taken, (apart, true)), (not, (apart, false))]);
        apart
    }

    /// Lanes on their way to `to` come back from there.
    pub fn step_aside(&mut self, to: u64) {
        let spot = self.walk.spot(to);
        if let Some(path) = self.walk.pending.get_mut(&spot) {
            path.aside = true;
        }
    }

    /// That the current instruction takes effect, whichever of two ways that may be gone on any input the lanes came; and which ways they came.
    pub(super) fn happens_anyway(&self) -> (TermId, Vec<(TermId, bool)>) {
        let d = self.terms();
        let mut came = Vec::new();
        let mut all = d.yes();
        for c in &self.path.conditions {
            match self.ways.get(c) {
                Some(way) => came.push(*way),
                None => all = d.and(&all, c),
            }
        }
        (self.normal(d.and(&self.normal(all), &self.guard)), came)
    }

    /// What happens on either of two ways, with the same operands and the same answer, is one event: the first, and the second none. Raw terms
    /// stay as they are.
    pub fn merge(&mut self) {
        if !self.inputs.normal.is_active() {
            return;
        }
        let d = self.terms();
        while let Some((i, j)) = self.pair() {
            let guard = self.normal(d.or(&self.log.events[i].guard, &self.log.events[j].guard));
            (self.log.events[i].guard, self.log.events[i].value) = (guard, guard);
            (self.log.events[j].guard, self.log.events[j].value) = (d.no(), d.no());
            let other = std::mem::take(&mut self.log.came[j]);
            self.log.came[i].retain(|way| other.contains(way));
            self.log.twins.push((i, j));
        }
    }

    /// Two events that are one but for a way.
    fn pair(&self) -> Option<(usize, usize)> {
        let one = |i: usize, j: usize| {
            let (a, b) = (&self.log.events[i], &self.log.events[j]);
            let (x, y) = (&self.log.came[i], &self.log.came[j]);
            let apart = |way: &&(TermId, bool)| !y.contains(way);
            let sync = matches!((&a.kind, &b.kind), (Kind::Sync(_), Kind::Sync(_)));
            sync && !a.orders
                && !self.log.whole.contains(&i)
                && !self.log.whole.contains(&j)
                && !a.results.is_empty()
                && (&a.arguments, &a.results) == (&b.arguments, &b.results)
                && x.len() == y.len()
                && x.iter().filter(apart).count() == 1
                && x.iter().find(apart).is_some_and(|(way, holds)| y.contains(&(*way, !holds)))
        };
        let some: Vec<usize> = (0..self.log.events.len()).filter(|i| !self.log.came[*i].is_empty()).collect();
        some.iter()
            .enumerate()
            .find_map(|(n, i)| some[n + 1..].iter().find(|j| one(*i, **j)).map(|j| (*i, *j)))
    }
}
