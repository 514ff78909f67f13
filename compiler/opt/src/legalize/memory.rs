//! Accesses whose ordering or size no instruction has.
//!
//! An acquiring access is a relaxed one and a fence behind it, a releasing one a fence and a relaxed access (PTX ISA, "Memory
//! Consistency Model": a fence and a relaxed access form the same patterns). Constant memory is loaded eight bytes at a time.

use super::expansion::Expansion;
use sassafras_ir::{Builder, InstData, MemoryAccess, Op, Type, Value};
use sassafras_semantics::{Ordering, Space};
use smallvec::SmallVec;

/// The access of a memory operation.
pub(super) fn access(op: &Op) -> Option<&MemoryAccess> {
    match op {
        Op::Load(access) | Op::Store(access) | Op::Atomic { access, .. } => Some(access),
        _ => None,
    }
}

/// Whether the ordering is written with fences.
fn fenced(ordering: Ordering) -> bool {
    matches!(ordering, Ordering::Acquire | Ordering::Release | Ordering::AcquireRelease)
}

/// Why the ordering or the size has no form.
pub(super) fn reason(op: &Op) -> Option<&'static str> {
    let access = access(op)?;
    if fenced(access.ordering) {
        return Some("the ordering takes a fence");
    }
    let total = u32::from(access.bytes) * u32::from(access.lanes);
    (matches!(access.space, Space::Const | Space::Param) && total > 8)
        .then_some("constants are loaded eight bytes at a time")
}

fn relaxed(op: Op) -> Op {
    let weaken = |access: MemoryAccess| MemoryAccess { ordering: Ordering::Relaxed, ..access };
    match op {
        Op::Load(access) => Op::Load(weaken(access)),
        Op::Store(access) => Op::Store(weaken(access)),
        Op::Atomic { op, access } => Op::Atomic { op, access: weaken(access) },
        other => other,
    }
}

pub(super) fn expand(b: &mut Builder, data: &InstData) -> Expansion {
    let access = *access(&data.op)?;
    if !fenced(access.ordering) {
        return Some(constants(b, data, access));
    }
    let fence = |b: &mut Builder| {
        let inst = b.emit(Op::Fence(Ordering::AcquireRelease, access.scope), &[], &[]);
        b.function.insts[inst].guard = data.guard;
    };
    if matches!(access.ordering, Ordering::Release | Ordering::AcquireRelease) {
        fence(b);
    }
    let types: SmallVec<[Type; 4]> = data.results.iter().map(|&v| b.ty(v)).collect();
    let inst = b.emit(relaxed(data.op), &data.args, &types);
    b.function.insts[inst].guard = data.guard;
    if matches!(access.ordering, Ordering::Acquire | Ordering::AcquireRelease) {
        fence(b);
    }
    Some(b.function.insts[inst].results.clone())
}

fn constants(b: &mut Builder, data: &InstData, access: MemoryAccess) -> SmallVec<[Value; 2]> {
    let mut values = SmallVec::new();
    for (i, &result) in data.results.iter().enumerate() {
        let ty = b.ty(result);
        let offset = access.offset + i as i32 * i32::from(access.bytes);
        let one = MemoryAccess { lanes: 1, offset, ..access };
        if access.bytes < 16 {
            values.push(b.value(Op::Load(one), &data.args, ty));
            continue;
        }
        let half = |more| Op::Load(MemoryAccess { bytes: 8, offset: offset + more, ..one });
        let low = b.value(half(0), &data.args, Type::I64);
        let high = b.value(half(8), &data.args, Type::I64);
        values.push(b.value(Op::Concat, &[low, high], ty));
    }
    values
}
