//! Steps of a witness that the checker takes, and such that it must not.

use super::check::{Fault, Guide};
use super::rewrite::{Made, Recorded, Rewrite, Rewrites};
use super::{Entry, Matching, SoFar};
use sassafras_semantics::term::Node;
use sassafras_semantics::{
    BinaryOp as B, Domain, FloatFormat, FloatMode, FloatOp, TermId, Terms, UnaryOp as U,
};
use sassafras_solve::solver::Z3;
use sassafras_symbolic::inputs::Inputs;
use smallvec::smallvec;

/// What the checker says of steps about (x + y)·z = x·z + y·z of 64 bits, and about two lower halves of x.
fn stepped(z3: &mut Z3, change: impl FnOnce(&mut Rewrites)) -> Result<(), Fault> {
    let d = Terms::raw();
    let inputs = Inputs::raw(&d);
    let [x, y, z] = ["x", "y", "z"].map(|n| d.variable(n, 64));
    let product = d.mul(&d.add(&x, &y), &z);
    let low = d.extract(&x, 0, 32);
    let known = d.eq(&x, &y);
    let terms = d.len() as u32;
    let made = |node, width| Made { node, width };
    let mul = |a: u32, b: u32| Node::Binary(B::Mul, TermId(a), TermId(b));
    let mut written = Rewrites {
        terms,
        made: vec![
            made(mul(x.0, z.0), 64),
            made(mul(y.0, z.0), 64),
            made(Node::Binary(B::Add, TermId(terms), TermId(terms + 1)), 64),
            made(Node::Extract { low: 0, a: y }, 32),
        ],
        steps: vec![
            step(product.0, terms + 2, &[]),
            Rewrite { by: vec![0], fact: true, ..step(low.0, terms + 3, &[]) },
        ],
        numbers: Vec::new(),
    };
    change(&mut written);
    let entry = Entry {
        entry: "k".into(),
        assumptions: Vec::new(),
        lemmas: Vec::new(),
        unroll: 1,
        bounded: false,
        matching: Matching::default(),
        rewrites: written,
    };
    let mut so_far = SoFar::new(&inputs, vec![known]);
    let mut guide = Recorded::of(&entry);
    guide.begin(&mut so_far)?;
    guide.before(&mut so_far, 0, d.no(), z3).map(|_| ())
}

fn step(from: u32, to: u32, opaque: &[u32]) -> Rewrite {
    Rewrite { at: 0, from, to, opaque: opaque.to_vec(), by: Vec::new(), fact: false }
}

#[test]
fn steps_that_do_not_hold_are_rejected() {
    let Some(mut z3) = Z3::find(&[std::path::Path::new(env!("CARGO_MANIFEST_DIR"))], 20, 60) else {
        eprintln!("skipped: no z3");
        return;
    };
    assert_eq!(stepped(&mut z3, |_| ()), Ok(()));
    type Change = fn(&mut Rewrites);
    let wrong: &[(&str, Change)] = &[
        ("another term", |r| r.steps[0].to = r.terms),
        ("another term, and all may be anything", |r| {
            r.steps[0].to = r.terms;
            r.steps[0].opaque = (0..r.terms).collect();
        }),
        ("what it is made of may be anything", |r| r.steps[0].opaque = vec![r.terms + 2]),
        ("a fact without what it holds by", |r| r.steps[1].by.clear()),
        ("a fact by what is not known", |r| r.steps[1].by = vec![1]),
        ("a fact by what is far off", |r| r.steps[1].by = vec![usize::MAX]),
        ("a term of another width", |r| r.steps[0].to = r.terms + 3),
        ("a term that is not made", |r| r.steps[0].to = r.terms + 4),
        ("the last number", |r| r.steps[0].to = u32::MAX),
        ("a term of which nobody knows that may be anything", |r| r.steps[0].opaque = vec![u32::MAX]),
        ("another number of terms", |r| r.terms += 1),
        ("fewer terms", |r| r.terms -= 1),
        ("no order", |r| r.steps[0].at = 1),
        ("an operand that is made later", |r| {
            r.made[0].node = Node::Unary(U::Not, TermId(r.terms + 2));
        }),
        ("an operand that is the term itself", |r| {
            r.made[0].node = Node::Unary(U::Not, TermId(r.terms));
        }),
        ("bits beyond the operand", |r| r.made[3].node = Node::Extract { low: 33, a: TermId(0) }),
        ("bits far beyond the operand", |r| {
            r.made[3].node = Node::Extract { low: u32::MAX, a: TermId(0) };
        }),
        ("no width", |r| r.made[3].width = 0),
        ("a width of 129", |r| r.made[3] = Made { node: Node::Zext(TermId(0)), width: 129 }),
        ("a constant that is too large", |r| r.made[3] = Made { node: Node::Constant(1 << 32), width: 32 }),
        ("a sum of two widths", |r| {
            r.made[2].node = Node::Binary(B::Add, TermId(r.terms), TermId(r.steps[1].from));
        }),
        ("a fused operation of two operands", |r| {
            let args = smallvec![TermId(0), TermId(1)];
            let (op, format, mode) = (FloatOp::Fma, FloatFormat::F64, FloatMode::default());
            r.made[2].node = Node::Float { op, format, mode, args };
        }),
        ("a variable", |r| r.made[0].node = Node::Variable(0)),
        ("a number of no variable", |r| r.made[0].node = Node::Variable(u32::MAX)),
    ];
    for (name, change) in wrong {
        let said = stepped(&mut z3, change);
        assert!(matches!(said, Err(Fault::Rejected(_))), "{name}: {said:?}");
    }
}

#[test]
fn what_is_rewritten_is_written_in_others() {
    let d = Terms::raw();
    let inputs = Inputs::raw(&d);
    let [x, y] = ["x", "y"].map(|n| d.variable(n, 32));
    let (sum, other) = (d.add(&x, &y), d.add(&y, &x));
    let mut so_far = SoFar::new(&inputs, Vec::new());
    let [a, b] = [d.not(&sum), d.not(&other)];
    assert_ne!(so_far.current(a), so_far.current(b));
    so_far.rewrite(sum, other, &[]);
    assert_eq!(so_far.current(a), so_far.current(b));
    // What would go in a circle is left out.
    so_far.rewrite(other, sum, &[]);
    assert_eq!(so_far.current(sum), other);
    // One that stands for what it is part of is written once, as what is written for that.
    so_far.rewrite(x, sum, &[]);
    assert_eq!(so_far.current(x), other);
}
