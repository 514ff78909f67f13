//! `cvt` (PTX ISA, "Data Movement and Conversion Instructions: cvt").

use super::float::infinity;
use super::integer::range;
use super::{Done, PtxState, Step};
use crate::checked::Type;
use sassafras_semantics::{CompareOp, Domain, FloatFormat, FloatMode, FloatOp, Rounding};

impl<D: Domain, S: PtxState<D>> Step<'_, '_, D, S> {
    pub(super) fn convert(&mut self) -> Done<()> {
        let (to, from) = (self.ty(), self.second_ty());
        if self.inst.mods.mode == Some("pack") {
            return self.pack_saturated(to, from);
        }
        if self.inst.types.len() != 2 {
            return Err(self.unsupported());
        }
        let result = match (to, from) {
            (Type::F16x2 | Type::Bf16x2, Type::F(FloatFormat::F32)) => {
                // The first source goes to the upper half.
                let format = if to == Type::F16x2 { FloatFormat::F16 } else { FloatFormat::Bf16 };
                let (a, b) = (self.source(1, from)?, self.source(2, from)?);
                let high = self.float_to_float(FloatFormat::F32, format, &a)?;
                let low = self.float_to_float(FloatFormat::F32, format, &b)?;
                self.d.concat(&high, &low)
            }
            (Type::Tf32, Type::F(FloatFormat::F32)) => {
                let a = self.source(1, from)?;
                self.tf32(&a)?
            }
            (Type::Fp8x2(to), Type::F(FloatFormat::F32)) => {
                let (a, b) = (self.source(1, from)?, self.source(2, from)?);
                self.to_fp8(FloatFormat::F32, to, &a, &b)
            }
            (Type::Fp8x2(to), Type::F16x2) => {
                let a = self.source(1, Type::B(32))?;
                let (high, low) = (self.d.extract(&a, 16, 16), self.d.extract(&a, 0, 16));
                self.to_fp8(FloatFormat::F16, to, &high, &low)
            }
            (Type::F16x2, Type::Fp8x2(from)) => {
                let a = self.source(1, Type::B(16))?;
                let half = |low| {
                    let part = self.d.extract(&a, low, 8);
                    let wide = self.d.float_to_float(from, FloatFormat::F16, FloatMode::default(), &part);
                    if self.inst.mods.relu { self.relu(FloatFormat::F16, &wide) } else { wide }
                };
                self.d.concat(&half(8), &half(0))
            }
            (Type::F(to), Type::F(from)) => {
                let a = self.source(1, Type::F(from))?;
                self.float_to_float(from, to, &a)?
            }
            (Type::F(to), Type::U(_) | Type::S(_)) => {
                let a = self.source(1, from)?;
                self.d.int_to_float(from.signed(), to, self.mode(), &a)
            }
            (Type::U(_) | Type::S(_), Type::F(format)) => {
                let a = self.source(1, from)?;
                self.float_to_int(format, to, &a)
            }
            (Type::U(_) | Type::S(_), Type::U(_) | Type::S(_)) => {
                let a = self.source(1, from)?;
                self.int_to_int(from, to, &a)
            }
            _ => return Err(self.unsupported()),
        };
        // A register wider than the type takes the value extended by the type's sign.
        let operand = self.operand(0)?;
        self.result_to(operand, &result, to.signed())
    }

    fn float_to_float(&self, from: FloatFormat, to: FloatFormat, a: &D::V) -> Done<D::V> {
        let (d, mods, mode) = (self.d, &self.inst.mods, self.mode());
        let result = match (mods.integer_rounding, from == to) {
            (true, true) => d.float(FloatOp::RoundToIntegral, to, mode, &[a]),
            (true, false) => return Err(self.unsupported()),
            // Of NaNs the ISA says nothing here, and implementations move the bits.
            (false, true) if !mods.sat => self.or_any_nan(to, a, &d.float_to_float(from, to, mode, a)),
            (false, false) if from == FloatFormat::Bf16 && to == FloatFormat::F32 => {
                // It is exact, whatever the rounding; a subnormal number is one of both formats.
                let wide = d.concat(a, &d.constant(16, 0));
                let flushed = match mods.ftz {
                    true => d.float_to_float(to, to, FloatMode { ftz: true, ..FloatMode::default() }, &wide),
                    false => wide.clone(),
                };
                self.or_any_nan(to, &wide, &flushed)
            }
            (false, false) if from == FloatFormat::Bf16 && to == FloatFormat::F64 => {
                d.float_to_float(from, to, FloatMode::default(), a)
            }
            (false, _) => d.float_to_float(from, to, mode, a),
        };
        let result = if mods.satfinite { self.finite(to, &result) } else { result };
        Ok(if mods.relu { self.relu(to, &result) } else { result })
    }

    /// Two numbers to 8 bits each, the first above. `.satfinite`, which must be there, is what the conversion does; `.relu` makes
    /// negative results zero, and a NaN, whose result has no sign, stays one.
    fn to_fp8(&self, from: FloatFormat, to: FloatFormat, high: &D::V, low: &D::V) -> D::V {
        let d = self.d;
        let one = |v: &D::V| {
            let v = d.float_to_float(from, to, FloatMode::default(), v);
            if self.inst.mods.relu { d.ite(&d.extract(&v, 7, 1), &d.constant(8, 0), &v) } else { v }
        };
        d.concat(&one(high), &one(low))
    }

    /// Binary32 with 10 bits of fraction; the 13 below are zero. What a NaN becomes is not said.
    fn tf32(&self, a: &D::V) -> Done<D::V> {
        let d = self.d;
        let word = |bits| d.constant(32, bits);
        // Half of the last place that stays, less what a tie to even needs.
        let more = match self.inst.mods.rounding {
            Some(Rounding::NearestAway) => word(0x1000),
            Some(Rounding::NearestEven) => d.add(&word(0xfff), &d.zext(&d.extract(a, 13, 1), 32)),
            Some(Rounding::Zero) => word(0),
            _ => return Err(self.unsupported()),
        };
        let mut rounded = d.and(&d.add(a, &more), &word(0xffff_e000));
        let magnitude = d.and(a, &word(0x7fff_ffff));
        let nan = d.compare(CompareOp::ULt, &word(0x7f80_0000), &magnitude);
        if self.inst.mods.satfinite {
            // The largest finite number has all ten bits of its fraction set.
            let infinite = d.eq(&d.and(&rounded, &word(0x7fff_ffff)), &word(0x7f80_0000));
            let largest = d.or(&d.and(a, &word(0x8000_0000)), &word(0x7f7f_e000));
            rounded = d.ite(&infinite, &largest, &rounded);
        }
        if self.inst.mods.relu {
            rounded = d.ite(&d.extract(a, 31, 1), &word(0), &rounded);
        }
        Ok(d.ite(&nan, &d.undef(32, "a NaN as tf32"), &rounded))
    }

    /// `.satfinite`: what is beyond the largest finite number becomes that number, with its sign.
    fn finite(&self, format: FloatFormat, a: &D::V) -> D::V {
        let d = self.d;
        let sign = d.constant(format.width(), 1 << (format.width() - 1));
        let magnitude = d.and(a, &d.not(&sign));
        let infinite = d.eq(&magnitude, &d.constant(format.width(), infinity(format)));
        let largest = d.or(&d.and(a, &sign), &d.constant(format.width(), infinity(format) - 1));
        d.ite(&infinite, &largest, a)
    }

    /// Clamped to the type's range; NaN gives zero, but if the source is binary64 or the result has 64 bits, the top bit.
    fn float_to_int(&self, from: FloatFormat, to: Type, a: &D::V) -> D::V {
        let width = to.width();
        let nan = if from == FloatFormat::F64 || width == 64 { 1 << (width - 1) } else { 0 };
        let rounding = self.inst.mods.rounding.unwrap_or(Rounding::Zero);
        let mode = FloatMode { rounding, ftz: self.inst.mods.ftz, sat: false };
        self.d.float_to_int(from, to.signed(), width, mode, nan, a)
    }

    /// `cvt.pack`: both sources saturated side by side, below the low bits of the third if there is one.
    fn pack_saturated(&mut self, to: Type, from: Type) -> Done<()> {
        let (a, b) = (self.source(1, from)?, self.source(2, from)?);
        let (a, b) = (self.int_to_int(from, to, &a), self.int_to_int(from, to, &b));
        let low = self.d.concat(&a, &b);
        let room = 32 - self.d.width(&low);
        let result = if room == 0 {
            low
        } else {
            let c = self.source(3, Type::B(32))?;
            self.d.concat(&self.d.extract(&c, 0, room), &low)
        };
        self.result(&result)
    }

    fn int_to_int(&self, from: Type, to: Type, a: &D::V) -> D::V {
        let d = self.d;
        let (before, after) = (from.width(), to.width());
        if self.inst.mods.sat {
            let wide = before.max(after) + 1;
            let value = self.extend(a, wide, from.signed());
            let (low, high) = range(after, to.signed());
            let (low, high) = (d.constant(wide, low as u128), d.constant(wide, high as u128));
            let value = d.ite(&d.compare(CompareOp::SLt, &value, &low), &low, &value);
            let value = d.ite(&d.compare(CompareOp::SLt, &high, &value), &high, &value);
            return d.extract(&value, 0, after);
        }
        if after < before { d.extract(a, 0, after) } else { self.extend(a, after, from.signed()) }
    }
}
