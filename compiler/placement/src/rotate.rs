//! Turning a loop's chain around: which block stands last.

use crate::{Flow, Knobs, Node};

/// Where the chain of a loop begins after it has been turned: an index of `chain`; 0 leaves it as it is. `inside` tells the loop's
/// blocks, `end_of_chain` whether a block outside is the last of its own chain.
pub(crate) fn rotation(
    flow: &Flow,
    knobs: &Knobs,
    chain: &[Node],
    inside: &dyn Fn(Node) -> bool,
    end_of_chain: &dyn Fn(Node) -> bool,
) -> usize {
    let precise = knobs.force_precise || knobs.precise_rotation && flow.profile();
    if precise {
        precisely(flow, knobs, chain, inside)
    } else {
        simply(flow, knobs, chain, inside, end_of_chain)
    }
}

/// How often control leaves the loop from a block.
fn leaves(flow: &Flow, node: Node, inside: &dyn Fn(Node) -> bool) -> Option<f64> {
    let out = flow.outgoing(node).filter(|edge| !inside(edge.to)).map(|edge| edge.frequency);
    out.reduce(f64::max)
}

/// The block that leaves the loop most often comes last, unless something outside falls into the header more often.
fn simply(
    flow: &Flow,
    knobs: &Knobs,
    chain: &[Node],
    inside: &dyn Fn(Node) -> bool,
    end_of_chain: &dyn Fn(Node) -> bool,
) -> usize {
    let last = chain.len() - 1;
    if leaves(flow, chain[last], inside).is_some() {
        return 0;
    }
    let fallen = flow.incoming(chain[0]).filter(|edge| !inside(edge.from) && end_of_chain(edge.from));
    let fallen = fallen.map(|edge| edge.frequency).fold(0.0, f64::max);
    let mut best: Option<(f64, usize)> = None;
    for (at, &node) in chain.iter().enumerate() {
        let Some(exit) = leaves(flow, node, inside) else { continue };
        // A new bottom has to be better by more than the bias.
        if best.is_none_or(|(most, _)| exit > most * (1.0 + knobs.exit_bias / 100.0)) {
            best = Some((exit, at));
        }
    }
    match best {
        Some((exit, at)) if fallen == 0.0 || exit > fallen => (at + 1) % chain.len(),
        _ => 0,
    }
}

/// The place where the fall-throughs that are missed are the fewest: from outside into the header, out of the loop from the
/// last block, and between blocks that are split, less the one that is gained where the ends meet.
fn precisely(flow: &Flow, knobs: &Knobs, chain: &[Node], inside: &dyn Fn(Node) -> bool) -> usize {
    let taken = knobs.misfetch_cost + knobs.jump_cost;
    let entered = flow.incoming(chain[0]).filter(|edge| !inside(edge.from)).map(|edge| edge.frequency);
    let entered = entered.fold(0.0, f64::max);
    let exits: Vec<f64> = chain.iter().map(|&node| leaves(flow, node, inside).unwrap_or(0.0)).collect();
    let most = exits.iter().copied().fold(0.0, f64::max);
    let closing = flow.frequency(chain[chain.len() - 1], chain[0]);
    let cost = |at: usize| {
        let last = (at + chain.len() - 1) % chain.len();
        let missed = if at == 0 { closing } else { entered + flow.frequency(chain[last], chain[at]) };
        (missed + most - exits[last]) * taken
    };
    let mut best = (cost(0), 0);
    for at in 1..chain.len() {
        let this = cost(at);
        if this < best.0 {
            best = (this, at);
        }
    }
    best.1
}
