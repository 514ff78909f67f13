//! Faults that are made on purpose behind allocation or scheduling are caught by a judge.
//!
//! Some change nothing that can be seen: a move of a value that nobody reads, a register that was free, a wait that
//! another wait or the order of a queue makes superfluous. Of each fault the share that must be caught is stated; what
//! escapes is printed.

mod common;

use sassafras_check::{Verdict, allocation, hazard, schedule};
use sassafras_codegen::plant::{Fault, Stage as Behind, plant};
use sassafras_driver::Stage;

/// Seeds per fault and function.
const SEEDS: u64 = 6;

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

#[test]
fn faults_are_caught() {
    let mut steps = common::steps(None);
    steps.extend(common::steps(Some(24)));
    let (mut escaped, mut short) = (Vec::new(), Vec::new());
    eprintln!("{:<24} {:>8} {:>8} {:>8}  judges", "fault", "applied", "caught", "same");
    for &fault in Fault::ALL {
        let stage = match fault.stage() {
            Behind::Allocate => Stage::Allocate,
            Behind::Schedule => Stage::Schedule,
            _ => continue,
        };
        let (mut applied, mut caught, mut same) = (0, 0, 0);
        let mut judges = std::collections::BTreeSet::new();
        for step in steps.iter().filter(|step| step.stage == stage) {
            for seed in 0..SEEDS {
                let mut faulted = step.after.clone();
                if !plant(fault, &mut faulted, seed) {
                    break;
                }
                applied += 1;
                if faulted == step.after {
                    same += 1;
                } else if let Some(name) = judge(step, &faulted) {
                    caught += 1;
                    judges.insert(name);
                } else {
                    escaped.push((fault.name(), step.name.clone(), seed, difference(&step.after, &faulted)));
                }
            }
        }
        if 100 * (caught + same) < floor(fault) * applied {
            short.push((fault.name(), caught, applied));
        }
        eprintln!("{:<24} {applied:>8} {caught:>8} {same:>8}  {judges:?}", fault.name());
    }
    for (fault, name, seed, what) in &escaped {
        eprintln!("escaped: {fault}:{seed} in {name}: {what}");
    }
    assert!(short.is_empty(), "caught too seldom: {short:?}");
}

/// Per cent of the places of a fault that a judge must object to.
fn floor(fault: Fault) -> usize {
    match fault {
        Fault::DroppedMove => 80,
        Fault::SharedRegister => 60,
        Fault::ShortStall => 99,
        Fault::DroppedWait => 90,
        Fault::DroppedFarWait | Fault::WrongScoreboard => 70,
        Fault::DroppedWriteBarrier => 95,
        Fault::DroppedReadBarrier => 40,
        _ => 100,
    }
}

/// The first place where two functions differ.
fn difference(a: &sassafras_machine::Function, b: &sassafras_machine::Function) -> String {
    let print = |f| sassafras_machine::text::print(f);
    let (a, b) = (print(a), print(b));
    let found = a.lines().zip(b.lines()).enumerate().find(|(_, (a, b))| a != b);
    found.map_or("one is longer".to_owned(), |(line, (a, b))| format!("line {line}: `{a}` became `{b}`"))
}
