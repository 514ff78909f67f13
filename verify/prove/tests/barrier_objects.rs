//! Barrier objects on chips without a unit for them: our code is proved for each chip, and with one instruction changed it is not.

#![allow(missing_docs)]

mod common;

use common::{line, module, ours_for, text, z3};
use sassafras_cubin::Cubin;
use sassafras_isa::{Chip, Style, decode, encode, parse, print};
use sassafras_prove::{Verdict, prove};

/// It is no feature of the corpus: what ptxas makes of it for sm_90 has instructions of which nothing is known (RPCMOV).
const PROGRAM: &str = "../verify/prove/tests/barrier_objects/mbarrier_80_counts";

/// What is wrong, and a change of our code: the first instruction with both texts, the second of which is what changes, and what stands there instead; `-`
/// is no instruction.
const WRONG: [(&str, &str, &str, &str); 7] = [
    ("no arrival", "ATOMS.ARRIVE.64", "", "-"),
    ("an arrival at another object", "ATOMS.ARRIVE.64", "+URZ]", "+URZ+0x8]"),
    ("nothing is released", "MEMBAR.ALL.CTA", "", "-"),
    ("nobody drops out", "ATOMS.ADD RZ", "", "-"),
    ("the count of each phase in the place of that of this one", "LDS", "+0x4]", "]"),
    ("the object is begun elsewhere", "STS.64", "]", "+0x8]"),
    ("no object is begun", "STS.64", "", "-"),
];

fn ours(target: &str) -> Cubin {
    ours_for(&text(PROGRAM), target).expect("it compiles")
}

fn verdict(what: &str, cubin: &Cubin, solver: &mut dyn sassafras_prove::Solver) -> Verdict {
    let record = prove(&module(&text(PROGRAM)), "k", cubin, solver);
    println!("{what}: {}", line(&record));
    record.verdict
}

#[test]
fn right_code_is_proved() {
    let Some(mut z3) = z3("right_code_is_proved") else { return };
    for target in ["sm_80", "sm_86", "sm_87", "sm_88", "sm_89"] {
        assert_eq!(verdict(target, &ours(target), &mut z3), Verdict::Proved, "{target}");
    }
}

#[test]
fn wrong_code_is_not() {
    let Some(mut z3) = z3("wrong_code_is_not") else { return };
    let chip = Chip::from_number(80).expect("a chip");
    let right = ours("sm_80");
    for (what, inst, from, to) in WRONG {
        let mut cubin = right.clone();
        let entry = cubin.functions.iter_mut().find(|f| f.entry).expect("an entry");
        let all: Vec<_> = entry.code.iter().map(|word| decode(*word, chip).expect("it decodes")).collect();
        let texts: Vec<String> = all.iter().map(|i| print(i, &Style::default()).to_string()).collect();
        let at = texts.iter().position(|text| text.contains(inst) && text.contains(from)).expect(what);
        let changed = if to == "-" { "NOP".into() } else { texts[at].replacen(from, to, 1) };
        let mut new = parse(&changed, &Style::default()).expect("it reads");
        new.control = all[at].control;
        entry.code[at] = encode(&new, chip).expect("it fits");
        let found = verdict(what, &cubin, &mut z3);
        assert!(matches!(found, Verdict::Refuted(_) | Verdict::Unknown(_)), "{what}: {found:?}");
    }
}
