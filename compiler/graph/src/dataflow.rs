//! Bit-vector dataflow: the least solution of `out = gen ∪ (in − kill)` with union as meet.

use crate::{BitSet, ControlFlow, Entity, SecondaryMap, order};

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
    let order = order::reverse_post_order(flow);
    let mut solution = Solution { start: SecondaryMap::new(), end: SecondaryMap::new() };
    solution.start[flow.entry()] = boundary;
    let transfers: Vec<Transfer> = order.iter().map(|&block| transfer(block)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (&block, transfer) in order.iter().zip(&transfers) {
            for pred in flow.preds(block) {
                let facts = solution.end[pred].clone();
                solution.start[block].union(&facts);
            }
            changed |= apply(transfer, &solution.start[block].clone(), &mut solution.end[block]);
        }
    }
    solution
}

/// Facts flow against control: a block's end has the union of its successors' starts. Liveness is this problem with
/// `generate` = read before written, and `kill` = written.
pub fn backward<B: Entity>(
    flow: &impl ControlFlow<Block = B>,
    transfer: impl Fn(B) -> Transfer,
) -> Solution<B> {
    let order = order::post_order(flow);
    let mut solution = Solution { start: SecondaryMap::new(), end: SecondaryMap::new() };
    let transfers: Vec<Transfer> = order.iter().map(|&block| transfer(block)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (&block, transfer) in order.iter().zip(&transfers) {
            for succ in flow.succs(block) {
                let facts = solution.start[succ].clone();
                solution.end[block].union(&facts);
            }
            changed |= apply(transfer, &solution.end[block].clone(), &mut solution.start[block]);
        }
    }
    solution
}

fn apply(transfer: &Transfer, before: &BitSet, after: &mut BitSet) -> bool {
    let mut facts = before.clone();
    facts.subtract(&transfer.kill);
    facts.union(&transfer.generate);
    after.union(&facts)
}
