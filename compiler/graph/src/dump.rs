//! The documents' dumps of a graph, to the letter (requirements CFG-13 to CFG-16).
//!
//! Blocks are `bix0`, `bix1`, … : the entry, then every other reached block by index. Reverse post-order is that of the
//! documents' sample, in which of two successors the first comes first; back edges are all that go back in it (CFG-17).

use crate::{ControlFlow, DepthFirst, Entity, SecondaryMap};
use std::fmt::Write;

/// A graph whose blocks have the dumps' numbers.
pub struct Dump<'g, G: ControlFlow> {
    flow: &'g G,
    blocks: Vec<G::Block>,
    number: SecondaryMap<G::Block, usize>,
    walk: DepthFirst<G::Block>,
}

/// A graph with the successors of each block in the other order.
struct Mirrored<'g, G>(&'g G);

impl<G: ControlFlow> ControlFlow for Mirrored<'_, G> {
    type Block = G::Block;
    fn entry(&self) -> G::Block {
        self.0.entry()
    }
    fn capacity(&self) -> usize {
        self.0.capacity()
    }
    fn blocks(&self) -> Vec<G::Block> {
        self.0.blocks()
    }
    fn succs(&self, block: G::Block) -> Vec<G::Block> {
        self.0.succs(block).into_iter().rev().collect()
    }
    fn preds(&self, block: G::Block) -> Vec<G::Block> {
        self.0.preds(block)
    }
}

impl<'g, G: ControlFlow> Dump<'g, G> {
    /// Numbers the blocks.
    pub fn new(flow: &'g G) -> Dump<'g, G> {
        let walk = DepthFirst::new(&Mirrored(flow));
        let mut blocks = walk.reverse_post_order().to_vec();
        blocks[1..].sort_by_key(|block| block.index());
        let mut number = SecondaryMap::new();
        for (at, &block) in blocks.iter().enumerate() {
            number[block] = at;
        }
        Dump { flow, blocks, number, walk }
    }

    fn successors(&self, block: G::Block) -> impl Iterator<Item = usize> + '_ {
        self.flow.succs(block).into_iter().map(|to| self.number[to])
    }

    /// One line for each edge.
    pub fn edges(&self) -> String {
        let mut out = String::new();
        for (from, &block) in self.blocks.iter().enumerate() {
            for to in self.successors(block) {
                let _ = writeln!(out, "bix{from} -> bix{to}");
            }
        }
        out
    }

    /// The graph for Graphviz; `label` is what `L` shows of a block, in hexadecimal digits.
    pub fn dot(&self, label: impl Fn(G::Block) -> u32) -> String {
        let mut out = String::from("digraph f {\nnode [fontname=\"Courier\",fontsize=10,shape=Mrecord];\n");
        for (from, &block) in self.blocks.iter().enumerate() {
            let _ = writeln!(out, "\"bix{from}\"\n[label=\"bix{from}(L{:x})\"]", label(block));
            for to in self.successors(block) {
                let _ = writeln!(out, "bix{from} -> bix{to}");
            }
        }
        out + "}\n"
    }

    /// Reverse post-order and back edges.
    pub fn orders(&self) -> String {
        let mut out = String::from("Showing RPO state for each basic block:\n");
        for (at, &block) in self.blocks.iter().enumerate() {
            let number = self.walk.number(block).unwrap_or_default();
            let _ = writeln!(out, "bix{at} -> RPONum: {number}");
        }
        let order = self.walk.reverse_post_order().iter();
        let order: Vec<String> = order.map(|&block| self.number[block].to_string()).collect();
        let _ = writeln!(out, "RPO traversal order: [{}]", order.join(", "));
        out.push_str("Showing backedge info:\n");
        for (from, &block) in self.blocks.iter().enumerate() {
            for to in self.flow.succs(block).into_iter().filter(|&to| self.walk.is_retreating(block, to)) {
                let _ = writeln!(out, "bix{from} -> backedge's successor BB: {}", self.number[to]);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Graph;
    crate::entity!(B, "b", "For the test.");

    fn graph(edges: &[(u32, u32)]) -> Graph<B> {
        Graph::new(B(0), 4, edges.iter().map(|&(from, to)| (B(from), B(to))))
    }

    /// The sample of the documents' section on visualisation.
    const DOT: &str = r#"digraph f {
node [fontname="Courier",fontsize=10,shape=Mrecord];
"bix0"
[label="bix0(L0)"]
bix0 -> bix1
bix0 -> bix3
"bix1"
[label="bix1(L10)"]
bix1 -> bix2
"bix2"
[label="bix2(L20)"]
bix2 -> bix1
bix2 -> bix3
"bix3"
[label="bix3(L30)"]
}
"#;

    /// The sample of the documents' section on reverse post-order, of the graph that decision E10 gives it.
    const ORDERS: &str = "Showing RPO state for each basic block:
bix0 -> RPONum: 0
bix1 -> RPONum: 1
bix2 -> RPONum: 3
bix3 -> RPONum: 2
RPO traversal order: [0, 1, 3, 2]
Showing backedge info:
bix2 -> backedge's successor BB: 1
";

    #[test]
    fn the_documents_samples_to_the_letter() {
        let sample = graph(&[(0, 1), (0, 3), (1, 2), (2, 1), (2, 3)]);
        assert_eq!(Dump::new(&sample).dot(|block| 0x10 * block.0), DOT);
        let other = graph(&[(0, 1), (1, 3), (1, 2), (2, 1)]);
        assert_eq!(Dump::new(&other).orders(), ORDERS);
    }

    #[test]
    fn one_line_for_each_edge_and_none_for_what_is_not_reached() {
        let edges = graph(&[(0, 1), (1, 0), (1, 1), (2, 3)]);
        assert_eq!(Dump::new(&edges).edges(), "bix0 -> bix1\nbix1 -> bix0\nbix1 -> bix1\n");
    }

    #[test]
    fn unreached_blocks_have_no_number() {
        let edges = graph(&[(0, 3), (3, 2)]);
        assert_eq!(Dump::new(&edges).edges(), "bix0 -> bix2\nbix2 -> bix1\n");
        assert!(Dump::new(&edges).orders().contains("RPO traversal order: [0, 2, 1]"));
    }
}
