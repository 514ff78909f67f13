//! What branches decide: the blocks on ways from a branch to where all its ways have met again.
//!
//! That set is the closure of control dependence (Ferrante, Ottenstein and Warren, "The Program Dependence Graph and Its Use in
//! Optimization", 1987): what depends on the branch directly lies on the way up the tree of post-dominators from one of its
//! successors to, but without, its own parent there; and what depends on such a block belongs to it too. Each block is met once,
//! however many branches are added, so that all of them together take near-linear time (union-find over the tree).

use crate::{BitSet, ControlFlow, Dominators, Entity};

/// The blocks that the branches added so far decide about.
#[derive(Clone, Debug)]
pub struct Influence<'a, B: Entity> {
    post: &'a Dominators<B>,
    held: BitSet,
    spread: BitSet,
    /// By block index: a block above it in the tree below which all are held; itself while it is not held.
    up: Vec<u32>,
}

impl<'a, B: Entity> Influence<'a, B> {
    /// None yet; `post` is the tree that [`Dominators::post`] gives.
    pub fn new(post: &'a Dominators<B>, exit: B) -> Influence<'a, B> {
        let count = exit.index() + 1;
        Influence {
            post,
            held: BitSet::new(count),
            spread: BitSet::new(count),
            up: (0..count as u32).collect(),
        }
    }

    /// Adds the blocks on ways from behind `branch` to its immediate post-dominator, without this; `branch` itself is among them
    /// if one of the ways comes back. `each` is called for those that are new. A block that is not reached decides nothing.
    pub fn add(&mut self, flow: &impl ControlFlow<Block = B>, branch: B, mut each: impl FnMut(B)) {
        let mut work = vec![branch];
        while let Some(block) = work.pop() {
            let Some(depth) = self.post.immediate(block).and_then(|stop| self.post.depth(stop)) else {
                continue;
            };
            if !self.spread.insert(block.index()) {
                continue;
            }
            for to in flow.succs(block) {
                let mut at = self.free(to);
                while self.post.depth(at).is_some_and(|own| own > depth) {
                    let Some(above) = self.post.immediate(at) else { break };
                    self.held.insert(at.index());
                    self.up[at.index()] = above.index() as u32;
                    each(at);
                    work.push(at);
                    at = self.free(above);
                }
            }
        }
    }

    /// Whether a branch that was added decides about the block.
    pub fn holds(&self, block: B) -> bool {
        self.held.contains(block.index())
    }

    /// The nearest block at or above that is not held, with path halving.
    fn free(&mut self, block: B) -> B {
        let mut at = block.index();
        while self.up[at] as usize != at {
            self.up[at] = self.up[self.up[at] as usize];
            at = self.up[at] as usize;
        }
        B::from_index(at)
    }
}
