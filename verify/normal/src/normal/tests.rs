//! Random terms: a term and its normal form have the same value, and normal forms are their own.

use super::Normal;
use sassafras_semantics::*;
use sassafras_solvers::random::{Draw, constant, term};

#[test]
fn normal_forms_keep_their_value() {
    let folder = Concrete::default();
    for seed in 0..6000 {
        let mut r = Draw(seed);
        let d = Terms::raw();
        let normal = Normal::new(&d);
        let width = [1, 8, 32, 32, 64, 64][r.below(6) as usize];
        let depth = 2 + r.below(4) as u32;
        let t = term(&d, &mut r, width, depth);
        let n = normal.of(t);
        assert_eq!(d.width_of(n), width);
        assert_eq!(normal.of(n), n);
        for _ in 0..12 {
            let salt = r.next();
            let value = |v: TermId| {
                let mut r = Draw(salt ^ u64::from(v.0) << 32);
                constant(&mut r, 64)
            };
            let (a, b) = (d.evaluate(&folder, t, value), d.evaluate(&folder, n, value));
            assert_eq!(a, b, "seed {seed}\n{}\n=> {}", d.listing(t), d.listing(n));
        }
    }
}

/// A function of two numbers and constants, and the same by what it is where each of them is all ones or zero: one form, but where a
/// mask with few runs has been cut up.
#[test]
fn functions_of_constants_have_one_form() {
    let folder = Concrete::default();
    let (mut one, mut apart) = (0, 0);
    for seed in 0..2000 {
        let mut r = Draw(seed);
        let d = Terms::raw();
        let normal = Normal::new(&d);
        let (x, y) = (d.variable("x", 32), d.variable("y", 32));
        let mut made = vec![x, y, d.constant(32, r.next().into()), d.constant(32, r.next().into())];
        for _ in 0..6 {
            let [a, b] = [0; 2].map(|_| made[r.below(made.len() as u64) as usize]);
            made.push(match r.below(4) {
                0 => d.and(&a, &b),
                1 => d.or(&a, &b),
                2 => d.xor(&a, &b),
                _ => d.not(&a),
            });
        }
        let t = made[made.len() - 1];
        let at = |a: u128, b: u128| d.evaluate(&folder, t, |v| if v == x { a } else { b }).bits();
        let all = u128::from(u32::MAX);
        let sum = |lie: u128| {
            let part = |a: u128, b: u128| {
                let side = |v: &TermId, bits: u128| if bits == 0 { d.not(v) } else { *v };
                let bits = at(a, b) ^ if a == 0 && b == 0 { lie } else { 0 };
                d.and(&d.and(&side(&x, a), &side(&y, b)), &d.constant(32, bits))
            };
            d.or(&d.or(&part(0, 0), &part(0, all)), &d.or(&part(all, 0), &part(all, all)))
        };
        let n = normal.of(t);
        one += usize::from(n == normal.of(sum(0)));
        // Another in one bit is another.
        apart += usize::from(n != normal.of(sum(1 << r.below(32))));
    }
    assert!(one > 1800, "{one}");
    assert_eq!(apart, 2000);
}

/// What is read where a condition holds is what it is there.
#[test]
fn conditions_where_others_hold() {
    let folder = Concrete::default();
    let (mut smaller, mut met) = (0, 0);
    for seed in 0..6000 {
        let mut r = Draw(seed);
        let d = Terms::raw();
        let normal = Normal::new(&d);
        let x: Vec<TermId> = (0..5).map(|i| d.variable(&format!("x{i}"), 1)).collect();
        let mut made = x.clone();
        for _ in 0..12 {
            let [a, b, c] = [0; 3].map(|_| made[r.below(made.len() as u64) as usize]);
            made.push(if r.below(3) == 0 { d.not(&d.and(&a, &b)) } else { d.ite(&a, &b, &c) });
        }
        let [t, c] = [made[made.len() - 1], made[made.len() - 2]].map(|t| normal.of(t));
        let given = normal.given(t, c);
        smaller += usize::from(given != t);
        for bits in 0..32u128 {
            let value = |v: TermId| bits >> x.iter().position(|y| *y == v).expect("a variable") & 1;
            if d.evaluate(&folder, c, value).is_true() {
                met += 1;
                assert_eq!(d.evaluate(&folder, given, value), d.evaluate(&folder, t, value), "seed {seed}");
            }
        }
    }
    assert!(smaller > 500 && met > 10_000, "{smaller} {met}");
}

/// What no way through the choices of a term leads to is left out, and nothing else: for every input it stays what it was.
#[test]
fn what_no_way_leads_to_is_left_out() {
    let folder = Concrete::default();
    let mut smaller = 0;
    for seed in 0..3000 {
        let mut r = Draw(seed);
        let d = Terms::raw();
        let normal = Normal::new(&d);
        let x: Vec<TermId> = (0..5).map(|i| d.variable(&format!("x{i}"), 1)).collect();
        let y: Vec<TermId> = (0..3).map(|i| d.variable(&format!("y{i}"), 8)).collect();
        let (mut bits, mut words) = (x.clone(), y.clone());
        for _ in 0..14 {
            let [a, b, c] = [0; 3].map(|_| bits[r.below(bits.len() as u64) as usize]);
            let [v, w] = [0; 2].map(|_| words[r.below(words.len() as u64) as usize]);
            match r.below(7) {
                0 => bits.push(d.and(&a, &b)),
                1 => bits.push(d.ite(&a, &b, &c)),
                2 => bits.push(d.compare(CompareOp::ULt, &v, &w)),
                3 => words.push(d.add(&v, &w)),
                _ => words.push(d.ite(&a, &v, &w)),
            }
        }
        let t = normal.of(words[words.len() - 1]);
        let places = 1 + r.below(6) as usize;
        let chosen = normal.chosen(t, places, seed % 2 == 1).term;
        smaller += usize::from(chosen != t);
        for inputs in 0..64u64 {
            let number = |v: TermId| u128::from(y.iter().position(|u| *u == v).expect("a variable") as u64);
            let value = |v: TermId| match x.iter().position(|u| *u == v) {
                Some(i) => u128::from(inputs >> i & 1),
                None => u128::from(Draw(seed ^ inputs << 32).next()) >> (8 * number(v)) & 0xff,
            };
            let [before, after] = [t, chosen].map(|t| d.evaluate(&folder, t, value));
            assert_eq!(before, after, "seed {seed}, {inputs}: {} {}", d.listing(t), d.listing(chosen));
        }
    }
    assert!(smaller > 300, "{smaller}");
}

/// Code that differs in what a register held before, where that is written on every way there, is the same without it.
#[test]
fn what_registers_held_before_is_left_out() {
    let d = Terms::raw();
    let normal = Normal::new(&d);
    let [p, q] = ["p", "q"].map(|v| d.variable(v, 1));
    let [x, y] = ["x", "y"].map(|v| d.variable(v, 32));
    let shift = |held: &TermId| {
        let amount = d.ite(&q, &x, held);
        let code = d.binary(BinaryOp::LShr, &y, &amount);
        d.ite(&d.and(&p, &q), &code, &d.constant(32, 7))
    };
    let all = [d.variable("r1", 32), d.variable("r2", 32)].map(|held| normal.of(shift(&held)));
    assert_ne!(all[0], all[1]);
    let less = all.map(|t| normal.of(normal.chosen(t, 1, false).term));
    assert_eq!(less[0], less[1], "{} {}", d.listing(less[0]), d.listing(less[1]));
    // Where it is not written on every way it stays.
    let open = d.ite(&d.or(&p, &q), &d.ite(&q, &x, &d.variable("r1", 32)), &y);
    let open = normal.of(open);
    assert_eq!(normal.chosen(open, 9, false).term, open);
}

/// A 64-bit sum by halves, as SASS does it: 34-bit sums whose bit 32 is the carry.
fn by_halves(d: &Terms, a: TermId, b: TermId, negate: bool) -> TermId {
    let half = |t: &TermId, low| d.extract(t, low, 32);
    let z = |t: &TermId| d.zext(t, 34);
    let mut low = z(&half(&b, 0));
    if negate {
        low = d.add(&z(&d.not(&half(&b, 0))), &d.constant(34, 1));
    }
    let low = d.add(&z(&half(&a, 0)), &low);
    let carry = d.or(&d.extract(&low, 33, 1), &d.extract(&low, 32, 1));
    let bh = half(&b, 32);
    let high = d.add(&z(&half(&a, 32)), &z(&if negate { d.not(&bh) } else { bh }));
    let high = d.add(&high, &z(&carry));
    d.concat(&d.extract(&high, 0, 32), &d.extract(&low, 0, 32))
}

#[test]
fn halves_meet_the_whole() {
    let d = Terms::new();
    let n = Normal::new(&d);
    let same = |a: TermId, b: TermId| {
        let (x, y) = (n.of(a), n.of(b));
        assert_eq!(x, y, "\n{}\n{}", d.listing(x), d.listing(y));
    };
    let (x, y) = (d.variable("x", 64), d.variable("y", 64));
    let words = ["c", "n", "t"].map(|v| d.variable(v, 32));
    let i = d.add(&d.mul(&words[0], &words[1]), &words[2]);
    same(by_halves(&d, x, y, false), d.add(&x, &y));
    same(by_halves(&d, x, y, true), d.sub(&x, &y));
    // An index that is itself a sum, scaled.
    for (scale, signed) in [(1, false), (4, false), (16, false), (4, true), (12, true)] {
        let wide = |t: &TermId| if signed { d.sext(t, 64) } else { d.zext(t, 64) };
        let at = d.mul(&wide(&i), &d.constant(64, scale));
        let sum = d.zext(&at, 66);
        let pair = d.concat(&d.extract(&sum, 32, 32), &d.extract(&sum, 0, 32));
        same(by_halves(&d, x, pair, false), d.add(&x, &at));
        same(d.extract(&d.add(&sum, &d.zext(&x, 66)), 0, 64), d.add(&x, &at));
    }
    // A product by parts.
    let half = |t: &TermId, low| d.extract(t, low, 32);
    let wide = d.mul(&d.zext(&half(&x, 0), 64), &d.zext(&half(&y, 0), 64));
    let cross = d.add(&d.mul(&half(&x, 0), &half(&y, 32)), &d.mul(&half(&x, 32), &half(&y, 0)));
    let high = d.add(&half(&wide, 32), &cross);
    same(d.concat(&high, &half(&wide, 0)), d.mul(&x, &y));
    // LEA.HI.X.SX32: the upper word of a shifted signed index.
    let w = words[0];
    let both = d.concat(&half(&d.sext(&w, 64), 32), &w);
    let high = half(&d.binary(BinaryOp::Shl, &both, &d.constant(64, 2)), 32);
    let low = d.binary(BinaryOp::Shl, &w, &d.constant(32, 2));
    let z = |t: &TermId| d.zext(t, 34);
    let sum = d.add(&z(&low), &z(&half(&x, 0)));
    let carry = d.extract(&sum, 32, 1);
    let top = d.add(&d.add(&high, &half(&x, 32)), &d.zext(&carry, 32));
    let whole = d.concat(&top, &d.extract(&sum, 0, 32));
    same(whole, d.add(&x, &d.mul(&d.sext(&w, 64), &d.constant(64, 4))));
}
