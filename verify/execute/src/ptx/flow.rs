//! The blocks of functions, for lock step.

use crate::lockstep::Places;
use sassafras_ptx::checked::{Function, Inst, Module, Op, Operand};
use std::collections::{BTreeMap, BTreeSet};

/// The blocks of a function and where their lanes meet.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// The block that begins at an instruction.
    begins: BTreeMap<u32, usize>,
    pub(super) places: Places,
}

/// By function.
pub(super) fn flows(module: &Module) -> Vec<Flow> {
    module.functions.iter().map(Flow::new).collect()
}

fn ends_block(inst: &Inst) -> bool {
    let over = matches!(inst.op, Op::Ret | Op::Exit | Op::Trap | Op::Brkpt) && inst.guard.is_none();
    over || matches!(inst.op, Op::Bra | Op::BrxIdx)
}

impl Flow {
    fn new(f: &Function) -> Flow {
        let insts = f.insts.as_deref().unwrap_or_default();
        let end = insts.len() as u32;
        let mut starts: BTreeSet<u32> = f.labels.iter().map(|label| label.target).collect();
        starts.insert(0);
        starts.extend((1..=end).filter(|&at| ends_block(&insts[at as usize - 1])));
        let begins: BTreeMap<u32, usize> = starts.into_iter().enumerate().map(|(b, at)| (at, b)).collect();
        let mut succs = vec![BTreeSet::new(); begins.len()];
        let mut ends = vec![false; begins.len()];
        let bounds: Vec<u32> = begins.keys().copied().chain([end]).collect();
        for (block, bound) in bounds.windows(2).enumerate() {
            let body = &insts[bound[0] as usize..bound[1] as usize];
            ends[block] = body.iter().all(|i| matches!(i.op, Op::Ret | Op::Exit | Op::Trap | Op::Brkpt));
            let mut to = |label: &sassafras_ptx::checked::LabelId| {
                succs[block].insert(begins[&f.labels[label.0 as usize].target]);
            };
            let last = body.last();
            match last.map(|i| (i.op, &i.operands[..])) {
                Some((Op::Bra, [Operand::Label(label), ..])) => to(label),
                Some((Op::BrxIdx, [_, Operand::BranchTargets(name), ..])) => {
                    f.branch_targets.get(name).into_iter().flatten().for_each(&mut to);
                }
                _ => {}
            }
            let falls = last.is_none_or(|i| !ends_block(i) || i.guard.is_some());
            if falls && let Some(&next) = begins.get(&bound[1]).filter(|&&next| next != block) {
                succs[block].insert(next);
                ends[block] = false;
            }
        }
        Flow { begins, places: Places::new(succs, ends) }
    }

    pub(super) fn block(&self, pc: u32) -> usize {
        self.begins.range(..=pc).next_back().map_or(0, |(_, &block)| block)
    }

    /// Whether the instruction is the last of its block.
    pub(super) fn is_last(&self, pc: u32) -> bool {
        self.begins.contains_key(&(pc + 1))
    }
}
