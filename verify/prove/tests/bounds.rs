//! What a proof within a bound covers: each activation of a loop is counted by itself (`docs/proof.md`, "Loops"), and the evaluation reaches what is
//! covered.

#![allow(missing_docs)]

mod common;

use common::{line, module, not_unrolled, z3};
use sassafras_oracle::Tools;
use sassafras_prove::{Limits, Record, Solver, Verdict, prove_within};
use sassafras_symbolic::trace::loops::planted;

const HEADER: &str = ".version 8.8\n.target sm_90\n.address_size 64\n";

/// A sum over rows: an outer loop from -r to r, each time round one of r steps at least (input 47).
const ROWS: &str = "
.visible .entry k(.param .u64 a, .param .u64 o, .param .u32 r) {
  .reg .pred %p<5>; .reg .b32 %r<12>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1,[a]; ld.param.u64 %rd2,[o]; ld.param.u32 %r1,[r];
  mov.u32 %r3, 0;
  neg.s32 %r2,%r1;
  setp.gt.s32 %p1,%r2,%r1;
  @%p1 bra D;
  mov.u32 %r4,0;
L:
  mul.wide.s32 %rd3,%r2,4; add.s64 %rd4,%rd1,%rd3;
  mov.u32 %r5,%r4;
M:
  ld.global.u32 %r6,[%rd4];
  add.s32 %r3,%r3,%r6;
  add.s64 %rd4,%rd4,4;
  add.s32 %r5,%r5,1;
  setp.lt.s32 %p2,%r5,%r1;
  @%p2 bra M;
  add.s32 %r7,%r2,1;
  setp.lt.s32 %p3,%r2,%r1;
  mov.u32 %r2,%r7;
  @%p3 bra L;
D:
  st.global.u32 [%rd2],%r3;
  ret;
}";

/// Loops of several shapes that store a count, `{}` being what is changed: name, text, right, wrong.
const SHAPES: [(&str, &str, &str, &str); 4] = [
    // Within each other, the inner one as long as the outer one has come.
    (
        "triangular",
        "  mov.u32 i, 0;
I: setp.ge.s32 p, i, n; @p bra D;
  mov.u32 j, 0;
J: setp.ge.s32 q, j, i; @q bra E;
  mad.lo.s32 s, s, 3, j; add.s32 j, j, 1; bra J;
E: add.s32 s, s, {}; add.s32 i, i, 1; bra I;",
        "7",
        "5",
    ),
    // One behind the other, of which the second goes back to what is before both, once.
    (
        "entered again",
        "  mov.u32 t, 0;
A: mov.u32 i, 0;
B: setp.ge.s32 p, i, n; @p bra C;
  mad.lo.s32 s, s, 3, t; add.s32 i, i, 1; bra B;
C: add.s32 t, t, {}; setp.lt.s32 q, t, 2; @q bra A;",
        "1",
        "2",
    ),
    // Left in the middle, and gone on with before the end.
    (
        "break and continue",
        "  mov.u32 i, 0;
A: setp.ge.s32 p, i, n; @p bra D;
  add.s32 i, i, 1; and.b32 t, i, 1; setp.eq.s32 q, t, 0; @q bra A;
  mad.lo.s32 s, s, {}, i; setp.gt.s32 q, s, n; @q bra D; bra A;",
        "3",
        "2",
    ),
    // The test behind the body.
    (
        "rotated",
        "  mov.u32 i, 0; bra T;
A: mad.lo.s32 s, s, 3, i; add.s32 i, i, 1;
T: setp.{}.s32 p, i, n; @p bra A;",
        "lt",
        "le",
    ),
];

fn shape(body: &str, what: &str) -> String {
    format!(
        "{HEADER}.visible .entry k(.param .u64 to, .param .u32 count) {{
  .reg .pred p, q; .reg .b32 s, t, i, j, n; .reg .b64 o;
  ld.param.u64 o, [to]; ld.param.u32 n, [count]; mov.u32 s, 1; mov.u32 t, 0; mov.u32 j, 0;
{}
D: st.global.u32 [o], s; ret;
}}",
        body.replace("{}", what)
    )
}

/// The source, held against our code of another text.
fn held(source: &str, compiled: &str, unroll: u32, solver: &mut dyn Solver) -> Record {
    let cubin = not_unrolled(compiled).expect("it compiles");
    prove_within(&module(source), "k", &cubin, solver, Limits { unroll, turns: false, ..Limits::default() })
}

#[test]
fn one_row_less_is_refuted_at_each_bound() {
    let Some(mut z3) = z3("one_row_less_is_refuted_at_each_bound") else { return };
    let right = format!("{HEADER}{ROWS}");
    let more = right.replace("setp.lt.s32 %p3", "setp.le.s32 %p3");
    let theirs = match Tools::here().ptxas("13.0.88") {
        Ok(ptxas) => {
            let (bytes, _) = ptxas.compile_text(&right, "sm_90", &[]).expect("ptxas takes it");
            Some(sassafras_cubin::read(&bytes).expect("a sound cubin"))
        }
        Err(why) => {
            sassafras_oracle::skip("one_row_less_is_refuted_at_each_bound", &why);
            None
        }
    };
    for unroll in [1, 2, 4, 8] {
        if let Some(cubin) = &theirs {
            let limits = Limits { unroll, turns: false, ..Limits::default() };
            let record = prove_within(&module(&more), "k", cubin, &mut z3, limits);
            assert!(matches!(record.verdict, Verdict::Refuted(_)), "ptxas, {unroll}: {}", line(&record));
        }
        let record = held(&more, &right, unroll, &mut z3);
        assert!(matches!(record.verdict, Verdict::Refuted(_)), "{unroll}: {}", line(&record));
        let record = held(&right, &right, unroll, &mut z3);
        assert_eq!(record.verdict, Verdict::ProvedWithin(unroll), "{}", line(&record));
    }
    sassafras_oracle::fault::planted("prove", &"sm_90", "a row less, at each bound", 4, 4);
}

#[test]
fn each_shape_of_loop_is_reached_and_told_from_a_wrong_one() {
    let Some(mut z3) = z3("each_shape_of_loop_is_reached_and_told_from_a_wrong_one") else { return };
    for (name, body, right, wrong) in SHAPES {
        let (right, wrong) = (shape(body, right), shape(body, wrong));
        for unroll in [2, 4] {
            let record = held(&right, &right, unroll, &mut z3);
            assert_eq!(record.verdict, Verdict::ProvedWithin(unroll), "{name}: {}", line(&record));
            let evaluation = record.evaluation.as_ref().expect("a bounded verdict says what was evaluated");
            assert_eq!(
                evaluation.lacks(sassafras_symbolic::obstacle::place::Place::Line),
                None,
                "{name}: {evaluation:?}"
            );
            assert!(evaluation.open.is_empty() && !evaluation.loops.is_empty(), "{name}: {evaluation:?}");
            let all: Vec<u32> = (0..=unroll).collect();
            let longest = evaluation.loops.iter().any(|l| l.after == all);
            // No input leaves this one after one return: at the test of the second round it goes on.
            let longest = longest || name == "break and continue";
            assert!(longest && evaluation.loops.iter().all(|l| l.open.is_empty()), "{name}: {evaluation:?}");
        }
        let record = held(&right, &wrong, 4, &mut z3);
        assert!(matches!(record.verdict, Verdict::Refuted(_)), "{name}: {}", line(&record));
        sassafras_oracle::fault::planted("prove", &"sm_90", name, 1, 1);
    }
}

/// Returns counted over the whole run, as if the second time that a loop is entered were part of the first: nothing is proved, and neither is a witness
/// taken, since its judge counts by itself.
#[test]
fn counts_over_the_whole_run_are_found_out() {
    let Some(mut z3) = z3("counts_over_the_whole_run_are_found_out") else { return };
    let right = format!("{HEADER}{ROWS}");
    let (module, cubin) = (module(&right), not_unrolled(&right).expect("it compiles"));
    let limits = Limits { unroll: 2, turns: false, launches: 0, ..Limits::default() };
    let record = planted::run(|| prove_within(&module, "k", &cubin, &mut z3, limits));
    assert!(matches!(record.verdict, Verdict::Unknown(_)), "{}", line(&record));
    assert_eq!(record.exit_code(), 3, "{:?}", record.contradiction);
    let honest = prove_within(&module, "k", &cubin, &mut z3, limits);
    let entry = honest.witness(limits.unroll).expect("it is proved");
    sassafras_witness::check::check(&module, &cubin, &entry, &mut z3).expect("an honest witness");
    let why = planted::run(|| sassafras_witness::check::check(&module, &cubin, &entry, &mut z3));
    let why = why.expect_err("its loops are cut early").to_string();
    assert!(why.contains("left where no loop is past its bound"), "{why}");
    sassafras_oracle::fault::planted("prove", &"sm_90", "returns counted over the whole run", 2, 2);
}
