//! IEEE arithmetic on bits. `rustc_apfloat` is the reference; nearest-even binary32 and binary64 take the host's arithmetic,
//! which is IEEE on every host that Rust supports for these types, and the tests hold the two against each other.

use super::{Bits, mask, sqrt};
use crate::domain::{FloatMode, FloatOp, FloatRelation};
use crate::vocabulary::{FloatFormat, Rounding};
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

/// Runs an expression with `$t` bound to the apfloat type of a format.
macro_rules! with_format {
    ($format:expr, $t:ident => $body:expr) => {
        match $format {
            FloatFormat::F16 => {
                type $t = Half;
                $body
            }
            FloatFormat::Bf16 => {
                type $t = BFloat;
                $body
            }
            FloatFormat::F32 => {
                type $t = Single;
                $body
            }
            FloatFormat::F64 => {
                type $t = Double;
                $body
            }
            FloatFormat::E4m3 | FloatFormat::E5m2 => unreachable!("formats of 8 bits are converted alone"),
        }
    };
}

pub(super) fn round(r: Rounding) -> Round {
    match r {
        Rounding::NearestEven => Round::NearestTiesToEven,
        Rounding::Zero => Round::TowardZero,
        Rounding::Down => Round::TowardNegative,
        Rounding::Up => Round::TowardPositive,
        Rounding::NearestAway => Round::NearestTiesToAway,
    }
}

/// Stored significand bits of a format.
pub(super) const fn fraction_bits(format: FloatFormat) -> u32 {
    format.fraction_bits()
}

pub(super) const fn sign_bit(format: FloatFormat) -> u64 {
    1 << (format.width() - 1)
}

/// The bits of +infinity, which are also the mask of the exponent.
pub(super) const fn infinity(format: FloatFormat) -> u64 {
    sign_bit(format) - (1 << fraction_bits(format))
}

pub(super) const fn is_nan(format: FloatFormat, a: u64) -> bool {
    a & !sign_bit(format) > infinity(format)
}

const fn one(format: FloatFormat) -> u64 {
    format.one()
}

/// Subnormals become zero of the same sign.
pub(super) const fn flush(format: FloatFormat, a: u64) -> u64 {
    if a & infinity(format) == 0 { a & sign_bit(format) } else { a }
}

/// Canonical NaN, flushing, clamping: what follows every rounded result.
fn finish(format: FloatFormat, mode: FloatMode, ftz: bool, result: u64) -> u64 {
    if is_nan(format, result) {
        return if mode.sat { 0 } else { format.canonical_nan() };
    }
    let result = if ftz { flush(format, result) } else { result };
    if !mode.sat {
        result
    } else if result & sign_bit(format) != 0 {
        0
    } else {
        result.min(one(format))
    }
}

pub(super) fn arithmetic(op: FloatOp, format: FloatFormat, mode: FloatMode, args: &[u64]) -> u64 {
    let mut flushed = [0; 3];
    for (to, &from) in flushed.iter_mut().zip(args) {
        *to = if mode.ftz { flush(format, from) } else { from };
    }
    let args = &flushed[..args.len()];
    let raw = match op {
        FloatOp::Min => extremum(format, args, false, false),
        FloatOp::Max => extremum(format, args, true, false),
        FloatOp::MinNan => extremum(format, args, false, true),
        FloatOp::MaxNan => extremum(format, args, true, true),
        FloatOp::Sqrt => sqrt::sqrt(format, mode.rounding, args[0]),
        _ => match host(op, format, mode.rounding, args) {
            Some(bits) => bits,
            None => soft(op, format, mode.rounding, args),
        },
    };
    finish(format, mode, mode.ftz, raw)
}

/// Sums and products of many operands that are rounded to nearest, as [`arithmetic`] gives them one by one; the others are left to it.
pub(super) fn all<const N: usize>(
    op: FloatOp,
    format: FloatFormat,
    mode: FloatMode,
    args: &[[u64; N]],
    active: u32,
) -> [u64; N] {
    macro_rules! host {
        ($float:ty, $bits:ty, $format:expr, $($name:ident),+ => $value:expr) => {{
            let mut operands = args.iter();
            $(let $name = operands.next().copied().unwrap_or([0; N]);)+
            std::array::from_fn(|i| {
                $(let $name = if mode.ftz { flush($format, $name[i]) } else { $name[i] };)+
                $(let $name = <$float>::from_bits($name as $bits);)+
                finish($format, mode, mode.ftz, u64::from(<$float>::to_bits($value)))
            })
        }};
    }
    use FloatFormat::{F32, F64};
    match (op, format, mode.rounding) {
        (FloatOp::Add, F32, Rounding::NearestEven) => host!(f32, u32, F32, x, y => x + y),
        (FloatOp::Mul, F32, Rounding::NearestEven) => host!(f32, u32, F32, x, y => x * y),
        (FloatOp::Fma, F32, Rounding::NearestEven) => host!(f32, u32, F32, x, y, z => x.mul_add(y, z)),
        (FloatOp::Add, F64, Rounding::NearestEven) => host!(f64, u64, F64, x, y => x + y),
        (FloatOp::Mul, F64, Rounding::NearestEven) => host!(f64, u64, F64, x, y => x * y),
        (FloatOp::Fma, F64, Rounding::NearestEven) => host!(f64, u64, F64, x, y, z => x.mul_add(y, z)),
        _ => std::array::from_fn(|i| {
            if active >> i & 1 == 0 {
                return 0;
            }
            let mut one = [0; 3];
            for (to, from) in one.iter_mut().zip(args) {
                *to = from[i];
            }
            arithmetic(op, format, mode, &one[..args.len()])
        }),
    }
}

/// The host's arithmetic, where it has the operation and the rounding.
fn host(op: FloatOp, format: FloatFormat, rounding: Rounding, args: &[u64]) -> Option<u64> {
    if rounding != Rounding::NearestEven {
        return None;
    }
    match format {
        FloatFormat::F32 => {
            let x = |i: usize| f32::from_bits(args[i] as u32);
            let r = match op {
                FloatOp::Add => x(0) + x(1),
                FloatOp::Mul => x(0) * x(1),
                FloatOp::Fma => x(0).mul_add(x(1), x(2)),
                FloatOp::Div => x(0) / x(1),
                _ => return None,
            };
            Some(u64::from(r.to_bits()))
        }
        FloatFormat::F64 => {
            let x = |i: usize| f64::from_bits(args[i]);
            let r = match op {
                FloatOp::Add => x(0) + x(1),
                FloatOp::Mul => x(0) * x(1),
                FloatOp::Fma => x(0).mul_add(x(1), x(2)),
                FloatOp::Div => x(0) / x(1),
                _ => return None,
            };
            Some(r.to_bits())
        }
        _ => None,
    }
}

/// The reference arithmetic.
pub(super) fn soft(op: FloatOp, format: FloatFormat, rounding: Rounding, args: &[u64]) -> u64 {
    let r = round(rounding);
    with_format!(format, T => {
        let x = |i: usize| T::from_bits(u128::from(args[i]));
        let value = match op {
            FloatOp::Add => x(0).add_r(x(1), r).value,
            FloatOp::Mul => x(0).mul_r(x(1), r).value,
            FloatOp::Fma => x(0).mul_add_r(x(1), x(2), r).value,
            FloatOp::Div => x(0).div_r(x(1), r).value,
            FloatOp::RoundToIntegral => x(0).round_to_integral(r).value,
            FloatOp::Sqrt | FloatOp::Min | FloatOp::Max | FloatOp::MinNan | FloatOp::MaxNan => {
                unreachable!("handled by the caller")
            }
        };
        value.to_bits() as u64
    })
}

/// A number whose order is that of the floats, with −0 below +0.
fn order(format: FloatFormat, a: u64) -> i128 {
    let magnitude = i128::from(a & !sign_bit(format));
    if a & sign_bit(format) != 0 { -1 - magnitude } else { magnitude }
}

fn extremum(format: FloatFormat, args: &[u64], max: bool, nan: bool) -> u64 {
    let (a, b) = (args[0], args[1]);
    match (is_nan(format, a), is_nan(format, b)) {
        (false, false) => {
            if (order(format, a) < order(format, b)) != max {
                a
            } else {
                b
            }
        }
        (true, true) => format.canonical_nan(),
        _ if nan => format.canonical_nan(),
        (true, false) => b,
        (false, true) => a,
    }
}

pub(super) fn relation(relation: FloatRelation, format: FloatFormat, ftz: bool, a: u64, b: u64) -> bool {
    let (a, b) = if ftz { (flush(format, a), flush(format, b)) } else { (a, b) };
    let unordered = is_nan(format, a) || is_nan(format, b);
    let both_zero = (a | b) & !sign_bit(format) == 0;
    match relation {
        FloatRelation::Unordered => unordered,
        _ if unordered => false,
        FloatRelation::Eq => a == b || both_zero,
        FloatRelation::Lt => order(format, a) < order(format, b) && !both_zero,
        FloatRelation::Le => order(format, a) <= order(format, b) || both_zero,
    }
}

pub(super) fn to_float(from: FloatFormat, to: FloatFormat, mode: FloatMode, a: u64) -> u64 {
    let a = if mode.ftz && from == FloatFormat::F32 { flush(from, a) } else { a };
    if from.is_fp8() || to.is_fp8() {
        return super::fp8::convert(from, to, mode, a);
    }
    let r = round(mode.rounding);
    let raw = with_format!(from, S => {
        let value = S::from_bits(u128::from(a));
        if from == to {
            a
        } else {
            let mut loses = false;
            match to {
                FloatFormat::F16 => convert::<S, Half>(value, r, &mut loses),
                FloatFormat::Bf16 => convert::<S, BFloat>(value, r, &mut loses),
                FloatFormat::F32 => convert::<S, Single>(value, r, &mut loses),
                FloatFormat::F64 => convert::<S, Double>(value, r, &mut loses),
                FloatFormat::E4m3 | FloatFormat::E5m2 => unreachable!("handled above"),
            }
        }
    });
    finish(to, mode, mode.ftz && to == FloatFormat::F32, raw)
}

fn convert<S: FloatConvert<T>, T: Float>(value: S, r: Round, loses: &mut bool) -> u64 {
    value.convert_r(r, loses).value.to_bits() as u64
}

pub(super) fn to_int(from: FloatFormat, signed: bool, width: u32, mode: FloatMode, nan: u64, a: u64) -> u128 {
    if is_nan(from, a) {
        return u128::from(nan) & mask(width);
    }
    let a = if mode.ftz && from == FloatFormat::F32 { flush(from, a) } else { a };
    let r = round(mode.rounding);
    let mut exact = false;
    let bits = with_format!(from, T => {
        let value = T::from_bits(u128::from(a));
        if signed {
            value.to_i128_r(width as usize, r, &mut exact).value as u128
        } else {
            value.to_u128_r(width as usize, r, &mut exact).value
        }
    });
    bits & mask(width)
}

pub(super) fn from_int(signed: bool, to: FloatFormat, mode: FloatMode, a: Bits) -> u64 {
    let r = round(mode.rounding);
    let raw = with_format!(to, T => {
        let value = if signed { T::from_i128_r(a.signed(), r) } else { T::from_u128_r(a.bits(), r) };
        value.value.to_bits() as u64
    });
    finish(to, mode, false, raw)
}

#[cfg(test)]
#[path = "float_tests.rs"]
mod tests;
