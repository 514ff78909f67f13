//! The rewrites of the normal form: each proved at its widths, and evaluated on every input where there are few.

#![allow(missing_docs)]

mod common;

use common::laws::{at_their_widths, on_small_inputs};
use common::z3;
use sassafras_normal::integer;
use sassafras_normal::normal::rows::{ROWS, Row};
use sassafras_semantics::vocabulary::Rounding;
use sassafras_semantics::*;

/// Rows of the normal form, and of exact numbers.
fn all() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().chain(integer::rows::ROWS)
}

#[test]
fn each_row_stands_once() {
    let names: std::collections::BTreeSet<&str> = all().map(|row| row.name).collect();
    assert_eq!(names.len(), all().count());
}

#[test]
fn rows_hold_on_every_small_input() {
    for row in all() {
        let held = on_small_inputs(row).unwrap_or_else(|e| panic!("{e}"));
        assert!(held > 0, "{} never applies", row.name);
    }
}

#[test]
fn rows_are_proved_at_their_widths() {
    let Some(mut z3) = z3("rows_are_proved_at_their_widths") else { return };
    let mut count = 0;
    for row in all() {
        count += at_their_widths(row, &mut z3).unwrap_or_else(|e| panic!("{e}"));
    }
    eprintln!("{} rows, {count} laws proved", all().count());
    assert!(count > 100, "{count}");
}

/// Rows `product-signs`, `twice`, `fma-one` and `fma-zero`, on every binary16 number beside some others, for each rounding.
#[test]
fn float_rows_hold() {
    let d = Concrete::default();
    let f16 = FloatFormat::F16;
    let others =
        [0u128, 0x8000, 1, 0x8001, 0x3c00, 0xbc00, 0x3555, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x0400];
    for rounding in [Rounding::NearestEven, Rounding::Zero, Rounding::Up, Rounding::Down] {
        for sat in [false, true] {
            let mode = FloatMode { rounding, sat, ftz: false };
            for x in 0..0x1_0000u128 {
                let x = d.constant(16, x);
                let minus = |v: &_| d.xor(v, &d.constant(16, 0x8000));
                let two = d.constant(16, 0x4000);
                assert_eq!(
                    d.float(FloatOp::Add, f16, mode, &[&x, &x]),
                    d.float(FloatOp::Mul, f16, mode, &[&x, &two])
                );
                for y in others {
                    let y = d.constant(16, y);
                    let of = |a: &_, b: &_| d.float(FloatOp::Mul, f16, mode, &[a, b]);
                    assert_eq!(of(&minus(&x), &minus(&y)), of(&x, &y));
                    assert_eq!(of(&minus(&x), &y), of(&x, &minus(&y)));
                    assert_eq!(of(&x, &y), of(&y, &x));
                    let one = d.constant(16, 0x3c00);
                    assert_eq!(
                        d.float(FloatOp::Fma, f16, mode, &[&x, &one, &y]),
                        d.float(FloatOp::Add, f16, mode, &[&x, &y])
                    );
                    // Row `fma-nothing`.
                    for (a, b, product) in
                        [(0, 0x8000, 0x8000), (0x8000, 0x8000, 0), (0, 0x3555, 0), (0xbc00, 0, 0x8000)]
                    {
                        let of = |v| d.constant(16, v);
                        assert_eq!(
                            d.float(FloatOp::Fma, f16, mode, &[&of(a), &of(b), &x]),
                            d.float(FloatOp::Add, f16, mode, &[&of(product), &x])
                        );
                    }
                    if rounding == Rounding::NearestEven {
                        let zero = d.constant(16, 0x8000);
                        assert_eq!(d.float(FloatOp::Fma, f16, mode, &[&x, &y, &zero]), of(&x, &y));
                    }
                    let c = d.constant(16, 0x3c01);
                    let fma = |a: &_, b: &_| d.float(FloatOp::Fma, f16, mode, &[a, b, &c]);
                    assert_eq!(fma(&minus(&x), &minus(&y)), fma(&x, &y));
                    assert_eq!(fma(&minus(&x), &y), fma(&x, &minus(&y)));
                }
            }
        }
    }
}

/// Rows `sum-zero`, `sum-zero-wide` and `sum-zero-number`, through the normal form itself: on every number of 16 bits, on others by exponents and ends of
/// fractions.
#[test]
fn sums_with_negative_zero_hold() {
    let home = Concrete::default();
    for format in [FloatFormat::F16, FloatFormat::Bf16, FloatFormat::F32, FloatFormat::F64] {
        for ftz in [false, true].into_iter().take(if format == FloatFormat::F64 { 1 } else { 2 }) {
            let terms = Terms::new();
            let normal = sassafras_normal::Normal::new(&terms);
            let width = format.width();
            let x = terms.variable("x", width);
            let zero = terms.constant(width, 1 << (width - 1));
            let mode = FloatMode { rounding: Rounding::NearestEven, sat: false, ftz };
            let sum = terms.float(FloatOp::Add, format, mode, &[&x, &zero]);
            let made = normal.of(sum);
            assert_ne!(sum, made, "{format:?}: the row applies");
            let ends = [0u32, 1, 2, 0x3f_ffff, 0x40_0000, 0x40_0001, 0x7f_ffff];
            let values: Vec<u128> = match width {
                16 => (0..0x1_0000).collect(),
                64 => (0..4096u64)
                    .flat_map(|e| [0, 1, 1 << 51, (1 << 52) - 1].map(|f| u128::from(e << 52 | f)))
                    .collect(),
                _ => (0..512u32).flat_map(|e| ends.map(|f| u128::from(e << 23 | f))).collect(),
            };
            for v in values {
                let of = |t| terms.evaluate(&home, t, |_| v).bits();
                assert_eq!(of(sum), of(made), "{format:?} {v:#x} ftz {ftz}");
            }
        }
    }
    // Row `sum-zero-number`: what is made of an integer, with either sign.
    for format in [FloatFormat::F16, FloatFormat::F32, FloatFormat::F64] {
        let terms = Terms::new();
        let normal = sassafras_normal::Normal::new(&terms);
        let (width, i) = (format.width(), terms.variable("i", 32));
        let sign = terms.constant(width, 1 << (width - 1));
        let mode = FloatMode { rounding: Rounding::NearestEven, sat: false, ftz: false };
        for signed in [false, true] {
            let plain = terms.int_to_float(signed, format, mode, &i);
            for x in [plain, terms.xor(&plain, &sign)] {
                let sum = terms.float(FloatOp::Add, format, mode, &[&x, &sign]);
                assert_eq!(normal.of(sum), normal.of(x), "{format:?}: the row applies");
                let ends = [0u128, 1, 65519, 65520, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
                for v in ends {
                    let of = |t| terms.evaluate(&home, t, |_| v).bits();
                    assert_eq!(of(sum), of(normal.of(sum)), "{format:?} {v:#x}");
                }
            }
        }
    }
    // What the row does not say stays.
    let terms = Terms::new();
    let normal = sassafras_normal::Normal::new(&terms);
    let x = terms.variable("x", 32);
    for (zero, rounding, sat) in [
        (0u128, Rounding::NearestEven, false),
        (1 << 31, Rounding::Down, false),
        (1 << 31, Rounding::NearestEven, true),
    ] {
        let mode = FloatMode { rounding, sat, ftz: false };
        let sum = terms.float(FloatOp::Add, FloatFormat::F32, mode, &[&x, &terms.constant(32, zero)]);
        let node = terms.node(normal.of(sum));
        assert!(matches!(node, sassafras_semantics::term::Node::Float { .. }), "{node:?}");
    }
}

/// Row `relation-of-nan`, through the normal form itself: a sum with −0 relates as its operand does, and what is no NaN where it is chosen stays.
#[test]
fn every_nan_relates_alike() {
    use FloatRelation::{Eq, Le, Lt, Unordered};
    let home = Concrete::default();
    for format in [FloatFormat::F16, FloatFormat::Bf16, FloatFormat::F32] {
        let terms = Terms::new();
        let normal = sassafras_normal::Normal::new(&terms);
        let width = format.width();
        let (x, y) = (terms.variable("x", width), terms.variable("y", width));
        let sign = terms.constant(width, 1 << (width - 1));
        let sum = terms.float(FloatOp::Add, format, FloatMode::default(), &[&x, &sign]);
        let is_nan = |t| terms.float_relation(Unordered, format, false, t, t);
        let k = |bits: u128| terms.constant(width, bits);
        let nan = u128::from(format.canonical_nan());
        let infinity: u128 = match format {
            FloatFormat::F16 => 0x7c00,
            FloatFormat::Bf16 => 0x7f80,
            _ => 0x7f80_0000,
        };
        // Infinity, a number that is chosen by another, and one chosen where it is none.
        let others = [
            terms.ite(&is_nan(&x), &k(infinity), &x),
            terms.ite(&is_nan(&x), &k(0), &x),
            terms.ite(&is_nan(&y), &k(nan), &x),
            terms.ite(&is_nan(&x), &x, &k(nan)),
        ];
        let grid: Vec<u128> = match format {
            FloatFormat::F16 => {
                vec![0, 1, 0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff, 0x8000, 0xbc00, 0xfc00, 0xffff]
            }
            FloatFormat::Bf16 => {
                vec![0, 1, 0x3f80, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fff, 0x8000, 0xbf80, 0xff80, 0xffff]
            }
            _ => [
                0,
                1,
                0x3f80_0000,
                0x7f80_0000,
                0x7f80_0001,
                0x7fff_ffff,
                0x8000_0000,
                0xbf80_0000,
                0xff80_0000,
                u32::MAX,
            ]
            .map(u128::from)
            .to_vec(),
        };
        for relation in [Eq, Lt, Le, Unordered] {
            for ftz in [false, true] {
                let of = |a, b| terms.float_relation(relation, format, ftz, a, b);
                assert_eq!(
                    normal.of(of(&sum, &y)),
                    normal.of(of(&x, &y)),
                    "{format:?} {relation:?}: the row applies"
                );
                for other in &others {
                    let whole = of(other, &y);
                    assert_ne!(normal.of(whole), normal.of(of(&x, &y)), "{format:?} {relation:?}");
                }
                let all = others.iter().chain([&sum]).flat_map(|t| [of(t, &y), of(&y, t)]);
                for whole in all.collect::<Vec<_>>() {
                    let made = normal.of(whole);
                    for a in &grid {
                        for b in &grid {
                            let of = |t| terms.evaluate(&home, t, |v| if v == x { *a } else { *b }).bits();
                            assert_eq!(
                                of(whole),
                                of(made),
                                "{format:?} {relation:?} {a:#x} {b:#x} ftz {ftz}"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// Rows `mul-one` and `convert-same`, through the normal form: the same values, saturated and flushed or not.
#[test]
fn products_with_one_and_conversions_within_a_format_hold() {
    let home = Concrete::default();
    for format in [FloatFormat::F16, FloatFormat::Bf16, FloatFormat::F32] {
        for (ftz, sat) in [(false, false), (false, true), (true, false), (true, true)] {
            let terms = Terms::new();
            let normal = sassafras_normal::Normal::new(&terms);
            let width = format.width();
            let x = terms.variable("x", width);
            let one = match format {
                FloatFormat::F16 => 0x3c00,
                FloatFormat::Bf16 => 0x3f80,
                _ => 0x3f80_0000,
            };
            let mode = FloatMode { rounding: Rounding::NearestEven, sat, ftz };
            let product = terms.float(FloatOp::Mul, format, mode, &[&x, &terms.constant(width, one)]);
            let converted = terms.float_to_float(format, format, mode, &x);
            let values: Vec<u128> = match width {
                16 => (0..0x1_0000).collect(),
                _ => (0..512u32)
                    .flat_map(|e| {
                        [0, 1, 2, 0x3f_ffff, 0x40_0000, 0x40_0001, 0x7f_ffff].map(|f| u128::from(e << 23 | f))
                    })
                    .collect(),
            };
            for raw in [product, converted] {
                let made = normal.of(raw);
                assert_ne!(raw, made, "{format:?}: the row applies");
                for v in &values {
                    let of = |t| terms.evaluate(&home, t, |_| *v).bits();
                    assert_eq!(of(raw), of(made), "{format:?} {v:#x} ftz {ftz} sat {sat}");
                }
            }
        }
    }
}

/// Row `convert-flushed`, through the normal form: what is flushed and converted at once, and by two operations, is one term, and of the same value.
#[test]
fn what_is_flushed_and_converted_holds() {
    let home = Concrete::default();
    let roundings = [Rounding::NearestEven, Rounding::Zero, Rounding::Down, Rounding::Up];
    for (to, rounding) in [(FloatFormat::F64, Rounding::NearestEven)]
        .into_iter()
        .chain(roundings.map(|rounding| (FloatFormat::F16, rounding)))
    {
        let terms = Terms::new();
        let normal = sassafras_normal::Normal::new(&terms);
        let x = terms.variable("x", 32);
        let plain = FloatMode { rounding, ..FloatMode::default() };
        let flush = FloatMode { ftz: true, ..plain };
        let converted = |mode, a: &TermId| terms.float_to_float(FloatFormat::F32, to, mode, a);
        let one = terms.constant(32, 0x3f80_0000);
        let raw = converted(flush, &x);
        let nearest = FloatMode { ftz: true, ..FloatMode::default() };
        let two = converted(plain, &terms.float(FloatOp::Mul, FloatFormat::F32, nearest, &[&x, &one]));
        assert_eq!(normal.of(raw), normal.of(two));
        assert_ne!(normal.of(raw), normal.of(converted(plain, &x)));
        for exponent in 0..512u32 {
            for fraction in [0, 1, 2, 0x3f_ffff, 0x40_0000, 0x7f_ffff] {
                let of = |t| terms.evaluate(&home, t, |_| u128::from(exponent << 23 | fraction)).bits();
                assert_eq!(of(raw), of(normal.of(raw)), "{exponent:#x} {fraction:#x}");
                assert_eq!(of(raw), of(two), "{exponent:#x} {fraction:#x}");
            }
        }
    }
}

/// Row `relations`: a function of whether two floats are unordered and of another relation is what it was, on numbers of every kind; where it
/// can be it is one relation.
#[test]
fn relations_that_exclude_each_other_hold() {
    use FloatRelation as R;
    let home = Concrete::default();
    let ends = [0u128, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7fff];
    let values: Vec<u128> = ends.iter().flat_map(|v| [*v, v | 0x8000]).collect();
    for (relation, ftz) in [R::Lt, R::Le, R::Eq].into_iter().flat_map(|r| [(r, false), (r, true)]) {
        for (swapped, case) in (0..32).map(|i| (i & 1 != 0, i >> 1)) {
            let terms = Terms::new();
            let normal = sassafras_normal::Normal::new(&terms);
            let (a, b) = (terms.variable("a", 16), terms.variable("b", 16));
            let of = |r, x: &TermId, y: &TermId| terms.float_relation(r, FloatFormat::F16, ftz, x, y);
            let nan = of(R::Unordered, &a, &b);
            let other = if swapped { of(relation, &b, &a) } else { of(relation, &a, &b) };
            // Every function of the two, as a table.
            let row = |n: bool, o: bool| case >> (2 * u32::from(n) + u32::from(o)) & 1 != 0;
            let bit = |v: bool| terms.constant(1, v.into());
            let under = |n: bool| terms.ite(&other, &bit(row(n, true)), &bit(row(n, false)));
            let raw = terms.ite(&nan, &under(true), &under(false));
            let both = terms.or(&terms.and(&nan, &under(true)), &terms.and(&terms.not(&nan), &under(false)));
            for (i, f) in [raw, both].into_iter().enumerate() {
                let made = normal.of(f);
                for (x, y) in values.iter().flat_map(|x| values.iter().map(move |y| (*x, *y))) {
                    let at = |t| terms.evaluate(&home, t, |v| if v == a { x } else { y }).bits();
                    assert_eq!(at(f), at(made), "{relation:?} {case:#x} {i}: {x:#x} {y:#x}");
                }
            }
        }
        let terms = Terms::new();
        let normal = sassafras_normal::Normal::new(&terms);
        let (a, b) = (terms.variable("a", 16), terms.variable("b", 16));
        let of = |r, x: &TermId, y: &TermId| terms.float_relation(r, FloatFormat::F16, ftz, x, y);
        let either = normal.of(terms.or(&of(R::Unordered, &a, &b), &of(R::Le, &b, &a)));
        assert_eq!(either, normal.of(terms.not(&of(R::Lt, &a, &b))));
        // Of other floats it says nothing.
        let c = terms.variable("c", 16);
        let either = normal.of(terms.or(&of(R::Unordered, &a, &c), &of(R::Le, &b, &a)));
        assert_ne!(either, normal.of(terms.not(&of(R::Lt, &a, &b))));
    }
}
