//! Calls of functions that the driver resolves: what nvcc makes of `corpus/calls`, compiled by both compilers. Both executors do the same calls,
//! code is proved, and wrong code is not.

#![allow(missing_docs)]

mod common;

use common::{line, module, ours, ours_for, programs, text, z3};
use sassafras_cubin::Cubin;
use sassafras_execute::{Argument, Failure, Launch, Options, Outcome, ptx, sass};
use sassafras_isa::{Chip, Style, decode, encode, parse, print};
use sassafras_oracle::{Tools, skip};
use sassafras_prove::{Verdict, prove};

const CHIP: Chip = Chip::Sm90;

/// What of the corpus is not proved, of our code and of ptxas's, and how the reason begins.
const UNKNOWN: &[(&str, &str, &str)] = &[
    // What is freed was loaded from memory behind stores through pointers that may be equal.
    ("calls/virtual", "ours", "events: the target has no partner for call free"),
    ("calls/virtual", "ptxas", "events: the target has no partner for call free"),
];

/// A launch of 64 threads, of which four have nothing to do.
fn launch(slots: &[sassafras_execute::Slot], seed: u32) -> Launch {
    let input = (0..64u32).flat_map(|i| (i.wrapping_mul(0x9e37_79b9) ^ seed.wrapping_mul(77)).to_le_bytes());
    let arguments = [
        Argument::Buffer(vec![0; 256]),
        Argument::Buffer(input.collect()),
        Argument::Value(60u32.to_le_bytes().to_vec()),
    ];
    let mut launch = Launch::new([2, 1, 1], [32, 1, 1]);
    launch.arguments(slots, &arguments).expect("the arguments fit");
    launch
}

/// What others see of a run.
#[derive(Debug, PartialEq)]
enum Seen {
    /// What it leaves in buffers, and its calls.
    Left(Vec<Vec<u8>>, Vec<sassafras_execute::system::Called>),
    /// The assertion that failed.
    Asserted(String),
}

impl Seen {
    /// How many calls it has; an assertion is one.
    fn calls(&self) -> usize {
        match self {
            Seen::Left(_, calls) => calls.len(),
            Seen::Asserted(_) => 1,
        }
    }
}

fn seen(run: Result<Outcome, Failure>) -> Seen {
    match run {
        Ok(outcome) => Seen::Left(outcome.buffers, outcome.calls),
        Err(Failure::Assertion { what, .. }) => Seen::Asserted(what),
        Err(other) => panic!("{other}"),
    }
}

/// Both compilers' code; ptxas's only where it is installed.
fn codes(name: &str, source: &str) -> Vec<(&'static str, Cubin)> {
    let own = ours(source).unwrap_or_else(|| panic!("{name} compiles"));
    let mut all = vec![("ours", own)];
    match Tools::here().ptxas("13.0.88") {
        Ok(ptxas) => {
            let (bytes, _) = ptxas.compile_text(source, "sm_90", &[]).expect("ptxas takes it");
            all.push(("ptxas", sassafras_cubin::read(&bytes).expect("a cubin")));
        }
        Err(why) => skip(name, &why),
    }
    all
}

#[test]
fn both_executors_do_the_same_calls() {
    let mut calls = 0;
    let names = programs(&["calls"]);
    for name in &names {
        let source = text(name);
        let module = module(&source);
        let slots = ptx::layout(&module, "k").expect("the entry");
        for (who, cubin) in codes(name, &source) {
            for seed in 1..4 {
                let launch = launch(&slots, seed);
                let expected = seen(ptx::run(&module, "k", &launch, &Options::default()));
                calls += expected.calls();
                for order in 0..4 {
                    let options = Options { order, seed: u64::from(order), ..Options::default() };
                    let again = seen(ptx::run(&module, "k", &launch, &options));
                    assert_eq!(again, expected, "{name}, PTX, order {order}");
                    let found = seen(sass::run(&cubin, "k", &launch, &options));
                    assert_eq!(found, expected, "{name}, {who}, order {order}");
                }
            }
        }
    }
    assert!(names.len() >= 17, "{}", names.len());
    assert!(calls > 1_000, "{calls}");
}

/// The programs for another chip; they say that they are for sm_90.
#[test]
fn every_family_of_chips_makes_the_same_calls() {
    for chip in ["sm_75", "sm_80", "sm_89", "sm_100", "sm_120"] {
        let (mut calls, mut compiled) = (0, 0);
        for name in programs(&["calls"]) {
            let source = text(&name).replace(".target sm_90", &format!(".target {chip}"));
            let module = module(&source);
            let slots = ptx::layout(&module, "k").expect("the entry");
            let mut codes = vec![("ours", ours_for(&source, chip).unwrap_or_else(|e| panic!("{name}: {e}")))];
            match Tools::here().ptxas("13.0.88") {
                Ok(ptxas) => {
                    let (bytes, _) = ptxas.compile_text(&source, chip, &[]).expect("ptxas takes it");
                    codes.push(("ptxas", sassafras_cubin::read(&bytes).expect("a cubin")));
                }
                Err(why) => skip(&name, &why),
            }
            let launch = launch(&slots, 1);
            let expected = seen(ptx::run(&module, "k", &launch, &Options::default()));
            calls += expected.calls();
            compiled += 1;
            for (who, cubin) in codes {
                for order in [0, 2] {
                    let timing = who == "ours";
                    let options = Options { order, seed: u64::from(order), timing, ..Options::default() };
                    let found = seen(sass::run(&cubin, "k", &launch, &options));
                    assert_eq!(found, expected, "{name}, {who}, {chip}, order {order}");
                }
            }
        }
        assert!(compiled >= 17 && calls > 100, "{chip}: {compiled} programs, {calls} calls");
    }
}

#[test]
fn nvdisasm_reads_our_code() {
    let nvdisasm = match Tools::here().nvdisasm() {
        Ok(nvdisasm) => nvdisasm,
        Err(why) => return skip("nvdisasm_reads_our_code", &why),
    };
    for name in programs(&["calls"]) {
        let cubin = ours(&text(&name)).expect("it compiles");
        let bytes = sassafras_emit::write(&cubin).expect("it can be written");
        let listing = nvdisasm.disassemble_bytes(&bytes).expect("nvdisasm takes it");
        assert!(listing.contains("CALL.ABS.NOINC"), "{name}");
    }
}

#[test]
fn the_corpus_is_proved() {
    let Some(mut z3) = z3("the_corpus_is_proved") else { return };
    let mut wrong = Vec::new();
    let mut counts = std::collections::BTreeMap::<&str, [u32; 2]>::new();
    for name in programs(&["calls"]) {
        let source = text(&name);
        let module = module(&source);
        for (who, cubin) in codes(&name, &source) {
            let record = prove(&module, "k", &cubin, &mut z3);
            eprintln!("{name} {who}: {}", line(&record));
            let expected = UNKNOWN.iter().find(|u| (u.0, u.1) == (name.as_str(), who)).map(|u| u.2);
            let right = match (&record.verdict, expected) {
                (Verdict::Proved | Verdict::ProvedWithin(_), None) => true,
                (Verdict::Unknown(why), Some(expected)) => why.starts_with(expected),
                _ => false,
            };
            counts.entry(who).or_default()[usize::from(expected.is_some())] += 1;
            if !right {
                wrong.push(format!("{name} {who}: {:?}", record.verdict));
            }
        }
    }
    eprintln!("proved and unknown: {counts:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn written(word: u128) -> String {
    decode(word, CHIP).map_or_else(|e| e.to_string(), |i| print(&i, &Style::default()))
}

fn code(cubin: &mut Cubin) -> &mut Vec<u128> {
    &mut cubin.functions.iter_mut().find(|f| f.name == "k").expect("the entry").code
}

/// The index of the `n`th word whose text contains `text`, from 0.
fn find(cubin: &mut Cubin, text: &str, n: usize) -> usize {
    let found = code(cubin).iter().enumerate().filter(|(_, w)| written(**w).contains(text)).nth(n);
    found.unwrap_or_else(|| panic!("no `{text}`")).0
}

/// Another text in the place of part of an instruction, with its control bits.
fn change(cubin: &mut Cubin, at: usize, from: &str, to: &str) {
    let old = code(cubin)[at];
    let text = written(old);
    assert!(text.contains(from), "{text}");
    let text = text.replace(from, to);
    let mut inst = parse(&text, &Style::default()).unwrap_or_else(|e| panic!("{text}: {e}"));
    inst.control = decode(old, CHIP).expect("it decodes").control;
    code(cubin)[at] = encode(&inst, CHIP).expect("it fits");
}

fn drop(cubin: &mut Cubin, at: usize) {
    let text = written(code(cubin)[at]);
    change(cubin, at, &text, "NOP");
}

/// A change to our code of a program, which makes it wrong.
struct Planted {
    name: &'static str,
    program: &'static str,
    change: fn(&mut Cubin),
}

const CALL: &str = "CALL.ABS";

const PLANTED: &[Planted] = &[
    Planted {
        name: "another format",
        program: "order",
        change: |c| {
            let at = find(c, "c[0x4][0x8]", 0);
            change(c, at, "c[0x4][0x8]", "c[0x4][0x0]");
        },
    },
    Planted {
        name: "another argument",
        program: "ints",
        change: |c| {
            let at = find(c, "STL", 1);
            let text = written(code(c)[at]);
            let (_, stored) = text.rsplit_once(", ").expect("a store has a value");
            change(c, at, &format!(", {stored}"), ", RZ");
        },
    },
    Planted {
        name: "an argument that is not stored",
        program: "ints",
        change: |c| {
            let at = find(c, "STL", 0);
            drop(c, at);
        },
    },
    Planted {
        name: "an argument four bytes further",
        program: "ints",
        change: |c| {
            let at = find(c, "+0x8], R", 0);
            change(c, at, "+0x8]", "+0xc]");
        },
    },
    Planted {
        name: "a call that is left out",
        program: "order",
        change: |c| {
            let at = find(c, CALL, 1);
            drop(c, at);
        },
    },
    Planted {
        name: "a call that is done twice",
        program: "plain",
        change: |c| {
            // All that makes the call, from where its operands are made, but for a load beside it.
            let (from, to) = (find(c, "c[0x4][0x0]", 0), find(c, CALL, 0));
            let again: Vec<u128> = code(c)[from..=to].to_vec();
            code(c).splice(to + 1..to + 1, again);
            let load = find(c, "LDG", 1);
            drop(c, load);
        },
    },
    Planted {
        name: "a store behind the call that it stands before",
        program: "order",
        change: |c| {
            let (store, call) = (find(c, "STG", 0), find(c, CALL, 0));
            assert!(store < call);
            code(c)[store..=call].rotate_left(1);
        },
    },
    Planted {
        name: "calls that change places",
        program: "order",
        change: |c| {
            let (a, b) = (find(c, "c[0x4][0x0]", 0), find(c, "c[0x4][0x8]", 0));
            change(c, a, "c[0x4][0x0]", "c[0x4][0x8]");
            change(c, b, "c[0x4][0x8]", "c[0x4][0x0]");
            let (a, b) = (find(c, "c[0x4][0x4]", 0), find(c, "c[0x4][0xc]", 0));
            change(c, a, "c[0x4][0x4]", "c[0x4][0xc]");
            change(c, b, "c[0x4][0xc]", "c[0x4][0x4]");
        },
    },
    Planted {
        name: "a result that is not used",
        program: "ints",
        change: |c| {
            let call = find(c, CALL, 0);
            let at = (call..).find(|i| written(code(c)[*i]).contains(", R4")).expect("it is used");
            change(c, at, ", R4", ", RZ");
        },
    },
    Planted {
        name: "a return to another place",
        program: "order",
        change: |c| {
            let at = find(c, "LEPC", 0);
            change(c, at, "pc(0x10)", "pc(0x20)");
        },
    },
    Planted {
        name: "a buffer below the stack pointer",
        program: "ints",
        change: |c| {
            let at = find(c, "IADD3 R1, R1, -0x10, RZ", 0);
            change(c, at, "-0x10", "0x0");
            let at = find(c, ", R1, 0x0, RZ", 1);
            change(c, at, "R1, 0x0", "R1, -0x10");
        },
    },
    Planted {
        name: "a uniform register that is not kept",
        program: "order",
        change: |c| {
            for at in 0..code(c).len() {
                if written(code(c)[at]).contains("UR36") {
                    change(c, at, "UR36", "UR34");
                }
            }
        },
    },
    Planted {
        name: "a register that is not kept",
        program: "order",
        change: |c| {
            for at in 0..code(c).len() {
                let text = written(code(c)[at]);
                if text.contains("R18") {
                    change(c, at, "R18", "R14");
                }
            }
        },
    },
    Planted {
        name: "an assertion that is left out",
        program: "fails",
        change: |c| {
            let at = find(c, CALL, 1);
            drop(c, at);
        },
    },
    Planted {
        name: "an assertion of another line",
        program: "assert",
        change: |c| {
            let at = find(c, ", 0xa", 0);
            change(c, at, ", 0xa", ", 0xb");
        },
    },
    Planted {
        name: "memory of another size",
        program: "heap",
        change: |c| {
            let at = find(c, ", 0x4", 0);
            change(c, at, ", 0x4", ", 0x3");
        },
    },
    Planted {
        name: "memory that is kept",
        program: "heap",
        change: |c| {
            let at = find(c, CALL, 2);
            drop(c, at);
        },
    },
];

#[test]
fn no_planted_change_is_proved() {
    let Some(mut z3) = z3("no_planted_change_is_proved") else { return };
    let only = std::env::var("SASSAFRAS_PLANTED").unwrap_or_default();
    let (mut wrong, mut refuted, mut count) = (Vec::new(), 0, 0);
    for planted in PLANTED.iter().filter(|p| p.name.contains(&only)) {
        let source = text(&format!("calls/{}", planted.program));
        let module = module(&source);
        let right = ours(&source).expect("it compiles");
        let verdict = prove(&module, "k", &right, &mut z3).verdict;
        assert_eq!(verdict, Verdict::Proved, "{}", planted.program);
        let mut cubin = right.clone();
        (planted.change)(&mut cubin);
        assert_ne!(cubin, right, "{}: nothing was changed", planted.name);
        let record = prove(&module, "k", &cubin, &mut z3);
        eprintln!("{}: {}", planted.name, line(&record));
        let caught = matches!(record.verdict, Verdict::Unknown(_) | Verdict::Refuted(_));
        sassafras_oracle::fault::planted("prove", &"sm_90", planted.name, 1, caught.into());
        count += 1;
        match &record.verdict {
            Verdict::Proved | Verdict::ProvedWithin(_) | Verdict::Inapplicable(_) => wrong.push(planted.name),
            // An objection to the timing of what was changed would hide a proof.
            Verdict::Unknown(why) if why.starts_with("hazards") => wrong.push(planted.name),
            Verdict::Unknown(_) => {}
            Verdict::Refuted(_) => refuted += 1,
        }
    }
    eprintln!("{count} planted changes, {refuted} refuted");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(2 * refuted >= count, "{refuted} of {count}");
}

/// A function that nothing is known of stays unknown, and is named.
#[test]
fn another_function_is_named() {
    let Some(mut z3) = z3("another_function_is_named") else { return };
    let source = text("calls/plain");
    let mut cubin = ours(&source).expect("it compiles");
    for name in cubin.externs.iter_mut().map(|e| &mut e.name) {
        *name = "another".into();
    }
    for slot in cubin.addresses.iter_mut().filter(|slot| slot.symbol == "vprintf") {
        slot.symbol = "another".into();
    }
    let record = prove(&module(&source), "k", &cubin, &mut z3);
    assert!(matches!(&record.verdict, Verdict::Unknown(why) if why.contains("`another`")), "{record:?}");
}
