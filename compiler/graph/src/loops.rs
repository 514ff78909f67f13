//! Natural loops, and whether a graph is reducible.

use crate::{BitSet, ControlFlow, Dominators, Entity, PrimaryMap, SecondaryMap, order};

crate::entity!(LoopId, "loop", "A loop of [`Loops`].");

/// One natural loop.
#[derive(Clone, Debug)]
struct Data<B> {
    header: B,
    parent: Option<LoopId>,
    depth: u32,
    blocks: Vec<B>,
}

/// The natural loops of a graph (Aho, Sethi, Ullman): for each target of a back edge (an edge whose target dominates
/// its source) one loop, of all blocks that reach a source without passing the target. Cycles with several entries
/// are no natural loops: ask [`is_reducible`].
#[derive(Clone, Debug)]
pub struct Loops<B: Entity> {
    data: PrimaryMap<LoopId, Data<B>>,
    innermost: SecondaryMap<B, Option<LoopId>>,
}

impl<B: Entity> Loops<B> {
    /// All natural loops, outer before inner.
    pub fn new(flow: &impl ControlFlow<Block = B>, dominators: &Dominators<B>) -> Loops<B> {
        let mut data: PrimaryMap<LoopId, Data<B>> = PrimaryMap::new();
        let mut innermost = SecondaryMap::<B, Option<LoopId>>::new();
        for &header in dominators.top_down() {
            let mut stack: Vec<B> =
                flow.preds(header).into_iter().filter(|&pred| dominators.dominates(header, pred)).collect();
            if stack.is_empty() {
                continue;
            }
            let mut inside = BitSet::new(flow.capacity());
            inside.insert(header.index());
            let mut blocks = vec![header];
            while let Some(block) = stack.pop() {
                if inside.insert(block.index()) {
                    blocks.push(block);
                    stack.extend(flow.preds(block).into_iter().filter(|&pred| dominators.is_reachable(pred)));
                }
            }
            blocks.sort();
            // Headers come in dominance order, so what holds this header was made before.
            let parent = innermost[header];
            let depth = parent.map_or(1, |outer| data[outer].depth + 1);
            let id = data.push(Data { header, parent, depth, blocks });
            for &block in &data[id].blocks {
                innermost[block] = Some(id);
            }
        }
        Loops { data, innermost }
    }

    /// All loops, outer before inner.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = LoopId> + use<B> {
        self.data.keys()
    }
    /// Where the loop is entered.
    pub fn header(&self, id: LoopId) -> B {
        self.data[id].header
    }
    /// The next loop outwards.
    pub fn parent(&self, id: LoopId) -> Option<LoopId> {
        self.data[id].parent
    }
    /// The blocks of the loop and of the loops within it, in order of index.
    pub fn blocks(&self, id: LoopId) -> &[B] {
        &self.data[id].blocks
    }
    /// Whether the loop holds the block.
    pub fn contains(&self, id: LoopId, block: B) -> bool {
        let mut at = self.innermost[block];
        while let Some(inner) = at {
            if inner == id {
                return true;
            }
            at = self.data[inner].parent;
        }
        false
    }
    /// The smallest loop that holds the block.
    pub fn innermost(&self, block: B) -> Option<LoopId> {
        self.innermost[block]
    }
    /// How many loops hold the block.
    pub fn depth(&self, block: B) -> u32 {
        self.innermost[block].map_or(0, |id| self.data[id].depth)
    }
}

/// Whether every cycle has one entry that dominates it: each edge that goes back in a depth-first walk must go to a
/// dominator of its source.
pub fn is_reducible<B: Entity>(flow: &impl ControlFlow<Block = B>, dominators: &Dominators<B>) -> bool {
    let mut number = SecondaryMap::<B, usize>::new();
    let order = order::reverse_post_order(flow);
    for (index, &block) in order.iter().enumerate() {
        number[block] = index;
    }
    order.iter().all(|&from| {
        let back = flow.succs(from).into_iter().filter(|&to| number[to] <= number[from]);
        back.into_iter().all(|to| dominators.dominates(to, from))
    })
}
