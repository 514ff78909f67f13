//! Loops that are gone through once, for any number of turns: what is proved so, its witnesses, and witnesses that say more than holds.

use crate::common::{module, not_unrolled, solver};
use crate::truth::{differences, instrumented};
use crate::{KERNELS, line, pairs};
use sassafras_cubin::Cubin;
use sassafras_prove::{Limits, Verdict, explain::explain, prove_within};
use sassafras_ptx::checked::Module;
use sassafras_symbolic::cut::{Cut, Shape};
use sassafras_witness::Entry;
use sassafras_witness::check::check;

/// Kernels of ours that are proved for any number of turns.
const PROVED: [&str; 7] = ["bottom", "triangle", "search", "filter", "two_counters", "three", "rows"];

/// Effort for each question, in millions of z3's `rlimit`.
const EFFORT: u64 = 4;

/// Each thread scales what lies a grid apart; lanes of a warp leave at different times.
const STRIDE: &str = include_str!("kernels/turns/stride.ptx");

/// Of the edited pairs one in so many is tried on every run; all with `SASSAFRAS_ALL_CONTROLS`, which takes half an hour.
const SAMPLE: usize = 37;

/// No launch is drawn, which would refute most of these, so that one turn of each loop is all that stands between an edit and a proof.
#[test]
fn no_proof_for_any_number_of_turns_covers_a_launch_that_differs() {
    let name = "no_proof_for_any_number_of_turns_covers_a_launch_that_differs";
    let Some(mut solver) = solver(name, EFFORT) else { return };
    let whole = std::env::var_os("SASSAFRAS_ALL_CONTROLS").is_some();
    let (mut wrong, mut differ, mut alike, mut proved) = (Vec::new(), 0, 0, 0);
    for (nth, pair) in pairs().iter().enumerate().filter(|(nth, _)| whole || nth.is_multiple_of(SAMPLE)) {
        let source = module(&instrumented(&pair.source, false));
        let counted = module(&instrumented(&pair.source, true));
        let text = instrumented(&pair.target, false);
        let cubin = not_unrolled(&text).unwrap_or_else(|| panic!("{} does not compile", pair.who));
        let found = differences(&source, &counted, &module(&text));
        let limits = Limits { unroll: 1, launches: 0, ..Limits::default() };
        let record = prove_within(&source, "k", &cubin, &mut *solver, limits);
        let is_proved = record.verdict == Verdict::Proved;
        match found.first() {
            None => (alike, proved) = (alike + 1, proved + u32::from(is_proved)),
            Some(difference) => {
                differ += 1;
                if is_proved {
                    wrong.push(format!("{}: {difference:?}", pair.who));
                }
            }
        }
        if whole {
            eprintln!("{nth} {}: {} in {:.1} s", pair.who, record.verdict.word(), record.seconds);
        }
    }
    eprintln!(
        "{differ} pairs differ on a launch; {alike} do not on any that was tried, of which {proved} are proved"
    );
    assert!(wrong.is_empty(), "{} are proved wrongly: {wrong:#?}", wrong.len());
    assert!(differ > 5, "a control of nothing");
}

fn pair(name: &str) -> (Module, Cubin) {
    let kernel = KERNELS.iter().find(|k| k.0 == name).map_or(STRIDE, |k| k.1);
    let text = instrumented(kernel, false);
    let cubin = not_unrolled(&text).expect("it compiles");
    (module(&text), cubin)
}

#[test]
fn loops_are_proved_for_any_number_of_turns() {
    let Some(mut solver) = solver("loops_are_proved_for_any_number_of_turns", EFFORT) else { return };
    let mut short = Vec::new();
    for name in PROVED.into_iter().chain(["stride"]) {
        let (module, cubin) = pair(name);
        let limits = Limits { unroll: 1, ..Limits::default() };
        let record = prove_within(&module, "k", &cubin, &mut *solver, limits);
        eprintln!("{name}: {}", line(&record));
        if record.verdict != Verdict::Proved {
            short.push(name);
        }
    }
    assert!(short.is_empty(), "not proved: {short:?}");
}

/// Launches that are drawn for a wrong edit whose values take a solver long.
const DRAWN: u64 = 64;

/// Loops that were not cut: each with a wrong edit of its text, and how many launches are drawn for that.
const SHAPES: &[(&str, &str, &str, &str, u64)] = &[
    (
        "a routine is called",
        include_str!("kernels/turns/quotients.ptx"),
        "%r4, %r4, %r5",
        "%r4, %r5, %r5",
        DRAWN,
    ),
    ("a function is called", include_str!("kernels/turns/calls.ptx"), "[t], %r3", "[t], %r4", 0),
    ("a carry flag is written", include_str!("kernels/turns/carry.ptx"), "%r4, %r7, 0;", "%r4, %r7, %r7;", 0),
    (
        "it is entered twice",
        include_str!("kernels/turns/two_ways.ptx"),
        "mov.u32 %r4, 5",
        "mov.u32 %r4, 6",
        0,
    ),
];

#[test]
fn loops_of_many_shapes_are_proved_and_wrong_ones_are_not() {
    let name = "loops_of_many_shapes_are_proved_and_wrong_ones_are_not";
    let (Some(mut prover), Some(mut checker)) = (solver(name, EFFORT), solver(name, 30)) else { return };
    let mut wrong = Vec::new();
    for (what, right, from, to, launches) in SHAPES {
        let edited = right.replace(from, to);
        assert_ne!(*right, edited, "{what}");
        let (source, other) = (module(right), module(&edited));
        let cubin = not_unrolled(right).expect("it compiles");
        let limits = Limits { unroll: 1, launches: 0, ..Limits::default() };
        let record = prove_within(&source, "k", &cubin, &mut *prover, limits);
        eprintln!("{what}: {}", line(&record));
        match record.witness(1) {
            Some(mut entry) if record.verdict == Verdict::Proved => {
                explain(&source, &cubin, &mut entry, &mut *checker);
                if let Err(why) = check(&source, &cubin, &entry, &mut *checker) {
                    wrong.push(format!("{what}: the witness is rejected: {why}"));
                }
            }
            _ => wrong.push(format!("{what}: {}", line(&record))),
        }
        let limits = Limits { launches: *launches, ..limits };
        let record = prove_within(&other, "k", &cubin, &mut *prover, limits);
        eprintln!("{what}, wrongly: {}", record.verdict.word());
        if record.verdict == Verdict::Proved {
            wrong.push(format!("{what}: the edit is proved"));
        }
        let planted = usize::from(record.verdict != Verdict::Proved);
        sassafras_oracle::fault::planted("turns", &"sm_90", what, 1, planted);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What a turn leaves on the stack, the next one finds: code that takes what was there before the loop is wrong.
#[test]
fn a_stack_that_turns_write_is_no_state_of_one_turn() {
    let Some(mut solver) = solver("a_stack_that_turns_write_is_no_state_of_one_turn", EFFORT) else { return };
    let right = include_str!("kernels/turns/stack.ptx");
    let wrong = right.replace("ld.local.u32 %r4, [%d5];", "mov.u32 %r4, 1;");
    assert_ne!(right, wrong);
    let limits = Limits { unroll: 1, launches: 0, ..Limits::default() };
    for (source, target) in [(right, wrong.as_str()), (&wrong, right), (right, right)] {
        let cubin = not_unrolled(target).expect("it compiles");
        let record = prove_within(&module(source), "k", &cubin, &mut *solver, limits);
        assert_ne!(record.verdict, Verdict::Proved, "{source}\n{target}");
    }
}

/// A way in which a witness may say more than holds.
type Lie = (&'static str, fn(&mut Cut));

const LIES: &[Lie] = &[
    ("registers that the target's loop writes keep their values", |cut| cut.free[1].clear()),
    ("registers that the source's loop writes keep their values", |cut| cut.free[0].clear()),
    ("a register of the target holds what it held", |cut| {
        cut.rows.pop();
    }),
    ("a register of the source holds what it held", |cut| {
        cut.variables.pop();
    }),
    ("registers of the target hold each other's values", |cut| {
        if let [first, .., last] = &mut cut.rows[..] {
            std::mem::swap(&mut first.registers, &mut last.registers);
        } else {
            cut.rows[0].registers[0] += 1;
        }
    }),
    ("another register of the target holds it", |cut| cut.rows[0].registers[0] += 2),
    ("bits that are not there", |cut| cut.rows[0].shape = Shape::Part(16)),
    ("what holds has moved", |cut| cut.rows[0].shape = Shape::Moved(1)),
    ("a variable that is not there", |cut| cut.rows[0].variable += 100),
    ("lanes have a variable in common", |cut| {
        cut.variables.iter_mut().for_each(|v| v.common = true);
        cut.weaker.iter_mut().for_each(|w| w.apart = false);
    }),
    ("lanes are together", |cut| cut.weaker.iter_mut().for_each(|w| w.apart = false)),
    ("memory stays as it is", |cut| cut.keeps_memory = true),
    ("the head of the source is another place", |cut| cut.source += 1),
    ("the head of the target is another place", |cut| cut.target += 1),
    ("the head of the target is none", |cut| cut.target = 1 << 40),
    ("a register that is none", |cut| cut.rows[0].registers[0] = 9 << 32),
    ("a width that is none", |cut| cut.variables[0].width = 64),
];

#[test]
fn witnesses_that_say_more_of_loops_than_holds_are_rejected() {
    let name = "witnesses_that_say_more_of_loops_than_holds_are_rejected";
    let (Some(mut prover), Some(mut checker)) = (solver(name, EFFORT), solver(name, 30)) else { return };
    let (module, cubin) = pair("stride");
    let limits = Limits { unroll: 1, ..Limits::default() };
    let record = prove_within(&module, "k", &cubin, &mut *prover, limits);
    assert_eq!(record.verdict, Verdict::Proved, "a control of nothing");
    let mut entry = record.witness(1).expect("it was proved");
    explain(&module, &cubin, &mut entry, &mut *checker);
    assert_eq!(entry.matching.cuts.len(), 1, "one loop is cut");
    let taken = check(&module, &cubin, &entry, &mut *checker);
    assert!(taken.is_ok(), "{taken:?}");
    let mut wrong = Vec::new();
    for (what, lie) in LIES {
        let mut other = entry.clone();
        lie(&mut other.matching.cuts[0]);
        if other == entry {
            continue;
        }
        let said = check(&module, &cubin, &other, &mut *checker);
        sassafras_oracle::fault::planted("witness", &"sm_90", what, 1, usize::from(said.is_err()));
        match said {
            Ok(_) => wrong.push(*what),
            Err(why) => eprintln!("{what}: {why}"),
        }
    }
    let uncut = Entry {
        matching: sassafras_witness::Matching { cuts: Vec::new(), ..entry.matching.clone() },
        ..entry.clone()
    };
    if check(&module, &cubin, &uncut, &mut *checker).is_ok() {
        wrong.push("no loop is cut");
    }
    assert!(wrong.is_empty(), "accepted: {wrong:#?}");
}
