//! Depth-first orders, with a stack of our own: input graphs may be deep.

use crate::{ControlFlow, Entity};

/// "Not reached".
pub(crate) const NONE: u32 = u32::MAX;

/// A depth-first walk from the entry, successors in order: the numbering on which the other algorithms stand.
///
/// It keeps the edges of what is reached in arrays, both ways, so that nothing asks the graph again. Time and memory
/// are linear in blocks and edges.
#[derive(Clone, Debug)]
pub struct DepthFirst<B: Entity> {
    /// Blocks in order of discovery; what follows is indexed by this order.
    blocks: Vec<B>,
    parent: Vec<u32>,
    succs: Csr,
    preds: Csr,
    /// Discovery number of each block, by index.
    discovered: Vec<u32>,
    /// Blocks in reverse post-order.
    order: Vec<B>,
    /// Reverse post-order number of each block, by index.
    number: Vec<u32>,
}

/// Lists of numbers in one array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Csr {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Csr {
    /// Lists by key from pairs of key and item; the items of a key keep their order.
    pub(crate) fn new(keys: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Csr {
        let mut start = vec![0; keys + 1];
        for (key, _) in pairs.clone() {
            start[key as usize + 1] += 1;
        }
        for key in 0..keys {
            start[key + 1] += start[key];
        }
        let mut next = start.clone();
        let mut items = vec![0; start[keys] as usize];
        for (key, item) in pairs {
            items[next[key as usize] as usize] = item;
            next[key as usize] += 1;
        }
        Csr { start, items }
    }

    /// The list of a key.
    pub(crate) fn of(&self, key: u32) -> &[u32] {
        &self.items[self.start[key as usize] as usize..self.start[key as usize + 1] as usize]
    }

    /// Key and item of every element, in order of keys.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + Clone + '_ {
        (0..self.start.len().saturating_sub(1) as u32)
            .flat_map(move |key| self.of(key).iter().map(move |&item| (key, item)))
    }
}

impl<B: Entity> DepthFirst<B> {
    /// Walks what the entry reaches.
    pub fn new(flow: &impl ControlFlow<Block = B>) -> DepthFirst<B> {
        let capacity = flow.capacity();
        let (mut discovered, mut number) = (vec![NONE; capacity], vec![NONE; capacity]);
        let (mut blocks, mut parent, mut order) = (Vec::new(), Vec::new(), Vec::new());
        let mut succs = Csr::default();
        // Of each block on the path: its discovery number and its next edge.
        let mut stack: Vec<(u32, u32)> = Vec::new();
        let mut next = Some((flow.entry(), 0));
        loop {
            if let Some((block, from)) = next.take() {
                let this = blocks.len() as u32;
                discovered[block.index()] = this;
                blocks.push(block);
                parent.push(from);
                succs.start.push(succs.items.len() as u32);
                succs.items.extend(flow.succs(block).into_iter().map(|to| to.index() as u32));
                stack.push((this, succs.start[this as usize]));
            }
            let Some((this, edge)) = stack.last_mut() else { break };
            // A block's edges end where those of the block discovered behind it start.
            let end = succs.start.get(*this as usize + 1).map_or(succs.items.len(), |&s| s as usize);
            if (*edge as usize) < end {
                let to = succs.items[*edge as usize] as usize;
                *edge += 1;
                if discovered[to] == NONE {
                    next = Some((B::from_index(to), *this));
                }
            } else {
                order.push(blocks[*this as usize]);
                stack.pop();
            }
        }
        succs.start.push(succs.items.len() as u32);
        succs.items.iter_mut().for_each(|to| *to = discovered[*to as usize]);
        order.reverse();
        for (at, block) in order.iter().enumerate() {
            number[block.index()] = at as u32;
        }
        let preds = Csr::new(blocks.len(), succs.pairs().map(|(from, to)| (to, from)));
        DepthFirst { blocks, parent, succs, preds, discovered, order, number }
    }

    /// What the entry reaches, each block before its successors, but for retreating edges.
    pub fn reverse_post_order(&self) -> &[B] {
        &self.order
    }
    /// The block's position in reverse post-order; none for what is not reached.
    pub fn number(&self, block: B) -> Option<u32> {
        self.number.get(block.index()).copied().filter(|&n| n != NONE)
    }
    /// Whether the entry reaches the block.
    pub fn is_reached(&self, block: B) -> bool {
        self.number(block).is_some()
    }
    /// How many blocks are reached.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }
    /// Never: the entry is reached.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
    /// Whether an edge between reached blocks goes to its own block or to one that comes earlier in reverse
    /// post-order. If the target also dominates the source, it is a back edge.
    pub fn is_retreating(&self, from: B, to: B) -> bool {
        matches!((self.number(from), self.number(to)), (Some(from), Some(to)) if to <= from)
    }
    /// Every retreating edge, by source in reverse post-order, edges of a source in order.
    pub fn retreating(&self) -> impl Iterator<Item = (B, B)> + '_ {
        self.order.iter().flat_map(move |&from| {
            self.succs(from).filter(move |&to| self.is_retreating(from, to)).map(move |to| (from, to))
        })
    }
    /// Successors of a block in order of the edges; none of what is not reached.
    pub fn succs(&self, block: B) -> impl Iterator<Item = B> + '_ {
        let list = self.discovery(block).map_or(&[][..], |n| self.succs.of(n));
        list.iter().map(|&to| self.blocks[to as usize])
    }
    /// Reached predecessors of a block, one per edge, by discovery.
    pub fn preds(&self, block: B) -> impl Iterator<Item = B> + '_ {
        let list = self.discovery(block).map_or(&[][..], |n| self.preds.of(n));
        list.iter().map(|&from| self.blocks[from as usize])
    }

    fn discovery(&self, block: B) -> Option<u32> {
        self.discovered.get(block.index()).copied().filter(|&n| n != NONE)
    }
    /// Everything by discovery number: blocks, parents in the walk, predecessors.
    pub(crate) fn tree(&self) -> (&[B], &[u32], &Csr) {
        (&self.blocks, &self.parent, &self.preds)
    }
    /// The block's discovery number, which must be reached.
    pub(crate) fn at(&self, block: B) -> u32 {
        self.discovered[block.index()]
    }
}

/// The blocks that the entry reaches, each after all blocks first found through it. Successors are visited in order.
pub fn post_order<G: ControlFlow>(flow: &G) -> Vec<G::Block> {
    let mut order = reverse_post_order(flow);
    order.reverse();
    order
}

/// The reverse of [`post_order`]: each block before its successors, but for retreating edges.
pub fn reverse_post_order<G: ControlFlow>(flow: &G) -> Vec<G::Block> {
    DepthFirst::new(flow).order
}
