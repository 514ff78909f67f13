//! Whole numbers against the concrete home: what is so can be so, and what parts with carries come to is seen.

use super::numbers::script;
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp as B, Bits, Concrete, Domain, TermId, Terms};
use sassafras_solve::solver::{Answer, Solver, Z3};
use sassafras_solvers::random::{Draw, constant, term};
use sassafras_symbolic::inputs::Inputs;

/// Effort for a question, in thousands of z3's `rlimit`.
const EFFORT: u64 = 20_000;

fn z3() -> Option<Z3> {
    Z3::find(&[std::path::Path::new(env!("CARGO_MANIFEST_DIR"))], 20, 60)
}

/// Whether two terms are shown to be equal.
fn equal(d: &Terms, z3: &mut Z3, a: TermId, b: TermId) -> bool {
    let inputs = Inputs::raw(d);
    z3.check_numbers(&script(&inputs, &[d.not(&d.eq(&a, &b))]), EFFORT) == Answer::Unsat
}

/// Asks whether a term has the value that it has, and whether it has another.
fn hold(d: &Terms, root: TermId, r: &mut Draw, z3: &mut Z3) -> (Answer, Answer) {
    let inputs = Inputs::raw(d);
    let order = d.topological(&[root]);
    let free: Vec<TermId> = order.iter().copied().filter(|t| d.node(*t).is_free()).collect();
    let values: Vec<u128> = free
        .iter()
        .map(|t| Bits::new(d.width_of(*t), constant(r, d.width_of(*t)) ^ u128::from(r.next())).bits())
        .collect();
    let of = |t: TermId| values[free.iter().position(|f| *f == t).expect("it is free")];
    let value = d.evaluate_all(&Concrete::default(), &order, of)[&root].bits();
    let is = |t: TermId, c: u128| d.eq(&t, &d.constant(d.width_of(t), c));
    let mut all: Vec<TermId> = free.iter().zip(&values).map(|(t, c)| is(*t, *c)).collect();
    all.push(is(root, value));
    let own = z3.check_numbers(&script(&inputs, &all), EFFORT);
    let last = all.pop().expect("it was put there");
    all.push(d.not(&last));
    let other = z3.check_numbers(&script(&inputs, &all), EFFORT);
    assert_ne!(own, Answer::Unsat, "{:?} is {value:#x}\n{}", values, d.listing(root));
    (own, other)
}

#[test]
fn what_is_so_can_be_so() {
    let Some(mut z3) = z3() else {
        eprintln!("skipped: no z3");
        return;
    };
    let mut r = Draw(11);
    let (mut seen, mut shown) = (0, 0);
    let mut count = |(own, other): (Answer, Answer)| {
        seen += u32::from(matches!(own, Answer::Sat(_)));
        shown += u32::from(other == Answer::Unsat);
    };
    for i in 0..240 {
        let d = Terms::raw();
        let width = [1, 8, 31, 32, 33, 64, 64, 96, 128][i % 9];
        let root = term(&d, &mut r, width, 3);
        count(hold(&d, root, &mut r, &mut z3));
    }
    // Products with and without signs, of all kinds of factors.
    for i in 0..60 {
        let d = Terms::raw();
        let own = [1, 16, 31, 32, 48, 64][i % 6];
        let width = if own > 48 { 128 } else { 64 + 32 * (i as u32 % 3) };
        let factor = |r: &mut Draw| {
            let x = term(&d, r, own, 1);
            if r.below(2) == 0 { d.sext(&x, width) } else { d.zext(&x, width) }
        };
        let (a, b) = (factor(&mut r), factor(&mut r));
        let product = d.mul(&a, &b);
        let root = d.extract(&product, width / 2, width / 2);
        count(hold(&d, root, &mut r, &mut z3));
    }
    // Divisions by what is not known, and words under masks of a sign or of a choice.
    for i in 0..96 {
        let d = Terms::raw();
        let width = [8, 16, 32, 64][i % 4];
        let (a, b) = (term(&d, &mut r, width, 1), term(&d, &mut r, width, 1));
        let c = |bits: u128| d.constant(width, bits);
        let root = match i / 4 % 6 {
            0 => d.binary(B::UDiv, &a, &b),
            1 => d.binary(B::URem, &a, &b),
            2 => d.binary(B::SDiv, &a, &b),
            3 => d.binary(B::SRem, &a, &b),
            4 => d.and(&d.binary(B::AShr, &a, &c(u128::from(width) - r.below(3) as u128)), &b),
            _ => {
                let bit = d.extract(&a, r.below(width.into()) as u32, 1);
                let (zero, ones) = (c(0), c(u128::MAX));
                let mask =
                    if r.below(2) == 0 { d.ite(&bit, &ones, &zero) } else { d.ite(&bit, &zero, &ones) };
                d.and(&d.concat(&d.extract(&mask, 1, width - 1), &d.extract(&mask, 0, 1)), &b)
            }
        };
        count(hold(&d, root, &mut r, &mut z3));
    }
    assert!(seen > 360 && shown > 180, "{seen} {shown}");
}

/// The upper half of a product of 64 bits by products of 32, with carries.
fn upper_half(d: &Terms, x: TermId, y: TermId, carries: bool) -> TermId {
    let half = |t: TermId, low: u32| d.zext(&d.extract(&t, low, 32), 64);
    let product = |a: TermId, b: TermId| d.mul(&a, &b);
    let (x0, x1, y0, y1) = (half(x, 0), half(x, 32), half(y, 0), half(y, 32));
    let wide = |t: TermId| d.zext(&t, 65);
    let middle = d.add(&wide(product(x1, y0)), &wide(product(x0, y1)));
    let below = d.zext(&d.extract(&product(x0, y0), 32, 32), 33);
    let carry = d.add(&d.zext(&d.extract(&middle, 0, 32), 33), &below);
    let carry = d.zext(&d.extract(&carry, 32, 1), 64);
    let above = d.zext(&d.extract(&middle, 32, 33), 64);
    let sum = d.add(&product(x1, y1), &above);
    if carries { d.add(&sum, &carry) } else { sum }
}

#[test]
fn parts_with_carries_are_the_whole() {
    let Some(mut z3) = z3() else {
        eprintln!("skipped: no z3");
        return;
    };
    let d = &Terms::raw();
    let (x, y) = (d.variable("x", 64), d.variable("y", 64));
    let whole = |a: TermId, b: TermId| d.extract(&d.mul(&a, &b), 64, 64);
    let (ux, uy, sx, sy) = (d.zext(&x, 128), d.zext(&y, 128), d.sext(&x, 128), d.sext(&y, 128));
    assert!(equal(d, &mut z3, whole(ux, uy), upper_half(d, x, y, true)));
    assert!(equal(d, &mut z3, whole(uy, ux), upper_half(d, x, y, true)));
    assert!(!equal(d, &mut z3, whole(ux, uy), upper_half(d, x, y, false)));
    // With signs: less the other factor where one is negative.
    let less = |all: TermId, sign: TermId, other: TermId| {
        let negative = d.extract(&sign, 63, 1);
        d.ite(&negative, &d.sub(&all, &other), &all)
    };
    let signed = less(less(upper_half(d, x, y, true), x, y), y, x);
    assert!(equal(d, &mut z3, whole(sx, sy), signed));
    assert!(!equal(d, &mut z3, whole(sx, sy), less(upper_half(d, x, y, true), x, y)));
    // The same where the sign is spread over a mask, which may be in two words.
    let masked = |all: TermId, sign: TermId, other: TermId| {
        let mask = d.binary(B::AShr, &sign, &d.constant(64, 63));
        let words = d.concat(&d.extract(&mask, 32, 32), &d.extract(&mask, 0, 32));
        d.sub(&all, &d.and(&words, &other))
    };
    let signed = masked(masked(upper_half(d, x, y, true), x, y), y, x);
    assert!(equal(d, &mut z3, whole(sx, sy), signed));
    assert!(!equal(d, &mut z3, whole(sx, sy), masked(masked(upper_half(d, x, y, true), x, y), x, y)));
    assert!(!equal(d, &mut z3, whole(sx, uy), whole(ux, uy)));
    // Quotients and remainders by constants, shifts and masks.
    let c = |bits: u128| d.constant(64, bits);
    let binary = |op: B, a: TermId, b: TermId| d.binary(op, &a, &b);
    let rest = d.sub(&x, &d.mul(&binary(B::UDiv, x, c(10)), &c(10)));
    assert!(equal(d, &mut z3, binary(B::URem, x, c(10)), rest));
    assert!(!equal(d, &mut z3, binary(B::URem, x, c(11)), rest));
    // Divisors that are not known: the same in longer words, with signs by magnitudes.
    let long = |t: TermId| d.zext(&t, 96);
    let low = |t: TermId| d.extract(&t, 0, 64);
    let by = d.or(&y, &c(2));
    assert!(equal(d, &mut z3, low(binary(B::UDiv, long(x), long(by))), binary(B::UDiv, x, by)));
    assert!(equal(d, &mut z3, low(binary(B::URem, long(x), long(y))), binary(B::URem, x, y)));
    assert!(!equal(d, &mut z3, low(binary(B::UDiv, long(x), long(y))), binary(B::UDiv, y, x)));
    let negative = |t: TermId| d.binary(B::Sub, &c(0), &t);
    let magnitude = |t: TermId| d.ite(&d.extract(&t, 63, 1), &negative(t), &t);
    let tens = binary(B::UDiv, magnitude(x), c(10));
    let signed = d.ite(&d.extract(&x, 63, 1), &negative(tens), &tens);
    assert!(equal(d, &mut z3, binary(B::SDiv, x, c(10)), signed));
    assert!(!equal(d, &mut z3, binary(B::SDiv, x, c(11)), signed));
    assert!(equal(d, &mut z3, binary(B::SDiv, x, negative(c(10))), negative(signed)));
    let rest = d.sub(&x, &d.mul(&signed, &c(10)));
    assert!(equal(d, &mut z3, binary(B::SRem, x, c(10)), rest));
    assert!(!equal(d, &mut z3, binary(B::SRem, x, c(10)), binary(B::URem, x, c(10))));
    let shifted = binary(B::Shl, binary(B::LShr, x, c(32)), c(32));
    let words = d.or(&shifted, &d.and(&x, &c(0xffff_ffff)));
    assert!(equal(d, &mut z3, words, x));
    let signs = d.sext(&d.extract(&x, 32, 32), 64);
    assert!(equal(d, &mut z3, binary(B::AShr, x, c(32)), signs));
    assert!(!equal(d, &mut z3, binary(B::LShr, x, c(32)), signs));
    let sum = d.sub(&d.add(&d.xor(&x, &y), &d.and(&x, &y)), &d.or(&x, &y));
    assert!(equal(d, &mut z3, sum, c(0)));
}

#[test]
fn deep_and_wide_terms_end() {
    let d = &Terms::raw();
    let mut t = d.variable("x", 128);
    for i in 0..50_000 {
        let inner = d.make(Node::Extract { low: i & 1, a: t }, 127);
        t = d.make(Node::Concat(d.constant(1, 0), inner), 128);
    }
    let root = d.eq(&d.mul(&t, &t), &d.constant(128, 1));
    let inputs = Inputs::raw(d);
    assert!(!script(&inputs, &[root]).text.is_empty());
}
