//! Loops around a compare-and-swap that stand for one atomic operation (A-RETRY): our code of such operations is proved, and what is changed so that
//! it is another operation, or none, is not.

#![allow(missing_docs)]

mod common;

use common::{line, module, ours, recorded, text, z3};
use sassafras_cubin::Cubin;
use sassafras_isa::{Chip, Style, decode, encode, parse, print};
use sassafras_prove::{Assumption, Verdict, prove};
use std::collections::BTreeMap;

const FLOAT: &str = "features/atom_shared_float";
const HALF: &str = "features/atom_half_add";

/// Program, what is wrong, an instruction of our code (the first with this beginning), and what stands in its place. `$x` is some register, and
/// the same one wherever it stands again; instructions before ` | ` only say which.
const WRONG: [(&str, &str, &str, &str); 19] = [
    (FLOAT, "another sum", "ATOMS.CAS $r, [$p], $e, $n | FADD $n, $e, $x", "FADD $n, $e, $e"),
    (FLOAT, "expected and new change places", "ATOMS.CAS $r, [$p], $e, $n", "ATOMS.CAS $r, [$p], $n, $e"),
    (
        FLOAT,
        "again where it was done",
        "ISETP.EQ.U32.AND P0, PT, $r, $e",
        "ISETP.NE.U32.AND P0, PT, $r, $e, PT",
    ),
    (
        FLOAT,
        "equal as numbers",
        "ATOMS.CAS $r, [$p], $e, $n | ISETP.EQ.U32.AND P0, PT, $r, $e",
        "FSETP.EQ.AND P0, PT, $r, $e, PT",
    ),
    (
        FLOAT,
        "done if it is the summand",
        "ATOMS.CAS $r, [$p], $e, $n | FADD $n, $e, $x | ISETP.EQ.U32.AND P0, PT, $r, $e",
        "ISETP.EQ.U32.AND P0, PT, $r, $x, PT",
    ),
    (FLOAT, "half of the word is compared", "ISETP.EQ.U32.AND.EX P0", "NOP"),
    (
        FLOAT,
        "the next round expects the summand",
        "ATOMS.CAS $r, [$p], $e, $n | FADD $n, $e, $x | MOV $e, $r",
        "MOV $e, $x",
    ),
    (FLOAT, "the next round expects the same", "ATOMS.CAS $r, [$p], $e, $n | MOV $e, $r", "NOP"),
    (FLOAT, "a change elsewhere", "ATOMS.CAS $r, [$p], $e, $n", "ATOMS.CAS $r, [$p+0x4], $e, $n"),
    (FLOAT, "a load elsewhere", "ATOMS.CAS $r, [$p], $e, $n | LDS $e, [$p]", "LDS $e, [$p+0x4000]"),
    (HALF, "a load of another memory", "LDS $o, [$p]", "LDG.E $o, desc[UR0][R6.64]"),
    (FLOAT, "a store besides", "ATOMS.CAS $r, [$p], $e, $n | FADD $n, $e, $x | YIELD", "STS [$p], $x"),
    (FLOAT, "a count of rounds", "YIELD", "IADD3 R16, R16, 0x1, RZ"),
    (FLOAT, "nobody waits behind it", "BSYNC B0", "NOP"),
    // The loop yields, so that its lanes may come to the barrier of the block one after another (`docs/convergence.md`, C11 and C14).
    (FLOAT, "nobody waits in front of a barrier of the block", "WARPSYNC.ALL", "NOP"),
    (HALF, "the neighbour is lost", "LOP3.LUT $m, $v, $o, $k, 0xf4", "LOP3.LUT $m, $v, $o, $k, 0xf0, !PT"),
    (HALF, "the neighbour is changed", "LOP3.LUT $m, $v, $o, $k, 0xf4", "LOP3.LUT $m, $v, $o, $k, 0xfc, !PT"),
    (
        HALF,
        "what was made is told",
        "HADD2 $m, $h.H0_H0 | PRMT $d, $x, 0x5410, $h",
        "PRMT $d, $x, 0x5410, $m",
    ),
    (
        HALF,
        "a narrower scope",
        "ATOMG.E.CAS.STRONG.GPU PT, $r, [$q], $e, $n",
        "ATOMG.E.CAS.STRONG.SM PT, $r, [$q], $e, $n",
    ),
];

/// ptxas's code of compare-and-swaps of 16 bits, whose loops expect something else than the word they started from.
const WORD: &str = "features/atom_half_word";

/// What is wrong, an instruction of ptxas's code of [`WORD`], and what stands in its place.
const WRONG_GUESSES: [(&str, &str, &str); 17] = [
    ("until it succeeds", "ISETP.NE.U32.AND P0, PT, R13, R14", "ISETP.NE.U32.AND P0, PT, R17, R7, PT"),
    ("again where the rest is the same", "ISETP.NE.U32.AND P0", "ISETP.EQ.U32.AND P0, PT, R13, R14, PT"),
    ("once", "ISETP.NE.U32.AND P0", "ISETP.NE.U32.AND P0, PT, R13, R13, PT"),
    ("less of the rest", "ISETP.NE.U32.AND P0", "ISETP.GT.U32.AND P0, PT, R13, R14, PT"),
    ("the next guess is what was made", "IMAD.MOV.U32 R13, RZ, RZ, R17", "IMAD.MOV.U32 R13, RZ, RZ, R12"),
    ("the next guess is the rest", "IMAD.MOV.U32 R13, RZ, RZ, R17", "NOP"),
    ("the wanted half is not asked", "PRMT R7, R13, R4, R15", "MOV R7, R13"),
    ("another half is wanted", "PRMT R7, R13, R4, R15", "PRMT R7, R13, R4, R9"),
    ("the neighbour is lost", "PRMT R12, R13", "PRMT R12, R9, R4, R9"),
    ("what is made is what is wanted", "PRMT R12, R13", "PRMT R12, R13, R4, R15"),
    ("the wanted half is part of the rest", "PRMT R14, R7", "PRMT R14, R7, R4, R15"),
    ("expected and made change places", "ATOMS.CAS R17", "ATOMS.CAS R17, [R8], R12, R7"),
    ("a change elsewhere", "ATOMS.CAS R17", "ATOMS.CAS R17, [R8+0x4], R7, R12"),
    ("a load elsewhere", "LDS R13, [R8]", "LDS R13, [R8+0x4]"),
    ("the guess is told", "SHF.R.U32.HI R10, RZ, R10, R17", "SHF.R.U32.HI R10, RZ, R10, R7"),
    ("nothing is released", "MEMBAR.ALL.GPU", "NOP"),
    ("nothing is acquired", "CCTL.IVALL", "NOP"),
];

/// A loop around a compare-and-swap, behind which all lanes are asked.
const ASKED: &str = "
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
    .reg .b64 to, from, r;
    .reg .b32 i, a, x, z;
    .reg .f64 fe;
    .reg .pred p;
    .shared .align 8 .b8 smem[8];
    ld.param.u64 to, [out];
    ld.param.u64 from, [in];
    mov.u32 i, %tid.x;
    mul.wide.u32 r, i, 8;
    add.u64 from, from, r;
    add.u64 to, to, r;
    ld.global.f64 fe, [from];
    ld.global.u32 x, [from];
    mov.u32 z, smem;
    red.shared.add.f64 [z], fe;
    setp.gt.u32 p, x, 3;
    vote.sync.ballot.b32 a, p, -1;
    st.global.u32 [to], a;
    ret;
}
";

fn changed(cubin: &Cubin, from: &str, to: &str) -> Cubin {
    let chip = Chip::from_number(90).expect("a chip");
    let mut cubin = cubin.clone();
    let code = &mut cubin.functions[0].code;
    let of = |word: &u128| decode(*word, chip).expect("a word");
    let (mut at, mut names) = (0, BTreeMap::new());
    for pattern in from.split(" | ") {
        let fits = |word: &u128| begins(&print(&of(word), &Style::default()), pattern, &names);
        let found = code.iter().enumerate().find_map(|(i, word)| Some((i, fits(word)?)));
        (at, names) = found.unwrap_or_else(|| panic!("our code has no `{pattern}` with {names:?}"));
    }
    let text = names.iter().fold(to.to_owned(), |text, (name, reg)| text.replace(&format!("${name}"), reg));
    let mut inst = parse(&text, &Style::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    inst.control = of(&code[at]).control;
    code[at] = encode(&inst, chip).expect("a word");
    cubin
}

/// The registers for which `$x` stands, with those that are known, if a text begins as the pattern does.
fn begins(text: &str, pattern: &str, known: &BTreeMap<char, String>) -> Option<BTreeMap<char, String>> {
    let (mut names, mut text, mut pattern) = (known.clone(), text, pattern.chars());
    while let Some(c) = pattern.next() {
        if c != '$' {
            text = text.strip_prefix(c)?;
            continue;
        }
        let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
        let (reg, rest) = text.split_at(end);
        let old = names.entry(pattern.next()?).or_insert_with(|| reg.to_owned());
        (old == reg && reg.starts_with('R')).then(|| text = rest)?;
    }
    Some(names)
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

/// Behind a loop without a barrier lanes are apart, and behind one in which they yield.
#[test]
fn lanes_leave_loops_apart() {
    let Some(mut z3) = z3("lanes_leave_loops_apart") else { return };
    let whole = ours(ASKED).expect("it compiles");
    let mut verdict = |cubin: &Cubin| {
        let record = prove(&module(ASKED), "k", cubin, &mut z3);
        eprintln!("{}", line(&record));
        record.verdict
    };
    let without = |cubin: &Cubin, texts: &[&str]| {
        texts.iter().fold(cubin.clone(), |cubin, text| changed(&cubin, text, "NOP"))
    };
    assert_eq!(verdict(&whole), Verdict::Proved);
    assert_eq!(verdict(&without(&whole, &["BSSY", "BSYNC"])), Verdict::Proved, "all are waited for");
    assert_eq!(verdict(&without(&whole, &["YIELD", "WARPSYNC"])), Verdict::Proved, "all meet");
    for texts in [&["BSSY", "BSYNC", "YIELD", "WARPSYNC"][..], &["WARPSYNC"]] {
        assert!(matches!(verdict(&without(&whole, texts)), Verdict::Unknown(_)), "{texts:?}");
    }
}

#[test]
fn other_guesses_are_not_proved() {
    let Some(mut z3) = z3("other_guesses_are_not_proved") else { return };
    let text = text(WORD);
    let cubin = recorded("13.0.88", WORD).expect("it is recorded");
    let record = prove(&module(&text), "k", &cubin, &mut z3);
    assert_eq!(record.verdict, Verdict::Proved, "{}", line(&record));
    for (what, from, to) in WRONG_GUESSES {
        let record = prove(&module(&text), "k", &changed(&cubin, from, to), &mut z3);
        eprintln!("{what}: {}", line(&record).chars().take(300).collect::<String>());
        assert!(matches!(record.verdict, Verdict::Unknown(_) | Verdict::Refuted(_)), "{what}");
        assert!(record.contradiction.is_none(), "{what}: {:?}", record.contradiction);
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
