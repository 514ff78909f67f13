//! From placement on: where control goes is what the successors say.

use super::instruction::{always, comes_back, ends_thread, kind};
use crate::report::Report;
use crate::rules::Rule;
use sassafras_isa::ControlFlowKind as K;
use sassafras_machine::{Block, Function};
use std::collections::BTreeSet;

/// Compares branches and falling through with the successors.
pub(super) fn check(f: &Function, report: &mut Report) {
    for (position, &block) in f.layout.iter().enumerate() {
        let data = &f.blocks[block];
        let said: BTreeSet<Block> = data.succs.iter().map(|edge| edge.block).collect();
        let mut found = BTreeSet::new();
        let mut falls = true;
        for (i, inst) in data.insts.iter().enumerate() {
            if !falls {
                report.add(Rule::MachineFlow, block, format!("instruction {i} is never reached"));
                break;
            }
            match kind(inst) {
                Some(K::Branch) => {
                    match inst.target {
                        Some(target) => drop(found.insert(target)),
                        None => report.add(Rule::MachineFlow, block, format!("branch {i} has no target")),
                    }
                    falls = !always(inst);
                }
                Some(K::Call) if comes_back(inst) => {}
                Some(K::IndirectBranch | K::Call) => {
                    report.add(Rule::MachineFlow, block, format!("instruction {i} goes to an unknown place"));
                }
                Some(K::Push) if inst.target.is_none() => {
                    report.add(Rule::MachineFlow, block, format!("BSSY {i} has no target"));
                }
                _ => falls = !ends_thread(inst),
            }
        }
        if falls {
            match f.layout.get(position + 1) {
                Some(&next) => drop(found.insert(next)),
                None => report.add(Rule::MachineFlow, block, "the last block falls off the end"),
            }
        }
        if said != found {
            report.add(
                Rule::MachineFlow,
                block,
                format!("control goes to {found:?}, successors are {said:?}"),
            );
        }
    }
}
