//! The lanes of a warp at once: a value is the bits of each.
//!
//! A meaning that is stepped once over this home does what stepping it for each lane over [`Concrete`] does, and looks its operands up once.
//! What all lanes agree on is kept once, so that constants stay constants.

use super::{Bits, Concrete, float, integer, mask};
use crate::domain::{BinaryOp, CompareOp, Domain, FloatMode, FloatOp, FloatRelation, UnaryOp};
use crate::vocabulary::{Approximation, FloatFormat};
use std::cell::Cell;

/// Lanes of a warp.
pub const LANES: usize = 32;

/// A bit-vector for each lane, all of one width. What lanes that do not take part hold means nothing.
#[derive(Clone, Debug)]
pub struct Vector {
    width: u32,
    bits: Each,
}

// A vector of 64-bit values is no larger than what its operations copy anyway; boxing it costs an allocation for each operand.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
enum Each {
    Same(u128),
    /// At most 64 bits wide. Bits above the width are zero.
    Narrow([u64; LANES]),
    Wide(Box<[u128; LANES]>),
}

impl Vector {
    /// The same bits, modulo 2^width, in all lanes.
    pub fn same(width: u32, bits: u128) -> Vector {
        Vector { width, bits: Each::Same(bits & mask(width)) }
    }

    /// The bits of each lane, modulo 2^width, for a width of at most 64 bits.
    pub fn narrow(width: u32, mut of: impl FnMut(usize) -> u64) -> Vector {
        debug_assert!(width <= 64, "width {width}");
        let most = mask(width) as u64;
        Vector { width, bits: Each::Narrow(std::array::from_fn(|lane| of(lane) & most)) }
    }

    /// The bits of each lane, modulo 2^width.
    pub fn each(width: u32, mut of: impl FnMut(usize) -> u128) -> Vector {
        if width <= 64 {
            return Vector::narrow(width, |lane| of(lane) as u64);
        }
        Vector { width, bits: Each::Wide(Box::new(std::array::from_fn(|lane| of(lane) & mask(width)))) }
    }

    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// What a lane holds.
    pub fn lane(&self, lane: usize) -> Bits {
        Bits::new(
            self.width,
            match &self.bits {
                Each::Same(bits) => *bits,
                Each::Narrow(all) => all[lane].into(),
                Each::Wide(all) => all[lane],
            },
        )
    }

    /// The low 64 bits of each lane.
    fn low(&self) -> [u64; LANES] {
        match &self.bits {
            Each::Same(bits) => [*bits as u64; LANES],
            Each::Narrow(all) => *all,
            Each::Wide(all) => std::array::from_fn(|lane| all[lane] as u64),
        }
    }

    /// What all lanes hold, if that is kept once.
    pub fn known(&self) -> Option<u128> {
        match self.bits {
            Each::Same(bits) => Some(bits),
            _ => None,
        }
    }

    /// The low 32 bits of the lanes of a mask, into `all`.
    pub fn low_to(&self, mask: u32, all: &mut [u32; LANES]) {
        match &self.bits {
            Each::Narrow(own) if mask == u32::MAX => {
                for (to, from) in all.iter_mut().zip(own) {
                    *to = *from as u32;
                }
            }
            _ => {
                for (lane, to) in all.iter_mut().enumerate().filter(|(lane, _)| mask >> lane & 1 != 0) {
                    *to = self.lane(lane).bits() as u32;
                }
            }
        }
    }

    /// The lanes of 32 in which some bit is set, a bit for each.
    pub fn holds(&self) -> u32 {
        match &self.bits {
            Each::Same(bits) => u32::from(*bits != 0).wrapping_neg(),
            Each::Narrow(all) => {
                all.iter().enumerate().fold(0, |mask, (lane, bits)| mask | u32::from(*bits != 0) << lane)
            }
            Each::Wide(all) => {
                all.iter().enumerate().fold(0, |mask, (lane, bits)| mask | u32::from(*bits != 0) << lane)
            }
        }
    }
}

/// The home of [`Vector`]s.
#[derive(Debug)]
pub struct Lanes<'a> {
    of: &'a Concrete,
    active: u32,
    gave_up: Cell<bool>,
}

/// The low 64 bits of a lane of a vector that is not wide.
macro_rules! map {
    ($width:expr, $a:expr, |$x:ident| $body:expr) => {
        match &$a.bits {
            Each::Narrow(a) => Vector::narrow($width, |lane| {
                let $x = a[lane];
                $body
            }),
            Each::Same(a) => {
                let $x = *a as u64;
                Vector::same($width, ($body).into())
            }
            Each::Wide(_) => unreachable!("a narrow operand"),
        }
    };
    ($width:expr, $a:expr, $b:expr, |$x:ident, $y:ident| $body:expr) => {
        match (&$a.bits, &$b.bits) {
            (Each::Narrow(a), Each::Narrow(b)) => Vector::narrow($width, |lane| {
                let ($x, $y) = (a[lane], b[lane]);
                $body
            }),
            (Each::Narrow(a), Each::Same(b)) => {
                let $y = *b as u64;
                Vector::narrow($width, |lane| {
                    let $x = a[lane];
                    $body
                })
            }
            (Each::Same(a), Each::Narrow(b)) => {
                let $x = *a as u64;
                Vector::narrow($width, |lane| {
                    let $y = b[lane];
                    $body
                })
            }
            (Each::Same(a), Each::Same(b)) => {
                let ($x, $y) = (*a as u64, *b as u64);
                Vector::same($width, ($body).into())
            }
            _ => unreachable!("narrow operands"),
        }
    };
}

impl<'a> Lanes<'a> {
    /// The lanes of a mask, each of which computes as `of` does.
    pub fn new(of: &'a Concrete, active: u32) -> Lanes<'a> {
        Lanes { of, active, gave_up: Cell::new(false) }
    }

    /// Says that the results mean nothing.
    pub fn give_up(&self) {
        self.gave_up.set(true);
    }

    /// Whether something was asked that depends on the order in which lanes are served, so that the results mean nothing.
    pub fn gave_up(&self) -> bool {
        self.gave_up.get()
    }

    /// An operation that is done for one active lane after the other.
    fn apart(&self, width: u32, args: &[&Vector], op: impl Fn(&[Bits]) -> Bits) -> Vector {
        if let Some(all) = args.iter().map(|a| a.known()).collect::<Option<smallvec::SmallVec<[u128; 4]>>>() {
            let all: smallvec::SmallVec<[Bits; 4]> =
                all.iter().zip(args).map(|(&bits, a)| Bits::new(a.width, bits)).collect();
            return Vector::same(width, op(&all).bits());
        }
        let mut lanes = [Bits::new(1, 0); 3];
        Vector::each(width, |lane| {
            if self.active >> lane & 1 == 0 {
                return 0;
            }
            for (to, from) in lanes.iter_mut().zip(args) {
                *to = from.lane(lane);
            }
            op(&lanes[..args.len()]).bits()
        })
    }
}

/// Bits of a narrow vector as a number with sign.
#[inline]
fn signed(bits: u64, width: u32) -> i64 {
    (bits << (64 - width)) as i64 >> (64 - width)
}

impl Domain for Lanes<'_> {
    type V = Vector;

    fn width(&self, a: &Vector) -> u32 {
        a.width
    }

    fn constant(&self, width: u32, bits: u128) -> Vector {
        Vector::same(width, bits)
    }

    fn as_constant(&self, a: &Vector) -> Option<u128> {
        a.known()
    }

    fn undef(&self, width: u32, _: &'static str) -> Vector {
        self.gave_up.set(true);
        Vector::same(width, 0)
    }

    fn unary(&self, op: UnaryOp, a: &Vector) -> Vector {
        if a.width > 64 {
            return self.apart(a.width, &[a], |v| integer::unary(op, v[0]));
        }
        let w = a.width;
        match op {
            UnaryOp::Not => map!(w, a, |x| !x),
            UnaryOp::Neg => map!(w, a, |x| x.wrapping_neg()),
            UnaryOp::Popcount => map!(w, a, |x| u64::from(x.count_ones())),
            UnaryOp::LeadingZeros => map!(w, a, |x| u64::from(x.leading_zeros() + w - 64)),
            UnaryOp::Reverse => map!(w, a, |x| x.reverse_bits() >> (64 - w)),
        }
    }

    fn binary(&self, op: BinaryOp, a: &Vector, b: &Vector) -> Vector {
        debug_assert!(a.width == b.width, "{op:?} of {} and {} bits", a.width, b.width);
        let w = a.width;
        if w > 64 {
            return self.apart(w, &[a, b], |v| integer::binary(op, v[0], v[1]));
        }
        let count = u64::from(w);
        match op {
            BinaryOp::Add => map!(w, a, b, |x, y| x.wrapping_add(y)),
            BinaryOp::Sub => map!(w, a, b, |x, y| x.wrapping_sub(y)),
            BinaryOp::Mul => map!(w, a, b, |x, y| x.wrapping_mul(y)),
            BinaryOp::And => map!(w, a, b, |x, y| x & y),
            BinaryOp::Or => map!(w, a, b, |x, y| x | y),
            BinaryOp::Xor => map!(w, a, b, |x, y| x ^ y),
            BinaryOp::Shl => map!(w, a, b, |x, y| if y < count { x << y } else { 0 }),
            BinaryOp::LShr => map!(w, a, b, |x, y| if y < count { x >> y } else { 0 }),
            BinaryOp::AShr => map!(w, a, b, |x, y| (signed(x, w) >> y.min(63)) as u64),
            BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem => {
                self.apart(w, &[a, b], |v| integer::binary(op, v[0], v[1]))
            }
        }
    }

    fn compare(&self, op: CompareOp, a: &Vector, b: &Vector) -> Vector {
        debug_assert!(a.width == b.width, "{op:?} of {} and {} bits", a.width, b.width);
        let w = a.width;
        if w > 64 {
            return self.apart(1, &[a, b], |v| integer::compare(op, v[0], v[1]));
        }
        match op {
            CompareOp::Eq => map!(1, a, b, |x, y| u64::from(x == y)),
            CompareOp::ULt => map!(1, a, b, |x, y| u64::from(x < y)),
            CompareOp::ULe => map!(1, a, b, |x, y| u64::from(x <= y)),
            CompareOp::SLt => map!(1, a, b, |x, y| u64::from(signed(x, w) < signed(y, w))),
            CompareOp::SLe => map!(1, a, b, |x, y| u64::from(signed(x, w) <= signed(y, w))),
        }
    }

    fn extract(&self, a: &Vector, low: u32, width: u32) -> Vector {
        debug_assert!(low + width <= a.width, "extract {width} bits from {low} of {}", a.width);
        if a.width > 64 {
            return self.apart(width, &[a], |v| self.of.extract(&v[0], low, width));
        }
        map!(width, a, |x| x >> low)
    }

    fn concat(&self, high: &Vector, low: &Vector) -> Vector {
        let width = high.width + low.width;
        if width > 64 {
            return self.apart(width, &[high, low], |v| self.of.concat(&v[0], &v[1]));
        }
        let by = low.width;
        map!(width, high, low, |x, y| x << by | y)
    }

    fn zext(&self, a: &Vector, width: u32) -> Vector {
        debug_assert!(width >= a.width, "zext of {} to {width}", a.width);
        if width > 64 {
            return self.apart(width, &[a], |v| self.of.zext(&v[0], width));
        }
        Vector { width, bits: a.bits.clone() }
    }

    fn sext(&self, a: &Vector, width: u32) -> Vector {
        debug_assert!(width >= a.width, "sext of {} to {width}", a.width);
        if width > 64 {
            return self.apart(width, &[a], |v| self.of.sext(&v[0], width));
        }
        let w = a.width;
        let most = mask(width) as u64;
        map!(width, a, |x| signed(x, w) as u64 & most)
    }

    fn ite(&self, condition: &Vector, a: &Vector, b: &Vector) -> Vector {
        debug_assert!(condition.width == 1 && a.width == b.width);
        match &condition.bits {
            Each::Same(bits) => (if *bits != 0 { a } else { b }).clone(),
            Each::Narrow(holds) if a.width <= 64 => {
                let (x, y) = (a.low(), b.low());
                Vector::narrow(a.width, |lane| if holds[lane] != 0 { x[lane] } else { y[lane] })
            }
            _ => self.apart(a.width, &[condition, a, b], |v| if v[0].is_true() { v[1] } else { v[2] }),
        }
    }

    fn float(&self, op: FloatOp, format: FloatFormat, mode: FloatMode, args: &[&Vector]) -> Vector {
        self.doubtful();
        // A quotient may be flushed before it is rounded, which is for the chooser to say.
        if op == FloatOp::Div || args.iter().all(|a| a.known().is_some()) {
            let op = |v: &[Bits]| {
                let refs: smallvec::SmallVec<[&Bits; 3]> = v.iter().collect();
                self.of.float(op, format, mode, &refs)
            };
            return self.apart(format.width(), args, op);
        }
        let operands: smallvec::SmallVec<[[u64; LANES]; 3]> = args.iter().map(|a| a.low()).collect();
        let all = float::all(op, format, mode, &operands, self.active);
        Vector { width: format.width(), bits: Each::Narrow(all) }
    }

    fn float_relation(
        &self,
        relation: FloatRelation,
        format: FloatFormat,
        ftz: bool,
        a: &Vector,
        b: &Vector,
    ) -> Vector {
        if self.of.several.is_some() {
            self.gave_up.set(true);
        }
        map!(1, a, b, |x, y| u64::from(float::relation(relation, format, ftz, x, y)))
    }

    fn float_to_float(&self, from: FloatFormat, to: FloatFormat, mode: FloatMode, a: &Vector) -> Vector {
        self.doubtful();
        self.apart(to.width(), &[a], |v| self.of.float_to_float(from, to, mode, &v[0]))
    }

    fn float_to_int(
        &self,
        from: FloatFormat,
        signed: bool,
        width: u32,
        mode: FloatMode,
        nan: u64,
        a: &Vector,
    ) -> Vector {
        self.apart(width, &[a], |v| self.of.float_to_int(from, signed, width, mode, nan, &v[0]))
    }

    fn int_to_float(&self, signed: bool, to: FloatFormat, mode: FloatMode, a: &Vector) -> Vector {
        self.apart(to.width(), &[a], |v| self.of.int_to_float(signed, to, mode, &v[0]))
    }

    fn approximate(&self, function: Approximation, ftz: bool, a: &Vector) -> Vector {
        self.doubtful();
        self.apart(32, &[a], |v| self.of.approximate(function, ftz, &v[0]))
    }
}

impl Lanes<'_> {
    /// Gives up where NaNs are drawn in the order of lanes, or results are doubted.
    fn doubtful(&self) {
        if self.of.nans.is_some() || self.of.several.is_some() {
            self.gave_up.set(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Rounding;
    use proptest::prelude::*;

    /// Values of a width for all lanes; every third time the same for all.
    fn vector(width: u32) -> impl Strategy<Value = Vector> {
        (prop::array::uniform32(any::<u128>()), 0..3u8).prop_map(move |(all, kind)| match kind {
            0 => Vector::same(width, all[0]),
            // Small numbers and borders meet often.
            1 => Vector::each(width, |lane| all[lane] % 5),
            _ => Vector::each(width, |lane| all[lane]),
        })
    }

    fn agree(width: u32, of: &Vector, args: &[&Vector], op: impl Fn(&[Bits]) -> Bits) {
        assert_eq!(of.width(), width);
        for lane in 0..LANES {
            let args: Vec<Bits> = args.iter().map(|a| a.lane(lane)).collect();
            assert_eq!(of.lane(lane), op(&args), "lane {lane} of {args:?}");
        }
    }

    const UNARY: [UnaryOp; 5] =
        [UnaryOp::Not, UnaryOp::Neg, UnaryOp::Popcount, UnaryOp::LeadingZeros, UnaryOp::Reverse];
    const BINARY: [BinaryOp; 13] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::UDiv,
        BinaryOp::URem,
        BinaryOp::SDiv,
        BinaryOp::SRem,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Shl,
        BinaryOp::LShr,
        BinaryOp::AShr,
    ];
    const COMPARE: [CompareOp; 5] =
        [CompareOp::Eq, CompareOp::ULt, CompareOp::ULe, CompareOp::SLt, CompareOp::SLe];

    fn pair() -> impl Strategy<Value = (Vector, Vector, Vector)> {
        prop::sample::select(vec![1u32, 7, 8, 16, 31, 32, 33, 34, 63, 64, 65, 66, 96, 128])
            .prop_flat_map(|w| (vector(w), vector(w), vector(1)))
    }

    proptest! {
        #[test]
        fn integers_are_those_of_each_lane((a, b, c) in pair()) {
            let one = Concrete::default();
            let all = Lanes::new(&one, u32::MAX);
            let w = a.width();
            for op in UNARY {
                agree(w, &all.unary(op, &a), &[&a], |v| one.unary(op, &v[0]));
            }
            for op in BINARY {
                agree(w, &all.binary(op, &a, &b), &[&a, &b], |v| one.binary(op, &v[0], &v[1]));
            }
            for op in COMPARE {
                agree(1, &all.compare(op, &a, &b), &[&a, &b], |v| one.compare(op, &v[0], &v[1]));
            }
            agree(w, &all.ite(&c, &a, &b), &[&c, &a, &b], |v| one.ite(&v[0], &v[1], &v[2]));
            for (low, n) in [(0, w), (w / 2, w - w / 2), (w - 1, 1)] {
                agree(n, &all.extract(&a, low, n), &[&a], |v| one.extract(&v[0], low, n));
            }
            for n in [w, 64.max(w), 128] {
                agree(n, &all.zext(&a, n), &[&a], |v| one.zext(&v[0], n));
                agree(n, &all.sext(&a, n), &[&a], |v| one.sext(&v[0], n));
            }
            if 2 * w <= 128 {
                agree(2 * w, &all.concat(&a, &b), &[&a, &b], |v| one.concat(&v[0], &v[1]));
            }
            agree(w + 1.min(128 - w), &all.zext(&a, w + 1.min(128 - w)), &[&a], |v| one.zext(&v[0], w + 1.min(128 - w)));
            prop_assert!(!all.gave_up());
            let holds = (0..LANES).fold(0u32, |m, l| m | u32::from(a.lane(l).is_true()) << l);
            prop_assert_eq!(a.holds(), holds);
        }

        #[test]
        fn floats_are_those_of_each_lane(
            (f, a, b, c) in prop::sample::select(vec![FloatFormat::F16, FloatFormat::Bf16, FloatFormat::F32, FloatFormat::F64])
                .prop_flat_map(|f| (Just(f), vector(f.width()), vector(f.width()), vector(f.width()))),
            rounding in prop::sample::select(vec![Rounding::NearestEven, Rounding::Zero, Rounding::Up]),
            ftz: bool, sat: bool,
        ) {
            let one = Concrete::default();
            let all = Lanes::new(&one, u32::MAX);
            let mode = FloatMode { rounding, ftz: ftz && f == FloatFormat::F32, sat };
            for (op, n) in [(FloatOp::Add, 2), (FloatOp::Mul, 2), (FloatOp::Fma, 3), (FloatOp::Min, 2), (FloatOp::MaxNan, 2)] {
                let args = &[&a, &b, &c][..n];
                let same = |v: &[Bits]| one.float(op, f, mode, &v.iter().collect::<Vec<_>>());
                agree(f.width(), &all.float(op, f, mode, args), args, same);
            }
            for relation in [FloatRelation::Eq, FloatRelation::Lt, FloatRelation::Le, FloatRelation::Unordered] {
                let of = all.float_relation(relation, f, mode.ftz, &a, &b);
                agree(1, &of, &[&a, &b], |v| one.float_relation(relation, f, mode.ftz, &v[0], &v[1]));
            }
            let int = all.float_to_int(f, true, 32, mode, 0, &a);
            agree(32, &int, &[&a], |v| one.float_to_int(f, true, 32, mode, 0, &v[0]));
            prop_assert!(!all.gave_up());
        }
    }

    #[test]
    fn what_is_drawn_in_the_order_of_lanes_is_given_up() {
        let one = Concrete::default();
        let all = Lanes::new(&one, u32::MAX);
        all.undef(32, "a test");
        assert!(all.gave_up());
        let one = Concrete::default().with_nans(1);
        let all = Lanes::new(&one, u32::MAX);
        let a = all.constant(32, 1);
        all.float(FloatOp::Add, FloatFormat::F32, FloatMode::default(), &[&a, &a]);
        assert!(all.gave_up());
    }
}
