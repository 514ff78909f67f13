//! Splitting and stitching blocks.

use super::cursor::Spot;
use super::{Node, NodeKind, Tree};
use crate::function::{Block, BlockData, Terminator};
use crate::tree::node::NodeData;

impl Tree {
    /// Splits at a spot. The first half keeps the block, its parameters and incoming edges; the second is a new block behind
    /// it in the list with the rest, outgoing edges and jump included, but for a spot behind a jump: then it is empty and has
    /// no terminator yet.
    pub(super) fn split(&mut self, spot: Spot) -> Block {
        let first = spot.block;
        let second = self.function.add_block();
        self.insert_block_behind(spot.node, second);
        if spot.behind {
            return second;
        }
        let data = &mut self.function.blocks[first];
        let insts = data.insts.split_off(spot.index);
        let terminator = std::mem::replace(&mut data.terminator, Terminator::Unreachable);
        let line = data.line;
        for &inst in &insts {
            self.placed[inst] = Some(second);
        }
        self.function.blocks[second] = BlockData { insts, line, ..BlockData::ending(terminator) };
        self.jumps[second] = self.jumps[first].take();
        self.waiting[second] = self.waiting[first].take();
        second
    }

    fn insert_block_behind(&mut self, node: Node, block: Block) -> Node {
        let kind = NodeKind::Block(block);
        let list = self.nodes[node].list.expect("a node with a spot stands in a list");
        let new = self.nodes.push(NodeData { list: Some(list), ..NodeData::root(kind) });
        self.of_block[block] = Some(new);
        let nodes = &mut self.nodes[list.owner].lists[list.part.index()];
        let at = nodes.iter().position(|&n| n == node).expect("a node stands in its list");
        nodes.insert(at + 1, new);
        new
    }

    /// Makes one block of two neighbours: the first takes over what the second has. A first one that ends in a jump makes
    /// the second vanish.
    pub(super) fn stitch(&mut self, first: Block, second: Block) {
        if let Some(node) = self.absorb(first, second) {
            self.unlist(node);
        }
    }

    /// The same, but that the dead node of the second, which is returned, stays in its list.
    pub(super) fn absorb(&mut self, first: Block, second: Block) -> Option<Node> {
        let data =
            std::mem::replace(&mut self.function.blocks[second], BlockData::ending(Terminator::Unreachable));
        let (jump, waiting) = (self.jumps[second].take(), self.waiting[second].take());
        if self.jumps[first].is_none() {
            for &inst in &data.insts {
                self.placed[inst] = Some(first);
            }
            self.function.blocks[first].insts.extend(data.insts);
            self.function.blocks[first].terminator = data.terminator;
            self.function.blocks[first].line = data.line;
            self.jumps[first] = jump;
            self.waiting[first] = waiting;
        } else {
            for &inst in &data.insts {
                self.placed[inst] = None;
            }
        }
        let node = self.of_block[second].take();
        if let Some(node) = node {
            self.nodes[node].alive = false;
        }
        node
    }

    /// Takes a node out of its list.
    pub(super) fn unlist(&mut self, node: Node) {
        if let Some(list) = self.nodes[node].list.take() {
            self.nodes[list.owner].lists[list.part.index()].retain(|&n| n != node);
        }
    }
}
