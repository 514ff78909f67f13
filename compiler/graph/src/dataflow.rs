//! Bit-vector dataflow: the least solution of `out = gen ∪ (in − kill)` with union as meet.

use crate::{BitSet, ControlFlow, DepthFirst, Entity, SecondaryMap};

/// What one block does to the set of facts that passes through it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transfer {
    /// Facts that hold behind the block whatever came in.
    pub generate: BitSet,
    /// Facts that do not pass.
    pub kill: BitSet,
}

/// The solution: a set of facts at each block's start and end. Blocks the entry does not reach have empty sets.
#[derive(Clone, Debug)]
pub struct Solution<B: Entity> {
    /// Facts at the start of each block, in the direction of control.
    pub start: SecondaryMap<B, BitSet>,
    /// Facts at the end of each block.
    pub end: SecondaryMap<B, BitSet>,
}

/// Facts flow with control: a block's start has the union of its predecessors' ends.
pub fn forward<B: Entity>(
    flow: &impl ControlFlow<Block = B>,
    transfer: impl Fn(B) -> Transfer,
    boundary: BitSet,
) -> Solution<B> {
    let walk = DepthFirst::new(flow);
    let mut solution = Solution { start: SecondaryMap::new(), end: SecondaryMap::new() };
    solution.start[flow.entry()] = boundary;
    let Solution { start, end } = &mut solution;
    let order = walk.reverse_post_order();
    settle(
        order,
        transfer,
        start,
        end,
        |block, each| walk.preds(block).for_each(each),
        |block, each| {
            walk.succs(block).for_each(each);
        },
    );
    solution
}

/// Facts flow against control: a block's end has the union of its successors' starts. Liveness is this problem with
/// `generate` = read before written, and `kill` = written.
pub fn backward<B: Entity>(
    flow: &impl ControlFlow<Block = B>,
    transfer: impl Fn(B) -> Transfer,
) -> Solution<B> {
    let walk = DepthFirst::new(flow);
    let mut solution = Solution { start: SecondaryMap::new(), end: SecondaryMap::new() };
    let Solution { start, end } = &mut solution;
    let order: Vec<B> = walk.reverse_post_order().iter().rev().copied().collect();
    settle(
        &order,
        transfer,
        end,
        start,
        |block, each| walk.succs(block).for_each(each),
        |block, each| {
            walk.preds(block).for_each(each);
        },
    );
    solution
}

/// Rounds over the blocks in order, each of blocks alone for which something new has come.
fn settle<B: Entity>(
    order: &[B],
    transfer: impl Fn(B) -> Transfer,
    before: &mut SecondaryMap<B, BitSet>,
    after: &mut SecondaryMap<B, BitSet>,
    from: impl Fn(B, &mut dyn FnMut(B)),
    to: impl Fn(B, &mut dyn FnMut(B)),
) {
    let transfers: Vec<Transfer> = order.iter().map(|&block| transfer(block)).collect();
    let mut place: SecondaryMap<B, usize> = SecondaryMap::new();
    order.iter().enumerate().for_each(|(at, &block)| place[block] = at);
    let mut stale: BitSet = (0..order.len()).collect();
    let mut again = true;
    let mut facts = BitSet::default();
    while std::mem::take(&mut again) {
        for (at, (&block, transfer)) in order.iter().zip(&transfers).enumerate() {
            if !stale.remove(at) {
                continue;
            }
            let mut all = std::mem::take(&mut before[block]);
            from(block, &mut |other| {
                all.union(&after[other]);
            });
            facts.clone_from(&all);
            before[block] = all;
            facts.subtract(&transfer.kill);
            facts.union(&transfer.generate);
            if after[block].union(&facts) {
                to(block, &mut |other| {
                    stale.insert(place[other]);
                    again |= place[other] <= at;
                });
            }
        }
    }
}
