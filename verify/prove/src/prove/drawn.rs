//! What a run of terms as they are executed, and drawn inputs, show of loops that are cut, before a solver is asked.
//!
//! The checker of witnesses has terms as they are executed, in which less is seen to hold again. And most of what is guessed wrong of a relation is wrong on the first
//! inputs that one tries, while a solver may take all its effort to say nothing of it.

use super::cuts;
use super::evaluated::as_executed;
use super::plan::Plan;
use super::sides;
use super::task::{Entries, Met};
use crate::evaluate::{Pair, differing};
use crate::reason::Reason;
use sassafras_semantics::Terms;
use sassafras_symbolic::cut;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::Obstacle;
use sassafras_symbolic::origin::Ways;

/// The plan with less said of its loops, where something does not hold behind a turn of terms as they are executed, or on a drawn input. `ways`: what the
/// source does of what it may do.
///
/// # Errors
/// A side is not followed.
pub fn weaker(entries: Entries<'_>, plan: &Plan, met: &Met, ways: &Ways) -> Result<Option<Plan>, Reason> {
    if plan.cuts.is_empty() {
        return Ok(None);
    }
    let terms = Terms::raw();
    let inputs = Inputs::raw(&terms);
    inputs.in_clusters(entries.origin.in_clusters());
    inputs.in_blocks(entries.origin.blocks());
    let run = sides::run(entries, plan, &inputs, Some(ways.clone()))
        .map_err(|e| Obstacle::Unevaluated(Box::new(e)))?;
    let mut cuts = plan.cuts.clone();
    let needs = [run.source.needs.clone(), run.target.side.cuts.needs_by(&cut::key)];
    for (side, needs) in needs.into_iter().enumerate() {
        cuts::give_up(&mut cuts, side, needs);
    }
    let mut spare = plan.spare.clone();
    if cuts == plan.cuts {
        let rows = cuts::pairs_at_heads(&run.source.events, &run.target.side.log.events);
        let pairs: Vec<Pair> = rows.iter().map(|(_, pair)| *pair).collect();
        let wrong =
            as_executed((entries, plan, met), (&inputs, &run), Vec::new(), |raw| differing(raw, &pairs));
        let wrong = wrong?.into_iter().map(|i| rows[i].0).collect();
        cuts::drop_rows(&mut cuts, &mut spare, &wrong);
    }
    Ok((cuts != plan.cuts).then(|| Plan { cuts, spare, ..plan.clone() }))
}
