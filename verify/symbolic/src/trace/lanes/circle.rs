//! Lanes that wait for some of the warp while they are in barriers: whether what they wait for may wait for them (`docs/convergence.md`, O6).

use super::nesting::Barriers;
use crate::trace::action::Action;
use crate::trace::event::{Event, Wait};
use std::collections::{BTreeMap, BTreeSet};

/// All barriers of the block, of which one may serve as another, and all of a warp likewise.
const BLOCK: u64 = 0;
const WARP: u64 = 1;

/// What lanes wait for at an event of the source: that others execute the same instruction (C15); any barrier of the warp, or of the block. A source
/// that is code itself names no lanes in what they ask each other: there it is anything.
pub fn awaited(e: &Event, code: bool) -> u64 {
    match e.action() {
        _ if code => BLOCK,
        Some(Action::Barrier(_)) => BLOCK,
        Some(Action::WarpSync) => WARP,
        _ => 2 + e.place,
    }
}

impl Barriers {
    /// A barrier for which lanes that wait at it may themselves be what is waited for; `events`: of the target, `partners`: by their places in it, what
    /// [`awaited`] says of the source's. None where no lane waits for some of the warp in a barrier.
    pub fn circle(&self, events: &[Event], partners: &BTreeMap<usize, u64>) -> Option<u32> {
        if self.some.is_empty() {
            return None;
        }
        let nests = self.inner.iter().map(|(o, i)| (Wait::Meeting(*o), Wait::Meeting(*i)));
        let waits = self.some.iter().map(|(o, at)| (Wait::Meeting(*o), Wait::At(*at)));
        let mut edges: BTreeSet<(Wait, Wait)> = nests.chain(waits).collect();
        for (event, awaited) in partners {
            let Some(e) = events.get(*event) else { continue };
            edges.extend(e.waits.map(|at| (Wait::At(at), Wait::For(*awaited))));
            edges.extend(e.met.iter().map(|before| (Wait::For(*awaited), *before)));
        }
        let barriers: BTreeSet<u32> =
            self.some.iter().map(|(b, _)| *b).chain(self.inner.iter().map(|n| n.0)).collect();
        barriers.into_iter().find(|b| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![Wait::Meeting(*b)]);
            while let Some(from) = open.pop() {
                let next = edges.iter().filter(|(f, _)| *f == from).map(|(_, to)| *to);
                open.extend(next.filter(|to| seen.insert(*to)));
            }
            seen.contains(&Wait::Meeting(*b))
        })
    }

    /// Whether lanes wait in a barrier for some of the warp, where the rule about groups is not kept.
    pub fn wait_for_some(&self) -> bool {
        !self.groups() && !self.some.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obstacle::convergence::Disorder;
    use crate::trace::event::Kind;
    use sassafras_semantics::{Domain, Space, Terms};

    /// An event of a source or target.
    fn event(place: u64, waits: Option<u64>, met: &[Wait]) -> Event {
        let d = Terms::new();
        Event {
            kind: Kind::Sync(Action::Vote),
            space: Space::Generic,
            guard: d.yes(),
            address: d.constant(64, 0),
            bytes: 0,
            align: 0,
            value: d.yes(),
            snapshot: false,
            version: d.constant(32, 0),
            place,
            visit: 1,
            orders: false,
            arguments: Vec::new(),
            results: Vec::new(),
            waits,
            met: met.iter().copied().collect(),
        }
    }

    #[test]
    fn who_is_waited_for_in_a_barrier_waits_at_none_that_holds_it() {
        let all = Barriers {
            strict: Some((0, Disorder::SyncUnset { barrier: 0 })),
            inner: [(0, 1)].into(),
            some: [(1, 7)].into(),
            ..Barriers::default()
        };
        let (at, behind) = (event(0, Some(7), &[]), |before| event(0x20, None, &[before]));
        let circle = |second: &Event, lines: [u64; 2]| {
            let lines = lines.map(|line| awaited(&event(line, None, &[]), false));
            all.circle(&[at.clone(), second.clone()], &BTreeMap::from([(0, lines[0]), (1, lines[1])]))
        };
        // Lanes come to the same instruction behind a `BSYNC`, where they may wait for those who wait for them.
        assert_eq!(circle(&behind(Wait::Meeting(1)), [3, 3]), Some(1));
        assert_eq!(circle(&behind(Wait::Meeting(0)), [3, 3]), Some(0));
        // To another instruction they may come later, and what was before is no matter either if no barrier holds it.
        assert_eq!(circle(&behind(Wait::Meeting(1)), [3, 4]), None);
        assert_eq!(circle(&behind(Wait::Meeting(2)), [3, 3]), None);
        // Over what else they wait for before.
        let other = event(0x40, Some(9), &[Wait::Meeting(0)]);
        let events = [at.clone(), behind(Wait::At(9)), other];
        assert_eq!(all.circle(&events, &BTreeMap::from([(0, 3), (1, 3), (2, 4)])), Some(0));
        assert_eq!(all.circle(&events[..2], &BTreeMap::from([(0, 3), (1, 3)])), None);
        // No two instructions are told apart in code.
        assert_eq!(awaited(&event(3, None, &[]), true), awaited(&event(4, None, &[]), true));
    }
}
