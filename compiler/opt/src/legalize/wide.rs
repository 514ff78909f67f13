//! Integer forms that are missing: 64 bits by way of 32, 16 bits by way of 32, parts of values.

use super::expansion::Expansion;
use super::selectable::width;
use sassafras_ir::{Builder, Compare, InstData, Op, Type, Value};
use smallvec::{SmallVec, smallvec};

pub(super) fn expand(b: &mut Builder, data: &InstData) -> Expansion {
    let a = *data.args.first()?;
    let ty = b.ty(a);
    let result = *data.results.first()?;
    let result = b.ty(result);
    let one = match data.op {
        Op::LeadingZeros if ty == Type::I32 => {
            // The shift that brings the highest bit to the top: all ones for zero, which the minimum makes 32.
            let op = Op::FindHighest { signed: false, shift_amount: true };
            let shift = b.value(op, &[a], Type::I32);
            let most = b.i32(32);
            b.same(Op::Min { signed: false }, &[shift, most])
        }
        Op::LeadingZeros if ty == Type::I64 => {
            let (low, high) = (b.low(a), b.high(a));
            let (in_low, in_high) = (count(b, Op::LeadingZeros, low), count(b, Op::LeadingZeros, high));
            let more = b.i32(32);
            let beyond = b.add(in_low, more);
            let empty = b.compare(Compare::Eq, in_high, more);
            b.select(empty, beyond, in_high)
        }
        Op::Popcount if ty == Type::I64 => {
            let (low, high) = (b.low(a), b.high(a));
            let (x, y) = (count(b, Op::Popcount, low), count(b, Op::Popcount, high));
            b.add(x, y)
        }
        Op::FindHighest { signed, shift_amount } if ty == Type::I64 => {
            let x = if signed {
                let sign = b.ashr_by(a, 63);
                b.xor(a, sign)
            } else {
                a
            };
            let zeros = b.value(Op::LeadingZeros, &[x], Type::I32);
            let found = if shift_amount {
                zeros
            } else {
                let top = b.i32(63);
                b.sub(top, zeros)
            };
            let all = b.i32(64);
            let none = b.compare(Compare::Eq, zeros, all);
            let ones = b.i32(u32::MAX);
            b.select(none, ones, found)
        }
        Op::BitReverse if ty == Type::I64 => {
            let (low, high) = (b.low(a), b.high(a));
            let (low, high) = (b.same(Op::BitReverse, &[low]), b.same(Op::BitReverse, &[high]));
            b.concat(high, low)
        }
        Op::MulHigh { signed } if ty == Type::I64 => high_product(b, signed, a, data.args[1]),
        Op::Min { signed } | Op::Max { signed } if ty == Type::I64 => {
            let less = b.compare(if signed { Compare::SLt } else { Compare::ULt }, a, data.args[1]);
            let (x, y) =
                if matches!(data.op, Op::Min { .. }) { (a, data.args[1]) } else { (data.args[1], a) };
            b.select(less, x, y)
        }
        Op::Abs if ty == Type::I64 => {
            let zero = b.i64(0);
            let negative = b.compare(Compare::SLt, a, zero);
            let opposite = b.neg(a);
            b.select(negative, opposite, a)
        }
        Op::AddCarry | Op::SubBorrow if ty == Type::I64 => return Some(carry64(b, data)),
        Op::BitExtract { signed } if ty == Type::I64 => bit_extract64(b, signed, &data.args),
        Op::BitInsert if ty == Type::I64 => bit_insert64(b, &data.args),
        Op::Extract(low) => extract(b, a, u32::from(low), result)?,
        Op::Truncate if ty.bits() > result.bits() => extract(b, a, 0, result)?,
        Op::Concat => concat(b, &data.args, result)?,
        Op::ZeroExtend | Op::SignExtend if ty.bits() < 32 && result == Type::I64 => {
            let word = b.value(data.op, &[a], Type::I32);
            b.value(data.op, &[word], Type::I64)
        }
        Op::Select if result == Type::I128 => {
            let mut halves = Vec::new();
            for low in [0, 64] {
                let x = b.value(Op::Extract(low), &[data.args[1]], Type::I64);
                let y = b.value(Op::Extract(low), &[data.args[2]], Type::I64);
                halves.push(b.select(a, x, y));
            }
            b.value(Op::Concat, &halves, Type::I128)
        }
        Op::Compare(compare) if ty == Type::I1 => {
            let (x, y) = (b.zext(a, Type::I32), b.zext(data.args[1], Type::I32));
            b.compare(compare, x, y)
        }
        Op::Compare(compare) if ty == Type::I16 => {
            let signed = matches!(compare, Compare::SLt | Compare::SLe | Compare::SGt | Compare::SGe);
            let wide = |b: &mut Builder, v| if signed { b.sext(v, Type::I32) } else { b.zext(v, Type::I32) };
            let (x, y) = (wide(b, a), wide(b, data.args[1]));
            b.compare(compare, x, y)
        }
        // Sixteen bits in thirty-two.
        Op::And | Op::Or | Op::Xor | Op::Not | Op::Add | Op::Sub | Op::Neg | Op::Mul
            if result == Type::I16 =>
        {
            let args: Vec<Value> = data.args.iter().map(|&v| b.zext(v, Type::I32)).collect();
            let value = b.same(data.op, &args);
            b.truncate(value, Type::I16)
        }
        Op::Shl | Op::Shr { .. } | Op::Min { .. } | Op::Max { .. } | Op::Abs if result == Type::I16 => {
            let signed = matches!(
                data.op,
                Op::Shr { signed: true } | Op::Min { signed: true } | Op::Max { signed: true } | Op::Abs
            );
            let wide = |b: &mut Builder, v: Value| {
                if b.ty(v) == Type::I32 {
                    v
                } else if signed {
                    b.sext(v, Type::I32)
                } else {
                    b.zext(v, Type::I32)
                }
            };
            let args: Vec<Value> = data.args.iter().map(|&v| wide(b, v)).collect();
            let value = b.same(data.op, &args);
            b.truncate(value, Type::I16)
        }
        _ => return None,
    };
    Some(smallvec![one])
}

fn count(b: &mut Builder, op: Op, word: Value) -> Value {
    b.value(op, &[word], Type::I32)
}

/// The high half of a product of 64 bits each, from four products of words.
fn high_product(b: &mut Builder, signed: bool, x: Value, y: Value) -> Value {
    let (x0, x1, y0, y1) = (b.low(x), b.high(x), b.low(y), b.high(y));
    let p00 = b.mul_wide(x0, y0);
    let carry = high64(b, p00);
    let p01 = b.mul_wide(x0, y1);
    // Neither sum overflows: (2^32 - 1)² + 2 (2^32 - 1) < 2^64.
    let middle = b.add(p01, carry);
    let low = b.low(middle);
    let low = b.zext(low, Type::I64);
    let p10 = b.mul_wide(x1, y0);
    let other = b.add(p10, low);
    let p11 = b.mul_wide(x1, y1);
    let (c, d) = (high64(b, middle), high64(b, other));
    let sum = b.add(p11, c);
    let mut high = b.add(sum, d);
    if signed {
        // A negative operand counts 2^64 too much: the other one is taken off.
        for (v, other) in [(x, y), (y, x)] {
            let sign = b.ashr_by(v, 63);
            let off = b.and(sign, other);
            high = b.sub(high, off);
        }
    }
    high
}

/// The high word in 64 bits.
fn high64(b: &mut Builder, v: Value) -> Value {
    let high = b.high(v);
    b.zext(high, Type::I64)
}

fn carry64(b: &mut Builder, data: &InstData) -> SmallVec<[Value; 2]> {
    let (x, y, c) = (data.args[0], data.args[1], data.args[2]);
    let (x0, x1, y0, y1) = (b.low(x), b.high(x), b.low(y), b.high(y));
    let types = [Type::I32, Type::I1];
    let (low, c) = b.pair(data.op, &[x0, y0, c], types);
    let (high, c) = b.pair(data.op, &[x1, y1, c], types);
    smallvec![b.concat(low, high), c]
}

/// The low eight bits of a count.
fn byte(b: &mut Builder, v: Value) -> Value {
    let mask = b.i32(0xff);
    b.and(v, mask)
}

/// Ones in the low `n` bits.
fn low_ones64(b: &mut Builder, n: Value) -> Value {
    let ones = b.i64(u64::MAX);
    let above = b.shl(ones, n);
    b.not(above)
}

fn bit_extract64(b: &mut Builder, signed: bool, args: &[Value]) -> Value {
    let (position, length) = (byte(b, args[1]), byte(b, args[2]));
    if !signed {
        let moved = b.lshr(args[0], position);
        let ones = low_ones64(b, length);
        return b.and(moved, ones);
    }
    // Copies of the sign come in from above, so that the field's own highest bit is the sign in every case.
    let moved = b.ashr(args[0], position);
    let most = b.i32(64);
    let length = b.same(Op::Min { signed: false }, &[length, most]);
    let unused = b.sub(most, length);
    let up = b.shl(moved, unused);
    b.ashr(up, unused)
}

fn bit_insert64(b: &mut Builder, args: &[Value]) -> Value {
    let (position, length) = (byte(b, args[2]), byte(b, args[3]));
    let ones = low_ones64(b, length);
    let mask = b.shl(ones, position);
    let field = b.shl(args[0], position);
    let field = b.and(field, mask);
    let outside = b.not(mask);
    let kept = b.and(args[1], outside);
    b.or(field, kept)
}

/// Bits of a wider value by way of a word (or doubleword) that holds them.
fn extract(b: &mut Builder, a: Value, low: u32, ty: Type) -> Option<Value> {
    let from = b.ty(a).bits();
    let want = ty.bits();
    let part = |b: &mut Builder, low: u32, bits: u32| {
        if bits == from && low == 0 {
            a
        } else if low == 0 && from == 64 {
            b.value(Op::Truncate, &[a], width(bits))
        } else {
            b.value(Op::Extract(low as u8), &[a], width(bits))
        }
    };
    match (from, want) {
        (64 | 128, 16) => {
            let word = part(b, low / 32 * 32, 32);
            let at = low % 32;
            Some(match at {
                0 => b.value(Op::Truncate, &[word], ty),
                16 => b.value(Op::Extract(16), &[word], ty),
                _ => {
                    let moved = b.lshr_by(word, at);
                    b.value(Op::Truncate, &[moved], ty)
                }
            })
        }
        (64 | 128, 1) => {
            let word = part(b, low / 32 * 32, 32);
            let moved = b.lshr_by(word, low % 32);
            Some(b.value(Op::Truncate, &[moved], ty))
        }
        (32, 1 | 16) if low != 0 => {
            let moved = b.lshr_by(a, low);
            Some(b.value(Op::Truncate, &[moved], ty))
        }
        (32, 1) => Some(b.value(Op::Truncate, &[a], ty)),
        (128, 32 | 64) if low.is_multiple_of(32) => Some(b.value(Op::Extract(low as u8), &[a], ty)),
        (64, 32) => {
            let moved = b.lshr_by(a, low);
            Some(b.low(moved))
        }
        _ => None,
    }
}

/// Pairs of neighbours, until the forms that exist are reached.
fn concat(b: &mut Builder, args: &[Value], ty: Type) -> Option<Value> {
    let first = b.ty(args[0]);
    if args.iter().any(|&v| b.ty(v) != first) || !args.len().is_multiple_of(2) || args.len() < 4 {
        return None;
    }
    let wider = width(2 * first.bits());
    let pairs: Vec<Value> = args.chunks(2).map(|pair| b.value(Op::Concat, pair, wider)).collect();
    Some(b.value(Op::Concat, &pairs, ty))
}
