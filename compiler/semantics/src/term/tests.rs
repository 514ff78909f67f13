//! Random expressions, built in both homes: the simplified term, the raw term and the concrete value agree.

use super::*;
use crate::Chooser;
use crate::vocabulary::Rounding;
use proptest::prelude::*;

/// A small stack program: each step makes a value from earlier ones. Run over any domain, it builds the same expression.
fn run<D: Domain>(d: &D, leaves: &[D::V], program: &[(u8, u8, u8, u8)]) -> Vec<D::V> {
    const UNARY: [UnaryOp; 5] =
        [UnaryOp::Not, UnaryOp::Neg, UnaryOp::Popcount, UnaryOp::LeadingZeros, UnaryOp::Reverse];
    const BINARY: [BinaryOp; 13] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::UDiv,
        BinaryOp::URem,
        BinaryOp::SDiv,
        BinaryOp::SRem,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Shl,
        BinaryOp::LShr,
        BinaryOp::AShr,
    ];
    const COMPARE: [CompareOp; 5] =
        [CompareOp::Eq, CompareOp::ULt, CompareOp::ULe, CompareOp::SLt, CompareOp::SLe];
    const FLOAT: [FloatOp; 6] =
        [FloatOp::Add, FloatOp::Mul, FloatOp::Min, FloatOp::Max, FloatOp::MinNan, FloatOp::Fma];
    let mut values = leaves.to_vec();
    for &(op, x, y, z) in program {
        let pick = |i: u8| values[values.len() - 1 - i as usize % values.len().min(8)].clone();
        let to32 = |v: D::V| if d.width(&v) > 32 { d.extract(&v, 0, 32) } else { d.zext(&v, 32) };
        let (a, b) = (pick(x), pick(y));
        let w = d.width(&a);
        let same = |v: &D::V| {
            let v = v.clone();
            if d.width(&v) >= w { d.extract(&v, 0, w) } else { d.sext(&v, w) }
        };
        let value = match op % 12 {
            0 => d.unary(UNARY[z as usize % UNARY.len()], &a),
            1 | 2 => d.binary(BINARY[z as usize % BINARY.len()], &a, &same(&b)),
            3 => d.compare(COMPARE[z as usize % COMPARE.len()], &a, &same(&b)),
            4 => {
                let low = u32::from(y) % w;
                d.extract(&a, low, 1 + u32::from(z) % (w - low))
            }
            5 if w + d.width(&b) <= 128 => d.concat(&a, &b),
            6 => d.zext(&a, w + u32::from(z) % (129 - w)),
            7 => d.sext(&a, w + u32::from(z) % (129 - w)),
            8 => d.ite(&d.compare(CompareOp::ULt, &a, &same(&b)), &a, &same(&pick(z))),
            9 => {
                let mode = FloatMode { rounding: Rounding::Up, ftz: z & 8 != 0, sat: z & 16 != 0 };
                let op = FLOAT[z as usize % FLOAT.len()];
                let args = [to32(a), to32(b), to32(pick(z))];
                let refs: Vec<&D::V> = args.iter().take(if op == FloatOp::Fma { 3 } else { 2 }).collect();
                d.float(op, FloatFormat::F32, mode, &refs)
            }
            10 => d.float_to_int(FloatFormat::F32, z & 1 != 0, 32, FloatMode::default(), 7, &to32(a)),
            11 => d.int_to_float(z & 1 != 0, FloatFormat::F32, FloatMode::default(), &a),
            _ => d.constant(w, u128::from(z) / 64),
        };
        values.push(value);
    }
    values
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]
    #[test]
    fn homes_agree(
        program in prop::collection::vec(any::<(u8, u8, u8, u8)>(), 1..40),
        leaves in prop::collection::vec((prop::sample::select(vec![1u32, 8, 16, 32, 33, 64]), any::<u128>(), any::<bool>()), 1..4),
    ) {
        let d = Concrete::default();
        let bits: Vec<Bits> = leaves.iter().map(|l| d.constant(l.0, l.1)).collect();
        let expected = run(&d, &bits, &program);
        for terms in [Terms::new(), Terms::raw()] {
            let vars: Vec<TermId> = leaves.iter().enumerate().map(|(i, l)| {
                if l.2 { terms.constant(l.0, l.1) } else { terms.variable(&format!("x{i}"), l.0) }
            }).collect();
            let got = run(&terms, &vars, &program);
            let order = terms.topological(&got);
            let values = terms.evaluate_all(&d, &order, |id| {
                vars.iter().position(|v| *v == id).map_or(0, |i| leaves[i].1)
            });
            for (t, e) in got.iter().zip(&expected) {
                prop_assert_eq!(values[t], *e, "{}", terms.listing(*t));
            }
        }
    }
}

quickcheck::quickcheck! {
    fn ring_laws(a: u64, b: u64, c: u64) -> bool {
        let d = Concrete::default();
        let [a, b, c] = [a, b, c].map(|x| d.constant(64, u128::from(x)));
        d.add(&a, &b) == d.add(&b, &a)
            && d.mul(&a, &d.add(&b, &c)) == d.add(&d.mul(&a, &b), &d.mul(&a, &c))
            && d.sub(&a, &b) == d.add(&a, &d.neg(&b))
            && d.not(&d.and(&a, &b)) == d.or(&d.not(&a), &d.not(&b))
    }
    fn division_law(a: i32, b: i32) -> bool {
        let d = Concrete::default();
        let [a, b] = [a, b].map(|x| d.constant(32, x as u32 as u128));
        let law = |q, r| d.add(&d.mul(&d.binary(q, &a, &b), &b), &d.binary(r, &a, &b)) == a;
        law(BinaryOp::UDiv, BinaryOp::URem) && law(BinaryOp::SDiv, BinaryOp::SRem)
    }
    fn parts_rejoin(a: u64, low: u8) -> bool {
        let (d, low) = (Concrete::default(), 1 + u32::from(low) % 63);
        let a = d.constant(64, u128::from(a));
        d.concat(&d.extract(&a, low, 64 - low), &d.extract(&a, 0, low)) == a
    }
}

#[test]
fn simplification_is_seen() {
    let t = Terms::new();
    let (x, y) = (t.variable("x", 64), t.variable("y", 64));
    let c = |v| t.constant(64, v);
    assert_eq!(t.add(&x, &y), t.add(&y, &x));
    assert_eq!(t.sub(&t.add(&x, &c(5)), &c(5)), x);
    let halves = t.concat(&t.extract(&x, 32, 32), &t.extract(&x, 0, 32));
    assert_eq!(halves, x);
    assert_ne!(t.undef(8, "a"), t.undef(8, "a"));
    let f = t.float(FloatOp::Add, FloatFormat::F64, FloatMode::default(), &[&c(1), &x]);
    assert_eq!(t.listing(f).to_string(), "Add[F64 NearestEven](x:64, 0x1:64)");
}

#[test]
fn approximations_are_not_folded() {
    let t = Terms::new();
    let r = t.approximate(Approximation::Rcp, true, &t.constant(32, 0x4040_0000));
    assert_eq!(t.as_constant(&r), None);
    let low = t.evaluate(&Concrete::new(Chooser::Lowest), r, |_| 0);
    let high = t.evaluate(&Concrete::new(Chooser::Highest), r, |_| 0);
    assert!(low < high);
}

#[test]
fn rules_have_names_and_docs() {
    let mut names: Vec<_> = RULES.iter().map(|r| r.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), RULES.len());
    assert!(RULES.iter().all(|r| !r.doc.is_empty()));
}

#[test]
fn what_is_done_again_has_the_same_undefined_values() {
    let terms = Terms::new();
    let two = || [terms.undef(8, "a"), terms.undef(8, "b")];
    let _other = terms.undef(8, "a");
    let first = two();
    let between = terms.undef(8, "a");
    assert_eq!(terms.again(1..3, two), first);
    // What is made beyond them is new, and so is what is made later.
    let more = terms.again(1..3, || (0..3).map(|_| terms.undef(8, "a")).collect::<Vec<_>>());
    let next = terms.undef(8, "a");
    assert!(![between, first[0], first[1], next].contains(&more[2]));
    assert!(![between, first[0], first[1], more[1], more[2]].contains(&next));
}
