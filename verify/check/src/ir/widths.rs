//! How wide the arguments and results of each operation are.

use super::Report;
use crate::rules::Rule;
use sassafras_ir::{Function, MemoryAccess, Module, Op, PackedOp};
use sassafras_semantics::matrix::Operand;
use sassafras_semantics::state::{AtomicOp, BarrierMode};
use sassafras_semantics::{FloatFormat, Space};

/// Checks every instruction that stands in a block.
pub(super) fn check(module: &Module, f: &Function, report: &mut Report) {
    for &inst in f.blocks.values().flat_map(|data| &data.insts) {
        let data = &f.insts[inst];
        let args: Vec<u32> = data.args.iter().map(|&v| f.values[v].ty.bits()).collect();
        let results: Vec<u32> = data.results.iter().map(|&v| f.values[v].ty.bits()).collect();
        if !fits(module, &data.op, &args, &results) {
            let what = format!("{:?} takes {args:?} bits and gives {results:?}", data.op);
            report.add(Rule::IrWidth, inst, what);
        }
        if let Op::Param { offset, bytes, signed: _ } = data.op
            && u64::from(offset) + u64::from(bytes) > u64::from(f.param_size)
        {
            let what = format!("{bytes} bytes at {offset} of {} bytes of parameters", f.param_size);
            report.add(Rule::IrParameter, inst, what);
        }
    }
}

fn address_bits(space: Space) -> Option<u32> {
    match space {
        Space::Generic | Space::Global => Some(64),
        Space::Shared | Space::Local | Space::Const | Space::Param => Some(32),
        Space::Bank(_) => None,
    }
}

/// Whether an element in memory can be carried by values of this width, and what the access says makes sense.
fn element(access: &MemoryAccess, carried: &[u32]) -> bool {
    let &MemoryAccess { space: _, bytes, lanes, signed: _, ordering: _, scope: _, offset: _, cache: _ } =
        access;
    [1, 2, 4, 8, 16].contains(&bytes)
        && [1, 2, 4].contains(&lanes)
        && carried.iter().all(|&width| width > 1 && width >= 8 * u32::from(bytes))
}

/// Operations on one width: so many arguments, one result.
fn alike(count: usize, args: &[u32], results: &[u32]) -> bool {
    args.len() == count && results.len() == 1 && args.iter().all(|a| *a == results[0])
}

fn fits(module: &Module, op: &Op, args: &[u32], results: &[u32]) -> bool {
    let is = |a: &[u32], r: &[u32]| args == a && results == r;
    let float = |count: usize, width: u32| alike(count, args, results) && results[0] == width;
    match *op {
        Op::Const(_) | Op::Undef => args.is_empty() && results.len() == 1,
        Op::Param { offset: _, bytes, signed: _ } => {
            let width = u32::from(bytes) * 8;
            args.is_empty()
                && results.len() == 1
                && [8, 16, 32, 64, 128].contains(&width)
                && width <= results[0]
        }
        Op::Special(register) => is(&[], &[register.width()]),
        Op::Address(variable, _) => {
            address_bits(module.variables[variable].space).is_some_and(|width| is(&[], &[width]))
        }
        Op::Add | Op::Sub | Op::Mul => alike(2, args, results) && results[0] > 1,
        Op::MulHigh { signed: _ } | Op::Div { signed: _ } | Op::Rem { signed: _ } => {
            alike(2, args, results) && results[0] > 1
        }
        Op::Min { signed: _ } | Op::Max { signed: _ } => alike(2, args, results) && results[0] > 1,
        Op::MulWide { signed: _ } => {
            matches!((args, results), (&[a, b], &[r]) if a == b && r == 2 * a && a > 1)
        }
        Op::AddCarry | Op::SubBorrow => {
            matches!((args, results), (&[a, b, 1], &[r, 1]) if a == b && a == r && a > 1)
        }
        Op::Neg | Op::Abs => alike(1, args, results) && results[0] > 1,
        Op::And | Op::Or | Op::Xor => alike(2, args, results),
        Op::Not => alike(1, args, results),
        Op::Lop3(_) | Op::FunnelShift { left: _, wrap: _ } | Op::Permute => is(&[32, 32, 32], &[32]),
        Op::Dot4 { a_signed: _, b_signed: _ } => is(&[32, 32, 32], &[32]),
        Op::Shl | Op::Shr { signed: _ } => matches!((args, results), (&[a, 32], &[r]) if a == r && a > 1),
        Op::Popcount | Op::LeadingZeros | Op::FindHighest { signed: _, shift_amount: _ } => {
            matches!((args, results), (&[32 | 64], &[32]))
        }
        Op::BitReverse => alike(1, args, results) && results[0] > 1,
        Op::BitExtract { signed: _ } => matches!((args, results), (&[a, 32, 32], &[r]) if a == r && a > 1),
        Op::BitInsert => {
            matches!((args, results), (&[a, b, 32, 32], &[r]) if a == r && b == r && r > 1)
        }
        Op::Truncate => matches!((args, results), (&[a], &[r]) if r < a),
        Op::ZeroExtend | Op::SignExtend => matches!((args, results), (&[a], &[r]) if r > a),
        Op::Extract(from) => {
            matches!((args, results), (&[a], &[r]) if u32::from(from) + r <= a && r < a)
        }
        Op::Concat => results.len() == 1 && args.len() > 1 && args.iter().sum::<u32>() == results[0],
        Op::Compare(_) => matches!((args, results), (&[a, b], &[1]) if a == b),
        Op::FloatCompare { compare: _, format, ftz: _ } => is(&[format.width(); 2], &[1]),
        Op::Select => matches!((args, results), (&[1, a, b], &[r]) if a == b && a == r),
        Op::FAdd(format, _) | Op::FMul(format, _) | Op::FDiv(format, _) => float(2, format.width()),
        Op::Fma(format, _) => float(3, format.width()),
        Op::FSqrt(format, _) | Op::FRound(format, _) => float(1, format.width()),
        Op::FNeg(format) | Op::FAbs(format) => float(1, format.width()),
        Op::FMin { format, ftz: _, nan: _ } | Op::FMax { format, ftz: _, nan: _ } => float(2, format.width()),
        Op::Approximate { function: _, ftz: _ } => is(&[32], &[32]),
        Op::FloatToFloat { from, to, mode: _ } => is(&[from.width()], &[to.width()]),
        Op::ToFp8 { from, to, relu: _ } => match from {
            FloatFormat::F32 => to.is_fp8() && is(&[32, 32], &[16]),
            FloatFormat::F16 => to.is_fp8() && is(&[32], &[16]),
            _ => false,
        },
        Op::FromFp8 { from, relu: _ } => from.is_fp8() && is(&[16], &[32]),
        Op::FloatToInt { from, signed: _, bits, mode: _ } => {
            matches!((args, results), (&[a], &[r]) if a == from.width() && r >= u32::from(bits) && r > 1)
        }
        Op::IntToFloat { signed: _, bits, to, mode: _ } => {
            matches!((args, results), (&[a], &[r]) if r == to.width() && a >= u32::from(bits) && a > 1)
        }
        Op::Packed { kind, format, mode: _ } => {
            let count = match kind {
                PackedOp::Add | PackedOp::Mul => 2,
                PackedOp::Min | PackedOp::Max | PackedOp::MinNan | PackedOp::MaxNan => 2,
                PackedOp::Fma => 3,
                PackedOp::Neg | PackedOp::Abs => 1,
            };
            format.width() == 16 && alike(count, args, results) && results[0] == 32
        }
        Op::Load(ref access) => match (args, address_bits(access.space)) {
            (&[address], Some(width)) => {
                address == width && results.len() == usize::from(access.lanes) && element(access, results)
            }
            _ => false,
        },
        Op::Store(ref access) => match (args, address_bits(access.space)) {
            (&[address, ref values @ ..], Some(width)) => {
                address == width
                    && results.is_empty()
                    && values.len() == usize::from(access.lanes)
                    && element(access, values)
            }
            _ => false,
        },
        Op::Atomic { op, ref access } => match (args, address_bits(access.space)) {
            (&[address, ref values @ ..], Some(width)) => {
                address == width
                    && access.lanes == 1
                    && values.len() == if op == AtomicOp::Cas { 2 } else { 1 }
                    && results.len() <= 1
                    && element(access, values)
                    && element(access, results)
            }
            _ => false,
        },
        Op::Fence(_, _) => is(&[], &[]),
        Op::ToGeneric(_) | Op::FromGeneric(_) => is(&[64], &[64]),
        Op::IsSpace(_) => is(&[64], &[1]),
        Op::Shuffle(_) => is(&[32; 4], &[32, 1]),
        Op::Vote(_) => is(&[1, 32], &[32, 1]),
        Op::Match { all: _ } => matches!((args, results), (&[32 | 64, 32], &[32, 1])),
        Op::Redux(_) => is(&[32, 32], &[32]),
        Op::ActiveMask => is(&[], &[32]),
        Op::Elect => is(&[32], &[32, 1]),
        Op::WarpSync => is(&[32], &[]),
        Op::Barrier(mode) => match mode {
            BarrierMode::Sync | BarrierMode::Arrive => is(&[32, 32, 1], &[]),
            BarrierMode::Popc => is(&[32, 32, 1], &[32]),
            BarrierMode::And | BarrierMode::Or => is(&[32, 32, 1], &[1]),
        },
        Op::Nanosleep => is(&[32], &[]),
        Op::SystemCall(call) => {
            let result: Vec<u32> = call.result().into_iter().collect();
            is(call.parameters(), &result)
        }
        Op::Mma(m) => {
            let bits = |operand| m.registers(operand) * m.element(operand).register();
            is(&[bits(Operand::A), bits(Operand::B), bits(Operand::C)], &[bits(Operand::D)])
        }
        Op::MatrixLoad(m) => is(&[32], &[32 * m.count]),
        Op::MatrixStore(m) => is(&[32, 32 * m.count], &[]),
        Op::MatrixTranspose => is(&[32], &[32]),
        Op::Opaque(op) => is(&op.family().arguments, &op.family().results),
    }
}
