//! Square roots, correctly rounded in every direction, by an exact integer root with a sticky bit.

use super::float::{fraction_bits, infinity, is_nan, round, sign_bit};
use crate::vocabulary::{FloatFormat, Rounding};
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};

pub(super) fn sqrt(format: FloatFormat, rounding: Rounding, a: u64) -> u64 {
    if is_nan(format, a) {
        return format.canonical_nan();
    }
    if a & !sign_bit(format) == 0 || a == infinity(format) {
        return a;
    }
    if a & sign_bit(format) != 0 {
        return format.canonical_nan();
    }
    match (format, rounding) {
        (FloatFormat::F32, Rounding::NearestEven) => u64::from(f32::from_bits(a as u32).sqrt().to_bits()),
        (FloatFormat::F64, Rounding::NearestEven) => f64::from_bits(a).sqrt().to_bits(),
        _ => soft(format, rounding, a),
    }
}

/// The root of a positive finite number.
pub(super) fn soft(format: FloatFormat, rounding: Rounding, a: u64) -> u64 {
    let fraction = fraction_bits(format);
    let bias = (infinity(format) >> fraction) as i32 / 2;
    let biased = (a >> fraction) as i32;
    let stored = u128::from(a & ((1 << fraction) - 1));
    // The value is significand × 2^exponent.
    let (mut significand, mut exponent) = if biased == 0 {
        (stored, 1 - bias - fraction as i32)
    } else {
        (stored | 1 << fraction, biased - bias - fraction as i32)
    };
    // Enough bits that the root has two more than the format; an even exponent.
    let wanted = 2 * (fraction as i32 + 3);
    let mut shift = wanted - (128 - significand.leading_zeros() as i32);
    if (exponent - shift) % 2 != 0 {
        shift += 1;
    }
    significand <<= shift;
    exponent -= shift;
    let root = significand.isqrt();
    let sticky = u128::from(root * root != significand);
    let value = root << 1 | sticky;
    let scale = exponent / 2 - 1;
    let r = round(rounding);
    let bits = match format {
        FloatFormat::F16 => Half::from_u128_r(value, r).value.scalbn(scale).to_bits(),
        FloatFormat::Bf16 => BFloat::from_u128_r(value, r).value.scalbn(scale).to_bits(),
        FloatFormat::F32 => Single::from_u128_r(value, r).value.scalbn(scale).to_bits(),
        FloatFormat::F64 => Double::from_u128_r(value, r).value.scalbn(scale).to_bits(),
        FloatFormat::E4m3 | FloatFormat::E5m2 => unreachable!("formats of 8 bits are converted alone"),
    };
    bits as u64
}
