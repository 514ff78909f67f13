//! Floating point (PTX ISA, "Floating-Point Instructions" and "Half Precision Floating-Point Instructions").

use crate::compare::{format_of, packed};
use crate::context::{Context, Result};
use crate::operand::operand;
use crate::refusal::Refusal;
use sassafras_ir::{Compare, FloatCompare, Op, PackedOp, Type, Value};
use sassafras_ptx::checked::{Inst, Op as P, Type as T};
use sassafras_semantics::{Approximation, FloatFormat, FloatMode};

/// Rounding, flushing and saturation of an instruction.
pub(crate) fn mode_of(inst: &Inst) -> FloatMode {
    FloatMode { rounding: inst.mods.rounding.unwrap_or_default(), ftz: inst.mods.ftz, sat: inst.mods.sat }
}

impl Context<'_, '_> {
    pub(crate) fn float(&mut self, inst: &Inst) -> Result<()> {
        let ty = *inst.types.first().ok_or(Refusal::Missing("the type"))?;
        let format = format_of(ty).ok_or(Refusal::Malformed("the type is not a float"))?;
        let needed = match inst.op {
            P::Fma | P::Mad => 3,
            P::Add | P::Sub | P::Mul | P::Div | P::Min | P::Max | P::Copysign => 2,
            _ => 1,
        };
        operand(&inst.operands, needed)?;
        let args = self.floats(inst, ty, format)?;
        if inst.mods.oob {
            return Err(Refusal::Unsupported("`.oob`"));
        }
        let value = match inst.op {
            P::Testp => return self.test(inst, format, args[0]),
            P::Rcp | P::Sqrt | P::Rsqrt | P::Sin | P::Cos | P::Ex2 | P::Lg2 | P::Tanh => {
                self.function_of(inst, ty, format, args[0])?
            }
            P::Div => self.divide(inst, format, &args),
            P::Copysign => {
                // The sign of a and the magnitude of b.
                let magnitude = self.b().same(Op::FAbs(format), &[args[1]]);
                self.with_sign_of(format, magnitude, args[0])
            }
            P::Abs | P::Neg => self.sign_operation(inst, ty, format, args[0]),
            P::Min | P::Max => self.extremum(inst, ty, format, &args),
            _ => self.arithmetic(inst, ty, format, &args)?,
        };
        self.write(&inst.operands[0], value, false)
    }

    /// The operands behind the result. With a narrower second type all but the last are converted, which is exact (PTX ISA 8.6, "Mixed Precision Floating Point
    /// Instructions").
    fn floats(&mut self, inst: &Inst, ty: T, format: FloatFormat) -> Result<Vec<Value>> {
        let narrow = match inst.types.get(1) {
            Some(T::F(narrow)) if *narrow != format => Some(*narrow),
            _ => None,
        };
        let (operands, mut args) = (&inst.operands[1..], Vec::new());
        for (i, operand) in operands.iter().enumerate() {
            args.push(match narrow {
                Some(from) if i + 1 < operands.len() => {
                    let value = self.value(operand, T::F(from))?;
                    let widen = Op::FloatToFloat { from, to: format, mode: FloatMode::default() };
                    self.b().value(widen, &[value], Type(format.width() as u8))
                }
                _ => self.value(operand, ty)?,
            });
        }
        Ok(args)
    }

    fn arithmetic(&mut self, inst: &Inst, ty: T, format: FloatFormat, args: &[Value]) -> Result<Value> {
        let mode = mode_of(inst);
        let mut args = args.to_vec();
        // A sum of two formats is none that PTX allows to be fused by name.
        let contractible = inst.mods.rounding.is_none() && self.options.fmad && inst.types.len() == 1;
        if inst.op == P::Sub {
            args[1] = self.negated(ty, format, args[1]);
        }
        let value = match inst.op {
            P::Add | P::Sub => {
                let fused = if contractible { self.contracted(ty, format, mode, &args) } else { None };
                match fused {
                    Some(value) => value,
                    None if packed(ty) => {
                        self.b().same(Op::Packed { kind: PackedOp::Add, format, mode }, &args)
                    }
                    None => self.b().same(Op::FAdd(format, mode), &args),
                }
            }
            P::Mul => {
                let op = if packed(ty) {
                    Op::Packed { kind: PackedOp::Mul, format, mode }
                } else {
                    Op::FMul(format, mode)
                };
                let value = self.b().same(op, &args);
                if contractible && !mode.sat {
                    self.products.insert(value);
                }
                value
            }
            P::Fma | P::Mad => {
                let op = if packed(ty) {
                    Op::Packed { kind: PackedOp::Fma, format, mode }
                } else {
                    Op::Fma(format, mode)
                };
                self.b().same(op, &args)
            }
            _ => return Err(Refusal::Unsupported("this float instruction")),
        };
        if !inst.mods.relu {
            return Ok(value);
        }
        let width = self.function.ty(value);
        let zero = self.b().constant(width, 0);
        Ok(if packed(ty) {
            let mode = FloatMode::default();
            self.b().same(Op::Packed { kind: PackedOp::MaxNan, format, mode }, &[value, zero])
        } else {
            self.b().same(Op::FMax { format, ftz: false, nan: true }, &[value, zero])
        })
    }

    /// The sum as a fused operation if one operand is a product without a rounding suffix, perhaps negated.
    fn contracted(&mut self, ty: T, format: FloatFormat, mode: FloatMode, args: &[Value]) -> Option<Value> {
        for (i, &candidate) in args.iter().enumerate() {
            let (product, negated) = match self.function.def(candidate).map(|inst| &self.function.insts[inst])
            {
                Some(data) if matches!(data.op, Op::FNeg(_)) => (data.args[0], true),
                _ => (candidate, false),
            };
            if !self.products.contains(&product) {
                continue;
            }
            let inst = self.function.def(product)?;
            let data = &self.function.insts[inst];
            let same = match data.op {
                // A register of 16 or 32 bits holds a product of another format just as well.
                Op::FMul(of, m) => !packed(ty) && of == format && m.ftz == mode.ftz,
                Op::Packed { format: of, mode: m, .. } => {
                    packed(ty) && !negated && of == format && m.ftz == mode.ftz
                }
                _ => false,
            };
            if !same {
                continue;
            }
            let (mut a, b, c) = (data.args[0], data.args[1], args[1 - i]);
            if negated {
                a = self.b().same(Op::FNeg(format), &[a]);
            }
            let op = if packed(ty) {
                Op::Packed { kind: PackedOp::Fma, format, mode }
            } else {
                Op::Fma(format, mode)
            };
            return Some(self.b().same(op, &[a, b, c]));
        }
        None
    }

    /// Sign bit flipped, of one float or of both halves.
    fn negated(&mut self, ty: T, format: FloatFormat, a: Value) -> Value {
        if ty == T::F32x2 {
            let mode = FloatMode::default();
            return self.b().same(Op::Packed { kind: PackedOp::Neg, format, mode }, &[a]);
        }
        if packed(ty) {
            let signs = self.b().i32(0x8000_8000);
            return self.b().xor(a, signs);
        }
        self.b().same(Op::FNeg(format), &[a])
    }

    fn sign_operation(&mut self, inst: &Inst, ty: T, format: FloatFormat, a: Value) -> Value {
        let value = match (inst.op, packed(ty)) {
            (P::Neg, _) => self.negated(ty, format, a),
            (_, true) => {
                let mask = self.b().i32(0x7fff_7fff);
                self.b().and(a, mask)
            }
            (_, false) => self.b().same(Op::FAbs(format), &[a]),
        };
        if !inst.mods.ftz {
            return value;
        }
        // Adding -0 changes nothing but flushes subnormals.
        let mode = FloatMode { ftz: true, ..FloatMode::default() };
        let sign = 1u128 << (format.width() - 1);
        if packed(ty) {
            let zeros = self.b().i32(0x8000_8000);
            return self.b().same(Op::Packed { kind: PackedOp::Add, format, mode }, &[value, zeros]);
        }
        let width = self.function.ty(value);
        let zero = self.b().constant(width, sign);
        self.b().same(Op::FAdd(format, mode), &[value, zero])
    }

    fn extremum(&mut self, inst: &Inst, ty: T, format: FloatFormat, args: &[Value]) -> Value {
        if let [a, b, c] = *args {
            // `.abs` of three operands is of each of them, and the result is that of two times two.
            let mut each = |v| {
                if inst.mods.xorsign_abs { self.b().same(Op::FAbs(format), &[v]) } else { v }
            };
            let [a, b, c] = [each(a), each(b), each(c)];
            let first = self.extremum_of(inst, ty, format, &[a, b]);
            return self.extremum_of(inst, ty, format, &[first, c]);
        }
        let mut args = args.to_vec();
        let sources = args.clone();
        if inst.mods.xorsign_abs {
            for a in &mut args {
                *a = if packed(ty) {
                    let mask = self.b().i32(0x7fff_7fff);
                    self.b().and(*a, mask)
                } else {
                    self.b().same(Op::FAbs(format), &[*a])
                };
            }
        }
        let value = self.extremum_of(inst, ty, format, &args);
        if !inst.mods.xorsign_abs {
            return value;
        }
        let signs = self.b().xor(sources[0], sources[1]);
        if packed(ty) {
            let mask = self.b().i32(0x8000_8000);
            let signs = self.b().and(signs, mask);
            return self.b().or(value, signs);
        }
        let (magnitude, width) = (value, self.function.ty(value));
        let mask = self.b().constant(width, 1 << (format.width() - 1));
        let signs = self.b().and(signs, mask);
        self.b().or(magnitude, signs)
    }

    /// The smaller or larger of two.
    fn extremum_of(&mut self, inst: &Inst, ty: T, format: FloatFormat, args: &[Value]) -> Value {
        let (ftz, nan, max) = (inst.mods.ftz, inst.mods.nan, inst.op == P::Max);
        if packed(ty) {
            let kind = match (max, nan) {
                (false, false) => PackedOp::Min,
                (true, false) => PackedOp::Max,
                (false, true) => PackedOp::MinNan,
                (true, true) => PackedOp::MaxNan,
            };
            self.b().same(Op::Packed { kind, format, mode: FloatMode { ftz, ..FloatMode::default() } }, args)
        } else if max {
            self.b().same(Op::FMax { format, ftz, nan }, args)
        } else {
            self.b().same(Op::FMin { format, ftz, nan }, args)
        }
    }

    /// A non-negative value with the sign of another.
    fn with_sign_of(&mut self, format: FloatFormat, magnitude: Value, sign: Value) -> Value {
        let width = self.function.ty(sign);
        let mask = self.b().constant(width, 1 << (format.width() - 1));
        let sign = self.b().and(sign, mask);
        self.b().or(magnitude, sign)
    }

    fn approximate(&mut self, function: Approximation, ftz: bool, a: Value) -> Value {
        self.b().value(Op::Approximate { function, ftz }, &[a], Type::I32)
    }

    fn divide(&mut self, inst: &Inst, format: FloatFormat, args: &[Value]) -> Value {
        let mode = mode_of(inst);
        if !inst.mods.approx && !inst.mods.full {
            return self.b().same(Op::FDiv(format, mode), args);
        }
        let (mut a, mut b) = (args[0], args[1]);
        if inst.mods.full {
            // Scaled so that the reciprocal neither overflows nor becomes subnormal.
            let magnitude = self.b().same(Op::FAbs(format), &[b]);
            let (big, small) = (2f32.powi(126).to_bits(), 2f32.powi(-126).to_bits());
            for (limit, compare, factor) in
                [(big, FloatCompare::Gt, 0.25f32), (small, FloatCompare::Lt, 2f32.powi(24))]
            {
                let limit = self.b().i32(limit);
                let op = Op::FloatCompare { compare, format, ftz: mode.ftz };
                let outside = self.b().value(op, &[magnitude, limit], Type::I1);
                let (factor, one) = (self.b().i32(factor.to_bits()), self.b().i32(1f32.to_bits()));
                let scale = self.b().select(outside, factor, one);
                a = self.b().same(Op::FMul(format, mode), &[a, scale]);
                b = self.b().same(Op::FMul(format, mode), &[b, scale]);
            }
        }
        let mut reciprocal = self.approximate(Approximation::Rcp, mode.ftz, b);
        if inst.mods.approx {
            // Above 2^126 the manual's table has zero for the reciprocal.
            let (magnitude, limit) =
                (self.b().same(Op::FAbs(format), &[b]), self.b().i32(2f32.powi(126).to_bits()));
            let op = Op::FloatCompare { compare: FloatCompare::Gt, format, ftz: mode.ftz };
            let large = self.b().value(op, &[magnitude, limit], Type::I1);
            let zero = self.b().i32(0);
            let zero = self.with_sign_of(format, zero, b);
            reciprocal = self.b().select(large, zero, reciprocal);
        }
        self.b().same(Op::FMul(format, mode), &[a, reciprocal])
    }

    fn function_of(&mut self, inst: &Inst, ty: T, format: FloatFormat, a: Value) -> Result<Value> {
        let function = match inst.op {
            P::Rcp => Approximation::Rcp,
            P::Sqrt => Approximation::Sqrt,
            P::Rsqrt => Approximation::Rsqrt,
            P::Sin => Approximation::Sin,
            P::Cos => Approximation::Cos,
            P::Ex2 => Approximation::Ex2,
            P::Lg2 => Approximation::Lg2,
            _ => Approximation::Tanh,
        };
        let exact = !inst.mods.approx && inst.mods.rounding.is_some();
        if exact {
            let mode = mode_of(inst);
            return match inst.op {
                P::Sqrt => Ok(self.b().same(Op::FSqrt(format, mode), &[a])),
                P::Rcp => {
                    let width = self.function.ty(a);
                    let one =
                        if format == FloatFormat::F64 { 1f64.to_bits() } else { u64::from(1f32.to_bits()) };
                    let one = self.b().constant(width, u128::from(one));
                    Ok(self.b().same(Op::FDiv(format, mode), &[one, a]))
                }
                _ => Err(Refusal::Malformed("only `rcp` and `sqrt` have roundings")),
            };
        }
        match (format, function) {
            (FloatFormat::F32, _) => Ok(self.approximate(function, inst.mods.ftz, a)),
            (FloatFormat::F64, Approximation::Rcp | Approximation::Rsqrt) if inst.mods.ftz => {
                let high = self.b().high(a);
                let function = if function == Approximation::Rcp {
                    Approximation::Rcp64High
                } else {
                    Approximation::Rsqrt64High
                };
                let high = self.approximate(function, true, high);
                let low = self.b().i32(0);
                Ok(self.b().concat(low, high))
            }
            (FloatFormat::F64, Approximation::Rsqrt) => {
                // Better than the bound asks for.
                let mode = FloatMode::default();
                let root = self.b().same(Op::FSqrt(format, mode), &[a]);
                let one = self.b().i64(1f64.to_bits());
                Ok(self.b().same(Op::FDiv(format, mode), &[one, root]))
            }
            (FloatFormat::F16 | FloatFormat::Bf16, Approximation::Ex2 | Approximation::Tanh) => {
                let halves = if packed(ty) { vec![0u8, 16] } else { vec![0] };
                let mut results = Vec::new();
                for &low in &halves {
                    let half = if packed(ty) { self.b().value(Op::Extract(low), &[a], Type::I16) } else { a };
                    let mode = FloatMode::default();
                    let widen = Op::FloatToFloat { from: format, to: FloatFormat::F32, mode };
                    let wide = self.b().value(widen, &[half], Type::I32);
                    // What the unit flushes of binary32 is zero in binary16 too, and no operand of it is subnormal there.
                    let value = self.approximate(function, inst.mods.ftz || format == FloatFormat::F16, wide);
                    let mode = FloatMode { ftz: inst.mods.ftz, ..mode };
                    let narrow = Op::FloatToFloat { from: FloatFormat::F32, to: format, mode };
                    results.push(self.b().value(narrow, &[value], Type::I16));
                }
                Ok(if packed(ty) { self.b().value(Op::Concat, &results, Type::I32) } else { results[0] })
            }
            _ => Err(Refusal::Malformed("this approximate function is not supported for the type")),
        }
    }

    /// `testp`: decided on the bits of the magnitude.
    fn test(&mut self, inst: &Inst, format: FloatFormat, a: Value) -> Result<()> {
        let width = self.function.ty(a);
        let (infinity, normal): (u128, u128) = match format {
            FloatFormat::F32 => (0x7f80_0000, 0x0080_0000),
            FloatFormat::F64 => (0x7ff0_0000_0000_0000, 0x0010_0000_0000_0000),
            _ => return Err(Refusal::Unsupported("the type")),
        };
        let magnitude = self.b().same(Op::FAbs(format), &[a]);
        let mut x = self.b();
        let (infinity, normal) = (x.constant(width, infinity), x.constant(width, normal));
        let zero = x.constant(width, 0);
        let value = match inst.mods.mode {
            Some("finite") => x.compare(Compare::ULt, magnitude, infinity),
            Some("infinite") => x.compare(Compare::Eq, magnitude, infinity),
            Some("number") => x.compare(Compare::ULe, magnitude, infinity),
            Some("notanumber") => x.compare(Compare::UGt, magnitude, infinity),
            Some("normal") => {
                let finite = x.compare(Compare::ULt, magnitude, infinity);
                let large = x.compare(Compare::UGe, magnitude, normal);
                let normal = x.and(finite, large);
                // Zeros count as normal.
                let none = x.compare(Compare::Eq, magnitude, zero);
                x.or(normal, none)
            }
            Some("subnormal") => {
                let small = x.compare(Compare::ULt, magnitude, normal);
                let nonzero = x.compare(Compare::Ne, magnitude, zero);
                x.and(small, nonzero)
            }
            _ => return Err(Refusal::Unknown("the property")),
        };
        self.write(&inst.operands[0], value, false)
    }
}
