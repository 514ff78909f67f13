//! Rewrites that are wrong in the ways in which one is tempted: both judges of rows refute each, on an input and by the solver.

#![allow(missing_docs)]

mod common;

use common::laws::{Broken, at_their_widths, on_small_inputs};
use common::z3;
use sassafras_normal::normal::rows::{Law, Row};
use sassafras_semantics::{BinaryOp as B, CompareOp as C, Domain, TermId, Terms};

const WIDTHS: &[u32] = &[3, 8, 32];

fn equal(left: TermId, right: TermId) -> Vec<Law> {
    vec![Law { given: None, left, right }]
}

fn v(t: &Terms, name: &str, width: u32) -> TermId {
    t.variable(name, width)
}

fn k(t: &Terms, width: u32, bits: u128) -> TermId {
    t.constant(width, bits)
}

const WRONG: &[Row] = &[
    Row {
        name: "a shift by the width keeps the number",
        says: "x << w = x, as processors do that mask the count",
        widths: WIDTHS,
        laws: |t, w| {
            let x = v(t, "x", w);
            equal(t.binary(B::Shl, &x, &k(t, w, w.into())), x)
        },
    },
    Row {
        name: "the shift of a complement as the complement of the shift",
        says: "~x << n = ~(x << n), where zeros come in",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, n) = (v(t, "x", w), v(t, "n", w));
            let shifted = |x: &TermId| t.binary(B::Shl, x, &n);
            equal(shifted(&t.not(&x)), t.not(&shifted(&x)))
        },
    },
    Row {
        name: "words side by side of two functions as one function",
        says: "(x & y):(a | b) = x:a & y:b",
        widths: WIDTHS,
        laws: |t, w| {
            let [x, y, a, b] = ["x", "y", "a", "b"].map(|n| v(t, n, w));
            let side = t.concat(&t.and(&x, &y), &t.or(&a, &b));
            equal(side, t.and(&t.concat(&x, &a), &t.concat(&y, &b)))
        },
    },
    Row {
        name: "a choice between constants without the complement",
        says: "(x & a) | (~x & b) = b + (x & (a & ~b)), with the bits of b alone left as they are",
        widths: WIDTHS,
        laws: |t, w| {
            let x = v(t, "x", w);
            let (a, b) = (k(t, w, 0b101), k(t, w, 0b110));
            let chosen = t.or(&t.and(&x, &a), &t.and(&t.not(&x), &b));
            equal(chosen, t.add(&b, &t.and(&x, &t.and(&a, &t.not(&b)))))
        },
    },
    Row {
        name: "a choice of two constants by one mask too few",
        says: "(x & a) | (~x & b) = x under a ^ b, else b: a where only b has a bit is ~x",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, a, b) = (v(t, "x", w), k(t, w, 0b001), k(t, w, 0b011));
            let chosen = t.or(&t.and(&x, &a), &t.and(&t.not(&x), &b));
            let mask = t.xor(&a, &b);
            equal(chosen, t.or(&t.and(&x, &mask), &t.and(&b, &t.not(&mask))))
        },
    },
    Row {
        name: "the upper bit where less than half is added",
        says: "the upper bit of x + 2^(n-1) - 1 is the complement of that of x",
        widths: WIDTHS,
        laws: |t, w| {
            let x = v(t, "x", w);
            let upper = |x: &TermId| t.extract(x, w - 1, 1);
            equal(upper(&t.add(&x, &k(t, w, (1 << (w - 1)) - 1))), t.not(&upper(&x)))
        },
    },
    Row {
        name: "a condition that is known within a wider word",
        says: "where c is 1, ⌊(x + c) / 2⌋ is ⌊x / 2⌋ + c",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, c, one) = (v(t, "x", w), t.zext(&v(t, "c", 1), w), k(t, w, 1));
            let half = |x: &TermId| t.binary(B::LShr, x, &one);
            let left = t.ite(&t.eq(&c, &one), &half(&t.add(&x, &c)), &one);
            equal(left, t.ite(&t.eq(&c, &one), &t.add(&half(&x), &one), &one))
        },
    },
    Row {
        name: "the upper half of a negated number without what the lower half borrows",
        says: "-h = the upper bits of -(h:l); and -h - [l ≠ 1], the condition as the carry of l and one less",
        widths: WIDTHS,
        laws: |t, w| {
            let (h, l) = (v(t, "h", w), v(t, "l", w));
            let sum = t.add(&t.zext(&l, w + 1), &k(t, w + 1, (1 << w) - 2));
            let less = t.sub(&t.neg(&h), &t.zext(&t.extract(&sum, w, 1), w));
            let upper = t.extract(&t.neg(&t.concat(&h, &l)), w, w);
            [equal(t.neg(&h), upper), equal(less, upper)].concat()
        },
    },
    Row {
        name: "what may be zero as what is not",
        says: "2^(n-1) - 1 - x, where x has n - 1 bits, is not zero",
        widths: WIDTHS,
        laws: |t, w| {
            let x = t.zext(&v(t, "x", w - 1), w);
            equal(t.eq(&t.sub(&k(t, w, (1 << (w - 1)) - 1), &x), &k(t, w, 0)), t.no())
        },
    },
    Row {
        name: "a bit beside a number that is zero",
        says: "of x either the lower bits are zero or the upper bit is clear",
        widths: WIDTHS,
        laws: |t, w| {
            let x = v(t, "x", w);
            let zero = t.eq(&t.extract(&x, 0, w - 1), &k(t, w - 1, 0));
            let clear = t.not(&t.extract(&x, w - 1, 1));
            equal(t.or(&zero, &clear), clear)
        },
    },
    Row {
        name: "a choice by one of its sides alone",
        says: "what is more than zero on one side of a choice is more than zero",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, y) = (t.zext(&v(t, "x", w - 1), w), v(t, "y", w));
            let chosen = t.ite(&v(t, "p", 1), &t.add(&x, &k(t, w, 1)), &y);
            let less = t.add(&t.zext(&chosen, w + 1), &k(t, w + 1, (1 << w) - 1));
            equal(t.extract(&less, w, 1), k(t, 1, 1))
        },
    },
    Row {
        name: "an arithmetic shift as a logical one",
        says: "x >>s c = x >>u c",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, one) = (v(t, "x", w), k(t, w, 1));
            equal(t.binary(B::AShr, &x, &one), t.binary(B::LShr, &x, &one))
        },
    },
    Row {
        name: "a division of signed numbers as a shift",
        says: "x /s 2 = x >>s 1, which rounds the other way below zero",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, one, two) = (v(t, "x", w), k(t, w, 1), k(t, w, 2));
            equal(t.binary(B::SDiv, &x, &two), t.binary(B::AShr, &x, &one))
        },
    },
    Row {
        name: "a product of sign extensions without its sign",
        says: "the product of sign extensions is the zero extension of that with as many bits as both have",
        widths: &[3, 8],
        laws: |t, w| {
            let (x, y) = (v(t, "x", w), v(t, "y", w));
            let product = |n: u32| t.mul(&t.sext(&x, n), &t.sext(&y, n));
            equal(product(3 * w), t.zext(&product(2 * w), 3 * w))
        },
    },
    Row {
        name: "a case that says too much",
        says: "where ⌊x / 2⌋ is 1, x is 2",
        widths: WIDTHS,
        laws: |t, w| {
            let x = v(t, "x", w);
            let one = t.eq(&t.binary(B::LShr, &x, &k(t, w, 1)), &k(t, w, 1));
            equal(t.and(&one, &t.eq(&x, &k(t, w, 2))), one)
        },
    },
    Row {
        name: "a sum that never wraps",
        says: "zext(x + y) = zext x + zext y without a condition",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, y) = (v(t, "x", w), v(t, "y", w));
            let z = |a: &TermId| t.zext(a, 2 * w);
            equal(z(&t.add(&x, &y)), t.add(&z(&x), &z(&y)))
        },
    },
    Row {
        name: "a lower part that does not count",
        says: "⌊(2·h + l) / 4⌋ = ⌊h / 2⌋, also where l is 2 or more",
        widths: WIDTHS,
        laws: |t, w| {
            let wide = |name| t.zext(&v(t, name, w), 2 * w);
            let (h, l, one) = (wide("h"), wide("l"), k(t, 2 * w, 1));
            let by = |a: &TermId, n: u128| t.binary(B::LShr, a, &k(t, 2 * w, n));
            equal(by(&t.add(&t.binary(B::Shl, &h, &one), &l), 2), by(&h, 1))
        },
    },
    Row {
        name: "a magnitude without its sign",
        says: "2^n - x where any bit is set, else x, is the magnitude of x",
        widths: WIDTHS,
        laws: |t, w| {
            let x = v(t, "x", w);
            let (wide, bit) = (t.zext(&x, 2 * w), t.extract(&x, 0, 1));
            let less = t.sub(&k(t, 2 * w, 1 << w), &wide);
            let sign = t.extract(&x, w - 1, 1);
            equal(t.ite(&bit, &less, &wide), t.zext(&t.ite(&sign, &t.neg(&x), &x), 2 * w))
        },
    },
    Row {
        name: "a half of a shift by any count",
        says: "the upper half of x >> s is that of x shifted by the lower half of s",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, s) = (v(t, "x", 2 * w), v(t, "s", 2 * w));
            let half = |a: &TermId, low| t.extract(a, low, w);
            equal(half(&t.binary(B::LShr, &x, &s), w), t.binary(B::LShr, &half(&x, w), &half(&s, 0)))
        },
    },
    Row {
        name: "a sign that is lost",
        says: "sext x = zext x",
        widths: WIDTHS,
        laws: |t, w| {
            let x = v(t, "x", w);
            equal(t.sext(&x, 2 * w), t.zext(&x, 2 * w))
        },
    },
    Row {
        name: "a comparison moved by a constant",
        says: "x + 1 < y + 1 = x < y, also where one side wraps",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, y, one) = (v(t, "x", w), v(t, "y", w), k(t, w, 1));
            let less = |a: &TermId, b: &TermId| t.compare(C::ULt, a, b);
            equal(less(&t.add(&x, &one), &t.add(&y, &one)), less(&x, &y))
        },
    },
    Row {
        name: "a signed comparison as one of differences",
        says: "x <s y = (x - y) <s 0, also where the difference overflows",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, y) = (v(t, "x", w), v(t, "y", w));
            let negative = t.compare(C::SLt, &t.sub(&x, &y), &k(t, w, 0));
            equal(t.compare(C::SLt, &x, &y), negative)
        },
    },
    Row {
        name: "a product that cancels",
        says: "2·x = 2·y gives x = y, which forgets the upper bit",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, y, two) = (v(t, "x", w), v(t, "y", w), k(t, w, 2));
            equal(t.eq(&t.mul(&x, &two), &t.mul(&y, &two)), t.eq(&x, &y))
        },
    },
    Row {
        name: "a carry from equal operands",
        says: "the carry of x + y is x + y < x + 1",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, y) = (v(t, "x", w), v(t, "y", w));
            let z = |a: &TermId| t.zext(a, w + 1);
            let carry = t.extract(&t.add(&z(&x), &z(&y)), w, 1);
            equal(carry, t.compare(C::ULt, &t.add(&x, &y), &t.add(&x, &k(t, w, 1))))
        },
    },
    Row {
        name: "a selection with its sides exchanged",
        says: "p ? x : y = ~p ? x : y",
        widths: WIDTHS,
        laws: |t, w| {
            let (p, x, y) = (v(t, "p", 1), v(t, "x", w), v(t, "y", w));
            equal(t.ite(&p, &x, &y), t.ite(&t.not(&p), &x, &y))
        },
    },
    Row {
        name: "a bitwise or as a sum",
        says: "x | y = x + y, also where both have a bit",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, y) = (v(t, "x", w), v(t, "y", w));
            equal(t.or(&x, &y), t.add(&x, &y))
        },
    },
    Row {
        name: "a floor of a sum as the sum of floors",
        says: "⌊(x + y) / 2⌋ = ⌊x / 2⌋ + ⌊y / 2⌋, which forgets what the rests carry",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, y) = (t.sext(&v(t, "x", w), w + 1), t.sext(&v(t, "y", w), w + 1));
            let half = |a: &TermId| t.binary(B::AShr, a, &k(t, w + 1, 1));
            equal(half(&t.add(&x, &y)), t.add(&half(&x), &half(&y)))
        },
    },
    Row {
        name: "a negated floor that comes out of a sum as it is",
        says: "⌊(q - ⌊r / 2⌋) / 2⌋ = ⌊(2·q - r) / 4⌋, without what rounds up",
        widths: WIDTHS,
        laws: |t, w| {
            let wide = |name| t.sext(&v(t, name, w), w + 3);
            let (q, r) = (wide("q"), wide("r"));
            let by = |a: &TermId, n| t.binary(B::AShr, a, &k(t, w + 3, n));
            let left = by(&t.sub(&q, &by(&r, 1)), 1);
            equal(left, by(&t.sub(&t.add(&q, &q), &r), 2))
        },
    },
    Row {
        name: "a floor of a negative number as that of its magnitude",
        says: "⌊-x / 2⌋ = -⌊x / 2⌋",
        widths: WIDTHS,
        laws: |t, w| {
            let x = t.zext(&v(t, "x", w), w + 1);
            let half = |a: &TermId| t.binary(B::AShr, a, &k(t, w + 1, 1));
            equal(half(&t.neg(&x)), t.neg(&half(&x)))
        },
    },
    Row {
        name: "a product in place of a quotient that is too short",
        says: "⌊k·x / 2^(w+1)⌋ = ⌊x / 7⌋ for the next k above 2^(w+1) / 7, which the greatest x are too great for",
        widths: WIDTHS,
        laws: |t, w| {
            let x = v(t, "x", w);
            let magic = (1u128 << (w + 1)) / 7 + 1;
            let product = t.mul(&t.zext(&x, 3 * w), &k(t, 3 * w, magic));
            equal(t.extract(&product, w + 1, w), t.binary(B::UDiv, &x, &k(t, w, 7)))
        },
    },
    Row {
        name: "a signed quotient without its sign",
        says: "x /s 3 = ⌊x / 3⌋ also below zero",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, three) = (v(t, "x", w), k(t, w, 3));
            let below = t.not(&t.binary(B::UDiv, &t.not(&x), &three));
            let sign = t.extract(&x, w - 1, 1);
            let floor = t.ite(&sign, &below, &t.binary(B::UDiv, &x, &three));
            equal(t.binary(B::SDiv, &x, &three), floor)
        },
    },
    Row {
        name: "a count of a shift that is cut too low",
        says: "x << min(s, w - 1) = x << s, which keeps a bit that is shifted out",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, s, most) = (v(t, "x", w), v(t, "s", w), k(t, w, (w - 1).into()));
            let least = t.ite(&t.compare(C::ULt, &most, &s), &most, &s);
            equal(t.binary(B::Shl, &x, &least), t.binary(B::Shl, &x, &s))
        },
    },
    Row {
        name: "the least of words as signed and as unsigned",
        says: "the least of x and y without sign is that with sign",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, y) = (v(t, "x", w), v(t, "y", w));
            let least = |op| t.ite(&t.compare(op, &x, &y), &x, &y);
            equal(least(C::ULt), least(C::SLt))
        },
    },
    Row {
        name: "a factor that is cut by one bit too many",
        says: "2·x·y = 2·x[..w - 2]·y",
        widths: &[3, 8],
        laws: |t, w| {
            let (x, y, two) = (v(t, "x", w), v(t, "y", w), k(t, w, 2));
            let low = t.zext(&t.extract(&x, 0, w - 2), w);
            equal(t.mul(&t.mul(&x, &y), &two), t.mul(&t.mul(&low, &y), &two))
        },
    },
    Row {
        name: "slices that overlap by a bit",
        says: "x = 2^c·x[c..] + x[..c + 1]",
        widths: WIDTHS,
        laws: |t, w| {
            let (x, c) = (v(t, "x", w), w / 2);
            let high = t.zext(&t.extract(&x, c, w - c), w);
            let low = t.zext(&t.extract(&x, 0, c + 1), w);
            equal(x, t.add(&t.mul(&high, &k(t, w, 1 << c)), &low))
        },
    },
];

#[test]
fn wrong_rows_are_refuted() {
    let Some(mut z3) = z3("wrong_rows_are_refuted") else { return };
    for row in WRONG {
        let seen = on_small_inputs(row).expect_err("an input shows it").to_string();
        eprintln!("{seen}");
        sassafras_oracle::fault::planted("normal form", &"-", &seen, 1, 1);
        // A width at a time: none of them hides behind another.
        for width in row.widths {
            let one = Row { widths: std::slice::from_ref(width), ..*row };
            let answer = at_their_widths(&one, &mut z3).expect_err("the solver shows it");
            assert!(matches!(answer, Broken::Refuted { .. }), "{answer}");
        }
    }
    assert!(WRONG.len() >= 10);
    eprintln!(
        "{} wrong rows, each refuted on an input and by the solver at {} widths",
        WRONG.len(),
        WIDTHS.len()
    );
}
