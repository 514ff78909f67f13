//! A judge of how rounds of loops are counted: a source is left unfinished only where a loop is past the bound.
//!
//! It is told where the source's places lead and which were visited from which. Whatever way lanes came to a visit that is left unfinished, they have
//! returned to the head of one loop more often than the bound says, since they last came to that loop from outside; and no lanes that
//! have done so are followed. It finds loops by what reaches what, and counts forwards over all ways at once; the run that it judges has
//! components of a search (`sassafras_symbolic::trace::loops`), and counts along each way.

use sassafras_symbolic::obstacle::evaluation::Miscount;
use sassafras_symbolic::trace::course::Visit;
use sassafras_symbolic::trace::loops::Flow;
use std::collections::{BTreeMap, BTreeSet};

/// A loop: its head, and all of its places.
struct Body {
    head: u64,
    places: BTreeSet<u64>,
}

/// What can be reached from a place within some places, itself only round a cycle.
fn reached(flow: &Flow, from: u64, within: &BTreeSet<u64>) -> BTreeSet<u64> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(at) = open.pop() {
        for to in flow.get(&at).into_iter().flatten().filter(|to| within.contains(to)) {
            if seen.insert(*to) {
                open.push(*to);
            }
        }
    }
    seen
}

/// The flow backwards.
fn backwards(flow: &Flow) -> Flow {
    let mut back = Flow::new();
    for (from, all) in flow {
        for to in all {
            back.entry(*to).or_default().push(*from);
        }
    }
    back
}

/// Places without those that nothing of them leads to, or that lead to nothing of them, and so on: these are on no cycle.
fn peeled(flow: &Flow, back: &Flow, mut places: BTreeSet<u64>) -> BTreeSet<u64> {
    let near = |flow: &Flow, at: u64| flow.get(&at).cloned().unwrap_or_default();
    let mut open: Vec<u64> = places.iter().copied().collect();
    while let Some(at) = open.pop() {
        let (next, last) = (near(flow, at), near(back, at));
        let some = |all: &[u64]| all.iter().any(|p| places.contains(p));
        if !(some(&next) && some(&last)) && places.remove(&at) {
            open.extend(next.into_iter().chain(last));
        }
    }
    places
}

/// All loops.
fn bodies(flow: &Flow, start: u64) -> Vec<Body> {
    let all: BTreeSet<u64> = flow.iter().flat_map(|(from, to)| to.iter().copied().chain([*from])).collect();
    let mut alive = reached(flow, start, &all);
    alive.insert(start);
    let back = backwards(flow);
    let (mut found, mut open) = (Vec::new(), vec![alive.clone()]);
    while let Some(places) = open.pop() {
        let mut places = peeled(flow, &back, places);
        while let Some(first) = places.first().copied() {
            let ahead = reached(flow, first, &places);
            let mut body: BTreeSet<u64> =
                reached(&back, first, &places).into_iter().filter(|p| ahead.contains(p)).collect();
            places.remove(&first);
            if body.is_empty() {
                continue;
            }
            places.retain(|p| !body.contains(p));
            let from = |p: &u64| back.get(p).into_iter().flatten();
            let enters = |p: &u64| *p == start || from(p).any(|q| alive.contains(q) && !body.contains(q));
            let head = body.iter().copied().find(enters).unwrap_or(first);
            found.push(Body { head, places: body.clone() });
            body.remove(&head);
            open.push(body);
        }
    }
    found
}

/// Holds visits against a bound: how often lanes return to the head of a loop, at most.
///
/// # Errors
/// The first visit at which lanes were left too early or followed too far.
pub fn judge(flow: &Flow, visits: &[Visit], most: u32) -> Result<(), Miscount> {
    let Some(start) = visits.first().map(|v| v.at) else { return Ok(()) };
    let mut over: BTreeMap<usize, bool> = BTreeMap::new();
    for body in bodies(flow, start) {
        // The fewest and the most returns of those that are in the loop.
        let mut counts: Vec<Option<(u32, u32)>> = Vec::with_capacity(visits.len());
        for (number, visit) in visits.iter().enumerate() {
            if !body.places.contains(&visit.at) {
                counts.push(None);
                continue;
            }
            let of = |from: &u32| {
                let before = counts.get(*from as usize).copied().flatten();
                let again = u32::from(visit.at == body.head);
                before.map_or((0, 0), |(low, high)| (low + again, high + again))
            };
            let both = visit.from.iter().map(of).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
            let (low, high) = both.unwrap_or((0, 0));
            if visit.cut {
                *over.entry(number).or_default() |= low > most;
            } else if high > most {
                return Err(Miscount::Beyond { returns: high, bound: most });
            }
            counts.push(Some((low, high)));
        }
    }
    let early = visits.iter().enumerate().find(|(i, v)| v.cut && over.get(i) != Some(&true));
    match early {
        Some((_, visit)) => Err(Miscount::Early { place: visit.at, bound: most }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two nested loops: 0, then 1 { 2 } 3 back to 1, then 4.
    fn nested() -> Flow {
        [(0, vec![1]), (1, vec![2]), (2, vec![2, 3]), (3, vec![1, 4]), (4, vec![])].into()
    }

    fn visit(at: u64, from: &[u32], cut: bool) -> Visit {
        Visit { at, from: from.to_vec(), cut }
    }

    #[test]
    fn an_activation_that_begins_is_not_cut() {
        let mut way = vec![
            visit(0, &[], false),
            visit(1, &[0], false),
            visit(2, &[1], false),
            visit(2, &[2], false),
            visit(2, &[3], true),
            visit(3, &[2, 3], false),
            visit(1, &[5], false),
            visit(2, &[6], false),
            visit(2, &[7], false),
            visit(2, &[8], true),
            visit(3, &[7, 8], false),
            visit(1, &[10], true),
            visit(4, &[5, 10], false),
        ];
        assert_eq!(judge(&nested(), &way, 1), Ok(()));
        // As if the second activation went on with the counts of the first.
        way[7].cut = true;
        assert!(judge(&nested(), &way[..8], 1).is_err_and(|e| matches!(e, Miscount::Early { bound: 1, .. })));
        // A way that has not returned so often comes to what is cut.
        way[7].cut = false;
        way[9].from = vec![7, 8];
        assert!(judge(&nested(), &way, 1).is_err());
    }

    #[test]
    fn nobody_goes_on_beyond_the_bound() {
        let way = [visit(0, &[], false), visit(1, &[0], false), visit(2, &[1], false), visit(2, &[2], false)];
        assert_eq!(judge(&nested(), &way, 1), Ok(()));
        assert!(judge(&nested(), &way, 0).is_err_and(|e| matches!(e, Miscount::Beyond { bound: 0, .. })));
    }
}
