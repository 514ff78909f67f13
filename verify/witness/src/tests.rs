//! The laws against the concrete home, and what a solver shows by them and must not.

use super::laws::{INTEGER, general, law};
use super::script::{How, script};
use sassafras_semantics::term::Node;
use sassafras_semantics::{
    Approximation, BinaryOp as B, Bits, Concrete, Domain, FloatFormat, FloatMode, FloatOp, FloatRelation,
    Rounding, TermId, Terms,
};
use sassafras_solve::solver::{Answer, Solver, Z3};
use sassafras_symbolic::inputs::Inputs;
use smallvec::smallvec;

const FORMATS: [FloatFormat; 4] = [FloatFormat::F16, FloatFormat::Bf16, FloatFormat::F32, FloatFormat::F64];
const ROUNDINGS: [Rounding; 4] = [Rounding::NearestEven, Rounding::Zero, Rounding::Down, Rounding::Up];

/// Numbers of a format that are special, and some that are not.
fn numbers(format: FloatFormat) -> Vec<u128> {
    let (exponent, significand) = (format.exponent_bits(), format.fraction_bits());
    let one = (1u128 << (exponent - 1)) - 1;
    let mut all = Vec::new();
    for e in [0, 1, one - 1, one, one + 3, (1 << exponent) - 2, (1 << exponent) - 1] {
        for s in [0, 1, 6, 1 << (significand - 1), (1 << significand) - 1] {
            all.extend([0u128, 1].map(|sign| (sign << exponent | e) << significand | s));
        }
    }
    all
}

/// Holds the law of a node against the concrete home on all combinations of operands; how many there were.
fn hold(node: &Node, width: u32, widths: &[u32], values: &[Vec<u128>]) -> usize {
    let (d, home) = (Terms::raw(), Concrete::default());
    let (node, operands) = general(&d, node, widths);
    let Some(root) = law(&d, &node, width) else { return 0 };
    let order = d.topological(&[root]);
    let mut cases: Vec<Vec<u128>> = vec![Vec::new()];
    for list in values {
        cases = cases.iter().flat_map(|c| list.iter().map(|v| [&c[..], &[*v]].concat())).collect();
    }
    for case in &cases {
        let of = |t: TermId| case[operands.iter().position(|o| *o == t).expect("an operand")];
        let ours = d.evaluate_all(&home, &order, of)[&root];
        let bits: Vec<Bits> = case.iter().zip(widths).map(|(v, w)| Bits::new(*w, *v)).collect();
        assert_eq!(ours, Terms::apply(&home, &node, width, &bits), "{node:?} {case:x?}");
    }
    cases.len()
}

fn modes() -> Vec<FloatMode> {
    let flags = [(false, false), (false, true), (true, false), (true, true)];
    let one = |rounding| flags.map(|(ftz, sat)| FloatMode { rounding, ftz, sat });
    ROUNDINGS.into_iter().flat_map(one).collect()
}

#[test]
fn operations_are_those_of_the_concrete_home() {
    let x = TermId(0);
    let mut held = 0;
    for format in FORMATS {
        let (all, w) = (numbers(format), format.width());
        let few: Vec<u128> = all.iter().copied().step_by(3).collect();
        for mode in modes() {
            for op in
                [FloatOp::Add, FloatOp::Mul, FloatOp::Min, FloatOp::Max, FloatOp::MinNan, FloatOp::MaxNan]
            {
                let node = Node::Float { op, format, mode, args: smallvec![x, x] };
                held += hold(&node, w, &[w, w], &[all.clone(), all.clone()]);
            }
            let node = Node::Float { op: FloatOp::Fma, format, mode, args: smallvec![x, x, x] };
            held += hold(&node, w, &[w; 3], &[few.clone(), few.clone(), few.clone()]);
        }
        for ftz in [false, true] {
            for relation in
                [FloatRelation::Eq, FloatRelation::Lt, FloatRelation::Le, FloatRelation::Unordered]
            {
                let node = Node::FloatRelation { relation, format, ftz, args: [x, x] };
                held += hold(&node, 1, &[w, w], &[all.clone(), all.clone()]);
            }
        }
    }
    assert!(held > 500_000, "{held}");
}

#[test]
fn conversions_are_those_of_the_concrete_home() {
    let a = TermId(0);
    let mut held = 0;
    for from in FORMATS {
        let values = if from.width() == 16 { (0..=0xffff).collect() } else { numbers(from) };
        let few = vec![values];
        let shorter = vec![numbers(from)];
        for mode in modes() {
            for to in FORMATS {
                let whole = mode.rounding == Rounding::NearestEven;
                let values = if whole { &few } else { &shorter };
                let node = Node::FloatToFloat { from, to, mode, a };
                held += hold(&node, to.width(), &[from.width()], values);
            }
            for (signed, width, nan) in [(true, 32, 0), (false, 16, 0xffff), (true, 64, 1 << 63)] {
                let node = Node::FloatToInt { from, signed, mode, nan, a };
                held += hold(&node, width, &[from.width()], &shorter);
            }
        }
    }
    for to in FORMATS {
        for (mode, width) in modes().into_iter().flat_map(|m| [1, 8, 16, 32, 64].map(|w| (m, w))) {
            let top = 1u128 << (width - 1);
            let values: Vec<u128> = (0..20)
                .flat_map(|i| [i, top.wrapping_sub(i), top + i, i * 0x0123_4567_89ab_cdef])
                .map(|v| v & (u128::MAX >> (128 - width)))
                .collect();
            for signed in [false, true] {
                let node = Node::IntToFloat { signed, to, mode, a };
                held += hold(&node, to.width(), &[width], std::slice::from_ref(&values));
            }
        }
    }
    assert!(held > 100_000 && INTEGER > 64, "{held}");
    for function in
        [Approximation::Rcp, Approximation::Ex2, Approximation::Rcp64High, Approximation::Rsqrt64High]
    {
        let node = Node::Approximate { function, ftz: true, a };
        assert!(hold(&node, 32, &[32], &[numbers(FloatFormat::F32)]) > 0);
    }
}

fn z3() -> Option<Z3> {
    Z3::find(&[std::path::Path::new(env!("CARGO_MANIFEST_DIR"))], 20, 60)
}

/// Whether two terms are shown to be equal by all that is known of operations.
fn equal(inputs: &Inputs<'_>, z3: &mut Z3, (x, y): (TermId, TermId)) -> bool {
    let d = inputs.terms;
    let differ = d.not(&d.eq(&x, &y));
    let how = How { memory: false, signs: false, laws: true, halves: true };
    let answer = z3.check_bits(&script(inputs, &[], &[differ], &[], how), 20_000);
    assert!(!matches!(answer, Answer::Unknown(_)), "{answer:?}");
    answer == Answer::Unsat
}

#[test]
fn laws_show_what_is_so_and_nothing_else() {
    let Some(mut z3) = z3() else {
        eprintln!("skipped: no z3");
        return;
    };
    let d = Terms::raw();
    let inputs = Inputs::raw(&d);
    let near = FloatMode::default();
    let f32s = FloatFormat::F32;
    let [x, y, z] = ["x", "y", "z"].map(|n| d.variable(n, 32));
    let w = d.variable("w", 64);
    let k = |bits: u128| d.constant(32, bits);
    let (zero, minus, one, top) = (k(0), k(1 << 31), k(0x3f80_0000), k(1 << 31));
    let add = |a: TermId, b: TermId| d.float(FloatOp::Add, f32s, near, &[&a, &b]);
    let mul = |a: TermId, b: TermId| d.float(FloatOp::Mul, f32s, near, &[&a, &b]);
    let fma = |mode, a: TermId, b: TermId, c: TermId| d.float(FloatOp::Fma, f32s, mode, &[&a, &b, &c]);
    let least = |a: TermId, b: TermId| d.float(FloatOp::Min, f32s, near, &[&a, &b]);
    let below = |a: TermId, b: TermId| d.float_relation(FloatRelation::Lt, f32s, false, &a, &b);
    let most = |a: TermId, b: TermId| d.float_relation(FloatRelation::Le, f32s, false, &a, &b);
    let minus_of = |a: TermId| d.xor(&a, &top);
    let down = FloatMode { rounding: Rounding::Down, ..near };
    let flush = FloatMode { ftz: true, ..near };
    let wide = |a: TermId| d.zext(&a, 64);
    let long = |a: TermId| d.sext(&a, 64);
    let product = |a: TermId, b: TermId| d.binary(B::Mul, &a, &b);
    let (low, high) = (d.extract(&w, 0, 32), d.extract(&w, 32, 32));
    let upper = |a: TermId| d.binary(B::Shl, &wide(a), &d.constant(64, 32));
    let by_parts = |cross: TermId| d.add(&product(wide(low), wide(x)), &upper(cross));
    let to = |signed, a: TermId| d.int_to_float(signed, f32s, near, &a);
    let half = |a: TermId| d.float_to_float(FloatFormat::F16, f32s, near, &d.extract(&a, 0, 16));
    let double = |a: TermId| d.float_to_float(f32s, FloatFormat::F64, near, &a);
    let f64s = FloatFormat::F64;
    let unordered = d.float_relation(FloatRelation::Unordered, f64s, false, &w, &w);
    let least_double = d.float(FloatOp::Min, f64s, near, &[&w, &w]);
    let canonical = d.constant(64, f64s.canonical_nan().into());
    let so = [
        ("sums commute", add(x, y), add(y, x)),
        ("a negative factor", mul(minus_of(x), y), mul(x, minus_of(y))),
        ("a fused sum of nothing", fma(near, x, y, minus), mul(x, y)),
        ("a fused product with one", fma(near, x, one, z), add(x, z)),
        ("a product with one", mul(x, one), add(x, minus)),
        ("a product with minus one", mul(x, d.or(&one, &top)), add(minus_of(x), minus)),
        ("an integer is no NaN", add(to(true, x), minus), to(true, x)),
        (
            "not less is unordered or at most",
            d.not(&below(x, y)),
            d.or(&most(y, x), &d.float_relation(FloatRelation::Unordered, f32s, false, &x, &y)),
        ),
        ("least commutes", least(x, y), least(y, x)),
        ("an integer in more bits", to(false, x), to(true, wide(x))),
        (
            "a half is no subnormal",
            d.float_relation(FloatRelation::Eq, f32s, true, &half(x), &half(y)),
            d.float_relation(FloatRelation::Eq, f32s, false, &half(x), &half(y)),
        ),
        ("a product by halves", product(w, wide(x)), by_parts(product(high, x))),
        ("products commute", product(wide(x), wide(y)), product(wide(y), wide(x))),
        (
            "a signed product",
            product(long(x), long(y)),
            d.sub(
                &d.sub(&product(wide(x), wide(y)), &upper(d.ite(&d.extract(&x, 31, 1), &y, &zero))),
                &upper(d.ite(&d.extract(&y, 31, 1), &x, &zero)),
            ),
        ),
    ];
    for (name, a, b) in so {
        assert!(equal(&inputs, &mut z3, (a, b)), "not shown: {name}");
    }
    let not_so = [
        ("a sum with +0 is the sum with -0", add(x, zero), add(x, minus)),
        ("a sum with -0 is what it was", add(x, minus), x),
        ("a fused sum with +0 is a product", fma(near, x, y, zero), mul(x, y)),
        (
            "a fused sum of nothing, rounded down",
            fma(down, x, y, minus),
            d.float(FloatOp::Mul, f32s, down, &[&x, &y]),
        ),
        ("a fused operation that flushes is one that does not", fma(flush, x, y, z), fma(near, x, y, z)),
        ("one factor's sign", mul(minus_of(x), y), mul(x, y)),
        ("a product with minus one keeps its sign", mul(x, d.or(&one, &top)), add(x, minus)),
        ("not less is at most", d.not(&below(x, y)), most(y, x)),
        ("least is the one that is less", least(x, y), d.ite(&below(x, y), &x, &y)),
        ("least is what most is", least(x, y), d.float(FloatOp::Max, f32s, near, &[&x, &y])),
        ("a NaN is not told", least(x, y), d.float(FloatOp::MinNan, f32s, near, &[&x, &y])),
        ("a signed integer is one without a sign", to(false, x), to(true, x)),
        (
            "a wider number is equal to itself",
            d.float_relation(FloatRelation::Eq, FloatFormat::F64, false, &double(x), &double(x)),
            d.yes(),
        ),
        ("a NaN of binary64 is canonical", d.ite(&unordered, &least_double, &canonical), canonical),
        ("a product without its upper half", product(w, wide(x)), by_parts(zero)),
        ("another upper half", product(w, wide(x)), by_parts(product(high, y))),
        ("a signed product is one without signs", product(long(x), long(y)), product(wide(x), wide(y))),
    ];
    for (name, a, b) in not_so {
        assert!(!equal(&inputs, &mut z3, (a, b)), "shown: {name}");
    }
}

#[test]
fn signs_of_factors_count_by_their_parity() {
    let Some(mut z3) = z3() else {
        eprintln!("skipped: no z3");
        return;
    };
    for format in [FloatFormat::F32, FloatFormat::F64] {
        let d = Terms::raw();
        let inputs = Inputs::raw(&d);
        let width = format.width();
        let [x, y, z] = ["x", "y", "z"].map(|n| d.variable(n, width));
        let minus = |a: TermId| d.xor(&a, &d.constant(width, 1 << (width - 1)));
        let fma = |a: TermId, b: TermId| d.float(FloatOp::Fma, format, FloatMode::default(), &[&a, &b, &z]);
        let mut shown = |a: TermId, b: TermId| {
            let how = How { memory: false, signs: true, laws: false, halves: false };
            let asked = script(&inputs, &[], &[d.not(&d.eq(&a, &b))], &[], how);
            z3.check_bits(&asked, 20_000) == Answer::Unsat
        };
        assert!(shown(fma(minus(x), minus(y)), fma(y, x)), "{format:?}");
        assert!(shown(fma(minus(x), y), fma(minus(y), x)), "{format:?}");
        assert!(!shown(fma(minus(x), y), fma(x, y)), "{format:?}");
        assert!(!shown(fma(x, y), fma(x, z)), "{format:?}");
    }
}
