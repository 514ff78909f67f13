//! The [`Domain`] trait: what a value is and which primitives there are.

use crate::vocabulary::{Approximation, FloatFormat, Rounding};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// A unary operation on a bit-vector; the result has the operand's width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum UnaryOp {
    /// Bitwise complement.
    Not,
    /// Two's complement negation.
    Neg,
    /// Number of one bits.
    Popcount,
    /// Number of leading zero bits; the width if the operand is zero.
    LeadingZeros,
    /// Bits in reverse order.
    Reverse,
}

/// A binary operation on two bit-vectors of one width, with the meanings of SMT-LIB `QF_BV`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BinaryOp {
    /// Sum modulo 2^width.
    Add,
    /// Difference modulo 2^width.
    Sub,
    /// Low half of the product.
    Mul,
    /// Unsigned quotient; all ones if the divisor is zero.
    UDiv,
    /// Unsigned remainder; the dividend if the divisor is zero.
    URem,
    /// Signed quotient, truncated; SMT-LIB `bvsdiv` for a zero divisor.
    SDiv,
    /// Signed remainder with the dividend's sign; the dividend if the divisor is zero.
    SRem,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shift left; zero if the count is the width or more.
    Shl,
    /// Logical shift right; zero if the count is the width or more.
    LShr,
    /// Arithmetic shift right; copies of the sign if the count is the width or more.
    AShr,
}

/// A comparison of two bit-vectors of one width; the result is one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CompareOp {
    /// Equal.
    Eq,
    /// Unsigned less than.
    ULt,
    /// Unsigned less or equal.
    ULe,
    /// Signed less than.
    SLt,
    /// Signed less or equal.
    SLe,
}

/// A floating-point operation whose result has the operands' format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FloatOp {
    /// a + b
    Add,
    /// a × b
    Mul,
    /// a × b + c with one rounding
    Fma,
    /// a ÷ b
    Div,
    /// square root of a
    Sqrt,
    /// minNum: the other operand if one is NaN; −0 < +0. (`min`)
    Min,
    /// maxNum: the other operand if one is NaN; −0 < +0. (`max`)
    Max,
    /// minimum: canonical NaN if either operand is NaN. (`min.NaN`)
    MinNan,
    /// maximum: canonical NaN if either operand is NaN. (`max.NaN`)
    MaxNan,
    /// a rounded to an integral value of the same format, by the mode's rounding.
    RoundToIntegral,
}

/// A relation between two floats; the result is one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FloatRelation {
    /// a = b, false if either is NaN; −0 = +0.
    Eq,
    /// a < b, false if either is NaN.
    Lt,
    /// a ≤ b, false if either is NaN.
    Le,
    /// True if either is NaN.
    Unordered,
}

/// How a floating-point operation rounds, flushes and saturates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct FloatMode {
    /// Rounding direction.
    pub rounding: Rounding,
    /// Subnormal inputs and results become zero of the same sign.
    pub ftz: bool,
    /// The result is clamped to [+0, 1]; NaN becomes +0.
    pub sat: bool,
}

/// The values a meaning computes with. Bit-vectors know their width, 1 to 128 bits; a boolean is a bit-vector of width 1.
///
/// Every method takes `&self`: a domain with tables (terms) uses interior mutability. Arguments of the wrong width are an
/// internal error of the caller and may panic.
pub trait Domain {
    /// A value.
    type V: Clone + Debug;

    /// The value's width in bits.
    fn width(&self, a: &Self::V) -> u32;
    /// The constant `bits` (taken modulo 2^width).
    fn constant(&self, width: u32, bits: u128) -> Self::V;
    /// The value's bits if it is a known constant.
    fn as_constant(&self, a: &Self::V) -> Option<u128>;
    /// An undefined value: any bits, fresh at every call. `why` names the source of it.
    fn undef(&self, width: u32, why: &'static str) -> Self::V;

    /// A unary operation.
    fn unary(&self, op: UnaryOp, a: &Self::V) -> Self::V;
    /// A binary operation on equal widths.
    fn binary(&self, op: BinaryOp, a: &Self::V, b: &Self::V) -> Self::V;
    /// A comparison of equal widths; one bit.
    fn compare(&self, op: CompareOp, a: &Self::V, b: &Self::V) -> Self::V;
    /// `width` bits from bit `low` upwards.
    fn extract(&self, a: &Self::V, low: u32, width: u32) -> Self::V;
    /// `high` above `low`.
    fn concat(&self, high: &Self::V, low: &Self::V) -> Self::V;
    /// Zero extension to `width` (equal width: unchanged).
    fn zext(&self, a: &Self::V, width: u32) -> Self::V;
    /// Sign extension to `width` (equal width: unchanged).
    fn sext(&self, a: &Self::V, width: u32) -> Self::V;
    /// `a` if the 1-bit `condition` is one, else `b`; equal widths.
    fn ite(&self, condition: &Self::V, a: &Self::V, b: &Self::V) -> Self::V;

    /// A float operation on 1, 2 or 3 arguments of the format's width. A NaN result is the format's canonical NaN.
    fn float(&self, op: FloatOp, format: FloatFormat, mode: FloatMode, args: &[&Self::V]) -> Self::V;
    /// A float relation; `ftz` flushes subnormal inputs first.
    fn float_relation(
        &self,
        relation: FloatRelation,
        format: FloatFormat,
        ftz: bool,
        a: &Self::V,
        b: &Self::V,
    ) -> Self::V;
    /// Conversion between formats. `mode.ftz` flushes subnormal binary32 inputs and results. To a format of 8 bits it
    /// saturates: what is beyond the largest finite number becomes that number, with its sign.
    fn float_to_float(&self, from: FloatFormat, to: FloatFormat, mode: FloatMode, a: &Self::V) -> Self::V;
    /// Conversion to an integer of `width` bits, rounded by the mode, clamped to the range of the integer type.
    /// NaN gives `nan`, a constant of `width` bits that the caller takes from the instruction's definition.
    fn float_to_int(
        &self,
        from: FloatFormat,
        signed: bool,
        width: u32,
        mode: FloatMode,
        nan: u64,
        a: &Self::V,
    ) -> Self::V;
    /// Conversion from an integer.
    fn int_to_float(&self, signed: bool, to: FloatFormat, mode: FloatMode, a: &Self::V) -> Self::V;
    /// An approximate function of a 32-bit operand. Concrete homes ask their chooser; terms use an uninterpreted function.
    fn approximate(&self, function: Approximation, ftz: bool, a: &Self::V) -> Self::V;

    /// One bit: true.
    fn yes(&self) -> Self::V {
        self.constant(1, 1)
    }
    /// One bit: false.
    fn no(&self) -> Self::V {
        self.constant(1, 0)
    }
    /// `a + b`.
    fn add(&self, a: &Self::V, b: &Self::V) -> Self::V {
        self.binary(BinaryOp::Add, a, b)
    }
    /// `a - b`.
    fn sub(&self, a: &Self::V, b: &Self::V) -> Self::V {
        self.binary(BinaryOp::Sub, a, b)
    }
    /// Low half of `a × b`.
    fn mul(&self, a: &Self::V, b: &Self::V) -> Self::V {
        self.binary(BinaryOp::Mul, a, b)
    }
    /// Bitwise and.
    fn and(&self, a: &Self::V, b: &Self::V) -> Self::V {
        self.binary(BinaryOp::And, a, b)
    }
    /// Bitwise or.
    fn or(&self, a: &Self::V, b: &Self::V) -> Self::V {
        self.binary(BinaryOp::Or, a, b)
    }
    /// Bitwise exclusive or.
    fn xor(&self, a: &Self::V, b: &Self::V) -> Self::V {
        self.binary(BinaryOp::Xor, a, b)
    }
    /// Bitwise complement.
    fn not(&self, a: &Self::V) -> Self::V {
        self.unary(UnaryOp::Not, a)
    }
    /// Two's complement negation.
    fn neg(&self, a: &Self::V) -> Self::V {
        self.unary(UnaryOp::Neg, a)
    }
    /// `a = b`, one bit.
    fn eq(&self, a: &Self::V, b: &Self::V) -> Self::V {
        self.compare(CompareOp::Eq, a, b)
    }
}
