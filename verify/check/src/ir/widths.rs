//! How wide the arguments and results of each operation are: as its row in `sassafras_ir::operations` states, or by a rule here.

use crate::report::Report;
use crate::rules::Rule;
use sassafras_ir::operations::Width;
use sassafras_ir::{Function, MemoryAccess, Module, Op, PackedOp};
use sassafras_semantics::matrix::Operand;
use sassafras_semantics::state::{AtomicOp, BarrierMode};
use sassafras_semantics::{FloatFormat, FloatMode, RoutinePart, Space};

/// Checks every instruction that stands in a block.
pub(super) fn check(module: &Module, f: &Function, report: &mut Report) {
    for &inst in f.blocks.values().flat_map(|data| &data.insts) {
        let data = &f.insts[inst];
        // What a guarded load keeps is judged with its guard.
        let guarded = data.guard.is_some() && matches!(data.op, Op::Load(_));
        let taken = if guarded { data.args.len().min(1) } else { data.args.len() };
        let args: Vec<u32> = data.args[..taken].iter().map(|&v| f.values[v].ty.bits()).collect();
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

/// Whether widths are those that the row of the operation states: each letter of it stands for one width.
fn as_stated(op: &Op, (args, results): (&[u32], &[u32])) -> bool {
    let Some((wanted_args, wanted_results)) = op.signature() else { return false };
    if args.len() != wanted_args.len() || results.len() != wanted_results.len() {
        return false;
    }
    let mut open = None;
    let stated = wanted_args.iter().chain(wanted_results);
    stated.zip(args.iter().chain(results)).all(|(stated, &width)| match stated {
        Width::Bits(bits) => width == *bits,
        Width::Format => op.format().is_some_and(|format| format.width() == width),
        Width::Any => *open.get_or_insert(width) == width,
        Width::Number => *open.get_or_insert(width) == width && width > 1,
        Width::Word => *open.get_or_insert(width) == width && matches!(width, 32 | 64),
        Width::Double => open.is_some_and(|single| width == 2 * single),
    })
}

/// Whether the widths are those of a packed operation.
fn packed(kind: PackedOp, format: FloatFormat, mode: FloatMode, (args, results): (&[u32], &[u32])) -> bool {
    let count = match kind {
        PackedOp::Add | PackedOp::Mul => 2,
        PackedOp::Min | PackedOp::Max | PackedOp::MinNan | PackedOp::MaxNan => 2,
        PackedOp::Fma => 3,
        PackedOp::Neg | PackedOp::Abs => 1,
    };
    let is = |width: u32| args == &[width; 3][..count] && results == [width];
    let singles = matches!(kind, PackedOp::Add | PackedOp::Mul | PackedOp::Fma | PackedOp::Neg) && !mode.sat;
    match format {
        FloatFormat::F16 | FloatFormat::Bf16 => is(32),
        FloatFormat::F32 => singles && is(64),
        _ => false,
    }
}

/// Whether the widths are those of an access that takes an address alone.
fn loads(access: &MemoryAccess, args: &[u32], results: &[u32]) -> bool {
    match (args, address_bits(access.space)) {
        (&[address], Some(width)) => {
            address == width && results.len() == usize::from(access.lanes) && element(access, results)
        }
        _ => false,
    }
}

/// Whether the widths are those of an access that takes an address and so many values.
fn stores(access: &MemoryAccess, args: &[u32], count: usize) -> bool {
    match (args, address_bits(access.space)) {
        (&[address, ref values @ ..], Some(width)) => {
            address == width && values.len() == count && element(access, values)
        }
        _ => false,
    }
}

/// Whether the widths are those that an operation has.
fn fits(module: &Module, op: &Op, args: &[u32], results: &[u32]) -> bool {
    let is = |a: &[u32], r: &[u32]| args == a && results == r;
    match *op {
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
        Op::Truncate => matches!((args, results), (&[a], &[r]) if r < a),
        Op::ZeroExtend | Op::SignExtend => matches!((args, results), (&[a], &[r]) if r > a),
        Op::Extract(from) => {
            matches!((args, results), (&[a], &[r]) if u32::from(from) + r <= a && r < a)
        }
        Op::Concat => results.len() == 1 && args.len() > 1 && args.iter().sum::<u32>() == results[0],
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
        Op::Packed { kind, format, mode } => packed(kind, format, mode, (args, results)),
        Op::Load(ref access) => loads(access, args, results),
        Op::Store(ref access) => results.is_empty() && stores(access, args, usize::from(access.lanes)),
        Op::Atomic { op, ref access } => {
            access.lanes == 1
                && results.len() <= 1
                && stores(access, args, if op == AtomicOp::Cas { 2 } else { 1 })
                && element(access, results)
        }
        Op::Barrier { mode, .. } => match mode {
            BarrierMode::Sync | BarrierMode::Arrive => is(&[32, 32, 1], &[]),
            BarrierMode::Popc => is(&[32, 32, 1], &[32]),
            BarrierMode::And | BarrierMode::Or => is(&[32, 32, 1], &[1]),
        },
        Op::SystemCall(call) => {
            let result: Vec<u32> = call.result().into_iter().collect();
            is(call.parameters(), &result)
        }
        Op::Routine(part, routine) => {
            let width = routine.width();
            match part {
                RoutinePart::Call => is(&[width, width], &[width]),
                RoutinePart::Enter => is(&[], &[width, width]),
                RoutinePart::Leave => is(&[width], &[]),
            }
        }
        Op::Mma(m) => {
            let bits = |operand| m.registers(operand) * m.element(operand).register();
            is(&[bits(Operand::A), bits(Operand::B), bits(Operand::C)], &[bits(Operand::D)])
        }
        Op::MatrixLoad(m) => is(&[32], &[32 * m.count]),
        Op::MatrixStore(m) => is(&[32, 32 * m.count], &[]),
        Op::Opaque(op) => is(&op.family().arguments, &op.family().results),
        // The rest has its widths in its row. What has neither does not fit.
        _ => as_stated(op, (args, results)),
    }
}
