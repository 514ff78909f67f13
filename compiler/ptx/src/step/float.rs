//! Floating-point arithmetic and functions (PTX ISA, "Floating-Point Instructions", "Half Precision Floating-Point
//! Instructions").

use super::{Done, PtxState, Step};
use crate::checked::{Op, Type};
use sassafras_semantics::{
    Approximation, CompareOp, Domain, FloatFormat, FloatMode, FloatOp, FloatRelation, Rounding,
};
use smallvec::SmallVec;

/// The bits of 1.
pub(super) const fn one(format: FloatFormat) -> u128 {
    format.one() as u128
}

/// The bits of positive infinity, which are those of the exponent field.
pub(super) const fn infinity(format: FloatFormat) -> u128 {
    ((1 << format.exponent_bits()) - 1) << format.fraction_bits()
}

impl<D: Domain, S: PtxState<D>> Step<'_, '_, D, S> {
    /// The instruction's rounding, flushing and saturation.
    pub(super) fn mode(&self) -> FloatMode {
        let mods = &self.inst.mods;
        FloatMode { rounding: mods.rounding.unwrap_or_default(), ftz: mods.ftz, sat: mods.sat }
    }

    pub(super) fn float(&mut self, format: FloatFormat) -> Done<()> {
        let mut args: SmallVec<[D::V; 3]> = SmallVec::new();
        // With a narrower second type all but the last operand are converted, which is exact (`add.f32.f16`).
        let narrow = match self.inst.types.get(1) {
            Some(Type::F(narrow)) if *narrow != format => Some(*narrow),
            _ => None,
        };
        let last = self.operands() - 1;
        for index in 1..=last {
            args.push(match narrow {
                Some(narrow) if index != last => {
                    let a = self.source(index, Type::F(narrow))?;
                    match (narrow, format) {
                        // The upper half of a binary32; a NaN stays one.
                        (FloatFormat::Bf16, FloatFormat::F32) => self.d.concat(&a, &self.d.constant(16, 0)),
                        _ => self.d.float_to_float(narrow, format, FloatMode::default(), &a),
                    }
                }
                _ => self.source(index, Type::F(format))?,
            });
        }
        if self.inst.mods.xorsign_abs && args.len() == 3 {
            // `.abs` of three operands is of each of them.
            let magnitude = self.d.constant(format.width(), (1 << (format.width() - 1)) - 1);
            args.iter_mut().for_each(|a| *a = self.d.and(a, &magnitude));
        }
        let result = self.float_value(format, &args)?;
        self.result(&result)
    }

    /// The result of one lane of float arithmetic.
    pub(super) fn float_value(&self, format: FloatFormat, args: &[D::V]) -> Done<D::V> {
        let (d, mods, mode) = (self.d, &self.inst.mods, self.mode());
        if mods.satfinite || mods.oob {
            return Err(self.unsupported());
        }
        let sign = d.constant(format.width(), 1 << (format.width() - 1));
        let result = match (self.inst.op, args) {
            (Op::Add, [a, b]) => d.float(FloatOp::Add, format, mode, &[a, b]),
            (Op::Sub, [a, b]) => d.float(FloatOp::Add, format, mode, &[a, &d.xor(b, &sign)]),
            (Op::Mul, [a, b]) => d.float(FloatOp::Mul, format, mode, &[a, b]),
            (Op::Fma | Op::Mad, [a, b, c]) => d.float(FloatOp::Fma, format, mode, &[a, b, c]),
            (Op::Div, [a, b]) if mods.approx => self.divide_approx(a, b),
            (Op::Div, [a, b]) if mods.full => self.divide_full(a, b),
            (Op::Div, [a, b]) => d.float(FloatOp::Div, format, mode, &[a, b]),
            (Op::Neg, [a]) => self.signed_as(format, a, &d.xor(&self.flushed(format, a), &sign)),
            (Op::Abs, [a]) => self.signed_as(format, a, &d.and(&self.flushed(format, a), &d.not(&sign))),
            (Op::Min | Op::Max, [first, rest @ ..]) if !rest.is_empty() => {
                rest.iter().fold(first.clone(), |a, b| self.float_extremum(format, &a, b))
            }
            _ => return Err(self.unsupported()),
        };
        Ok(if mods.relu { self.relu(format, &result) } else { result })
    }

    /// Negative becomes +0, NaN the canonical NaN.
    pub(super) fn relu(&self, format: FloatFormat, a: &D::V) -> D::V {
        let zero = self.d.constant(format.width(), 0);
        self.d.float(FloatOp::MaxNan, format, FloatMode::default(), &[a, &zero])
    }

    /// One bit: whether `a` is NaN.
    pub(super) fn is_nan(&self, format: FloatFormat, a: &D::V) -> D::V {
        self.d.float_relation(FloatRelation::Unordered, format, false, a, a)
    }

    /// `a`, or under `.ftz` zero of its sign if it is subnormal.
    pub(super) fn flushed(&self, format: FloatFormat, a: &D::V) -> D::V {
        let d = self.d;
        if !self.inst.mods.ftz {
            return a.clone();
        }
        let exponent = d.constant(format.width(), infinity(format));
        let zero = d.constant(format.width(), 0);
        let small = d.eq(&d.and(a, &exponent), &zero);
        let sign = d.constant(format.width(), 1 << (format.width() - 1));
        d.ite(&small, &d.and(a, &sign), a)
    }

    /// `abs` and `neg`: a NaN operand yields an unspecified NaN.
    fn signed_as(&self, format: FloatFormat, a: &D::V, result: &D::V) -> D::V {
        self.or_any_nan(format, a, result)
    }

    /// `result`, or any NaN if `a` is a NaN of the same format.
    pub(super) fn or_any_nan(&self, format: FloatFormat, a: &D::V, result: &D::V) -> D::V {
        let (d, width) = (self.d, format.width());
        let nan = self.is_nan(format, a);
        if d.as_constant(&nan) == Some(0) {
            return result.clone();
        }
        let any = d.or(&d.undef(width, "payload of a NaN"), &d.constant(width, infinity(format)));
        // With a fraction of zero it would be an infinity.
        let fraction = d.and(&any, &d.constant(width, lowest(infinity(format)) - 1));
        let empty = d.eq(&fraction, &d.constant(width, 0));
        let any = d.ite(&empty, &d.or(&any, &d.constant(width, 1)), &any);
        d.ite(&nan, &any, result)
    }

    fn float_extremum(&self, format: FloatFormat, a: &D::V, b: &D::V) -> D::V {
        let (d, mods) = (self.d, &self.inst.mods);
        let op = match (self.inst.op == Op::Min, mods.nan) {
            (true, false) => FloatOp::Min,
            (true, true) => FloatOp::MinNan,
            (false, false) => FloatOp::Max,
            (false, true) => FloatOp::MaxNan,
        };
        let mode = FloatMode { ftz: mods.ftz, ..FloatMode::default() };
        if !mods.xorsign_abs {
            return d.float(op, format, mode, &[a, b]);
        }
        // The magnitudes are compared; the sign is the exclusive or of the signs.
        let width = format.width();
        let sign = d.constant(width, 1 << (width - 1));
        let magnitude = |v: &D::V| d.and(v, &d.not(&sign));
        let chosen = d.float(op, format, mode, &[&magnitude(a), &magnitude(b)]);
        // Of three operands there is no sign: `.abs` has taken them.
        if self.operands() > 3 {
            return chosen;
        }
        let signs = d.xor(a, b);
        let nan = self.is_nan(format, &chosen);
        // Whether a NaN, which is the canonical one, keeps its sign or takes the new one is not said.
        let signs = match d.as_constant(&nan) {
            Some(0) => signs,
            _ => d.ite(&nan, &d.undef(width, "payload of a NaN"), &signs),
        };
        d.or(&magnitude(&chosen), &d.and(&signs, &sign))
    }

    /// `div.approx.f32`: a × (1/b), with 1/b zero for |b| above 2^126.
    fn divide_approx(&self, a: &D::V, b: &D::V) -> D::V {
        let (d, mode) = (self.d, self.mode());
        let sign = d.constant(32, 0x8000_0000);
        let large = d.compare(CompareOp::ULt, &d.constant(32, 0x7e80_0000), &d.and(b, &d.not(&sign)));
        let large = d.and(&large, &d.not(&self.is_nan(FloatFormat::F32, b)));
        let reciprocal = d.approximate(Approximation::Rcp, mode.ftz, b);
        let reciprocal = d.ite(&large, &d.and(b, &sign), &reciprocal);
        d.float(FloatOp::Mul, FloatFormat::F32, mode, &[a, &reciprocal])
    }

    /// `div.full.f32`: the operands are scaled so that the reciprocal is exact enough over the full range.
    fn divide_full(&self, a: &D::V, b: &D::V) -> D::V {
        let (d, mode) = (self.d, self.mode());
        let format = FloatFormat::F32;
        let (a, b) = (self.flushed(format, a), self.flushed(format, b));
        let magnitude = d.and(&b, &d.constant(32, 0x7fff_ffff));
        let below = |x: &D::V, y: u128| d.compare(CompareOp::ULt, x, &d.constant(32, y));
        let float = |v: f32| d.constant(32, v.to_bits().into());
        // Above 2^126 by 2^-2; below 2^-126 by 2^24; else by 1.
        let scale = d.ite(
            &below(&magnitude, 0x0080_0000),
            &float(16_777_216.0),
            &d.ite(&below(&magnitude, 0x7e80_0001), &float(1.0), &float(0.25)),
        );
        let plain = FloatMode { ftz: mode.ftz, ..FloatMode::default() };
        let mul = |x: &D::V, y: &D::V, mode| d.float(FloatOp::Mul, format, mode, &[x, y]);
        let reciprocal = d.approximate(Approximation::Rcp, mode.ftz, &mul(&b, &scale, plain));
        mul(&mul(&a, &scale, plain), &reciprocal, mode)
    }

    /// `rcp`, `sqrt`, `rsqrt`, `sin`, `cos`, `lg2`, `ex2`, `tanh`.
    pub(super) fn function(&mut self) -> Done<()> {
        let result = match self.ty() {
            Type::F(FloatFormat::F64) => {
                let a = self.source(1, Type::F(FloatFormat::F64))?;
                self.function_f64(&a)?
            }
            Type::F(FloatFormat::F32) => {
                let a = self.source(1, Type::F(FloatFormat::F32))?;
                self.function_f32(&a)?
            }
            Type::F(format) => {
                let a = self.source(1, Type::F(format))?;
                self.function_half(format, &a)?
            }
            Type::F16x2 | Type::Bf16x2 => {
                let format = if self.ty() == Type::F16x2 { FloatFormat::F16 } else { FloatFormat::Bf16 };
                let a = self.source(1, self.ty())?;
                let low = self.function_half(format, &self.d.extract(&a, 0, 16))?;
                let high = self.function_half(format, &self.d.extract(&a, 16, 16))?;
                self.d.concat(&high, &low)
            }
            _ => return Err(self.unsupported()),
        };
        self.result(&result)
    }

    fn approximation(&self) -> Done<Approximation> {
        self.inst.op.approximation().ok_or_else(|| self.unsupported())
    }

    fn function_f32(&self, a: &D::V) -> Done<D::V> {
        let (d, mode, format) = (self.d, self.mode(), FloatFormat::F32);
        match (self.inst.op, self.inst.mods.rounding) {
            (Op::Rcp, Some(_)) => Ok(d.float(FloatOp::Div, format, mode, &[&d.constant(32, one(format)), a])),
            (Op::Sqrt, Some(_)) => Ok(d.float(FloatOp::Sqrt, format, mode, &[a])),
            (_, Some(_)) => Err(self.unsupported()),
            (_, None) => Ok(d.approximate(self.approximation()?, mode.ftz, a)),
        }
    }

    fn function_f64(&self, a: &D::V) -> Done<D::V> {
        let (d, mode, format) = (self.d, self.mode(), FloatFormat::F64);
        let unit = d.constant(64, one(format));
        match (self.inst.op, self.inst.mods.rounding) {
            (Op::Rcp, Some(_)) => Ok(d.float(FloatOp::Div, format, mode, &[&unit, a])),
            (Op::Sqrt, Some(_)) => Ok(d.float(FloatOp::Sqrt, format, mode, &[a])),
            (Op::Rcp | Op::Rsqrt, None) if mode.ftz => {
                // Of the operand only the high word counts; the result's low word is zero.
                let function = if self.inst.op == Op::Rcp {
                    Approximation::Rcp64High
                } else {
                    Approximation::Rsqrt64High
                };
                let high = d.extract(&self.flushed(format, a), 32, 32);
                Ok(d.concat(&d.approximate(function, mode.ftz, &high), &d.constant(32, 0)))
            }
            // One value within the bound that the ISA gives for the form without `.ftz`.
            (Op::Rsqrt, None) => {
                let root = d.float(FloatOp::Sqrt, format, FloatMode::default(), &[a]);
                Ok(d.float(FloatOp::Div, format, FloatMode::default(), &[&unit, &root]))
            }
            _ => Err(self.unsupported()),
        }
    }

    /// `ex2` and `tanh` of half formats: the binary32 function, rounded; within the bounds that the ISA gives for them.
    fn function_half(&self, format: FloatFormat, a: &D::V) -> Done<D::V> {
        if !matches!(self.inst.op, Op::Ex2 | Op::Tanh) {
            return Err(self.unsupported());
        }
        let (d, exact) = (self.d, FloatMode::default());
        let wide = d.float_to_float(format, FloatFormat::F32, exact, &self.flushed(format, a));
        let value = d.approximate(self.approximation()?, false, &wide);
        let mode = FloatMode { rounding: Rounding::NearestEven, ..exact };
        let rounded = d.float_to_float(FloatFormat::F32, format, mode, &value);
        Ok(self.flushed(format, &rounded))
    }
}

/// The lowest set bit.
const fn lowest(bits: u128) -> u128 {
    bits & bits.wrapping_neg()
}
