//! A function as placement sees it: blocks with sizes and frequencies, edges.

use super::Counts;
use crate::{ColdChoices, Error, cold};
use sassafras_graph::{BitSet, Dominators, Entity, Loops, SecondaryMap};
use sassafras_isa::Meaning;
use sassafras_machine::{Block, Function, MInst};
use sassafras_placement::{self as placement, Constraint, Edge, Flow, Kind, Node, Scorer, estimate};

/// Bytes of an instruction.
const WORD: u64 = 16;

/// The graph to be placed, and whose blocks its nodes are.
pub(super) struct Graph {
    pub(super) flow: Flow,
    /// By node.
    blocks: Vec<Block>,
    node: SecondaryMap<Block, Option<Node>>,
}

impl Graph {
    /// Of a function without unreachable blocks. Without counts, frequencies are estimated.
    pub(super) fn new(f: &Function, choices: ColdChoices, counts: Option<&Counts>) -> Result<Graph, Error> {
        let blocks = order(f);
        let mut node: SecondaryMap<Block, Option<Node>> = SecondaryMap::new();
        for (at, &block) in blocks.iter().enumerate() {
            node[block] = Some(Node(at as u32));
        }
        let seldom = cold::seldom(f, choices);
        let (mut data, mut edges) = (Vec::new(), Vec::new());
        for (at, &block) in blocks.iter().enumerate() {
            let from = Node(at as u32);
            let last = f.blocks[block].insts.last();
            data.push(placement::Block {
                // An empty block gets a NOP.
                size: WORD * f.blocks[block].insts.len().max(1) as u64,
                frequency: counts.map_or(0.0, |counts| counts.block(block) as f64),
                cold: seldom.contains(block.index()),
                fixed: blocks.get(at + 1).is_some_and(|&next| tries_again(f, block, next)),
                divergent: last.is_some_and(|inst| inst.target.is_some() && !inst.uniform),
                ..placement::Block::default()
            });
            let succs = &f.blocks[block].succs;
            for (number, edge) in succs.iter().enumerate() {
                let to = node[edge.block]
                    .ok_or_else(|| Error::malformed(block, 0, "a successor that is not reached"))?;
                if succs[..number].iter().any(|other| other.block == edge.block) {
                    continue;
                }
                let kind = match () {
                    () if succs.len() > 1 && number == 0 => Kind::Conditional,
                    () if to.0 == from.0 + 1 => Kind::FallThrough,
                    () => Kind::Unconditional,
                };
                let frequency = counts.map_or(0.0, |counts| counts.edge(block, edge.block) as f64);
                edges.push(Edge { from, to, frequency, kind });
            }
        }
        let made = Flow::new(Node(0), data, edges, Vec::new(), counts.is_some());
        let mut flow = made.map_err(|error| Error::malformed(f.entry, 0, error.to_string()))?;
        if counts.is_none() {
            estimate(&mut flow, &[]);
        }
        Ok(Graph { flow, blocks, node })
    }

    /// The block of a node.
    pub(super) fn block(&self, node: Node) -> Block {
        self.blocks[node.index()]
    }

    /// The blocks of an order of nodes.
    pub(super) fn blocks(&self, order: &[Node]) -> Vec<Block> {
        order.iter().map(|node| self.blocks[node.index()]).collect()
    }

    /// How often control goes from one block to another.
    pub(super) fn frequency(&self, from: Block, to: Block) -> f64 {
        match (self.node[from], self.node[to]) {
            (Some(from), Some(to)) => self.flow.frequency(from, to),
            _ => 0.0,
        }
    }

    /// The score of an order of blocks; one that does not keep the constraint, such as fixed blocks with what follows them, is worth nothing.
    pub(super) fn worth(&self, scorer: &Scorer, constraint: Constraint, order: &[Block]) -> f64 {
        let nodes: Option<Vec<Node>> = order.iter().map(|&block| self.node[block]).collect();
        let follows = |nodes: &[Node], at: usize| match self.flow.bound(nodes[at]) {
            Some(follower) => nodes.get(at + 1) == Some(&follower),
            None => true,
        };
        let kept = nodes.filter(|nodes| {
            constraint.holds(&self.flow, nodes) && (0..nodes.len()).all(|at| follows(nodes, at))
        });
        kept.map_or(f64::NEG_INFINITY, |nodes| scorer.score(&nodes))
    }

    /// How many cold blocks stand behind more warm ones in this order than in the source's.
    pub(super) fn passed(&self, order: &[Node]) -> usize {
        let warm_before = |order: &mut dyn Iterator<Item = Node>| {
            let mut warm = 0;
            let mut before = vec![0; self.blocks.len()];
            for node in order {
                before[node.index()] = warm;
                warm += usize::from(!self.flow.block(node).cold);
            }
            before
        };
        let before = warm_before(&mut self.flow.nodes());
        let after = warm_before(&mut order.iter().copied());
        self.flow
            .nodes()
            .filter(|&node| self.flow.block(node).cold && after[node.index()] > before[node.index()])
            .count()
    }
}

/// Whether a block swaps what it compares and, where that fails, falls into `next`, which goes back to it. Such a loop is mostly run once, so
/// that turning it saves no branch; and as it stands its code is known for one atomic operation (A-RETRY, `docs/proof.md`).
fn tries_again(f: &Function, block: Block, next: Block) -> bool {
    let swaps = |meaning| {
        matches!(meaning, Meaning::AtomgCas | Meaning::AtomCas | Meaning::AtomsCas | Meaning::AtomsCast)
    };
    let of = |block: Block| f.blocks[block].succs.iter().map(|edge| edge.block);
    f.blocks[block].insts.iter().filter_map(MInst::inst).any(|inst| swaps(inst.row().meaning))
        && of(block).nth(1) == Some(next)
        && of(next).eq([block])
}

/// Reverse post-order, of two successors the one that stays in more loops first.
fn order(f: &Function) -> Vec<Block> {
    let graph = f.graph();
    let loops = Loops::new(&graph, &Dominators::new(&graph));
    let succs = |block: Block| {
        let mut succs: Vec<Block> = f.blocks[block].succs.iter().map(|edge| edge.block).collect();
        // What is visited first comes last: exits of loops, and of equals the fall-through of the source.
        succs.sort_by_key(|&succ| loops.depth(succ));
        succs.into_iter()
    };
    let mut seen = BitSet::new(f.blocks.len());
    seen.insert(f.entry.index());
    let mut stack = vec![(f.entry, succs(f.entry))];
    let mut order = Vec::new();
    while let Some((block, rest)) = stack.last_mut() {
        match rest.next() {
            Some(next) => {
                if seen.insert(next.index()) {
                    stack.push((next, succs(next)));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
