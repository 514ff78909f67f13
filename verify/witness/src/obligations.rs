//! What has to hold for a matching to be a proof, over raw terms.

use super::Matching;
use super::fault::Rejection;
use rustc_hash::FxHashMap;
use sassafras_semantics::{BinaryOp, CompareOp, Domain, Space, TermId, Terms};
use sassafras_symbolic::choice::Place;
use sassafras_symbolic::inputs::{AXES, Inputs};
use sassafras_symbolic::origin::Origin;
use sassafras_symbolic::sum::split;
use sassafras_symbolic::trace::event::{Event, Kind};
use std::collections::{BTreeMap, BTreeSet};

/// Asked in order: what was shown may be assumed behind it.
pub enum Step {
    /// This bit must be zero.
    Never(String, TermId),
    /// This bit may be taken as one from here on.
    Assume(TermId),
    /// The second is the first from here on: both are free, and stand for one answer.
    Same(TermId, TermId),
    /// If the second is the first, it need not be looked into any more. Nothing is wrong if it is not.
    Cut(TermId, TermId),
}

/// Where two accesses may be cut: at the bases of their addresses, else at the addresses; states of memory, values, guards.
fn cuts(d: &Terms, a: &Event, b: &Event) -> Vec<Step> {
    let ((x, i), (y, j)) = (split(d, a.address), split(d, b.address));
    let places = if i == j { (x, y) } else { (a.address, b.address) };
    let all = [places, (a.version, b.version), (a.guard, b.guard), (a.value, b.value)];
    let fit = all.into_iter().filter(|(x, y)| x != y && d.width_of(*x) == d.width_of(*y));
    fit.map(|(x, y)| Step::Cut(x, y)).collect()
}

/// A side's events, by place.
pub struct Events<'e> {
    all: &'e [Event],
    by_place: FxHashMap<Place, usize>,
}

impl<'e> Events<'e> {
    pub fn new(all: &'e [Event]) -> Events<'e> {
        let places = sassafras_symbolic::choice::places(all).into_iter().enumerate().map(|(i, p)| (p, i));
        Events { all, by_place: places.collect() }
    }

    fn at(&self, place: Place) -> Result<(usize, &'e Event), Rejection> {
        let i = self.by_place.get(&place).ok_or(Rejection::NoEvent { place })?;
        Ok((*i, &self.all[*i]))
    }
}

fn implies(d: &Terms, a: TermId, b: TermId) -> TermId {
    d.or(&d.not(&a), &b)
}

fn differ(d: &Terms, a: TermId, b: TermId) -> TermId {
    d.not(&d.eq(&a, &b))
}

fn any(d: &Terms, all: impl IntoIterator<Item = TermId>) -> TermId {
    all.into_iter().fold(d.no(), |any, t| d.or(&any, &t))
}

fn misaligned(d: &Terms, e: &Event) -> TermId {
    let mask = d.constant(64, u128::from(e.align) - 1);
    differ(d, d.binary(BinaryOp::And, &e.address, &mask), d.constant(64, 0))
}

/// A byte address lies in an access.
fn touches(d: &Terms, at: TermId, e: &Event) -> TermId {
    d.compare(CompareOp::ULt, &d.sub(&at, &e.address), &d.constant(64, e.bytes.into()))
}

/// Two accesses have a byte in common.
fn overlap(d: &Terms, a: &Event, b: &Event) -> TermId {
    d.or(&touches(d, a.address, b), &touches(d, b.address, a))
}

/// The byte that an access leaves at an address within it.
fn byte(d: &Terms, at: TermId, e: &Event) -> TermId {
    let gap = d.sub(&at, &e.address);
    (1..e.bytes).fold(d.extract(&e.value, 0, 8), |below, i| {
        let here = d.eq(&gap, &d.constant(64, i.into()));
        d.ite(&here, &d.extract(&e.value, 8 * i, 8), &below)
    })
}

/// A-LAUNCH and A-UB.
pub fn assumptions(inputs: &Inputs<'_>, origin: Origin<'_>, source: &[Event]) -> Vec<TermId> {
    let d = inputs.terms;
    let number = |n: u32| d.constant(32, n.into());
    let below = |a: TermId, b: TermId| d.compare(CompareOp::ULt, &a, &b);
    let mut all = Vec::new();
    let limits = [(1025, 0x8000_0000), (1025, 65536), (65, 65536)];
    for (i, axis) in AXES.into_iter().enumerate() {
        let (block, grid) = (inputs.ntid(axis), inputs.nctaid(axis));
        all.extend([below(inputs.tid(axis), block), below(inputs.ctaid(axis), grid)]);
        all.extend([below(block, number(limits[i].0)), below(grid, number(limits[i].1))]);
        if let Some(n) = origin.required_threads() {
            all.push(d.eq(&block, &number(n[i])));
        }
    }
    let [x, y, z] = AXES.map(|a| inputs.tid(a));
    let [width, height, _] = AXES.map(|a| inputs.ntid(a));
    let thread = d.add(&d.mul(&d.add(&d.mul(&z, &height), &y), &width), &x);
    all.push(d.eq(&inputs.laneid(), &d.binary(BinaryOp::And, &thread, &number(31))));
    for e in source.iter().filter(|e| e.accesses()) {
        all.push(implies(d, e.guard, d.not(&misaligned(d, e))));
    }
    all
}

/// What lanes wait for at events of the target, by their places in the list; `code`: whether the source is code itself.
///
/// # Errors
/// Events that are not there.
pub fn partners(
    matching: &Matching,
    source: &Events<'_>,
    target: &Events<'_>,
    code: bool,
) -> Result<BTreeMap<usize, u64>, Rejection> {
    let mut all = BTreeMap::new();
    for &(s, t) in &matching.events {
        let awaited = sassafras_symbolic::trace::lanes::awaited(source.at(s)?.1, code);
        let twins = matching.twins.iter().filter(|(first, _)| *first == t).map(|(_, twin)| *twin);
        for t in twins.chain([t]) {
            all.insert(target.at(t)?.0, awaited);
        }
    }
    Ok(all)
}

/// All that a matching says, and that it says enough. `code`: whether the source is code itself.
///
/// # Errors
/// A place without an event, an event that is named twice, events of different kinds.
pub fn steps(
    d: &Terms,
    at: TermId,
    matching: &Matching,
    source: &Events<'_>,
    target: &Events<'_>,
    code: bool,
) -> Result<Vec<Step>, Rejection> {
    let mut list = Listing {
        d,
        at,
        matching,
        source,
        target,
        ordered: Vec::new(),
        all: Vec::new(),
        left: BTreeSet::new(),
        right: BTreeSet::new(),
    };
    list.loads()?;
    for &(s, t) in &matching.events {
        list.event(s, t)?;
    }
    list.waits()?;
    let pairs = list.stores()?;
    list.changed_places(&pairs);
    for (s, t) in &matching.groups {
        list.group(s, t, &pairs)?;
    }
    list.unnamed(code);
    covers(d, matching, source, target, &mut list.all)?;
    list.ordered.sort_by_key(|o| o.0);
    Ok(list.ordered.into_iter().flat_map(|o| o.1).chain(list.all).collect())
}

/// An event must not be named twice.
fn take(named: &mut BTreeSet<usize>, i: usize, place: Place) -> Result<(), Rejection> {
    match named.insert(i) {
        true => Ok(()),
        false => Err(Rejection::EventTwice { place }),
    }
}

/// Steps, while they are listed.
struct Listing<'l, 'e> {
    d: &'l Terms,
    /// An address that is free.
    at: TermId,
    matching: &'l Matching,
    source: &'l Events<'e>,
    target: &'l Events<'e>,
    /// In the order of the source's events: what is behind an event rests on its answer.
    ordered: Vec<(usize, Vec<Step>)>,
    /// What comes behind all of these.
    all: Vec<Step>,
    /// Events of the source that are named.
    left: BTreeSet<usize>,
    /// Events of the target that are named.
    right: BTreeSet<usize>,
}

impl Listing<'_, '_> {
    /// Loads that load the same.
    fn loads(&mut self) -> Result<(), Rejection> {
        for &(s, t) in &self.matching.loads {
            let ((i, a), (_, b)) = (self.source.at(s)?, self.target.at(t)?);
            if a.kind != Kind::Load || b.kind != Kind::Load {
                return Err(Rejection::NoLoads { source: s, target: t });
            }
            self.ordered.push((i, cuts(self.d, a, b)));
        }
        Ok(())
    }

    /// Two events that others see are one, with those of the target that are it on another way.
    fn event(&mut self, s: Place, t: Place) -> Result<(), Rejection> {
        let d = self.d;
        let ((i, a), (j, b)) = (self.source.at(s)?, self.target.at(t)?);
        take(&mut self.left, i, s)?;
        take(&mut self.right, j, t)?;
        let wanted = a.operands_for(b);
        let same = widths(d, wanted) == widths(d, &b.arguments) && a.results.len() == b.results.len();
        if a.action().is_none() || a.action() != b.action() || !same {
            return Err(Rejection::Kinds { source: s, target: t });
        }
        if widths(d, &a.results) != widths(d, &b.results) {
            return Err(Rejection::Results { source: s, target: t });
        }
        if a.is_update() {
            self.ordered.push((i, update(d, (s, a), (t, b))?));
            return Ok(());
        }
        let operands = |e: &Event| any(d, wanted.iter().zip(&e.arguments).map(|(x, y)| differ(d, *x, *y)));
        let mut own = cuts(d, a, b);
        let (mut guard, mut answers) = (b.guard, vec![b]);
        for &(_, twin) in self.matching.twins.iter().filter(|(first, _)| *first == t) {
            let (k, c) = self.target.at(twin)?;
            take(&mut self.right, k, twin)?;
            let fits = c.action() == b.action() && widths(d, &c.arguments) == widths(d, &b.arguments);
            if !fits || widths(d, &c.results) != widths(d, &b.results) || c.orders {
                return Err(Rejection::NoTwins { first: t, other: twin });
            }
            let wrong = d.or(&operands(c), &guard);
            own.push(Step::Never(
                format!("the event {s:?} is {twin:?} on another way"),
                d.and(&c.guard, &wrong),
            ));
            guard = d.or(&guard, &c.guard);
            answers.push(c);
        }
        let moved = if a.orders || b.orders { differ(d, a.version, b.version) } else { d.no() };
        let wrong = d.and(&b.guard, &d.or(&operands(b), &moved));
        let violated = d.or(&differ(d, a.guard, guard), &wrong);
        own.extend(wanted.iter().zip(&b.arguments).map(|(x, y)| Step::Cut(*x, *y)));
        own.push(Step::Never(format!("the event {s:?} is {t:?}"), violated));
        // Equal operands in one state of memory get one answer, and leave one state.
        for e in answers {
            own.extend(a.results.iter().zip(&e.results).map(|(x, y)| Step::Same(*x, *y)));
        }
        self.ordered.push((i, own));
        Ok(())
    }

    /// Lanes of the target wait in the source's order.
    fn waits(&mut self) -> Result<(), Rejection> {
        let mut met = Vec::new();
        for &(s, t) in &self.matching.events {
            let i = self.source.at(s)?.0;
            let twins = self.matching.twins.iter().filter(|(first, _)| *first == t).map(|(_, twin)| *twin);
            for t in twins.chain([t]) {
                met.push((i, self.target.at(t)?.0));
            }
        }
        let events = self.target.all;
        for (i, j) in sassafras_symbolic::trace::order::waits_out_of_order(events, met.into_iter()) {
            let both = self.d.and(&events[i].guard, &events[j].guard);
            self.all.push(Step::Never(format!("lanes wait at {i} and {j}, which change places"), both));
        }
        Ok(())
    }

    /// Stores one to one. Which they are, by their places in the lists.
    fn stores(&mut self) -> Result<Vec<(usize, usize)>, Rejection> {
        let d = self.d;
        let mut pairs = Vec::new();
        for &(s, t) in &self.matching.stores {
            let ((i, a), (j, b)) = (self.source.at(s)?, self.target.at(t)?);
            take(&mut self.left, i, s)?;
            take(&mut self.right, j, t)?;
            if !a.stores() || !b.stores() || a.space != b.space || a.bytes != b.bytes {
                return Err(Rejection::NoStores { source: s, target: t });
            }
            let wrong = [(a.address, b.address), (a.value, b.value), (a.version, b.version)];
            let wrong = any(d, wrong.map(|(x, y)| differ(d, x, y)));
            let violated = d.or(&differ(d, a.guard, b.guard), &d.and(&a.guard, &wrong));
            let mut own = cuts(d, a, b);
            own.push(Step::Never(format!("the store {s:?} is {t:?}"), violated));
            self.ordered.push((i, own));
            pairs.push((i, j));
        }
        Ok(pairs)
    }

    /// Stores that have changed places do not meet.
    fn changed_places(&mut self, pairs: &[(usize, usize)]) {
        let d = self.d;
        for (n, &(i, j)) in pairs.iter().enumerate() {
            for &(k, l) in &pairs[n + 1..] {
                let (a, b) = (&self.source.all[i], &self.source.all[k]);
                if (i < k) != (j < l) && a.space == b.space {
                    let both = d.and(&d.and(&a.guard, &b.guard), &d.eq(&a.version, &b.version));
                    let violated = d.and(&both, &overlap(d, a, b));
                    let what = format!("stores {i} and {k} that change places do not meet");
                    self.all.push(Step::Never(what, violated));
                }
            }
        }
    }

    /// Stores that leave the same memory together.
    fn group(&mut self, s: &[Place], t: &[Place], pairs: &[(usize, usize)]) -> Result<(), Rejection> {
        let (d, at) = (self.d, self.at);
        let a = group(s, self.source, &mut self.left)?;
        let b = group(t, self.target, &mut self.right)?;
        let Some(&(_, first)) = a.first().or(b.first()) else { return Ok(()) };
        if a.iter().chain(&b).any(|(_, e)| e.space != first.space) {
            return Err(Rejection::Memories {});
        }
        let moved = |(_, e): &(usize, &Event)| d.and(&e.guard, &differ(d, e.version, first.version));
        let moved = any(d, a.iter().chain(&b).map(moved));
        self.all.push(Step::Never("a group of stores is of one state of memory".into(), moved));
        let leave = |list: &[(usize, &Event)]| {
            list.iter().fold((d.no(), d.constant(8, 0)), |(written, value), (_, e)| {
                let here = d.and(&e.guard, &touches(d, at, e));
                (d.or(&written, &here), d.ite(&here, &byte(d, at, e), &value))
            })
        };
        let ((x, v), (y, w)) = (leave(&a), leave(&b));
        let violated = d.or(&differ(d, x, y), &d.and(&x, &differ(d, v, w)));
        self.all.push(Step::Never("a group of stores leaves the same memory".into(), violated));
        // Stores of one state in and outside of a group must not meet, since their order is not kept.
        for &(i, j) in pairs {
            for (events, own, other) in [(self.source, i, &a), (self.target, j, &b)] {
                for (_, e) in other.iter().filter(|(_, e)| e.space == events.all[own].space) {
                    let o = &events.all[own];
                    let both = d.and(&d.and(&o.guard, &e.guard), &d.eq(&o.version, &e.version));
                    let violated = d.and(&both, &overlap(d, o, e));
                    self.all.push(Step::Never("a group of stores keeps away from others".into(), violated));
                }
            }
        }
        Ok(())
    }

    /// What is not named does not happen. `code`: whether the source is code itself.
    fn unnamed(&mut self, code: bool) {
        let sides = [(self.source, &self.left, "source"), (self.target, &self.right, "target")];
        for (events, named, who) in sides {
            // A shuffle of PTX may be left out, if no other of that instruction is named: its answer is anything then.
            let kept = |e: &Event| {
                named.iter().any(|i| !events.all[*i].accesses() && events.all[*i].place == e.place)
            };
            let optional = |e: &Event| who == "source" && !code && e.is_optional() && !kept(e);
            let counts = |e: &Event| e.stores() || matches!(e.kind, Kind::Sync(_)) && !optional(e);
            for (i, e) in events.all.iter().enumerate().filter(|(i, e)| counts(e) && !named.contains(i)) {
                let what = format!(
                    "the event {i} of the {who} at {:#x}, which is not named, does not happen",
                    e.place
                );
                self.all.push(Step::Never(what, e.guard));
            }
        }
    }
}

fn widths(d: &Terms, all: &[TermId]) -> Vec<u32> {
    all.iter().map(|t| d.width_of(*t)).collect()
}

/// The stores of a group on one side, in order.
fn group<'e>(
    list: &[Place],
    events: &Events<'e>,
    named: &mut BTreeSet<usize>,
) -> Result<Vec<(usize, &'e Event)>, Rejection> {
    let mut found = Vec::new();
    for &p in list {
        let (i, e) = events.at(p)?;
        take(named, i, p)?;
        if !e.stores() {
            return Err(Rejection::NoStore { place: p });
        }
        found.push((i, e));
    }
    found.sort_by_key(|f| f.0);
    Ok(found)
}

/// Two changes of a word are one: at one place in one state of memory they find the same, and what they make of it is the same.
///
/// # Errors
/// Others than an operand for the address and one for the new word, an answer, and a state of memory.
fn update(d: &Terms, (s, a): (Place, &Event), (t, b): (Place, &Event)) -> Result<Vec<Step>, Rejection> {
    let ([x, new], [y, other]) = (&a.arguments[..], &b.arguments[..]) else {
        return Err(Rejection::NoChanges { source: s, target: t });
    };
    let ([old, after], [found, left]) = (&a.results[..], &b.results[..]) else {
        return Err(Rejection::Untold { source: s, target: t });
    };
    let mut own = cuts(d, a, b);
    own.push(Step::Cut(*x, *y));
    let elsewhere = d.or(&differ(d, *x, *y), &differ(d, a.version, b.version));
    let violated = d.or(&differ(d, a.guard, b.guard), &d.and(&b.guard, &elsewhere));
    own.push(Step::Never(format!("the event {s:?} is {t:?}"), violated));
    own.push(Step::Same(*old, *found));
    own.push(Step::Cut(*new, *other));
    let violated = d.and(&b.guard, &differ(d, *new, *other));
    own.push(Step::Never(format!("the event {s:?} leaves what {t:?} does"), violated));
    own.push(Step::Same(*after, *left));
    Ok(own)
}

/// Each access of the target is aligned, and reads what the source accesses.
fn covers(
    d: &Terms,
    matching: &Matching,
    source: &Events<'_>,
    target: &Events<'_>,
    all: &mut Vec<Step>,
) -> Result<(), Rejection> {
    let mut by = FxHashMap::default();
    for (t, list) in &matching.covers {
        let (j, _) = target.at(*t)?;
        let found: Result<Vec<&Event>, Rejection> = list.iter().map(|p| Ok(source.at(*p)?.1)).collect();
        if by.insert(j, found?).is_some() {
            return Err(Rejection::AccessTwice { place: *t });
        }
    }
    for (j, t) in target.all.iter().enumerate().filter(|(_, t)| t.accesses()) {
        let none = Vec::new();
        let near = by.get(&j).unwrap_or(&none);
        let near: Vec<&&Event> = near
            .iter()
            .filter(|s| s.accesses() && s.space == t.space && (s.snapshot || !t.snapshot))
            .collect();
        if let Some(s) = near.first() {
            all.push(Step::Cut(split(d, s.address).0, split(d, t.address).0));
            all.push(Step::Cut(s.version, t.version));
        }
        let outside = (0..t.bytes).map(|i| {
            let at = d.add(&t.address, &d.constant(64, i.into()));
            let there = near.iter().map(|s| {
                let here = d.and(&s.guard, &touches(d, at, s));
                // What is written was matched already.
                if t.stores() { here } else { d.and(&here, &d.eq(&s.version, &t.version)) }
            });
            d.not(&any(d, there))
        });
        let bad = d.or(&misaligned(d, t), &any(d, outside));
        all.push(Step::Never(
            format!("the access at {:#x} is one of the source's", t.place),
            d.and(&t.guard, &bad),
        ));
    }
    Ok(())
}

/// The target's stack holds its local memory.
pub fn stack(
    inputs: &Inputs<'_>,
    origin: Origin<'_>,
    source: &[Event],
    target: &[Event],
    top: TermId,
    (bytes, deep): (u32, u32),
) -> Vec<Step> {
    let d = inputs.terms;
    let of = |e: &&Event| matches!(e.kind, Kind::Load | Kind::Store) && e.space == Space::Local;
    let from = |e: &Event, base: TermId| d.sub(&d.extract(&e.address, 0, 32), &base);
    let fits = |e: &Event, base: TermId, size: u64| match size.checked_sub(e.bytes.into()) {
        Some(room) => d.compare(CompareOp::ULe, &from(e, base), &d.constant(32, room.into())),
        None => d.no(),
    };
    let mut all = Vec::new();
    for e in source.iter().filter(of) {
        let own = origin.locals(inputs, top, deep);
        let own = own.into_iter().map(|(base, size)| fits(e, base, size));
        all.push(Step::Assume(implies(d, e.guard, any(d, own))));
    }
    let base = d.sub(&top, &d.constant(32, bytes.into()));
    for e in target.iter().filter(of) {
        let violated = d.and(&e.guard, &d.not(&fits(e, base, bytes.into())));
        all.push(Step::Never(format!("the stack has room for the access at {:#x}", e.place), violated));
    }
    all
}
