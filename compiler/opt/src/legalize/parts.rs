//! Small helpers of the expansions.

use sassafras_ir::{Builder, Compare, FloatCompare, Op, Type, Value};
use sassafras_semantics::{FloatFormat, FloatMode, Rounding};

/// Shape of a binary format.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub format: FloatFormat,
    pub ty: Type,
    /// Stored significand bits.
    pub fraction: u32,
    /// Bias of the exponent.
    pub bias: u32,
}

impl Shape {
    /// Of binary32 or binary64; other formats are computed in binary32.
    pub fn of(format: FloatFormat) -> Shape {
        match format {
            FloatFormat::F64 => Shape { format, ty: Type::I64, fraction: 52, bias: 1023 },
            _ => Shape { format: FloatFormat::F32, ty: Type::I32, fraction: 23, bias: 127 },
        }
    }
    pub fn width(self) -> u32 {
        self.ty.bits()
    }
    pub fn sign(self) -> u64 {
        1 << (self.width() - 1)
    }
    /// The fraction's bits.
    pub fn fraction_mask(self) -> u64 {
        (1 << self.fraction) - 1
    }
    /// The bit above the fraction.
    pub fn hidden(self) -> u64 {
        1 << self.fraction
    }
    /// The exponent's bits, which are also infinity.
    pub fn infinity(self) -> u64 {
        self.sign() - self.hidden()
    }
    /// 1.0
    pub fn one(self) -> u64 {
        u64::from(self.bias) << self.fraction
    }
    /// A power of two.
    pub fn power(self, exponent: i32) -> u64 {
        ((self.bias as i32 + exponent) as u64) << self.fraction
    }
    pub fn nan(self) -> u64 {
        self.format.canonical_nan()
    }
}

/// Nearest, without flushing.
pub(super) const NEAREST: FloatMode = FloatMode { rounding: Rounding::NearestEven, ftz: false, sat: false };

/// Builds in one format.
pub(super) struct Float<'b, 'f> {
    pub b: &'b mut Builder<'f>,
    pub s: Shape,
}

impl Float<'_, '_> {
    /// A constant of the format's width.
    pub fn bits(&mut self, bits: u64) -> Value {
        self.b.constant(self.s.ty, u128::from(bits))
    }
    pub fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        self.fma_rounded(a, b, c, Rounding::NearestEven)
    }
    pub fn fma_rounded(&mut self, a: Value, b: Value, c: Value, rounding: Rounding) -> Value {
        self.b.same(Op::Fma(self.s.format, FloatMode { rounding, ..NEAREST }), &[a, b, c])
    }
    pub fn mul(&mut self, a: Value, b: Value) -> Value {
        self.b.same(Op::FMul(self.s.format, NEAREST), &[a, b])
    }
    pub fn neg(&mut self, a: Value) -> Value {
        self.b.same(Op::FNeg(self.s.format), &[a])
    }
    pub fn compare(&mut self, compare: FloatCompare, a: Value, b: Value) -> Value {
        self.b.value(Op::FloatCompare { compare, format: self.s.format, ftz: false }, &[a, b], Type::I1)
    }
    /// Integer comparison with a constant.
    pub fn test(&mut self, compare: Compare, a: Value, bits: u64) -> Value {
        let ty = self.b.ty(a);
        let c = self.b.constant(ty, u128::from(bits));
        self.b.compare(compare, a, c)
    }
    pub fn and_bits(&mut self, a: Value, bits: u64) -> Value {
        let c = self.bits(bits);
        self.b.and(a, c)
    }
    pub fn or_bits(&mut self, a: Value, bits: u64) -> Value {
        let c = self.bits(bits);
        self.b.or(a, c)
    }
    pub fn add_bits(&mut self, a: Value, bits: u64) -> Value {
        let c = self.bits(bits);
        self.b.add(a, c)
    }
    /// One bit as an integer of the format's width.
    pub fn number(&mut self, bit: Value) -> Value {
        self.b.zext(bit, self.s.ty)
    }
    /// The biased exponent in 32 bits.
    pub fn exponent(&mut self, a: Value) -> Value {
        if self.s.ty == Type::I64 {
            let high = self.b.high(a);
            let shifted = self.b.lshr_by(high, 20);
            let mask = self.b.i32(0x7ff);
            return self.b.and(shifted, mask);
        }
        let shifted = self.b.lshr_by(a, 23);
        let mask = self.b.i32(0xff);
        self.b.and(shifted, mask)
    }
}
