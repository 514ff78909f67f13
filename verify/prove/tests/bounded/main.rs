//! Controls of bounded proofs: kernels with loops, each edited in one line. What the edited kernel does is held against what the other does, on either side, at several
//! bounds. The PTX executor says on which launches the two differ, and how many iterations the source takes there; no verdict may cover such a launch.
//!
//! The contract is `docs/proof.md`, "Loops": `ProvedWithin(k)` covers the inputs on which no activation of a loop of the source returns to its head more than `k` times.
//! Counters in the source (`truth.rs`) say how often that is on each launch.

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;
mod edits;
mod templates;
mod truth;
mod turns;
mod unfolded;
mod witnesses;

use common::{line, module, not_unrolled, solver};
use edits::{KINDS, edited};
use sassafras_prove::{Limits, Record, Verdict, prove_within};
use std::collections::BTreeMap;
use truth::{Difference, differences, instrumented};

const KERNELS: [(&str, &str); 8] = [
    ("nested", include_str!("kernels/nested.ptx")),
    ("bottom", include_str!("kernels/bottom.ptx")),
    ("triangle", include_str!("kernels/triangle.ptx")),
    ("search", include_str!("kernels/search.ptx")),
    ("filter", include_str!("kernels/filter.ptx")),
    ("two_counters", include_str!("kernels/two_counters.ptx")),
    ("three", include_str!("kernels/three.ptx")),
    ("rows", include_str!("kernels/rows.ptx")),
];
const BOUNDS: [u32; 4] = [1, 2, 4, 8];
/// Of the pairs, sides and bounds one in so many is tried on every run; all with `SASSAFRAS_ALL_CONTROLS`.
const SAMPLE: usize = 181;

/// Launches that a verdict covers and on which the sides differ.
fn wrong<'d>(record: &Record, differences: &'d [Difference]) -> Option<&'d Difference> {
    match record.verdict {
        Verdict::Proved => differences.first(),
        Verdict::ProvedWithin(bound) => differences.iter().find(|d| d.returns <= bound),
        Verdict::Refuted(_) | Verdict::Unknown(_) | Verdict::Inapplicable(_) => None,
    }
}

#[derive(Default)]
struct Tally {
    /// By whether a launch within the bound tells the sides apart, and by verdict.
    verdicts: BTreeMap<(bool, &'static str), u32>,
    /// By kind of edit: how often it was made, and how often it changed something within the bound.
    kinds: BTreeMap<&'static str, (u32, u32)>,
    reasons: BTreeMap<String, u32>,
    wrong: Vec<String>,
}

/// One side edited, the other not.
struct Pair<'k> {
    who: String,
    kind: &'k str,
    source: String,
    target: String,
}

fn pairs() -> Vec<Pair<'static>> {
    let mut all = Vec::new();
    for (name, kernel) in KERNELS {
        for kind in KINDS {
            let Some(changed) = edited(kernel, kind) else { continue };
            for (side, source, target) in
                [("source", changed.as_str(), kernel), ("target", kernel, changed.as_str())]
            {
                all.push(Pair {
                    who: format!("{name}, {} ({side} edited)", kind.name),
                    kind: kind.name,
                    source: source.to_owned(),
                    target: target.to_owned(),
                });
            }
        }
    }
    all
}

impl Tally {
    fn add(&mut self, pair: &Pair<'static>, bound: u32, record: &Record, differences: &[Difference]) {
        let differs = differences.iter().any(|d| d.returns <= bound);
        *self.verdicts.entry((differs, record.verdict.word())).or_default() += 1;
        let count = self.kinds.entry(pair.kind).or_default();
        *count = (count.0 + 1, count.1 + u32::from(differs));
        if let Verdict::Unknown(_) = record.verdict {
            *self.reasons.entry(common::table::Row::new("", record).reason).or_default() += 1;
        }
        if let Some(difference) = wrong(record, differences) {
            self.wrong.push(format!("{}, --unroll {bound}: {}; {difference:?}", pair.who, line(record)));
        }
    }

    fn print(&self) {
        for ((differs, verdict), count) in &self.verdicts {
            let what =
                if *differs { "differ within the bound" } else { "no difference seen within the bound" };
            eprintln!("{what}: {verdict} {count}");
        }
        for (kind, (made, differ)) in &self.kinds {
            eprintln!("{kind}: {made} made, {differ} differ within the bound");
        }
        eprintln!("{} kinds; unknown by reason: {:?}", self.kinds.len(), self.reasons);
    }
}

#[test]
fn no_bounded_proof_covers_a_launch_that_differs() {
    let Some(mut solver) = solver("no_bounded_proof_covers_a_launch_that_differs", 4) else { return };
    let whole = std::env::var_os("SASSAFRAS_ALL_CONTROLS").is_some();
    let only = std::env::var("SASSAFRAS_BOUNDED").unwrap_or_default();
    let mut tally = Tally::default();
    for (nth, pair) in pairs().iter().enumerate().filter(|(_, p)| p.who.contains(&only)) {
        let bounds: Vec<u32> = (0..BOUNDS.len())
            .filter(|b| whole || (nth * BOUNDS.len() + b).is_multiple_of(SAMPLE))
            .map(|b| BOUNDS[b])
            .collect();
        if bounds.is_empty() {
            continue;
        }
        let source = module(&instrumented(&pair.source, false));
        let counted = module(&instrumented(&pair.source, true));
        let target_text = instrumented(&pair.target, false);
        let cubin = not_unrolled(&target_text).unwrap_or_else(|| panic!("{} does not compile", pair.who));
        let differences = differences(&source, &counted, &module(&target_text));
        for bound in bounds {
            let limits = Limits { unroll: bound, turns: false, ..Limits::default() };
            let record = prove_within(&source, "k", &cubin, &mut *solver, limits);
            tally.add(pair, bound, &record, &differences);
            if whole {
                // A run takes hours, and what it has found must not be lost when it is stopped.
                eprintln!(
                    "{}, --unroll {bound}: {} in {:.1} s",
                    pair.who,
                    record.verdict.word(),
                    record.seconds
                );
            }
        }
    }
    tally.print();
    assert!(tally.wrong.is_empty(), "{} are proved wrongly: {:#?}", tally.wrong.len(), tally.wrong);
    let differ: u32 = tally.verdicts.iter().filter(|(k, _)| k.0).map(|(_, n)| n).sum();
    let refuted = tally.verdicts.get(&(true, "refuted")).copied().unwrap_or(0);
    assert!(differ > 0 && refuted * 2 > differ, "{refuted} of {differ} are refuted");
}

#[test]
fn kernels_are_proved_as_they_are() {
    let Some(mut solver) = solver("kernels_are_proved_as_they_are", 4) else { return };
    let mut short = Vec::new();
    for (name, kernel) in KERNELS {
        let text = instrumented(kernel, false);
        let cubin = not_unrolled(&text).expect("it compiles");
        for bound in [1, 2] {
            let limits = Limits { unroll: bound, turns: false, ..Limits::default() };
            let record = prove_within(&module(&text), "k", &cubin, &mut *solver, limits);
            eprintln!("{name}, --unroll {bound}: {}", line(&record));
            if !matches!(record.verdict, Verdict::Proved | Verdict::ProvedWithin(_)) {
                short.push(format!("{name}, --unroll {bound}"));
            }
        }
    }
    assert!(short.is_empty(), "a control of nothing: {short:?}");
}

#[test]
fn every_kind_is_made_and_there_are_enough() {
    let mut made: BTreeMap<&str, u32> = KINDS.iter().map(|k| (k.name, 0)).collect();
    for pair in pairs() {
        *made.get_mut(pair.kind).expect("a kind") += 1;
        module(&instrumented(&pair.source, true));
        module(&instrumented(&pair.target, false));
    }
    let none: Vec<_> = made.iter().filter(|(_, n)| **n == 0).collect();
    assert!(none.is_empty(), "{none:?}");
    assert!(made.len() >= 40, "{}", made.len());
    eprintln!("{} kinds, {} pairs", made.len(), pairs().len());
}
