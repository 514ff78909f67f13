//! Unsigned quotients and remainders, written out.

use sassafras_ir::{Builder, Compare, Op, Type, Value};
use sassafras_semantics::{Approximation, FloatFormat, FloatMode, Rounding};

/// Quotient and remainder of one width.
pub(super) fn unsigned(b: &mut Builder, a: Value, c: Value) -> (Value, Value) {
    let ty = b.ty(a);
    let bits = ty.bits() as u8;
    let up = FloatMode { rounding: Rounding::Up, ..FloatMode::default() };
    let float =
        b.value(Op::IntToFloat { signed: false, bits, to: FloatFormat::F32, mode: up }, &[c], Type::I32);
    let reciprocal =
        b.value(Op::Approximate { function: Approximation::Rcp, ftz: true }, &[float], Type::I32);
    // Times 2^w, less two units in the last place: below the exact reciprocal.
    let scale = b.i32((u32::from(bits) << 23) - 2);
    let scaled = b.add(reciprocal, scale);
    let down = FloatMode { rounding: Rounding::Zero, ftz: true, sat: false };
    let op = Op::FloatToInt { from: FloatFormat::F32, signed: false, bits, mode: down };
    let mut y = b.value(op, &[scaled], ty);
    let minus = b.neg(c);
    for _ in 0..bits / 32 {
        let error = b.mul(minus, y);
        let step = b.same(Op::MulHigh { signed: false }, &[y, error]);
        y = b.add(y, step);
    }
    let q = b.same(Op::MulHigh { signed: false }, &[a, y]);
    let product = b.mul(minus, q);
    let r = b.add(product, a);
    let (q, r) = correct(b, q, r, c);
    correct(b, q, r, c)
}

/// One more in the quotient if the remainder still holds the divisor.
fn correct(b: &mut Builder, q: Value, r: Value, c: Value) -> (Value, Value) {
    let ty = b.ty(q);
    let more = b.compare(Compare::UGe, r, c);
    let less = b.sub(r, c);
    let one = b.constant(ty, 1);
    let next = b.add(q, one);
    (b.select(more, next, q), b.select(more, less, r))
}
