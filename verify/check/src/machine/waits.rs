//! Convergence barriers that wait for each other: P2 of `docs/convergence.md`, from what is open at each BSYNC.
//!
//! Lanes that are blocked at a barrier are waited for at every other barrier that they are in. All lanes that are in a barrier count,
//! whichever BSSY put them there, as the hardware's do (C8): so the relation is one of numbers. If it has no cycle, some blocked
//! lane waits for lanes that are not blocked.

use crate::report::Report;
use crate::rules::Rule;
use sassafras_machine::Block;
use std::collections::{BTreeMap, BTreeSet};

/// A BSYNC.
pub(super) struct Wait {
    pub block: Block,
    /// Of the instruction in its block.
    pub index: usize,
    /// The barrier at which lanes wait.
    pub barrier: u16,
    /// The others that they are in.
    pub inside: Vec<u16>,
}

/// Objects to each way in which one barrier holds up another that holds up the first, maybe through more of them; once for each
/// two barriers.
pub(super) fn check(waits: &[Wait], report: &mut Report) {
    let mut holds_up: BTreeMap<u16, BTreeSet<u16>> = BTreeMap::new();
    for wait in waits {
        holds_up.entry(wait.barrier).or_default().extend(&wait.inside);
    }
    let mut said = BTreeSet::new();
    for Wait { block, index, barrier, inside } in waits {
        for &other in inside {
            if held_up(&holds_up, other).contains(barrier) && said.insert((*barrier, other)) {
                report.add(
                    Rule::ConvergeWait,
                    format!("{block}, instruction {index}"),
                    format!("B{other} waits for lanes that wait at B{barrier}, which elsewhere waits for lanes at B{other}"),
                );
            }
        }
    }
}

/// The barriers that do not open before lanes have left this one.
fn held_up(holds_up: &BTreeMap<u16, BTreeSet<u16>>, barrier: u16) -> BTreeSet<u16> {
    let (mut found, mut work) = (BTreeSet::new(), vec![barrier]);
    while let Some(at) = work.pop() {
        work.extend(holds_up.get(&at).into_iter().flatten().filter(|&&other| found.insert(other)));
    }
    found
}
