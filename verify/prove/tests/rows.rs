//! The rewrites of the normal form: each proved at its widths, and evaluated on every input where there are few.

#![allow(missing_docs)]

mod common;

use common::z3;
use sassafras_prove::inputs::Inputs;
use sassafras_prove::normal::rows::{Law, ROWS, Row};
use sassafras_prove::smt::script;
use sassafras_prove::{Answer, Solver};
use sassafras_semantics::vocabulary::Rounding;
use sassafras_semantics::*;

fn laws(row: &Row, width: u32) -> (Terms, Vec<Law>) {
    let terms = Terms::raw();
    let laws = (row.laws)(&terms, width);
    assert!(!laws.is_empty(), "{} says nothing at width {width}", row.name);
    (terms, laws)
}

#[test]
fn rows_hold_on_every_small_input() {
    let folder = Concrete::default();
    for row in ROWS {
        let (terms, laws) = laws(row, row.widths[0]);
        let mut held = 0;
        for law in laws {
            let roots: Vec<TermId> =
                [Some(law.left), Some(law.right), law.given].into_iter().flatten().collect();
            let free = terms.free(&roots);
            let bits: u32 = free.iter().map(|v| terms.width_of(*v)).sum();
            assert!(bits <= 16, "{} has {bits} bits of input", row.name);
            for input in 0..1u128 << bits {
                let mut at = 0;
                let values: Vec<(TermId, u128)> = free
                    .iter()
                    .map(|v| {
                        let value = input >> at;
                        at += terms.width_of(*v);
                        (*v, value)
                    })
                    .collect();
                let value = |t| values.iter().find(|(v, _)| *v == t).map_or(0, |(_, x)| *x);
                let of = |t| terms.evaluate(&folder, t, value).bits();
                if law.given.is_none_or(|g| of(g) == 1) {
                    assert_eq!(of(law.left), of(law.right), "{} on {input:#x}", row.name);
                    held += 1;
                }
            }
        }
        assert!(held > 0, "{} never applies", row.name);
    }
}

#[test]
fn rows_are_proved_at_their_widths() {
    let Some(mut z3) = z3("rows_are_proved_at_their_widths") else { return };
    let mut count = 0;
    for row in ROWS {
        for &width in row.widths {
            let (terms, laws) = laws(row, width);
            let inputs = Inputs::raw(&terms);
            for law in laws {
                let differ = terms.not(&terms.eq(&law.left, &law.right));
                let asked: Vec<TermId> = [Some(differ), law.given].into_iter().flatten().collect();
                let answer = z3.check(&script(&inputs, &asked));
                assert_eq!(answer, Answer::Unsat, "{} at width {width}", row.name);
                count += 1;
            }
        }
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
