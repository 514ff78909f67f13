//! Proposes that a block's hottest successor follow it, and keeps what that makes cheaper, if all of it saves enough.
//!
//! Blocks are asked by frequency, and again until nothing changes. A proposal moves the successor, with the blocks that follow it in
//! one run, behind the block, and is taken back where it costs more taken branches. At the end the whole order's cost
//! ([`Cost`]) is compared with the given one's.

use crate::{Cost, Flow, Kind, Knobs, Node};
use sassafras_graph::ControlFlow;

/// When proposals are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Force {
    /// Where frequencies were counted.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Force {
    /// 0 is [`Force::Auto`], 1 [`Force::Always`], every other number [`Force::Never`].
    pub fn from_number(number: i64) -> Force {
        match number {
            0 => Force::Auto,
            1 => Force::Always,
            _ => Force::Never,
        }
    }
}

/// Rounds at most; each changes something.
const ROUNDS: usize = 16;
/// The longest run that is moved.
const RUN: usize = 64;

/// Makes proposals for one flow. It keeps nothing from one order to the next.
#[derive(Clone, Debug)]
pub struct Evaluator<'a> {
    flow: &'a Flow,
    cost: Cost<'a>,
    force: Force,
    threshold: f64,
    limit: usize,
}

impl<'a> Evaluator<'a> {
    /// For the chip with this index ([`crate::chip_index`]).
    pub fn new(flow: &'a Flow, knobs: &Knobs, chip: u32) -> Evaluator<'a> {
        Evaluator {
            flow,
            cost: Cost::new(flow, knobs, chip),
            force: Force::from_number(knobs.evaluate_force),
            threshold: knobs.evaluate_threshold,
            limit: knobs.evaluate_limit,
        }
    }

    /// Whether it proposes anything at all: for more than three blocks, and not too many.
    pub fn is_active(&self) -> bool {
        let wanted = match self.force {
            Force::Auto => self.flow.profile(),
            Force::Always => true,
            Force::Never => false,
        };
        wanted && self.flow.len() > 3 && self.flow.len() <= self.limit
    }

    /// The cost that it compares.
    pub fn cost(&self, order: &[Node]) -> f64 {
        self.cost.of(order)
    }

    /// Whether another order saves enough. Register allocation asks this of a block that it would split.
    pub fn accepts(&self, order: &[Node], other: &[Node]) -> bool {
        self.cost(order) - self.cost(other) > self.threshold
    }

    /// Another order that saves more than the threshold; `None` if there is none, or if nothing is proposed.
    pub fn propose(&self, order: &[Node]) -> Option<Vec<Node>> {
        if order.is_empty() || !self.is_active() {
            return None;
        }
        let mut list = List::new(self.flow, order);
        let mut hottest: Vec<Node> = order.to_vec();
        let frequency = |node: &Node| self.flow.block(*node).frequency;
        hottest.sort_by(|a, b| frequency(b).total_cmp(&frequency(a)).then(a.cmp(b)));
        for _ in 0..ROUNDS {
            let changed = hottest.iter().filter(|&&node| list.propose(node)).count();
            if changed == 0 {
                break;
            }
        }
        let other = list.order();
        // The places that differ are what the answer is about: none is no proposal.
        let moved = order.iter().zip(&other).any(|(a, b)| a != b);
        (moved && self.accepts(order, &other)).then_some(other)
    }
}

/// An order as a list, so that a move takes no time in its length.
struct List<'a> {
    flow: &'a Flow,
    next: Vec<Option<Node>>,
    prev: Vec<Option<Node>>,
}

impl<'a> List<'a> {
    fn new(flow: &'a Flow, order: &[Node]) -> List<'a> {
        let mut list = List { flow, next: vec![None; flow.len()], prev: vec![None; flow.len()] };
        order.windows(2).for_each(|pair| list.link(Some(pair[0]), Some(pair[1])));
        list
    }

    fn link(&mut self, front: Option<Node>, back: Option<Node>) {
        if let Some(front) = front {
            self.next[front.0 as usize] = back;
        }
        if let Some(back) = back {
            self.prev[back.0 as usize] = front;
        }
    }

    fn falls(&self, front: Option<Node>, back: Option<Node>) -> f64 {
        let (Some(front), Some(back)) = (front, back) else { return 0.0 };
        let edge = self.flow.outgoing(front).find(|edge| edge.to == back && edge.kind != Kind::Indirect);
        edge.map_or(0.0, |edge| edge.frequency)
    }

    fn propose(&mut self, node: Node) -> bool {
        if self.flow.bound(node).is_some() {
            return false;
        }
        let ways = self.flow.outgoing(node).filter(|edge| {
            edge.kind != Kind::Indirect
                && edge.to != self.flow.entry()
                && edge.to != node
                && !self.flow.block(edge.to).landing
        });
        let mut hot: Option<(f64, Node)> = None;
        for edge in ways {
            if hot.is_none_or(|(most, _)| edge.frequency > most) {
                hot = Some((edge.frequency, edge.to));
            }
        }
        let Some((_, first)) = hot else { return false };
        let behind = self.next[node.0 as usize];
        let before = self.prev[first.0 as usize];
        if behind == Some(first) || before.is_some_and(|before| self.flow.bound(before).is_some()) {
            return false;
        }
        // The run from there on: as long as control falls through.
        let mut last = first;
        for _ in 0..RUN {
            if last == node {
                return false;
            }
            let next = self.next[last.0 as usize];
            if self.falls(Some(last), next) == 0.0 && self.flow.bound(last).is_none() {
                break;
            }
            let Some(next) = next else { break };
            last = next;
        }
        if last == node || self.flow.bound(last).is_some() {
            return false;
        }
        let after = self.next[last.0 as usize];
        let now =
            self.falls(Some(node), behind) + self.falls(before, Some(first)) + self.falls(Some(last), after);
        let then =
            self.falls(Some(node), Some(first)) + self.falls(Some(last), behind) + self.falls(before, after);
        if then <= now + 1e-9 {
            return false;
        }
        self.link(before, after);
        self.link(Some(node), Some(first));
        self.link(Some(last), behind);
        true
    }

    fn order(&self) -> Vec<Node> {
        let mut order = Vec::with_capacity(self.flow.len());
        let mut at = Some(self.flow.entry());
        while let Some(node) = at {
            order.push(node);
            at = self.next[node.0 as usize];
        }
        order
    }
}
