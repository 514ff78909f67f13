//! Loops that wait.

use crate::{Block, Function, Inst, Op, Uses};
use sassafras_graph::nest::{Cycle, Nest};
use sassafras_semantics::Ordering;

/// The loops in which a thread may wait for what another thread does: innermost ones that hold an atomic operation whose
/// result is used, or a load whose place others may write meanwhile.
pub fn spins(f: &Function, nest: &Nest<Block>) -> Vec<Cycle> {
    let uses = Uses::new(f);
    let asks = |&inst: &Inst| match &f.insts[inst].op {
        Op::Atomic { .. } => f.insts[inst].results.iter().any(|&value| uses.count(value) > 0),
        Op::Load(access) => !matches!(access.ordering, Ordering::Weak | Ordering::NonCoherent),
        Op::Opaque(op) => {
            !op.family().pure && f.insts[inst].results.iter().any(|&value| uses.count(value) > 0)
        }
        _ => false,
    };
    let mut found: Vec<Cycle> = Vec::new();
    for (block, data) in f.blocks.iter() {
        if let Some(cycle) = nest.innermost(block)
            && data.insts.iter().any(asks)
        {
            found.push(cycle);
        }
    }
    found.sort();
    found.dedup();
    found
}
