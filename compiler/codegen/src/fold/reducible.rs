//! When merging two blocks keeps a graph reducible.
//!
//! Merging X and Y, which have the successors S, keeps a reducible graph reducible if and only if for every h in S other than X and Y: h dominates
//! both or neither, or the one that h does not dominate dominates h.
//!
//! Why: paths of the merged graph lift to paths of the old one. So a cycle loses the header h that dominates it only if it runs through the merged
//! block by the back edge of one of the two, while the other is reached without h. Then it has two entries, unless the other dominates h.
//! A proper tail of a block is split off first, which changes no cycle. Tested against reduction by T1 and T2 on every graph of five
//! blocks and on random ones (`tests/folding/reducible.rs`).

use sassafras_graph::{Dominators, Entity};

/// One of the two blocks that are merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member<B> {
    /// The block.
    pub block: B,
    /// Only its end is merged: the block keeps its name and its predecessors, and the merged part comes behind it.
    pub split: bool,
}

impl<B: Entity> Member<B> {
    /// Whether `h`, another block, dominates the merged part.
    fn below(self, h: B, dominators: &Dominators<B>) -> bool {
        dominators.dominates(h, self.block)
    }

    /// Whether the merged part dominates `h`.
    fn above(self, h: B, dominators: &Dominators<B>) -> bool {
        dominators.dominates(self.block, h) && !(self.split && h == self.block)
    }

    fn is(self, h: B) -> bool {
        !self.split && self.block == h
    }
}

/// Whether the graph stays reducible. `succs`: where both go. The graph is reducible, both are reached, and neither is the entry unless it is split.
pub fn stays_reducible<B: Entity>(
    dominators: &Dominators<B>,
    succs: &[B],
    x: Member<B>,
    y: Member<B>,
) -> bool {
    succs.iter().filter(|&&h| !x.is(h) && !y.is(h)).all(|&h| {
        match (x.below(h, dominators), y.below(h, dominators)) {
            (true, false) => y.above(h, dominators),
            (false, true) => x.above(h, dominators),
            _ => true,
        }
    })
}
