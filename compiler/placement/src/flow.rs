//! What is placed.

use sassafras_graph::{ControlFlow, PrimaryMap};

sassafras_graph::entity!(Node, "block", "A block of a [`Flow`]; numbers are the order of the source.");

/// One block.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Block {
    /// Bytes of code.
    pub size: u64,
    /// How often it is run, in the unit of the entry's frequency.
    pub frequency: f64,
    /// Seldom run, whatever its frequency says: it leads to a trap, or a hint says so.
    pub cold: bool,
    /// Entered by the machine alone, so that nothing may fall into it.
    pub landing: bool,
    /// Its end cannot be rewritten: what it falls into has to stay behind it.
    pub fixed: bool,
    /// Lanes part at its end.
    pub divergent: bool,
    /// The innermost structured region that it lies in: an index of the flow's regions.
    pub region: Option<u32>,
}

/// How control goes from one block to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// By going on: in the source the target stands behind its source.
    FallThrough,
    /// By a branch on a condition.
    Conditional,
    /// By a branch without one.
    Unconditional,
    /// By a branch to a computed address, which cannot become a fall-through.
    Indirect,
}

/// One edge.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: Node,
    /// Where it ends.
    pub to: Node,
    /// How often it is taken, in the unit of the entry's frequency.
    pub frequency: f64,
    /// How.
    pub kind: Kind,
}

/// Why a graph cannot be placed; edges are numbered as they were given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// The entry is no block.
    Entry,
    /// This edge starts or ends at no block.
    Missing(usize),
    /// This edge is there a second time.
    Twice(usize),
    /// A frequency of this edge is negative or no number.
    EdgeFrequency(usize),
    /// A frequency of this block is negative or no number.
    BlockFrequency(usize),
    /// A region of this block is none.
    Region(usize),
    /// The region with this number lies in itself, or in none that there is.
    Nest(usize),
    /// This block cannot be rewritten, and what it falls into does not stand behind it.
    Fixed(usize),
    /// This block cannot be rewritten, and falls out of its region or into the entry.
    Across(usize),
    /// The sizes of all blocks add up to 2^53 bytes or more.
    Size,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Entry => write!(f, "the entry is no block"),
            Error::Missing(edge) => write!(f, "edge {edge} starts or ends at no block"),
            Error::Twice(edge) => write!(f, "edge {edge} is there already"),
            Error::EdgeFrequency(edge) => write!(f, "the frequency of edge {edge} is negative or no number"),
            Error::BlockFrequency(block) => {
                write!(f, "the frequency of block {block} is negative or no number")
            }
            Error::Region(block) => write!(f, "the region of block {block} is none"),
            Error::Nest(region) => write!(f, "region {region} does not lie in an earlier one"),
            Error::Fixed(block) => {
                write!(f, "block {block} is fixed, and what it falls into does not stand behind it")
            }
            Error::Across(block) => {
                write!(f, "block {block} is fixed, and falls out of its region or into the entry")
            }
            Error::Size => write!(f, "the blocks have 2^53 bytes or more"),
        }
    }
}

impl std::error::Error for Error {}

/// A control-flow graph to be placed. Two edges never lead from one block to the same other.
#[derive(Clone, PartialEq, Debug)]
pub struct Flow {
    entry: Node,
    blocks: PrimaryMap<Node, Block>,
    edges: Vec<Edge>,
    outgoing: Vec<Vec<u32>>,
    incoming: Vec<Vec<u32>>,
    /// The region around each region, which has a smaller number.
    regions: Vec<Option<u32>>,
    /// Whether frequencies were counted rather than estimated.
    profile: bool,
}

impl Flow {
    /// A flow; without blocks, the entry says nothing. Of fixed blocks and what they fall into, all are cold or none is taken as such.
    ///
    /// # Errors
    /// What is wrong with the graph.
    pub fn new(
        entry: Node,
        blocks: Vec<Block>,
        edges: Vec<Edge>,
        regions: Vec<Option<u32>>,
        profile: bool,
    ) -> Result<Flow, Error> {
        let count = blocks.len();
        if count > 0 && entry.0 as usize >= count {
            return Err(Error::Entry);
        }
        if blocks.iter().try_fold(0u64, |sum, b| sum.checked_add(b.size)).is_none_or(|sum| sum >= 1 << 53) {
            return Err(Error::Size);
        }
        let sound = |frequency: f64| frequency.is_finite() && frequency >= 0.0;
        for (at, block) in blocks.iter().enumerate() {
            if !sound(block.frequency) {
                return Err(Error::BlockFrequency(at));
            }
            if block.region.is_some_and(|region| region as usize >= regions.len()) {
                return Err(Error::Region(at));
            }
        }
        if let Some(at) = (0..regions.len()).find(|&at| regions[at].is_some_and(|outer| outer as usize >= at))
        {
            return Err(Error::Nest(at));
        }
        let (mut outgoing, mut incoming) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (at, edge) in edges.iter().enumerate() {
            let (from, to) = (edge.from.0 as usize, edge.to.0 as usize);
            if from >= count || to >= count {
                return Err(Error::Missing(at));
            }
            if !sound(edge.frequency) {
                return Err(Error::EdgeFrequency(at));
            }
            outgoing[from].push(at as u32);
            incoming[to].push(at as u32);
        }
        let mut last = vec![u32::MAX; count];
        for (from, list) in outgoing.iter().enumerate() {
            for &at in list {
                let to = edges[at as usize].to.0 as usize;
                if std::mem::replace(&mut last[to], from as u32) == from as u32 {
                    return Err(Error::Twice(at as usize));
                }
            }
        }
        let mut flow =
            Flow { entry, blocks: blocks.into_iter().collect(), edges, outgoing, incoming, regions, profile };
        flow.check_fixed()?;
        Ok(flow)
    }

    fn check_fixed(&mut self) -> Result<(), Error> {
        for at in (0..self.len()).rev() {
            let node = Node(at as u32);
            if !self.blocks[node].fixed {
                continue;
            }
            let Some(next) = self.falls(node) else { continue };
            if next.0 as usize != at + 1 {
                return Err(Error::Fixed(at));
            }
            if self.blocks[next].region != self.blocks[node].region || next == self.entry {
                return Err(Error::Across(at));
            }
        }
        // Runs of fixed blocks are cold as a whole or not at all.
        for at in 0..self.len() {
            let node = Node(at as u32);
            let Some(next) = self.bound(node) else { continue };
            let cold = self.blocks[node].cold && self.blocks[next].cold;
            (self.blocks[node].cold, self.blocks[next].cold) = (cold, cold);
        }
        for at in (0..self.len()).rev() {
            let node = Node(at as u32);
            if let Some(next) = self.bound(node) {
                self.blocks[node].cold &= self.blocks[next].cold;
            }
        }
        Ok(())
    }

    fn falls(&self, node: Node) -> Option<Node> {
        self.outgoing(node).find(|edge| edge.kind == Kind::FallThrough).map(|edge| edge.to)
    }

    /// The block that has to stand behind this one.
    pub fn bound(&self, node: Node) -> Option<Node> {
        if self.blocks[node].fixed { self.falls(node) } else { None }
    }

    /// The graph in which each block and edge is run once: what an order for size goes by (`apply-ext-tsp-for-size`).
    #[must_use]
    pub fn counted_once(&self) -> Flow {
        let mut once = self.clone();
        once.blocks.values_mut().for_each(|block| block.frequency = 1.0);
        once.edges.iter_mut().for_each(|edge| edge.frequency = 1.0);
        once
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// A block.
    pub fn block(&self, node: Node) -> &Block {
        &self.blocks[node]
    }

    /// All blocks in the order of the source.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = Node> + use<> {
        (0..self.len() as u32).map(Node)
    }

    /// All edges, as given.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges that start at a block.
    pub fn outgoing(&self, node: Node) -> impl Iterator<Item = &Edge> + Clone {
        self.outgoing[node.0 as usize].iter().map(|&at| &self.edges[at as usize])
    }

    /// The edges that end at a block.
    pub fn incoming(&self, node: Node) -> impl Iterator<Item = &Edge> + Clone {
        self.incoming[node.0 as usize].iter().map(|&at| &self.edges[at as usize])
    }

    /// How often control goes from one block to another.
    pub fn frequency(&self, from: Node, to: Node) -> f64 {
        self.outgoing(from).find(|edge| edge.to == to).map_or(0.0, |edge| edge.frequency)
    }

    /// The regions that a block lies in, from outside to inside.
    pub fn regions_of(&self, node: Node) -> Vec<u32> {
        let mut path = Vec::new();
        let mut at = self.blocks[node].region;
        while let Some(region) = at {
            path.push(region);
            at = self.regions[region as usize];
        }
        path.reverse();
        path
    }

    /// The region around each structured region.
    pub(crate) fn regions(&self) -> &[Option<u32>] {
        &self.regions
    }

    /// How many structured regions there are.
    pub fn region_count(&self) -> usize {
        self.regions.len()
    }

    /// Whether frequencies were counted.
    pub fn profile(&self) -> bool {
        self.profile
    }

    /// The source's order, the entry first: with what has to stand behind it, if that is not where the source begins.
    pub fn source_order(&self) -> Vec<Node> {
        let mut order = Vec::with_capacity(self.len());
        if self.is_empty() {
            return order;
        }
        let mut at = Some(self.entry);
        let mut front = vec![false; self.len()];
        while let Some(node) = at {
            front[node.0 as usize] = true;
            order.push(node);
            at = self.bound(node);
        }
        order.extend(self.nodes().filter(|node| !front[node.0 as usize]));
        order
    }

    pub(crate) fn set_frequencies(&mut self, blocks: &[f64], edges: &[f64]) {
        for (node, &frequency) in self.blocks.values_mut().zip(blocks) {
            node.frequency = frequency;
        }
        for (edge, &frequency) in self.edges.iter_mut().zip(edges) {
            edge.frequency = frequency;
        }
        self.profile = false;
    }

    pub(crate) fn edge_numbers(&self, node: Node) -> &[u32] {
        &self.outgoing[node.0 as usize]
    }

    pub(crate) fn incoming_numbers(&self, node: Node) -> &[u32] {
        &self.incoming[node.0 as usize]
    }
}

impl ControlFlow for Flow {
    type Block = Node;
    fn entry(&self) -> Node {
        self.entry
    }
    fn capacity(&self) -> usize {
        self.len()
    }
    fn blocks(&self) -> Vec<Node> {
        self.nodes().collect()
    }
    fn succs(&self, block: Node) -> Vec<Node> {
        self.outgoing(block).map(|edge| edge.to).collect()
    }
    fn preds(&self, block: Node) -> Vec<Node> {
        self.incoming(block).map(|edge| edge.from).collect()
    }
}
