//! Which instructions are the same, and how blocks that may end alike find each other.

use sassafras_isa::ControlFlowKind;
use sassafras_machine::{Block, BlockData, MInst};

/// Whether two instructions do the same: form, guard, every field, what it is tied to, order and place. Lines and names do not count.
pub(super) fn same(a: &MInst, b: &MInst) -> bool {
    let MInst { op, target, tied, uniform, scattered, ordered, origin: _, line: _ } = a;
    let marks = (*uniform, *scattered, *ordered) == (b.uniform, b.scattered, b.ordered);
    marks && *op == b.op && *target == b.target && *tied == b.tied
}

/// The branch at a block's end.
pub(super) fn branch(data: &BlockData) -> Option<&MInst> {
    data.insts.last().filter(|last| is_branch(last))
}

pub(super) fn is_branch(inst: &MInst) -> bool {
    inst.inst().is_some_and(|real| real.row().control_flow == Some(ControlFlowKind::Branch))
}

/// Whether negating the guard negates the branch: not where the form has a further condition that is in use.
pub(super) fn inverts(branch: &MInst) -> bool {
    let Some(real) = branch.inst() else { return false };
    !real.guard.is_always()
        && real.row().fields.iter().zip(&real.fields).all(|(f, &value)| !f.read || value == f.default)
}

/// The branch as it would lead to `to`, which is one of the block's two successors.
pub(super) fn towards(data: &BlockData, to: Block) -> Option<MInst> {
    let last = branch(data)?;
    if last.target == Some(to) {
        return Some(last.clone());
    }
    let mut turned = last.clone();
    turned.target = Some(to);
    let real = turned.inst_mut()?;
    real.guard.negate = !real.guard.negate;
    inverts(last).then_some(turned)
}

/// The hash of a block's end: of the last instruction that is no branch, `exit` or trap; 0 if there is none. Equal ends have equal hashes.
/// `h = opcode`, then `h = 37 h + x` for the number of operands and the first two of them.
pub fn hash(data: &BlockData) -> u32 {
    use ControlFlowKind as K;
    let real = data.insts.iter().rev().filter_map(MInst::inst);
    let mut real = real.filter(|real| {
        !matches!(
            real.row().control_flow,
            Some(K::Branch | K::Exit | K::Trap | K::Return | K::IndirectBranch)
        )
    });
    let Some(real) = real.next() else { return 0 };
    let step = |h: u32, x: u64| h.wrapping_mul(37).wrapping_add(x as u32 ^ (x >> 32) as u32);
    let counted = step(u32::from(real.row().opcode), real.fields.len() as u64);
    real.fields.iter().take(2).fold(counted, |h, &value| step(h, value))
}
