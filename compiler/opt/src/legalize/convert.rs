//! Conversions and extrema that are missing.

use super::expansion::Expansion;
use super::parts::NEAREST;
use sassafras_ir::{Builder, Compare, FloatCompare, InstData, Op, Type, Value};
use sassafras_semantics::{FloatFormat, FloatMode, Rounding};
use smallvec::smallvec;

use FloatFormat::{Bf16, F16, F32, F64};

fn type_of(format: FloatFormat) -> Type {
    Type(format.width() as u8)
}

fn one(format: FloatFormat) -> u128 {
    format.one().into()
}

fn change(b: &mut Builder, from: FloatFormat, to: FloatFormat, mode: FloatMode, a: Value) -> Value {
    if from == to { a } else { b.value(Op::FloatToFloat { from, to, mode }, &[a], type_of(to)) }
}

pub(super) fn expand(b: &mut Builder, data: &InstData) -> Expansion {
    let a = data.args[0];
    let result = *data.results.first()?;
    let result = b.ty(result);
    let value = match data.op {
        Op::FloatToFloat { from, to, mode } if mode.sat => {
            let plain = FloatMode { sat: false, ..mode };
            if to == F64 {
                let a = saturate(b, from, a, mode.ftz);
                change(b, from, to, plain, a)
            } else {
                let r = change(b, from, to, plain, a);
                saturate(b, to, r, false)
            }
        }
        Op::FloatToFloat { from, to, mode } => match (from, to) {
            _ if from == to => {
                let c = b.constant(type_of(from), one(from));
                b.same(Op::FMul(from, mode), &[a, c])
            }
            (Bf16, _) | (F16, Bf16) => {
                // Exact in binary32.
                let wide = change(b, from, F32, NEAREST, a);
                change(b, F32, to, mode, wide)
            }
            _ => return None,
        },
        Op::FloatToInt { from: from @ (Bf16 | F16), signed, bits, mode } => {
            let wide = change(b, from, F32, NEAREST, a);
            b.value(Op::FloatToInt { from: F32, signed, bits, mode }, &[wide], result)
        }
        Op::FloatToInt { from: F64, signed, bits, mode } => narrow(b, a, signed, bits, mode),
        Op::IntToFloat { signed, bits, to, mode } => {
            if bits < 32 {
                let wide = extended(b, a, signed, bits);
                b.value(Op::IntToFloat { signed, bits: 32, to, mode }, &[wide], result)
            } else {
                // To bfloat16 from 64 bits, by way of a binary32 whose last bit remembers what was lost.
                let odd = odd(b, a, signed, bits);
                change(b, F32, to, mode, odd)
            }
        }
        Op::FRound(format, mode) if mode.sat => {
            let plain = FloatMode { sat: false, ..mode };
            let r = b.value(Op::FRound(format, plain), &[a], result);
            saturate(b, format, r, false)
        }
        Op::FRound(Bf16, mode) => {
            let wide = change(b, Bf16, F32, NEAREST, a);
            let r = b.value(Op::FRound(F32, mode), &[wide], Type::I32);
            change(b, F32, Bf16, NEAREST, r)
        }
        _ => return None,
    };
    Some(smallvec![value])
}

/// Clamped to [+0, 1]; NaN becomes +0.
fn saturate(b: &mut Builder, format: FloatFormat, a: Value, ftz: bool) -> Value {
    let ty = type_of(format);
    if matches!(format, F16 | F32) {
        let c = b.constant(ty, one(format));
        return b.same(Op::FMul(format, FloatMode { sat: true, ftz, ..NEAREST }), &[a, c]);
    }
    // The maximum with +0 of NaN is +0.
    let (zero, c) = (b.constant(ty, 0), b.constant(ty, one(format)));
    let low = b.same(Op::FMax { format, ftz: false, nan: false }, &[a, zero]);
    b.same(Op::FMin { format, ftz: false, nan: false }, &[low, c])
}

/// From binary64 to 8 or 16 bits: to 32 and clamped. A NaN gives the highest bit of the narrow type.
fn narrow(b: &mut Builder, a: Value, signed: bool, bits: u8, mode: FloatMode) -> Value {
    let op = Op::FloatToInt { from: F64, signed, bits: 32, mode };
    let value = b.value(op, &[a], Type::I32);
    let (low, high): (u32, u32) = if signed {
        ((1u32 << (bits - 1)).wrapping_neg(), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    };
    let limit = b.i32(high);
    let mut value = b.same(Op::Min { signed }, &[value, limit]);
    if signed {
        let limit = b.i32(low);
        return b.same(Op::Max { signed }, &[value, limit]);
    }
    let nan = Op::FloatCompare { compare: FloatCompare::Unordered, format: F64, ftz: false };
    let nan = b.value(nan, &[a, a], Type::I1);
    let top = b.i32(1 << (bits - 1));
    value = b.select(nan, top, value);
    value
}

/// The low 8 or 16 bits of an argument in 32.
fn extended(b: &mut Builder, a: Value, signed: bool, bits: u8) -> Value {
    let word = match b.ty(a) {
        Type::I16 => b.zext(a, Type::I32),
        Type::I64 => b.low(a),
        _ => a,
    };
    let unused = 32 - u32::from(bits);
    let up = b.shl_by(word, unused);
    if signed { b.ashr_by(up, unused) } else { b.lshr_by(up, unused) }
}

/// An integer as binary32, towards zero, with the last bit set if anything was lost: rounding it again to a format with at least
/// two bits less is as if it were rounded once.
fn odd(b: &mut Builder, a: Value, signed: bool, bits: u8) -> Value {
    let mode = FloatMode { rounding: Rounding::Zero, ..NEAREST };
    let ty = b.ty(a);
    let float = b.value(Op::IntToFloat { signed, bits, to: F32, mode }, &[a], Type::I32);
    let back = b.value(Op::FloatToInt { from: F32, signed, bits, mode }, &[float], ty);
    let lost = b.compare(Compare::Ne, back, a);
    let lost = b.zext(lost, Type::I32);
    b.or(float, lost)
}

/// Minimum and maximum of binary64 by comparisons: -0 is below +0, and a NaN gives way to the other operand.
pub(super) fn extremum(b: &mut Builder, data: &InstData) -> Expansion {
    let (format, nan, max) = match data.op {
        Op::FMin { format, nan, .. } => (format, nan, false),
        Op::FMax { format, nan, .. } => (format, nan, true),
        _ => return None,
    };
    if format != F64 {
        return None;
    }
    let (x, y) = (data.args[0], data.args[1]);
    let is = |b: &mut Builder, compare, x, y| {
        b.value(Op::FloatCompare { compare, format, ftz: false }, &[x, y], Type::I1)
    };
    let wins = is(b, if max { FloatCompare::Gt } else { FloatCompare::Lt }, x, y);
    let equal = is(b, FloatCompare::Eq, x, y);
    let both = if max { b.and(x, y) } else { b.or(x, y) };
    let other = b.select(equal, both, y);
    let mut r = b.select(wins, x, other);
    let canonical = b.i64(format.canonical_nan());
    if nan {
        let unordered = is(b, FloatCompare::Unordered, x, y);
        return Some(smallvec![b.select(unordered, canonical, r)]);
    }
    // x is taken only if it compares, so that a NaN in x has already given way to y.
    let y_nan = is(b, FloatCompare::Unordered, y, y);
    r = b.select(y_nan, x, r);
    let r_nan = is(b, FloatCompare::Unordered, r, r);
    Some(smallvec![b.select(r_nan, canonical, r)])
}
