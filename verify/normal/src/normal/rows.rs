//! The rewrites of the normal form as laws: what each replaces, and by what. The code names the row where it applies it;
//! `tests/rows.rs` proves each at the widths given here, and evaluates each on every input at small widths.

use sassafras_semantics::{BinaryOp as B, CompareOp as C, Domain, TermId, Terms};

/// Two terms that are equal wherever the condition holds.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// One bit; none if there is no condition.
    pub given: Option<TermId>,
    /// What is replaced.
    pub left: TermId,
    /// What replaces it.
    pub right: TermId,
}

/// A rewrite.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub says: &'static str,
    /// Widths at which it is proved: the lesser of those it mentions.
    pub widths: &'static [u32],
    /// Instances of it at a width.
    pub laws: fn(&Terms, u32) -> Vec<Law>,
}

const WORDS: &[u32] = &[2, 3, 8, 16, 32];
const WIDE: &[u32] = &[2, 3, 8, 16, 32, 64];

fn equal(left: TermId, right: TermId) -> Law {
    Law { given: None, left, right }
}

/// A variable of a width.
fn v(t: &Terms, name: &str, width: u32) -> TermId {
    t.variable(&format!("{name}{width}"), width)
}

fn k(t: &Terms, width: u32, bits: u128) -> TermId {
    t.constant(width, bits)
}

/// Counts from 1 that are worth a look at a width.
fn counts(w: u32) -> Vec<u32> {
    let mut all = vec![1, w / 2, w - 1];
    all.retain(|c| (1..w).contains(c));
    all.dedup();
    all
}

/// All rows on bits.
pub const ROWS: &[Row] = &[
    Row {
        name: "shift-constant",
        says: "x << c = x·2^c; at the width and beyond 0, or copies of the sign",
        widths: WIDE,
        laws: |t, w| {
            let x = v(t, "x", w);
            let shift = |op, c: u32| t.binary(op, &x, &k(t, w, c.into()));
            let mut all: Vec<Law> =
                counts(w).iter().map(|&c| equal(shift(B::Shl, c), t.mul(&x, &k(t, w, 1 << c)))).collect();
            for &c in &counts(w) {
                let high = t.extract(&x, c, w - c);
                all.push(equal(shift(B::LShr, c), t.zext(&high, w)));
                all.push(equal(shift(B::AShr, c), t.sext(&high, w)));
                let power = k(t, w, 1 << c);
                all.push(equal(t.binary(B::UDiv, &x, &power), t.zext(&high, w)));
                all.push(equal(t.binary(B::URem, &x, &power), t.zext(&t.extract(&x, 0, c), w)));
            }
            if w > 2 {
                all.push(equal(shift(B::Shl, w), k(t, w, 0)));
                all.push(equal(shift(B::LShr, w), k(t, w, 0)));
                all.push(equal(shift(B::AShr, w), shift(B::AShr, w - 1)));
            }
            all
        },
    },
    Row {
        name: "concatenation",
        says: "h:l = 2^n·h + l",
        widths: WORDS,
        laws: |t, w| {
            let (h, l) = (v(t, "h", w), v(t, "l", w));
            let z = |a| t.zext(a, 2 * w);
            vec![equal(t.concat(&h, &l), t.add(&t.mul(&z(&h), &k(t, 2 * w, 1 << w)), &z(&l)))]
        },
    },
    Row {
        name: "sign-extension",
        says: "sext x = zext x - 2^n·sign x",
        widths: WORDS,
        laws: |t, w| {
            let x = v(t, "x", w);
            let sign = t.zext(&t.extract(&x, w - 1, 1), 2 * w);
            let less = t.mul(&sign, &k(t, 2 * w, (1u128 << w).wrapping_neg()));
            vec![equal(t.sext(&x, 2 * w), t.add(&t.zext(&x, 2 * w), &less))]
        },
    },
    Row {
        name: "limbs",
        says: "x = 2^n·(x >> n) + (x mod 2^n)",
        widths: WORDS,
        laws: |t, w| {
            let x = v(t, "x", 2 * w);
            let part = |low| t.zext(&t.extract(&x, low, w), 2 * w);
            vec![equal(x, t.add(&t.mul(&part(w), &k(t, 2 * w, 1 << w)), &part(0)))]
        },
    },
    Row {
        name: "zext-sum",
        says: "zext(x + y) = zext x + zext y without wrap, or if 2^n shifts the wrap out",
        widths: WORDS,
        laws: |t, w| {
            let (x, y) = (v(t, "x", w), v(t, "y", w));
            let z = |a: &TermId| t.zext(a, 2 * w);
            let (left, right) = (z(&t.add(&x, &y)), t.add(&z(&x), &z(&y)));
            let scale = k(t, 2 * w, 1 << w);
            let fits = t.compare(C::ULe, &right, &k(t, 2 * w, (1 << w) - 1));
            let minus = t.add(&z(&x), &t.neg(&z(&y)));
            let stays = t.compare(C::ULe, &y, &x);
            vec![
                Law { given: Some(fits), left, right },
                Law { given: Some(stays), left: z(&t.sub(&x, &y)), right: minus },
                equal(t.mul(&left, &scale), t.mul(&right, &scale)),
            ]
        },
    },
    Row {
        name: "zext-even",
        says: "zext(2^j·x + c) = 2^j·zext(x without its j upper bits) + c, for c of j bits",
        widths: WORDS,
        laws: |t, w| {
            let x = v(t, "x", w);
            let one = |j: u32, c: u128| {
                let left = t.zext(&t.add(&t.mul(&x, &k(t, w, 1 << j)), &k(t, w, c)), 2 * w);
                let rest = t.zext(&t.extract(&x, 0, w - j), 2 * w);
                equal(left, t.add(&t.mul(&rest, &k(t, 2 * w, 1 << j)), &k(t, 2 * w, c)))
            };
            counts(w).iter().flat_map(|&j| [0, 1, (1 << j) - 1].map(|c| one(j, c))).collect()
        },
    },
    Row {
        name: "zext-complement",
        says: "zext x = (2^n - 1) - zext(-1 - x); for one bit `condition-sign`",
        widths: &[1, 2, 8, 32],
        laws: |t, w| {
            let x = v(t, "x", w);
            let ones = k(t, 2 * w, (1 << w) - 1);
            vec![
                equal(t.zext(&x, 2 * w), t.sub(&ones, &t.zext(&t.not(&x), 2 * w))),
                equal(t.not(&x), t.sub(&k(t, w, u128::MAX), &x)),
            ]
        },
    },
    Row {
        name: "carry-rejoin",
        says: "2^l·(s >> l) = s - (s mod 2^l)",
        widths: WIDE,
        laws: |t, w| {
            let s = v(t, "s", w);
            let one = |&l: &u32| {
                let high = t.zext(&t.extract(&s, l, w - l), w);
                let low = t.zext(&t.extract(&s, 0, l), w);
                equal(t.mul(&high, &k(t, w, 1 << l)), t.sub(&s, &low))
            };
            counts(w).iter().map(one).collect()
        },
    },
    Row {
        name: "slice-widen",
        says: "2^k·(low n bits of x) = 2^k·x if k + n is the width, and times y",
        widths: WIDE,
        laws: |t, w| {
            let (x, y) = (v(t, "x", w), v(t, "y", w));
            let one = |j: u32, of: &dyn Fn(&TermId) -> TermId| {
                let scale = k(t, w, 1 << j);
                let low = t.zext(&t.extract(&x, 0, w - j), w);
                equal(t.mul(&of(&low), &scale), t.mul(&of(&x), &scale))
            };
            let mut all: Vec<Law> = counts(w).iter().map(|&j| one(j, &|a| *a)).collect();
            if w <= 8 {
                // Of a product: by the law above and the ring's, which solvers show at small widths.
                all.extend(counts(w).iter().map(|&j| one(j, &|a| t.mul(a, &y))));
            }
            all
        },
    },
    Row {
        name: "slices-join",
        says: "c·x[l..m] + c·2^(m-l)·x[m..h] = c·x[l..h]",
        widths: WORDS,
        laws: |t, w| {
            let (x, c) = (v(t, "x", w), v(t, "c", w));
            let part = |low, n| t.zext(&t.extract(&x, low, n), w);
            let one = |&m: &u32| {
                let high = t.mul(&part(m, w - m), &k(t, w, 1 << m));
                equal(t.add(&part(0, m), &high), x)
            };
            let mut all: Vec<Law> = counts(w).iter().map(one).collect();
            if w <= 8 {
                // With a coefficient: distribution, which solvers show at small widths.
                let (a, b) = (v(t, "a", w), v(t, "b", w));
                all.push(equal(t.add(&t.mul(&c, &a), &t.mul(&c, &b)), t.mul(&c, &t.add(&a, &b))));
            }
            all
        },
    },
    Row {
        name: "selections-join",
        says: "(p ? b : d):(p ? a : c) = p ? b:a : d:c",
        widths: WORDS,
        laws: |t, w| {
            let [a, b, c, d] = ["a", "b", "c", "d"].map(|n| v(t, n, w));
            let p = v(t, "p", 1);
            let left = t.concat(&t.ite(&p, &b, &d), &t.ite(&p, &a, &c));
            vec![equal(left, t.ite(&p, &t.concat(&b, &a), &t.concat(&d, &c)))]
        },
    },
    Row {
        name: "slice-flipped",
        says: "the upper bit of x + 2^(n-1) is the complement of that of x, and that of 2^(n-1) - 1 - x is that of x",
        widths: WIDE,
        laws: |t, w| {
            let x = v(t, "x", w);
            let (half, upper) = (1 << (w - 1), |x: &TermId| t.extract(x, w - 1, 1));
            vec![
                equal(upper(&t.add(&x, &k(t, w, half))), t.not(&upper(&x))),
                equal(upper(&t.sub(&k(t, w, half - 1), &x)), upper(&x)),
            ]
        },
    },
    Row {
        name: "slice-range",
        says: "bits of a sum that are the same for its least and its greatest value, a choice between two being one of them",
        widths: WIDE,
        laws: |t, w| {
            let [x, y] = ["x", "y"].map(|n| t.zext(&v(t, n, w - 1), w + 1));
            let (one, top) = (k(t, w + 1, 1), |x: &TermId| t.extract(x, w, 1));
            let chosen = t.ite(&v(t, "p", 1), &t.add(&x, &one), &t.sub(&k(t, w + 1, (1 << (w - 1)) + 1), &y));
            let less = t.add(&chosen, &k(t, w + 1, (1 << w) - 1));
            vec![equal(top(&less), k(t, 1, 1))]
        },
    },
    Row {
        name: "equal-range",
        says: "what is at least one, or at most minus one, is not zero",
        widths: WIDE,
        laws: |t, w| {
            let x = t.zext(&v(t, "x", w - 1), w);
            let (most, zero) = (k(t, w, 1 << (w - 1)), k(t, w, 0));
            let no = |a: &TermId| equal(t.eq(a, &zero), t.no());
            vec![no(&t.sub(&most, &x)), no(&t.sub(&x, &most)), no(&t.add(&x, &k(t, w, 1)))]
        },
    },
    Row {
        name: "zero-bit",
        says: "of a number that is zero no bit is set",
        widths: WIDE,
        laws: |t, w| {
            let x = v(t, "x", w);
            let zero = t.eq(&x, &k(t, w, 0));
            let mut all = Vec::new();
            for at in [0, w / 2, w - 1] {
                let bit = t.extract(&x, at, 1);
                all.extend([
                    equal(t.and(&zero, &bit), t.no()),
                    equal(t.or(&zero, &t.not(&bit)), t.not(&bit)),
                    equal(t.and(&zero, &t.not(&bit)), zero),
                    equal(t.xor(&zero, &bit), t.or(&zero, &bit)),
                ]);
            }
            all
        },
    },
    Row {
        name: "slice-select",
        says: "bits of a selection, of a bitwise function (`slice-bitwise`, `bitwise-pieces`): the same of bits",
        widths: WIDE,
        laws: |t, w| {
            let (a, b, p) = (v(t, "a", w), v(t, "b", w), v(t, "p", 1));
            let mut all = Vec::new();
            for &c in &counts(w) {
                let s = |x: &TermId| t.extract(x, c, w - c);
                all.push(equal(s(&t.ite(&p, &a, &b)), t.ite(&p, &s(&a), &s(&b))));
                for op in [B::And, B::Or, B::Xor] {
                    all.push(equal(s(&t.binary(op, &a, &b)), t.binary(op, &s(&a), &s(&b))));
                }
            }
            all
        },
    },
    Row {
        name: "slice-complement",
        says: "bits of −1 − x = the complement of bits of x",
        widths: WIDE,
        laws: |t, w| {
            let a = v(t, "a", w);
            let left = t.sub(&k(t, w, u128::MAX), &a);
            let law = |&c: &u32| equal(t.extract(&left, c, w - c), t.not(&t.extract(&a, c, w - c)));
            counts(w).iter().map(law).collect()
        },
    },
    Row {
        name: "slice-even",
        says: "bits from l of 2^j·x = bits from l - j of x",
        widths: &[4, 8, 16, 32, 64],
        laws: |t, w| {
            let x = v(t, "x", w);
            let (j, l) = (w / 4, w / 2);
            let left = t.extract(&t.mul(&x, &k(t, w, 1 << j)), l, w - l);
            vec![equal(left, t.extract(&x, l - j, w - l))]
        },
    },
    Row {
        name: "slice-split",
        says: "(2^l·q + r) >> l = q + (r >> l), which is q if r < 2^l",
        widths: &[2, 4, 8, 16, 32],
        laws: |t, w| {
            let (q, r) = (v(t, "q", 2 * w), v(t, "r", 2 * w));
            let sum = t.add(&t.mul(&q, &k(t, 2 * w, 1 << w)), &r);
            let fits = t.compare(C::ULt, &r, &k(t, 2 * w, 1 << w));
            let (left, low) = (t.extract(&sum, w, w), t.extract(&q, 0, w));
            vec![Law { given: Some(fits), left, right: low }, equal(left, t.add(&low, &t.extract(&r, w, w)))]
        },
    },
    Row {
        name: "runs-join",
        says: "x[m..h] above x[l..m] above r is x[l..h] above r",
        widths: &[4, 8, 16, 32],
        laws: |t, w| {
            let (x, r) = (v(t, "x", w), v(t, "r", w));
            let m = w / 4;
            let (high, low) = (t.extract(&x, m, w - m), t.extract(&x, 0, m));
            vec![equal(t.concat(&high, &t.concat(&low, &r)), t.concat(&x, &r))]
        },
    },
    Row {
        name: "slice-rejoined",
        says: "bits from l on of s - (s mod 2^n) are those of s, for n up to l",
        widths: &[4, 8, 16, 32, 64],
        laws: |t, w| {
            let s = v(t, "s", w);
            let cases = [(w / 4, w / 2), (w / 2, w / 2), (w / 2, w - 1)];
            let less = |n: u32| t.sub(&s, &t.zext(&t.extract(&s, 0, n), w));
            cases.map(|(n, l)| equal(t.extract(&less(n), l, w - l), t.extract(&s, l, w - l))).to_vec()
        },
    },
    Row {
        name: "borrow-rejoin",
        says: "2^l·[x < y] = ((x - y) mod 2^l) - (x - y), and [x < y] is the upper bit of the difference",
        widths: WORDS,
        laws: |t, w| {
            let (x, y) = (v(t, "x", w), v(t, "y", w));
            let less = |n: u32| t.sub(&t.zext(&x, n), &t.zext(&y, n));
            let bit = t.extract(&less(w + 1), w, 1);
            let low = t.extract(&less(w + 1), 0, w);
            let left = t.mul(&t.zext(&bit, 2 * w), &k(t, 2 * w, 1 << w));
            vec![equal(left, t.sub(&t.zext(&low, 2 * w), &less(2 * w)))]
        },
    },
    Row {
        name: "slice-narrow",
        says: "bits of a sum that never reaches them are zero",
        widths: WORDS,
        laws: |t, w| {
            let (x, y) = (v(t, "x", w), v(t, "y", w));
            let sum = |n: u32| t.add(&t.zext(&x, n), &t.zext(&y, n));
            let left = t.extract(&sum(2 * w), w, w);
            vec![equal(left, t.zext(&t.extract(&sum(w + 1), w, 1), w))]
        },
    },
    Row {
        name: "slice-low",
        says: "low bits of sums and products: of the low bits; for one bit `parity`",
        widths: &[1, 2, 4, 8],
        laws: |t, w| {
            let (a, b) = (v(t, "a", 2 * w), v(t, "b", 2 * w));
            let s = |x: &TermId| t.extract(x, 0, w);
            let mut all = vec![
                equal(s(&t.add(&a, &b)), t.add(&s(&a), &s(&b))),
                equal(s(&t.mul(&a, &b)), t.mul(&s(&a), &s(&b))),
            ];
            if w == 1 {
                all.push(equal(t.add(&s(&a), &s(&b)), t.xor(&s(&a), &s(&b))));
                all.push(equal(t.mul(&s(&a), &s(&b)), t.and(&s(&a), &s(&b))));
            }
            all
        },
    },
    Row {
        name: "decision",
        says: "(x & h) | (~x & l), and its forms where h or l is known or l is ~h",
        widths: WIDE,
        laws: |t, w| {
            let [x, h, l] = ["x", "h", "l"].map(|n| v(t, n, w));
            let (zero, ones) = (k(t, w, 0), k(t, w, u128::MAX));
            let full = |h: &TermId, l: &TermId| t.or(&t.and(&x, h), &t.and(&t.not(&x), l));
            vec![
                equal(full(&ones, &l), t.or(&x, &l)),
                equal(full(&zero, &l), t.and(&t.not(&x), &l)),
                equal(full(&h, &zero), t.and(&x, &h)),
                equal(full(&h, &ones), t.or(&t.not(&x), &h)),
                equal(full(&t.not(&l), &l), t.xor(&x, &l)),
            ]
        },
    },
    Row {
        name: "bitwise-masks",
        says: "a function of numbers and constants is one of numbers alone in the bits of each mask that the constants make",
        widths: WIDE,
        laws: |t, w| {
            let [x, y, a, b] = ["x", "y", "a", "b"].map(|n| v(t, n, w));
            let differ = t.xor(&a, &b);
            let by = |m: &TermId, h: &TermId, l: &TermId| t.or(&t.and(m, h), &t.and(&t.not(m), l));
            vec![
                equal(by(&x, &a, &b), t.xor(&b, &t.and(&x, &differ))),
                equal(by(&x, &a, &b), by(&differ, &t.xor(&x, &b), &a)),
                equal(by(&x, &y, &a), by(&a, &t.or(&t.not(&x), &y), &t.and(&x, &y))),
                equal(
                    t.xor(&t.and(&x, &a), &t.and(&y, &b)),
                    by(&a, &t.xor(&x, &t.and(&y, &b)), &t.and(&y, &b)),
                ),
            ]
        },
    },
    Row {
        name: "select",
        says: "of a complement; within itself; of the same answer by two conditions, where one implies the other; of constants, and of what is one apart; of one bit",
        widths: WORDS,
        laws: |t, w| {
            let [a, b, c] = ["a", "b", "c"].map(|n| v(t, n, w));
            let p = v(t, "p", 1);
            let both = t.and(&p, &v(t, "q", 1));
            let numbers = t.add(&t.mul(&t.zext(&p, w), &t.sub(&a, &b)), &b);
            let (wide, inside) = (t.zext(&b, 2 * w), t.zext(&t.sub(&a, &k(t, w, 1)), 2 * w));
            vec![
                equal(t.ite(&t.not(&p), &a, &b), t.ite(&p, &b, &a)),
                equal(t.ite(&p, &t.ite(&p, &a, &b), &c), t.ite(&p, &a, &c)),
                equal(t.ite(&p, &a, &t.ite(&p, &b, &c)), t.ite(&p, &a, &c)),
                // `select-same`: of two conditions one implies the other.
                equal(t.ite(&both, &a, &t.ite(&p, &a, &b)), t.ite(&p, &a, &b)),
                equal(t.ite(&p, &a, &t.ite(&both, &a, &b)), t.ite(&p, &a, &b)),
                equal(t.ite(&p, &t.ite(&both, &a, &b), &b), t.ite(&both, &a, &b)),
                equal(t.ite(&both, &t.ite(&p, &a, &b), &b), t.ite(&both, &a, &b)),
                equal(t.ite(&p, &a, &b), numbers),
                equal(t.ite(&p, &t.add(&a, &k(t, w, 1)), &a), t.add(&t.zext(&p, w), &a)),
                // `select-inside`
                equal(t.ite(&p, &t.add(&t.mul(&t.zext(&p, w), &a), &c), &b), t.ite(&p, &t.add(&a, &c), &b)),
                equal(t.ite(&p, &b, &t.add(&t.mul(&t.zext(&p, w), &a), &c)), t.ite(&p, &b, &c)),
                // Within words that are summands, and bits of them.
                equal(
                    t.ite(&p, &t.zext(&t.sub(&a, &t.zext(&p, w)), 2 * w), &wide),
                    t.ite(&p, &inside, &wide),
                ),
                equal(
                    t.ite(&p, &t.extract(&t.sub(&a, &t.zext(&p, w)), w - 1, 1), &p),
                    t.ite(&p, &t.extract(&t.sub(&a, &k(t, w, 1)), w - 1, 1), &p),
                ),
            ]
        },
    },
    Row {
        name: "compare-parts",
        says: "by the upper part, and where that is equal by the lower",
        widths: WORDS,
        laws: |t, w| {
            let (a, b) = (v(t, "a", 2 * w), v(t, "b", 2 * w));
            let (h, l) = (|x: &TermId| t.extract(x, w, w), |x: &TermId| t.extract(x, 0, w));
            let same = t.eq(&h(&a), &h(&b));
            let low = t.compare(C::ULt, &l(&a), &l(&b));
            let by = |op| equal(t.compare(op, &a, &b), t.ite(&same, &low, &t.compare(op, &h(&a), &h(&b))));
            vec![by(C::ULt), by(C::SLt), equal(t.eq(&a, &b), t.and(&same, &t.eq(&l(&a), &l(&b))))]
        },
    },
    Row {
        name: "equal",
        says: "a = b as a - b = 0, with either sign; `equal-even`, `equal-narrow`, `equal-condition`",
        widths: &[3, 8, 16, 32, 64],
        laws: |t, w| {
            let (a, b, p) = (v(t, "a", w), v(t, "b", w), v(t, "p", 1));
            let zero = k(t, w, 0);
            let one = |&j: &u32| {
                let even = t.eq(&t.mul(&a, &k(t, w, 1 << j)), &zero);
                equal(even, t.eq(&t.extract(&a, 0, w - j), &k(t, w - j, 0)))
            };
            let mut all: Vec<Law> = counts(w).iter().map(one).collect();
            let n = t.extract(&a, 0, 2);
            let scaled = t.mul(&t.zext(&p, w), &k(t, w, 5));
            all.extend([
                equal(t.eq(&a, &b), t.eq(&t.sub(&a, &b), &zero)),
                equal(t.eq(&t.sub(&a, &b), &zero), t.eq(&t.sub(&b, &a), &zero)),
                equal(t.eq(&t.zext(&n, w), &k(t, w, 3)), t.eq(&n, &k(t, 2, 3))),
                equal(t.eq(&t.zext(&n, w), &k(t, w, 4)), t.no()),
                // `equal-odd`
                equal(t.eq(&t.mul(&a, &k(t, w, 2)), &k(t, w, 1)), t.no()),
                equal(t.eq(&t.mul(&a, &k(t, w, 4)), &k(t, w, 2)), t.no()),
                equal(t.eq(&scaled, &zero), t.not(&p)),
                equal(t.eq(&scaled, &k(t, w, 5)), p),
                equal(t.eq(&scaled, &k(t, w, 3)), t.no()),
            ]);
            all
        },
    },
    Row {
        name: "compare-narrow",
        says: "of zero extensions: of what is extended, without signs",
        widths: WORDS,
        laws: |t, w| {
            let (a, b) = (v(t, "a", w), v(t, "b", w));
            let z = |x: &TermId| t.zext(x, w + 1);
            let less = t.compare(C::ULt, &a, &b);
            vec![
                equal(t.compare(C::ULt, &z(&a), &z(&b)), less),
                equal(t.compare(C::SLt, &z(&a), &z(&b)), less),
            ]
        },
    },
    Row {
        name: "compare-constant",
        says: "`below-constant`, `less-constant`: c < x as not x < c + 1; x < 2^k by the bits above; x < 0 by the sign",
        widths: WIDE,
        laws: |t, w| {
            let (x, c) = (v(t, "x", w), v(t, "c", w));
            let next = t.add(&c, &k(t, w, 1));
            let greatest = u128::MAX >> (128 - w) >> 1;
            let law = |op, last: u128| Law {
                given: Some(t.not(&t.eq(&c, &k(t, w, last)))),
                left: t.compare(op, &c, &x),
                right: t.not(&t.compare(op, &x, &next)),
            };
            let mut all = vec![law(C::ULt, u128::MAX), law(C::SLt, greatest)];
            for &j in &counts(w) {
                let high = t.eq(&t.extract(&x, j, w - j), &k(t, w - j, 0));
                all.push(equal(t.compare(C::ULt, &x, &k(t, w, 1 << j)), high));
            }
            let (zero, ones) = (k(t, w, 0), k(t, w, u128::MAX));
            all.extend([
                equal(t.compare(C::SLt, &x, &zero), t.extract(&x, w - 1, 1)),
                equal(t.compare(C::ULt, &ones, &x), t.no()),
                equal(t.compare(C::ULt, &x, &zero), t.no()),
                equal(t.compare(C::ULt, &x, &ones), t.not(&t.eq(&x, &ones))),
                equal(t.compare(C::ULt, &zero, &x), t.not(&t.eq(&x, &zero))),
                equal(t.compare(C::SLt, &k(t, w, greatest), &x), t.no()),
                equal(t.compare(C::SLt, &x, &k(t, w, greatest + 1)), t.no()),
                equal(t.compare(C::ULe, &x, &c), t.not(&t.compare(C::ULt, &c, &x))),
                equal(t.compare(C::SLe, &x, &c), t.not(&t.compare(C::SLt, &c, &x))),
            ]);
            all
        },
    },
    Row {
        name: "signed-quotient",
        says: "signed quotients and remainders by unsigned ones of magnitudes; `remainder`: x % y = x - (x / y)·y",
        widths: &[2, 3, 8],
        laws: |t, w| {
            let (x, y) = (v(t, "x", w), v(t, "y", w));
            let sign = |a: &TermId| t.extract(a, w - 1, 1);
            let magnitude = |a: &TermId| t.ite(&sign(a), &t.neg(a), a);
            let under = |c: &TermId, a: TermId| t.ite(c, &t.neg(&a), &a);
            let (mx, my) = (magnitude(&x), magnitude(&y));
            let by = |op| t.binary(op, &mx, &my);
            let product = t.mul(&t.binary(B::UDiv, &x, &y), &y);
            vec![
                equal(t.binary(B::SDiv, &x, &y), under(&t.xor(&sign(&x), &sign(&y)), by(B::UDiv))),
                equal(t.binary(B::SRem, &x, &y), under(&sign(&x), by(B::URem))),
                equal(t.binary(B::URem, &x, &y), t.sub(&x, &product)),
            ]
        },
    },
    Row {
        name: "quotient-narrow",
        says: "x / d has no more bits than the greatest x has by d; of a zero extension, the quotient before it",
        widths: &[3, 4, 8, 16],
        laws: |t, w| {
            let x = v(t, "x", w);
            let mut all = Vec::new();
            for c in [3u128, 5, 7] {
                let q = t.binary(B::UDiv, &x, &k(t, w, c));
                let bits = (128 - (((1u128 << w) - 1) / c).leading_zeros()).max(1);
                all.push(equal(q, t.zext(&t.extract(&q, 0, bits), w)));
                let wide = t.binary(B::UDiv, &t.zext(&x, 2 * w), &k(t, 2 * w, c));
                all.push(equal(wide, t.zext(&q, 2 * w)));
            }
            let beyond = t.binary(B::UDiv, &t.zext(&x, 2 * w), &k(t, 2 * w, 1 << w));
            all.push(equal(beyond, k(t, 2 * w, 0)));
            all
        },
    },
    Row {
        name: "magic-product",
        says: "(k·x) >> l = x / d for n bits of x, if k·d - 2^l is not negative and times 2^n - 1 less than 2^l",
        widths: &[3, 4, 6, 8],
        laws: |t, w| {
            let x = v(t, "x", w);
            let mut all = Vec::new();
            for d in (3..1u128 << w).filter(|d| !d.is_power_of_two() && (w <= 4 || *d < 16)) {
                for low in w..2 * w {
                    let k0 = (1u128 << low).div_ceil(d);
                    if (k0 * d - (1 << low)) * ((1 << w) - 1) < 1 << low {
                        let product = t.mul(&t.zext(&x, 3 * w), &k(t, 3 * w, k0));
                        let quotient = t.binary(B::UDiv, &x, &k(t, w, d));
                        all.push(equal(t.extract(&product, low, w), quotient));
                    }
                }
            }
            all
        },
    },
    Row {
        name: "magic-sum",
        says: "(((x - h) >> 1) + h) >> l for h = (k·x) >> n is ((2^n + k)·x) >> (n + l + 1)",
        widths: &[3, 4, 6, 8],
        laws: |t, w| {
            let x = v(t, "x", w);
            let wide = t.zext(&x, 3 * w);
            let mut all = Vec::new();
            for c in [1u128, 3, (1 << w) - 3, (1 << w) - 1] {
                let h = t.extract(&t.mul(&wide, &k(t, 3 * w, c)), w, w);
                let half = t.zext(&t.extract(&t.sub(&x, &h), 1, w - 1), w);
                let sum = t.add(&half, &h);
                let product = t.mul(&wide, &k(t, 3 * w, (1 << w) + c));
                for l in 0..w - 1 {
                    let left = t.zext(&t.extract(&sum, l, w - l), w);
                    all.push(equal(left, t.extract(&product, w + l + 1, w)));
                }
            }
            all
        },
    },
    Row {
        name: "equal-apart",
        says: "a number with a bit that is set is not zero; of a selection of two known answers, that of the condition",
        widths: WIDE,
        laws: |t, w| {
            let (x, p, zero) = (v(t, "x", w), v(t, "p", 1), k(t, w, 0));
            let mut all = Vec::new();
            for &c in &counts(w) {
                let set = t.or(&x, &k(t, w, 1 << c));
                all.push(equal(t.eq(&set, &zero), t.no()));
                all.push(equal(t.eq(&t.ite(&p, &set, &zero), &zero), t.not(&p)));
            }
            all
        },
    },
    Row {
        name: "below-most",
        says: "a number of fewer bits is below what it never reaches",
        widths: &[3, 8, 16, 32],
        laws: |t, w| {
            let x = t.zext(&v(t, "x", w), w + 1);
            vec![equal(t.compare(C::ULt, &x, &k(t, w + 1, (1 << w) + 1)), t.yes())]
        },
    },
    Row {
        name: "slices-part",
        says: "x[l..h] - x[l..m] = 2^(m-l)·x[m..h]",
        widths: WORDS,
        laws: |t, w| {
            let x = v(t, "x", w);
            let part = |low, n| t.zext(&t.extract(&x, low, n), w);
            let one = |&m: &u32| equal(t.sub(&x, &part(0, m)), t.mul(&part(m, w - m), &k(t, w, 1 << m)));
            counts(w).iter().map(one).collect()
        },
    },
    Row {
        name: "select-magnitude",
        says: "2^n - x where the sign of x is set, else x, is the magnitude of x extended by zeros",
        widths: WORDS,
        laws: |t, w| {
            let x = v(t, "x", w);
            let (wide, sign) = (t.zext(&x, 2 * w), t.extract(&x, w - 1, 1));
            let less = t.sub(&k(t, 2 * w, 1 << w), &wide);
            let magnitude = t.ite(&sign, &t.neg(&x), &x);
            vec![equal(t.ite(&sign, &less, &wide), t.zext(&magnitude, 2 * w))]
        },
    },
    Row {
        name: "shift-part",
        says: "the lower half of a word shifted up, the upper half of one shifted down, by a count that fits in a half: the half shifted",
        widths: &[3, 8, 16, 32],
        laws: |t, w| {
            let (x, s) = (v(t, "x", 2 * w), v(t, "s", w));
            let by = |op| t.binary(op, &x, &t.zext(&s, 2 * w));
            let half = |a: &TermId, low| t.extract(a, low, w);
            vec![
                equal(half(&by(B::Shl), 0), t.binary(B::Shl, &half(&x, 0), &s)),
                equal(half(&by(B::LShr), w), t.binary(B::LShr, &half(&x, w), &s)),
                equal(half(&by(B::AShr), w), t.binary(B::AShr, &half(&x, w), &s)),
            ]
        },
    },
    Row {
        name: "negated-upper",
        says: "-h - [l ≠ 0] = the upper bits of -(h:l), the condition as the carry of l and the greatest number",
        widths: &[2, 3, 8, 16, 32],
        laws: |t, w| {
            let (h, l) = (v(t, "h", w), v(t, "l", w));
            let sum = t.add(&t.zext(&l, w + 1), &k(t, w + 1, (1 << w) - 1));
            let left = t.sub(&t.neg(&h), &t.zext(&t.extract(&sum, w, 1), w));
            vec![equal(left, t.extract(&t.neg(&t.concat(&h, &l)), w, w))]
        },
    },
    Row {
        name: "shift-count",
        says: "a count that is the least of a number and one that shifts everything out is that number",
        widths: &[3, 8, 16, 32],
        laws: |t, w| {
            let (x, s) = (v(t, "x", w), v(t, "s", w));
            let one = |(op, most): (B, u32)| {
                let (least, next) = (k(t, w, most.into()), k(t, w, u128::from(most) + 1));
                let below = t.ite(&t.compare(C::ULt, &s, &next), &s, &least);
                let above = t.ite(&t.compare(C::ULt, &least, &s), &least, &s);
                [below, above].map(|count| equal(t.binary(op, &x, &count), t.binary(op, &x, &s)))
            };
            [(B::Shl, w), (B::LShr, w), (B::AShr, w - 1), (B::AShr, w)].into_iter().flat_map(one).collect()
        },
    },
    Row {
        name: "compare-bit",
        says: "of single bits: as functions of them",
        widths: &[1],
        laws: |t, w| {
            let (a, b) = (v(t, "a", w), v(t, "b", w));
            vec![
                equal(t.eq(&a, &b), t.not(&t.xor(&a, &b))),
                equal(t.compare(C::ULt, &a, &b), t.and(&t.not(&a), &b)),
                equal(t.compare(C::SLt, &a, &b), t.and(&a, &t.not(&b))),
            ]
        },
    },
];
