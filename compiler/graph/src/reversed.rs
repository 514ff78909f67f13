//! Graphs read against their arrows.

use crate::flow::{ControlFlow, Graph};
use crate::order::DepthFirst;
use crate::{BitSet, Entity};

/// A graph read against its arrows, with one more block, the virtual exit, as entry. The virtual exit leads to every
/// block without successors, in reverse post-order, and to one block of each region that reaches no such block (an
/// endless loop): the last in reverse post-order of those not yet reached, again and again until all are.
///
/// So several exits have the virtual one as nearest common post-dominator, and so does an endless loop with all else:
/// nothing outside post-dominates a block from which no exit is reached, but the block at which its loop is tied.
#[derive(Clone, Debug)]
pub struct Reversed<B: Entity>(Graph<B>);

impl<B: Entity> Reversed<B> {
    /// The reverse of the part of `flow` that its entry reaches.
    pub fn new(flow: &impl ControlFlow<Block = B>) -> Reversed<B> {
        let walk = DepthFirst::new(flow);
        let exit = B::from_index(flow.capacity());
        let order = walk.reverse_post_order();
        let mut edges = Vec::new();
        let mut reaching = BitSet::new(flow.capacity());
        let real = order.iter().filter(|&&block| walk.succs(block).next().is_none());
        // Real exits first; what is then left over reaches none.
        for &last in real.chain(order.iter().rev()) {
            if reaching.contains(last.index()) {
                continue;
            }
            edges.push((exit, last));
            let mut stack = vec![last];
            while let Some(block) = stack.pop() {
                if reaching.insert(block.index()) {
                    stack.extend(walk.preds(block));
                }
            }
        }
        for &from in order {
            edges.extend(walk.succs(from).map(|to| (to, from)));
        }
        Reversed(Graph::new(exit, flow.capacity() + 1, edges))
    }

    /// The virtual exit.
    pub fn exit(&self) -> B {
        self.0.entry()
    }
}

impl<B: Entity> ControlFlow for Reversed<B> {
    type Block = B;
    fn entry(&self) -> B {
        self.0.entry()
    }
    fn capacity(&self) -> usize {
        self.0.capacity()
    }
    fn blocks(&self) -> Vec<B> {
        self.0.blocks()
    }
    fn succs(&self, block: B) -> Vec<B> {
        self.0.succs(block)
    }
    fn preds(&self, block: B) -> Vec<B> {
        self.0.preds(block)
    }
}
