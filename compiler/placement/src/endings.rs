//! How each block ends in an order: branches only where control does not fall through.

use crate::{Flow, Kind, Node};

/// The end of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Nothing follows: the function ends.
    Leaves,
    /// No branch: control falls through.
    Falls(Node),
    /// An unconditional branch.
    Jumps(Node),
    /// A conditional branch, or control falls through.
    Branches {
        /// Where the branch leads.
        taken: Node,
        /// What stands behind the block.
        falls: Node,
        /// Whether the condition is the source's turned around.
        reversed: bool,
    },
    /// A conditional branch, and an unconditional one behind it: neither way follows.
    BranchesAndJumps {
        /// Where the conditional branch leads.
        taken: Node,
        /// Where the other leads.
        otherwise: Node,
        /// Whether the condition is the source's turned around.
        reversed: bool,
    },
    /// A branch to a computed address, to one of these.
    Computed(Vec<Node>),
    /// As it is: the end cannot be rewritten.
    Fixed(Vec<Node>),
}

/// How every block ends, by the order's places.
///
/// Of two ways the one that follows falls through, with the condition turned around if the source's branch leads there. If none
/// follows, the conditional branch takes the likelier way, so that the second branch is the less often executed one.
pub fn endings(flow: &Flow, order: &[Node]) -> Vec<Ending> {
    let next = order.iter().skip(1).map(|&node| Some(node)).chain([None]);
    order.iter().zip(next).map(|(&node, next)| ending(flow, node, next)).collect()
}

fn ending(flow: &Flow, node: Node, next: Option<Node>) -> Ending {
    let ways: Vec<_> = flow.outgoing(node).copied().collect();
    let targets = || ways.iter().map(|edge| edge.to).collect();
    if flow.block(node).fixed {
        return Ending::Fixed(targets());
    }
    if ways.iter().any(|edge| edge.kind == Kind::Indirect) {
        return Ending::Computed(targets());
    }
    match &ways[..] {
        [] => Ending::Leaves,
        [only] if Some(only.to) == next => Ending::Falls(only.to),
        [only] => Ending::Jumps(only.to),
        [first, second] => {
            // The source's branch is the conditional edge; of two, the first.
            let (branch, other) = if first.kind == Kind::Conditional || second.kind != Kind::Conditional {
                (first, second)
            } else {
                (second, first)
            };
            if Some(branch.to) == next {
                Ending::Branches { taken: other.to, falls: branch.to, reversed: true }
            } else if Some(other.to) == next {
                Ending::Branches { taken: branch.to, falls: other.to, reversed: false }
            } else if other.frequency > branch.frequency {
                Ending::BranchesAndJumps { taken: other.to, otherwise: branch.to, reversed: true }
            } else {
                Ending::BranchesAndJumps { taken: branch.to, otherwise: other.to, reversed: false }
            }
        }
        // Several ways without a table are branches of one end that nobody rewrites.
        _ => Ending::Computed(targets()),
    }
}
