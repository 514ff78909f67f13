//! The best order of a small graph: all orders from the entry on, without those that cannot become better than the best one known.
//!
//! What the rest of an order may still score is bounded from above: each edge by its best short branch, and on top of that one
//! fall-through into each block or out of each, whichever bounds more tightly.

use crate::{Constraint, Flow, Node, Scorer};
use sassafras_graph::ControlFlow;

/// What the search found.
#[derive(Clone, PartialEq, Debug)]
pub struct Exact {
    /// The best order met, the given one included.
    pub order: Vec<Node>,
    /// Its score.
    pub score: f64,
    /// Whether every other order was looked at or bounded, so that none is better.
    pub proved: bool,
    /// Parts of orders looked at.
    pub steps: u64,
}

/// The best order that keeps the constraint; it begins from one that does, and looks at `most` parts of orders at most.
pub fn exact(flow: &Flow, scorer: &Scorer, constraint: Constraint, order: &[Node], most: u64) -> Exact {
    let mut search = Search {
        flow,
        scorer,
        constraint,
        best: (scorer.score(order), order.to_vec()),
        now: Vec::new(),
        address: vec![0; flow.len()],
        placed: vec![false; flow.len()],
        cold: flow.nodes().filter(|&node| constraint.is_last(flow, node)).count(),
        steps: 0,
        most,
    };
    if !flow.is_empty() {
        search.put(flow.entry(), 0);
        search.go(scorer.size(flow.entry().0), scorer.own());
    }
    let (score, order) = search.best;
    Exact { order, score, proved: search.steps <= most, steps: search.steps }
}

struct Search<'a> {
    flow: &'a Flow,
    scorer: &'a Scorer,
    constraint: Constraint,
    best: (f64, Vec<Node>),
    now: Vec<Node>,
    address: Vec<u64>,
    placed: Vec<bool>,
    /// How many blocks have to stand last.
    cold: usize,
    steps: u64,
    most: u64,
}

impl Search<'_> {
    fn put(&mut self, node: Node, address: u64) {
        self.placed[node.0 as usize] = true;
        self.address[node.0 as usize] = address;
        self.now.push(node);
    }

    fn may_follow(&self, last: Node, node: Node) -> bool {
        if let Some(next) = self.flow.bound(last) {
            return next == node;
        }
        // A block that something has to stand in front of comes with it.
        if self.flow.incoming(node).any(|edge| self.flow.bound(edge.from) == Some(node)) {
            return false;
        }
        let warm = self.flow.len() - self.cold;
        self.constraint.is_last(self.flow, node) == (self.now.len() >= warm)
    }

    fn go(&mut self, end: u64, score: f64) {
        self.steps += 1;
        if self.steps > self.most {
            return;
        }
        if self.now.len() == self.flow.len() {
            // Equal scores keep the order that was there.
            if score > self.best.0 + 1e-9
                && (self.constraint != Constraint::Contiguous || self.constraint.holds(self.flow, &self.now))
            {
                self.best = (score, self.now.clone());
            }
            return;
        }
        let Some(&last) = self.now.last() else { return };
        if score + self.bound(last, end) <= self.best.0 + 1e-9 {
            return;
        }
        let mut next: Vec<(f64, Node)> = self
            .flow
            .nodes()
            .filter(|&node| !self.placed[node.0 as usize] && self.may_follow(last, node))
            .map(|node| (self.flow.frequency(last, node), node))
            .collect();
        next.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, node) in next {
            self.put(node, end);
            let edges = self.scorer.incident(node.0).iter().filter(|&&edge| {
                let (from, to) = self.scorer.ends(edge);
                self.placed[from as usize] && self.placed[to as usize]
            });
            let more: f64 = edges.map(|&edge| self.scorer.at(edge, &self.address)).sum();
            self.go(end + self.scorer.size(node.0), score + more);
            self.now.pop();
            self.placed[node.0 as usize] = false;
        }
    }

    /// At least what edges with an end that is not placed can be worth.
    fn bound(&self, last: Node, end: u64) -> f64 {
        let mut sum = 0.0;
        let (mut into, mut out) = (vec![0.0f64; self.flow.len()], vec![0.0f64; self.flow.len()]);
        for edge in 0..self.scorer.edge_count() as u32 {
            let (from, to) = self.scorer.ends(edge);
            let (f, t) = (from as usize, to as usize);
            let size = self.scorer.size(from);
            let falls = |by: f64, into: &mut Vec<f64>, out: &mut Vec<f64>| {
                if by > 0.0 {
                    into[t] = into[t].max(by);
                    out[f] = out[f].max(by);
                }
            };
            sum += match (self.placed[f], self.placed[t]) {
                (true, true) => continue,
                (true, false) => {
                    let (fall, ahead, _) = self.scorer.limits(edge, end - self.address[f] - size, u64::MAX);
                    if from == last.0 {
                        falls(fall - ahead, &mut into, &mut out);
                    }
                    // Behind the last block alone a distance of nothing is a fall-through.
                    ahead
                }
                (false, true) => self.scorer.limits(edge, u64::MAX, end + size - self.address[t]).2,
                (false, false) => {
                    let (fall, ahead, back) = self.scorer.limits(edge, 0, size + self.scorer.size(to));
                    let branch = ahead.max(back);
                    falls(fall - branch, &mut into, &mut out);
                    branch
                }
            };
        }
        sum + into.iter().sum::<f64>().min(out.iter().sum())
    }
}
