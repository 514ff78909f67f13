//! What is known of operations that a solver takes for functions, as definitions: an operation is what its law says where that
//! is known, and a function of which nothing is known elsewhere.
//!
//! - Relations and extrema of floats are written out on bits; so are conversions to a wider format (IEEE 754-2019, 5.4.2, 5.10, 9.6;
//!   PTX ISA, "setp", "min", "cvt").
//! - Sums with a zero, products with zero and one, and fused operations that are one of both (IEEE 754-2019, 6.3: the sign of a sum that is zero). Sums and
//!   products commute, and of a product's signs only the parity matters.
//! - Subnormal operands are flushed where the mode says so. What is flushed of results stays with the function.
//! - A number made of an integer depends on the integer, not on the width that it is written with, and is no NaN.
//! - A NaN of binary64 may have any payload (A-FP), so that of such results only this is known: they are NaN.
//!
//! The tests hold each law against the concrete home.

use sassafras_semantics::term::Node;
use sassafras_semantics::{
    Approximation, BinaryOp, CompareOp, Domain, FloatFormat, FloatMode, FloatOp, Rounding, TermId, Terms,
    UnaryOp,
};
use sassafras_solve::floats::{self, fields};

/// The width to which integers are extended before they become floats: unsigned ones of 64 bits are signed ones of it.
pub const INTEGER: u32 = 65;

/// The stored exponent of one.
const fn bias(format: FloatFormat) -> u128 {
    (1 << (fields(format).0 - 1)) - 1
}

fn one(format: FloatFormat) -> u128 {
    bias(format) << fields(format).1
}

/// A format's constants and parts of its values.
struct Format<'t> {
    d: &'t Terms,
    format: FloatFormat,
    width: u32,
}

impl Format<'_> {
    fn number(&self, bits: u128) -> TermId {
        self.d.constant(self.width, bits)
    }

    fn is(&self, a: TermId, bits: u128) -> TermId {
        self.d.eq(&a, &self.number(bits))
    }

    fn sign(&self) -> u128 {
        1 << (self.width - 1)
    }

    fn magnitude(&self, a: TermId) -> TermId {
        self.d.and(&a, &self.number(self.sign() - 1))
    }

    fn is_zero(&self, a: TermId) -> TermId {
        self.d.eq(&self.magnitude(a), &self.number(0))
    }

    fn is_finite(&self, a: TermId) -> TermId {
        let infinity = self.number(((1 << fields(self.format).0) - 1) << fields(self.format).1);
        self.d.compare(CompareOp::ULt, &self.magnitude(a), &infinity)
    }

    fn is_nan(&self, a: TermId) -> TermId {
        floats::nan(self.d, self.format, &a)
    }

    fn flushed(&self, a: TermId, ftz: bool) -> TermId {
        if ftz { floats::flushed(self.d, self.format, &a) } else { a }
    }

    /// The NaN that an operation gives; of binary64 some NaN.
    fn nan(&self, own: TermId) -> TermId {
        let canonical = self.number(self.format.canonical_nan().into());
        if self.format == FloatFormat::F64 { self.d.or(&own, &canonical) } else { canonical }
    }

    /// What an operation gives: a number or the canonical NaN.
    fn canonical(&self, own: TermId) -> TermId {
        self.d.ite(&self.is_nan(own), &self.nan(own), &own)
    }

    /// Clamped to 0 and 1; NaN becomes 0.
    fn clamped(&self, a: TermId) -> TermId {
        let d = self.d;
        let (nothing, one) = (self.number(0), self.number(one(self.format)));
        let most = d.ite(&d.compare(CompareOp::ULt, &one, &a), &one, &a);
        let negative = d.extract(&a, self.width - 1, 1);
        d.ite(&d.or(&self.is_nan(a), &negative), &nothing, &most)
    }

    fn ordered(&self, x: TermId, y: TermId) -> [TermId; 2] {
        let below = self.d.compare(CompareOp::ULt, &x, &y);
        [self.d.ite(&below, &x, &y), self.d.ite(&below, &y, &x)]
    }

    /// Two factors in one order, the sign of their product at the first.
    fn factors(&self, x: TermId, y: TermId) -> [TermId; 2] {
        let [a, b] = self.ordered(self.magnitude(x), self.magnitude(y));
        [self.d.or(&a, &self.sign_of_product(x, y)), b]
    }

    /// The sign of a product, and zeros below.
    fn sign_of_product(&self, x: TermId, y: TermId) -> TermId {
        self.d.and(&self.d.xor(&x, &y), &self.number(self.sign()))
    }

    fn operation(&self, op: FloatOp, mode: FloatMode, args: &[TermId]) -> TermId {
        let node = Node::Float { op, format: self.format, mode, args: args.iter().copied().collect() };
        self.d.make(node, self.width)
    }

    /// x plus a zero, to nearest: x, but −0 plus +0 is +0.
    fn plus_nothing(&self, x: TermId, zero: TermId, mode: FloatMode, own: TermId) -> TermId {
        let d = self.d;
        let both = d.and(&self.is(x, self.sign()), &self.is(zero, 0));
        let value = d.ite(&both, &self.number(0), &x);
        if mode.sat {
            return self.clamped(value);
        }
        d.ite(&self.is_nan(x), &self.nan(own), &value)
    }

    fn sum(&self, mode: FloatMode, args: &[TermId]) -> TermId {
        let d = self.d;
        let [x, y] = [args[0], args[1]].map(|a| self.flushed(a, mode.ftz));
        let own = self.canonical(self.operation(FloatOp::Add, mode, &self.ordered(x, y)));
        if mode.rounding != Rounding::NearestEven {
            return own;
        }
        let rest = d.ite(&self.is_zero(x), &self.plus_nothing(y, x, mode, own), &own);
        d.ite(&self.is_zero(y), &self.plus_nothing(x, y, mode, own), &rest)
    }

    fn product(&self, mode: FloatMode, args: &[TermId]) -> TermId {
        let d = self.d;
        let [x, y] = [args[0], args[1]].map(|a| self.flushed(a, mode.ftz));
        let mut value = self.canonical(self.operation(FloatOp::Mul, mode, &self.factors(x, y)));
        let nothing = if mode.sat { self.number(0) } else { self.sign_of_product(x, y) };
        value = d.ite(&self.vanishes(x, y), &nothing, &value);
        if mode.rounding != Rounding::NearestEven {
            return value;
        }
        let minus = self.number(self.sign());
        for (a, b) in [(x, y), (y, x)] {
            let (unit, other) = self.by_unit(a, b);
            let sum = self.operation(FloatOp::Add, mode, &[other, minus]);
            value = d.ite(&unit, &sum, &value);
        }
        value
    }

    /// Whether a product is zero because a factor is.
    fn vanishes(&self, x: TermId, y: TermId) -> TermId {
        let finite = self.d.and(&self.is_finite(x), &self.is_finite(y));
        self.d.and(&finite, &self.d.or(&self.is_zero(x), &self.is_zero(y)))
    }

    /// Whether the second factor is 1 or -1, and what the product is then.
    fn by_unit(&self, a: TermId, b: TermId) -> (TermId, TermId) {
        let unit = self.is(self.magnitude(b), one(self.format));
        (unit, self.d.xor(&a, &self.d.and(&b, &self.number(self.sign()))))
    }

    fn fused(&self, mode: FloatMode, args: &[TermId]) -> TermId {
        let d = self.d;
        let [x, y, z] = [args[0], args[1], args[2]].map(|a| self.flushed(a, mode.ftz));
        let [a, b] = self.factors(x, y);
        let mut value = self.canonical(self.operation(FloatOp::Fma, mode, &[a, b, z]));
        let sum = |a: TermId| self.operation(FloatOp::Add, mode, &[a, z]);
        value = d.ite(&self.vanishes(x, y), &sum(self.sign_of_product(x, y)), &value);
        for (a, b) in [(x, y), (y, x)] {
            let (unit, other) = self.by_unit(a, b);
            value = d.ite(&unit, &sum(other), &value);
        }
        if mode.rounding == Rounding::NearestEven {
            let product = self.operation(FloatOp::Mul, mode, &[x, y]);
            value = d.ite(&self.is(z, self.sign()), &product, &value);
        }
        value
    }

    /// A value in a wider format; of a NaN nothing that counts.
    fn widened(&self, to: &Format<'_>, a: TermId) -> TermId {
        let d = self.d;
        let ((exponent, significand), (_, more)) = (fields(self.format), fields(to.format));
        let rise = bias(to.format) - bias(self.format);
        let magnitude = d.zext(&self.magnitude(a), to.width);
        let gap = d.constant(to.width, (more - significand).into());
        let raised = d.add(&d.binary(BinaryOp::Shl, &magnitude, &gap), &to.number(rise << more));
        // The highest bit of a subnormal number becomes the hidden one.
        let zeros = d.unary(UnaryOp::LeadingZeros, &d.extract(&a, 0, significand));
        let zeros = d.zext(&zeros, to.width);
        let count = d.add(&zeros, &to.number(1));
        let digits = d.binary(BinaryOp::Shl, &magnitude, &d.add(&gap, &count));
        let fraction = d.and(&digits, &to.number((1 << more) - 1));
        let power = d.sub(&to.number(rise), &zeros);
        let small = d.or(&d.binary(BinaryOp::Shl, &power, &to.number(more.into())), &fraction);
        let least = self.number(1 << significand);
        let subnormal = d.compare(CompareOp::ULt, &self.magnitude(a), &least);
        // Where the wider format has no more exponents, its subnormal numbers are those of the narrow one.
        let numbers = if rise == 0 { raised } else { d.ite(&subnormal, &small, &raised) };
        let top = to.number(((1 << fields(to.format).0) - 1) << more);
        let infinite = self.is(self.magnitude(a), ((1 << exponent) - 1) << significand);
        let value = d.ite(&infinite, &top, &d.ite(&self.is_zero(a), &to.number(0), &numbers));
        let sign = d.zext(&d.extract(&a, self.width - 1, 1), to.width);
        d.or(&d.binary(BinaryOp::Shl, &sign, &to.number((to.width - 1).into())), &value)
    }
}

/// What a node is in terms of its operands, and of itself where nothing more is known; none where nothing is. In a law, an
/// operation other than its own stands for what its own law says.
pub fn law(d: &Terms, node: &Node, width: u32) -> Option<TermId> {
    let of = |format: FloatFormat| Format { d, format, width: format.width() };
    match node {
        Node::FloatRelation { relation, format, ftz, args: [a, b] } => {
            Some(floats::relation(d, *relation, *format, *ftz, a, b))
        }
        Node::Float { op, format, mode, args } => of(*format).arithmetic(*op, *mode, args),
        // Names alone: these conversions saturate, and E4M3 is not laid out as the other formats are.
        Node::FloatToFloat { from, to, .. } if from.is_fp8() || to.is_fp8() => None,
        Node::FloatToFloat { from, to, mode, a } if from == to => {
            let near = mode.rounding == Rounding::NearestEven && *to != FloatFormat::F64;
            let mode = FloatMode { ftz: mode.ftz && *to == FloatFormat::F32, ..*mode };
            let f = of(*to);
            near.then(|| f.operation(FloatOp::Add, mode, &[*a, f.number(f.sign())]))
        }
        Node::FloatToFloat { from, to, mode, a } => Some(of(*from).converted(&of(*to), *mode, *a)),
        Node::FloatToInt { from, signed, mode, nan, a } => {
            let f = of(*from);
            let value =
                |from, mode, a| d.make(Node::FloatToInt { from, signed: *signed, mode, nan: *nan, a }, width);
            Some(f.to_integer(*mode, *a, (width, (*nan).into()), &value))
        }
        Node::IntToFloat { signed, to, mode, a } if d.width_of(*a) < INTEGER => {
            let wide = if *signed { d.sext(a, INTEGER) } else { d.zext(a, INTEGER) };
            Some(of(*to).of_integer(*mode, wide))
        }
        Node::Approximate { function: Approximation::Rcp64High | Approximation::Rsqrt64High, a, .. } => {
            // The functions of high words flush their operand themselves.
            let small = d.eq(&d.extract(a, 20, 11), &d.constant(11, 0));
            let a = d.ite(&small, &d.and(a, &d.constant(32, 1 << 31)), a);
            Some(d.make(node.map(|_| a), width))
        }
        Node::Approximate { ftz: true, a, .. } => {
            let a = floats::flushed(d, FloatFormat::F32, a);
            Some(d.make(node.map(|_| a), width))
        }
        _ => None,
    }
}

impl Format<'_> {
    /// What an operation of this format is.
    fn arithmetic(&self, op: FloatOp, mode: FloatMode, args: &[TermId]) -> Option<TermId> {
        match op {
            FloatOp::Add => Some(self.sum(mode, args)),
            FloatOp::Mul => Some(self.product(mode, args)),
            FloatOp::Fma => Some(self.fused(mode, args)),
            FloatOp::Min | FloatOp::Max | FloatOp::MinNan | FloatOp::MaxNan => {
                let value = floats::extremum(self.d, op, self.format, mode, [&args[0], &args[1]])?;
                let [x, y] = self.ordered(args[0], args[1]);
                let nan = self.nan(self.operation(op, mode, &[x, y]));
                Some(self.d.ite(&self.is_nan(value), &nan, &value))
            }
            FloatOp::Div | FloatOp::Sqrt | FloatOp::RoundToIntegral => None,
        }
    }

    /// What a conversion of a number of this format to another format is.
    fn converted(&self, wide: &Format<'_>, mode: FloatMode, a: TermId) -> TermId {
        let (d, from, to) = (self.d, self.format, wide.format);
        let made = |mode, a| d.make(Node::FloatToFloat { from, to, mode, a }, wide.width);
        let own = || made(mode, a);
        if mode.sat {
            return wide.clamped(made(FloatMode { sat: false, ..mode }, a));
        }
        if from.width() >= to.width() {
            // `.ftz` is about binary32 alone, and no half is as small as its subnormals, nor rounded to one.
            let near = matches!(mode.rounding, Rounding::NearestEven | Rounding::Zero);
            let half = to == FloatFormat::F16 && (near || from != FloatFormat::F32);
            if mode.ftz && half {
                return made(FloatMode { ftz: false, ..mode }, a);
            }
            return d.ite(&self.is_nan(a), &wide.nan(own()), &wide.canonical(own()));
        }
        // To flush and widen to binary64 is to widen a sum with −0 that flushes: of a NaN too, whose payload is then that of one NaN.
        if mode.ftz && from == FloatFormat::F32 {
            let flush = FloatMode { ftz: true, ..FloatMode::default() };
            let a = self.operation(FloatOp::Add, flush, &[a, self.number(self.sign())]);
            return made(FloatMode { ftz: false, ..mode }, a);
        }
        let value = wide.flushed(self.widened(wide, a), mode.ftz && to == FloatFormat::F32);
        d.ite(&self.is_nan(a), &wide.nan(own()), &value)
    }

    /// What a conversion of a number of this format to an integer of `width` bits is: `nan` of a NaN, else `value` of an operand of some format.
    fn to_integer(
        &self,
        mode: FloatMode,
        a: TermId,
        (width, nan): (u32, u128),
        value: &dyn Fn(FloatFormat, FloatMode, TermId) -> TermId,
    ) -> TermId {
        let (d, from) = (self.d, self.format);
        let directed = matches!(mode.rounding, Rounding::Up | Rounding::Down);
        // What is flushed would be rounded to zero.
        let operand = self.flushed(a, mode.ftz && from == FloatFormat::F32 && directed);
        let plain = FloatMode::default();
        let (from, operand) = match from.width() {
            // Each number of 16 bits is one of binary32.
            16 => {
                let to = FloatFormat::F32;
                (to, d.make(Node::FloatToFloat { from, to, mode: plain, a: operand }, to.width()))
            }
            _ => (from, operand),
        };
        let mode = FloatMode { ftz: false, ..mode };
        let known = d.constant(width, nan);
        d.ite(&self.is_nan(a), &known, &value(from, mode, operand))
    }

    /// What a conversion of an integer of `INTEGER` bits with a sign to this format is.
    fn of_integer(&self, mode: FloatMode, wide: TermId) -> TermId {
        let (d, to) = (self.d, self.format);
        let mode = FloatMode { ftz: false, ..mode };
        let made = |mode| d.make(Node::IntToFloat { signed: true, to, mode, a: wide }, self.width);
        // What the significand has room for is not rounded.
        let most = 1 << (fields(to).1 + 1);
        let above = d.add(&wide, &d.constant(INTEGER, most));
        let exact = d.compare(CompareOp::ULe, &above, &d.constant(INTEGER, 2 * most));
        let near = FloatMode { rounding: Rounding::NearestEven, ..mode };
        let own = d.ite(&exact, &made(near), &made(mode));
        // No integer is a NaN.
        let mut value = d.ite(&self.is_nan(own), &self.number(0), &own);
        if !mode.sat {
            for (n, bits) in [(0, 0), (1, one(to)), (u128::MAX, one(to) | self.sign())] {
                let here = d.eq(&wide, &d.constant(INTEGER, n));
                value = d.ite(&here, &self.number(bits), &value);
            }
        }
        value
    }
}

/// The node with variables as operands.
pub fn general(d: &Terms, node: &Node, widths: &[u32]) -> (Node, Vec<TermId>) {
    let variables = widths.iter().enumerate().map(|(i, w)| d.variable(&format!("operand {i}"), *w));
    let variables: Vec<TermId> = variables.collect();
    let mut next = variables.iter();
    let made = node.map(|old| next.next().copied().unwrap_or(old));
    (made, variables)
}
