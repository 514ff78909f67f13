//! Correctly rounded square roots of binary32 and binary64, right for every reciprocal root within its documented bound, but for one premise of
//! the short way.
//!
//! The operand is scaled by an even power of two away from subnormals. Goldschmidt's iteration from the unit's 1/√x and one step
//! on the residual give g, less than one unit in the last place from the root. Whether g² exceeds x says whether the root rounded
//! down is g or its predecessor: call that f, with u its unit. The residual d = x - f² then decides: the root exceeds f if d > 0,
//! and the midpoint f + u/2 if d > f·u, because (f + u/2)² = f² + f·u + u²/4 and d is a multiple of u². Both tests are exact: d is exact
//! whenever it is that small, and keeps its order when it is not.
//!
//! # The short way
//! To nearest in binary32 the code is ptxas's: g and one step on the residual, without the tests. It is right for every reciprocal root within the
//! documented bound but for two operands and their products with powers of four, for which the unit's answer must not be the number above the
//! nearest (`docs/proof-notes.md`, "Premises"). It serves from 2^-101, so that the residual is exact. Smaller operands are scaled by 2^64; zeros and
//! infinity are their own roots, and of negative operands and NaN the unit gives NaN.

use super::expansion::Expansion;
use super::parts::{Float, NEAREST, Shape};
use sassafras_ir::{Builder, Compare, Edge, FloatCompare, InstData, Op, Type, Value};
use sassafras_semantics::{Approximation, FloatFormat, FloatMode, Rounding};
use smallvec::smallvec;

pub(super) fn expand(b: &mut Builder, data: &InstData) -> Expansion {
    let Op::FSqrt(format @ (FloatFormat::F32 | FloatFormat::F64), mode) = data.op else { return None };
    let x = data.args[0];
    let mut f = Float { b, s: Shape::of(format) };
    if format == FloatFormat::F32 && mode.rounding == Rounding::NearestEven {
        return Some(smallvec![f.nearest(x, mode.ftz)]);
    }
    let s = f.s;
    let double = format == FloatFormat::F64;

    // Below the threshold the residual would have bits below the subnormals.
    let (threshold, up) = if double { (-960, 512) } else { (-96, 96) };
    let limit = f.bits(s.power(threshold));
    let small = f.compare(FloatCompare::Lt, x, limit);
    let (one, factor) = (f.bits(s.one()), f.bits(s.power(up)));
    let scale = f.b.select(small, factor, one);
    let scaled = f.mul(x, scale);

    let root = f.root(scaled, mode.rounding);
    let back = f.bits(s.power(-up / 2));
    let scale = f.b.select(small, back, one);
    let root = f.mul(root, scale);

    // Negative or NaN; then zeros (with .ftz subnormals too) and infinity, which are their own roots.
    let zero = f.bits(0);
    let op = Op::FloatCompare { compare: FloatCompare::ULt, format, ftz: mode.ftz };
    let invalid = f.b.value(op, &[x, zero], Type::I1);
    let canonical = f.bits(s.nan());
    let result = f.b.select(invalid, canonical, root);
    let magnitude = f.and_bits(x, s.sign() - 1);
    let is_zero = f.test(Compare::ULt, magnitude, if mode.ftz { s.hidden() } else { 1 });
    let sign = f.and_bits(x, s.sign());
    let result = f.b.select(is_zero, sign, result);
    let infinite = f.test(Compare::Eq, x, s.infinity());
    Some(smallvec![f.b.select(infinite, x, result)])
}

impl Float<'_, '_> {
    /// The root to nearest of binary32: the short way, and the scaled one where that does not serve.
    fn nearest(&mut self, x: Value, ftz: bool) -> Value {
        let (slow, join) = (self.b.function.add_block(), self.b.function.add_block());
        // From 2^-101 to the largest finite number.
        let (least, most) = (self.s.power(-101), self.s.infinity() - 1);
        let moved = self.add_bits(x, least.wrapping_neg());
        let other = self.test(Compare::UGt, moved, most - least);
        let root = self.short_root(x);
        self.b.branch(other, Edge::new(slow, &[]), Edge::new(join, &[root]));

        self.b.block = slow;
        let factor = self.bits(self.s.power(64));
        let scaled = self.b.same(Op::FMul(self.s.format, FloatMode { ftz, ..NEAREST }), &[x, factor]);
        let root = self.short_root(scaled);
        let back = self.bits(self.s.power(-32));
        let root = self.mul(root, back);
        let (zero, infinity) = (self.bits(0), self.bits(self.s.infinity()));
        let is_zero = self.compare(FloatCompare::Eq, scaled, zero);
        let is_infinite = self.compare(FloatCompare::Eq, scaled, infinity);
        let own = self.b.or(is_infinite, is_zero);
        let root = self.b.select(own, scaled, root);
        self.b.jump(join, &[root]);

        self.b.block = join;
        self.b.function.add_param(join, self.s.ty)
    }

    /// The unit's reciprocal root, and one step on the residual.
    fn short_root(&mut self, x: Value) -> Value {
        let flushing = Op::FMul(self.s.format, FloatMode { ftz: true, ..NEAREST });
        let op = Op::Approximate { function: Approximation::Rsqrt, ftz: true };
        let y = self.b.value(op, &[x], Type::I32);
        let half = self.bits(self.s.power(-1));
        let g = self.b.same(flushing, &[x, y]);
        let h = self.b.same(flushing, &[y, half]);
        let rest = self.residual(x, g);
        self.fma(rest, h, g)
    }

    fn root(&mut self, x: Value, rounding: Rounding) -> Value {
        let s = self.s;
        let (y, steps) = if s.format == FloatFormat::F64 {
            let high = self.b.high(x);
            let op = Op::Approximate { function: Approximation::Rsqrt64High, ftz: true };
            let high = self.b.value(op, &[high], Type::I32);
            let low = self.b.i32(0);
            (self.b.concat(low, high), 2)
        } else {
            let op = Op::Approximate { function: Approximation::Rsqrt, ftz: true };
            (self.b.value(op, &[x], Type::I32), 1)
        };
        let half = self.bits(s.power(-1));
        let mut g = self.mul(x, y);
        let mut h = self.mul(y, half);
        for _ in 0..steps {
            let minus = self.neg(g);
            let r = self.fma(minus, h, half);
            g = self.fma(g, r, g);
            h = self.fma(h, r, h);
        }
        let residual = self.residual(x, g);
        let g = self.fma(residual, h, g);

        // Rounded down.
        let residual = self.residual(x, g);
        let zero = self.bits(0);
        let above = self.compare(FloatCompare::Lt, residual, zero);
        let above = self.number(above);
        let f = self.b.sub(g, above);
        if matches!(rounding, Rounding::Zero | Rounding::Down) {
            return f;
        }
        let d = self.residual(x, f);
        let up = if rounding == Rounding::Up {
            self.compare(FloatCompare::Gt, d, zero)
        } else {
            // f × u: u has the exponent of f less the number of fraction bits.
            let exponent = self.and_bits(f, s.infinity());
            let unit = self.add_bits(exponent, (u64::from(s.fraction) << s.fraction).wrapping_neg());
            let half_way = self.b.same(Op::FMul(s.format, NEAREST), &[f, unit]);
            self.compare(FloatCompare::Gt, d, half_way)
        };
        let up = self.number(up);
        self.b.add(f, up)
    }

    /// x - g²
    fn residual(&mut self, x: Value, g: Value) -> Value {
        let minus = self.neg(g);
        self.fma(minus, g, x)
    }
}
