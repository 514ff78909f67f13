//! Steps of witnesses as somebody writes them who wants wrong code to be accepted, or the checker to fall over.
//!
//! The attacker knows the checker's terms: they are read off its questions. A step may be anything; what counts is that wrong code is never
//! accepted, that a step that running its terms shows to be false is never taken, and that nothing panics.

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;

mod learned;
mod odd;
mod pair;
mod steps;

use common::{ours, recorded, solver, text};
use learned::{Learned, runs_apart};
use pair::{Lies, Pair, Said, planted};
use sassafras_semantics::UnaryOp as U;
use sassafras_semantics::term::Node;
use sassafras_witness::rewrite::{Rewrite, Rewrites};
use steps::{attacks, corrupted, nothing_happens, right};

/// A guarded store, and a load behind it that may read what it wrote.
const SOURCE: &str = "
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
    .reg .pred p;
    .reg .b32 a, b, c, x, y;
    .reg .b64 to, from;
    ld.param.u64 to, [out];
    ld.param.u64 from, [in];
    ld.global.u32 a, [from];
    ld.global.u32 b, [from+4];
    ld.global.u32 c, [from+8];
    add.u32 x, a, b;
    mad.lo.u32 x, x, c, a;
    setp.lt.u32 p, a, b;
    @p st.global.u32 [to], x;
    ld.global.u32 y, [from];
    xor.b32 y, y, c;
    st.global.u32 [to+4], y;
    ret;
}
";

/// Code of two sequences, which rests on a lemma.
const QUOTIENT: &str = "
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 first, .param .u32 second)
{
    .reg .b32 a, b, x;
    .reg .b64 to;
    ld.param.u64 to, [out];
    ld.param.u32 a, [first];
    ld.param.u32 b, [second];
    or.b32 b, b, 1;
    div.u32 x, a, b;
    st.global.u32 [to], x;
    ret;
}
";

/// Our code, which is right.
fn right_pair(source: &str, test: &str) -> Option<Pair> {
    let solver = solver(test, 8)?;
    Some(Pair::new(source, ours(source).expect("it compiles"), solver).expect("it is proved"))
}

/// Steps that are corrupted: how many are accepted, rejected and undecided. False ones are never taken.
fn judge(pair: &mut Pair, known: &Learned, all: Vec<(String, Rewrites)>) -> [usize; 3] {
    let (mut counts, mut wrong) = ([0; 3], Vec::new());
    for (name, rewrites) in all {
        let holds = |s: &Rewrite| s.at > 0 || !s.by.is_empty() || !runs_apart(known, &rewrites, s);
        match pair.said(&rewrites) {
            Said::Accepted if !rewrites.steps.iter().all(holds) => {
                wrong.push(format!("{name}: a false step is taken"));
            }
            Said::Accepted => counts[0] += 1,
            Said::Rejected(_) => counts[1] += 1,
            Said::Undecided(_) => counts[2] += 1,
            Said::Panicked(why) => wrong.push(format!("{name}: it panics: {why}")),
        }
    }
    eprintln!("accepted, rejected, undecided: {counts:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    counts
}

#[test]
fn false_steps_are_not_taken() {
    let Some(mut pair) = right_pair(SOURCE, "false_steps_are_not_taken") else { return };
    let known = pair.learned();
    let good = right(&known).0;
    assert_eq!(pair.said(&good), Said::Accepted);
    let counts = judge(&mut pair, &known, corrupted(&known, &good));
    assert!(counts[1] > 300, "{counts:?}");
}

#[test]
#[ignore = "steps are looked for, which takes minutes"]
fn false_steps_of_a_proof_are_not_taken() {
    let Some(mut solver) = solver("false_steps_of_a_proof_are_not_taken", 8) else { return };
    for name in ["div_u32", "arith_64"] {
        let source = text(&format!("features/{name}"));
        let cubin = recorded("13.0.88", &format!("features/{name}")).expect("it is recorded");
        let mut pair = Pair::new(&source, cubin, solver).expect("it is proved");
        let good = pair.explained();
        let said = pair.said(&good);
        eprintln!("{name}: {} steps, {} terms made: {said:?}", good.steps.len(), good.made.len());
        let known = pair.learned();
        let all = corrupted(&known, &good);
        let every = all.len().div_ceil(400).max(1);
        let counts = judge(&mut pair, &known, all.into_iter().step_by(every).collect());
        eprintln!("{name}: {counts:?}");
        // The same steps for wrong code.
        let right = pair.cubin.clone();
        for cubin in planted(&mut pair, 8) {
            pair.cubin = cubin;
            let Some(known) = pair.knows() else { continue };
            let said = pair.said(&Rewrites { terms: known.terms, ..good.clone() });
            eprintln!(
                "{name}, wrong code: {}",
                if said == Said::Accepted { "accepted" } else { "not accepted" }
            );
            assert!(matches!(said, Said::Rejected(_) | Said::Undecided(_)), "{name}: {said:?}");
        }
        pair.cubin = right;
        solver = pair.solver.inner;
    }
}

#[test]
fn wrong_code_is_not_accepted() {
    let (mut hinge, mut tried, mut wrong, mut counts) = (0, 0, Vec::new(), [0; 2]);
    for (source, most, every) in [(SOURCE, 9, 24), (QUOTIENT, 4, 240)] {
        let Some(mut pair) = right_pair(source, "wrong_code_is_not_accepted") else { return };
        let known = pair.learned();
        let good = right(&known).0;
        for (i, cubin) in planted(&mut pair, most).into_iter().enumerate() {
            pair.cubin = cubin;
            // Places that the code has no more: it is not about steps.
            let Some(known) = pair.knows() else { continue };
            assert_ne!(pair.said(&Rewrites::default()), Said::Accepted);
            // Who takes false steps takes wrong code.
            pair.solver.lies = Lies::Steps;
            hinge += usize::from(pair.said(&nothing_happens(&known).0) == Said::Accepted);
            pair.solver.lies = Lies::None;
            let facts = pair.facts(&known);
            let mut all = attacks(&known, facts);
            all.push(("the steps of the right code".into(), Rewrites { terms: known.terms, ..good.clone() }));
            // Each of them on some of the pairs.
            for (name, rewrites) in all.into_iter().skip(5 * i % every).step_by(every) {
                tried += 1;
                match pair.said(&rewrites) {
                    Said::Rejected(_) => counts[0] += 1,
                    Said::Undecided(_) => counts[1] += 1,
                    other => wrong.push(format!("{name}: {other:?}")),
                }
            }
            eprintln!("{facts} facts, {tried} attacks on {hinge} that lies get accepted: {counts:?}");
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(hinge >= 4, "{hinge}");
}

#[test]
fn operations_that_nobody_writes() {
    let Some(mut pair) = right_pair(SOURCE, "operations_that_nobody_writes") else { return };
    let known = pair.learned();
    for bits in [None, Some(0), Some(0x3f80_0000), Some(0x3ff0_0000_3c00), Some(u128::MAX)] {
        let said = pair.said(&odd::operations(&known, bits).0);
        assert_eq!(said, Said::Accepted, "{bits:x?}");
    }
    let said = pair.said(&odd::signed_bit(&known).0);
    assert!(!matches!(said, Said::Panicked(_)), "{said:?}");
    // What is known of operations does not contradict what they are on numbers: then all would hold.
    for bits in [1, 0x3f80_0000, 0x8000_8001, 0x7fc0_7fff] {
        let said = pair.said(&odd::contradiction(&known, bits).0);
        assert!(matches!(said, Said::Rejected(_) | Said::Undecided(_)), "{bits:x}: {said:?}");
    }
}

/// A store of what some operation on numbers gives.
fn stored(operation: &str) -> String {
    format!(
        "
.version 8.0
.target sm_75
.address_size 64
.visible .entry k()
{{
    .reg .b32 x;
    .shared .align 4 .b32 s;
    {operation}
    st.shared.b32 [s], x;
    ret;
}}
"
    )
}

/// No step is needed: what is asked depends on nothing, and was evaluated. An approximation has more than one value: of 3.0, and of a
/// number far from where its sine is bounded at all.
#[test]
fn approximations_of_numbers_are_not_known() {
    let pairs = [
        ("rcp.approx.ftz.f32 x, 0f40400000;", "mov.b32 x, 0x3eaaaaab;"),
        ("sin.approx.ftz.f32 x, 0f47c35000;", "mov.b32 x, 0x3d126d55;"),
    ];
    for (operation, number) in pairs {
        let Some(mut pair) = right_pair(&stored(operation), "approximations_of_numbers_are_not_known") else {
            return;
        };
        assert_eq!(pair.said(&Rewrites::default()), Said::Accepted);
        pair.module = common::module(&stored(number));
        let said = pair.said(&Rewrites::default());
        assert!(matches!(said, Said::Rejected(_) | Said::Undecided(_)), "{operation} {number} {said:?}");
    }
}

/// Terms so deep that what goes down into them by itself has no room. Where it falls over, the process ends: it is one of its own.
const DEEP: u32 = 40_000;

#[test]
#[ignore = "of its own process"]
fn nested() {
    let Some(mut pair) = right_pair(SOURCE, "nested") else { return };
    let known = pair.learned();
    for squared in [false, true] {
        let said = odd::nested(&mut pair, &known, DEEP, |a| Node::Extract { low: 0, a }, squared);
        assert!(!matches!(said, Said::Panicked(_)), "{said:?}");
    }
    let said = odd::nested(&mut pair, &known, DEEP, |a| Node::Unary(U::Not, a), false);
    assert!(!matches!(said, Said::Panicked(_)), "{said:?}");
}

#[test]
fn deep_terms_do_not_end_the_checker() {
    let own = std::env::current_exe().expect("it runs");
    let ended = std::process::Command::new(own).args(["--ignored", "--exact", "nested"]).output();
    assert!(ended.expect("it starts").status.success(), "terms of {DEEP} levels end the checker");
}
