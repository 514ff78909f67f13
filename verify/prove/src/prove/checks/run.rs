//! How both sides end, what the target's code is, and what concrete inputs show of both.

use crate::obligation::{self, Obligation};
use crate::prove::comparison::{Comparison, Stop};
use crate::prove::discharge::Open;
use crate::reason::Kind;
use sassafras_symbolic::cut;
use sassafras_symbolic::obstacle::coverage::Coverage;
use sassafras_symbolic::obstacle::place::Claim;
use sassafras_symbolic::origin;
use sassafras_symbolic::trace::cut::hold_again;

/// What holds at the heads of cut loops holds again.
pub fn heads(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    hold_again(&c.run.source.needs)?;
    Ok(hold_again(&c.run.target.side.cuts.needs_by(&cut::key))?)
}

/// Both sides trap alike.
pub fn traps(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    let alike = obligation::traps(c.inputs.terms, &c.run.source.traps, &c.run.target.side.log.traps);
    c.held_or_refuted(&[alike])
}

/// Loops of the target end where those of the source do.
pub fn loops(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    let open = c
        .run
        .target
        .side
        .log
        .beyond
        .iter()
        .map(|violated| Obligation { what: Claim::LoopsEnd, violated: *violated });
    let open: Vec<Obligation> = open.collect();
    c.discharge(&open).map_err(|open| match open {
        Open::Violated(_) => Coverage::Longer {}.into(),
        Open::Unknown(because) => Coverage::Open { because }.into(),
    })
}

/// The hazard checker has no objection to the target.
pub fn hazards_of_target(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    let entries = c.task.entries;
    let jumped = &c.run.target.side.log.jumped;
    Ok(origin::hazards(entries.cubin, entries.code, jumped, &mut c.run.assumed)?)
}

/// Values on concrete inputs bear out what was shown. Where they do not, although everything was shown so far, the prover contradicts itself.
pub fn evaluation(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    let Err(why) = &c.evaluated.reached else { return Ok(()) };
    if why.kind == Kind::Contradiction {
        c.task.record.contradiction = Some(why.to_string());
    }
    Err(why.clone().into())
}

/// Within a bound: concrete inputs go each way that covered inputs go.
pub fn reach(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    if c.task.met.unfinished {
        let reached = c.evaluated.reached.clone()?;
        c.task.record.evaluation = Some(c.evaluation(reached)?);
    }
    Ok(())
}
