//! Bit-vector operations with the meanings of SMT-LIB `QF_BV`.

use super::{Bits, mask};
use crate::domain::{BinaryOp, CompareOp, UnaryOp};

pub(super) fn unary(op: UnaryOp, a: Bits) -> Bits {
    let w = a.width();
    let bits = match op {
        UnaryOp::Not => !a.bits(),
        UnaryOp::Neg => a.bits().wrapping_neg(),
        UnaryOp::Popcount => u128::from(a.bits().count_ones()),
        UnaryOp::LeadingZeros => u128::from(a.bits().leading_zeros() - (128 - w)),
        UnaryOp::Reverse => a.bits().reverse_bits() >> (128 - w),
    };
    Bits::new(w, bits)
}

pub(super) fn binary(op: BinaryOp, a: Bits, b: Bits) -> Bits {
    debug_assert!(a.width() == b.width(), "{op:?} of {a:?} and {b:?}");
    let w = a.width();
    let (x, y) = (a.bits(), b.bits());
    let (sx, sy) = (a.signed(), b.signed());
    let count = (y < u128::from(w)).then_some(y as u32);
    let bits = match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::UDiv => x.checked_div(y).unwrap_or(u128::MAX),
        BinaryOp::URem => x.checked_rem(y).unwrap_or(x),
        // SMT-LIB: bvsdiv by zero is 1 for a negative dividend, else all ones.
        BinaryOp::SDiv if y == 0 => {
            if sx < 0 {
                1
            } else {
                u128::MAX
            }
        }
        BinaryOp::SDiv => sx.wrapping_div(sy) as u128,
        BinaryOp::SRem if y == 0 => x,
        BinaryOp::SRem => sx.wrapping_rem(sy) as u128,
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl => count.map_or(0, |c| x << c),
        BinaryOp::LShr => count.map_or(0, |c| x >> c),
        BinaryOp::AShr => count.map_or(if sx < 0 { mask(w) } else { 0 }, |c| (sx >> c) as u128),
    };
    Bits::new(w, bits)
}

pub(super) fn compare(op: CompareOp, a: Bits, b: Bits) -> Bits {
    debug_assert!(a.width() == b.width(), "{op:?} of {a:?} and {b:?}");
    let holds = match op {
        CompareOp::Eq => a.bits() == b.bits(),
        CompareOp::ULt => a.bits() < b.bits(),
        CompareOp::ULe => a.bits() <= b.bits(),
        CompareOp::SLt => a.signed() < b.signed(),
        CompareOp::SLe => a.signed() <= b.signed(),
    };
    Bits::new(1, u128::from(holds))
}
