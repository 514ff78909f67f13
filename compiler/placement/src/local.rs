//! Better orders by moving parts: two neighbouring parts of an order change places (a 3-opt move that turns nothing around), if that
//! gains score.
//!
//! Only moves are tried that make an edge fall through, or that move a few blocks, and each is weighed by the edges of the
//! blocks that it moves. When none gains, a few random moves lead away from the order, and the search goes on from there, as long as edges are left
//! to weigh: their number is linear in the blocks. Numbers are the same on every machine.

use crate::generate::Random;
use crate::{Constraint, Flow, Node, Scorer};

/// A gain that is one.
const LEAST: f64 = 1e-9;
/// The longest part that is moved for its own sake, and that is tried behind an edge.
const PART: usize = 8;
/// Blocks up to which parts of any length are tried.
const SMALL: usize = 64;
/// Blocks up to which the search goes on from other orders.
const KICKED: usize = 256;
/// The most blocks that a move in a larger order passes over: what lies farther apart than this gains little for much work.
const WINDOW: usize = 256;

/// The best order found from `order`, which keeps the constraint; it weighs about `budget` edges.
pub fn improve(
    flow: &Flow,
    scorer: &Scorer,
    constraint: Constraint,
    order: &[Node],
    budget: u64,
) -> Vec<Node> {
    if order.len() < 3 {
        return order.to_vec();
    }
    let mut search = Search::new(flow, scorer, constraint, order, budget);
    search.descend();
    let mut best = (search.score(), search.order.clone());
    let mut random = Random::new(order.len() as u64);
    let mut local = best.clone();
    while order.len() > 4 && order.len() <= KICKED && search.left > 0 {
        search.kick(&mut random);
        search.descend();
        let score = search.score();
        if score > local.0 + LEAST {
            local = (score, search.order.clone());
        } else {
            search.set(&local.1);
        }
        if score > best.0 + LEAST {
            best = local.clone();
        }
    }
    best.1
}

struct Search<'a> {
    flow: &'a Flow,
    scorer: &'a Scorer,
    constraint: Constraint,
    order: Vec<Node>,
    place: Vec<usize>,
    address: Vec<u64>,
    /// Whether nothing may come between a block, by its place, and the one in front.
    bound: bool,
    left: u64,
}

impl<'a> Search<'a> {
    fn new(
        flow: &'a Flow,
        scorer: &'a Scorer,
        constraint: Constraint,
        order: &[Node],
        budget: u64,
    ) -> Search<'a> {
        let bound = flow.nodes().any(|node| flow.bound(node).is_some());
        let mut search = Search {
            flow,
            scorer,
            constraint,
            order: Vec::new(),
            place: vec![0; order.len()],
            address: Vec::new(),
            bound,
            left: budget,
        };
        search.set(order);
        search
    }

    fn set(&mut self, order: &[Node]) {
        self.order = order.to_vec();
        self.address = self.scorer.addresses(order);
        for (place, node) in order.iter().enumerate() {
            self.place[node.0 as usize] = place;
        }
    }

    fn score(&self) -> f64 {
        self.scorer.score(&self.order)
    }

    /// Whether the parts `[i, j)` and `[j, k)` may change places.
    fn allowed(&self, i: usize, j: usize, k: usize) -> bool {
        if i == 0 || i >= j || j >= k || k > self.order.len() || k - i > WINDOW {
            return false;
        }
        if self.bound && [i, j, k].iter().any(|&at| self.flow.bound(self.order[at - 1]).is_some()) {
            return false;
        }
        match self.constraint {
            Constraint::None | Constraint::Contiguous => true,
            Constraint::ColdLast => {
                self.constraint.is_last(self.flow, self.order[i])
                    == self.constraint.is_last(self.flow, self.order[k - 1])
            }
        }
    }

    /// What the move gains.
    fn gain(&mut self, i: usize, j: usize, k: usize) -> f64 {
        let start = |at: usize| self.address[self.order[at].0 as usize];
        let last = self.order[k - 1].0;
        let end = self.address[last as usize] + self.scorer.size(last);
        let (front, back) = (start(j) - start(i), end - start(j));
        let shifted = |block: u32| {
            let place = self.place[block as usize];
            let at = self.address[block as usize];
            if place < i || place >= k {
                (at, 0)
            } else if place < j {
                (at + back, 1)
            } else {
                (at - front, 2)
            }
        };
        let (mut gain, mut weighed) = (0.0, 0);
        for node in &self.order[i..k] {
            for &edge in self.scorer.incident(node.0) {
                let (from, to) = self.scorer.ends(edge);
                let ((source, part), (target, other)) = (shifted(from), shifted(to));
                // Within a part nothing changes; an edge between both is met twice.
                if part == other || to == node.0 && part != 0 {
                    continue;
                }
                weighed += 1;
                gain += self.scorer.between(edge, source, target) - self.scorer.at(edge, &self.address);
            }
        }
        self.left = self.left.saturating_sub(weighed + 1);
        gain
    }

    fn apply(&mut self, i: usize, j: usize, k: usize) {
        let start = self.address[self.order[i].0 as usize];
        self.order[i..k].rotate_left(j - i);
        self.scorer.write_addresses(&self.order[i..k], start, &mut self.address);
        for place in i..k {
            self.place[self.order[place].0 as usize] = place;
        }
        self.left = self.left.saturating_sub((k - i) as u64 / 4);
    }

    /// Does the move if it gains and the order keeps what it has to.
    fn try_move(&mut self, i: usize, j: usize, k: usize) -> bool {
        if !self.allowed(i, j, k) || self.gain(i, j, k) <= LEAST {
            return false;
        }
        self.apply(i, j, k);
        if self.constraint == Constraint::Contiguous && !self.constraint.holds(self.flow, &self.order) {
            self.apply(i, i + k - j, k);
            return false;
        }
        true
    }

    /// Moves until none gains.
    fn descend(&mut self) {
        let mut again = true;
        while again && self.left > 0 {
            again = false;
            for edge in 0..self.scorer.edge_count() as u32 {
                if self.left == 0 {
                    return;
                }
                again |= self.fall_through(edge);
            }
            if self.order.len() <= SMALL {
                again |= self.any();
            }
        }
    }

    /// Makes an edge fall through, if that gains.
    fn fall_through(&mut self, edge: u32) -> bool {
        let (from, to) = self.scorer.ends(edge);
        let (from, to) = (self.place[from as usize], self.place[to as usize]);
        if from + 1 == to || to == 0 || self.scorer.fall(edge) == 0.0 {
            return false;
        }
        let reach = if self.order.len() <= SMALL { self.order.len() } else { PART };
        if from < to {
            // The target and what follows it, behind the source; or the source and what is in front of it, before the target.
            (to + 1..=(to + reach).min(self.order.len())).any(|k| self.try_move(from + 1, to, k))
                || (from.saturating_sub(reach)..=from).rev().any(|i| self.try_move(i, from + 1, to))
        } else {
            // The source is behind its target: what lies between is split somewhere.
            let near = (to + 1..=(to + reach).min(from)).chain((from.saturating_sub(reach)..=from).rev());
            near.into_iter().any(|j| self.try_move(to, j, from + 1))
        }
    }

    /// Moves of short parts to anywhere.
    fn any(&mut self) -> bool {
        let count = self.order.len();
        for length in 1..=PART.min(count.saturating_sub(2)) {
            for i in 1..count - length {
                if self.left == 0 {
                    return false;
                }
                for k in i + length + 1..=count {
                    if self.try_move(i, i + length, k) || self.try_move(i, k - length, k) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Two moves at random.
    fn kick(&mut self, random: &mut Random) {
        for _ in 0..2 {
            let count = self.order.len() as u64;
            let mut at: Vec<usize> = (0..3).map(|_| 1 + random.below(count) as usize).collect();
            at.sort_unstable();
            if self.order.len() > SMALL {
                // In a large order a move over everything costs much and is undone: it stays near.
                at[1] = at[1].min(at[0] + 2 * PART);
                at[2] = at[2].min(at[1] + 2 * PART);
            }
            if self.allowed(at[0], at[1], at[2]) {
                self.apply(at[0], at[1], at[2]);
                if self.constraint == Constraint::Contiguous && !self.constraint.holds(self.flow, &self.order)
                {
                    self.apply(at[0], at[0] + at[2] - at[1], at[2]);
                }
            }
        }
        self.left = self.left.saturating_sub(16);
    }
}
