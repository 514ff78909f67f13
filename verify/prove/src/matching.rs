//! The matching of a proof. Nothing here is trusted: the checker asks about each line of it.

use rustc_hash::FxHashMap;
use sassafras_semantics::{Space, TermId, Terms};
use sassafras_symbolic::choice::places;
use sassafras_symbolic::sum::split;
use sassafras_symbolic::trace::event::{Event, Kind};
use sassafras_witness::Matching;
use std::collections::BTreeMap;

/// What a proof found, from the events in normal form, the pairs of those that others see, and those of the target that are one on two ways.
pub fn matching(
    terms: &Terms,
    source: &[Event],
    target: &[Event],
    pairs_of_events: &[(usize, usize)],
    twins: &[(usize, usize)],
) -> Matching {
    let (at_source, at_target) = (places(source), places(target));
    let events = pairs_of_events.iter().map(|&(i, j)| (at_source[i], at_target[j])).collect();
    let twins = twins.iter().map(|&(i, j)| (at_target[i], at_target[j])).collect();
    let mut all = Matching { events, twins, ..Matching::default() };
    let mut loads: FxHashMap<_, Vec<usize>> = FxHashMap::default();
    let key = |e: &Event| (e.space, e.address, e.bytes, e.version, e.value);
    for (i, e) in source.iter().enumerate().filter(|(_, e)| e.kind == Kind::Load) {
        loads.entry(key(e)).or_default().push(i);
    }
    let place = |e: &Event| (e.space, e.address, e.version);
    for (j, t) in target.iter().enumerate().filter(|(_, e)| e.kind == Kind::Load) {
        let same = loads.get(&key(t)).and_then(|l| l.first()).copied();
        // Else one that loads fewer or more bytes there.
        let near = || source.iter().position(|s| s.kind == Kind::Load && place(s) == place(t));
        if let Some(first) = same.or_else(near) {
            all.loads.push((at_source[first], at_target[j]));
        }
    }
    let mut intervals: BTreeMap<(Space, TermId), [Vec<usize>; 2]> = BTreeMap::new();
    for (side, events) in [source, target].into_iter().enumerate() {
        for (i, e) in events.iter().enumerate().filter(|(_, e)| e.stores()) {
            intervals.entry((e.space, e.version)).or_default()[side].push(i);
        }
    }
    for [left, right] in intervals.into_values() {
        match pairs(source, target, &left, &right) {
            Some(pairs) => {
                all.stores.extend(pairs.into_iter().map(|(i, j)| (at_source[i], at_target[j])));
            }
            None => all.groups.push((
                left.iter().map(|&i| at_source[i]).collect(),
                right.iter().map(|&j| at_target[j]).collect(),
            )),
        }
    }
    for (j, t) in target.iter().enumerate().filter(|(_, t)| t.accesses()) {
        let base = |e: &Event| split(terms, e.address).0;
        let there = |s: &Event| s.accesses() && s.space == t.space && (s.snapshot || !t.snapshot);
        let mut near: Vec<usize> =
            (0..source.len()).filter(|&i| there(&source[i]) && base(&source[i]) == base(t)).collect();
        if near.is_empty() {
            near = (0..source.len()).filter(|&i| there(&source[i])).collect();
        }
        all.covers.push((at_target[j], near.into_iter().map(|i| at_source[i]).collect()));
    }
    all
}

/// Stores one to one: equal in all, else in size and address.
fn pairs(source: &[Event], target: &[Event], left: &[usize], right: &[usize]) -> Option<Vec<(usize, usize)>> {
    if left.len() != right.len() {
        return None;
    }
    let same = |s: &Event, t: &Event| {
        (s.bytes, s.address, s.value, s.guard) == (t.bytes, t.address, t.value, t.guard)
    };
    let near = |s: &Event, t: &Event| s.bytes == t.bytes && s.address == t.address;
    let mut open = right.to_vec();
    let mut found = BTreeMap::new();
    for rule in [&same as &dyn Fn(&Event, &Event) -> bool, &near] {
        for &i in left {
            if !found.contains_key(&i)
                && let Some(at) = open.iter().position(|&j| rule(&source[i], &target[j]))
            {
                found.insert(i, open.remove(at));
            }
        }
    }
    (found.len() == left.len()).then(|| found.into_iter().collect())
}
