//! One entry of a module or a cubin against one of a cubin.
//!
//! - `plan`: what both sides are run with, where that may be chosen. `attempts`: which plans are tried, and in which order.
//! - `compare`: both sides under one plan. `sides`: their runs. `evaluated`: the same on concrete inputs.
//! - [`checks`]: what is asked of them, in order: what `Proved` means. `comparison`: what the checks see. `discharge`: obligations, asked one
//!   after the other. `coverage`: what a bounded proof has to reach. `cuts`: loops that are cut, for induction; `columns`: values
//!   that show what goes together; `drawn`: what drawn inputs show of that. `refute`: a violated obligation as a launch.

mod attempts;
pub mod checks;
mod columns;
mod compare;
mod comparison;
mod coverage;
mod cuts;
mod discharge;
mod drawn;
mod evaluated;
mod plan;
mod refute;
mod sides;
mod task;

use crate::hints;
use crate::verdict::{Counts, Phases, Record, Verdict};
use sassafras_cubin::Cubin;
use sassafras_ptx::checked::Module;
use sassafras_solve::limit::Limits;
use sassafras_solve::solver::Solver;
use sassafras_solvers::Timed;
use sassafras_symbolic::obstacle::nothing::Nothing;
use sassafras_symbolic::origin::Origin;
use std::collections::BTreeSet;
use std::time::Instant;
use task::{Entries, Met, Task};

/// How often a function is called within itself where more is too much.
const FEW_CALLS: u32 = 2;
/// Which part of the effort is for as many calls as are asked for.
const DEEP_SHARE: u64 = 6;

/// Holds the entry `name` of a cubin against the entry of that name of a module.
pub fn prove(module: &Module, name: &str, cubin: &Cubin, solver: &mut dyn Solver) -> Record {
    prove_within(module, name, cubin, solver, Limits::default())
}

/// The same, with limits.
pub fn prove_within(
    module: &Module,
    name: &str,
    cubin: &Cubin,
    solver: &mut dyn Solver,
    limits: Limits,
) -> Record {
    prove_hinted(module, name, cubin, solver, limits, None)
}

/// The same, with what a compiler says of the loops of its code, of which nothing is trusted.
pub fn prove_hinted(
    module: &Module,
    name: &str,
    cubin: &Cubin,
    solver: &mut dyn Solver,
    limits: Limits,
    hints: Option<&hints::Entry>,
) -> Record {
    against(Pair { origin: Origin::of_module(module, name), name, cubin, hints }, solver, limits)
}

/// Holds the entry `name` of a cubin against the entry of that name of another one, which is the source.
pub fn prove_code(
    source: &Cubin,
    name: &str,
    cubin: &Cubin,
    solver: &mut dyn Solver,
    limits: Limits,
) -> Record {
    against(Pair { origin: Origin::of_cubin(source, name), name, cubin, hints: None }, solver, limits)
}

/// What is compared.
#[derive(Clone, Copy)]
struct Pair<'a> {
    /// The source; none if it has no such entry.
    origin: Option<Origin<'a>>,
    name: &'a str,
    cubin: &'a Cubin,
    /// What is said of its loops.
    hints: Option<&'a hints::Entry>,
}

/// Where functions call themselves, terms grow with the power of the depth: what a part of the effort does not show of as many calls as are asked for is tried with
/// few of them.
fn against(pair: Pair<'_>, solver: &mut dyn Solver, limits: Limits) -> Record {
    let Some(own) = pair.origin.filter(|o| limits.unroll > 0 && o.recurses()) else {
        return once(pair, solver, limits);
    };
    // A function that calls itself twice is written out less deep.
    let depths = [limits.unroll, FEW_CALLS.min(limits.unroll), 1];
    let Some(most) = depths.into_iter().find(|d| own.is_written_out(d.saturating_add(1))) else {
        return once(pair, solver, limits);
    };
    let limits = Limits { unroll: most, ..limits };
    if most <= FEW_CALLS {
        return once(pair, solver, limits);
    }
    let part = Limits { effort: limits.effort / DEEP_SHARE, launches: 0, ..limits };
    let deep = once(pair, solver, part);
    match deep.verdict {
        Verdict::Unknown(_) if deep.contradiction.is_none() => {
            let few = once(pair, solver, Limits { unroll: FEW_CALLS, ..limits });
            Record { seconds: deep.seconds + few.seconds, ..few }
        }
        _ => deep,
    }
}

/// The same, with one depth of calls.
fn once(pair: Pair<'_>, solver: &mut dyn Solver, limits: Limits) -> Record {
    let Pair { origin, name, cubin, hints } = pair;
    let started = Instant::now();
    let mut record = Record {
        entry: name.to_owned(),
        // Until both entries are found.
        verdict: Verdict::Inapplicable(Nothing::NotInTarget { entry: name.into() }.into()),
        assumptions: BTreeSet::new(),
        lemmas: BTreeSet::new(),
        obligations: Counts::default(),
        unroll: limits.unroll,
        coverage: None,
        evaluation: None,
        contradiction: None,
        turns: None,
        matching: None,
        seconds: 0.0,
        phases: Phases::default(),
    };
    let mut solver = Timed::within(solver, limits.effort);
    let code = cubin.functions.iter().find(|f| f.entry && f.name == name);
    record.verdict = match (origin, code) {
        (Some(origin), _) if let Some(why) = origin.excludes(cubin) => Verdict::Inapplicable(why.into()),
        (Some(origin), Some(code)) => {
            let (solver, record) = (&mut solver, &mut record);
            let entries = Entries { origin, cubin, code };
            let mut task = Task { entries, hints, solver, limits, record, met: Met::default() };
            // Wrong code mostly does something else on the first launches that are drawn, and a solver may look for long.
            let (first, effort) = crate::search::FIRST;
            let first = task.drawn((first.min(limits.launches), effort));
            first.unwrap_or_else(|| {
                let verdict = task.attempts();
                task.searched(verdict)
            })
        }
        (None, _) => Verdict::Inapplicable(Nothing::NotInSource { entry: name.into() }.into()),
        (_, None) => Verdict::Inapplicable(Nothing::NotInTarget { entry: name.into() }.into()),
    };
    (record.phases.solver, record.phases.questions) = (solver.seconds, solver.questions);
    record.seconds = started.elapsed().as_secs_f64();
    record
}
