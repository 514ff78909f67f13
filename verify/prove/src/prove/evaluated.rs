//! Both sides once more without simplification, on concrete inputs.

use super::plan::Plan;
use super::sides::{self, Run};
use super::task::{Entries, Met};
use crate::evaluate::{LEAST, Log, Raw, evaluate};
use crate::reach::{Given, Goal, Goals, goals, numbers};
use crate::reason::Reason;
use crate::verdict::Record;
use sassafras_semantics::Terms;
use sassafras_symbolic::assumption::Assumption;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::Obstacle;
use sassafras_symbolic::obstacle::evaluation::Evaluation;
use sassafras_symbolic::origin::Ways;
use sassafras_symbolic::places;
use std::collections::BTreeSet;

/// What concrete inputs show.
pub struct Evaluated {
    /// Whether the sides differ on one of them.
    pub differs: bool,
    /// What was reached of what a bounded proof has to reach; or why the inputs do not bear a proof out.
    pub reached: Result<BTreeSet<Goal>, Reason>,
    /// What the runs without simplification assumed.
    pub assumed: BTreeSet<Assumption>,
}

impl From<Reason> for Evaluated {
    fn from(why: Reason) -> Evaluated {
        Evaluated { differs: false, reached: Err(why), assumed: BTreeSet::new() }
    }
}

/// Evaluates both sides on drawn inputs, and on such of which a part is given. `ways`: what the source does of what it may do.
pub fn evaluated(
    entries: Entries<'_>,
    plan: &Plan,
    met: &Met,
    record: &mut Record,
    ways: Ways,
    given: Vec<Given>,
) -> Evaluated {
    on_inputs(entries, plan, met, record, ways, given).unwrap_or_else(Evaluated::from)
}

fn on_inputs(
    entries: Entries<'_>,
    plan: &Plan,
    met: &Met,
    record: &mut Record,
    ways: Ways,
    given: Vec<Given>,
) -> Result<Evaluated, Reason> {
    let origin = entries.origin;
    let terms = Terms::raw();
    let inputs = Inputs::raw(&terms);
    inputs.in_clusters(origin.in_clusters());
    inputs.in_blocks(origin.blocks());
    let run =
        sides::run(entries, plan, &inputs, Some(ways)).map_err(|e| Obstacle::Unevaluated(Box::new(e)))?;
    sides::counted(entries, plan, record, &run.source.course)?;
    let reach = match as_executed((entries, plan, met), (&inputs, &run), given, evaluate)? {
        Ok(reach) => reach,
        Err(why) => return Ok(Evaluated { differs: true, ..why.into() }),
    };
    record.obligations.evaluated = reach.count;
    if reach.count < LEAST {
        return Err(Evaluation::FewInputs { count: reach.count }.into());
    }
    Ok(Evaluated { differs: false, reached: Ok(reach.reached), assumed: run.assumed })
}

/// Evaluates something of runs of both sides without simplification, on drawn inputs and on such of which a part is given.
///
/// # Errors
/// Barriers that lanes may wait at for ever.
pub fn as_executed<T>(
    (entries, plan, met): (Entries<'_>, &Plan, &Met),
    (inputs, run): (&Inputs<'_>, &Run<'_>),
    given: Vec<Given>,
    evaluates: impl FnOnce(&Raw<'_>) -> T,
) -> Result<T, Obstacle> {
    let Entries { origin, cubin, .. } = entries;
    let (source, target) = (&run.source, &run.target.side);
    let goals = if met.unfinished { goals(&source.course) } else { Goals::new() };
    let numbers = numbers(inputs.terms, &goals);
    let log = |events, traps, beyond, undefined| Log { events, traps, beyond, undefined };
    Ok(evaluates(&Raw {
        inputs,
        assumptions: &run.assumptions,
        source: log(&source.events, &source.traps, &source.beyond, &source.undefined),
        target: log(&target.log.events, &target.log.traps, &target.log.beyond, &target.log.undefined),
        never: target.log.demands.iter().map(|(wrong, _)| *wrong).collect(),
        tangled: target.warp.open()?.iter().map(|(wrong, _)| *wrong).collect(),
        pointers: &met.pointers,
        required: origin.required_threads(),
        words: &origin.words(cubin),
        of_target: run.of_target,
        locals: &origin.variables(plan.visits()),
        placed: &plan.placed,
        top: places::top(inputs, cubin),
        bounded: met.unfinished.then_some(plan.unroll),
        goals,
        numbers,
        given,
    }))
}
