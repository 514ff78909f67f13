//! Loops around a compare-and-swap that stand for one atomic operation (A-RETRY): our code of such operations is proved, and what is changed so that
//! it is another operation, or none, is not.

#![allow(missing_docs)]

mod common;

use common::{line, module, ours, text, z3};
use sassafras_cubin::Cubin;
use sassafras_isa::{Chip, Style, decode, encode, parse, print};
use sassafras_prove::{Assumption, Verdict, prove};

const FLOAT: &str = "features/atom_shared_float";
const HALF: &str = "features/atom_half_add";

/// Program, what is wrong, an instruction of our code (the first with this beginning), and what stands in its place.
const WRONG: [(&str, &str, &str, &str); 18] = [
    (FLOAT, "another sum", "FADD R9, R8, R7", "FADD R9, R8, R8"),
    (FLOAT, "expected and new change places", "ATOMS.CAS R10, [R2], R8, R9", "ATOMS.CAS R10, [R2], R9, R8"),
    (
        FLOAT,
        "again where it was done",
        "ISETP.EQ.U32.AND P0, PT, R10, R8",
        "ISETP.NE.U32.AND P0, PT, R10, R8, PT",
    ),
    (FLOAT, "equal as numbers", "ISETP.EQ.U32.AND P0, PT, R10, R8", "FSETP.EQ.AND P0, PT, R10, R8, PT"),
    (
        FLOAT,
        "done if it is what was made",
        "ISETP.EQ.U32.AND P0, PT, R10, R8",
        "ISETP.EQ.U32.AND P0, PT, R10, R9, PT",
    ),
    (FLOAT, "half of the word is compared", "ISETP.EQ.U32.AND.EX P0", "NOP"),
    (FLOAT, "the next round expects what was made", "MOV R8, R10", "MOV R8, R9"),
    (FLOAT, "the next round expects the same", "MOV R8, R10", "NOP"),
    (FLOAT, "a change elsewhere", "ATOMS.CAS R10, [R2]", "ATOMS.CAS R10, [R3], R8, R9"),
    (FLOAT, "a load elsewhere", "LDS R8, [R2]", "LDS R8, [R3+0x4000]"),
    (HALF, "a load of another memory", "LDS R13, [R6]", "LDG.E R13, desc[UR0][R6.64]"),
    (FLOAT, "a store besides", "YIELD", "STS [R2], R7"),
    (FLOAT, "a count of rounds", "YIELD", "IADD3 R16, R16, 0x1, RZ"),
    (FLOAT, "nobody waits behind it", "BSYNC B0", "NOP"),
    (
        HALF,
        "the neighbour is lost",
        "LOP3.LUT R16, R13, R12, R15, 0xea",
        "LOP3.LUT R16, R13, R12, R15, 0xaa, !PT",
    ),
    (
        HALF,
        "the neighbour is changed",
        "LOP3.LUT R16, R13, R12, R15, 0xea",
        "LOP3.LUT R16, R13, R12, R15, 0xfa, !PT",
    ),
    (HALF, "what was made is told", "PRMT R11, R10, 0x5410, R2", "PRMT R11, R10, 0x5410, R5"),
    (
        HALF,
        "a narrower scope",
        "ATOMG.E.CAS.STRONG.GPU PT, R5",
        "ATOMG.E.CAS.STRONG.SM PT, R5, [R20], R4, R12",
    ),
];

fn changed(cubin: &Cubin, from: &str, to: &str) -> Cubin {
    let chip = Chip::from_number(90).expect("a chip");
    let mut cubin = cubin.clone();
    let code = &mut cubin.functions[0].code;
    let of = |word: &u128| decode(*word, chip).expect("a word");
    let at = code.iter().position(|w| print(&of(w), &Style::default()).starts_with(from));
    let at = at.unwrap_or_else(|| panic!("our code has no `{from}`"));
    let mut inst = parse(to, &Style::default()).unwrap_or_else(|e| panic!("{to}: {e:?}"));
    inst.control = of(&code[at]).control;
    code[at] = encode(&inst, chip).expect("a word");
    cubin
}

#[test]
fn loops_for_one_operation_are_proved() {
    let Some(mut z3) = z3("loops_for_one_operation_are_proved") else { return };
    for name in [FLOAT, HALF, "features/atom_half_word"] {
        let text = text(name);
        let record = prove(&module(&text), "k", &ours(&text).expect("it compiles"), &mut z3);
        eprintln!("{name}: {}", line(&record));
        assert_eq!(record.verdict, Verdict::Proved, "{name}");
        assert!(record.assumptions.contains(&Assumption::Retry), "{name}");
    }
}

#[test]
fn other_loops_are_not() {
    let Some(mut z3) = z3("other_loops_are_not") else { return };
    for (name, what, from, to) in WRONG {
        let text = text(name);
        let cubin = changed(&ours(&text).expect("it compiles"), from, to);
        let record = prove(&module(&text), "k", &cubin, &mut z3);
        eprintln!("{name}, {what}: {}", line(&record).chars().take(300).collect::<String>());
        assert!(matches!(record.verdict, Verdict::Unknown(_) | Verdict::Refuted(_)), "{name}: {what}");
        assert!(record.contradiction.is_none(), "{name}: {what}: {:?}", record.contradiction);
    }
}
