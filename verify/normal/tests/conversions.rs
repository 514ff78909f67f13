//! Rows of conversions: terms and their normal forms have the same values, on all numbers of 16 bits and many others.

#![allow(missing_docs)]

use sassafras_normal::Normal;
use sassafras_semantics::vocabulary::Rounding;
use sassafras_semantics::*;

const FORMATS: [FloatFormat; 4] = [FloatFormat::F16, FloatFormat::Bf16, FloatFormat::F32, FloatFormat::F64];
const ROUNDINGS: [Rounding; 4] = [Rounding::NearestEven, Rounding::Zero, Rounding::Up, Rounding::Down];

fn modes() -> impl Iterator<Item = FloatMode> {
    let flags = [(false, false), (false, true), (true, false), (true, true)];
    ROUNDINGS.into_iter().flat_map(move |rounding| flags.map(|(ftz, sat)| FloatMode { rounding, ftz, sat }))
}

/// Operands of a width: all of 16 bits, else patterns of exponents and significands.
fn operands(width: u32) -> Vec<u128> {
    if width <= 16 {
        return (0..1 << width).collect();
    }
    let (exponent, fraction) = if width == 64 { (11u32, 52u32) } else { (8, 23) };
    let bias = (1u128 << (exponent - 1)) - 1;
    let mut all = vec![0, 1, (1 << width) - 1];
    let near = [-150i128, -149, -127, -126, -25, -24, -23, -15, -14, -1, 0, 1, 8, 15, 16, 31, 63, 127, 128];
    let ends = [0, 1, 2, 2 * bias, 2 * bias + 1];
    for e in
        near.into_iter().filter_map(|n| bias.checked_add_signed(n)).chain(ends).filter(|e| *e <= 2 * bias + 1)
    {
        for bit in 0..fraction {
            for s in [1u128 << bit, (1 << bit) - 1, (1 << fraction) - (1 << bit)] {
                let magnitude = e << fraction | s & ((1 << fraction) - 1);
                all.extend([magnitude, magnitude | 1 << (width - 1)]);
            }
        }
    }
    all
}

/// Holds a term against its normal form; whether they are two terms.
fn held(terms: &Terms, normal: &Normal<'_>, term: TermId, operand: TermId, what: &str) -> bool {
    let simpler = normal.of(term);
    if simpler == term {
        return false;
    }
    let order = terms.topological(&[term, simpler]);
    let home = Concrete::default();
    let all = operands(terms.width_of(operand));
    // The first of many operands say what the others would, where there are many terms.
    for x in all.iter().step_by(if all.len() > 10_000 { 13 } else { 3 }) {
        let values = terms.evaluate_all(&home, &order, |_| *x);
        assert_eq!(values[&term], values[&simpler], "{what} of {x:#x}");
    }
    true
}

#[test]
fn two_conversions_are_what_becomes_of_them() {
    let mut changed = 0;
    for first in FORMATS {
        for middle in FORMATS.into_iter().filter(|m| m.width() > first.width()) {
            for to in FORMATS {
                let terms = Terms::new();
                let normal = Normal::new(&terms);
                let x = terms.variable("x", first.width());
                for outer in modes() {
                    for ftz in [false, true] {
                        let inner = FloatMode { ftz, ..FloatMode::default() };
                        let wide = terms.float_to_float(first, middle, inner, &x);
                        let whole = terms.float_to_float(middle, to, outer, &wide);
                        let what = format!("{first:?} {middle:?} ({ftz}) {to:?} {outer:?}");
                        changed += u32::from(held(&terms, &normal, whole, x, &what));
                    }
                }
            }
        }
    }
    assert!(changed > 100, "{changed}");
}

#[test]
fn conversions_lose_what_does_not_matter() {
    let mut changed = 0;
    for from in FORMATS {
        for to in FORMATS.into_iter().filter(|to| *to != from) {
            let terms = Terms::new();
            let normal = Normal::new(&terms);
            let x = terms.variable("x", from.width());
            for mode in modes() {
                let whole = terms.float_to_float(from, to, mode, &x);
                changed += u32::from(held(&terms, &normal, whole, x, &format!("{from:?} {to:?} {mode:?}")));
            }
        }
    }
    assert!(changed > 50, "{changed}");
}

#[test]
fn integers_become_the_same_floats() {
    let mut changed = 0;
    for width in [1u32, 8, 16] {
        for to in FORMATS {
            let terms = Terms::new();
            let normal = Normal::new(&terms);
            let x = terms.variable("x", width);
            for mode in modes() {
                for signed in [false, true] {
                    let mode = FloatMode { ftz: false, ..mode };
                    for wide in [terms.zext(&x, 32), terms.sext(&x, 32), terms.zext(&x, 64), x] {
                        let whole = terms.int_to_float(signed, to, mode, &wide);
                        let what = format!("{width} {} {signed} {to:?} {mode:?}", terms.width_of(wide));
                        changed += u32::from(held(&terms, &normal, whole, x, &what));
                        for last in FORMATS.into_iter().filter(|l| *l != to) {
                            let whole = terms.float_to_float(to, last, mode, &whole);
                            let what = format!("{what} {last:?}");
                            changed += u32::from(held(&terms, &normal, whole, x, &what));
                        }
                    }
                }
            }
        }
    }
    assert!(changed > 100, "{changed}");
}

#[test]
fn floats_become_the_same_integers() {
    let mut changed = 0;
    for from in FORMATS {
        for middle in FORMATS.into_iter().filter(|m| m.width() > from.width() || *m == from) {
            let terms = Terms::new();
            let normal = Normal::new(&terms);
            let x = terms.variable("x", from.width());
            for mode in modes().filter(|m| !m.sat) {
                for (width, signed) in [(8, true), (16, false), (32, true), (32, false), (64, true)] {
                    let wide = match middle == from {
                        true => x,
                        false => terms.float_to_float(from, middle, FloatMode::default(), &x),
                    };
                    let whole = terms.float_to_int(middle, signed, width, mode, 0, &wide);
                    let what = format!("{from:?} {middle:?} {mode:?} {width} {signed}");
                    changed += u32::from(held(&terms, &normal, whole, x, &what));
                }
            }
        }
    }
    assert!(changed > 20, "{changed}");
}

/// Row `sum-zero-clamped`.
#[test]
fn clamped_sums_with_zero_do_not_know_its_sign() {
    for format in [FloatFormat::F16, FloatFormat::Bf16, FloatFormat::F32] {
        let terms = Terms::new();
        let normal = Normal::new(&terms);
        let x = terms.variable("x", format.width());
        for mode in modes().filter(|m| m.sat) {
            let zero = terms.constant(format.width(), 0);
            let whole = terms.float(FloatOp::Add, format, mode, &[&x, &zero]);
            assert!(held(&terms, &normal, whole, x, &format!("{format:?} {mode:?}")));
        }
    }
}

/// Row `approximate-flushed`, for several answers of the unit.
#[test]
fn functions_of_high_words_flush_their_operand() {
    let terms = Terms::new();
    let normal = Normal::new(&terms);
    let x = terms.variable("x", 32);
    let small = terms.eq(&terms.extract(&x, 20, 11), &terms.constant(11, 0));
    let zero = terms.concat(&terms.extract(&x, 31, 1), &terms.constant(31, 0));
    let flushed = terms.ite(&small, &zero, &x);
    for function in [Approximation::Rcp64High, Approximation::Rsqrt64High] {
        let whole = terms.approximate(function, true, &flushed);
        let simpler = normal.of(whole);
        assert_eq!(simpler, normal.of(terms.approximate(function, true, &x)), "{function:?}");
        let order = terms.topological(&[whole, simpler]);
        for chooser in [Chooser::Nearest, Chooser::Lowest, Chooser::Seeded(3)] {
            let home = Concrete::new(chooser);
            for high in (0..0x1_0000u128).step_by(5) {
                for low in [0, 1, 0xffff] {
                    let values = terms.evaluate_all(&home, &order, |_| high << 16 | low);
                    assert_eq!(values[&whole], values[&simpler], "{function:?} {high:#x} {low:#x}");
                }
            }
        }
    }
}
