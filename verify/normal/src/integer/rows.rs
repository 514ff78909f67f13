//! The identities of floors as laws on words: what each replaces, and by what. A floor by a power of two is an arithmetic shift; by
//! another divisor it is the quotient of what is not negative, and the complement of that of the complement else.

use crate::normal::rows::{Law, Row};
use sassafras_semantics::{BinaryOp as B, CompareOp as C, Domain, TermId, Terms};

const WORDS: &[u32] = &[2, 3, 8, 16, 32];
const SMALL: &[u32] = &[3, 4, 6, 8];

fn equal(left: TermId, right: TermId) -> Law {
    Law { given: None, left, right }
}

fn v(t: &Terms, name: &str, width: u32) -> TermId {
    t.variable(name, width)
}

/// ⌊x / 2^l⌋.
fn shifted(t: &Terms, x: &TermId, l: u32) -> TermId {
    let width = t.width_of(*x);
    t.binary(B::AShr, x, &t.constant(width, l.into()))
}

/// 2^l·x.
fn scaled(t: &Terms, x: &TermId, l: u32) -> TermId {
    t.mul(x, &t.constant(t.width_of(*x), 1 << l))
}

fn sign(t: &Terms, x: &TermId) -> TermId {
    t.extract(x, t.width_of(*x) - 1, 1)
}

/// ⌊x / d⌋ of a signed number.
fn floor(t: &Terms, x: &TermId, d: u128) -> TermId {
    let d = t.constant(t.width_of(*x), d);
    let below = t.not(&t.binary(B::UDiv, &t.not(x), &d));
    t.ite(&sign(t, x), &below, &t.binary(B::UDiv, x, &d))
}

/// All rows.
pub const ROWS: &[Row] = &[
    Row {
        name: "floor-split",
        says: "⌊(d·q + r) / d⌋ = q + ⌊r / d⌋",
        widths: WORDS,
        laws: |t, w| {
            let s = |name| t.sext(&v(t, name, w), 3 * w);
            let (q, r) = (s("q"), s("r"));
            let mut all = Vec::new();
            for l in [1, w - 1, w] {
                let sum = t.add(&scaled(t, &q, l), &r);
                all.push(equal(shifted(t, &sum, l), t.add(&q, &shifted(t, &r, l))));
            }
            if w <= 4 {
                for d in [3, 5, 6] {
                    let sum = t.add(&t.mul(&q, &t.constant(3 * w, d)), &r);
                    all.push(equal(floor(t, &sum, d), t.add(&q, &floor(t, &r, d))));
                }
            }
            all
        },
    },
    Row {
        name: "floor-factor",
        says: "⌊(g·x + k) / (g·d)⌋ = ⌊(x + ⌊k / g⌋) / d⌋",
        widths: WORDS,
        laws: |t, w| {
            let (x, k) = (t.sext(&v(t, "x", w), 3 * w), t.sext(&v(t, "k", w), 3 * w));
            let one = |(g, l): (u32, u32)| {
                let sum = t.add(&scaled(t, &x, g), &k);
                equal(shifted(t, &sum, g + l), shifted(t, &t.add(&x, &shifted(t, &k, g)), l))
            };
            let mut all: Vec<Law> = [(1, 1), (w - 1, 1), (1, w - 1)].map(one).into();
            if w <= 3 {
                let sum = t.add(&t.mul(&x, &t.constant(3 * w, 3)), &k);
                all.push(equal(floor(t, &sum, 15), floor(t, &t.add(&x, &floor(t, &k, 3)), 5)));
            }
            all
        },
    },
    Row {
        name: "floor-low",
        says: "⌊(g·h + l) / (g·d)⌋ = ⌊(h + ⌊l / g⌋) / d⌋",
        widths: WORDS,
        laws: |t, w| {
            let (h, l) = (t.sext(&v(t, "h", w), 3 * w), t.sext(&v(t, "l", w), 3 * w));
            let one = |(g, d): (u32, u32)| {
                let sum = t.add(&scaled(t, &h, g), &l);
                equal(shifted(t, &sum, g + d), shifted(t, &t.add(&h, &shifted(t, &l, g)), d))
            };
            [(1, 1), (w - 1, 1), (1, w - 1), (w, w - 1)].map(one).into()
        },
    },
    Row {
        name: "bitwise-function",
        says: "bitwise functions with the same values on all bits are one: exclusive or by others, choices, parts of one; of halves by halves             (`bitwise-halves`)",
        widths: WORDS,
        laws: |t, w| {
            let [x, y, z] = ["x", "y", "z"].map(|n| v(t, n, w));
            let xor = t.or(&t.and(&t.not(&x), &y), &t.and(&x, &t.not(&y)));
            let choice = t.or(&t.and(&x, &y), &t.and(&t.not(&x), &z));
            let (a, b) = (v(t, "a", 2 * w), v(t, "b", 2 * w));
            let half = |a: &TermId, low| t.extract(a, low, w);
            let halves = |op| {
                let part = |low| t.binary(op, &half(&a, low), &half(&b, low));
                equal(t.binary(op, &a, &b), t.concat(&part(w), &part(0)))
            };
            vec![
                equal(xor, t.xor(&x, &y)),
                equal(choice, t.xor(&z, &t.and(&x, &t.xor(&y, &z)))),
                equal(t.or(&t.and(&x, &y), &t.and(&x, &t.not(&y))), x),
                halves(B::And),
                halves(B::Or),
                halves(B::Xor),
            ]
        },
    },
    Row {
        name: "masked-function",
        says: "a function of a word and constants is, where these have some bits, zero, one, the word or its complement",
        widths: WORDS,
        laws: |t, w| {
            let (x, mask) = (v(t, "x", w), (1u128 << w) - 1);
            let pattern = |n: u128| t.constant(w, ((n * 0x5555_5555) ^ (n >> 1)) & mask);
            let all = [(0, 3), (1, 2), (5, 1), (2, 7), (9, 4)].map(|(a, b)| {
                let (a, b) = (pattern(a), pattern(b));
                let chosen = t.or(&t.and(&x, &a), &t.and(&t.not(&x), &b));
                let under = |m: TermId| t.and(&x, &m);
                let sum = t.add(&b, &under(t.and(&a, &t.not(&b))));
                equal(chosen, t.sub(&sum, &under(t.and(&b, &t.not(&a)))))
            });
            all.into()
        },
    },
    Row {
        name: "shift-function",
        says: "a shift of and, or, exclusive or is that of the shifts; words side by side of functions are functions of words side by side",
        widths: WORDS,
        laws: |t, w| {
            let [x, y, n] = ["x", "y", "n"].map(|name| v(t, name, w));
            let (a, b) = (v(t, "a", w), v(t, "b", w));
            let mut all = Vec::new();
            for op in [B::And, B::Or, B::Xor] {
                for shift in [B::Shl, B::LShr, B::AShr] {
                    let by = |x: &TermId| t.binary(shift, x, &n);
                    all.push(equal(by(&t.binary(op, &x, &y)), t.binary(op, &by(&x), &by(&y))));
                }
                let side = t.concat(&t.binary(op, &x, &y), &t.binary(op, &a, &b));
                for (a, b) in [(a, b), (b, a)] {
                    all.push(equal(side, t.binary(op, &t.concat(&x, &a), &t.concat(&y, &b))));
                }
            }
            all
        },
    },
    Row {
        name: "floor-complement",
        says: "⌊(-1 - x) / d⌋ = -1 - ⌊x / d⌋",
        widths: WORDS,
        laws: |t, w| {
            let x = v(t, "x", w);
            let mut all = vec![equal(shifted(t, &t.not(&x), 1), t.not(&shifted(t, &x, 1)))];
            if w == 3 || w == 8 {
                all.push(equal(floor(t, &t.not(&x), 3), t.not(&floor(t, &x, 3))));
            }
            all
        },
    },
    Row {
        name: "floor-sign",
        says: "⌊x / d⌋ = ⌊x / e⌋ where -e <= x < e and e <= d: -1 or 0",
        widths: WORDS,
        laws: |t, w| {
            let x = t.sext(&v(t, "x", w), 3 * w);
            [w, w + 1, 3 * w - 1].map(|l| equal(shifted(t, &x, l), shifted(t, &x, w - 1))).into()
        },
    },
    Row {
        name: "floor-nested",
        says: "⌊(q + ⌊r / a⌋) / b⌋ = ⌊(a·q + r) / (a·b)⌋, and with -⌊r / a⌋ the same of a - 1 - r",
        widths: WORDS,
        laws: |t, w| {
            let s = |name| t.sext(&v(t, name, w), 3 * w);
            let (q, r) = (s("q"), s("r"));
            let mut all = Vec::new();
            for (a, b) in [(1, 1), (w - 1, 1), (1, w - 1), (w - 1, w - 1)] {
                let inner = shifted(t, &r, a);
                let left = shifted(t, &t.add(&q, &inner), b);
                all.push(equal(left, shifted(t, &t.add(&scaled(t, &q, a), &r), a + b)));
                let left = shifted(t, &t.sub(&q, &inner), b);
                let rest = t.sub(&t.constant(3 * w, (1 << a) - 1), &r);
                all.push(equal(left, shifted(t, &t.add(&scaled(t, &q, a), &rest), a + b)));
            }
            if w <= 3 {
                let left = floor(t, &t.add(&q, &floor(t, &r, 3)), 5);
                let flat = t.add(&t.mul(&q, &t.constant(3 * w, 3)), &r);
                all.push(equal(left, floor(t, &flat, 15)));
            }
            all
        },
    },
    Row {
        name: "wrap",
        says: "s mod 2^n = s - 2^n·⌊s / 2^n⌋, and signed less 2^n where the sign is set",
        widths: WORDS,
        laws: |t, w| {
            let s = v(t, "s", 2 * w);
            let low = t.extract(&s, 0, w);
            let value = t.sub(&s, &scaled(t, &shifted(t, &s, w), w));
            let wide = t.zext(&low, 2 * w);
            let signed = t.sub(&wide, &scaled(t, &shifted(t, &wide, w - 1), w));
            vec![equal(wide, value), equal(t.sext(&low, 2 * w), signed)]
        },
    },
    Row {
        name: "upper-bits",
        says: "bits from l = ⌊s / 2^l⌋, one bit less twice the floor behind it: `upper-bit`; `masked-runs` the same in their place",
        widths: WORDS,
        laws: |t, w| {
            let s = v(t, "s", w);
            let wide = t.zext(&s, w + 1);
            let mut all = Vec::new();
            for l in [0, 1, w - 1] {
                let bit = t.zext(&t.extract(&s, l, 1), w + 1);
                let twice = scaled(t, &shifted(t, &wide, l + 1), 1);
                all.push(equal(bit, t.sub(&shifted(t, &wide, l), &twice)));
                let masked = t.and(&wide, &t.constant(w + 1, 1 << l));
                all.push(equal(masked, scaled(t, &bit, l)));
            }
            all.push(equal(t.zext(&t.extract(&s, 1, w - 1), w + 1), shifted(t, &wide, 1)));
            all
        },
    },
    Row {
        name: "below",
        says: "a < b as -⌊(a - b) / 2^n⌋, and `less` of signed numbers",
        widths: WORDS,
        laws: |t, w| {
            let (a, b) = (v(t, "a", w), v(t, "b", w));
            let by = |op, wide: &dyn Fn(&TermId) -> TermId| {
                let less = t.neg(&shifted(t, &t.sub(&wide(&a), &wide(&b)), w));
                equal(t.zext(&t.compare(op, &a, &b), 2 * w), less)
            };
            vec![by(C::ULt, &|x| t.zext(x, 2 * w)), by(C::SLt, &|x| t.sext(x, 2 * w))]
        },
    },
    Row {
        name: "conditions",
        says: "not, and, or, exclusive or and selection as sums of products; a bit is its own square",
        widths: &[2, 3, 8],
        laws: |t, w| {
            let [p, q] = ["p", "q"].map(|n| v(t, n, 1));
            let (x, y) = (v(t, "x", w), v(t, "y", w));
            let z = |b: &TermId| t.zext(b, w);
            let (both, sum) = (t.mul(&z(&p), &z(&q)), t.add(&z(&p), &z(&q)));
            vec![
                equal(z(&t.not(&p)), t.sub(&t.constant(w, 1), &z(&p))),
                equal(z(&t.and(&p, &q)), both),
                equal(z(&t.or(&p, &q)), t.sub(&sum, &both)),
                equal(z(&t.xor(&p, &q)), t.sub(&sum, &scaled(t, &both, 1))),
                equal(t.mul(&z(&p), &z(&p)), z(&p)),
                equal(t.mul(&t.sext(&p, w), &t.sext(&p, w)), t.neg(&t.sext(&p, w))),
                equal(t.ite(&p, &x, &y), t.add(&y, &t.mul(&z(&p), &t.sub(&x, &y)))),
            ]
        },
    },
    Row {
        name: "apart",
        says: "x | y = x ^ y = x + y where they have no bit in common",
        widths: WORDS,
        laws: |t, w| {
            let high = scaled(t, &v(t, "x", 2 * w), w);
            let low = t.zext(&v(t, "y", w), 2 * w);
            let sum = t.add(&high, &low);
            vec![equal(t.or(&high, &low), sum), equal(t.xor(&high, &low), sum)]
        },
    },
    Row {
        name: "masked-runs",
        says: "x | m = x + m - (x & m), x ^ m = x + m - 2·(x & m)",
        widths: WORDS,
        laws: |t, w| {
            let (x, m) = (v(t, "x", w), v(t, "m", w));
            let (under, sum) = (t.and(&x, &m), t.add(&x, &m));
            vec![
                equal(t.or(&x, &m), t.sub(&sum, &under)),
                equal(t.xor(&x, &m), t.sub(&sum, &scaled(t, &under, 1))),
            ]
        },
    },
    Row {
        name: "masked-sign",
        says: "under copies of a condition: the product with it",
        widths: WORDS,
        laws: |t, w| {
            let (x, p) = (v(t, "x", w), v(t, "p", 1));
            vec![equal(t.and(&x, &t.sext(&p, w)), t.mul(&x, &t.zext(&p, w)))]
        },
    },
    Row {
        name: "sign-bit",
        says: "x < 0 is the sign, 0 <= x its complement; `sign-shift`: (x << c) >>s c extends what is left of x",
        widths: WORDS,
        laws: |t, w| {
            let (x, zero) = (v(t, "x", w), t.constant(w, 0));
            let mut all = vec![
                equal(t.compare(C::SLt, &x, &zero), sign(t, &x)),
                equal(t.compare(C::SLe, &zero, &x), t.not(&sign(t, &x))),
            ];
            for c in 1..w {
                let count = t.constant(w, c.into());
                let shifted = t.binary(B::AShr, &t.binary(B::Shl, &x, &count), &count);
                all.push(equal(shifted, t.sext(&t.extract(&x, 0, w - c), w)));
            }
            all
        },
    },
    Row {
        name: "product-signed",
        says: "the product of sign extensions is the extension of that with as many bits as both have",
        widths: SMALL,
        laws: |t, w| {
            let (x, y) = (v(t, "x", w), v(t, "y", w));
            let product = |n: u32| t.mul(&t.sext(&x, n), &t.sext(&y, n));
            let whole = product(2 * w);
            vec![
                equal(product(3 * w), t.sext(&whole, 3 * w)),
                equal(product(w + 1), t.extract(&whole, 0, w + 1)),
            ]
        },
    },
    Row {
        name: "case",
        says: "where a condition is known a choice is what is chosen, and a floor of a product with it one without",
        widths: WORDS,
        laws: |t, w| {
            let (p, one) = (v(t, "p", 1), t.constant(1, 1));
            let s = |name| t.sext(&v(t, name, w), 3 * w);
            let (q, r) = (s("q"), s("r"));
            let sum = t.add(&t.mul(&t.zext(&p, 3 * w), &q), &r);
            let floor = shifted(t, &sum, w - 1);
            let under = |given: TermId, right: TermId| Law { given: Some(given), left: floor, right };
            vec![
                under(t.eq(&p, &one), shifted(t, &t.add(&q, &r), w - 1)),
                under(t.not(&t.eq(&p, &one)), shifted(t, &r, w - 1)),
            ]
        },
    },
    Row {
        name: "case-range",
        says: "where ⌊x / d⌋ is v, x is at least d·v and less than d·(v + 1)",
        widths: WORDS,
        laws: |t, w| {
            let x = v(t, "x", w);
            let (wide, yes) = (t.zext(&x, w + 1), t.yes());
            let mut all = Vec::new();
            for (l, n) in
                [(w - 1, 0), (w - 1, 1), (1, 1), (1, 2)].into_iter().filter(|(l, n)| n >> (w - l) == 0)
            {
                let of = |n: u128| t.constant(w + 1, n << l);
                let within = t.and(&t.compare(C::ULe, &of(n), &wide), &t.compare(C::ULt, &wide, &of(n + 1)));
                let given = Some(t.eq(&shifted(t, &wide, l), &t.constant(w + 1, n)));
                all.push(Law { given, left: within, right: yes });
            }
            all
        },
    },
    Row {
        name: "extreme",
        says: "the least and the greatest of words in any order, however equal ones are chosen",
        widths: WORDS,
        laws: |t, w| {
            let [x, y, z] = ["x", "y", "z"].map(|n| v(t, n, w));
            let mut all = Vec::new();
            for (less, not_above) in [(C::ULt, C::ULe), (C::SLt, C::SLe)] {
                let by = |op, a: &TermId, b: &TermId| t.ite(&t.compare(op, a, b), a, b);
                let least = |a: &TermId, b: &TermId| by(less, a, b);
                let greatest = |a: &TermId, b: &TermId| t.ite(&t.compare(less, a, b), b, a);
                all.extend([
                    equal(least(&x, &y), least(&y, &x)),
                    equal(least(&x, &y), by(not_above, &x, &y)),
                    equal(least(&x, &least(&y, &z)), least(&least(&x, &y), &z)),
                    equal(least(&x, &x), x),
                    equal(greatest(&x, &y), greatest(&y, &x)),
                    equal(greatest(&x, &y), t.ite(&t.compare(not_above, &x, &y), &y, &x)),
                    equal(greatest(&x, &greatest(&y, &z)), greatest(&greatest(&x, &y), &z)),
                ]);
            }
            all
        },
    },
    Row {
        name: "magic-floor",
        says: "⌊k·r / 2^s⌋ = ⌊r / d⌋ for 0 <= r <= n where k·d = 2^s + e and n·e < 2^s; for -n <= r < 0 it is ⌊(r - 1) / d⌋",
        widths: SMALL,
        laws: |t, w| {
            let x = v(t, "x", w);
            let mut all = Vec::new();
            for d in (3..1u128 << w).filter(|d| !d.is_power_of_two() && (w <= 4 || *d < 16)) {
                for s in w..2 * w {
                    let k = (1u128 << s) / d + 1;
                    if (k * d - (1 << s)) * ((1 << w) - 1) >= 1 << s {
                        continue;
                    }
                    let by = |r: &TermId| shifted(t, &t.mul(r, &t.constant(4 * w, k)), s);
                    let (plain, signed) = (t.zext(&x, 4 * w), t.sext(&x, 4 * w));
                    all.push(equal(by(&plain), floor(t, &plain, d)));
                    let less = t.add(&signed, &t.sext(&sign(t, &x), 4 * w));
                    all.push(equal(by(&signed), floor(t, &less, d)));
                }
            }
            all
        },
    },
    Row {
        name: "quotient-signed",
        says: "x / d rounded to zero = ⌊(x + s) / d⌋ - s, s the sign as -1 or 0; the remainder is what is left",
        widths: SMALL,
        laws: |t, w| {
            let x = v(t, "x", w);
            let s = t.sext(&sign(t, &x), w);
            let mut all = Vec::new();
            for d in [2u128, 3, 5, 7].into_iter().filter(|d| d >> (w - 1) == 0) {
                let quotient = t.sub(&floor(t, &t.add(&x, &s), d), &s);
                let by = t.constant(w, d);
                // The sum leaves the width at the least number alone.
                let given = Some(t.not(&t.eq(&x, &t.constant(w, 1 << (w - 1)))));
                all.push(Law { given, left: t.binary(B::SDiv, &x, &by), right: quotient });
                let minus = t.binary(B::SDiv, &x, &t.neg(&by));
                all.push(Law { given, left: minus, right: t.neg(&quotient) });
                for by in [by, t.neg(&by)] {
                    let rest = t.sub(&x, &t.mul(&quotient, &t.constant(w, d)));
                    all.push(Law { given, left: t.binary(B::SRem, &x, &by), right: rest });
                }
            }
            all
        },
    },
];
