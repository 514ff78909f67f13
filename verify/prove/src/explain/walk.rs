//! From operands to users: each term is shown to be its normal form.

use super::parts::wires;
use super::steps::Found;
use super::{EFFORT, Explanation, LEVELS, MOST, PLAIN, QUICK};
use rustc_hash::FxHashSet;
use sassafras_normal::normal::trace::{Equal, Noted, Traced};
use sassafras_semantics::term::Node;
use sassafras_semantics::{CompareOp, Domain, TermId};
use sassafras_witness::words::{WORD, word};

impl Explanation<'_, '_, '_, '_, '_> {
    /// Shows that two long words are equal word by word: as one number their words are not seen any more.
    pub(super) fn words(&mut self, comparison: TermId) {
        let d = self.so_far.inputs.terms;
        let Node::Compare(CompareOp::Eq, a, b) = d.node(comparison) else { return };
        let all =
            (0..d.width_of(a)).step_by(WORD as usize).flat_map(|low| [word(d, a, low), word(d, b, low)]);
        let all: Vec<TermId> = all.collect();
        if !self.walk(&all) {
            return;
        }
        let mut by = Vec::new();
        for t in &all {
            by.extend(self.rewriting(*t));
            self.inside(*t, &mut by);
        }
        let is_one = |pair: &[TermId]| self.so_far.current(pair[0]) == self.so_far.current(pair[1]);
        let (from, to) = (self.so_far.current(comparison), d.constant(1, 1));
        if !all.chunks(2).all(is_one) || d.as_constant(&from).is_some() {
            return;
        }
        let opaque = match by.is_empty() {
            true => self.plainly(from, to, &LEVELS[..1], EFFORT),
            false => self.goes_by(from, to, &by),
        };
        if let Some(opaque) = opaque {
            self.write(Found { from, to, opaque: &opaque, by: &by, fact: false });
        }
    }

    /// Shows of the roots, and of all that they are made of, that they are their normal forms.
    pub(super) fn walk(&mut self, roots: &[TermId]) -> bool {
        let d = self.so_far.inputs.terms;
        let order = self.so_far.order(roots);
        if order.len() > MOST {
            return false;
        }
        for (t, other) in order {
            self.all.forms.enter(d, t, other);
            let (form, trace) = self.all.forms.form(d, t);
            // What was found once is not found again, but looked up.
            for note in trace.notes.iter().filter(|n| !n.by.is_empty()) {
                self.all.noted.entry(note.equal).or_insert_with(|| note.clone());
            }
            let now = self.so_far.current(t);
            let less = self.all.chosen.get(&self.all.forms.normal.of(self.all.forms.to[&t])).copied();
            let is_less = less.is_some_and(|(_, less)| now == less || self.quickly(now, less));
            if now != form && !is_less {
                self.shown((t, now), form, &trace);
            }
            match less {
                Some((own, _)) => drop(self.all.forms.to.insert(t, own)),
                None if self.has_choices(t, form) => self.choose(t),
                None => self.halve(form, self.all.forms.normal.of(self.all.forms.to[&t])),
            }
        }
        true
    }

    /// A choice whose upper half is zero is its lower half from here on, where lemmas are: put together from halves, which code has in
    /// registers, it has that form. `own`: the normal form in its own arena.
    pub(super) fn halve(&mut self, form: TermId, own: TermId) {
        let (d, forms) = (self.so_far.inputs.terms, &mut self.all.forms);
        let (width, half) = (d.width_of(form), d.width_of(form) / 2);
        let is_choice = width == 64 && matches!(d.node(form), Node::Ite(..));
        if self.so_far.lemmas.is_empty() || !is_choice || !self.all.halved.insert(own) {
            return;
        }
        let [lower, upper] = [0, half].map(|low| forms.normal.bits(own, low, half));
        if forms.terms.as_constant(&upper) != Some(0) || forms.terms.topological(&[lower]).contains(&own) {
            return;
        }
        let value = forms.normal.of(forms.terms.zext(&lower, width));
        let to = forms.leave(d, value);
        let halves = [0, half].map(|low| d.extract(&form, low, half));
        if value == own || !self.walk(&halves) {
            return;
        }
        let by: Vec<usize> = halves.into_iter().filter_map(|t| self.rewriting(t)).collect();
        if let Some(opaque) = self.goes_by(form, to, &by) {
            self.write(Found { from: form, to, opaque: &opaque, by: &by, fact: false });
            self.all.forms.normal.declare(&[(own, value)].into_iter().collect());
        }
    }

    /// Shows that a term is another, with as much abstracted as can be, and writes the step down. `trace`: what may be shown before.
    pub(super) fn shown(&mut self, (t, from): (TermId, TermId), to: TermId, trace: &Traced) -> bool {
        if !self.all.open.insert((from, to)) {
            return false;
        }
        if self.quickly(from, to) {
            return true;
        }
        let is_this = |n: &&Noted| n.equal == (from, to);
        for note in trace.notes.iter().filter(|n| !is_this(n)) {
            self.fact(note);
        }
        // What is to be shown rests on what it was found by itself; with more than that a question is harder.
        let this = trace.notes.iter().find(is_this).filter(|n| !n.by.is_empty()).map(|n| n.by.clone());
        let this = this.or_else(|| self.all.noted.get(&(from, to)).map(|n| n.by.clone())).unwrap_or_default();
        self.facts_of(&this);
        let own: Vec<usize> = this.iter().filter_map(|e| self.all.facts.get(e)).copied().collect();
        if let Some(opaque) = self.goes_by(from, to, &own) {
            self.write(Found { from, to, opaque: &opaque, by: &own, fact: false });
            return true;
        }
        let last = trace.last.iter().filter(|e| **e != (from, to)).chain(&this);
        let mut by: Vec<usize> = last.filter_map(|e| self.all.facts.get(e)).copied().collect();
        let mut seen = FxHashSet::default();
        by.retain(|i| seen.insert(*i));
        self.inside(t, &mut by);
        if let Some(opaque) = self.goes_by(from, to, &by) {
            self.write(Found { from, to, opaque: &opaque, by: &by, fact: false });
            return true;
        }
        if let Some(opaque) = self.plainly(from, to, &LEVELS, PLAIN) {
            self.write(Found { from, to, opaque: &opaque, by: &[], fact: false });
            return true;
        }
        false
    }

    /// The same with little effort.
    pub(super) fn quickly(&mut self, from: TermId, to: TermId) -> bool {
        let opaque = self.plainly(from, to, &LEVELS[..1], QUICK);
        opaque.map(|opaque| self.write(Found { from, to, opaque: &opaque, by: &[], fact: false })).is_some()
    }

    /// What was written for terms that an operation takes bits of: the normal form may take them from what these were made of.
    pub(super) fn inside(&mut self, t: TermId, by: &mut Vec<usize>) {
        let d = self.so_far.inputs.terms;
        let mut stack = d.node(t).operands();
        while let Some(o) = stack.pop() {
            let node = d.node(o);
            if wires(&node) {
                by.extend(self.rewriting(o));
                stack.extend(node.operands());
            }
        }
    }

    /// That a term over what is written for its operands is what is written for it.
    pub(super) fn rewriting(&mut self, t: TermId) -> Option<usize> {
        let d = self.so_far.inputs.terms;
        let pair = (d.make(d.node(t).map(|o| self.so_far.current(o)), d.width_of(t)), self.so_far.current(t));
        let found = self.all.rewritten.get(&pair).cloned();
        if let Some((opaque, rests)) = found.filter(|_| !self.all.facts.contains_key(&pair)) {
            self.state(pair, &opaque, &rests);
        }
        self.all.facts.get(&pair).copied()
    }

    /// What is known once two terms are shown to be equal.
    pub(super) fn fact(&mut self, note: &Noted) {
        let (a, b) = note.equal;
        if self.all.facts.contains_key(&(a, b)) {
            return;
        }
        if let Some((opaque, by)) = self.all.rewritten.get(&(a, b)).cloned() {
            self.state(note.equal, &opaque, &by);
            return;
        }
        if !self.all.open.insert((a, b)) {
            return;
        }
        let before = self.all.noted.get(&(a, b)).filter(|_| note.by.is_empty()).cloned();
        let note = before.as_ref().unwrap_or(note);
        self.facts_of(&note.by);
        let by: Vec<usize> = note.by.iter().filter_map(|e| self.all.facts.get(e)).copied().collect();
        let given = note.anything.as_ref().map(|all| self.inner(all));
        let effort = self.effort(a);
        let (opaque, by) = match given.filter(|opaque| self.goes(a, b, opaque, &by, effort)) {
            Some(opaque) => (opaque, by),
            None => match self.goes_by(a, b, &by) {
                Some(opaque) => (opaque, by),
                None => match self.plainly(a, b, &LEVELS[..2], PLAIN) {
                    Some(opaque) => (opaque, Vec::new()),
                    None => return,
                },
            },
        };
        self.state(note.equal, &opaque, &by);
    }

    /// The same of equalities that were noted at any time.
    pub(super) fn facts_of(&mut self, all: &[Equal]) {
        for e in all {
            if let Some(earlier) = self.all.noted.get(e).cloned() {
                self.fact(&earlier);
            }
        }
    }
}
