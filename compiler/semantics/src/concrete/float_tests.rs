//! Host against soft floats, square roots against their definition, and the rules for NaN, zero, flushing and saturation.

use super::*;
use crate::concrete::sqrt;

const FORMATS: [FloatFormat; 4] = [FloatFormat::F16, FloatFormat::Bf16, FloatFormat::F32, FloatFormat::F64];
const ROUNDINGS: [Rounding; 4] = [Rounding::NearestEven, Rounding::Zero, Rounding::Down, Rounding::Up];

/// Inputs near the edges of a format: zeros, subnormals, powers of two and their neighbours, infinities, NaNs.
fn biased(format: FloatFormat, i: u64) -> u64 {
    let width = format.width();
    let x = i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left((i % 61) as u32);
    let edge = [
        0,
        1,
        infinity(format) - 1,
        infinity(format),
        infinity(format) | 1,
        1 << fraction_bits(format),
        one(format),
    ];
    let bits = match i % 4 {
        0 => edge[(x >> 8) as usize % edge.len()].wrapping_add(x >> 60) ^ (x >> 59 & 1) << (width - 1),
        1 => x & !(infinity(format) & (infinity(format) << 2)),
        2 => one(format) ^ (x & ((1 << (fraction_bits(format) + 2)) - 1)) ^ (x >> 63) << (width - 1),
        _ => x,
    };
    bits & (mask(width) as u64)
}

#[test]
fn host_agrees_with_soft() {
    for format in [FloatFormat::F32, FloatFormat::F64] {
        for op in [FloatOp::Add, FloatOp::Mul, FloatOp::Fma, FloatOp::Div] {
            for i in 0..20_000u64 {
                let args = [biased(format, i), biased(format, i / 3 + 77), biased(format, i / 7 + 1234)];
                let fast = host(op, format, Rounding::NearestEven, &args).expect("host has it");
                let slow = soft(op, format, Rounding::NearestEven, &args);
                let canonical = |x| if is_nan(format, x) { format.canonical_nan() } else { x };
                assert_eq!(canonical(fast), canonical(slow), "{op:?} {format:?} {args:x?}");
            }
        }
    }
}

#[test]
fn soft_root_agrees_with_host() {
    for format in [FloatFormat::F32, FloatFormat::F64] {
        for i in 0..20_000u64 {
            let a = biased(format, i) & !sign_bit(format);
            if a == 0 || a >= infinity(format) {
                continue;
            }
            let fast = sqrt::sqrt(format, Rounding::NearestEven, a);
            assert_eq!(fast, sqrt::soft(format, Rounding::NearestEven, a), "{format:?} {a:#x}");
        }
    }
}

#[test]
fn directed_roots_enclose() {
    for format in FORMATS {
        for i in 0..4000u64 {
            let a = biased(format, i) & !sign_bit(format);
            if a == 0 || a >= infinity(format) {
                continue;
            }
            let down = sqrt::sqrt(format, Rounding::Down, a);
            let up = sqrt::sqrt(format, Rounding::Up, a);
            assert_eq!(down, sqrt::sqrt(format, Rounding::Zero, a));
            let square = |x, r| {
                arithmetic(FloatOp::Mul, format, FloatMode { rounding: r, ..FloatMode::default() }, &[x, x])
            };
            assert!(square(down, Rounding::Down) <= a && a <= square(up, Rounding::Up), "{format:?} {a:#x}");
            assert!(up - down <= 1);
        }
    }
}

#[test]
fn results_are_canonical_flushed_and_clamped() {
    for format in FORMATS {
        for rounding in ROUNDINGS {
            for i in 0..2000u64 {
                let args = [biased(format, i), biased(format, i * 5 + 1), biased(format, i * 3 + 2)];
                for op in [FloatOp::Add, FloatOp::Mul, FloatOp::Fma, FloatOp::Min, FloatOp::MaxNan] {
                    let plain = arithmetic(op, format, FloatMode { rounding, ftz: false, sat: false }, &args);
                    assert!(!is_nan(format, plain) || plain == format.canonical_nan());
                    let ftz = arithmetic(op, format, FloatMode { rounding, ftz: true, sat: false }, &args);
                    assert_eq!(ftz, flush(format, ftz));
                    let sat = arithmetic(op, format, FloatMode { rounding, ftz: false, sat: true }, &args);
                    assert!(sat <= one(format), "{op:?} {format:?} {args:x?} {sat:#x}");
                }
            }
        }
    }
}

#[test]
fn minimum_and_relations() {
    let f = FloatFormat::F32;
    let (zero, minus, nan, x) = (0u64, 0x8000_0000u64, 0x7fc0_0000u64, 0x3f00_0000u64);
    let mode = FloatMode::default();
    assert_eq!(arithmetic(FloatOp::Min, f, mode, &[zero, minus]), minus);
    assert_eq!(arithmetic(FloatOp::Max, f, mode, &[minus, zero]), zero);
    assert_eq!(arithmetic(FloatOp::Min, f, mode, &[nan, x]), x);
    assert_eq!(arithmetic(FloatOp::MinNan, f, mode, &[nan, x]), 0x7fff_ffff);
    assert_eq!(arithmetic(FloatOp::Max, f, mode, &[nan, nan]), 0x7fff_ffff);
    assert!(relation(FloatRelation::Eq, f, false, zero, minus));
    assert!(!relation(FloatRelation::Lt, f, false, minus, zero));
    assert!(relation(FloatRelation::Le, f, false, zero, minus));
    assert!(relation(FloatRelation::Lt, f, false, 1, 2));
    assert!(!relation(FloatRelation::Lt, f, true, 1, 2));
    assert!(!relation(FloatRelation::Eq, f, false, nan, nan));
    assert!(relation(FloatRelation::Unordered, f, false, nan, x));
}

#[test]
fn conversions() {
    let mode = |rounding| FloatMode { rounding, ..FloatMode::default() };
    let rz = mode(Rounding::Zero);
    let f = |x: f32| u64::from(x.to_bits());
    assert_eq!(to_int(FloatFormat::F32, true, 32, rz, 0, f(-1.9)), 0xffff_ffff);
    assert_eq!(to_int(FloatFormat::F32, true, 32, mode(Rounding::NearestEven), 0, f(2.5)), 2);
    assert_eq!(to_int(FloatFormat::F32, false, 32, rz, 0, f(-3.0)), 0);
    assert_eq!(to_int(FloatFormat::F32, true, 32, rz, 0, f(1e30)), 0x7fff_ffff);
    assert_eq!(to_int(FloatFormat::F32, true, 8, rz, 0, f(-1e30)), 0x80);
    assert_eq!(to_int(FloatFormat::F32, true, 64, rz, 0x8000_0000_0000_0000, f(f32::NAN)), 1 << 63);
    assert_eq!(from_int(true, FloatFormat::F32, rz, Bits::new(32, 0xffff_ffff)), f(-1.0));
    assert_eq!(
        from_int(false, FloatFormat::F32, mode(Rounding::Up), Bits::new(32, 0xffff_ffff)),
        f(4294967296.0)
    );
    assert_eq!(from_int(false, FloatFormat::F16, mode(Rounding::NearestEven), Bits::new(32, 70000)), 0x7c00);
    assert_eq!(to_float(FloatFormat::F64, FloatFormat::F32, mode(Rounding::Up), 0.1f64.to_bits()), f(0.1));
    assert_eq!(to_float(FloatFormat::F32, FloatFormat::F16, FloatMode::default(), f(1.0)), 0x3c00);
    assert_eq!(to_float(FloatFormat::F32, FloatFormat::Bf16, FloatMode::default(), f(f32::NAN)), 0x7fff);
    let sat = FloatMode { sat: true, ..FloatMode::default() };
    assert_eq!(to_float(FloatFormat::F32, FloatFormat::F32, sat, f(7.0)), f(1.0));
    assert_eq!(to_float(FloatFormat::F32, FloatFormat::F32, sat, f(-7.0)), 0);
}
