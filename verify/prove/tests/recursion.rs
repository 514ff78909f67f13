//! Functions that call themselves: proved within a bound, and not where code lacks one of its instructions, or says otherwise.

#![allow(missing_docs)]

mod common;

use common::{module, recorded, solver, text};
use sassafras_cubin::Cubin;
use sassafras_isa::{Chip, Style, encode, parse};
use sassafras_prove::{Limits, Verdict, prove_within};

const PATH: &str = "features/flow_recursion_mutual";

const TWICE: &str = "features/call_recursive";

/// Most calls of a function within itself that are looked at; nobody needs to look for an example of what is wrong.
const LIMITS: Limits = Limits { unroll: 4, effort: 200, launches: 0, ..Limits::DEFAULT };

/// The instruction at a byte offset is another.
fn with(cubin: &Cubin, place: usize, text: &str) -> Cubin {
    let chip = Chip::from_number(cubin.sm).expect("a chip");
    let word = encode(&parse(text, &Style::default()).expect("a text"), chip).expect("a word");
    let mut changed = cubin.clone();
    let at = cubin.functions.iter().position(|f| f.entry && f.name == "k").expect("an entry");
    // Who waits for whom is as it was.
    const CONTROL: u128 = 0x1f_ffff << 105;
    let code = &mut changed.functions[at].code[place / 16];
    *code = word & !CONTROL | *code & CONTROL;
    changed
}

fn accepted(source: &str, cubin: &Cubin) -> bool {
    let Some(mut z3) = solver("recursion", 4) else { return false };
    let verdict = prove_within(&module(source), "k", cubin, &mut *z3, LIMITS).verdict;
    matches!(verdict, Verdict::Proved | Verdict::ProvedWithin(_))
}

/// The high word of the return address is zero in every function, whoever sets it or brings it back; the register of a result that is zero is zero there;
/// lanes that are about to end do not have to meet.
const BENIGN: [usize; 6] = [0x160, 0x230, 0x2c0, 0x3a0, 0x3d0, 0x410];

#[test]
fn each_instruction_is_needed() {
    if solver("each_instruction_is_needed", 4).is_none() {
        return;
    }
    let source = text(PATH);
    let cubin = recorded("13.0.88", PATH).expect("it is recorded");
    assert!(accepted(&source, &cubin));
    // A third of them on every test run: each takes a second. All: `cargo xtask long corpus-prove`.
    let every = if std::env::var_os("SASSAFRAS_ALL_PROOFS").is_some() { 1 } else { 3 };
    let looked: Vec<usize> = (0..0x450).step_by(16).step_by(every).collect();
    let kept: Vec<usize> =
        looked.iter().copied().filter(|place| accepted(&source, &with(&cubin, *place, "NOP"))).collect();
    let benign: Vec<usize> = BENIGN.into_iter().filter(|place| looked.contains(place)).collect();
    assert_eq!(kept, benign, "{kept:x?}");
}

#[test]
fn what_differs_is_not_proved() {
    if solver("what_differs_is_not_proved", 4).is_none() {
        return;
    }
    let source = text(PATH);
    let cubin = recorded("13.0.88", PATH).expect("it is recorded");
    let changes = [
        // The frame of a call overlaps that of its caller.
        (0x1b0, "VIADD R1, R1, 0xfffffff8"),
        (0x300, "IADD3 R1, R1, -0x8, RZ"),
        // The stack is not what it was.
        (0x2e0, "VIADD R1, R1, 0x20"),
        // It goes back to another place; by another word; one instruction further on.
        (0x250, "MOV R20, 0x3c0"),
        (0x2a0, "LDL R20, [R1]"),
        (0x390, "MOV R20, 0x3d0"),
        // It calls itself instead of the other.
        (0x260, "CALL.REL.NOINC pc(-0xc0)"),
        // The mask of a barrier: of another barrier, into another, not taken out, one that is no such mask.
        (0x1f0, "BMOV.32.CLEAR R2, B5"),
        (0x2b0, "BMOV.32 B5, R2"),
        (0x1f0, "BMOV.32 R2, B6"),
        (0x2b0, "BMOV.32 B6, R4"),
        (0x2b0, "BMOV.32 B6, R20"),
        (0x400, "BMOV.32 B6, R21"),
        // The word of another register is kept.
        (0x1e0, "STL [R1], R3"),
        (0x2d0, "LDL R2, [R1+0x4]"),
        // Another end of the recursion, another step.
        (0x280, "IMAD.MOV.U32 R4, RZ, RZ, 0x2"),
        (0x380, "VIADD R4, R4, 0xfffffffe"),
    ];
    for (place, text) in changes {
        assert!(!accepted(&source, &with(&cubin, place, text)), "{place:#x} {text}");
    }
    let sources = [
        ("st.param.b32 [r], 1;", "st.param.b32 [r], 2;"),
        (
            "call.uni (r0), odd, (a0);\n    ld.param.b32 v, [r0];\n    }\n    st",
            "call.uni (r0), even, (a0);\n    ld.param.b32 v, [r0];\n    }\n    st",
        ),
        ("and.b32 u, a, 7;", "and.b32 u, a, 6;"),
        ("setp.lt.s32 p, b, 0;", "setp.le.s32 p, b, 0;"),
        ("NO:\n    st.param.b32 [r], 0;", "NO:\n    st.param.b32 [r], v;\n    st.param.b32 [r], 3;"),
    ];
    for (old, new) in sources {
        assert!(source.contains(old), "{old}");
        assert!(!accepted(&source.replace(old, new), &cubin), "{new}");
    }
}

/// A function that calls itself twice is written out less deep; values of 64 bits go through the parameters of calls.
#[test]
fn one_that_calls_itself_twice_is_proved_less_deep() {
    let Some(mut z3) = solver("one_that_calls_itself_twice_is_proved_less_deep", 4) else { return };
    let (source, cubin) = (text(TWICE), recorded("13.0.88", TWICE).expect("it is recorded"));
    let mut proved = |source: &str, cubin: &Cubin| {
        let record = prove_within(&module(source), "k", cubin, &mut *z3, Limits { effort: 4_000, ..LIMITS });
        eprintln!("{}", common::line(&record));
        assert!(record.contradiction.is_none());
        record.verdict
    };
    let wrong = |verdict: Verdict| matches!(verdict, Verdict::Unknown(_) | Verdict::Refuted(_));
    assert_eq!(proved(&source, &cubin), Verdict::ProvedWithin(1));
    let codes = [
        // The end of the recursion; the first call; the second; what is added.
        (0x5a0, "ISETP.GE.U32.AND P0, PT, R2, 0x3, PT"),
        (0x5e0, "VIADD R4, R2, 0xfffffffe"),
        (0x630, "VIADD R4, R2, 0xffffffff"),
        (0x670, "IADD3 R4, R17, R17, RZ"),
        // What is stored in the array; a word of what is handed over; a word of the result.
        (0x3c0, "STL [R2], R4"),
        (0x410, "IMAD R3, R5, 0x4, RZ"),
        (0x4f0, "LOP3.LUT R5, R5, R2, RZ, 0x3c, !PT"),
    ];
    for (place, text) in codes {
        assert!(wrong(proved(&source, &with(&cubin, place, text))), "{place:#x} {text}");
    }
    let sources = [
        ("mad.lo.u64 v, v, 5, 1;", "mad.lo.u64 v, v, 5, 2;"),
        ("st.param.b64 [x1], v;", "st.param.b64 [x1], v;\n    st.param.b8 [x1+7], n0;"),
        ("st.param.b64 [x1], w;", "st.param.b64 [x1], v;"),
        ("st.param.b64 [r], v;", "st.param.b64 [r], v;\n    st.param.b32 [r+4], n0;"),
        ("sub.u32 b, n0, 2;", "sub.u32 b, n0, 1;"),
    ];
    for (old, new) in sources {
        assert!(source.contains(old), "{old}");
        assert!(wrong(proved(&source.replace(old, new), &cubin)), "{new}");
    }
}

/// What goes deeper than is looked at is not proved: it is excluded, and said so.
#[test]
fn depth_is_a_bound() {
    let Some(mut z3) = solver("depth_is_a_bound", 4) else { return };
    let cubin = recorded("13.0.88", PATH).expect("it is recorded");
    let mut prove = |unroll| {
        let limits = Limits { unroll, ..LIMITS };
        prove_within(&module(&text(PATH)), "k", &cubin, &mut *z3, limits)
    };
    let record = prove(2);
    assert_eq!(record.verdict, Verdict::ProvedWithin(2));
    for id in ["A-TERM", "A-STACK"] {
        assert!(record.assumptions.iter().any(|a| a.id() == id), "{id}");
    }
}
