//! The order of blocks changes no branch's sense; the frame is taken off the stack pointer.

use super::instruction::{always, ends_thread, kind};
use crate::report::Report;
use crate::rules::Rule;
use sassafras_hazards::Verdict;
use sassafras_isa::{ControlFlowKind as K, Guard, Meaning, RegClass};
use sassafras_machine::{Block, Function, MInst, Reg};

/// The stack pointer.
const STACK: Reg = Reg::Physical(1);

/// Where control comes to: through blocks without instructions; none where the thread ends at once.
fn destination(f: &Function, mut block: Block) -> Option<Block> {
    for _ in 0..f.layout.len() {
        let Some(data) = f.blocks.get(block) else { break };
        match (&data.insts[..], &data.succs[..]) {
            ([], [edge]) => block = edge.block,
            ([only], []) if ends_thread(only) => return None,
            _ => break,
        }
    }
    Some(block)
}

/// The condition at the block's end and where it leads: that of a branch, or, where placement has put the end of the
/// thread in place of a jump to it, that of an exit.
fn condition(f: &Function, block: Block) -> Option<(Guard, Option<Block>)> {
    let guarded = |wanted: K| {
        let mut insts = f.blocks[block].insts.iter().rev();
        insts.find(|inst| kind(inst) == Some(wanted) && !always(inst))
    };
    match guarded(K::Branch) {
        Some(branch) => branch.inst().map(|inst| inst.guard).zip(branch.target.map(Some)),
        None => guarded(K::Exit).and_then(|exit| exit.inst()).map(|inst| (inst.guard, None)),
    }
}

/// Judges the placement of blocks: a condition leads to the same side as before, or its opposite to the other side.
pub fn check_placement(before: &Function, after: &Function) -> Verdict {
    let mut report = Report::of(&after.name);
    let kept: std::collections::HashSet<Block> = after.layout.iter().copied().collect();
    for &block in before.layout.iter().filter(|b| kept.contains(b)) {
        let [a, b] = &before.blocks[block].succs[..] else { continue };
        let Some((was, Some(to))) = condition(before, block) else { continue };
        let other = if a.block == to { b.block } else { a.block };
        let (to, other) = (destination(before, to), destination(before, other));
        let found = condition(after, block).map(|(is, at)| (is, at.and_then(|at| destination(before, at))));
        let opposite = Guard { negate: !was.negate, ..was };
        let fine = match found {
            Some((is, at)) => (at == to && is == was) || (at == other && is == opposite),
            None => false,
        };
        if !fine && to != other {
            let what = format!("{was:?} led to {to:?}, else to {other:?}; now {found:?}");
            report.add(Rule::MachineSense, block, what);
        }
    }
    report.verdict()
}

fn writes_stack(inst: &MInst) -> bool {
    inst.defs().any(|d| d.class == RegClass::R && d.reg == STACK)
}

/// A function with a frame takes its size off the stack pointer, once, before it uses it.
pub(super) fn frame(f: &Function, report: &mut Report) {
    let size = f.frame.size();
    if size == 0 {
        return;
    }
    let entry = &f.blocks[f.entry].insts;
    let takes = |inst: &MInst| {
        inst.inst().is_some_and(|real| {
            real.row().meaning == Meaning::Iadd3
                && real.guard.is_always()
                && real.get("d") == Some(1)
                && real.get("a") == Some(1)
                && real.get("b").is_some_and(|b| b as u32 == size.wrapping_neg())
        })
    };
    let Some(at) = entry.iter().position(takes) else {
        report.add(Rule::MachineFrame, f.entry, format!("the stack pointer is not lowered by {size} bytes"));
        return;
    };
    // Other uses of R1 stand behind it, but for the one that fetches it.
    let early = entry[..at].iter().any(|inst| inst.uses().any(|u| u.class == RegClass::R && u.reg == STACK));
    let again = f.insts().any(|(b, i, inst)| writes_stack(inst) && (b != f.entry || i > at));
    if early || again {
        report.add(
            Rule::MachineFrame,
            f.entry,
            "the stack pointer is used before it is lowered, or written again",
        );
    }
}
