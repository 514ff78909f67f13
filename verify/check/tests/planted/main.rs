//! Faults that are made on purpose behind allocation or scheduling: each is caught by a judge, or does no harm for a reason
//! that is shown by other means than the judge's.
//!
//! Some faults change nothing that can be seen: a move of a value that nobody reads, a register that was free, a wait that
//! another wait or the order of a unit makes superfluous. `values` and `waits` decide which, each by running through the
//! program in its own way; they are also what says that a fault that a judge catches does harm.

#[path = "../common/mod.rs"]
mod common;
mod tied;
mod values;
mod waits;

use sassafras_check::{Verdict, allocation, hazard, schedule};
use sassafras_chip::Chip;
use sassafras_codegen::plant::{Fault, Stage as Behind, plant};
use sassafras_driver::Stage;
use std::collections::BTreeMap;

/// Seeds per fault and function in a test, and in the search.
const SEEDS: (u64, u64) = (2, 12);

/// Who objects.
fn judge(step: &common::Step, faulted: &sassafras_machine::Function) -> Option<&'static str> {
    let objects = |verdict: Verdict| matches!(verdict, Verdict::Objected(_));
    if step.stage == Stage::Allocate {
        return objects(allocation::check(&step.before, faulted)).then_some("allocation");
    }
    if objects(schedule::check(&step.before, faulted)) {
        return Some("schedule");
    }
    objects(hazard::check(faulted)).then_some("hazards")
}

/// What the fault does, found without the judge: the harm, or the reason that there is none.
fn show(step: &common::Step, faulted: &sassafras_machine::Function) -> Result<String, Option<&'static str>> {
    if step.stage == Stage::Allocate {
        return match values::show(&step.before, &step.after, faulted) {
            values::Shown::Wrong(what) => Ok(what),
            values::Shown::Harmless(reason) => Err(Some(reason)),
            values::Shown::Unexplained => Err(None),
        };
    }
    let code = waits::Code::of_function(faulted);
    waits::harm(&code, waits::ALL).map_or_else(|| Err(Some(waits::reason(&code))), Ok)
}

/// Faults of the order of instructions; what they change is shown by the executors alone (`tests/corpus`).
fn reorders(fault: Fault) -> bool {
    matches!(fault, Fault::MemoryOutOfOrder | Fault::UseBeforeDefinition)
}

#[derive(Default)]
struct Tally {
    applied: usize,
    caught: BTreeMap<&'static str, usize>,
    shown: usize,
    harmless: BTreeMap<&'static str, usize>,
}

#[test]
fn faults_are_caught() {
    search(Chip::Sm90, SEEDS.0);
}

#[test]
fn faults_are_caught_on_ampere() {
    search(Chip::Sm80, 1);
}

#[test]
fn faults_are_caught_on_blackwell_rtx() {
    search(Chip::Sm120, 1);
}

#[test]
#[ignore = "minutes"]
fn faults_are_caught_at_more_places() {
    search(Chip::Sm90, SEEDS.1);
}

/// Every fault at so many places of every function.
fn search(chip: Chip, seeds: u64) {
    let mut steps = common::steps_on(chip, None);
    steps.extend(common::steps_on(chip, Some(24)));
    steps.extend(tied::steps(chip));
    // What is judged before anything is planted does no harm to these eyes either.
    for step in &steps {
        let found = show(step, &step.after);
        assert!(found.is_err(), "{}: {found:?} without a fault", step.name);
    }
    let mut escaped = Vec::new();
    let mut table = Vec::new();
    for &fault in Fault::ALL {
        let stage = match fault.stage() {
            Behind::Allocate => Stage::Allocate,
            Behind::Schedule => Stage::Schedule,
            _ => continue,
        };
        let mut tally = Tally::default();
        for step in steps.iter().filter(|step| step.stage == stage) {
            for seed in 0..seeds {
                let mut faulted = step.after.clone();
                if !plant(fault, &mut faulted, seed) {
                    break;
                }
                tally.applied += 1;
                if faulted == step.after {
                    *tally.harmless.entry("same-text").or_default() += 1;
                    continue;
                }
                let caught = judge(step, &faulted);
                if let Some(name) = caught {
                    *tally.caught.entry(name).or_default() += 1;
                }
                if reorders(fault) {
                    continue;
                }
                let escape = |what: String| (fault.name(), step.name.clone(), seed, what);
                match (caught, show(step, &faulted)) {
                    (Some(_), Ok(_)) => tally.shown += 1,
                    (Some(_), Err(_)) => {}
                    (None, Err(Some(reason))) => *tally.harmless.entry(reason).or_default() += 1,
                    (None, Ok(what)) => escaped.push(escape(what)),
                    (None, Err(None)) => escaped.push(escape(difference(&step.after, &faulted))),
                }
            }
        }
        table.push((fault, tally));
    }
    eprintln!("{:<24} {:>8} {:>8} {:>8}  caught by, harmless because", "fault", "applied", "caught", "shown");
    for (fault, tally) in &table {
        let caught: usize = tally.caught.values().sum();
        eprintln!(
            "{:<24} {:>8} {caught:>8} {:>8}  {:?} {:?}",
            fault.name(),
            tally.applied,
            tally.shown,
            tally.caught,
            tally.harmless
        );
    }
    for (fault, tally) in &table {
        let caught = tally.caught.values().sum();
        let judge = if fault.stage() == Behind::Schedule { "schedule" } else { "allocation" };
        sassafras_oracle::fault::planted(judge, &chip, fault.name(), tally.applied, caught);
    }
    for (fault, name, seed, what) in &escaped {
        eprintln!("escaped: {fault}:{seed} in {name}: {what}");
    }
    assert_eq!(escaped.len(), 0, "no judge objects, and no reason is known");
    for (fault, tally) in &table {
        let caught: usize = tally.caught.values().sum();
        let harmless: usize = tally.harmless.values().sum();
        assert_eq!(caught + harmless, tally.applied, "{}: each is counted once", fault.name());
        assert!(tally.applied > 0, "{} finds no place", fault.name());
        assert!(reorders(*fault) || 2 * tally.shown >= caught, "{}: too little harm is shown", fault.name());
    }
}

/// The first place where two functions differ.
fn difference(a: &sassafras_machine::Function, b: &sassafras_machine::Function) -> String {
    let print = |f| sassafras_machine::text::print(f);
    let (a, b) = (print(a), print(b));
    let found = a.lines().zip(b.lines()).enumerate().find(|(_, (a, b))| a != b);
    found.map_or("one is longer".to_owned(), |(line, (a, b))| format!("line {line}: `{a}` became `{b}`"))
}
