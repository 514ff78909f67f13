//! Branches of an order: how many there are, and how often they are taken.

use crate::{Ending, Flow, Node, endings};

/// Numbers about one order. Frequencies are in the unit of the flow's.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Statistics {
    /// Conditional branches.
    pub conditional: u64,
    /// How often they are taken.
    pub conditional_taken: f64,
    /// Unconditional branches.
    pub unconditional: u64,
    /// How often they are run.
    pub unconditional_taken: f64,
}

/// Counts the branches of the ends that an order gives its blocks. Computed branches and ends that cannot be rewritten are none of them.
pub fn statistics(flow: &Flow, order: &[Node]) -> Statistics {
    let mut found = Statistics::default();
    for (&node, ending) in order.iter().zip(endings(flow, order)) {
        match ending {
            Ending::Leaves | Ending::Falls(_) | Ending::Computed(_) | Ending::Fixed(_) => {}
            Ending::Jumps(to) => {
                found.unconditional += 1;
                found.unconditional_taken += flow.frequency(node, to);
            }
            Ending::Branches { taken, .. } => {
                found.conditional += 1;
                found.conditional_taken += flow.frequency(node, taken);
            }
            Ending::BranchesAndJumps { taken, otherwise, .. } => {
                found.conditional += 1;
                found.conditional_taken += flow.frequency(node, taken);
                found.unconditional += 1;
                found.unconditional_taken += flow.frequency(node, otherwise);
            }
        }
    }
    found
}
