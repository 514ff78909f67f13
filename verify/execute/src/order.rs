//! Interleavings: which warp runs next and for how long, which group of divergent lanes, and whether groups that meet merge
//! (`docs/convergence.md`, C3 to C5).

pub use sassafras_semantics::draw::hash;
use sassafras_semantics::draw::mix;

/// Which warp runs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarpPolicy {
    /// Blocks and warps in ascending order, a few instructions each.
    Ascending,
    /// Blocks and warps in descending order, a few instructions each.
    Descending,
    /// Ascending, each until it waits.
    RunAscending,
    /// Descending, each until it waits.
    RunDescending,
    /// A shuffled order with random slices.
    Random(u64),
}

/// Which group of lanes of a warp runs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupPolicy {
    /// The group at the lowest position.
    LowestFirst,
    /// The group at the highest position.
    HighestFirst,
    /// One group until it waits or exits; at a split, the side at the lower position.
    RunLowest,
    /// One group until it waits or exits; at a split, the side at the higher position.
    RunHighest,
    /// One group until it waits, exits or comes to this position: who is there is held back while others can run.
    HoldBack(u64),
    /// A random group at each instruction.
    Random(u64),
}

/// One interleaving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Order {
    /// Which warp runs next.
    pub warps: WarpPolicy,
    /// Which group of a warp runs next.
    pub groups: GroupPolicy,
    /// Whether groups that meet at one position become one.
    pub merge: bool,
    /// Whether BSSY loses the lanes of other groups from its barrier (C7).
    pub loses: bool,
    /// Whether BSYNC lets go whom it holds as early as it may: when each lane that it waits for has yielded once (C11), and one by one those
    /// that stay where others leave a barrier by BREAK (C9).
    pub early: bool,
}

impl Order {
    /// How many interleavings differ by more than a seed.
    pub const NAMED: u32 = 6;

    /// The first of the interleavings that hold lanes back at a position each.
    pub const HELD: u32 = 1 << 24;

    /// The number of the interleaving in which lanes that come to a position wait there until no others can run. Groups take turns nowhere else.
    pub fn holding(position: u64) -> u32 {
        Order::HELD + u32::try_from(position).unwrap_or(0) % Order::HELD
    }

    /// Interleaving number `n`: 0 to 5 are fixed, the others random with seed `n`, up to those that hold lanes back ([`Order::holding`]).
    pub fn numbered(n: u32) -> Order {
        use {GroupPolicy as G, WarpPolicy as W};
        let seed = u64::from(n);
        let (warps, groups, merge, loses) = match n {
            0 => (W::Ascending, G::LowestFirst, true, false),
            1 => (W::Descending, G::HighestFirst, false, false),
            2 => (W::RunAscending, G::RunLowest, false, false),
            3 => (W::RunDescending, G::RunHighest, true, true),
            4 => (W::Ascending, G::RunHighest, false, false),
            5 => (W::Random(5), G::HighestFirst, true, true),
            _ if n >= Order::HELD => (W::Ascending, G::HoldBack(u64::from(n - Order::HELD)), false, false),
            _ => (W::Random(seed), G::Random(seed), n.is_multiple_of(2), n.is_multiple_of(3)),
        };
        // In the others lanes are together wherever barriers bring them together. Among these is one in which groups do not merge.
        Order { warps, groups, merge, loses, early: loses || n == 1 }
    }
}

/// Seeded draws (splitmix64): the source of everything random, free or undefined here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws(u64);

impl Draws {
    /// Draws from a seed.
    pub fn new(seed: u64) -> Draws {
        Draws(seed)
    }

    /// The next draw.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A draw below `n`, which is not zero.
    pub fn below(&mut self, n: u64) -> u64 {
        self.draw() % n
    }
}

/// A group that can run: where it stands and its lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Position in program order.
    pub position: u64,
    /// Lanes.
    pub lanes: u32,
}

/// Picks groups within one warp by a [`GroupPolicy`], and starves none for ever: after [`Picker::PATIENCE`] picks in which
/// others could have run, one of the others gets [`Picker::TURN`] picks.
#[derive(Clone, Debug)]
pub struct Picker {
    policy: GroupPolicy,
    draws: Draws,
    current: u32,
    contested: u32,
    turn: u32,
    /// The lane whose group had the last such turn.
    last: u32,
    /// Where the group that runs was last seen.
    position: u64,
}

impl Picker {
    /// Picks with a choice before another group gets its turn.
    pub const PATIENCE: u32 = 2_000;
    /// Picks that such a turn lasts.
    pub const TURN: u32 = 200;

    /// A picker for warp number `warp` of the launch.
    pub fn new(policy: GroupPolicy, warp: u64) -> Picker {
        let seed = if let GroupPolicy::Random(seed) = policy { seed } else { 0 };
        Picker {
            policy,
            draws: Draws::new(hash(seed, &[warp])),
            current: 0,
            contested: 0,
            turn: 0,
            last: 31,
            position: 0,
        }
    }

    /// The same where those at a position are held back. Where others run for long, those have a turn when the group that runs goes backwards: it has branched there.
    fn hold_back(&mut self, candidates: &[Candidate], at: u64) -> usize {
        let current = candidates.iter().position(|c| c.lanes & self.current != 0);
        self.contested += 1;
        let back = current.is_some_and(|i| candidates[i].position < self.position);
        let gives_way = self.contested >= Self::PATIENCE && back;
        let goes_on = current.filter(|&i| !gives_way && candidates[i].position != at);
        let free = |i: &usize| candidates[*i].position != at;
        let held = |i: &usize| Some(*i) != current;
        let i = match goes_on {
            Some(i) => i,
            None if gives_way => (0..candidates.len()).find(held).unwrap_or(0),
            None => {
                (0..candidates.len()).find(free).or_else(|| (0..candidates.len()).find(held)).unwrap_or(0)
            }
        };
        if gives_way {
            self.contested = 0;
        }
        (self.current, self.position) = (candidates[i].lanes, candidates[i].position);
        i
    }

    /// Index of the candidate that runs next. `candidates` is not empty.
    pub fn pick(&mut self, candidates: &[Candidate]) -> usize {
        if candidates.len() == 1 {
            self.current = candidates[0].lanes;
            return 0;
        }
        if let GroupPolicy::HoldBack(at) = self.policy {
            return self.hold_back(candidates, at);
        }
        self.contested += 1;
        if self.turn > 0 {
            self.turn -= 1;
            if let Some(i) = candidates.iter().position(|c| c.lanes & self.current != 0) {
                self.current = candidates[i].lanes;
                return i;
            }
        } else if self.contested >= Self::PATIENCE {
            self.contested = 0;
            self.turn = Self::TURN;
            // The next lane above the one that had the last turn, so that every group has its turn in time: the group that the policy prefers may
            // always be the same.
            let above = self.last;
            let key = |c: &Candidate| (c.lanes.trailing_zeros() + 31 - above) % 32;
            let others = (0..candidates.len()).filter(|&i| candidates[i].lanes & self.current == 0);
            let i = others.min_by_key(|&i| key(&candidates[i])).unwrap_or(0);
            self.current = candidates[i].lanes;
            self.last = self.current.trailing_zeros().min(31);
            return i;
        }
        let lowest = |of: &mut dyn Iterator<Item = usize>| {
            of.min_by_key(|&i| (candidates[i].position, candidates[i].lanes.trailing_zeros())).unwrap_or(0)
        };
        let highest = |of: &mut dyn Iterator<Item = usize>| {
            of.max_by_key(|&i| (candidates[i].position, candidates[i].lanes.trailing_zeros())).unwrap_or(0)
        };
        let all = 0..candidates.len();
        let kept: Vec<usize> = match self.policy {
            GroupPolicy::RunLowest | GroupPolicy::RunHighest => {
                all.clone().filter(|&i| candidates[i].lanes & self.current != 0).collect()
            }
            _ => Vec::new(),
        };
        let among: Vec<usize> = if kept.is_empty() { all.collect() } else { kept };
        let i = match self.policy {
            GroupPolicy::LowestFirst | GroupPolicy::RunLowest => lowest(&mut among.into_iter()),
            GroupPolicy::HighestFirst | GroupPolicy::RunHighest => highest(&mut among.into_iter()),
            GroupPolicy::HoldBack(_) | GroupPolicy::Random(_) => {
                self.draws.below(candidates.len() as u64) as usize
            }
        };
        self.current = candidates[i].lanes;
        i
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_orders_differ() {
        let all: Vec<Order> = (0..Order::NAMED).map(Order::numbered).collect();
        for (i, a) in all.iter().enumerate() {
            assert!(all[i + 1..].iter().all(|b| a != b), "{a:?}");
        }
    }

    #[test]
    fn nobody_starves() {
        let two = [Candidate { position: 1, lanes: 0xffff }, Candidate { position: 9, lanes: 0xffff_0000 }];
        for n in 0..10 {
            let mut picker = Picker::new(Order::numbered(n).groups, 0);
            let mut seen = [0u32; 2];
            for _ in 0..10_000 {
                seen[picker.pick(&two)] += 1;
            }
            assert!(seen[0] > 100 && seen[1] > 100, "order {n}: {seen:?}");
        }
    }

    /// The group that is preferred has the same lanes each time, and of the others each has its turn.
    #[test]
    fn each_of_several_groups_has_its_turn() {
        let all: Vec<Candidate> =
            (0..5u32).map(|n| Candidate { position: u64::from(n), lanes: 1 << (7 * n) }).collect();
        for n in 0..10 {
            let mut picker = Picker::new(Order::numbered(n).groups, 0);
            let mut seen = [0u32; 5];
            for _ in 0..40_000 {
                seen[picker.pick(&all)] += 1;
            }
            assert!(seen.iter().all(|&n| n > 100), "order {n}: {seen:?}");
        }
    }

    #[test]
    fn who_is_held_back_runs_when_no_others_can() {
        let mut picker = Picker::new(Order::numbered(Order::holding(5)).groups, 0);
        let at = |position, lanes| Candidate { position, lanes };
        assert_eq!(picker.pick(&[at(5, 1), at(7, 2)]), 1);
        assert_eq!(picker.pick(&[at(5, 1), at(3, 2)]), 1, "also behind others");
        assert_eq!(picker.pick(&[at(5, 1), at(5, 2)]), 0, "of two that are held one goes on");
        assert_eq!(picker.pick(&[at(6, 1), at(5, 2)]), 0);
        assert_eq!(picker.pick(&[at(5, 2)]), 0);
        // A group that goes round and round gives way.
        let mut seen = 0;
        for turn in 0..10_000u64 {
            seen += u32::from(picker.pick(&[at(5, 2), at(7 + turn % 3, 1)]) == 0);
        }
        assert!(seen > 0, "nobody starves");
    }

    #[test]
    fn a_run_sticks_to_its_lanes() {
        let mut picker = Picker::new(GroupPolicy::RunHighest, 0);
        let at = |position, lanes| Candidate { position, lanes };
        assert_eq!(picker.pick(&[at(3, 1), at(7, 2)]), 1);
        assert_eq!(picker.pick(&[at(3, 1), at(1, 2)]), 1);
        assert_eq!(picker.pick(&[at(3, 1)]), 0);
    }
}
