//! Steps for a witness: why terms of both sides are equal, in pieces that a solver sees one by one.
//!
//! What the checker is not shown with little effort is brought to normal form here: each operation over operands in normal form is another term, and
//! that is a step. A term that is part of both, however large, is taken for anything. What is said by lemmas turns the code that computes an
//! operation into the operation. Nothing rests on what is found: the checker shows each step once more.
//!
//! - `choices`: what is left out of choices. `pairs`: terms taken apart side by side. `parts`: what may be anything in a question.
//!   `sweep`: terms that have equal values on many inputs.

mod choices;
mod pairs;
mod parts;
mod sweep;

use crate::normal::Normal;
use crate::normal::trace::{Equal, Noted, Traced};
use crate::origin::Origin;
use crate::solver::Solver;
use crate::witness::check::{Fault, Guide, against};
use crate::witness::rewrite::{Made, Recorded, Rewrite, Rewrites};
use crate::witness::words::{WORD, word};
use crate::witness::{Entry, SoFar};
use parts::{frontier, met, numbers, shared, wires};
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_cubin::Cubin;
use sassafras_ptx::checked::Module;
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, CompareOp, Domain, TermId, Terms};

/// Most terms of a question that is explained.
const MOST: usize = 60_000;
/// Levels below what two terms share that are looked at.
const LEVELS: [usize; 6] = [0, 1, 2, 4, 8, 64];

/// Effort for a step, in thousands of z3's `rlimit`: less than the checker has.
const EFFORT: u64 = 1000;
/// The same where nothing is known that it may hold by: what is shown then takes little, and most is not.
const PLAIN: u64 = 300;
/// The same where laws of floats are needed.
const FLOATS: u64 = 6000;
/// The same for a first try.
const QUICK: u64 = 100;

/// Adds steps to what is written of an entry of a module.
pub fn explain(module: &Module, cubin: &Cubin, entry: &mut Entry, solver: &mut dyn Solver) {
    explained(Origin::of_module(module, &entry.entry), cubin, entry, solver);
}

/// The same where the source is a cubin too.
pub fn explain_code(source: &Cubin, cubin: &Cubin, entry: &mut Entry, solver: &mut dyn Solver) {
    explained(Origin::of_cubin(source, &entry.entry), cubin, entry, solver);
}

fn explained(origin: Option<Origin<'_>>, cubin: &Cubin, entry: &mut Entry, solver: &mut dyn Solver) {
    let (mut least, mut deep) = (None, true);
    for way in [Way::Quick, Way::Sweep, Way::Forms, Way::Deep, Way::Both] {
        if way == Way::Deep && !deep {
            continue;
        }
        // What is left open with little effort may go with the checker's: asking it takes less than looking further.
        if matches!(way, Way::Deep | Way::Both)
            && against(origin, cubin, entry, solver, &mut Recorded::of(entry)).is_ok()
        {
            break;
        }
        let terms = Terms::new();
        let forms = Forms {
            terms: &terms,
            normal: Normal::new(&terms),
            to: FxHashMap::default(),
            back: FxHashMap::default(),
        };
        let (found, numbers, open, facts, rewritten, noted, chosen, ends) = Default::default();
        let (halved, chooses, spent, as_numbers, unshown) = Default::default();
        let mut all = Explainer {
            forms,
            found,
            numbers,
            open,
            facts,
            rewritten,
            noted,
            chosen,
            ends,
            halved,
            way,
            chooses,
            spent,
            as_numbers,
            unshown,
        };
        // An entry that the checker does not take has steps as far as they were found.
        let _ = against(origin, cubin, entry, solver, &mut all);
        // What little effort does not show may go with the checker's: steps of normal forms are given up for those alone that leave less open.
        let open = (all.unshown.len(), way);
        if least.is_none_or(|least| open < least) {
            least = Some(open);
            entry.rewrites = all.found;
        }
        if open.0 == 0 {
            break;
        }
        deep &= way != Way::Forms || !all.chosen.is_empty();
    }
}

/// How steps are looked for; of ways that leave as much open the first counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// By normal forms.
    Forms,
    /// The same, with what is left out of what words are chosen by too: only where something was left out at all, since it is much.
    Deep,
    /// By normal forms, until some questions stay open.
    Quick,
    /// Among terms that have equal values on many inputs, until some questions stay open.
    Sweep,
    /// The same, and then by normal forms, from which that may hide what terms are made of.
    Both,
}

impl Way {
    /// Whether terms are swept before.
    fn sweeps(self) -> bool {
        matches!(self, Way::Sweep | Way::Both)
    }

    /// Most questions of an entry that the solver does not answer: then no more steps are looked for.
    fn most_open(self) -> u32 {
        if self == Way::Quick { 200 } else { 2000 }
    }
}

/// Finds steps where the checker would come without.
struct Explainer<'f> {
    forms: Forms<'f>,
    found: Rewrites,
    /// Terms that the checker makes besides, and their numbers.
    numbers: FxHashMap<TermId, u32>,
    /// Pairs that were asked about.
    open: FxHashSet<(TermId, TermId)>,
    /// Pairs that were shown, and what is known of them by its place.
    facts: FxHashMap<(TermId, TermId), usize>,
    /// What terms were rewritten to, what may be anything then, and by what.
    rewritten: FxHashMap<Equal, (Vec<TermId>, Vec<usize>)>,
    /// What equalities rest on, as far as it was ever found.
    noted: FxHashMap<Equal, Noted>,
    /// Normal forms, in their arena, of which something was left out: what they are then there, and in the checker's.
    chosen: FxHashMap<TermId, (TermId, TermId)>,
    /// By what the last choice of lemmas' code is made.
    ends: FxHashSet<TermId>,
    /// Normal forms, in their arena, whose upper half was looked at.
    halved: FxHashSet<TermId>,
    way: Way,
    /// Whether what is left after something was left out is walked through.
    chooses: bool,
    /// Questions that the solver did not answer.
    spent: u32,
    /// The last question that whole numbers answered, by its place.
    as_numbers: Option<usize>,
    /// Questions that stay open, by their places.
    unshown: FxHashSet<usize>,
}

impl Guide for Explainer<'_> {
    fn begin(&mut self, so_far: &mut SoFar<'_, '_>) -> Result<(), Fault> {
        self.found.terms = so_far.inputs.terms.len() as u32;
        Ok(())
    }

    fn before(
        &mut self,
        so_far: &mut SoFar<'_, '_>,
        at: usize,
        t: TermId,
        solver: &mut dyn Solver,
    ) -> Result<bool, Fault> {
        // What needs no steps gets none: another term in the place of one may hide what whole numbers show.
        if so_far.is_never(t, true, solver) {
            return Ok(false);
        }
        if so_far.is_never_as_numbers(t, solver) {
            self.as_numbers = Some(at);
            return Ok(false);
        }
        self.forms.to.clear();
        Explanation { all: self, so_far, at, solver }.of(t);
        if !so_far.is_never(t, true, solver) {
            self.unshown.insert(at);
        }
        Ok(false)
    }

    fn numbers(&mut self, at: usize) -> bool {
        // What only saves work need not be shown.
        self.unshown.remove(&at);
        let shown = self.as_numbers == Some(at);
        if shown {
            self.found.numbers.push(at);
        }
        shown
    }
}

/// One question that is explained.
struct Explanation<'e, 'f, 't, 'i, 's> {
    all: &'e mut Explainer<'f>,
    so_far: &'e mut SoFar<'t, 'i>,
    at: usize,
    solver: &'s mut dyn Solver,
}

/// An arena of normal forms, and which terms of the checker its own are.
struct Forms<'f> {
    terms: &'f Terms,
    normal: Normal<'f>,
    to: FxHashMap<TermId, TermId>,
    back: FxHashMap<TermId, TermId>,
}

impl Forms<'_> {
    /// The term in this arena; of what it is made of it has to be asked before.
    fn enter(&mut self, d: &Terms, t: TermId, stands_for: Option<TermId>) {
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
    fn form(&mut self, d: &Terms, t: TermId) -> (TermId, Traced) {
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
    fn leave(&mut self, d: &Terms, t: TermId) -> TermId {
        for own in self.terms.topological(&[t]) {
            if !self.back.contains_key(&own) {
                let node = self.terms.node(own).map(|o| self.back[&o]);
                self.back.insert(own, d.make(node, self.terms.width_of(own)));
            }
        }
        self.back[&t]
    }
}

impl Explanation<'_, '_, '_, '_, '_> {
    /// Looks for steps after which a bit is seen to be zero.
    fn of(&mut self, t: TermId) {
        if self.all.way.sweeps() {
            self.sweep(t);
            if self.all.way == Way::Sweep || self.so_far.is_never(t, true, self.solver) {
                return;
            }
        }
        let mut partial: Vec<Said> = Vec::new();
        for i in self.so_far.lemmas.clone() {
            let Some(said) = self.lemma(i) else { continue };
            for other in &partial {
                self.either(other, &said);
            }
            partial.push(said);
        }
        for e in self.comparisons(t, WORD + 1) {
            self.words(e);
        }
        if !self.so_far.is_never(t, true, self.solver)
            && self.walk(&[t])
            && !self.so_far.is_never(t, true, self.solver)
        {
            self.sides(t);
        }
    }

    /// The comparisons of words of at least so many bits that a condition is made of.
    fn comparisons(&self, t: TermId, bits: u32) -> Vec<TermId> {
        let d = self.so_far.inputs.terms;
        let (mut all, mut seen, mut stack) = (Vec::new(), FxHashSet::default(), vec![t]);
        while let Some(t) = stack.pop() {
            if !seen.insert(t) || d.width_of(t) > 1 {
                continue;
            }
            match d.node(t) {
                Node::Compare(CompareOp::Eq, a, _) if d.width_of(a) >= bits => all.push(t),
                Node::Compare(..) => {}
                node => stack.extend(node.operands()),
            }
        }
        all
    }

    /// Shows that two long words are equal word by word: as one number their words are not seen any more.
    fn words(&mut self, comparison: TermId) {
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

    /// What something known says, if that is: but for this, code is a value.
    fn says(&self, index: usize) -> Option<[TermId; 3]> {
        let d = self.so_far.inputs.terms;
        let Node::Binary(BinaryOp::Or, unless, equal) = d.node(self.so_far.known[index]) else { return None };
        let Node::Compare(CompareOp::Eq, code, value) = d.node(equal) else { return None };
        Some([unless, code, value])
    }

    /// What a lemma says, where it is an equality of two terms that holds: the code is the operation from here on. Else what it says.
    fn lemma(&mut self, index: usize) -> Option<Said> {
        let d = self.so_far.inputs.terms;
        let [unless, code, value] = self.says(index)?;
        if !self.walk(&[unless, code, value]) {
            return None;
        }
        if let Node::Ite(c, ..) = d.node(self.so_far.current(code)) {
            self.all.ends.insert(c);
            self.choose(code);
        }
        let forms = &mut self.all.forms;
        let [unless, code, value] = [unless, code, value].map(|t| forms.normal.of(forms.to[&t]));
        let (mut parts, mut to) = (vec![code, value], value);
        if let Node::Ite(c, other, operation) = forms.terms.node(code)
            && c == unless
        {
            // What the code does where the lemma says nothing stays as it is.
            parts = vec![c, other, operation, value];
            to = forms.normal.of(forms.terms.ite(&c, &other, &value));
        }
        (!self.is_operation((code, to), parts, &[index])).then_some(Said { unless, code, value, index })
    }

    /// Of two lemmas about one value, each of which says something where the other does not: what chooses between their code is the value.
    fn either(&mut self, a: &Said, b: &Said) {
        let forms = &mut self.all.forms;
        if a.value != b.value || forms.normal.of(forms.terms.not(&a.unless)) != b.unless {
            return;
        }
        let code = forms.normal.of(forms.terms.ite(&a.unless, &b.code, &a.code));
        let Node::Ite(c, ..) = forms.terms.node(code) else { return };
        self.is_operation((code, a.value), vec![c, a.code, b.code, a.value], &[a.index, b.index]);
    }

    /// Whether code, in normal form, is an operation by what lemmas say: then that is written for it from here on. `parts`: what it is made of.
    fn is_operation(&mut self, (code, value): Equal, parts: Vec<TermId>, by: &[usize]) -> bool {
        let (d, forms) = (self.so_far.inputs.terms, &mut self.all.forms);
        if code == value || forms.terms.topological(&[value]).contains(&code) {
            return true;
        }
        // A quotient's normal form takes bits of the quotient itself: what is written for it, and is known so, is not that form.
        let mut leave = |t: TermId| self.so_far.current(forms.leave(d, t));
        let [from, to] = [code, value].map(&mut leave);
        let parts: Vec<TermId> = parts.into_iter().map(leave).collect();
        let fact = self.becomes((from, to), &parts, by);
        if let Some(fact) = fact {
            self.part(code, value, fact);
            self.all.forms.normal.declare(&[(code, value)].into_iter().collect());
        }
        fact.is_some()
    }

    /// Writes one term for another by what is known and whatever their parts are, if that is so; the place at which it is known then.
    fn becomes(&mut self, (from, to): Equal, parts: &[TermId], by: &[usize]) -> Option<usize> {
        let opaque = self.inner(parts);
        if !self.goes(from, to, &opaque, by, EFFORT) {
            return None;
        }
        // A fact stays as it is; what the lemma says of what is written from here on is that something is itself.
        let fact = self.so_far.known.len();
        self.state((from, to), &opaque, by);
        self.write(Found { from, to, opaque: &opaque, by: &[fact], fact: false });
        Some(fact)
    }

    /// What code computes and extends by zeros is the operation's lower bits too.
    fn part(&mut self, code: TermId, value: TermId, fact: usize) {
        let (d, forms) = (self.so_far.inputs.terms, &mut self.all.forms);
        let [(0, width, code), (_, _, rest)] = forms.normal.parts(code)[..] else { return };
        let lower = forms.normal.bits(value, 0, width);
        if forms.terms.as_constant(&rest) != Some(0)
            || code == lower
            || forms.terms.topological(&[lower]).contains(&code)
        {
            return;
        }
        let (from, to) = (forms.leave(d, code), forms.leave(d, lower));
        if let Some(opaque) = self.goes_by(from, to, &[fact]) {
            self.write(Found { from, to, opaque: &opaque, by: &[fact], fact: false });
            self.all.forms.normal.declare_bits(code, lower);
        }
    }

    /// Shows of the roots, and of all that they are made of, that they are their normal forms.
    fn walk(&mut self, roots: &[TermId]) -> bool {
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
    fn halve(&mut self, form: TermId, own: TermId) {
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

    /// Shows that a term is another, with as much taken for anything as can be, and writes the step down. `trace`: what may be shown before.
    fn shown(&mut self, (t, from): (TermId, TermId), to: TermId, trace: &Traced) -> bool {
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
    fn quickly(&mut self, from: TermId, to: TermId) -> bool {
        let opaque = self.plainly(from, to, &LEVELS[..1], QUICK);
        opaque.map(|opaque| self.write(Found { from, to, opaque: &opaque, by: &[], fact: false })).is_some()
    }

    /// What was written for terms that an operation takes bits of: the normal form may take them from what these were made of.
    fn inside(&mut self, t: TermId, by: &mut Vec<usize>) {
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
    fn rewriting(&mut self, t: TermId) -> Option<usize> {
        let d = self.so_far.inputs.terms;
        let pair = (d.make(d.node(t).map(|o| self.so_far.current(o)), d.width_of(t)), self.so_far.current(t));
        let found = self.all.rewritten.get(&pair).cloned();
        if let Some((opaque, rests)) = found.filter(|_| !self.all.facts.contains_key(&pair)) {
            self.state(pair, &opaque, &rests);
        }
        self.all.facts.get(&pair).copied()
    }

    /// What is known once two terms are shown to be equal.
    fn fact(&mut self, note: &Noted) {
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
    fn facts_of(&mut self, all: &[Equal]) {
        for e in all {
            if let Some(earlier) = self.all.noted.get(e).cloned() {
                self.fact(&earlier);
            }
        }
    }

    fn state(&mut self, (from, to): Equal, opaque: &[TermId], by: &[usize]) {
        let index = self.so_far.known.len();
        self.write(Found { from, to, opaque, by, fact: true });
        self.all.facts.insert((from, to), index);
    }

    /// What may be anything where a term is another by what is known.
    fn goes_by(&mut self, from: TermId, to: TermId, by: &[usize]) -> Option<Vec<TermId>> {
        if by.is_empty() {
            return None;
        }
        let d = self.so_far.inputs.terms;
        let mut roots = vec![from, to];
        for i in by {
            roots.extend(d.node(self.so_far.known[*i]).operands());
        }
        // What was exchanged in a sum is seen to be the same where products are multiplied out.
        let is_sum = matches!(d.node(from), Node::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..));
        let sums = is_sum.then(|| numbers(d, &roots));
        let tries = [Some(shared(d, &roots, 0)), sums, met(d, &roots, true), Some(shared(d, &roots, 2))];
        let effort = self.effort(from);
        self.first_that_goes(from, to, tries, by, effort)
    }

    fn effort(&self, t: TermId) -> u64 {
        if matches!(self.so_far.inputs.terms.node(t), Node::Float { .. }) { FLOATS } else { EFFORT }
    }

    /// Those that are made of others.
    fn inner(&self, all: &[TermId]) -> Vec<TermId> {
        let d = self.so_far.inputs.terms;
        all.iter().copied().filter(|t| !d.node(*t).operands().is_empty()).collect()
    }

    fn goes(&mut self, from: TermId, to: TermId, opaque: &[TermId], by: &[usize], effort: u64) -> bool {
        let facts: Vec<TermId> = by.iter().map(|i| self.so_far.known[*i]).collect();
        if self.all.spent >= self.all.way.most_open() {
            return false;
        }
        let result = self.so_far.show((from, to), (opaque, &facts), effort, self.solver);
        self.all.spent += u32::from(matches!(result, Err(Fault::Undecided(_))));
        result.is_ok()
    }

    /// What may be anything where a term is shown to be another.
    fn plainly(&mut self, from: TermId, to: TermId, levels: &[usize], effort: u64) -> Option<Vec<TermId>> {
        let d = self.so_far.inputs.terms;
        let (first, rest) = levels.split_first()?;
        let tries = [Some(frontier(d, from, to, *first)), met(d, &[from, to], false)];
        let rest = rest.iter().map(|below| Some(frontier(d, from, to, *below)));
        self.first_that_goes(from, to, tries.into_iter().chain(rest), &[], effort)
    }

    /// The first of what may be anything with which a term is shown to be another.
    fn first_that_goes(
        &mut self,
        from: TermId,
        to: TermId,
        tries: impl IntoIterator<Item = Option<Vec<TermId>>>,
        by: &[usize],
        effort: u64,
    ) -> Option<Vec<TermId>> {
        let mut before = Vec::new();
        for opaque in tries.into_iter().flatten() {
            if !before.contains(&opaque) {
                if self.goes(from, to, &opaque, by, effort) {
                    return Some(opaque);
                }
                before.push(opaque);
            }
        }
        None
    }

    /// Writes a step down, and takes it.
    fn write(&mut self, step: Found<'_>) {
        let Found { from, to, opaque, by, fact } = step;
        let d = self.so_far.inputs.terms;
        match fact {
            true => self.so_far.state(from, to),
            false => {
                let facts: Vec<TermId> = by.iter().map(|i| self.so_far.known[*i]).collect();
                self.so_far.rewrite(from, to, &facts);
                self.all.rewritten.insert((from, to), (opaque.to_vec(), by.to_vec()));
            }
        }
        let roots: Vec<TermId> = [from, to].into_iter().chain(opaque.iter().copied()).collect();
        let all = &mut *self.all;
        for t in d.topological(&roots) {
            if t.0 >= all.found.terms && !all.numbers.contains_key(&t) {
                let number = all.found.terms + all.found.made.len() as u32;
                let node = d.node(t).map(|o| TermId(number_of(all.found.terms, &all.numbers, o)));
                all.found.made.push(Made { node, width: d.width_of(t) });
                all.numbers.insert(t, number);
            }
        }
        let number = |t: &TermId| number_of(all.found.terms, &all.numbers, *t);
        let opaque = opaque.iter().map(number).collect();
        let step =
            Rewrite { at: self.at, from: number(&from), to: number(&to), opaque, by: by.to_vec(), fact };
        self.all.found.steps.push(step);
    }
}

/// What a lemma says that is not taken by itself, in normal forms: where this does not hold, the code is the value.
struct Said {
    unless: TermId,
    code: TermId,
    value: TermId,
    /// Its place among what is known.
    index: usize,
}

/// A step.
struct Found<'f> {
    from: TermId,
    to: TermId,
    opaque: &'f [TermId],
    by: &'f [usize],
    fact: bool,
}

fn number_of(terms: u32, numbers: &FxHashMap<TermId, u32>, t: TermId) -> u32 {
    if t.0 < terms { t.0 } else { numbers[&t] }
}
