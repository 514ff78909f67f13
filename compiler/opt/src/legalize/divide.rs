//! Integer quotients and remainders.
//!
//! The reciprocal of the divisor, rounded up so that nothing exceeds the exact one, is taken from the multi-function unit
//! (at most one unit in the last place off), made an integer 2^w / b from below, and improved by Newton steps that stay below.
//!
//! With X = 2^w / b, d = X - y the distance of an estimate and ε ≤ 2^-21 its relative error before the conversion to an integer:
//! d₀ ≤ Xε + 1, and each step gives d' < d²/X + 1. Then a/b - a·y/2^w < d, and floors lose less than one, so that the quotient
//! is at most ⌊d⌋ + 1 too small. For w = 32 one step gives d < 1.6 where X ≥ 2, for w = 64 two steps the same where X ≥ 3; for
//! smaller X the quotient itself is no larger than the number of corrections. Two corrections are enough in every case.

use super::expansion::Expansion;
use super::{quotient, routine};
use sassafras_ir::{Builder, Compare, Edge, InstData, Op, Type, Value};
use sassafras_semantics::Routine;
use smallvec::smallvec;

pub(super) fn expand(b: &mut Builder, data: &InstData) -> Expansion {
    let (signed, quotient) = match data.op {
        Op::Div { signed } => (signed, true),
        Op::Rem { signed } => (signed, false),
        _ => return None,
    };
    let (a, c) = (data.args[0], data.args[1]);
    let ty = b.ty(a);
    if !matches!(ty, Type::I32 | Type::I64) {
        return None;
    }
    if let Some(divisor) = b.function.constant(c)
        && let Some(value) = by_constant(b, a, divisor, signed, quotient)
    {
        return Some(smallvec![value]);
    }
    let (x, y) = if signed { (b.same(Op::Abs, &[a]), b.same(Op::Abs, &[c])) } else { (a, c) };
    let value = if ty == Type::I32 {
        let (q, r) = quotient::unsigned(b, x, y);
        if quotient { q } else { r }
    } else {
        unsigned64(b, x, y, quotient)
    };
    if !signed {
        return Some(smallvec![value]);
    }
    // The quotient is negative if the signs differ, the remainder if the dividend is.
    let sign = if quotient { b.xor(a, c) } else { a };
    Some(smallvec![negated_if_negative(b, value, sign)])
}

fn negated_if_negative(b: &mut Builder, value: Value, sign: Value) -> Value {
    let ty = b.ty(value);
    let zero = b.constant(ty, 0);
    let negative = b.compare(Compare::SLt, sign, zero);
    let opposite = b.neg(value);
    b.select(negative, opposite, value)
}

/// 64 bits, by way of 32 bits if both operands fit.
fn unsigned64(b: &mut Builder, a: Value, c: Value, quotient: bool) -> Value {
    let (high_a, high_c) = (b.high(a), b.high(c));
    let both = b.or(high_a, high_c);
    let zero = b.i32(0);
    let small = b.compare(Compare::Eq, both, zero);
    let (narrow, wide, join) = (b.function.add_block(), b.function.add_block(), b.function.add_block());
    b.branch(small, Edge::new(narrow, &[]), Edge::new(wide, &[]));

    b.block = narrow;
    let (low_a, low_c) = (b.low(a), b.low(c));
    let (q, r) = quotient::unsigned(b, low_a, low_c);
    let value = b.zext(if quotient { q } else { r }, Type::I64);
    b.jump(join, &[value]);

    b.block = wide;
    let routine = if quotient { Routine::Quotient64 } else { Routine::Remainder64 };
    let value = routine::call(b, routine, &[a, c]);
    b.jump(join, &[value]);

    b.block = join;
    b.function.add_param(join, Type::I64)
}

/// A divisor that is known: a shift for a power of two, a product for others of 32 bits.
fn by_constant(b: &mut Builder, a: Value, divisor: u128, signed: bool, quotient: bool) -> Option<Value> {
    let ty = b.ty(a);
    let width = ty.bits();
    let negative = signed && divisor >> (width - 1) & 1 == 1;
    let magnitude = if negative { (1u128 << width) - divisor } else { divisor };
    if magnitude == 0 {
        return None;
    }
    let x = if signed { b.same(Op::Abs, &[a]) } else { a };
    let (q, r) = if magnitude.is_power_of_two() {
        let mask = b.constant(ty, magnitude - 1);
        (b.lshr_by(x, magnitude.trailing_zeros()), b.and(x, mask))
    } else if ty == Type::I32 {
        let q = magic(b, x, magnitude as u64);
        let d = b.constant(ty, magnitude);
        let product = b.mul(q, d);
        (q, b.sub(x, product))
    } else {
        return None;
    };
    let value = if quotient { q } else { r };
    if !signed {
        return Some(value);
    }
    let sign = if quotient && negative { b.not(a) } else { a };
    Some(negated_if_negative(b, value, sign))
}

/// a ÷ d for any 32-bit `a` by a product (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", 1994).
fn magic(b: &mut Builder, a: Value, d: u64) -> Value {
    for shift in 0..32u32 {
        // m = ⌈2^(32+shift) / d⌉ is exact for every 32-bit dividend if m·d exceeds 2^(32+shift) by at most 2^shift.
        let power = 1u128 << (32 + shift);
        let m = power.div_ceil(u128::from(d));
        if m < 1 << 32 && m * u128::from(d) - power <= 1 << shift {
            let m = b.i32(m as u32);
            let high = b.same(Op::MulHigh { signed: false }, &[a, m]);
            return b.lshr_by(high, shift);
        }
    }
    // The multiplier has 33 bits, the highest of which is one.
    let length = 64 - (d - 1).leading_zeros();
    let m = (1u128 << 32) * ((1u128 << length) - u128::from(d)) / u128::from(d) + 1;
    let m = b.i32(m as u32);
    let high = b.same(Op::MulHigh { signed: false }, &[a, m]);
    let rest = b.sub(a, high);
    let half = b.lshr_by(rest, 1);
    let sum = b.add(half, high);
    b.lshr_by(sum, length - 1)
}
