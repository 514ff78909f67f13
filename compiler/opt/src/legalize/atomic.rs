//! Atomic operations that the hardware lacks: loops around compare-and-swap.

use super::expansion::Expansion;
use sassafras_ir::{Block, Builder, Compare, Edge, InstData, MemoryAccess, Op, Type, Value};
use sassafras_semantics::{AtomicOp, FloatFormat, FloatMode, Ordering, Space};
use smallvec::smallvec;

/// Whether one instruction does it. Exchanges and compare-and-swap have 32, 64 or 128 bits. In shared memory there are 32-bit integers besides; in global memory and
/// by generic address 32- and 64-bit integers and the sums of floats but for single halves. Source: what ptxas emits for sm_90.
pub fn native(op: AtomicOp, access: &MemoryAccess) -> bool {
    let shared = access.space == Space::Shared;
    let wide = access.bytes == 8;
    match op {
        AtomicOp::Exch | AtomicOp::Cas => matches!(access.bytes, 4 | 8 | 16),
        AtomicOp::Add | AtomicOp::SMin | AtomicOp::SMax | AtomicOp::UMin | AtomicOp::UMax => {
            matches!(access.bytes, 4 | 8) && !(shared && wide)
        }
        AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => matches!(access.bytes, 4 | 8) && !(shared && wide),
        AtomicOp::Inc | AtomicOp::Dec => access.bytes == 4,
        AtomicOp::AddF32 { ftz } => !shared && ftz,
        AtomicOp::AddF64 | AtomicOp::AddF16x2 | AtomicOp::AddBf16x2 => !shared,
        AtomicOp::AddF16 | AtomicOp::AddBf16 => false,
        AtomicOp::MinF32 { .. } | AtomicOp::MaxF32 { .. } => false,
    }
}

/// `old = load; do { new = f(old); seen = cas(old, new) } while (seen != old, old = seen)`.
pub(super) fn expand(b: &mut Builder, data: &InstData) -> Expansion {
    let Op::Atomic { op, access } = data.op else { return None };
    let ty = match access.bytes {
        2 => Type::I16,
        4 => Type::I32,
        8 => Type::I64,
        _ => return None,
    };
    let (address, operand) = (data.args[0], *data.args.get(1)?);
    let after = b.function.add_block();
    if let Some(guard) = data.guard {
        let inside = b.function.add_block();
        let (yes, no) = (Edge::new(inside, &[]), Edge::new(after, &[]));
        let (yes, no) = if guard.negate { (no, yes) } else { (yes, no) };
        b.branch(guard.value, yes, no);
        b.block = inside;
    }
    if access.bytes == 2 {
        return half_word(b, data, op, access, after);
    }
    let first = MemoryAccess { ordering: Ordering::Relaxed, ..access };
    let load = b.value(Op::Load(first), &[address], ty);
    let again = b.function.add_block();
    b.jump(again, &[load]);
    let old = b.function.add_param(again, ty);
    b.block = again;
    let new = combine(b, op, ty, old, operand)?;
    let seen = b.value(Op::Atomic { op: AtomicOp::Cas, access }, &[address, old, new], ty);
    let done = b.compare(Compare::Eq, seen, old);
    b.branch(done, Edge::new(after, &[]), Edge::new(again, &[seen]));
    b.block = after;
    Some(smallvec![old])
}

/// Sixteen bits within the word around them: the other half is written back as it was read, or the swap fails.
fn half_word(
    b: &mut Builder,
    data: &InstData,
    op: AtomicOp,
    access: MemoryAccess,
    after: Block,
) -> Expansion {
    let ty = b.ty(data.args[0]);
    let more = b.constant(ty, i128::from(access.offset) as u128);
    let address = b.add(data.args[0], more);
    let mask = b.constant(ty, !3);
    let around = b.and(address, mask);
    let place = if ty == Type::I64 { b.low(address) } else { address };
    let two = b.i32(2);
    let place = b.and(place, two);
    let place = b.shl_by(place, 3);
    let ones = b.i32(0xffff);
    let here = b.shl(ones, place);
    let others = b.not(here);
    let word = MemoryAccess { bytes: 4, offset: 0, signed: false, ..access };
    let first = MemoryAccess { ordering: Ordering::Relaxed, ..word };
    let load = b.value(Op::Load(first), &[around], Type::I32);
    let again = b.function.add_block();
    b.jump(again, &[load]);
    let old = b.function.add_param(again, Type::I32);
    b.block = again;
    let shifted = b.lshr(old, place);
    let half = b.truncate(shifted, Type::I16);
    let operand = data.args[1];
    let new = match op {
        AtomicOp::Cas => {
            let (seen, wanted) = (b.zext(half, Type::I32), b.zext(operand, Type::I32));
            let equal = b.compare(Compare::Eq, seen, wanted);
            b.select(equal, *data.args.get(2)?, half)
        }
        AtomicOp::Exch => operand,
        _ => combine(b, op, Type::I16, half, operand)?,
    };
    let new = b.zext(new, Type::I32);
    let new = b.shl(new, place);
    let kept = b.and(old, others);
    let new = b.or(kept, new);
    let swap = Op::Atomic { op: AtomicOp::Cas, access: word };
    let seen = b.value(swap, &[around, old, new], Type::I32);
    let done = b.compare(Compare::Eq, seen, old);
    b.branch(done, Edge::new(after, &[]), Edge::new(again, &[seen]));
    b.block = after;
    Some(smallvec![half])
}

fn combine(b: &mut Builder, op: AtomicOp, ty: Type, old: Value, x: Value) -> Option<Value> {
    let mode = FloatMode::default();
    let packed = |format| Op::Packed { kind: sassafras_ir::PackedOp::Add, format, mode };
    let op = match op {
        AtomicOp::Add => Op::Add,
        AtomicOp::SMin => Op::Min { signed: true },
        AtomicOp::SMax => Op::Max { signed: true },
        AtomicOp::UMin => Op::Min { signed: false },
        AtomicOp::UMax => Op::Max { signed: false },
        AtomicOp::And => Op::And,
        AtomicOp::Or => Op::Or,
        AtomicOp::Xor => Op::Xor,
        AtomicOp::AddF32 { ftz } => Op::FAdd(FloatFormat::F32, FloatMode { ftz, ..mode }),
        AtomicOp::AddF64 => Op::FAdd(FloatFormat::F64, mode),
        AtomicOp::AddF16x2 => packed(FloatFormat::F16),
        AtomicOp::AddBf16x2 => packed(FloatFormat::Bf16),
        AtomicOp::AddF16 => Op::FAdd(FloatFormat::F16, mode),
        AtomicOp::AddBf16 => Op::FAdd(FloatFormat::Bf16, mode),
        AtomicOp::Exch | AtomicOp::Cas | AtomicOp::Inc | AtomicOp::Dec => return None,
        // No instruction has them of memory.
        AtomicOp::MinF32 { .. } | AtomicOp::MaxF32 { .. } => return None,
    };
    Some(b.value(op, &[old, x], ty))
}
