//! BSYNC may let lanes go early (`docs/convergence.md`, C9 and C11): our code is not proved once the `WARPSYNC` is taken away that brings lanes together
//! in front of what needs them all.

#![allow(missing_docs)]

mod common;

use common::{line, module, ours, text, z3};
use sassafras_isa::{Chip, Meaning, Style, decode, encode, parse};
use sassafras_prove::{Verdict, prove};

/// Programs; what stands behind the `WARPSYNC`; and of what the reason speaks.
const PROGRAMS: [(&str, Meaning, &str); 2] = [
    // Loops that yield, and barriers of the block behind them.
    (
        "features/atom_shared_float",
        Meaning::Bar,
        "a barrier of the block where lanes of the warp may be apart",
    ),
    // Lanes leave two barriers at once, and shuffle with the others behind the loops.
    ("features/flow_break_depth_three", Meaning::Shfl, "a cross-lane operation where lanes may be apart"),
];

#[test]
fn without_its_wait_nothing_is_proved() {
    let Some(mut z3) = z3("without_its_wait_nothing_is_proved") else { return };
    let nop = encode(&parse("NOP", &Style::default()).expect("a text"), Chip::Sm90).expect("a word");
    for (name, operation, reason) in PROGRAMS {
        let source = module(&text(name));
        let code = ours(&text(name)).expect("it is compiled");
        let is = |word: &u128, what: Meaning| {
            decode(*word, Chip::Sm90).is_ok_and(|inst| inst.row().meaning == what)
        };
        let words = &code.functions[0].code;
        let at =
            (1..words.len()).filter(|&i| is(&words[i - 1], Meaning::WarpsyncAll) && is(&words[i], operation));
        let at: Vec<usize> = at.map(|i| i - 1).collect();
        assert!(!at.is_empty(), "{name}: nobody waits");
        for &at in &at {
            let mut wrong = code.clone();
            wrong.functions[0].code[at] = nop;
            let record = prove(&source, "k", &wrong, &mut z3);
            // Refuted by an order of the executor in which lanes are let go early, or not proved for that reason.
            let said = matches!(record.verdict, Verdict::Unknown(_)) && line(&record).contains(reason);
            assert!(said || matches!(record.verdict, Verdict::Refuted(_)), "{name}: {}", line(&record));
            sassafras_oracle::fault::planted("prove", &"sm_90", name, 1, 1);
        }
    }
}

/// Lanes arrive at barriers on both sides of a branch for themselves.
const APART: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{ .reg .pred p; .reg .b32 t, v; .reg .b64 o, a; .shared .b32 s[2];
 ld.param.u64 o, [out]; mov.u32 t, %tid.x; mul.wide.u32 a, t, 4; add.u64 o, o, a; setp.gt.u32 p, t, 5;
 @p bra MORE; barrier.sync COUNT; ld.shared.u32 v, [s+4]; bra END;
MORE: barrier.sync COUNT; ld.shared.u32 v, [s];
END: st.global.u32 [o], v; ret; }
";

#[test]
fn lanes_arrive_for_themselves_in_a_collective_alone() {
    let Some(mut z3) = z3("lanes_arrive_for_themselves_in_a_collective_alone") else { return };
    let word =
        |text: &str| encode(&parse(text, &Style::default()).expect("a text"), Chip::Sm90).expect("a word");
    let text = APART.replace("COUNT", "0");
    let (source, code) = (module(&text), ours(&text).expect("it is compiled"));
    let record = prove(&source, "k", &code, &mut z3);
    assert!(matches!(record.verdict, Verdict::Proved), "{}", line(&record));
    let begins = |word: &u128| {
        decode(*word, Chip::Sm90).is_ok_and(|inst| inst.row().id.starts_with("warpsync.collective"))
    };
    let places: Vec<usize> =
        (0..code.functions[0].code.len()).filter(|&i| begins(&code.functions[0].code[i])).collect();
    assert_eq!(places.len(), 2);
    for at in places {
        for (name, instead) in [("no collective", "NOP"), ("a wait of all lanes instead", "WARPSYNC.ALL")] {
            let mut wrong = code.clone();
            wrong.functions[0].code[at] = word(instead);
            let record = prove(&source, "k", &wrong, &mut z3);
            assert!(!matches!(record.verdict, Verdict::Proved), "{name}: {}", line(&record));
            sassafras_oracle::fault::planted("prove", &"sm_90", name, 1, 1);
        }
    }
    // Barriers for some threads may let lanes go on without those of the warp that are elsewhere: these are not waited for in the source.
    let text = APART.replace("COUNT", "0, 32");
    let record = prove(&module(&text), "k", &ours(&text).expect("it is compiled"), &mut z3);
    assert!(!matches!(record.verdict, Verdict::Proved), "{}", line(&record));
}
