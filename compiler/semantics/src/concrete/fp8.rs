//! Conversions to and from the formats of 8 bits, by the list of their values rather than by shifting bits.
//!
//! Sources: OCP 8-bit Floating Point Specification (OFP8), tables of E4M3 and E5M2; PTX ISA, `cvt`, `.satfinite`: what is
//! beyond the largest finite number becomes that number with its sign, a NaN the canonical one.

use super::float;
use crate::domain::FloatMode;
use crate::vocabulary::{FloatFormat, Rounding};
use std::sync::LazyLock;

/// The non-negative finite values of a format by their codes, which rise with them.
type Values = Vec<f64>;

static E4M3: LazyLock<Values> = LazyLock::new(|| values(FloatFormat::E4m3, 0x7e));
static E5M2: LazyLock<Values> = LazyLock::new(|| values(FloatFormat::E5m2, 0x7b));

fn finite(format: FloatFormat) -> &'static [f64] {
    if format == FloatFormat::E4m3 { &E4M3 } else { &E5M2 }
}

fn values(format: FloatFormat, last: u32) -> Values {
    let fraction_bits = format.fraction_bits();
    let bias = (1 << (format.exponent_bits() - 1)) - 1;
    let value = |code: u32| {
        let (exponent, fraction) = ((code >> fraction_bits) as i32, code & ((1 << fraction_bits) - 1));
        let significand = f64::from(fraction | u32::from(exponent != 0) << fraction_bits);
        significand * 2f64.powi(exponent.max(1) - bias - fraction_bits as i32)
    };
    (0..=last).map(value).collect()
}

/// The number that the bits of a format are, exact: binary64 has every one of them.
fn decode(format: FloatFormat, a: u64) -> f64 {
    if !format.is_fp8() {
        let wide = float::to_float(format, FloatFormat::F64, FloatMode::default(), a);
        return f64::from_bits(wide);
    }
    let magnitude = match finite(format).get((a & 0x7f) as usize) {
        Some(value) => *value,
        None if format == FloatFormat::E5m2 && a & 0x7f == 0x7c => f64::INFINITY,
        None => f64::NAN,
    };
    if a & 0x80 != 0 { -magnitude } else { magnitude }
}

fn encode(format: FloatFormat, rounding: Rounding, value: f64) -> u64 {
    if value.is_nan() {
        return format.canonical_nan();
    }
    let (all, negative) = (finite(format), value.is_sign_negative());
    let magnitude = value.abs();
    // The last value that is no larger.
    let below = all.partition_point(|v| *v <= magnitude) - 1;
    let code = match all.get(below + 1) {
        None => below,
        Some(_) if all[below] == magnitude => below,
        Some(above) => {
            // Both sides of the comparison are exact: the middle of two neighbours has one bit more than they.
            let middle = (all[below] + above) / 2.0;
            let up = match rounding {
                Rounding::NearestEven => magnitude > middle || magnitude == middle && below % 2 == 1,
                Rounding::NearestAway => magnitude >= middle,
                Rounding::Zero => false,
                Rounding::Down => negative,
                Rounding::Up => !negative,
            };
            below + usize::from(up)
        }
    };
    code as u64 | u64::from(negative) << 7
}

/// A conversion of which at least one side is a format of 8 bits.
pub(super) fn convert(from: FloatFormat, to: FloatFormat, mode: FloatMode, a: u64) -> u64 {
    let value = decode(from, a);
    if to.is_fp8() {
        return encode(to, mode.rounding, value);
    }
    float::to_float(FloatFormat::F64, to, mode, value.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_apfloat::ieee::{Double, Float8E4M3FN, Float8E5M2, Half, Single};
    use rustc_apfloat::{Float, FloatConvert, Round};

    const NEAREST: FloatMode = FloatMode { rounding: Rounding::NearestEven, ftz: false, sat: false };

    fn wide<F: Float + FloatConvert<Double>>(a: u64) -> f64 {
        let mut loses = false;
        let value: Double = F::from_bits(a.into()).convert_r(Round::NearestTiesToEven, &mut loses).value;
        f64::from_bits(value.to_bits() as u64)
    }

    fn narrow<S: Float + FloatConvert<T>, T: Float>(format: FloatFormat, a: u64) -> u64 {
        let mut loses = false;
        let value = S::from_bits(a.into());
        if value.is_nan() {
            return 0x7f;
        }
        let result = value.convert_r(Round::NearestTiesToEven, &mut loses).value;
        let sign = u64::from(value.is_negative()) << 7;
        if result.is_finite() { result.to_bits() as u64 } else { sign | (finite(format).len() as u64 - 1) }
    }

    #[test]
    fn every_value_is_that_of_the_reference() {
        for a in 0..=0xff {
            for (format, other) in
                [(FloatFormat::E4m3, wide::<Float8E4M3FN>(a)), (FloatFormat::E5m2, wide::<Float8E5M2>(a))]
            {
                let own = decode(format, a);
                assert!(
                    own.to_bits() == other.to_bits() || own.is_nan() && other.is_nan(),
                    "{format:?} {a:#x}"
                );
                let half = convert(format, FloatFormat::F16, NEAREST, a);
                let back = convert(FloatFormat::F16, format, NEAREST, half);
                let same = if own.is_nan() {
                    0x7f
                } else if own.is_infinite() {
                    a - 1
                } else {
                    a
                };
                assert_eq!(back, same, "{format:?} {a:#x}");
            }
        }
    }

    #[test]
    fn every_half_narrows_as_the_reference() {
        for a in 0..=0xffff {
            let e4m3 = convert(FloatFormat::F16, FloatFormat::E4m3, NEAREST, a);
            assert_eq!(e4m3, narrow::<Half, Float8E4M3FN>(FloatFormat::E4m3, a), "{a:#x}");
            let e5m2 = convert(FloatFormat::F16, FloatFormat::E5m2, NEAREST, a);
            assert_eq!(e5m2, narrow::<Half, Float8E5M2>(FloatFormat::E5m2, a), "{a:#x}");
        }
    }

    #[test]
    fn singles_narrow_as_the_reference() {
        // Every sign and exponent with significands around those of ties.
        for top in 0..=0x1ff {
            for low in
                [0, 1, 0x7_ffff, 0x8_0000, 0x8_0001, 0xf_ffff, 0x10_0000, 0x18_0000, 0x68_0000, 0x7f_ffff]
            {
                let a = top << 23 | low;
                let e4m3 = convert(FloatFormat::F32, FloatFormat::E4m3, NEAREST, a);
                assert_eq!(e4m3, narrow::<Single, Float8E4M3FN>(FloatFormat::E4m3, a), "{a:#x}");
                let e5m2 = convert(FloatFormat::F32, FloatFormat::E5m2, NEAREST, a);
                assert_eq!(e5m2, narrow::<Single, Float8E5M2>(FloatFormat::E5m2, a), "{a:#x}");
            }
        }
    }
}
