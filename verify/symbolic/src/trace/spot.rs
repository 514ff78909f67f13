//! Where lanes are: a place, in the calls that lead to it, in a round of each loop around it. Lanes in different calls or rounds do not meet.

use crate::trace::loops::{Loops, Rounds};

/// Calls that lanes are in, the outermost first: where each stands, and what it calls. Before each the loops that it is in.
pub type Calls = Vec<(u64, u64)>;

/// Marks a loop among calls: its lowest place, and how often lanes have returned in it.
const LOOP: u64 = 1 << 63;

/// A place, in calls and loops. Its order is that of code in which calls and rounds are written out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot {
    /// Calls and loops; then the place itself, which calls nothing.
    order: Calls,
}

/// Whether an element is a loop.
fn is_loop(element: &(u64, u64)) -> bool {
    element.1 & LOOP != 0
}

/// Calls, and the loops that lanes are in within the innermost.
fn split(order: &[(u64, u64)]) -> (Calls, Rounds) {
    let calls = order.iter().rposition(|e| !is_loop(e)).map_or(0, |last| last + 1);
    let round = |e: &(u64, u64)| ((e.1 >> 32 & 0x7fff_ffff) as usize, e.1 as u32);
    (order[..calls].to_vec(), order[calls..].iter().map(round).collect())
}

/// Calls with the loops that lanes are in within the innermost.
pub(super) fn with_loops(loops: &Loops, calls: &[(u64, u64)], rounds: &Rounds) -> Calls {
    let element =
        |(l, count): &(usize, u32)| (loops.get(*l).first, LOOP | (*l as u64) << 32 | u64::from(*count));
    calls.iter().copied().chain(rounds.iter().map(element)).collect()
}

/// The innermost call, what it is in, and the loops around it.
pub(super) fn innermost(calls: &[(u64, u64)]) -> Option<((u64, u64), Calls, Rounds)> {
    let (call, before) = calls.split_last()?;
    let (calls, rounds) = split(before);
    Some((*call, calls, rounds))
}

impl Spot {
    /// A place.
    pub(super) fn new(loops: &Loops, calls: &[(u64, u64)], rounds: &Rounds, at: u64) -> Spot {
        let mut order = with_loops(loops, calls, rounds);
        order.push((at, 0));
        Spot { order }
    }

    /// The place.
    pub(super) fn at(&self) -> u64 {
        self.order.last().map_or(0, |last| last.0)
    }

    /// The calls, and the loops within the innermost.
    pub(super) fn parts(&self) -> (Calls, Rounds) {
        split(self.order.split_last().map_or(&[], |(_, before)| before))
    }

    /// A number for how lanes came here that is the same whatever ways are not gone: the calls, the rounds, and the `time`th time with them, from 1.
    pub(super) fn visit(&self, time: u32) -> u64 {
        let around = self.order.split_last().map_or(&[][..], |(_, around)| around);
        let calls = around.iter().filter(|e| !is_loop(e)).fold(0u64, |hash, (from, to)| {
            (hash ^ from ^ to.rotate_left(32) ^ 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        let rounds = around.iter().filter(|e| is_loop(e)).map(|e| u64::from(e.1 as u32));
        let rounds = rounds.fold(0u64, |all, r| all.wrapping_shl(10).wrapping_add(r));
        // What is shifted out of a hash is of no use, and of rounds there are few.
        ((calls >> 18) ^ rounds).wrapping_shl(8).wrapping_add(time.into())
    }
}
