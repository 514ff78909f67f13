//! Loops of which the target does several iterations in one, unrolled by hand: they are proved with the source's loop unfolded, wrong edits of them are not, and witnesses that say more
//! than holds are rejected.

use crate::common::{module, not_unrolled, solver};
use crate::line;
use sassafras_prove::{Limits, Record, Solver, Verdict, prove_within};
use sassafras_symbolic::cut::{Fact, Operand, Relation};
use sassafras_witness::Entry;
use sassafras_witness::check::check;

/// Effort for each question, in millions of z3's `rlimit`.
const EFFORT: u64 = 4;

/// A kernel, the same with four iterations in one, and wrong edits of that: what takes the place of what.
struct Kernel {
    name: &'static str,
    source: &'static str,
    target: &'static str,
    edits: &'static [(&'static str, &'static str)],
}

const KERNELS: [Kernel; 5] = [
    Kernel {
        name: "sum",
        source: include_str!("kernels/unfolded/sum.ptx"),
        target: include_str!("kernels/unfolded/sum_by_four.ptx"),
        edits: &[
            ("sub.s32 %r4, %r4, 3", "sub.s32 %r4, %r4, 2"),
            ("%r2, %r2, 4", "%r2, %r2, 5"),
            ("%rd3, %rd3, 16", "%rd3, %rd3, 12"),
            ("[%rd3+8]", "[%rd3+4]"),
            ("add.f32 %f1, %f1, %f4", "add.f32 %f1, %f1, %f3"),
            ("@!%p4 bra DONE", "bra DONE"),
            ("setp.lt.s32 %p4, %r2, %r1", "setp.le.s32 %p4, %r2, %r1"),
        ],
    },
    Kernel {
        name: "scale",
        source: include_str!("kernels/unfolded/scale.ptx"),
        target: include_str!("kernels/unfolded/scale_by_four.ptx"),
        edits: &[
            ("max.u32 %r4, %r1, 3", "mov.u32 %r4, %r1"),
            ("setp.lt.u32 %p2, %r2, %r1", "setp.lt.s32 %p2, %r2, %r1"),
            ("add.s32 %r10, %r2, 3", "add.s32 %r10, %r2, 2"),
            ("setp.lt.u32 %p3, %r2, %r4", "setp.le.u32 %p3, %r2, %r4"),
        ],
    },
    Kernel {
        name: "positives",
        source: include_str!("kernels/unfolded/positives.ptx"),
        target: include_str!("kernels/unfolded/positives_by_four.ptx"),
        edits: &[
            ("and.b32 %r5, %r5, -4", "and.b32 %r5, %r5, -2"),
            ("setp.ne.s32 %p3, %r2, %r5", "setp.ne.s32 %p3, %r2, %r1"),
            ("[%rd3+12]", "[%rd3+16]"),
        ],
    },
    Kernel {
        name: "rows",
        source: include_str!("kernels/unfolded/rows.ptx"),
        target: include_str!("kernels/unfolded/rows_by_four.ptx"),
        edits: &[
            ("setp.gt.s32 %p3, %r2, 3", "setp.gt.s32 %p3, %r2, 2"),
            ("add.s32 %r2, %r2, -4", "add.s32 %r2, %r2, -3"),
            ("@%p5 bra OUTER", "@!%p5 bra OUTER"),
        ],
    },
    Kernel {
        name: "prefix",
        source: include_str!("kernels/unfolded/prefix.ptx"),
        target: include_str!("kernels/unfolded/prefix_by_four.ptx"),
        edits: &[
            ("sub.s32 %r7, %r7, 3", "sub.s32 %r7, %r7, 2"),
            ("setp.lt.s32 %p5, %r4, %r1", "setp.le.s32 %p5, %r4, %r1"),
            ("@!%p5 bra DONE", "bra DONE"),
            ("@!%p3 bra REST", "@!%p3 bra DONE"),
            ("@!%p5 bra DONE;", "@!%p5 bra DONE;\n    add.s32 %r4, %r4, 1;"),
            ("@!%p5 bra DONE;", "@!%p5 bra DONE;\n    add.s64 %rd2, %rd2, 4;"),
            ("@!%p5 bra DONE;", "@!%p5 bra DONE;\n    mov.u32 %r5, 0;"),
            ("[%rd2+12], %r5", "[%rd2+12], %r6"),
            ("st.global.u32 [%rd1], %r5", "st.global.u32 [%rd1], %r6"),
        ],
    },
];

/// What is said of a target, where no launch is drawn, which would refute most of the wrong ones.
fn proved(kernel: &Kernel, target: &str, solver: &mut dyn Solver) -> Record {
    let cubin = not_unrolled(target).expect("it compiles");
    let limits = Limits { unroll: 1, launches: 0, ..Limits::default() };
    prove_within(&module(kernel.source), "k", &cubin, solver, limits)
}

#[test]
fn loops_that_do_several_iterations_in_one_are_proved_and_wrong_ones_are_not() {
    let name = "loops_that_do_several_iterations_in_one_are_proved_and_wrong_ones_are_not";
    let Some(mut solver) = solver(name, EFFORT) else { return };
    let mut wrong = Vec::new();
    for kernel in &KERNELS {
        let record = proved(kernel, kernel.target, &mut *solver);
        eprintln!("{}: {}", kernel.name, line(&record));
        let unfolds = record.matching.as_ref().map_or(0, |m| m.unfolds.len());
        if record.verdict != Verdict::Proved || unfolds != 1 {
            wrong.push(format!("{}: {}, {unfolds} loops unfolded", kernel.name, line(&record)));
        }
        for (from, to) in kernel.edits {
            let edited = kernel.target.replace(from, to);
            assert_ne!(kernel.target, edited, "{}: {from}", kernel.name);
            let record = proved(kernel, &edited, &mut *solver);
            let is_proved = record.verdict == Verdict::Proved;
            eprintln!("{}, {to}: {}", kernel.name, record.verdict.word());
            sassafras_oracle::fault::planted("unfolded", &"sm_90", to, 1, usize::from(!is_proved));
            if is_proved {
                wrong.push(format!("{}: {to} is proved", kernel.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A way in which a witness may say more than holds.
type Lie = (&'static str, fn(&mut Entry));

const LIES: &[Lie] = &[
    ("another number of copies", |e| e.matching.unfolds[0].versions[0].times = 3),
    ("no copies", |e| e.matching.unfolds[0].versions[0].times = 0),
    ("too many copies", |e| e.matching.unfolds[0].versions[0].times = 1 << 20),
    ("another place is followed", |e| e.matching.unfolds[0].versions[0].target += 1),
    ("a place is followed that is none", |e| e.matching.unfolds[0].versions[0].target = 1 << 40),
    ("no version", |e| e.matching.unfolds[0].versions.clear()),
    ("another head", |e| e.matching.unfolds[0].head += 1),
    ("a head that is none", |e| e.matching.unfolds[0].head = 1 << 40),
    ("nothing is unfolded", |e| e.matching.unfolds.clear()),
    ("twice the same loop", |e| {
        let again = e.matching.unfolds[0].clone();
        e.matching.unfolds.push(again);
    }),
    ("no way out of the remainder is gone", |e| {
        let (_, out) = e.matching.never[0];
        let last = e.matching.cuts.iter().map(|c| c.source).max().unwrap_or(0);
        e.matching.never.extend((last..out).map(|from| (from, out)));
    }),
    ("nothing is known at the head", |e| e.matching.cuts.iter_mut().for_each(|c| c.facts.clear())),
    ("the contrary is known", |e| {
        for fact in e.matching.cuts.iter_mut().flat_map(|c| &mut c.facts) {
            fact.operands.swap(0, 1);
        }
    }),
    ("something else is known", |e| {
        let operands = [Operand::Number(0), Operand::Number(0)];
        e.matching.cuts[0].facts.push(Fact { relation: Relation::Ne, operands });
    }),
    ("a register is compared that is none", |e| {
        let operands = [Operand::Register(9 << 32), Operand::Number(0)];
        e.matching.cuts[0].facts.push(Fact { relation: Relation::Eq, operands });
    }),
];

#[test]
fn witnesses_that_say_more_of_unfolded_loops_than_holds_are_rejected() {
    let name = "witnesses_that_say_more_of_unfolded_loops_than_holds_are_rejected";
    let (Some(mut prover), Some(mut checker)) = (solver(name, EFFORT), solver(name, 30)) else { return };
    let mut wrong = Vec::new();
    for kernel in KERNELS.iter().filter(|k| ["sum", "positives", "prefix"].contains(&k.name)) {
        let (module, cubin) = (module(kernel.source), not_unrolled(kernel.target).expect("it compiles"));
        let record = proved(kernel, kernel.target, &mut *prover);
        let mut entry = record.witness(1).expect("it was proved");
        // Steps on the way would be about other terms, whatever else is wrong.
        entry.rewrites = Default::default();
        let taken = check(&module, &cubin, &entry, &mut *checker);
        assert!(taken.is_ok(), "{}: {taken:?}", kernel.name);
        assert!(
            !entry.matching.never.is_empty() && !entry.matching.cuts[0].facts.is_empty(),
            "{}",
            kernel.name
        );
        for (what, lie) in LIES {
            let mut other = entry.clone();
            lie(&mut other);
            assert_ne!(other, entry, "{what}");
            let said = check(&module, &cubin, &other, &mut *checker);
            sassafras_oracle::fault::planted("witness", &"sm_90", what, 1, usize::from(said.is_err()));
            match said {
                Ok(_) => wrong.push(format!("{}: {what}", kernel.name)),
                Err(why) => eprintln!("{}, {what}: {why}", kernel.name),
            }
        }
    }
    assert!(wrong.is_empty(), "accepted: {wrong:#?}");
}
