//! Registers that the lanes of a warp have in common, in loops in which lanes may lag: ptxas's code for sm_90 (13.0.88, -O3), and the same with an instruction or two changed so that
//! lanes which are ahead write what others have yet to read, or leave where others do not. Right code is proved, and wrong code is not: most of it is refuted with the
//! order of lanes that shows it.

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;

use common::{line, module, solver};
use flate2::read::GzDecoder;
use sassafras_cubin::Cubin;
use sassafras_isa::{Chip, Style, decode, encode, parse};
use sassafras_prove::{Limits, Verdict, prove_within};
use std::io::Read;
use std::path::PathBuf;

/// Effort for each question, in millions of z3's `rlimit`.
const EFFORT: u64 = 4;

/// What stands at byte offsets in the place of what stood there.
type Changes = &'static [(usize, &'static str)];

/// How a fault has to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// With a launch and an order of lanes in which the sides differ.
    Refuted,
    /// It is not proved.
    NotProved,
}

use Told::{NotProved, Refuted};

/// Programs with faults of their code: what is wrong, and what is changed.
const PROGRAMS: &[(&str, &[(&str, Changes, Told)])] = &[
    ("behind", &[("one side writes what all read behind it", &[(0x1e0, "UMOV UR4, 0x5")], Refuted)]),
    (
        "breaks",
        &[("nobody waits for who stays in the inner loop", &[(0xf0, "NOP"), (0x220, "NOP")], Refuted)],
    ),
    ("by_turns", &[("one side writes the bound", &[(0x190, "UMOV UR6, 0x1")], Refuted)]),
    (
        "counter",
        &[("each lane leaves by what it has", &[(0x100, "ISETP.GE.U32.AND P0, PT, R0, UR6, PT")], Refuted)],
    ),
    ("ends", &[("who leaves to end writes the bound", &[(0x190, "UMOV UR6, 0x1")], Refuted)]),
    ("first", &[("who leaves writes the bound of the others", &[(0x150, "UMOV UR6, 0x1")], Refuted)]),
    ("halving", &[("the barrier in the loop is left out", &[(0x180, "NOP")], Refuted)]),
    ("inner", &[("nobody waits for who stays in the inner loop", &[(0xd0, "NOP"), (0x130, "NOP")], Refuted)]),
    ("lag", &[("nobody waits for who stays in the first loop", &[(0x80, "NOP"), (0xd0, "NOP")], Refuted)]),
    (
        "nested",
        &[(
            "each lane leaves the inner loop by what it has",
            &[(0xf0, "ISETP.LE.U32.AND P0, PT, R7, UR5, PT")],
            NotProved,
        )],
    ),
    ("one_side", &[("one side writes the descriptor of all", &[(0xc0, "UMOV UR4, 0x0")], NotProved)]),
    (
        "region",
        &[
            ("nobody waits for who goes the other way", &[(0x100, "NOP"), (0x270, "NOP")], Refuted),
            ("the counter goes on on one side too", &[(0x250, "UIADD3 UR4, UR4, 0x1, URZ")], Refuted),
        ],
    ),
    (
        "rows",
        &[("each lane leaves by what it has", &[(0x130, "ISETP.GE.U32.AND P0, PT, R2, UR8, PT")], Refuted)],
    ),
    (
        "shared_word",
        &[
            ("the word is read before it is written", &[(0x110, "NOP")], Refuted),
            ("the word is written before all have read it", &[(0x130, "NOP")], Refuted),
        ],
    ),
    (
        "shuffles",
        &[("each lane leaves by what it has", &[(0xc0, "ISETP.NE.AND P0, PT, R2, RZ, PT")], Refuted)],
    ),
    (
        "sides",
        &[
            ("nobody waits for who goes the other way", &[(0xb0, "NOP"), (0x1c0, "NOP")], Refuted),
            (
                "the counter goes on on one side too",
                &[(0x140, "UIADD3 UR4, UR4, 0x1, URZ"), (0x150, "NOP")],
                Refuted,
            ),
        ],
    ),
    ("table", &[("the counter in the place of a word", &[(0xf0, "IMAD R7, R2, R7, R0")], Refuted)]),
    (
        "two",
        &[("each lane leaves by what it has", &[(0xb0, "ISETP.GE.U32.AND P0, PT, R2, UR4, PT")], Refuted)],
    ),
    (
        "two_exits",
        &[("each lane leaves by what it has", &[(0xe0, "ISETP.NE.AND P0, PT, R2, UR4, PT")], Refuted)],
    ),
    ("until_all", &[("nobody asks the others", &[(0xf0, "NOP")], Refuted)]),
];

/// Proved within a bound alone: lanes that one side of a branch keeps in a loop unrolled differently.
const WITHIN: [&str; 1] = ["one_side"];

fn folder() -> PathBuf {
    sassafras_oracle::workspace_root().join("verify/prove/tests/uniform/programs")
}

fn source(name: &str) -> String {
    std::fs::read_to_string(folder().join(format!("{name}.ptx"))).expect("a source")
}

fn code(name: &str) -> Cubin {
    let mut bytes = Vec::new();
    let packed = std::fs::File::open(folder().join(format!("{name}.cubin.gz"))).expect("a cubin");
    GzDecoder::new(packed).read_to_end(&mut bytes).expect("it is whole");
    sassafras_cubin::read(&bytes).expect("a sound cubin")
}

/// The code with other instructions, each with the control bits of what stood there.
fn changed(cubin: &Cubin, changes: Changes) -> Cubin {
    let chip = Chip::from_number(cubin.sm).expect("a chip");
    let mut other = cubin.clone();
    for (at, text) in changes {
        let word = &mut other.functions[0].code[at / 16];
        let mut inst = parse(text, &Style::default()).unwrap_or_else(|e| panic!("{text}: {e}"));
        inst.control = decode(*word, chip).expect("an instruction").control;
        let new = encode(&inst, chip).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        assert_ne!(new, *word, "nothing is changed");
        *word = new;
    }
    other
}

#[test]
fn right_code_is_proved() {
    let Some(mut solver) = solver("right_code_is_proved", EFFORT) else { return };
    let mut short = Vec::new();
    for (name, _) in PROGRAMS {
        let record = prove_within(&module(&source(name)), "k", &code(name), &mut *solver, Limits::default());
        eprintln!("{name}: {}", line(&record));
        let right = match record.verdict {
            Verdict::Proved => true,
            Verdict::ProvedWithin(_) => WITHIN.contains(name),
            _ => false,
        };
        if !right {
            short.push(*name);
        }
    }
    assert!(short.is_empty(), "not proved: {short:?}");
}

#[test]
fn wrong_code_is_not_proved() {
    let Some(mut solver) = solver("wrong_code_is_not_proved", EFFORT) else { return };
    let (mut wrong, mut unshown) = (Vec::new(), Vec::new());
    for (name, faults) in PROGRAMS {
        let (module, right) = (module(&source(name)), code(name));
        assert!(!faults.is_empty(), "{name}: nothing is planted");
        for (what, changes, told) in *faults {
            let record =
                prove_within(&module, "k", &changed(&right, changes), &mut *solver, Limits::default());
            eprintln!("{name}, {what}: {}", record.verdict.word());
            let passed = matches!(record.verdict, Verdict::Proved | Verdict::ProvedWithin(_));
            sassafras_oracle::fault::planted("prove", &"sm_90", what, 1, usize::from(!passed));
            if passed {
                wrong.push(format!("{name}: {what}"));
            } else if *told == Refuted && !matches!(record.verdict, Verdict::Refuted(_)) {
                unshown.push(format!("{name}: {what}: {:?}", record.verdict));
            }
        }
    }
    assert!(wrong.is_empty(), "proved: {wrong:#?}");
    assert!(unshown.is_empty(), "not refuted: {unshown:#?}");
}

/// Without drawn launches what is proved rests on the rules alone.
#[test]
fn wrong_code_is_not_proved_without_a_launch() {
    let Some(mut solver) = solver("wrong_code_is_not_proved_without_a_launch", EFFORT) else { return };
    let mut wrong = Vec::new();
    for (name, faults) in PROGRAMS {
        let (module, right) = (module(&source(name)), code(name));
        for (what, changes, _) in *faults {
            let limits = Limits { unroll: 2, launches: 0, ..Limits::default() };
            let record = prove_within(&module, "k", &changed(&right, changes), &mut *solver, limits);
            if matches!(record.verdict, Verdict::Proved | Verdict::ProvedWithin(_)) {
                wrong.push(format!("{name}: {what}: {}", line(&record)));
            }
        }
    }
    assert!(wrong.is_empty(), "proved: {wrong:#?}");
}
