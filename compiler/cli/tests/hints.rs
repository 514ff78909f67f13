//! `compile --hints` and `prove --hints`: what the compiler says of loops is right, and what is wrong is no proof of anything.

#![allow(missing_docs)]

mod common;

use common::sassafras;
use sassafras_oracle::workspace_root;
use sassafras_prove::hints::{Hints, read};
use std::path::Path;
use tempfile::{TempDir, tempdir};

/// A sum of words.
const SUM: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 words, .param .u64 out, .param .u32 n)
{
    .reg .pred %p<3>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [words];
    ld.param.u64 %rd2, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, 0;
    mov.u32 %r3, 0;
    setp.eq.s32 %p1, %r1, 0;
    @%p1 bra DONE;
LOOP:
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd1, %rd3;
    ld.global.u32 %r4, [%rd4];
    add.s32 %r3, %r3, %r4;
    add.s32 %r2, %r2, 1;
    setp.ne.s32 %p2, %r2, %r1;
    @%p2 bra LOOP;
DONE:
    mov.u32 %r5, %tid.x;
    mul.wide.u32 %rd5, %r5, 4;
    add.s64 %rd5, %rd2, %rd5;
    st.global.u32 [%rd5], %r3;
    ret;
}
";

/// PTX of the corpus with a loop, and the exit code of the proof of our code for it.
const LOOPS: [(&str, i32); 2] = [("first/saxpy_stride.ptx", 14), ("kernels/earlyexit/earlyexit.fmad.ptx", 0)];

fn there(test: &str) -> bool {
    let found = sassafras_prove::Z3::find(&[&workspace_root()], 1, 1).is_some();
    if !found {
        sassafras_oracle::skip(test, &"z3 is not installed");
    }
    found
}

/// A folder with `k.ptx`, its cubin, and what the compiler says of its loops.
fn compiled(ptx: &str) -> (TempDir, Hints) {
    let folder = tempdir().expect("a folder");
    std::fs::write(folder.path().join("k.ptx"), ptx).expect("it is ours");
    let words = ["compile", "k.ptx", "-arch=sm_90", "-o", "k.cubin", "--hints", "k.json"];
    sassafras(folder.path(), &words).expect(0, "");
    let text = std::fs::read_to_string(folder.path().join("k.json")).expect("it was written");
    let hints = read(&text).expect("what was written is read");
    (folder, hints)
}

fn corpus(name: &str) -> String {
    std::fs::read_to_string(workspace_root().join("corpus").join(name)).expect("the corpus has it")
}

fn write(folder: &Path, hints: &Hints) {
    let text = serde_json::to_string(hints).expect("it is JSON");
    std::fs::write(folder.join("k.json"), text).expect("it is ours");
}

const PROVE: [&str; 8] =
    ["prove", "k.ptx", "--against", "k.cubin", "--hints", "k.json", "--witness", "k.witness"];

/// The numbers of registers that a witness says something of at the head at this offset, in bytes.
fn said(folder: &Path, offset: u64) -> Vec<u64> {
    let text = std::fs::read_to_string(folder.join("k.witness")).expect("it was written");
    let witness: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let entries = list(&witness["entries"]);
    let cuts = entries.iter().flat_map(|entry| list(&entry["matching"]["cuts"]));
    let at = cuts.filter(|cut| cut["target"] == offset / 16);
    at.flat_map(|cut| list(&cut["rows"]))
        .flat_map(|row| list(&row["registers"]))
        .filter_map(|r| r.as_u64())
        .collect()
}

#[test]
fn what_is_said_of_loops_holds() {
    if !there("what_is_said_of_loops_holds") {
        return;
    }
    let all = LOOPS.map(|(name, code)| (name, corpus(name), code));
    for (name, ptx, code) in [("sum", SUM.to_owned(), 0)].into_iter().chain(all) {
        let (folder, hints) = compiled(&ptx);
        assert_eq!((hints.version, hints.entries.len()), (1, 1), "{name}");
        let heads = &hints.entries[0].heads;
        assert!(!heads.is_empty(), "{name} has a loop");
        sassafras(folder.path(), &PROVE).expect(code, "proved");
        for head in heads {
            assert!(head.line > 0 && head.turns == 1 && !head.registers.is_empty(), "{name}: {head:?}");
            let rows = said(folder.path(), head.offset);
            for held in head.registers.iter().filter(|held| held.at.starts_with('R')) {
                let first: u64 = held.at[1..].parse().expect("a number");
                let all = first..first + u64::from(held.words);
                assert!(all.clone().all(|r| rows.contains(&r)), "{name}: {held:?} is not among {rows:?}");
            }
        }
        sassafras(folder.path(), &["check-witness", "k.witness"]).expect(code, "accepted");
    }
}

#[test]
fn lines_and_registers_are_those_of_the_ptx() {
    let (_, hints) = compiled(SUM);
    let [head] = &hints.entries[0].heads[..] else { panic!("{hints:?}") };
    let line = SUM.lines().position(|line| line.contains("mul.wide.u32 %rd3")).map(|at| at + 1);
    assert_eq!(Some(head.line as usize), line);
    let names: Vec<(&str, u32)> = head.registers.iter().map(|held| (held.ptx.as_str(), held.words)).collect();
    assert_eq!(names, [("%r2", 1), ("%r3", 1)]);
}

/// A wrong file keeps nothing from being right: what does not hold is given up.
#[test]
fn what_is_wrong_is_given_up() {
    if !there("what_is_wrong_is_given_up") {
        return;
    }
    let (folder, right) = compiled(SUM);
    let change = |change: &dyn Fn(&mut Hints)| {
        let mut wrong = right.clone();
        change(&mut wrong);
        assert_ne!(wrong, right);
        write(folder.path(), &wrong);
        sassafras(folder.path(), &PROVE).expect(0, "proved: for every input");
    };
    let registers = |hints: &mut Hints, to: &dyn Fn(u64) -> u64| {
        for held in hints.entries.iter_mut().flat_map(|e| &mut e.heads).flat_map(|h| &mut h.registers) {
            held.at = format!(
                "R{}",
                to(held.at.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().expect("a number"))
            );
        }
    };
    // Other registers, of which some are none; another place; more turns.
    change(&|hints| registers(hints, &|n| n + 2));
    change(&|hints| registers(hints, &|n| n ^ 1));
    change(&|hints| registers(hints, &|_| 300));
    change(&|hints| hints.entries[0].heads[0].offset += 16);
    change(&|hints| hints.entries[0].heads[0].turns = 2);
    // Code that is wrong is not proved, whatever is said of it.
    let plant = [
        "compile",
        "k.ptx",
        "-arch=sm_90",
        "-o",
        "k.cubin",
        "--judge",
        "none",
        "--plant",
        "wrong-destination",
    ];
    sassafras(folder.path(), &plant).expect(0, "");
    write(folder.path(), &right);
    let run = sassafras(folder.path(), &PROVE);
    assert!(run.code == 10 || run.code == 12, "{}{}", run.out, run.err);
}

#[test]
fn a_file_of_another_form_is_refused() {
    let (folder, mut hints) = compiled(SUM);
    hints.version = 7;
    write(folder.path(), &hints);
    sassafras(folder.path(), &PROVE).expect(1, "hints of version 7; this reads 1");
    for text in ["", "{}", "{\"version\": 1, \"entries\": [], \"more\": 1}"] {
        std::fs::write(folder.path().join("k.json"), text).expect("it is ours");
        sassafras(folder.path(), &PROVE).expect(1, "these are no hints");
    }
    for (words, part) in [
        ("compile k.ptx --hints k.json --stop-after lower", "--stop-after makes none"),
        ("compile k.ptx --hints k.json -arch=compute_90", "a virtual target makes none"),
        ("compile k.ptx --hints k.ptx -o k.cubin", "k.ptx"),
    ] {
        let run = sassafras(folder.path(), &words.split(' ').collect::<Vec<_>>());
        assert!(run.code != 0, "{words}");
        run.expect(run.code, part);
    }
}
