//! Two entries under one plan.

use super::checks;
use super::comparison::{Comparison, Stop};
use super::cuts::{self, unfold};
use super::drawn;
use super::evaluated::evaluated;
use super::plan::{Plan, View};
use super::sides::{self, Run};
use super::task::Task;
use crate::reason::Reason;
use crate::replay::pointers;
use crate::verdict::{Coverage, Verdict};
use sassafras_normal::Normal;
use sassafras_semantics::Terms;
use sassafras_symbolic::assumption::Assumption;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::Obstacle;
use sassafras_symbolic::obstacle::coverage::Coverage as Incomplete;
use sassafras_symbolic::obstacle::place::Claim;
use sassafras_symbolic::places;
use sassafras_symbolic::ptx::choose::choose;
use sassafras_symbolic::trace::fences;
use sassafras_witness::Matching;
use std::time::Instant;

/// What comes of a plan.
pub enum Outcome {
    /// A verdict.
    Told(Verdict),
    /// No verdict yet: the runs of both sides show what this plan says beyond the one that they were run under.
    Refined(Plan),
}

/// Runs both sides under a plan, and asks everything that has to hold between them.
pub fn compare(task: &mut Task<'_>, plan: &Plan) -> Outcome {
    run_and_check(task, plan).unwrap_or_else(|why| Outcome::Told(Verdict::Unknown(why)))
}

fn run_and_check(task: &mut Task<'_>, plan: &Plan) -> Result<Outcome, Reason> {
    let entries = task.entries;
    let of_entries = checks::of_entries(entries, plan)?;
    let terms = Terms::new();
    let inputs = Inputs::new(&terms, Normal::boxed(&terms));
    inputs.in_clusters(entries.origin.in_clusters());
    inputs.in_blocks(entries.origin.blocks());
    if plan.view == View::Opaque {
        inputs.opaque.begin();
    }
    let started = Instant::now();
    let run = sides::run(entries, plan, &inputs, None)?;
    task.met.unfinished = !run.source.beyond.is_empty();
    sides::counted(entries, plan, task.record, &run.source.course)?;
    if let Some(weaker) = drawn::weaker(entries, plan, &task.met, &run.ways)? {
        return Ok(Outcome::Refined(weaker));
    }
    if let Some(weaker) = cuts::weaker(task, plan, &inputs, &run) {
        return Ok(Outcome::Refined(weaker));
    }
    if let Some(never) = unfold::never_gone(task, plan, &inputs, &run) {
        return Ok(Outcome::Refined(Plan { never: Some(never), ..plan.clone() }));
    }
    if let Some(refined) = refined(task, plan, &inputs, &run) {
        return Ok(Outcome::Refined(refined));
    }
    task.record.phases.sides += started.elapsed().as_secs_f64();
    let mut sides = evaluate_first(task, plan, &inputs, run);
    if let Some(why) = sides.shows_nothing() {
        return Err(why);
    }
    let held = checks::of_runs(&mut sides);
    let verdict = match held {
        Ok(()) => {
            sides.run.assumed.extend(of_entries);
            sides.conclude()?
        }
        Err(Stop::Refuted(found)) => Verdict::Refuted(found),
        Err(Stop::Unknown(why)) => return Err(why),
    };
    Ok(Outcome::Told(verdict))
}

/// The plan with what the runs of both sides show of fences and places, if they show more than it says.
fn refined(task: &Task<'_>, plan: &Plan, inputs: &Inputs<'_>, run: &Run<'_>) -> Option<Plan> {
    let (source, target) = (&run.source.events, &run.target.side.log.events);
    if plan.weakened.is_empty() {
        let weakened = fences::ease(source, target);
        if !weakened.is_empty() {
            return Some(Plan { weakened, ..plan.clone() });
        }
    }
    if plan.placed.is_empty() {
        let variables = task.entries.origin.variables(plan.visits());
        let placed = places::found(inputs, &variables, source, target, task.entries.cubin);
        if !placed.is_empty() {
            return Some(Plan { placed, ..plan.clone() });
        }
    }
    None
}

/// Takes what the source leaves undefined for what the target has in its place, and evaluates both sides on concrete inputs.
fn evaluate_first<'c, 'a, 'i>(
    task: &'c mut Task<'a>,
    plan: &'c Plan,
    inputs: &'i Inputs<'i>,
    mut run: Run<'i>,
) -> Comparison<'c, 'a, 'i> {
    let Run { source, target, assumptions, first, ways, .. } = &mut run;
    let (choices, replaced) =
        choose(inputs, &mut source.events, &target.side.log.events, assumptions, *first);
    task.met.pointers = pointers(inputs, task.entries.origin, &source.events);
    let started = Instant::now();
    let mut evaluated = evaluated(task.entries, plan, &task.met, task.record, ways.clone(), Vec::new());
    task.record.phases.evaluation += started.elapsed().as_secs_f64();
    run.assumed.append(&mut evaluated.assumed);
    Comparison { task, plan, inputs, run, choices, replaced, evaluated, pairs: Vec::new() }
}

impl Comparison<'_, '_, '_> {
    /// Why nothing is shown of loops that are cut, whatever a solver says: drawn inputs do not bear it out ([`checks`], "evaluation").
    fn shows_nothing(&self) -> Option<Reason> {
        let why = self.evaluated.reached.as_ref().err().filter(|_| !self.plan.cuts.is_empty())?;
        let differs = Obstacle::from(Incomplete::OneTurn { claim: Claim::Drawn });
        Some(if self.evaluated.differs { differs.into() } else { why.clone() })
    }

    /// Everything holds: what was found goes into the record.
    ///
    /// # Errors
    /// Within the bound, code of the target is left that was not run.
    fn conclude(self) -> Result<Verdict, Reason> {
        let Comparison { task, plan, inputs, run, choices, pairs, .. } = self;
        let record = &mut *task.record;
        record.assumptions = run.assumed;
        record.lemmas = run.lemmas;
        let side = &run.target.side;
        let found = crate::matching::matching(
            inputs.terms,
            &run.source.events,
            &side.log.events,
            &pairs,
            &side.log.twins,
        );
        record.matching = Some(Matching {
            choices,
            payloads: plan.payloads,
            fused: run.ways.fused,
            estimated: run.ways.estimated,
            own_first: plan.own_first,
            updates: plan.updates(),
            fences: plan.weakened.clone(),
            placed: plan.placed.clone(),
            cuts: plan.cuts.clone(),
            unfolds: cuts::unfold::told(inputs, &side.cuts.came, &plan.unfolds),
            never: plan.never.clone().unwrap_or_default(),
            ..found
        });
        let (reached, instructions) = run.target.reached;
        record.coverage = Some(Coverage { reached, instructions });
        if run.source.beyond.is_empty() {
            return Ok(Verdict::Proved);
        }
        record.assumptions.insert(Assumption::Term);
        if reached < instructions {
            return Err(Incomplete::Unreached { rounds: plan.unroll, reached, all: instructions }.into());
        }
        Ok(Verdict::ProvedWithin(plan.unroll))
    }
}
