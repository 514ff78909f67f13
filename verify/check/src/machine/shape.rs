//! Layout, edges, and how blocks end before placement.

use super::instruction::{always, comes_back, ends_thread, kind};
use crate::report::Report;
use crate::rules::Rule;
use rustc_hash::FxHashSet;
use sassafras_isa::ControlFlowKind;
use sassafras_machine::{Function, MInst, Phase};

/// Blocks that are named exist and are listed once. False when one is not, so that nothing else can be asked.
pub(super) fn layout(f: &Function, report: &mut Report) -> bool {
    let before = report.len();
    let mut listed = FxHashSet::default();
    for &block in &f.layout {
        if f.blocks.get(block).is_none() {
            report.add(Rule::MachineLayout, block, "it does not exist");
        } else if !listed.insert(block) {
            report.add(Rule::MachineLayout, block, "it is listed twice");
        }
    }
    if f.layout.first() != Some(&f.entry) {
        report.add(Rule::MachineLayout, f.entry, "the entry is not the first block");
    }
    for &block in f.layout.iter().filter(|&&b| f.blocks.get(b).is_some()) {
        let data = &f.blocks[block];
        let targets = data.insts.iter().filter_map(|inst| inst.target);
        for to in data.succs.iter().map(|edge| edge.block).chain(targets).filter(|to| !listed.contains(to)) {
            report.add(Rule::MachineLayout, block, format!("it names {to}, which is not in the layout"));
        }
    }
    report.len() == before
}

/// The entry is entered once; arguments fit parameters; none are left after allocation.
pub(super) fn edges(f: &Function, report: &mut Report) {
    if !f.blocks[f.entry].params.is_empty() {
        report.add(Rule::MachineEntry, f.entry, "the entry has parameters");
    }
    for &block in &f.layout {
        let data = &f.blocks[block];
        if f.phase != Phase::Ssa && !data.params.is_empty() {
            report.add(Rule::MachineVirtual, block, "it has parameters after allocation");
        }
        for edge in &data.succs {
            let params = &f.blocks[edge.block].params;
            if edge.block == f.entry {
                report.add(Rule::MachineEntry, block, "it leads back to the entry");
            }
            if f.phase != Phase::Ssa && !edge.args.is_empty() {
                report.add(Rule::MachineVirtual, block, "an edge has arguments after allocation");
            }
            if params.len() != edge.args.len() {
                let counts = format!("{} arguments for {}", edge.args.len(), params.len());
                report.add(Rule::MachineEdge, block, format!("{counts} parameters of {}", edge.block));
            }
            for (arg, param) in edge.args.iter().zip(params) {
                let (has, wants) = (f.vregs.get(*arg), f.vregs.get(*param));
                if has.is_none() || has != wants {
                    report.add(
                        Rule::MachineEdge,
                        block,
                        format!("{arg} is passed for {param}, of another kind"),
                    );
                }
            }
        }
    }
}

fn is_branch(inst: &MInst) -> bool {
    use ControlFlowKind as K;
    !comes_back(inst) && matches!(kind(inst), Some(K::Branch | K::IndirectBranch | K::Call))
}

/// The three ways to end a block before placement.
pub(super) fn before_placement(f: &Function, report: &mut Report) {
    for &block in &f.layout {
        let data = &f.blocks[block];
        let (last, rest) = match data.insts.split_last() {
            Some((last, rest)) => (Some(last), rest),
            None => (None, &[][..]),
        };
        if let Some(at) = rest.iter().position(|inst| is_branch(inst) || ends_thread(inst)) {
            report.add(Rule::MachineShape, block, format!("control leaves at {at}, before the end"));
        }
        let fault = match (&data.succs[..], last) {
            ([], Some(last)) if ends_thread(last) => None,
            ([], _) => Some("no successor, and the thread does not end"),
            ([_], Some(last)) if is_branch(last) || ends_thread(last) => Some("one successor, and a branch"),
            ([_], _) => None,
            ([first, _], Some(last)) if kind(last) == Some(ControlFlowKind::Branch) => {
                match (always(last), last.target == Some(first.block)) {
                    (true, _) => Some("two successors, and a branch that is always taken"),
                    (_, false) => Some("the branch does not go to the first successor"),
                    _ => None,
                }
            }
            ([_, _], _) => Some("two successors, and no branch"),
            _ => Some("more than two successors"),
        };
        fault.into_iter().for_each(|fault| report.add(Rule::MachineShape, block, fault));
    }
}
