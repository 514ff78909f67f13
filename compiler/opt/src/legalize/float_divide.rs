//! Correctly rounded quotients of binary32 and binary64, right for every reciprocal within its documented bound, but for one premise of the
//! short core.
//!
//! # The core
//! For a, b with exponents in a safe range: y ≈ 1/b from the unit, improved by Newton steps; q = a·y, improved once to half a unit in
//! the last place and a little; r = a - b·q, which is exact; the result is q + r·y in one rounding. With p bits of precision, a and b in
//! [1, 2) and y = (1 + δ)/b, the sum before its rounding is |a/b - q|·|δ| off. A quotient that is not a float of p bits
//! differs from it by 2^(2-2p)/b at least (a < b: half of that), so that any direction but nearest is right for y less than a unit off. One
//! that is not a midpoint differs from it by a quarter as much; there y must be the rounded reciprocal. One more Newton step makes it so
//! from half a unit and a little, by the same argument about 1/b and midpoints, unless b's significand is all ones: such divisors take the
//! other path (P. Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", 1990).
//!
//! # The short core
//! To nearest in binary32 the unit checks the range (`FCHK`), and the core is ptxas's: one Newton step, and a quotient that is improved once,
//! right as above for y the rounded reciprocal. For a divisor whose significand is all ones the step leaves the unit's answer where that is the
//! number below the nearest. ptxas's code takes for granted that it is not, and so does this one (`docs/proof-notes.md`, "Premises").
//!
//! # Outside the range
//! Operands are normalised to [1, 2); the core, rounding towards zero, gives p bits of the quotient; the exact remainder gives a
//! further bit and whether anything follows. The result is then put together and rounded in integers: subnormal results round
//! once. Zeros, infinities and NaN are chosen last.

use super::expansion::Expansion;
use super::parts::{Float, Shape};
use super::routine;
use sassafras_ir::{Builder, Compare, Edge, InstData, Op, Type, Value};
use sassafras_semantics::{Approximation, FloatFormat, FloatMode, Rounding, Routine};
use smallvec::smallvec;

pub(super) fn expand(b: &mut Builder, data: &InstData) -> Expansion {
    let Op::FDiv(format @ (FloatFormat::F32 | FloatFormat::F64), mode) = data.op else { return None };
    let (x, y) = (data.args[0], data.args[1]);
    let mut f = Float { b, s: Shape::of(format) };
    let (slow, join) = (f.b.function.add_block(), f.b.function.add_block());
    if format == FloatFormat::F32 && mode.rounding == Rounding::NearestEven && !mode.ftz {
        // The core before the branch: the unit answers both questions at once.
        let one = f.b.function.constant(x) == Some(f.s.one().into());
        let check = f.b.value(Op::FDivCheck, &[x, y], Type::I1);
        let quotient = if one { f.reciprocal(y, false) } else { f.short(x, y) };
        f.b.branch(check, Edge::new(slow, &[]), Edge::new(join, &[quotient]));
    } else {
        let safe = f.in_range(x, y);
        let fast = f.b.function.add_block();
        f.b.branch(safe, Edge::new(fast, &[]), Edge::new(slow, &[]));
        f.b.block = fast;
        let (quotient, _) = f.quotient(x, y, mode.rounding);
        f.b.jump(join, &[quotient]);
    }

    f.b.block = slow;
    let routine = Routine::Divide(format, mode.rounding, mode.ftz);
    let quotient = routine::call(f.b, routine, &[x, y]);
    f.b.jump(join, &[quotient]);

    f.b.block = join;
    let ty = f.s.ty;
    Some(smallvec![f.b.function.add_param(join, ty)])
}

/// The parts of an operand outside the range.
struct Operand {
    /// The significand as a float in [1, 2).
    unit: Value,
    /// The significand with its hidden bit.
    integer: Value,
    /// The biased exponent that the significand goes with, which may be below 1; 32 bits.
    exponent: Value,
    zero: Value,
    infinite: Value,
    nan: Value,
}

impl Float<'_, '_> {
    /// Exponents such that no step of the core overflows, underflows or loses bits.
    fn in_range(&mut self, x: Value, y: Value) -> Value {
        let (ex, ey) = (self.exponent(x), self.exponent(y));
        let most = 2 * self.s.bias;
        let least = self.s.fraction + 3;
        // The remainder's last bit is ex - 1 - 2 × fraction; 1/y is normal; so is the quotient.
        let x_in = self.between(ex, least, most);
        let y_in = self.between(ey, 1, most - 3);
        let difference = self.b.sub(ex, ey);
        let bias = self.b.i32(self.s.bias - 3);
        let moved = self.b.add(difference, bias);
        let q_in = self.between(moved, 0, 2 * self.s.bias - 5);
        let both = self.b.and(x_in, y_in);
        let all = self.b.and(both, q_in);
        let fraction = self.and_bits(y, self.s.fraction_mask());
        let other = self.test(Compare::Ne, fraction, self.s.fraction_mask());
        self.b.and(all, other)
    }

    fn between(&mut self, value: Value, low: u32, high: u32) -> Value {
        let mut value = value;
        if low != 0 {
            let low = self.b.i32(low);
            value = self.b.sub(value, low);
        }
        let size = self.b.i32(high - low);
        self.b.compare(Compare::ULe, value, size)
    }

    /// The reciprocal, less than one unit in the last place off; to nearest if asked for and the fraction is not all ones.
    fn reciprocal(&mut self, y: Value, nearest: bool) -> Value {
        let one = self.bits(self.s.one());
        let minus = self.neg(y);
        let (mut r, steps) = if self.s.format == FloatFormat::F64 {
            let high = self.b.high(y);
            let op = Op::Approximate { function: Approximation::Rcp64High, ftz: true };
            let high = self.b.value(op, &[high], Type::I32);
            let low = self.b.i32(0);
            (self.b.concat(low, high), 2)
        } else {
            let op = Op::Approximate { function: Approximation::Rcp, ftz: true };
            (self.b.value(op, &[y], Type::I32), 1)
        };
        for _ in 0..steps + usize::from(nearest) {
            let error = self.fma(minus, r, one);
            r = self.fma(r, error, r);
        }
        r
    }

    /// The quotient of two binary32 to nearest, where the unit's check has no objection.
    fn short(&mut self, x: Value, y: Value) -> Value {
        let r = self.reciprocal(y, false);
        let minus = self.neg(y);
        let zero = self.bits(0);
        let q = self.fma(x, r, zero);
        let rest = self.fma(minus, q, x);
        self.fma(r, rest, q)
    }

    /// The core: the rounded quotient, and -y.
    fn quotient(&mut self, x: Value, y: Value, rounding: Rounding) -> (Value, Value) {
        let r = self.reciprocal(y, rounding == Rounding::NearestEven);
        let minus = self.neg(y);
        let q = self.mul(x, r);
        let rest = self.fma(minus, q, x);
        let q = self.fma(rest, r, q);
        let rest = self.fma(minus, q, x);
        (self.fma_rounded(rest, r, q, rounding), minus)
    }

    /// Takes an operand apart.
    fn operand(&mut self, x: Value, ftz: bool) -> Operand {
        let s = self.s;
        let magnitude = self.and_bits(x, s.sign() - 1);
        let fraction = self.and_bits(x, s.fraction_mask());
        let exponent = self.exponent(x);
        let low = self.test(Compare::Eq, exponent, 0);
        let zero = if ftz { low } else { self.test(Compare::Eq, magnitude, 0) };
        let infinite = self.test(Compare::Eq, magnitude, s.infinity());
        let nan = self.test(Compare::UGt, magnitude, s.infinity());
        // A subnormal's highest bit moves to the place of the hidden one.
        let zeros = self.b.value(Op::LeadingZeros, &[fraction], Type::I32);
        let above = self.b.i32(s.width() - 1 - s.fraction);
        let shift = self.b.sub(zeros, above);
        let moved = self.b.shl(fraction, shift);
        let normal = self.or_bits(fraction, s.hidden());
        let integer = self.b.select(low, moved, normal);
        let one = self.b.i32(1);
        let below = self.b.sub(one, shift);
        let exponent = self.b.select(low, below, exponent);
        let kept = self.and_bits(integer, s.fraction_mask());
        let unit = self.or_bits(kept, s.one());
        Operand { unit, integer, exponent, zero, infinite, nan }
    }

    /// The quotient of any operands.
    pub(super) fn general(&mut self, x: Value, y: Value, mode: FloatMode) -> Value {
        let s = self.s;
        let a = self.operand(x, mode.ftz);
        let c = self.operand(y, mode.ftz);
        let signs = self.b.xor(x, y);
        let sign = self.and_bits(signs, s.sign());

        // p bits of the quotient of the significands, towards zero.
        let (q, _) = self.quotient(a.unit, c.unit, Rounding::Zero);
        let less = self.test(Compare::ULt, q, s.one());
        let fraction = self.and_bits(q, s.fraction_mask());
        let bits = self.or_bits(fraction, s.hidden());
        // The remainder, exact modulo 2^width: (a << (fraction + less)) - bits × c.
        let less32 = self.b.zext(less, Type::I32);
        let places = self.b.i32(s.fraction);
        let shift = self.b.add(places, less32);
        let wide = self.b.shl(a.integer, shift);
        let product = self.b.mul(bits, c.integer);
        let rest = self.b.sub(wide, product);
        let twice = self.b.add(rest, rest);
        let guard = self.b.compare(Compare::UGe, twice, c.integer);
        let without = self.b.sub(twice, c.integer);
        let left = self.b.select(guard, without, twice);
        let sticky = self.test(Compare::Ne, left, 0);
        // Two bits below the significand: the next one, and whether anything follows.
        let four = self.b.shl_by(bits, 2);
        let (guard, sticky) = (self.number(guard), self.number(sticky));
        let two = self.b.add(guard, guard);
        let low = self.b.or(two, sticky);
        let value = self.b.or(four, low);

        let exponent = self.b.sub(a.exponent, c.exponent);
        let exponent = self.b.sub(exponent, less32);
        let bias = self.b.i32(s.bias);
        let exponent = self.b.add(exponent, bias);
        let magnitude = self.assemble(value, exponent, sign, mode);
        let result = self.b.or(magnitude, sign);

        // 0/x and x/∞; x/0 and ∞/x; NaN, 0/0, ∞/∞.
        let nothing = self.b.or(a.zero, c.infinite);
        let result = self.b.select(nothing, sign, result);
        let everything = self.b.or(a.infinite, c.zero);
        let infinity = self.or_bits(sign, s.infinity());
        let result = self.b.select(everything, infinity, result);
        let invalid = self.b.and(nothing, everything);
        let nan = self.b.or(a.nan, c.nan);
        let nan = self.b.or(nan, invalid);
        let canonical = self.bits(s.nan());
        self.b.select(nan, canonical, result)
    }

    /// Rounds `value`, a significand with two more bits, at a biased exponent: the magnitude's bits.
    fn assemble(&mut self, value: Value, exponent: Value, sign: Value, mode: FloatMode) -> Value {
        let s = self.s;
        let zero = self.b.i32(0);
        let one = self.b.i32(1);
        // Below exponent 1 the significand moves right; what falls out stays known in the lowest bit.
        let missing = self.b.sub(one, exponent);
        let missing = self.b.same(Op::Max { signed: true }, &[missing, zero]);
        let most = self.b.i32(s.width() - 2);
        let missing = self.b.same(Op::Min { signed: true }, &[missing, most]);
        let moved = self.b.lshr(value, missing);
        let back = self.b.shl(moved, missing);
        let lost = self.b.compare(Compare::Ne, back, value);
        let lost = self.number(lost);
        let value = self.b.or(moved, lost);

        let whole = self.b.lshr_by(value, 2);
        let low = self.and_bits(value, 3);
        let any = self.test(Compare::Ne, low, 0);
        let negative = self.test(Compare::Ne, sign, 0);
        let no = self.b.constant(Type::I1, 0);
        let up = match mode.rounding {
            Rounding::NearestEven => {
                // By the last kept bit and the two below: 011, 110 and 111 go up.
                let three = self.and_bits(value, 7);
                let three = self.b.truncate(three, Type::I32);
                let table = self.b.i32(0b1100_1000);
                let bit = self.b.lshr(table, three);
                let bit = self.b.and(bit, one);
                self.b.compare(Compare::Ne, bit, zero)
            }
            Rounding::NearestAway => self.test(Compare::UGe, low, 2),
            Rounding::Zero => no,
            Rounding::Up => {
                let positive = self.b.not(negative);
                self.b.and(any, positive)
            }
            Rounding::Down => self.b.and(any, negative),
        };
        // The hidden bit is added to the exponent less one; a subnormal has none.
        let limit = self.b.i32(2 * s.bias + 2);
        let exponent = self.b.same(Op::Min { signed: true }, &[exponent, limit]);
        let field = self.b.sub(exponent, one);
        let field = self.b.same(Op::Max { signed: true }, &[field, zero]);
        let field = self.b.zext(field, s.ty);
        let field = self.b.shl_by(field, s.fraction);
        let up = self.number(up);
        let sum = self.b.add(whole, up);
        let bits = self.b.add(field, sum);

        let too_big = self.test(Compare::UGe, bits, s.infinity());
        let infinity = self.bits(s.infinity());
        let largest = self.bits(s.infinity() - 1);
        let overflow = match mode.rounding {
            Rounding::NearestEven | Rounding::NearestAway => infinity,
            Rounding::Zero => largest,
            Rounding::Up => self.b.select(negative, largest, infinity),
            Rounding::Down => self.b.select(negative, infinity, largest),
        };
        let bits = self.b.select(too_big, overflow, bits);
        if !mode.ftz {
            return bits;
        }
        let small = self.test(Compare::ULt, bits, s.hidden());
        let flushed = self.bits(0);
        self.b.select(small, flushed, bits)
    }
}
