//! Symbols, loops over memory, branches.

use super::found::{Found, ty};
use crate::view::{Value, View};
use sassafras_ptx::checked::{AddressBase, Op, Operand, Type};

/// A variable's address that is taken apart.
pub fn unpack_symbol(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    let [Operand::Vector(_), Operand::Symbol(..)] = &inst.operands[..] else { return None };
    (inst.op == Op::Mov && ty(inst, 0) == Some(Type::B(64))).then(Found::default)
}

/// An initialisation of barrier objects in a loop that steps its address by 8 and does nothing else.
pub fn mbarrier_init_loop(view: &View<'_>, at: usize) -> Option<Found> {
    let inst = &view.insts[at];
    if inst.op != Op::Mbarrier || inst.mods.words.first() != Some(&"init") {
        return None;
    }
    let Some(Operand::Address(AddressBase::Register(address), _)) = inst.operands.first() else {
        return None;
    };
    // The branch back, and the label before.
    let back = view.insts.iter().enumerate().skip(at).find_map(|(n, i)| match i.operands.first() {
        Some(Operand::Label(label)) if i.op == Op::Bra => {
            let target = view.function.labels[label.0 as usize].target as usize;
            (target <= at && i.guard.is_some()).then_some((target, n))
        }
        _ => None,
    })?;
    let mut body = back.0..back.1;
    let step = |n: usize| {
        let i = &view.insts[n];
        let steps = i.operands.get(2).is_some_and(|o| view.constant(n, o) == Some(8));
        i.op == Op::Add && i.operands.first() == Some(&Operand::Register(*address)) && steps
    };
    let plain = |n: usize| matches!(view.insts[n].op, Op::Mbarrier | Op::Add | Op::Sub | Op::Setp | Op::Mov);
    if !body.clone().any(step) || !body.clone().all(plain) {
        return None;
    }
    // How often, where the bound is the sum of the first address and a constant. Loops of 40 to 66 were seen to be wrong, of 36 and 72 right.
    let bytes = body.find(|&n| view.insts[n].op == Op::Setp).and_then(|n| {
        let add = view.source(n, view.insts[n].operands.get(2)?, Op::Add)?;
        view.constant(add, view.insts[add].operands.get(2)?)
    });
    bytes.is_none_or(|b| (8 * 37..8 * 72).contains(&b)).then(Found::default)
}

/// 0x3f800000 and all ones, the results of two kinds of `set`, of which a branch around one chooses.
pub fn vanished_branch(view: &View<'_>, at: usize) -> Option<Found> {
    const ONE: u32 = 0x3f80_0000;
    let constant = |w: usize| {
        let inst = &view.insts[w];
        let constants = || inst.operands.iter().skip(1).filter_map(|o| view.constant(w, o)).map(|c| c as u32);
        match inst.op {
            Op::Mov if inst.guard.is_none() => constants().next(),
            Op::Or if inst.guard.is_none() => constants().find(|c| *c == u32::MAX),
            _ => None,
        }
    };
    let Some(Operand::Register(result)) = view.insts[at].operands.first() else { return None };
    // The only instruction of its block: a branch under a guard stands before it, and leads behind it.
    let before = at.checked_sub(1)?;
    let branch = &view.insts[before];
    let Some(Operand::Label(label)) = branch.operands.first() else { return None };
    let behind = view.function.labels[label.0 as usize].target as usize == at + 1;
    if branch.op != Op::Bra || branch.guard.is_none() || !behind {
        return None;
    }
    let first = view.definition(Value { at: before, register: *result })?;
    let values = [constant(first)?, constant(at)?];
    (values == [ONE, u32::MAX] || values == [u32::MAX, ONE]).then(Found::default)
}
