//! Chains merged by what that gains in score (Newell and Pupyrev 2018).
//!
//! Every block begins as a chain of its own. The pair of chains whose merging gains most is merged, one behind the other or one
//! within the other, until nothing gains. What then is left stands by density, executions for each byte.
//!
//! Gains are kept in a heap, and asked anew for the neighbours of what was merged. Chains beyond a size no longer grow; parting a
//! chain everywhere is limited by a number of steps in the blocks of the flow, beyond which chains are split at their branches only: time is near-linear.

use crate::{Constraint, Flow, Knobs, Node, Scorer};
use sassafras_graph::ControlFlow;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A gain that is one.
const LEAST: f64 = 1e-8;
/// Steps of parting chains everywhere: so many, and so many for each block.
const STEPS: u64 = 2_000_000;
const STEPS_PER_BLOCK: u64 = 2_000;

/// The order of all blocks by merged chains, the entry first. Where cold blocks have to be last, chains are cold or not.
pub fn ext_tsp(flow: &Flow, knobs: &Knobs, scorer: &Scorer, constraint: Constraint) -> Vec<Node> {
    if flow.is_empty() {
        return Vec::new();
    }
    let mut merger = Merger::new(flow, knobs, scorer, constraint);
    merger.forced();
    merger.merge_all();
    merger.finish()
}

/// How two chains become one: which parts follow each other. `Split` numbers count blocks of the first chain.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Shape {
    /// X Y.
    Behind,
    /// X1 Y X2.
    Within(usize),
    /// Y X2 X1.
    Before(usize),
    /// X2 X1 Y.
    Turned(usize),
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Candidate {
    gain: f64,
    first: u32,
    second: u32,
    shape: Shape,
    versions: (u32, u32),
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        let names = |c: &Candidate| Reverse((c.first, c.second));
        self.gain.total_cmp(&other.gain).then_with(|| names(self).cmp(&names(other)))
    }
}

struct Merger<'a> {
    flow: &'a Flow,
    knobs: &'a Knobs,
    scorer: &'a Scorer,
    constraint: Constraint,
    chains: Vec<Vec<Node>>,
    of: Vec<u32>,
    /// By block: its place in its chain, and its address in it.
    place: Vec<u32>,
    addresses: Vec<u64>,
    /// By chain: its bytes, executions for each byte, and edges within it, by their first ends.
    bytes: Vec<u64>,
    density: Vec<f64>,
    inner: Vec<Vec<Inner>>,
    /// By chain: its neighbours, and the edges to them.
    near: Vec<Vec<(u32, Vec<u32>)>>,
    version: Vec<u32>,
    steps: u64,
}

/// An edge within a chain: the places of its ends, the lower one first, and what it is worth as the chain stands.
#[derive(Clone, Copy, Debug)]
struct Inner {
    low: u32,
    high: u32,
    edge: u32,
    worth: f64,
}

impl<'a> Merger<'a> {
    fn new(flow: &'a Flow, knobs: &'a Knobs, scorer: &'a Scorer, constraint: Constraint) -> Merger<'a> {
        let count = flow.len();
        let mut merger = Merger {
            flow,
            knobs,
            scorer,
            constraint,
            chains: flow.nodes().map(|node| vec![node]).collect(),
            of: (0..count as u32).collect(),
            place: vec![0; count],
            addresses: vec![0; count],
            bytes: flow.nodes().map(|node| flow.block(node).size).collect(),
            density: flow.nodes().map(|node| density(flow, &[node])).collect(),
            inner: vec![Vec::new(); count],
            near: vec![Vec::new(); count],
            version: vec![0; count],
            steps: STEPS + STEPS_PER_BLOCK * count as u64,
        };
        for edge in 0..scorer.edge_count() as u32 {
            let (from, to) = scorer.ends(edge);
            for (here, there) in [(from, to), (to, from)] {
                let list = &mut merger.near[here as usize];
                match list.iter_mut().find(|(other, _)| *other == there) {
                    Some((_, edges)) => edges.push(edge),
                    None => list.push((there, vec![edge])),
                }
            }
        }
        merger
    }

    /// Joins what has to stand together, and blocks that have nothing else before and behind them.
    fn forced(&mut self) {
        let entry = self.flow.entry();
        for node in self.flow.nodes() {
            let only = || {
                let mut ways = self.flow.outgoing(node);
                let edge = ways.next().filter(|_| ways.next().is_none())?;
                let lonely = self.flow.incoming(edge.to).nth(1).is_none();
                let falls = edge.kind != crate::Kind::Indirect && !self.flow.block(edge.to).landing;
                let alike = self.is_last(node) == self.is_last(edge.to);
                (lonely && falls && alike && edge.to != entry && edge.to != node).then_some(edge.to)
            };
            let Some(next) = self.flow.bound(node).or_else(only) else { continue };
            let (front, back) = (self.of[node.0 as usize], self.of[next.0 as usize]);
            let meets = self.chains[front as usize].last() == Some(&node)
                && self.chains[back as usize].first() == Some(&next);
            if front != back && meets {
                self.apply(front, back, Shape::Behind);
            }
        }
    }

    fn is_last(&self, node: Node) -> bool {
        self.constraint.is_last(self.flow, node)
    }

    fn merge_all(&mut self) {
        let mut heap = BinaryHeap::new();
        for first in 0..self.chains.len() as u32 {
            for at in 0..self.near[first as usize].len() {
                let second = self.near[first as usize][at].0;
                if first < second {
                    heap.extend(self.best(first, second));
                }
            }
        }
        while let Some(candidate) = heap.pop() {
            let Candidate { first, second, versions, .. } = candidate;
            if versions != (self.version[first as usize], self.version[second as usize]) {
                continue;
            }
            self.apply(first, second, candidate.shape);
            let near: Vec<u32> = self.near[first as usize].iter().map(|(other, _)| *other).collect();
            for other in near {
                heap.extend(self.best(first.min(other), first.max(other)));
            }
        }
    }

    /// The best way to merge two chains, whichever comes first.
    fn best(&mut self, a: u32, b: u32) -> Option<Candidate> {
        let (x, y) = (a as usize, b as usize);
        if self.chains[x].len() + self.chains[y].len() > self.knobs.chain_size.max(2) {
            return None;
        }
        let (head, other) = (self.chains[x][0], self.chains[y][0]);
        if self.is_last(head) != self.is_last(other) {
            return None;
        }
        let (dense, thin) = (self.density[x], self.density[y]);
        let (dense, thin) = if dense < thin { (thin, dense) } else { (dense, thin) };
        // A chain that is never run joins none that is run.
        if dense > 0.0 && (thin == 0.0 || dense / thin > self.knobs.density_ratio) {
            return None;
        }
        let edges = self.near[x].iter().position(|(other, _)| *other == b)?;
        let edges = std::mem::take(&mut self.near[x][edges].1);
        let one = self.directed(a, b, &edges);
        let two = self.directed(b, a, &edges);
        if let Some(slot) = self.near[x].iter_mut().find(|(other, _)| *other == b) {
            slot.1 = edges;
        }
        match (one, two) {
            (Some(one), Some(two)) => Some(if two.gain > one.gain + LEAST { two } else { one }),
            (one, two) => one.or(two),
        }
    }

    fn directed(&mut self, first: u32, second: u32, edges: &[u32]) -> Option<Candidate> {
        let entry = self.flow.entry();
        let (x, y) = (first as usize, second as usize);
        if self.chains[y][0] == entry {
            return None;
        }
        let has_entry = self.chains[x][0] == entry;
        let mut best: Option<(f64, Shape)> = None;
        let mut offer = |gain: f64, shape: Shape| {
            if gain > LEAST && best.is_none_or(|(most, _)| gain > most + LEAST) {
                best = Some((gain, shape));
            }
        };
        // The second chain stays whole; so does the first, if the second stands behind it.
        offer(self.between(x, y, edges, Shape::Behind), Shape::Behind);
        let length = self.chains[x].len();
        let mut places = Vec::new();
        if length <= self.knobs.chain_split {
            let step = (length + self.chains[y].len()) as u64;
            let wanted = 3 * length as u64 * step;
            if self.steps >= wanted {
                self.steps -= wanted;
                places.extend(1..length);
            }
        }
        if places.is_empty() && length > 1 {
            for &edge in edges {
                let (from, to) = self.scorer.ends(edge);
                let here = |node: u32| self.place[node as usize] as usize;
                // Behind the source of a branch into the other chain, or in front of its target.
                let at = if self.of[from as usize] == first { here(from) + 1 } else { here(to) };
                places.extend(Some(at).filter(|&at| at > 0 && at < length));
            }
            places.sort_unstable();
            places.dedup();
        }
        // Of the edges within the first chain those are worth something else that lead over the split.
        let mut inner = self.inner[x].iter().peekable();
        let mut over: Vec<Inner> = Vec::new();
        for at in places {
            while let Some(edge) = inner.next_if(|edge| (edge.low as usize) < at) {
                over.push(*edge);
            }
            over.retain(|edge| edge.high as usize >= at);
            if self.flow.bound(self.chains[x][at - 1]).is_some() {
                continue;
            }
            let shapes = [Shape::Within(at), Shape::Before(at), Shape::Turned(at)];
            for shape in shapes.into_iter().take(if has_entry { 1 } else { 3 }) {
                let own: f64 = over.iter().map(|edge| self.within(x, y, edge.edge, shape) - edge.worth).sum();
                offer(own + self.between(x, y, edges, shape), shape);
            }
        }
        let (gain, shape) = best?;
        let versions = (self.version[x], self.version[y]);
        Some(Candidate { gain, first, second, shape, versions })
    }

    /// What edges between two chains are worth when they are merged in this shape.
    fn between(&self, x: usize, y: usize, edges: &[u32], shape: Shape) -> f64 {
        let address = |node: u32| self.address(x, y, shape, node);
        let worth = |&edge: &u32| {
            let (from, to) = self.scorer.ends(edge);
            self.scorer.between(edge, address(from), address(to))
        };
        edges.iter().map(worth).sum()
    }

    /// The same of an edge within the first of them.
    fn within(&self, x: usize, y: usize, edge: u32, shape: Shape) -> f64 {
        let (from, to) = self.scorer.ends(edge);
        self.scorer.between(edge, self.address(x, y, shape, from), self.address(x, y, shape, to))
    }

    /// The address of a block of either chain when they are merged in this shape.
    fn address(&self, x: usize, y: usize, shape: Shape, node: u32) -> u64 {
        let own = self.addresses[node as usize];
        let (first, second) = (self.bytes[x], self.bytes[y]);
        let in_first = self.of[node as usize] as usize == x;
        // Bytes in front of the split, and whether the block stands there.
        let split = |at: usize| self.addresses[self.chains[x][at].0 as usize];
        let in_front = |at: usize| (self.place[node as usize] as usize) < at;
        match shape {
            Shape::Behind if in_first => own,
            Shape::Behind => first + own,
            Shape::Within(at) if !in_first => split(at) + own,
            Shape::Within(at) => own + if in_front(at) { 0 } else { second },
            Shape::Before(_) if !in_first => own,
            Shape::Before(at) if in_front(at) => second + first - split(at) + own,
            Shape::Before(at) => second + own - split(at),
            Shape::Turned(_) if !in_first => first + own,
            Shape::Turned(at) if in_front(at) => first - split(at) + own,
            Shape::Turned(at) => own - split(at),
        }
    }

    fn apply(&mut self, first: u32, second: u32, shape: Shape) {
        let (x, y) = (first as usize, second as usize);
        let merged = parts(&self.chains[x], &self.chains[y], shape).concat();
        self.chains[y] = Vec::new();
        for (place, node) in merged.iter().enumerate() {
            self.of[node.0 as usize] = first;
            self.place[node.0 as usize] = place as u32;
        }
        self.scorer.write_addresses(&merged, 0, &mut self.addresses);
        self.bytes[x] += self.bytes[y];
        self.density[x] = density(self.flow, &merged);
        self.chains[x] = merged;
        self.version[x] += 1;
        self.version[y] += 1;
        let mut inner: Vec<u32> = self.inner[x].iter().chain(&self.inner[y]).map(|edge| edge.edge).collect();
        self.inner[y] = Vec::new();
        for (other, edges) in std::mem::take(&mut self.near[y]) {
            if other == first {
                inner.extend(edges);
                continue;
            }
            let list = &mut self.near[other as usize];
            list.retain(|(chain, _)| *chain != second);
            for (here, there) in [(first, other), (other, first)] {
                let list = &mut self.near[here as usize];
                match list.iter_mut().find(|(chain, _)| *chain == there) {
                    Some((_, known)) => known.extend(&edges),
                    None => list.push((there, edges.clone())),
                }
            }
        }
        self.near[x].retain(|(chain, _)| *chain != second);
        let stands = |edge: u32| {
            let (from, to) = self.scorer.ends(edge);
            let (from, to) = (self.place[from as usize], self.place[to as usize]);
            let worth = self.scorer.at(edge, &self.addresses);
            Inner { low: from.min(to), high: from.max(to), edge, worth }
        };
        let mut inner: Vec<Inner> = inner.into_iter().map(stands).collect();
        inner.sort_unstable_by_key(|edge| (edge.low, edge.edge));
        self.inner[x] = inner;
    }

    /// Chains by density, the entry's first, those of blocks that belong to the end last.
    fn finish(self) -> Vec<Node> {
        let entry = self.flow.entry();
        let mut chains: Vec<u32> =
            (0..self.chains.len() as u32).filter(|&chain| !self.chains[chain as usize].is_empty()).collect();
        let keys: Vec<(bool, bool, f64, Node)> = (0..self.chains.len() as u32)
            .map(|chain| match self.chains[chain as usize].first() {
                Some(&head) => (head != entry, self.is_last(head), -self.density[chain as usize], head),
                None => (true, true, 0.0, Node(chain)),
            })
            .collect();
        chains.sort_by(|&a, &b| {
            let (a, b) = (&keys[a as usize], &keys[b as usize]);
            (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)).then(a.3.cmp(&b.3))
        });
        chains.into_iter().flat_map(|chain| self.chains[chain as usize].clone()).collect()
    }
}

/// Executions for each byte of the blocks of a chain.
fn density(flow: &Flow, chain: &[Node]) -> f64 {
    let size: u64 = chain.iter().map(|node| flow.block(*node).size).sum();
    let count: f64 = chain.iter().map(|node| flow.block(*node).frequency).sum();
    count / size.max(1) as f64
}

/// The parts of two chains in the order of a shape.
fn parts<'a>(first: &'a [Node], second: &'a [Node], shape: Shape) -> [&'a [Node]; 3] {
    match shape {
        Shape::Behind => [first, second, &[]],
        Shape::Within(at) => [&first[..at], second, &first[at..]],
        Shape::Before(at) => [second, &first[at..], &first[..at]],
        Shape::Turned(at) => [&first[at..], &first[..at], second],
    }
}
