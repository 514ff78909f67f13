//! What registers hold at heads of loops, template by template: a program that is proved with it, and edits of its code that are not.

use crate::common::{module, not_unrolled, solver};
use crate::line;
use sassafras_prove::{Limits, Verdict, explain::explain, prove_within};
use sassafras_symbolic::cut::Shape;
use sassafras_witness::check::check;

/// Effort for each question, in millions of z3's `rlimit`.
const EFFORT: u64 = 4;

/// A template: its name, a program that needs it, and edits that make another program of it, as what is replaced by what.
type Template = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const TEMPLATES: [Template; 3] = [
    (
        "a narrow variable in the lowest bits of a register",
        include_str!("kernels/turns/narrow.ptx"),
        &[
            ("add.s16 %h1, %h1, -3;", "add.s16 %h1, %h1, -2;"),
            ("add.s16 %h2, %h2, 1;", "add.s16 %h2, %h2, 257;"),
            ("cvt.s32.s16 %r2, %h1;", "cvt.u32.u16 %r2, %h1;"),
            ("setp.gt.s16 %p2, %h1, %h2;", "setp.gt.u16 %p2, %h1, %h2;"),
        ],
    ),
    (
        "registers that hold the same on most inputs",
        include_str!("kernels/turns/zeros.ptx"),
        &[
            ("mov.u32 %r5, 0;", "mov.u32 %r5, %r4;"),
            ("selp.b32 %r5, %r6, %r5, %p1;", "selp.b32 %r5, %r6, %r4, %p1;"),
            ("shr.u32 %r4, %r4, 1;", "shr.u32 %r4, %r4, 2;"),
        ],
    ),
    (
        "what an atomic operation of the turn before answers",
        include_str!("kernels/turns/queue.ptx"),
        &[
            ("st.global.u32 [%d5+8], %r7;", "st.global.u32 [%d5+8], %r5;"),
            ("mad.lo.s32 %r7, %r7, %r2, 5;", "mad.lo.s32 %r7, %r7, %r2, 4;"),
            ("setp.lt.u32 %p4, %r3, %r1;", "setp.le.u32 %p4, %r3, %r1;"),
            ("mul.wide.u32 %d3, %r3, 4;", "mul.wide.s32 %d3, %r3, 4;"),
        ],
    ),
];

#[test]
fn each_template_proves_a_program_and_none_of_its_edits() {
    let Some(mut solver) = solver("each_template_proves_a_program_and_none_of_its_edits", EFFORT) else {
        return;
    };
    let limits = Limits { unroll: 1, launches: 0, ..Limits::default() };
    let mut objections = Vec::new();
    for (name, kernel, edits) in TEMPLATES {
        let source = module(kernel);
        let cubin = not_unrolled(kernel).expect("it compiles");
        let record = prove_within(&source, "k", &cubin, &mut *solver, limits);
        eprintln!("{name}: {}", line(&record));
        if record.verdict != Verdict::Proved {
            objections.push(format!("{name}: {}", line(&record)));
        }
        for (old, new) in edits {
            assert!(kernel.contains(old), "{name}: nothing is `{old}`");
            let edited = kernel.replace(old, new);
            let cubin = not_unrolled(&edited).expect("it compiles");
            let record = prove_within(&source, "k", &cubin, &mut *solver, limits);
            if record.verdict == Verdict::Proved {
                objections.push(format!("{name}: proved with `{new}`"));
            }
        }
    }
    assert!(objections.is_empty(), "{objections:#?}");
}

/// What is above a narrow variable is anything: a witness that says of it what it is, or that bits of the variable are some, is rejected.
#[test]
fn a_witness_says_of_a_narrow_variable_no_more_than_holds() {
    let name = "a_witness_says_of_a_narrow_variable_no_more_than_holds";
    let (Some(mut prover), Some(mut checker)) = (solver(name, EFFORT), solver(name, 30)) else { return };
    let kernel = TEMPLATES[0].1;
    let (module, cubin) = (module(kernel), not_unrolled(kernel).expect("it compiles"));
    let limits = Limits { unroll: 1, ..Limits::default() };
    let record = prove_within(&module, "k", &cubin, &mut *prover, limits);
    assert_eq!(record.verdict, Verdict::Proved, "a control of nothing");
    let mut entry = record.witness(1).expect("it was proved");
    explain(&module, &cubin, &mut entry, &mut *checker);
    let taken = check(&module, &cubin, &entry, &mut *checker);
    assert!(taken.is_ok(), "{taken:?}");
    let rows = &entry.matching.cuts[0].rows;
    let narrow: Vec<usize> = (0..rows.len()).filter(|i| rows[*i].shape == Shape::Low(16)).collect();
    assert!(!narrow.is_empty(), "no register holds a narrow variable: {rows:?}");
    for shape in
        [Shape::Low(0), Shape::Low(8), Shape::Low(17), Shape::Low(32), Shape::Part(0), Shape::Moved(1)]
    {
        let mut other = entry.clone();
        other.matching.cuts[0].rows[narrow[0]].shape = shape;
        let said = check(&module, &cubin, &other, &mut *checker);
        sassafras_oracle::fault::planted(
            "witness",
            &"sm_90",
            &format!("{shape:?}"),
            1,
            usize::from(said.is_err()),
        );
        assert!(said.is_err(), "{shape:?}");
    }
}
