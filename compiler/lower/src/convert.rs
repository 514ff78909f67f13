//! `cvt` (PTX ISA, "cvt").

use crate::context::{Context, Result, type_of};
use crate::float::mode_of;
use crate::operand::operand;
use crate::refusal::Refusal;
use sassafras_ir::{Compare, Op, PackedOp, Type, Value};
use sassafras_ptx::checked::{Inst, Type as T};
use sassafras_semantics::{FloatFormat, FloatMode, Rounding};

impl Context<'_, '_> {
    /// A binary32 number without its 13 lowest bits; a NaN becomes the canonical one.
    fn tf32(&mut self, inst: &Inst, rounding: Rounding, a: Value) -> Result<Value> {
        let b = &mut self.b();
        let more = match rounding {
            Rounding::NearestAway => b.i32(0x1000),
            Rounding::NearestEven => {
                let (last, one, half) = (b.lshr_by(a, 13), b.i32(1), b.i32(0xfff));
                let odd = b.and(last, one);
                b.add(half, odd)
            }
            Rounding::Zero => b.i32(0),
            _ => return Err(Refusal::Unsupported("this rounding to tf32")),
        };
        let sum = b.add(a, more);
        let (kept, positive, infinity, nan) =
            (b.i32(0xffff_e000), b.i32(0x7fff_ffff), b.i32(0x7f80_0000), b.i32(0x7fff_ffff));
        let mut rounded = b.and(sum, kept);
        let magnitude = b.and(a, positive);
        let is_nan = b.compare(Compare::UGt, magnitude, infinity);
        if inst.mods.satfinite {
            let beyond = b.and(rounded, positive);
            let beyond = b.compare(Compare::Eq, beyond, infinity);
            let (sign, largest) = (b.i32(0x8000_0000), b.i32(0x7f7f_e000));
            let sign = b.and(a, sign);
            let largest = b.or(sign, largest);
            rounded = b.select(beyond, largest, rounded);
        }
        if inst.mods.relu {
            let zero = b.i32(0);
            let negative = b.compare(Compare::SLt, a, zero);
            rounded = b.select(negative, zero, rounded);
        }
        Ok(b.select(is_nan, nan, rounded))
    }

    /// `cvt.pack.sat`: both sources saturated side by side, below the low bits of the third if there is one (PTX ISA, `cvt.pack`).
    fn pack_saturated(&mut self, inst: &Inst) -> Result<()> {
        let (to, o) = (inst.types[0], &inst.operands);
        let (width, signed) = (to.width(), to.signed());
        let mask = ((1u64 << width) - 1) as u32;
        let (least, most) = if signed { (!(mask >> 1), mask >> 1) } else { (0, mask) };
        let mut parts = Vec::new();
        for i in [1, 2] {
            let value = self.value(operand(o, i)?, T::S(32))?;
            let mut b = self.b();
            let (least, most, mask) = (b.i32(least), b.i32(most), b.i32(mask));
            let value = b.same(Op::Max { signed: true }, &[value, least]);
            let value = b.same(Op::Min { signed: true }, &[value, most]);
            parts.push(b.and(value, mask));
        }
        let high = self.b().shl_by(parts[0], width);
        let mut value = self.b().or(high, parts[1]);
        if 2 * width < 32 {
            let above = self.value(operand(o, 3)?, T::B(32))?;
            let above = self.b().shl_by(above, 2 * width);
            value = self.b().or(above, value);
        }
        self.write(&o[0], value, false)
    }

    pub(crate) fn convert(&mut self, inst: &Inst) -> Result<()> {
        if inst.mods.mode == Some("pack") {
            return self.pack_saturated(inst);
        }
        let (to, from) = match inst.types[..] {
            [to, from] => (to, from),
            _ => return Err(Refusal::Malformed("a conversion has two types")),
        };
        if inst.mods.mode.is_some() {
            return Err(Refusal::Unsupported("this kind of conversion"));
        }
        let o = &inst.operands;
        let mode = mode_of(inst);
        match (to, from) {
            (T::F16x2 | T::Bf16x2, T::F(FloatFormat::F32)) => {
                // The first source becomes the upper half.
                let format = if to == T::F16x2 { FloatFormat::F16 } else { FloatFormat::Bf16 };
                let op = Op::FloatToFloat { from: FloatFormat::F32, to: format, mode };
                let (a, b) = (self.value(operand(o, 1)?, from)?, self.value(operand(o, 2)?, from)?);
                let mut high = self.b().value(op, &[a], Type::I16);
                let mut low = self.b().value(op, &[b], Type::I16);
                if inst.mods.satfinite {
                    (high, low) = (self.finite(format, high), self.finite(format, low));
                }
                let mut value = self.b().value(Op::Concat, &[low, high], Type::I32);
                if inst.mods.relu {
                    let zero = self.b().i32(0);
                    let relu = Op::Packed { kind: PackedOp::MaxNan, format, mode: FloatMode::default() };
                    value = self.b().same(relu, &[value, zero]);
                }
                self.write(&o[0], value, false)
            }
            (T::Tf32, T::F(FloatFormat::F32)) => {
                let a = self.value(operand(o, 1)?, from)?;
                let value = self.tf32(inst, mode.rounding, a)?;
                self.write(&o[0], value, false)
            }
            (T::Fp8x2(to), T::F(from @ FloatFormat::F32)) => {
                let op = Op::ToFp8 { from, to, relu: inst.mods.relu };
                let (a, b) =
                    (self.value(operand(o, 1)?, T::F(from))?, self.value(operand(o, 2)?, T::F(from))?);
                let value = self.b().value(op, &[a, b], Type::I16);
                self.write(&o[0], value, false)
            }
            (T::Fp8x2(to), T::F16x2) => {
                let op = Op::ToFp8 { from: FloatFormat::F16, to, relu: inst.mods.relu };
                let a = self.value(operand(o, 1)?, T::B(32))?;
                let value = self.b().value(op, &[a], Type::I16);
                self.write(&o[0], value, false)
            }
            (T::F16x2, T::Fp8x2(from)) => {
                let a = self.value(operand(o, 1)?, T::B(16))?;
                let value = self.b().value(Op::FromFp8 { from, relu: inst.mods.relu }, &[a], Type::I32);
                self.write(&o[0], value, false)
            }
            (T::F(to), T::F(from)) => {
                let a = self.value(operand(o, 1)?, T::F(from))?;
                let value = self.float_to_float(inst, to, from, mode, a);
                self.write(&o[0], value, false)
            }
            (T::F(format), _) => {
                let bits = from.width();
                if !matches!(from, T::U(8..) | T::S(8..) | T::B(8..)) {
                    return Err(Refusal::Unsupported("this conversion"));
                }
                let a = self.int(operand(o, 1)?, from)?;
                // What `int` gave is already extended to 32 bits.
                // No integer is subnormal as a float: `.ftz` changes nothing.
                let plain = FloatMode { sat: false, ftz: false, ..mode };
                let op = Op::IntToFloat {
                    signed: from.signed(),
                    bits: bits.max(32) as u8,
                    to: format,
                    mode: plain,
                };
                let mut value = self.b().value(op, &[a], type_of(format.width()));
                if mode.sat {
                    value = self.saturate(format, mode, value);
                }
                self.write(&o[0], value, false)
            }
            (_, T::F(format)) if matches!(to, T::U(8..) | T::S(8..) | T::B(8..)) => {
                let a = self.value(operand(o, 1)?, from)?;
                let bits = to.width() as u8;
                let wide = if bits == 64 { Type::I64 } else { Type::I32 };
                // Clamping to the integer's range is what the operation does with or without `.sat`.
                let mode = FloatMode { sat: false, ..mode };
                let op = Op::FloatToInt { from: format, signed: to.signed(), bits, mode };
                let value = self.b().value(op, &[a], wide);
                self.write_wide(inst, to, value)
            }
            (T::U(8..) | T::S(8..) | T::B(8..), T::U(8..) | T::S(8..) | T::B(8..)) => {
                let a = self.int(operand(o, 1)?, from)?;
                let value = self.int_to_int(to, from, inst.mods.sat, a);
                self.write_wide(inst, to, value)
            }
            _ => Err(Refusal::Unsupported("this conversion")),
        }
    }

    /// Writes an integer of 32 or 64 bits that stands for a value of type `to` to a register that may be wider than `to`.
    fn write_wide(&mut self, inst: &Inst, to: T, value: Value) -> Result<()> {
        self.write(&inst.operands[0], value, to.signed())
    }

    fn float_to_float(
        &mut self,
        inst: &Inst,
        to: FloatFormat,
        from: FloatFormat,
        mode: FloatMode,
        a: Value,
    ) -> Value {
        let ty = type_of(to.width());
        // Nothing documents that F2F.FTZ flushes what it widens to binary64. ptxas 11.8.89 to 13.5.37 flushes by a product with one before it, for
        // sm_75 to sm_121.
        let widens = from == FloatFormat::F32 && to == FloatFormat::F64;
        let (a, mode) = if widens && mode.ftz {
            let one = self.b().constant(type_of(from.width()), from.one().into());
            let flush = FloatMode { ftz: true, ..FloatMode::default() };
            (self.b().same(Op::FMul(from, flush), &[a, one]), FloatMode { ftz: false, ..mode })
        } else {
            (a, mode)
        };
        if from == FloatFormat::Bf16 && matches!(to, FloatFormat::F32 | FloatFormat::F64) {
            // Each has all values of bf16: whatever the rounding, it is exact.
            let op = Op::FloatToFloat { from, to, mode: FloatMode::default() };
            let value = self.b().value(op, &[a], ty);
            return if mode.ftz { self.saturate(to, mode, value) } else { value };
        }
        let plain = FloatMode { sat: false, ..mode };
        let mut value = if to == FloatFormat::F32 && to != from {
            self.b().value(Op::FloatToFloat { from, to, mode }, &[a], ty)
        } else if to != from || inst.mods.integer_rounding || inst.mods.rounding.is_some() {
            let op =
                if to == from { Op::FRound(from, plain) } else { Op::FloatToFloat { from, to, mode: plain } };
            let value = self.b().value(op, &[a], ty);
            let clamp = FloatMode { sat: true, ..FloatMode::default() };
            if mode.sat { self.saturate(to, clamp, value) } else { value }
        } else if mode.sat || mode.ftz {
            self.saturate(from, mode, a)
        } else {
            a
        };
        if inst.mods.satfinite {
            value = self.finite(to, value);
        }
        if inst.mods.relu {
            let zero = self.b().constant(ty, 0);
            value = self.b().same(Op::FMax { format: to, ftz: false, nan: true }, &[value, zero]);
        }
        value
    }

    /// `.satfinite`: an infinity becomes the largest finite number of its sign.
    fn finite(&mut self, format: FloatFormat, a: Value) -> Value {
        let ty = type_of(format.width());
        let b = &mut self.b();
        let sign = 1u128 << (format.width() - 1);
        let infinity = (sign - 1) & !((1 << format.fraction_bits()) - 1);
        let [sign, magnitude, infinity, largest] =
            [sign, sign - 1, infinity, infinity - 1].map(|bits| b.constant(ty, bits));
        let size = b.and(a, magnitude);
        let infinite = b.compare(Compare::Eq, size, infinity);
        let signed = b.and(a, sign);
        let finite = b.or(signed, largest);
        b.select(infinite, finite, a)
    }

    /// Flushes and saturates as the mode says.
    fn saturate(&mut self, format: FloatFormat, mode: FloatMode, a: Value) -> Value {
        let ty = type_of(format.width());
        let one = u128::from(format.one());
        let one = self.b().constant(ty, one);
        if format != FloatFormat::F64 {
            // A product with one flushes and saturates, and is exact.
            let mode = FloatMode { rounding: Rounding::NearestEven, ..mode };
            return self.b().value(Op::FMul(format, mode), &[a, one], ty);
        }
        // No operation of binary64 saturates. The larger of NaN and zero is zero.
        let zero = self.b().constant(ty, 0);
        let above = self.b().same(Op::FMax { format, ftz: false, nan: false }, &[a, zero]);
        self.b().same(Op::FMin { format, ftz: false, nan: false }, &[above, one])
    }

    /// From 32 or 64 bits (already extended) to a value of type `to` in 32 or 64 bits.
    fn int_to_int(&mut self, to: T, from: T, sat: bool, a: Value) -> Value {
        let wide = if to.width() == 64 { Type::I64 } else { Type::I32 };
        let mut a = a;
        if sat {
            a = self.clamped(to, from, a);
        }
        let value = self.resize(a, wide, from.signed());
        match to.width() {
            8 => self.low_byte(value, to.signed()),
            16 => {
                let narrow = self.b().truncate(value, Type::I16);
                if to.signed() { self.b().sext(narrow, Type::I32) } else { self.b().zext(narrow, Type::I32) }
            }
            _ => value,
        }
    }

    /// Clamped to the range of `to`, in the width of `a`. A limit that the source type cannot pass is left out.
    fn clamped(&mut self, to: T, from: T, a: Value) -> Value {
        let ty = self.function.ty(a);
        let (low, high) = range(to);
        let (from_low, from_high) = range(from);
        let mut a = a;
        let signed = from.signed();
        if from_low < low {
            let limit = self.b().constant(ty, low as u128);
            a = self.b().same(Op::Max { signed }, &[a, limit]);
        }
        if from_high > high {
            let limit = self.b().constant(ty, high as u128);
            a = self.b().same(Op::Min { signed }, &[a, limit]);
        }
        a
    }
}

/// Smallest and largest value of an integer type.
fn range(ty: T) -> (i128, i128) {
    let width = ty.width();
    if ty.signed() { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}
