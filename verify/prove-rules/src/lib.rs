//! Selection rules, proved one by one: for every operation that a row matches and every way of matching its operands, the
//! instructions compute what the operation means, for all values of the operands.
//!
//! - `shape`: every operation with every value of what it carries. `instance`: a row at one of them.
//! - `source`: what the IR's operations mean, by `ir::evaluate`. `target`: the row's instructions, by `isa::step`.
//! - `world`, `machine`, `symbols`: operands, memory and launch words that both sides share; immediates as variables.
//! - `floats`: what a solver is told of floats.
//! - `decide`: whether two effects are the same.
//! - `rewrites`: rows from the IR to the IR.
//!
//! The two sides share the primitives of [`sassafras_semantics::Domain`] and the notation of rows; the selection engine is not
//! asked.

mod decide;
mod instance;
mod machine;
mod rewrites;
mod shape;
mod source;
mod symbols;
mod target;
mod world;

pub use decide::{Verdict, prove_instance};
pub use instance::{How, Instance, instances};
pub use rewrites::prove_rewrite;

use sassafras_chip::Chip;
use sassafras_rules::select::Row;
use sassafras_solve::solver::Solver;
use serde::Serialize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What became of a row.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The row's name.
    pub name: String,
    /// The worst of its instances: refuted, unknown, exhausted, proved.
    pub verdict: Verdict,
    /// The instance that the verdict is of, if it is not proved.
    pub at: Option<String>,
    /// Instances that stand for all values.
    pub instances: usize,
    /// Instances for which no instruction exists: the compiler refuses them with an error.
    pub inapplicable: usize,
    /// Instances decided because both sides are one term.
    pub identical: usize,
    /// Instances that a solver decided.
    pub solved: usize,
}

/// Proves a row where it is at home. See [`prove_row_on`].
pub fn prove_row(row: &Row, solver: &mut dyn Solver) -> Outcome {
    prove_row_on(row, row.home().unwrap_or(Chip::Sm90), solver)
}

/// Proves a row on a chip. All instances are tried, and the worst verdict is the row's; the first refutation ends it.
pub fn prove_row_on(row: &Row, chip: Chip, solver: &mut dyn Solver) -> Outcome {
    let mut outcome = Outcome {
        name: row.name.clone(),
        verdict: Verdict::Identical,
        at: None,
        instances: 0,
        inapplicable: 0,
        identical: 0,
        solved: 0,
    };
    for instance in instances(row, chip) {
        let verdict = prove_instance(row, &instance, solver);
        match &verdict {
            Verdict::Inapplicable(_) => {
                outcome.inapplicable += 1;
                continue;
            }
            Verdict::Identical => outcome.identical += 1,
            Verdict::Solved => outcome.solved += 1,
            Verdict::Exhausted(_) | Verdict::Unknown(_) | Verdict::Refuted(_) => {}
        }
        outcome.instances += 1;
        if verdict.rank() > outcome.verdict.rank() {
            outcome.at = (verdict.rank() > Verdict::Solved.rank()).then(|| instance.to_string());
            outcome.verdict = verdict;
        }
        if matches!(outcome.verdict, Verdict::Refuted(_)) {
            break;
        }
    }
    if outcome.instances == 0 && !matches!(outcome.verdict, Verdict::Refuted(_)) {
        outcome.verdict = Verdict::Unknown("no operation is matched".into());
    }
    outcome
}

impl Outcome {
    /// As a record.
    pub fn json(&self) -> serde_json::Value {
        let why = match &self.verdict {
            Verdict::Inapplicable(why) | Verdict::Unknown(why) | Verdict::Refuted(why) => Some(why),
            _ => None,
        };
        serde_json::json!({
            "name": self.name,
            "verdict": self.verdict.word(),
            "reason": why,
            "at": self.at,
            "instances": self.instances,
            "inapplicable": self.inapplicable,
            "identical": self.identical,
            "solved": self.solved,
        })
    }
}

/// How many there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Funnel {
    /// Rows.
    pub rows: usize,
    /// Their instances.
    pub instances: usize,
    /// Instances decided because both sides are one term.
    pub identical: usize,
    /// Instances that a solver decided.
    pub solved: usize,
    /// Instances for which no instruction exists: the compiler refuses them.
    pub inapplicable: usize,
    /// Rows proved.
    pub proved: usize,
    /// Rows of which all values were tried where the solver gave up.
    pub exhausted: usize,
    /// Rows neither shown nor refuted.
    pub unknown: usize,
    /// Rows refuted.
    pub refuted: usize,
}

impl Funnel {
    /// Of these outcomes.
    pub fn of(outcomes: &[Outcome]) -> Funnel {
        let mut funnel = Funnel { rows: outcomes.len(), ..Funnel::default() };
        for o in outcomes {
            funnel.instances += o.instances;
            funnel.identical += o.identical;
            funnel.solved += o.solved;
            funnel.inapplicable += o.inapplicable;
            match o.verdict {
                Verdict::Identical | Verdict::Solved => funnel.proved += 1,
                Verdict::Exhausted(_) => funnel.exhausted += 1,
                Verdict::Unknown(_) | Verdict::Inapplicable(_) => funnel.unknown += 1,
                Verdict::Refuted(_) => funnel.refuted += 1,
            }
        }
        funnel
    }
}

impl std::fmt::Display for Funnel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} {}, {} {} ({} identical, {} by the solver; {} more have no instruction): {} proved, {} exhausted, {} unknown, {} refuted",
            self.rows,
            if self.rows == 1 { "rule" } else { "rules" },
            self.instances,
            if self.instances == 1 { "instance" } else { "instances" },
            self.identical,
            self.solved,
            self.inapplicable,
            self.proved,
            self.exhausted,
            self.unknown,
            self.refuted
        )
    }
}

/// Proves rows where they are at home. See [`prove_rows_on`].
pub fn prove_rows(rows: &[&Row], jobs: usize, solver: &(dyn Fn() -> Box<dyn Solver> + Sync)) -> Vec<Outcome> {
    let rows: Vec<(&Row, Chip)> = rows.iter().map(|row| (*row, row.home().unwrap_or(Chip::Sm90))).collect();
    prove_rows_on(&rows, jobs, solver)
}

/// Proves rows on chips, by `jobs` threads (0: one for each CPU), each with a solver of its own; outcomes in the order of the rows.
pub fn prove_rows_on(
    rows: &[(&Row, Chip)],
    jobs: usize,
    solver: &(dyn Fn() -> Box<dyn Solver> + Sync),
) -> Vec<Outcome> {
    let jobs = match jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    };
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let mut solver = solver();
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&(row, chip)) = rows.get(i) else { break };
                    let outcome = prove_row_on(row, chip, solver.as_mut());
                    if let Ok(mut all) = outcomes.lock() {
                        all.push((i, outcome));
                    }
                }
            });
        }
    });
    let mut outcomes = outcomes.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    outcomes.sort_by_key(|(i, _)| *i);
    outcomes.into_iter().map(|(_, o)| o).collect()
}
