//! The ext-TSP score: what an order is worth, more being better.
//!
//! A fall-through is worth its frequency; a short branch a tenth of it, less the longer it is, nothing beyond a distance
//! (Newell and Pupyrev 2018; weights and distances are LLVM 19's documented defaults, and knobs). An edge from a block to itself counts as a
//! branch back over the block.

use crate::{Flow, Knobs, Node};

#[derive(Clone, Copy, Debug)]
struct Weighed {
    from: u32,
    to: u32,
    fall: f64,
    forward: f64,
    backward: f64,
}

/// Scores orders of one flow.
#[derive(Clone, Debug)]
pub struct Scorer {
    sizes: Vec<u64>,
    edges: Vec<Weighed>,
    /// By block: its edges, each named at both of its ends, those from a block to itself not at all.
    incident: Vec<Vec<u32>>,
    forward_distance: u64,
    backward_distance: u64,
    /// What edges from a block to itself are worth in every order.
    own: f64,
}

impl Scorer {
    /// A scorer with these weights.
    pub fn new(flow: &Flow, knobs: &Knobs) -> Scorer {
        let (forward_distance, backward_distance) =
            (knobs.forward_distance.max(1), knobs.backward_distance.max(1));
        let mut scorer = Scorer {
            sizes: flow.nodes().map(|node| flow.block(node).size).collect(),
            edges: Vec::new(),
            incident: vec![Vec::new(); flow.len()],
            forward_distance,
            backward_distance,
            own: 0.0,
        };
        for edge in flow.edges() {
            let conditional = flow.edge_numbers(edge.from).len() > 1;
            let pick = |yes: f64, no: f64| edge.frequency * if conditional { yes } else { no };
            let weighed = Weighed {
                from: edge.from.0,
                to: edge.to.0,
                fall: pick(knobs.fall_conditional, knobs.fall_unconditional),
                forward: pick(knobs.forward_conditional, knobs.forward_unconditional),
                backward: pick(knobs.backward_conditional, knobs.backward_unconditional),
            };
            if edge.from == edge.to {
                let size = scorer.sizes[edge.from.0 as usize];
                scorer.own += scorer.worth(&weighed, 0, 0, size);
            } else {
                let at = scorer.edges.len() as u32;
                scorer.incident[edge.from.0 as usize].push(at);
                scorer.incident[edge.to.0 as usize].push(at);
                scorer.edges.push(weighed);
            }
        }
        scorer
    }

    /// What an edge is worth, from a block at one address to another.
    #[inline]
    fn worth(&self, edge: &Weighed, from: u64, to: u64, size: u64) -> f64 {
        let end = from + size;
        if end == to {
            edge.fall
        } else if end < to {
            let distance = to - end;
            if distance >= self.forward_distance {
                return 0.0;
            }
            edge.forward * (1.0 - distance as f64 / self.forward_distance as f64)
        } else {
            let distance = end - to;
            if distance >= self.backward_distance {
                return 0.0;
            }
            edge.backward * (1.0 - distance as f64 / self.backward_distance as f64)
        }
    }

    /// The score of an order of all blocks.
    pub fn score(&self, order: &[Node]) -> f64 {
        let addresses = self.addresses(order);
        let numbers = 0..self.edges.len() as u32;
        self.own + numbers.map(|edge| self.at(edge, &addresses)).sum::<f64>()
    }

    /// The address of each block in an order of all blocks.
    pub(crate) fn addresses(&self, order: &[Node]) -> Vec<u64> {
        let mut addresses = vec![0; self.sizes.len()];
        self.write_addresses(order, 0, &mut addresses);
        addresses
    }

    /// Writes the addresses of blocks that follow each other; gives the end.
    pub(crate) fn write_addresses(&self, order: &[Node], start: u64, addresses: &mut [u64]) -> u64 {
        order.iter().fold(start, |at, node| {
            addresses[node.0 as usize] = at;
            at + self.sizes[node.0 as usize]
        })
    }

    /// What an edge is worth at these addresses.
    #[inline]
    pub(crate) fn at(&self, edge: u32, addresses: &[u64]) -> f64 {
        let edge = &self.edges[edge as usize];
        let (from, to) = (edge.from as usize, edge.to as usize);
        self.worth(edge, addresses[from], addresses[to], self.sizes[from])
    }

    /// What an edge is worth with its ends at two addresses.
    #[inline]
    pub(crate) fn between(&self, edge: u32, from: u64, to: u64) -> f64 {
        let edge = &self.edges[edge as usize];
        self.worth(edge, from, to, self.sizes[edge.from as usize])
    }

    /// What an edge is worth if it falls through, if it branches ahead over `over` bytes, and if it branches back
    /// over as many, its own block included.
    pub(crate) fn limits(&self, edge: u32, ahead: u64, back: u64) -> (f64, f64, f64) {
        let edge = &self.edges[edge as usize];
        let short = |weight: f64, distance: u64, most: u64| {
            if distance >= most { 0.0 } else { weight * (1.0 - distance as f64 / most as f64) }
        };
        (
            edge.fall,
            short(edge.forward, ahead, self.forward_distance),
            short(edge.backward, back, self.backward_distance),
        )
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.edges.len()
    }
    pub(crate) fn ends(&self, edge: u32) -> (u32, u32) {
        let edge = &self.edges[edge as usize];
        (edge.from, edge.to)
    }
    /// What an edge is worth as a fall-through.
    pub(crate) fn fall(&self, edge: u32) -> f64 {
        self.edges[edge as usize].fall
    }
    pub(crate) fn incident(&self, block: u32) -> &[u32] {
        &self.incident[block as usize]
    }
    pub(crate) fn size(&self, block: u32) -> u64 {
        self.sizes[block as usize]
    }
    pub(crate) fn own(&self) -> f64 {
        self.own
    }
}
