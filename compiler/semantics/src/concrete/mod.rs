//! The concrete home of [`Domain`]: a value is its bits.
//!
//! - `integer`: bit-vectors with the meanings of SMT-LIB `QF_BV`.
//! - `float`: IEEE arithmetic, bit-exact, with flushing and saturation.
//! - `fp8`: conversions to and from the formats of 8 bits.
//! - `sqrt`: square roots in every rounding direction.
//! - `lanes`: the same for all lanes of a warp at once.
//! - `approximate`: functions that are only bounded, and the [`Chooser`] that picks a result within the bound.

mod approximate;
mod float;
mod fp8;
mod integer;
mod lanes;
mod sqrt;

pub use approximate::{BOUNDS, Bound, BoundRow, Chooser, admits};
pub use lanes::{LANES, Lanes, Vector};

use crate::domain::{BinaryOp, CompareOp, Domain, FloatMode, FloatOp, FloatRelation, UnaryOp};
use crate::vocabulary::{Approximation, FloatFormat};
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// A bit-vector of 1 to 128 bits. Bits above the width are zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bits {
    width: u32,
    bits: u128,
}

impl Bits {
    /// `bits` modulo 2^width.
    pub fn new(width: u32, bits: u128) -> Bits {
        debug_assert!((1..=128).contains(&width), "width {width}");
        Bits { width, bits: bits & mask(width) }
    }
    /// Width in bits.
    pub fn width(self) -> u32 {
        self.width
    }
    /// The bits, zero-extended.
    pub fn bits(self) -> u128 {
        self.bits
    }
    /// The bits as a two's complement number.
    pub fn signed(self) -> i128 {
        let unused = 128 - self.width;
        (self.bits as i128) << unused >> unused
    }
    /// Whether any bit is set; for one bit, whether it is true.
    pub fn is_true(self) -> bool {
        self.bits != 0
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}:{}", self.bits, self.width)
    }
}

pub(crate) fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The concrete domain. Its [`Chooser`] decides what is left open: results of approximate functions and undefined values.
#[derive(Clone, Debug, Default)]
pub struct Concrete {
    chooser: Chooser,
    /// Seed of undefined values, where the chooser is not to decide them.
    undefined: Option<u64>,
    /// Seed of the NaNs that operations give, where they are not the canonical ones.
    nans: Option<u64>,
    draws: Cell<u64>,
    /// Set once a result of floats is one of several.
    several: Option<Arc<AtomicBool>>,
}

impl Concrete {
    /// A domain with a chooser.
    pub fn new(chooser: Chooser) -> Concrete {
        Concrete { chooser, ..Concrete::default() }
    }
    /// The same, with undefined values that are hashes of a seed and a count.
    pub fn with_undefined(self, seed: u64) -> Concrete {
        Concrete { undefined: Some(seed), ..self }
    }
    /// The same, with any NaN as the NaN of an operation, by a seed. PTX ISA, "Floating-Point Instructions" and "Half Precision
    /// Floating-Point Instructions": single and half precision return an unspecified NaN, and double precision has payloads, of
    /// which it is not said which come out. `min` and `max` say that theirs is the canonical one.
    pub fn with_nans(self, seed: u64) -> Concrete {
        Concrete { nans: Some(seed), ..self }
    }
    /// The same; the flag is set once a result may be another: a NaN, of which the payload is open, and a product that is rounded to nearest, or flushed, and is not the exact one,
    /// so that a sum that is fused with it is another number than one that is not (PTX ISA, `mul`, `add`).
    pub fn watched(self) -> (Concrete, Arc<AtomicBool>) {
        let several = Arc::new(AtomicBool::new(false));
        (Concrete { several: Some(several.clone()), ..self }, several)
    }
    /// Notes that a result may be another.
    fn doubt(&self, is_so: impl FnOnce() -> bool) {
        if let Some(several) = &self.several
            && is_so()
        {
            several.store(true, Relaxed);
        }
    }
    /// A result that is flushed before it is rounded, where that is open: PTX does not say it of quotients of binary32 and of what is
    /// narrowed to it. None if the chooser takes the other way, or nothing is flushed.
    fn cut(&self, open: bool, mode: FloatMode, of: &dyn Fn(FloatMode) -> Bits) -> Option<Bits> {
        if !open || !mode.ftz || self.chooser == Chooser::Nearest {
            return None;
        }
        Some(of(FloatMode { rounding: crate::Rounding::Zero, ..mode }))
            .filter(|cut| cut.bits & 0x7fff_ffff == 0)
    }
    /// How many values were drawn so far that are left open.
    pub fn drawn(&self) -> u64 {
        self.draws.get()
    }
    /// The chooser.
    pub fn chooser(&self) -> Chooser {
        self.chooser
    }
    /// The result of an operation whose NaN is not specified.
    fn any_nan(&self, format: FloatFormat, result: u64) -> u64 {
        let Some(seed) = self.nans.filter(|_| float::is_nan(format, result)) else {
            return result;
        };
        let drawn = Chooser::Seeded(seed).undefined(self.draw()) as u64;
        // Any sign, and a fraction that is not zero.
        (drawn & mask(format.width()) as u64) | float::infinity(format) | 1
    }
    /// A number that differs from call to call, the same in every run.
    fn draw(&self) -> u64 {
        let n = self.draws.get();
        self.draws.set(n.wrapping_add(1));
        n
    }
}

impl Domain for Concrete {
    type V = Bits;

    fn width(&self, a: &Bits) -> u32 {
        a.width
    }
    fn constant(&self, width: u32, bits: u128) -> Bits {
        Bits::new(width, bits)
    }
    fn as_constant(&self, a: &Bits) -> Option<u128> {
        Some(a.bits)
    }
    fn undef(&self, width: u32, _why: &'static str) -> Bits {
        let chooser = self.undefined.map_or(self.chooser, Chooser::Seeded);
        Bits::new(width, chooser.undefined(self.draw()))
    }
    fn unary(&self, op: UnaryOp, a: &Bits) -> Bits {
        integer::unary(op, *a)
    }
    fn binary(&self, op: BinaryOp, a: &Bits, b: &Bits) -> Bits {
        integer::binary(op, *a, *b)
    }
    fn compare(&self, op: CompareOp, a: &Bits, b: &Bits) -> Bits {
        integer::compare(op, *a, *b)
    }
    fn extract(&self, a: &Bits, low: u32, width: u32) -> Bits {
        debug_assert!(low + width <= a.width, "extract {width} bits from {low} of {a:?}");
        Bits::new(width, a.bits >> low)
    }
    fn concat(&self, high: &Bits, low: &Bits) -> Bits {
        Bits::new(high.width + low.width, high.bits << low.width | low.bits)
    }
    fn zext(&self, a: &Bits, width: u32) -> Bits {
        debug_assert!(width >= a.width, "zext of {a:?} to {width}");
        Bits::new(width, a.bits)
    }
    fn sext(&self, a: &Bits, width: u32) -> Bits {
        debug_assert!(width >= a.width, "sext of {a:?} to {width}");
        Bits::new(width, a.signed() as u128)
    }
    fn ite(&self, condition: &Bits, a: &Bits, b: &Bits) -> Bits {
        debug_assert!(condition.width == 1 && a.width == b.width);
        if condition.is_true() { *a } else { *b }
    }
    fn float(&self, op: FloatOp, format: FloatFormat, mode: FloatMode, args: &[&Bits]) -> Bits {
        let mut bits = [0; 3];
        for (to, from) in bits.iter_mut().zip(args) {
            *to = from.bits as u64;
        }
        let of = |mode| {
            let result = float::arithmetic(op, format, mode, &bits[..args.len()]);
            let extremum = matches!(op, FloatOp::Min | FloatOp::Max | FloatOp::MinNan | FloatOp::MaxNan);
            Bits::new(format.width(), if extremum { result } else { self.any_nan(format, result) }.into())
        };
        let divides = op == FloatOp::Div && format == FloatFormat::F32;
        let result = self.cut(divides, mode, &of).unwrap_or_else(|| of(mode));
        self.doubt(|| {
            let rounded = |rounding| of(FloatMode { rounding, ftz: false, ..mode });
            let inexact = || {
                let ends = [crate::Rounding::Down, crate::Rounding::Up, crate::Rounding::Zero];
                ends.into_iter().any(|r| rounded(r) != result)
            };
            let fuses = op == FloatOp::Mul && mode.rounding == crate::Rounding::NearestEven;
            float::is_nan(format, result.bits as u64) || fuses && inexact()
        });
        result
    }
    fn float_relation(
        &self,
        relation: FloatRelation,
        format: FloatFormat,
        ftz: bool,
        a: &Bits,
        b: &Bits,
    ) -> Bits {
        let holds = float::relation(relation, format, ftz, a.bits as u64, b.bits as u64);
        self.doubt(|| holds && relation == FloatRelation::Unordered);
        Bits::new(1, u128::from(holds))
    }
    fn float_to_float(&self, from: FloatFormat, to: FloatFormat, mode: FloatMode, a: &Bits) -> Bits {
        let of = |mode| {
            Bits::new(to.width(), self.any_nan(to, float::to_float(from, to, mode, a.bits as u64)).into())
        };
        let narrows = (from, to) == (FloatFormat::F64, FloatFormat::F32);
        let result = self.cut(narrows, mode, &of).unwrap_or_else(|| of(mode));
        self.doubt(|| float::is_nan(to, result.bits as u64));
        result
    }
    fn float_to_int(
        &self,
        from: FloatFormat,
        signed: bool,
        width: u32,
        mode: FloatMode,
        nan: u64,
        a: &Bits,
    ) -> Bits {
        Bits::new(width, float::to_int(from, signed, width, mode, nan, a.bits as u64))
    }
    fn int_to_float(&self, signed: bool, to: FloatFormat, mode: FloatMode, a: &Bits) -> Bits {
        Bits::new(to.width(), u128::from(float::from_int(signed, to, mode, *a)))
    }
    fn approximate(&self, function: Approximation, ftz: bool, a: &Bits) -> Bits {
        let result = approximate::evaluate(function, ftz, self.chooser, a.bits as u32);
        self.doubt(|| float::is_nan(FloatFormat::F32, result.into()));
        Bits::new(32, self.any_nan(FloatFormat::F32, result.into()).into())
    }
}
