//! Ranges in which the multi-function unit does what PTX asks for.
//!
//! The unit flushes subnormal operands and results (but for sine, cosine and tangent); forms without `.ftz` are scaled by exact powers of two.
//! Its sine and cosine count in turns.

use super::expansion::Expansion;
use super::parts::{Float, NEAREST, Shape};
use sassafras_ir::{Builder, FloatCompare, InstData, Op, Type, Value};
use sassafras_semantics::{Approximation as A, FloatFormat, FloatMode, Rounding};
use smallvec::smallvec;

pub(super) fn expand(b: &mut Builder, data: &InstData) -> Expansion {
    let Op::Approximate { function, .. } = data.op else { return None };
    let x = data.args[0];
    let mut f = Float { b, s: Shape::of(FloatFormat::F32) };
    let value = match function {
        A::Sin | A::Cos => {
            // 1 / 2π to nearest, and the product to zero: as ptxas does, since the unit's own bound is not documented. A subnormal product
            // gives a zero.
            let turns = f.bits(u64::from(0.159_154_94_f32.to_bits()));
            let mode = FloatMode { rounding: Rounding::Zero, ..NEAREST };
            let x = f.b.same(Op::FMul(FloatFormat::F32, mode), &[x, turns]);
            f.unit(if function == A::Sin { A::SinTurns } else { A::CosTurns }, false, x)
        }
        A::SinTurns | A::CosTurns | A::Tanh => {
            // A sum with -0 flushes the operand.
            let zero = f.bits(1 << 31);
            let mode = FloatMode { ftz: true, ..NEAREST };
            let x = f.b.same(Op::FAdd(FloatFormat::F32, mode), &[x, zero]);
            f.unit(function, false, x)
        }
        A::Rcp => {
            let magnitude = f.b.same(Op::FAbs(FloatFormat::F32), &[x]);
            let small = f.less(magnitude, -126);
            let limit = f.bits(f.s.power(125));
            let large = f.compare(FloatCompare::Ge, magnitude, limit);
            let (one, up, down) = (f.bits(f.s.one()), f.bits(f.s.power(24)), f.bits(f.s.power(-2)));
            let scale = f.b.select(large, down, one);
            let scale = f.b.select(small, up, scale);
            let x = f.mul(x, scale);
            let r = f.unit(A::Rcp, true, x);
            f.mul(r, scale)
        }
        A::Rsqrt | A::Sqrt => {
            let magnitude = f.b.same(Op::FAbs(FloatFormat::F32), &[x]);
            let small = f.less(magnitude, -126);
            let x = f.scaled(small, x, 24);
            let r = f.unit(function, true, x);
            f.scaled(small, r, if function == A::Rsqrt { 12 } else { -12 })
        }
        A::Lg2 => {
            let small = f.less(x, -126);
            let x = f.scaled(small, x, 64);
            let r = f.unit(A::Lg2, true, x);
            f.moved(small, r, -64.0)
        }
        A::Ex2 => {
            // A result that may be subnormal is computed 2^64 times as large. The root's square, as ptxas has it, would rest on more than the unit promises.
            let limit = f.bits(u64::from((-125f32).to_bits()));
            let small = f.compare(FloatCompare::Lt, x, limit);
            let x = f.moved(small, x, 64.0);
            let r = f.unit(A::Ex2, true, x);
            f.scaled(small, r, -64)
        }
        A::Rcp64High | A::Rsqrt64High => f.unit(function, true, x),
    };
    Some(smallvec![value])
}

impl Float<'_, '_> {
    fn unit(&mut self, function: A, ftz: bool, x: Value) -> Value {
        self.b.value(Op::Approximate { function, ftz }, &[x], Type::I32)
    }

    /// x < 2^exponent
    fn less(&mut self, x: Value, exponent: i32) -> Value {
        let limit = self.bits(self.s.power(exponent));
        self.compare(FloatCompare::Lt, x, limit)
    }

    /// x × 2^exponent under a condition.
    fn scaled(&mut self, condition: Value, x: Value, exponent: i32) -> Value {
        let factor = self.bits(self.s.power(exponent));
        let product = self.mul(x, factor);
        self.b.select(condition, product, x)
    }

    /// x + `by` under a condition.
    fn moved(&mut self, condition: Value, x: Value, by: f32) -> Value {
        let by = self.bits(u64::from(by.to_bits()));
        let sum = self.b.same(Op::FAdd(FloatFormat::F32, NEAREST), &[x, by]);
        self.b.select(condition, sum, x)
    }
}
