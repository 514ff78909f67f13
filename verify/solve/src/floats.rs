//! Relations, extrema and conversions of floats by what they are: relations and extrema on bits, saturation and conversions within a format as sums.
//!
//! A solver knows nothing of an uninterpreted relation or conversion. Relations are therefore written out on bits. A conversion
//! within a format, and the saturation behind a conversion, is written as the sum with -0, which IEEE 754 makes the identity:
//! it canonicalises NaN, flushes and clamps as every sum does. The tests hold both against the concrete home.

use sassafras_semantics::{CompareOp, Domain, FloatFormat, FloatMode, FloatOp, FloatRelation, Rounding};

/// Stored bits of the exponent and of the significand.
pub const fn fields(format: FloatFormat) -> (u32, u32) {
    (format.exponent_bits(), format.fraction_bits())
}

/// The bits without the sign.
fn magnitude<D: Domain>(d: &D, format: FloatFormat, a: &D::V) -> D::V {
    d.and(a, &d.constant(format.width(), (1 << (format.width() - 1)) - 1))
}

/// Whether a value is NaN, one bit.
pub fn nan<D: Domain>(d: &D, format: FloatFormat, a: &D::V) -> D::V {
    let (exponent, significand) = fields(format);
    let infinity = ((1u128 << exponent) - 1) << significand;
    d.compare(CompareOp::ULt, &d.constant(format.width(), infinity), &magnitude(d, format, a))
}

/// A value with subnormals made zeros of their sign.
pub fn flushed<D: Domain>(d: &D, format: FloatFormat, a: &D::V) -> D::V {
    let (_, significand) = fields(format);
    let width = format.width();
    let least = d.constant(width, 1 << significand);
    let small = d.compare(CompareOp::ULt, &magnitude(d, format, a), &least);
    d.ite(&small, &d.and(a, &d.constant(width, 1 << (width - 1))), a)
}

/// A relation, written out.
pub fn relation<D: Domain>(
    d: &D,
    relation: FloatRelation,
    format: FloatFormat,
    ftz: bool,
    a: &D::V,
    b: &D::V,
) -> D::V {
    let (a, b) = if ftz { (flushed(d, format, a), flushed(d, format, b)) } else { (a.clone(), b.clone()) };
    let width = format.width();
    let unordered = d.or(&nan(d, format, &a), &nan(d, format, &b));
    let (x, y) = (magnitude(d, format, &a), magnitude(d, format, &b));
    let zeros = d.eq(&d.or(&x, &y), &d.constant(width, 0));
    let (negative, other) = (d.extract(&a, width - 1, 1), d.extract(&b, width - 1, 1));
    let equal = || d.or(&zeros, &d.eq(&a, &b));
    let below = || {
        let smaller = |a, b| d.compare(CompareOp::ULt, a, b);
        let both = d.ite(&other, &smaller(&y, &x), &d.not(&zeros));
        d.ite(&negative, &both, &d.and(&d.not(&other), &smaller(&x, &y)))
    };
    let ordered = |holds: D::V| d.and(&d.not(&unordered), &holds);
    match relation {
        FloatRelation::Unordered => unordered,
        FloatRelation::Eq => ordered(equal()),
        FloatRelation::Lt => ordered(below()),
        FloatRelation::Le => ordered(d.or(&below(), &equal())),
    }
}

/// Minimum or maximum, written out; none for other operations and for what is clamped. -0 is less than +0.
pub fn extremum<D: Domain>(
    d: &D,
    op: FloatOp,
    format: FloatFormat,
    mode: FloatMode,
    args: [&D::V; 2],
) -> Option<D::V> {
    let (most, either) = match op {
        FloatOp::Min => (false, false),
        FloatOp::Max => (true, false),
        FloatOp::MinNan => (false, true),
        FloatOp::MaxNan => (true, true),
        _ => return None,
    };
    if mode.sat {
        return None;
    }
    let [a, b] = args.map(|v| if mode.ftz { flushed(d, format, v) } else { v.clone() });
    let width = format.width();
    let (x, y) = (magnitude(d, format, &a), magnitude(d, format, &b));
    let (negative, other) = (d.extract(&a, width - 1, 1), d.extract(&b, width - 1, 1));
    let smaller = |a, b| d.compare(CompareOp::ULt, a, b);
    let alike = d.ite(&negative, &smaller(&y, &x), &smaller(&x, &y));
    let below = d.ite(&d.xor(&negative, &other), &negative, &alike);
    let value = if most { d.ite(&below, &b, &a) } else { d.ite(&below, &a, &b) };
    let (first, second) = (nan(d, format, &a), nan(d, format, &b));
    let canonical = d.constant(width, format.canonical_nan().into());
    Some(if either {
        d.ite(&d.or(&first, &second), &canonical, &value)
    } else {
        d.ite(&first, &d.ite(&second, &canonical, &b), &d.ite(&second, &a, &value))
    })
}

/// The sum with -0.
fn same<D: Domain>(d: &D, format: FloatFormat, mode: FloatMode, a: &D::V) -> D::V {
    let minus_zero = d.constant(format.width(), 1 << (format.width() - 1));
    d.float(FloatOp::Add, format, FloatMode { rounding: Rounding::NearestEven, ..mode }, &[a, &minus_zero])
}

/// A conversion between formats: `plain` converts without saturation between different ones.
pub fn convert<D: Domain>(
    d: &D,
    from: FloatFormat,
    to: FloatFormat,
    mode: FloatMode,
    a: &D::V,
    plain: impl Fn(FloatMode, &D::V) -> D::V,
) -> D::V {
    if from == to {
        // Conversions flush binary32 alone.
        return same(d, from, FloatMode { ftz: mode.ftz && from == FloatFormat::F32, ..mode }, a);
    }
    let mut plainly = FloatMode { sat: false, ..mode };
    let mut operand = None;
    if mode.ftz && (from, to) == (FloatFormat::F32, FloatFormat::F16) {
        // The operand alone is flushed: a sum with -0 does that too.
        plainly.ftz = false;
        operand = Some(same(d, from, FloatMode { ftz: true, ..FloatMode::default() }, a));
    }
    let value = plain(plainly, operand.as_ref().unwrap_or(a));
    if mode.sat { same(d, to, FloatMode { sat: true, ..FloatMode::default() }, &value) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sassafras_semantics::{Bits, Concrete};

    const FORMATS: [FloatFormat; 4] =
        [FloatFormat::F16, FloatFormat::Bf16, FloatFormat::F32, FloatFormat::F64];

    /// Numbers of a format that are special, and some that are not.
    fn numbers(format: FloatFormat) -> Vec<Bits> {
        let (exponent, significand) = fields(format);
        let one = (1u128 << (exponent - 1)) - 1;
        let mut all = Vec::new();
        for e in [0, 1, one - 1, one, one + 1, (1 << exponent) - 2, (1 << exponent) - 1] {
            for s in
                [0, 1, 2, 1 << (significand - 1), (1 << significand) - 1, 0x55 & ((1 << significand) - 1)]
            {
                for sign in [0u128, 1] {
                    all.push(Bits::new(format.width(), (sign << exponent | e) << significand | s));
                }
            }
        }
        all
    }

    #[test]
    fn relations_are_those_of_the_concrete_home() {
        let d = Concrete::default();
        for format in FORMATS {
            for a in numbers(format) {
                for b in numbers(format) {
                    for ftz in [false, true] {
                        for r in [
                            FloatRelation::Eq,
                            FloatRelation::Lt,
                            FloatRelation::Le,
                            FloatRelation::Unordered,
                        ] {
                            let (ours, home) = (
                                relation(&d, r, format, ftz, &a, &b),
                                d.float_relation(r, format, ftz, &a, &b),
                            );
                            assert_eq!(ours, home, "{r:?} {format:?} ftz {ftz} {a:?} {b:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn extrema_are_those_of_the_concrete_home() {
        let d = Concrete::default();
        for format in FORMATS {
            for a in numbers(format) {
                for b in numbers(format) {
                    for ftz in [false, true] {
                        for op in [FloatOp::Min, FloatOp::Max, FloatOp::MinNan, FloatOp::MaxNan] {
                            let mode = FloatMode { ftz, ..FloatMode::default() };
                            let ours = extremum(&d, op, format, mode, [&a, &b]).expect("an extremum");
                            let home = d.float(op, format, mode, &[&a, &b]);
                            assert_eq!(ours, home, "{op:?} {format:?} ftz {ftz} {a:?} {b:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn conversions_are_those_of_the_concrete_home() {
        let d = Concrete::default();
        let roundings = [Rounding::NearestEven, Rounding::Zero, Rounding::Down, Rounding::Up];
        for from in FORMATS {
            // All of the short formats, special numbers of the long ones.
            let inputs = match from.width() {
                16 => (0..=0xffff).map(|bits| Bits::new(16, bits)).collect(),
                _ => numbers(from),
            };
            for to in FORMATS {
                for rounding in roundings.into_iter().filter(|r| from != to || *r == Rounding::NearestEven) {
                    for (ftz, sat) in [(false, false), (false, true), (true, false), (true, true)] {
                        let mode = FloatMode { rounding, ftz, sat };
                        for a in &inputs {
                            let plain = |mode, a: &Bits| d.float_to_float(from, to, mode, a);
                            let ours = convert(&d, from, to, mode, a, plain);
                            let home = d.float_to_float(from, to, mode, a);
                            assert_eq!(ours, home, "{from:?} {to:?} {mode:?} {a:?}");
                        }
                    }
                }
            }
        }
    }
}
