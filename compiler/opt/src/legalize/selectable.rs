//! Whether selection accepts a function.

use super::atomic::native;
use super::{lanes, memory};
use sassafras_ir::{Compare, Function, Inst, InstData, Op, Terminator, Type};
use sassafras_semantics::{Approximation, FloatFormat};

/// Something that selection does not accept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: `{operation}` is not selectable: {reason}")]
pub struct Refused {
    /// The instruction; none for a terminator.
    pub inst: Option<Inst>,
    /// 1-based line of the source; 0 if none.
    pub line: u32,
    /// The operation's text.
    pub operation: String,
    /// Why.
    pub reason: &'static str,
}

/// Whether every instruction of the blocks that the entry reaches is in the selectable set: see [`super`].
///
/// # Errors
/// Everything that is not.
pub fn selectable(function: &Function) -> Result<(), Vec<Refused>> {
    let mut all = Vec::new();
    for block in function.reverse_post_order() {
        let data = &function.blocks[block];
        for &inst in &data.insts {
            let data = &function.insts[inst];
            if let Some(reason) = reason(function, data) {
                let operation = sassafras_ir::text::print_op(&data.op);
                all.push(Refused { inst: Some(inst), line: data.line, operation, reason });
            }
        }
        if let Terminator::Switch { .. } = data.terminator {
            all.push(Refused {
                inst: None,
                line: 0,
                operation: "switch".into(),
                reason: "it is a compare tree",
            });
        }
    }
    if all.is_empty() { Ok(()) } else { Err(all) }
}

const I1: u32 = 1;

/// Why an instruction is outside the selectable set; `None` if it is inside.
pub(super) fn reason(f: &Function, data: &InstData) -> Option<&'static str> {
    use FloatFormat::{Bf16, F16, F32, F64};
    let result = data.results.first().map_or(0, |&v| f.ty(v).bits());
    let first = data.args.first().map_or(0, |&v| f.ty(v).bits());
    let unless = |ok: bool, why| if ok { None } else { Some(why) };
    match data.op {
        Op::Const(_) | Op::Undef | Op::Param { .. } | Op::Special(_) | Op::Address(..) => None,
        Op::And | Op::Or | Op::Xor | Op::Not => {
            unless(matches!(result, I1 | 32 | 64), "the width has no form")
        }
        Op::Add | Op::Sub | Op::Neg | Op::Mul | Op::Shl | Op::Shr { .. } => {
            unless(matches!(result, 32 | 64), "the width has no form")
        }
        Op::MulHigh { .. }
        | Op::Min { .. }
        | Op::Max { .. }
        | Op::Abs
        | Op::AddCarry
        | Op::SubBorrow
        | Op::Lop3(_)
        | Op::FunnelShift { .. }
        | Op::BitReverse
        | Op::BitExtract { .. }
        | Op::BitInsert
        | Op::Permute
        | Op::Dot4 { .. } => unless(result == 32, "only 32 bits have a form"),
        Op::Popcount | Op::FindHighest { .. } => unless(first == 32, "only 32 bits have a form"),
        Op::LeadingZeros => Some("it is computed from the highest bit"),
        Op::MulWide { .. } => unless(first == 32, "only 32 bits have a form"),
        Op::Div { .. } | Op::Rem { .. } => Some("there is no division"),
        Op::FDiv(..) | Op::FSqrt(..) => Some("there is no such instruction"),
        Op::Select => unless(matches!(result, I1 | 16 | 32 | 64), "the width has no form"),
        Op::Compare(c) => unless(
            matches!(first, 32 | 64) || first == I1 && matches!(c, Compare::Eq | Compare::Ne),
            "the width has no form",
        ),
        Op::Truncate => unless(
            matches!((first, result), (64, 32) | (32 | 64, 16) | (16 | 32, I1)),
            "the widths have no form",
        ),
        Op::ZeroExtend => unless(
            matches!((first, result), (I1, 16 | 32 | 64) | (16, 32 | 64) | (32, 64)),
            "the widths have no form",
        ),
        Op::SignExtend => {
            unless(matches!((first, result), (I1, 32) | (16, 32 | 64) | (32, 64)), "the widths have no form")
        }
        Op::Extract(low) => unless(
            match result {
                16 => first == 32 && matches!(low, 0 | 16),
                32 => first > 32 && low % 32 == 0,
                64 => first == 128 && low % 64 == 0,
                _ => false,
            },
            "the part has no form",
        ),
        Op::Concat => {
            let n = data.args.len();
            let same = data.args.iter().all(|&v| f.ty(v).bits() == first);
            unless(
                same && matches!((first, n, result), (16, 2, 32) | (32, 2, 64) | (32, 4, 128) | (64, 2, 128)),
                "the parts have no form",
            )
        }
        Op::FloatCompare { .. } | Op::FAdd(..) | Op::FMul(..) | Op::Fma(..) | Op::FNeg(_) | Op::FAbs(_) => {
            None
        }
        Op::FMin { format, .. } | Op::FMax { format, .. } => unless(format != F64, "binary64 has no form"),
        Op::FRound(format, mode) => unless(format != Bf16 && !mode.sat, "the format or `.sat` has no form"),
        Op::Packed { .. } => None,
        Op::FDivCheck => None,
        Op::Approximate { function, ftz } => match function {
            Approximation::Sin | Approximation::Cos => Some("the unit counts turns"),
            Approximation::SinTurns | Approximation::CosTurns | Approximation::Tanh => {
                unless(!ftz, "the unit does not flush here")
            }
            _ => unless(ftz, "the unit flushes subnormals"),
        },
        Op::FloatToFloat { from, to, mode } => unless(
            match (from, to) {
                (F32, F16 | Bf16 | F64) | (F16 | F64, F32) | (F16, F64) | (F64, F16 | Bf16) => !mode.sat,
                (Bf16, F32) => !mode.sat,
                _ => false,
            },
            "the pair of formats has no form",
        ),
        Op::ToFp8 { .. } | Op::FromFp8 { .. } => None,
        Op::FloatToInt { from, bits, .. } => unless(
            matches!((from, bits), (F32, _) | (F64, 32 | 64) | (F16, 32 | 64)),
            "the pair of formats has no form",
        ),
        Op::IntToFloat { bits, to, .. } => unless(
            matches!((to, bits), (F32 | F64 | F16, 32 | 64) | (Bf16, 32)),
            "the pair of formats has no form",
        ),
        Op::Atomic { op, access } => memory::reason(&data.op)
            .or_else(|| unless(native(op, &access), "the hardware has no such atomic operation")),
        Op::Load(_) | Op::Store(_) => memory::reason(&data.op),
        Op::Fence(..) | Op::ToGeneric(_) | Op::FromGeneric(_) | Op::IsSpace(_) => None,
        Op::Shuffle(_) | Op::Redux(_) | Op::Match { .. } | Op::Elect => lanes::reason(f, data),
        Op::Vote(_)
        | Op::ActiveMask
        | Op::WarpSync
        | Op::Barrier { .. }
        | Op::Nanosleep
        | Op::SystemCall(_) => None,
        Op::Opaque(_) | Op::Routine(..) => None,
        Op::Mma(_) | Op::MatrixLoad(_) | Op::MatrixStore(_) | Op::MatrixTranspose => None,
    }
}

/// The type of this width.
pub(super) const fn width(bits: u32) -> Type {
    Type(bits as u8)
}
