//! Lemmas of `fns`: that their code finds the bit that PTX says, and that changed code does not.

#![allow(missing_docs)]

mod common;

use common::sequence::{Sequence, Unit};
use common::{loses_each, module, ours, solver};
use sassafras_prove::{Limits, Verdict, prove_within};
use sassafras_semantics::Chooser;
use sassafras_symbolic::lemma::{BITS, Lemma, Subject};

/// What PTX says (PTX ISA, "fns"): from the place on one place after the other, until as many set bits are passed as are wanted.
fn meant(word: u32, place: u32, offset: i32) -> u32 {
    let is_set = |at: i64| (0..32).contains(&at) && word >> at & 1 == 1;
    let mut at = i64::from(place);
    if offset == 0 {
        return if is_set(at) { place } else { u32::MAX };
    }
    let mut left = offset.unsigned_abs();
    while (0..32).contains(&at) {
        if is_set(at) {
            left -= 1;
            if left == 0 {
                return at as u32;
            }
        }
        at += i64::from(offset.signum());
    }
    u32::MAX
}

/// Words of few and of many ones, in runs and strewn.
fn words(random: u32) -> Vec<u32> {
    let mut all = vec![0, u32::MAX, 0x5555_5555, 0xaaaa_aaaa, 0x0f0f_0f0f, 0xff00_ff00, 0x8000_0001];
    for at in 0..32 {
        let (one, low) = (1u32 << at, (1u32 << at) - 1);
        all.extend([one, !one, low, !low, one | 1, one | 1 << 31]);
    }
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for i in 0..random {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let (a, b) = (state as u32, (state >> 32) as u32);
        // A quarter of the bits, half of them, three quarters.
        all.push([a & b, a, a | b][i as usize % 3]);
    }
    all
}

/// A word, a place and an offset for which code finds another bit.
fn wrong(lemma: &Lemma, text: &str, random: u32) -> Option<String> {
    let sequence = match Sequence::of(lemma, text) {
        Ok(sequence) => sequence,
        Err(why) => return Some(why.to_string()),
    };
    let unit = Unit::new(Chooser::Nearest, None);
    let offsets = || (-33..=33).chain([i32::MIN, i32::MIN + 1, -1000, 64, 65_536, i32::MAX]);
    for word in words(random) {
        for place in (0..34).chain([63, 64, 1 << 31, u32::MAX]) {
            for offset in offsets() {
                let operands = [word.into(), place.into(), (offset as u32).into()];
                let (found, is) = (sequence.run(&unit, &operands, 0), meant(word, place, offset));
                if found != [is] {
                    return Some(format!("{word:#x} from {place} by {offset}: {found:x?} and not {is:#x}"));
                }
            }
        }
    }
    None
}

#[test]
fn the_bit_is_found() {
    let random = if std::env::var_os("SASSAFRAS_ALL_LEMMAS").is_some() { 3000 } else { 60 };
    for lemma in BITS {
        assert_eq!(lemma.subject, Subject::NthBit);
        assert_eq!(wrong(lemma, lemma.code, random), None, "{}", lemma.name);
    }
}

/// Each instruction left out: the test tells for nine of ten. Not for a constant that is there already.
#[test]
fn changed_code_finds_another() {
    for lemma in BITS {
        let lines: Vec<&str> = lemma.code.lines().filter(|l| !l.starts_with("//")).collect();
        let is_label = |line: &&str| line.ends_with(':');
        let (mut seen, mut unseen) = (0, Vec::new());
        for i in (0..lines.len()).filter(|i| !is_label(&lines[*i])) {
            let mut changed = lines.clone();
            let line = changed.remove(i);
            match wrong(lemma, &changed.join("\n"), 12) {
                Some(_) => seen += 1,
                None => unseen.push(line),
            }
        }
        eprintln!("{}: {seen} changes are seen; not {unseen:#?}", lemma.name);
        assert!(seen >= 9 * unseen.len(), "{}: {unseen:#?}", lemma.name);
    }
}

/// A kernel that stores what it finds.
fn kernel(operation: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in)\n{{\n\
         .reg .b32 a, b, c, v;\n.reg .b64 to, from;\nld.param.u64 to, [out];\nld.param.u64 from, [in];\n\
         ld.global.v2.u32 {{a, b}}, [from];\nld.global.u32 c, [from+8];\n{operation}\nst.global.u32 [to], v;\nret;\n}}\n"
    )
}

/// What finds another bit is not proved, nor code without one of its counts and comparisons.
#[test]
fn planted_changes_are_not_proved() {
    let Some(mut solver) = solver("planted_changes_are_not_proved", 2) else { return };
    let limits = Limits { effort: 300, launches: 4, ..Limits::default() };
    let count =
        loses_each(&kernel("fns.b32 v, a, b, c;"), "nth-bit-halves", &["POPC", "BREV"], limits, &mut *solver);
    assert!(count >= 6, "{count}");
    for (wanted, written) in [
        ("fns.b32 v, a, b, 3;", "fns.b32 v, a, b, 2;"),
        ("fns.b32 v, a, b, 3;", "fns.b32 v, a, b, -3;"),
        ("fns.b32 v, a, b, 0;", "fns.b32 v, a, b, 1;"),
        ("fns.b32 v, a, b, c;", "fns.b32 v, a, c, b;"),
        ("fns.b32 v, a, 5, c;", "fns.b32 v, a, 6, c;"),
        ("fns.b32 v, a, b, c;", "and.b32 c, c, 31; fns.b32 v, a, b, c;"),
    ] {
        let (module, cubin) = (module(&kernel(wanted)), ours(&kernel(written)).expect("it compiles"));
        let verdict = prove_within(&module, "k", &cubin, &mut *solver, limits).verdict;
        assert!(!matches!(verdict, Verdict::Proved | Verdict::ProvedWithin(_)), "{wanted} by {written}");
    }
}
