//! The rewrites of the normal form: each proved at its widths, and evaluated on every input where there are few.

#![allow(missing_docs)]

mod common;

use common::laws::{at_their_widths, on_small_inputs};
use common::z3;
use sassafras_prove::normal::rows::ROWS;
use sassafras_semantics::vocabulary::Rounding;
use sassafras_semantics::*;

#[test]
fn rows_hold_on_every_small_input() {
    for row in ROWS {
        let held = on_small_inputs(row).unwrap_or_else(|e| panic!("{e}"));
        assert!(held > 0, "{} never applies", row.name);
    }
}

#[test]
fn rows_are_proved_at_their_widths() {
    let Some(mut z3) = z3("rows_are_proved_at_their_widths") else { return };
    let mut count = 0;
    for row in ROWS {
        count += at_their_widths(row, &mut z3).unwrap_or_else(|e| panic!("{e}"));
    }
    eprintln!("{} rows, {count} laws proved", ROWS.len());
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
