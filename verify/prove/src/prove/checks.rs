//! What `Proved` means: everything that is asked of two entries under a plan, in the order in which it is asked.

mod container;
mod convergence;
pub(super) mod events;
mod memory;
mod run;
mod solver;
mod states;

use super::comparison::{Comparison, Stop};
use super::plan::Plan;
use super::task::Entries;
use crate::reason::Reason;
use sassafras_symbolic::assumption::Assumption;
use std::collections::BTreeSet;

/// Something that has to hold.
pub struct Check {
    /// How it is called.
    pub name: &'static str,
    /// What it asks.
    pub asks: &'static str,
    holds: Holds,
}

/// How something is asked.
enum Holds {
    /// Of the two entries as they stand, before they are run; with what that rests on.
    OfEntries(fn(Entries<'_>, &Plan, &mut BTreeSet<Assumption>) -> Result<(), Reason>),
    /// Of what both sides do.
    OfRuns(fn(&mut Comparison<'_, '_, '_>) -> Result<(), Stop>),
}

use Holds::{OfEntries, OfRuns};

const fn check(name: &'static str, holds: Holds, asks: &'static str) -> Check {
    Check { name, asks, holds }
}

/// All checks. A verdict is `Proved` if each of them holds, and the first that does not says why there is none.
#[rustfmt::skip]
pub const CHECKS: [Check; 21] = [
    check("container", OfEntries(container::fits), "the cubin declares what its code needs, and has the source's parameters, variables and images"),
    check("hazards of the source", OfEntries(container::hazards_of_source), "a source that is code reads no register before it is ready"),
    check("solver", OfRuns(solver::present), "there is a solver"),
    check("heads of loops", OfRuns(run::heads), "what holds at the head of a loop that is gone through once holds again behind each turn"),
    check("assumptions", OfRuns(solver::satisfiable), "some input meets the assumptions, if concrete inputs do not bear the proof out"),
    check("events", OfRuns(events::paired), "what others see is the same on both sides, in the same order"),
    check("stores that loads find", OfRuns(memory::stood_in), "what loads of the target were given is what its stores leave"),
    check("order of waits", OfRuns(convergence::order_of_waits), "lanes of the target wait for each other in the source's order"),
    check("circles of barriers", OfRuns(convergence::circles), "no lanes at a convergence barrier wait for what waits for them"),
    check("intervals", OfRuns(memory::intervals), "between two events both sides store the same bytes with the same values"),
    check("covered accesses", OfRuns(memory::covered), "each access of the target is aligned, and loads what the source accesses there"),
    check("demands on the target", OfRuns(memory::demands_on_target), "the hardware takes each access of the target"),
    check("traps", OfRuns(run::traps), "both sides trap on the same inputs"),
    check("nesting", OfRuns(convergence::nesting), "no lane of the target waits for ever at a convergence barrier"),
    check("frame", OfRuns(memory::frame), "local memory of the target lies in the stack that the cubin declares"),
    check("demands on the source", OfRuns(memory::demands_on_source), "the hardware takes each access of a source that is code"),
    check("loops", OfRuns(run::loops), "loops of the target end where those of the source do"),
    check("hazards of the target", OfRuns(run::hazards_of_target), "the target reads no register before it is ready"),
    check("evaluation", OfRuns(run::evaluation), "values on concrete inputs agree, without a solver"),
    check("contradiction", OfRuns(solver::consistent), "a solver that discharged something calls the assumptions possible"),
    check("reach", OfRuns(run::reach), "within a bound: concrete inputs go each way that covered inputs go"),
];

/// Asks what concerns the two entries as they stand. What that rests on.
///
/// # Errors
/// The first that does not hold.
pub fn of_entries(entries: Entries<'_>, plan: &Plan) -> Result<BTreeSet<Assumption>, Reason> {
    let mut assumed = BTreeSet::new();
    for check in &CHECKS {
        if let OfEntries(holds) = check.holds {
            holds(entries, plan, &mut assumed)?;
        }
    }
    Ok(assumed)
}

/// Asks what concerns what both sides do.
///
/// # Errors
/// The first that does not hold, or of which that is not known.
pub fn of_runs(sides: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    CHECKS.iter().try_for_each(|check| match check.holds {
        OfEntries(_) => Ok(()),
        OfRuns(holds) => holds(sides),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_lists_every_check_in_order() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/proof-method.md");
        let text = std::fs::read_to_string(path).unwrap();
        let rows: Vec<String> = CHECKS.iter().map(|c| format!("| {} | {} |", c.name, c.asks)).collect();
        let listed = text.lines().skip_while(|l| *l != "| check | asks that |").skip(2);
        let listed: Vec<&str> = listed.take_while(|l| l.starts_with('|')).collect();
        assert_eq!(listed, rows);
    }

    #[test]
    fn no_runs_are_needed_before_the_first_check_of_runs() {
        let first = CHECKS.iter().position(|c| matches!(c.holds, OfRuns(_))).unwrap();
        assert!(CHECKS[first..].iter().all(|c| matches!(c.holds, OfRuns(_))));
    }
}
