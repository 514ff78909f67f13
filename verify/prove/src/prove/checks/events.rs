//! Partners for the events that others see.
//!
//! Two events that are not equal as terms are asked about; if they are one event, what the target's yields is what the source's does. Whether
//! one without a partner happens at all is asked too: rounds of loops that no input comes to have such.

use super::states::States;
use crate::obligation::{Alone, Lone, Obligation, events, one_event};
use crate::prove::comparison::{Comparison, Stop};
use crate::prove::discharge::Open;
use rustc_hash::FxHashMap;
use sassafras_semantics::{Domain, TermId};
use sassafras_solve::read::Read;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::events::{Events, Nearest};
use sassafras_symbolic::obstacle::place::Claim;
use sassafras_symbolic::origin::Origin;
use sassafras_symbolic::trace::event::Event;
use std::collections::BTreeSet;

/// Finds the partners.
pub fn paired(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    let (mut pairing, mut states) = (Pairing::default(), States::default());
    loop {
        let origin = c.task.entries.origin;
        let matched = events(c.inputs.terms, origin, &c.run.source.events, &c.run.target.side.log.events);
        let new = new_answers(c, matched.as_ref().unwrap_or_else(|alone| &alone.pairs));
        // What is in states of memory that are one comes before all that is asked of values in them.
        let more = !new.is_empty() || states.unite(c);
        let alone = match matched {
            Ok(pairs) if !more => return pairing.complete(c, pairs),
            Ok(_) => None,
            Err(alone) => Some(alone).filter(|_| !more),
        };
        c.replaced.extend(new);
        let replaced = match alone {
            None => true,
            Some(alone) => match alone.near.iter().copied().find(|near| pairing.asked.insert(*near)) {
                Some(near) => pairing.ask(c, near),
                None => pairing.leave_out(c, alone)?,
            },
        };
        if replaced {
            substitute(c);
        }
    }
}

/// Answers of the target's events, each with that of the partner, which are not known to be one yet: what became one with what was found
/// before has one answer too.
fn new_answers(c: &Comparison<'_, '_, '_>, pairs: &[(usize, usize)]) -> Vec<(TermId, TermId)> {
    let answers = |&(i, j): &(usize, usize)| {
        let (a, b) = (&c.run.source.events[i], &c.run.target.side.log.events[j]);
        b.results.iter().copied().zip(a.results.iter().copied()).filter(|(x, y)| x != y)
    };
    pairs.iter().flat_map(answers).filter(|(x, _)| !c.replaced.contains_key(x)).collect()
}

/// What was asked so far.
#[derive(Default)]
struct Pairing {
    /// Pairs of events of which it was asked whether they are one.
    asked: BTreeSet<(usize, usize)>,
    /// Events of which it was asked whether they happen.
    idle: BTreeSet<Lone>,
    /// How many pairs were shown to be one event.
    found: usize,
    /// What stood in the way of the last pair.
    last: Nearest,
    /// Places of the source whose events the target may leave out, and does in some rounds.
    left_out: BTreeSet<u64>,
}

impl Pairing {
    /// Each event has a partner.
    fn complete(&self, c: &mut Comparison<'_, '_, '_>, pairs: Vec<(usize, usize)>) -> Result<(), Stop> {
        // Lanes at one place of the target would wait for such as are to come to another.
        let place = |i: usize| c.run.source.events[i].place;
        if let Some((i, _)) = pairs.iter().find(|(i, _)| self.left_out.contains(&place(*i))) {
            let place = c.task.entries.origin.place(place(*i));
            return Err(Events::SomeShuffles { place }.into());
        }
        let by_terms = (pairs.len() - self.found) as u32;
        c.task.record.obligations.total += by_terms;
        c.task.record.obligations.by_terms += by_terms;
        c.pairs = pairs;
        Ok(())
    }

    /// Asks whether two are one event, and makes them one. Whether they are.
    fn ask(&mut self, c: &mut Comparison<'_, '_, '_>, (i, j): (usize, usize)) -> bool {
        let (a, b) = (&c.run.source.events[i], &c.run.target.side.log.events[j]);
        let one = one_event(c.inputs, c.task.entries.origin, a, b);
        match c.discharge(&[one]) {
            Ok(()) => {
                self.found += 1;
                unite(c, (i, j));
                true
            }
            Err(Open::Violated(_)) => {
                self.last = Nearest::Differs;
                false
            }
            Err(Open::Unknown(why)) => {
                self.last = Nearest::Open(Box::new(why));
                false
            }
        }
    }

    /// Does without an event that has no partner, if it may be left out or does not happen. Whether terms stand for others since.
    fn leave_out(&mut self, c: &mut Comparison<'_, '_, '_>, alone: Alone) -> Result<bool, Stop> {
        let in_ptx = matches!(c.task.entries.origin, Origin::Ptx { .. });
        match alone.event {
            Lone::Source(i) if in_ptx && c.run.source.events[i].is_optional() => {
                Ok(self.leave_out_shuffle(c, i))
            }
            _ => self.leave_out_idle(c, alone),
        }
    }

    /// Leaves out an event of the source that changes nothing where nobody needs its answer.
    fn leave_out_shuffle(&mut self, c: &mut Comparison<'_, '_, '_>, i: usize) -> bool {
        let event = &mut c.run.source.events[i];
        self.left_out.insert(event.place);
        event.guard = c.inputs.terms.no();
        // A word that is the same in all lanes: whoever is asked answers it, or the answer is undefined.
        let (word, answer) = (event.arguments[0], event.results[0]);
        if !c.inputs.is_uniform(word) || c.replaced.contains_key(&answer) {
            return false;
        }
        c.replaced.insert(answer, word);
        true
    }

    /// Leaves out an event that does not happen on any input.
    fn leave_out_idle(&mut self, c: &mut Comparison<'_, '_, '_>, alone: Alone) -> Result<bool, Stop> {
        let guard = event(c, alone.event).guard;
        let asked = self.idle.insert(alone.event) && c.inputs.known(guard).is_none();
        let never = Obligation { what: Claim::NoEvent, violated: guard };
        if !asked || c.discharge(&[never]).is_err() {
            return Err(alone.why.with_nearest(self.last.clone()).into());
        }
        let no = c.inputs.terms.no();
        c.replaced.insert(guard, no);
        let event = event(c, alone.event);
        event.guard = no;
        // The state of memory behind what never happens is none that is seen: it may have any name.
        let state = event.results.last().filter(|_| event.orders).map(|after| (*after, event.version));
        c.replaced.extend(state);
        Ok(true)
    }
}

/// An event without a partner.
fn event<'c>(c: &'c mut Comparison<'_, '_, '_>, which: Lone) -> &'c mut Event {
    match which {
        Lone::Source(i) => &mut c.run.source.events[i],
        Lone::Target(j) => &mut c.run.target.side.log.events[j],
    }
}

/// Makes two events one that were shown to be one.
fn unite(c: &mut Comparison<'_, '_, '_>, (i, j): (usize, usize)) {
    let (inputs, d) = (c.inputs, c.inputs.terms);
    let (a, b) = (&c.run.source.events[i], &mut c.run.target.side.log.events[j]);
    c.replaced.extend(b.results.iter().copied().zip(a.results.iter().copied()));
    if inputs.known(a.guard) == Some(1) {
        // What was shown of operands on every input that counts need not be shown again of what is made of them.
        let same = |x: TermId, y: TermId| x != y && d.width_of(x) == d.width_of(y);
        let free = |x: TermId, y: TermId| {
            inputs.known(y).is_none()
                && !d.topological(&[x]).contains(&y)
                && !d.topological(&[y]).contains(&x)
        };
        let operands = a.operands_for(b);
        let merged = operands.iter().zip(&b.arguments);
        let merged = merged.filter(|(x, y)| same(**x, **y) && free(**x, **y));
        c.replaced.extend(merged.map(|(x, y)| (*y, *x)));
    }
    (b.arguments, b.guard, b.version) = (a.arguments.clone(), a.guard, a.version);
}

/// Lets terms stand for others, and what is read of memory in a state for what is read in another.
pub fn stand_for(inputs: &Inputs<'_>, replaced: &mut FxHashMap<TermId, TermId>) {
    inputs.normal.replace(replaced);
    read_alike(inputs, replaced);
    for t in replaced.values_mut() {
        *t = inputs.normal.of(*t);
    }
    inputs.normal.replace(replaced);
}

/// Puts what terms stand for into all events.
fn substitute(c: &mut Comparison<'_, '_, '_>) {
    let inputs = c.inputs;
    stand_for(inputs, &mut c.replaced);
    for e in c.run.source.events.iter_mut().chain(&mut c.run.target.side.log.events) {
        let own = [&mut e.guard, &mut e.address, &mut e.value, &mut e.version];
        for t in own.into_iter().chain(&mut e.arguments) {
            *t = inputs.normal.of(*t);
        }
    }
}

/// Memory in a state that was shown to be another holds what it holds there: what is read of the one is what is read of the other.
fn read_alike(inputs: &Inputs<'_>, replaced: &mut FxHashMap<TermId, TermId>) {
    let d = inputs.terms;
    let all = inputs.reads();
    for own in &all {
        let version = inputs.normal.of(own.version);
        if version == own.version || replaced.contains_key(&own.variable) {
            continue;
        }
        let base = inputs.normal.of(own.base);
        let same = |r: &&Read| {
            (r.memory, r.version, r.offset) == (own.memory, version, own.offset)
                && inputs.normal.of(r.base) == base
                && d.width_of(r.variable) == d.width_of(own.variable)
                && !replaced.contains_key(&r.variable)
        };
        if let Some(other) = all.iter().find(same) {
            replaced.insert(own.variable, other.variable);
        }
    }
}
