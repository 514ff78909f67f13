//! Basic blocks as nvdisasm's graphs show them: what the entry of a function reaches, in the order of addresses.

use super::Labels;
use sassafras_isa::{ControlFlowKind, FieldKind, Inst};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A block, by indices of instructions in the section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its instructions.
    pub range: Range<usize>,
    /// Whether the last one may leave: a jump, a call, a return, an exit.
    pub leaves: bool,
    /// Where jumps go, in the order in which they are named.
    pub targets: Vec<u64>,
    /// Whether the next instruction may follow.
    pub falls: bool,
}

/// What an instruction does to the order of others.
pub(super) struct Flow {
    /// Whether it ends a block.
    pub leaves: bool,
    /// Where it may jump.
    pub targets: Vec<u64>,
    /// Whether the next one may follow.
    pub falls: bool,
}

/// What an instruction at an address of a section does.
pub(super) fn flow(inst: &Inst, address: u64, section: usize, labels: &Labels) -> Flow {
    let fields = &inst.row().fields;
    let target = || {
        let at = fields.iter().position(|f| matches!(f.kind, FieldKind::Target { .. }))?;
        Some(address.wrapping_add(16).wrapping_add(inst.fields[at]))
    };
    // A branch may have a second condition among its operands.
    let given = |(field, value): (&sassafras_isa::Field, &u64)| {
        matches!(field.kind, FieldKind::Register { .. }) && *value != field.default
    };
    // `.DIV` and `.CONV` jump only where the warp is not, or is, together.
    let together = || matches!(inst.enum_text("mode"), Some(".DIV" | ".CONV"));
    let plain = || inst.guard.is_always() && !together() && !fields.iter().zip(&inst.fields).any(given);
    let always = inst.guard.is_always();
    match inst.row().control_flow {
        Some(ControlFlowKind::Branch) => {
            Flow { leaves: true, targets: target().into_iter().collect(), falls: !plain() }
        }
        Some(ControlFlowKind::IndirectBranch) => {
            let mut targets: Vec<u64> = Vec::new();
            for &target in labels.targets(section, address).unwrap_or_default() {
                if !targets.contains(&target) {
                    targets.push(target);
                }
            }
            Flow { leaves: true, targets, falls: !always }
        }
        // A call through a register is no end of a block.
        Some(ControlFlowKind::Call) if !fields.iter().zip(&inst.fields).any(given) => {
            // One to a place inside the function is a jump.
            let inside = target().filter(|&place| !labels.function(section, place));
            Flow { leaves: true, targets: inside.into_iter().collect(), falls: true }
        }
        Some(ControlFlowKind::Return | ControlFlowKind::Exit) => {
            Flow { leaves: true, targets: Vec::new(), falls: !always }
        }
        _ => Flow { leaves: false, targets: Vec::new(), falls: true },
    }
}

/// The blocks of a function whose instructions are `range` of the section's `insts`.
pub fn blocks(insts: &[Inst], range: Range<usize>, section: usize, labels: &Labels) -> Vec<Block> {
    let mut leaders: BTreeSet<usize> = BTreeSet::from([range.start]);
    for i in range.clone() {
        let address = 16 * i as u64;
        if labels.at(section, address).is_some() {
            leaders.insert(i);
        }
        if flow(&insts[i], address, section, labels).leaves {
            leaders.insert(i + 1);
        }
    }
    let starts: Vec<usize> = leaders.into_iter().filter(|i| range.contains(i)).collect();
    let mut all = BTreeMap::new();
    for (k, &start) in starts.iter().enumerate() {
        let end = starts.get(k + 1).copied().unwrap_or(range.end);
        let last = flow(&insts[end - 1], 16 * (end as u64 - 1), section, labels);
        let block = Block {
            range: start..end,
            leaves: last.leaves,
            targets: last.targets,
            falls: last.falls && end < range.end,
        };
        all.insert(start, block);
    }
    let mut seen = BTreeSet::new();
    let mut work = vec![range.start];
    while let Some(start) = work.pop() {
        let Some(block) = all.get(&start).filter(|_| seen.insert(start)) else { continue };
        work.extend(block.targets.iter().filter_map(|t| usize::try_from(t / 16).ok()));
        if block.falls {
            work.push(block.range.end);
        }
    }
    all.into_iter().filter(|(start, _)| seen.contains(start)).map(|(_, block)| block).collect()
}
