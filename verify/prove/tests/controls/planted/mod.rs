//! Planted changes: each makes right code wrong in a way that a prover could overlook, and none may be proved.
//!
//! - `memory`, `addresses`, `events`, `shared`, `values`, `control`, `copies`, `nesting`, `apart`, `beyond`: the changes. `programs/`: what some of them are made to, beside the corpus.

mod addresses;
mod apart;
mod beyond;
mod control;
mod copies;
mod events;
mod memory;
mod nesting;
mod shared;
mod values;

use crate::common::{line, report, table, z3};
use crate::pairs::{Pair, entry, find, replace, written};
use sassafras_cubin::Cubin;
use sassafras_isa::{Style, decode, encode, parse};
use sassafras_prove::Verdict;
use std::fmt::Write;

/// A change: the program, the assumption or promise that it breaks, and what it does.
pub struct Planted {
    pub name: &'static str,
    /// A one-feature program of the corpus, or `own/NAME` of `programs/`.
    pub program: &'static str,
    pub breaks: &'static str,
    pub change: fn(&mut Cubin),
}

const ALL: [&[Planted]; 10] = [
    memory::ALL,
    addresses::ALL,
    events::ALL,
    shared::ALL,
    values::ALL,
    control::ALL,
    copies::ALL,
    nesting::ALL,
    apart::ALL,
    beyond::ALL,
];

fn has(cubin: &Cubin, text: &str) -> bool {
    cubin.functions.iter().flat_map(|f| &f.code).any(|w| crate::pairs::written(*w).contains(text))
}

/// `FFMA D, A, B, C` without its addend.
fn split(text: &str) -> String {
    let text = text.replacen("FFMA", "FMUL", 1);
    text.rsplit_once(", ").expect("operands").0.to_owned()
}

fn image(cubin: &mut Cubin, space: sassafras_cubin::Space) {
    let mut images = cubin.variables.iter_mut().filter(|v| v.space == space).filter_map(|v| v.init.as_mut());
    images.next().and_then(|i| i.first_mut()).map(|b| *b ^= 1).expect("an image");
}

/// The first word that is loaded from the module's constants becomes an immediate.
fn fold(cubin: &mut Cubin) {
    let v = cubin.variables.iter().find(|v| v.space == sassafras_cubin::Space::Constant).expect("a constant");
    let bytes = v.init.clone().unwrap_or_default();
    let number =
        |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes.get(at + i).copied().unwrap_or(0)));
    let at = find(cubin, "LDC R12, c[0x3]");
    let text = crate::pairs::written(entry(cubin).code[at]);
    let (head, tail) = text.split_once("c[0x3][").expect("the constant");
    let (offset, rest) = tail.split_once(']').expect("it ends");
    let offset = usize::from_str_radix(offset.trim_start_matches("0x"), 16).unwrap_or(0);
    let head = head.replacen("LDC ", "MOV ", 1);
    replace(cubin, &text, &format!("{head}{:#x}{rest}", number(offset)));
}

/// Another instruction in the place of the first whose text contains `from`; it takes all the time there is.
fn put(cubin: &mut Cubin, from: &str, to: &str) {
    let at = find(cubin, from);
    entry(cubin).code[at] = crate::pairs::word(to);
}

/// Two instructions change places, each with its control bits.
fn swap(cubin: &mut Cubin, a: &str, b: &str) {
    let (a, b) = (find(cubin, a), find(cubin, b));
    assert_ne!(a, b, "they are two");
    entry(cubin).code.swap(a, b);
}

/// An instruction moves behind a later one.
fn behind(cubin: &mut Cubin, what: &str, place: &str) {
    let (from, to) = (find(cubin, what), find(cubin, place));
    assert!(from < to, "it stands before");
    entry(cubin).code[from..=to].rotate_left(1);
}

/// The guard or last predicate of the first instruction of some kind, the other way round.
fn negate(cubin: &mut Cubin, mnemonic: &str) {
    let at = find(cubin, mnemonic);
    let old = entry(cubin).code[at];
    let text = written(old);
    let (head, last) = text.rsplit_once(", ").expect("operands");
    let turned = last.strip_prefix('!').map_or_else(|| format!("!{last}"), str::to_owned);
    let text = format!("{head}, {turned}");
    let mut inst = parse(&text, &Style::default()).unwrap_or_else(|e| panic!("{text}: {e}"));
    inst.control = decode(old, crate::pairs::CHIP).expect("it decodes").control;
    entry(cubin).code[at] = encode(&inst, crate::pairs::CHIP).expect("it fits");
}

/// What a verdict on a wrong program is worth.
fn judged(planted: &Planted, verdict: &Verdict) -> (&'static str, String) {
    match verdict {
        Verdict::Proved | Verdict::ProvedWithin(_) => ("PROVED", String::new()),
        Verdict::Refuted(_) => ("refuted", String::new()),
        // An objection to the timing of the new instruction would hide a proof.
        Verdict::Unknown(why) if why.starts_with("hazards") && planted.breaks != "A-SCHED" => {
            ("HIDDEN", table::class(why))
        }
        Verdict::Unknown(why) | Verdict::Inapplicable(why) => ("unknown", table::class(why)),
    }
}

#[test]
fn no_planted_change_is_proved() {
    let Some(mut z3) = z3("no_planted_change_is_proved") else { return };
    z3.budget = 1;
    let only = std::env::var("SASSAFRAS_PLANTED").unwrap_or_default();
    let mut wrong = Vec::new();
    let mut counts = std::collections::BTreeMap::<&str, u32>::new();
    let mut pairs: Vec<Pair> = Vec::new();
    let mut rows = String::new();
    let all: Vec<&Planted> = ALL.into_iter().flatten().filter(|p| p.name.contains(&only)).collect();
    for planted in &all {
        if pairs.iter().all(|p| p.name != planted.program) {
            let pair = Pair::of(planted.program, &mut z3);
            pairs.push(pair.unwrap_or_else(|| panic!("{} is not proved", planted.program)));
        }
        let pair = pairs.iter().find(|p| p.name == planted.program).expect("it was made");
        let mut cubin = pair.cubin.clone();
        (planted.change)(&mut cubin);
        assert_ne!(cubin, pair.cubin, "{}: nothing was changed", planted.name);
        let record = pair.prove(&cubin, &mut z3);
        let (what, why) = judged(planted, &record.verdict);
        eprintln!("{} [{}]: {}", planted.name, planted.breaks, line(&record));
        let caught = usize::from(!["PROVED", "HIDDEN"].contains(&what));
        sassafras_oracle::fault::planted("prove", &crate::pairs::CHIP, planted.name, 1, caught);
        *counts.entry(what).or_default() += 1;
        if ["PROVED", "HIDDEN"].contains(&what) {
            wrong.push(format!("{what}: {}", planted.name));
        }
        let what =
            if why.is_empty() { what.to_owned() } else { format!("{what}: {}", why.replace('|', "\\|")) };
        let _ = writeln!(rows, "| {} | {} | {} | {what} |", planted.name, planted.program, planted.breaks);
    }
    let sums: Vec<String> = counts.iter().map(|(what, n)| format!("{n} {what}")).collect();
    eprintln!("{} planted changes: {}", all.len(), sums.join(", "));
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(!all.is_empty(), "nothing was planted");
    if only.is_empty() {
        report::section(
            "Planted changes",
            &format!(
                "{} changes to proved code, each of which makes it wrong: {}.\n\n| change | program | breaks | verdict |\n| --- | --- | --- | --- |\n{rows}",
                all.len(),
                sums.join(", ")
            ),
        );
    }
}
