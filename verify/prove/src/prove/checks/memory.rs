//! What both sides store and load.

use crate::obligation::{self, Obligation};
use crate::prove::comparison::{Comparison, Stop};
use crate::prove::discharge::Open;
use crate::prove::refute::abstracted;
use sassafras_chip::Chip;
use sassafras_semantics::Domain;
use sassafras_symbolic::obstacle::Obstacle;
use sassafras_symbolic::obstacle::container::Container;
use sassafras_symbolic::obstacle::place::Claim;
use sassafras_symbolic::obstacle::source::Source;
use sassafras_symbolic::obstacle::target::Target;

/// What loads of the target found of stores is what these store. What is proved of a value need not be proved again.
pub fn stood_in(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    let d = c.inputs.terms;
    let side = &c.run.target.side;
    let open = side.log.stood_in.iter().map(|s| Obligation {
        what: Claim::StandIn(side.log.events[s.index].place),
        violated: d.and(&s.guard, &d.not(&d.eq(&s.own, &s.given))),
    });
    let open: Vec<Obligation> = open.collect();
    c.discharge(&open).map_err(|open| match open {
        Open::Violated(first) => Stop::from(abstracted(first.what)),
        Open::Unknown(why) => why.into(),
    })?;
    let side = &mut c.run.target.side;
    for s in &side.log.stood_in {
        side.log.events[s.index].value = c.inputs.normal.of(s.given);
    }
    Ok(())
}

/// Between two events both sides store the same.
pub fn intervals(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    let (source, target) = (&c.run.source.events, &c.run.target.side.log.events);
    for interval in obligation::intervals(c.inputs, c.task.entries.origin, source, target) {
        let first = match interval.paired.map(|list| c.discharge(&list)) {
            Some(Ok(())) => continue,
            Some(Err(Open::Unknown(why))) => return Err(why.into()),
            Some(Err(Open::Violated(first))) => Some(first),
            None => None,
        };
        // Not one to one: perhaps in another order, or in other pieces.
        match c.discharge(&[interval.whole]) {
            Ok(()) => {}
            Err(Open::Unknown(why)) => return Err(why.into()),
            Err(Open::Violated(second)) => return Err(c.refute(&first.unwrap_or(second))),
        }
    }
    Ok(())
}

/// Each access of the target is aligned, and each load reads what the source accesses.
pub fn covered(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    let (source, target) = (&c.run.source.events, &c.run.target.side.log.events);
    let open = obligation::covered(c.inputs, c.task.entries.origin, source, target);
    c.held_or_refuted(&open)
}

/// The hardware takes each access of the target.
pub fn demands_on_target(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    let open = c
        .run
        .target
        .side
        .log
        .demands
        .iter()
        .map(|(violated, place)| Obligation { what: Claim::Hardware(*place), violated: *violated });
    let open: Vec<Obligation> = open.collect();
    c.held_or_refuted(&open)
}

/// The stack has room for the target's local memory.
pub fn frame(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    let (entries, inputs) = (c.task.entries, c.inputs);
    let sm = entries.cubin.sm;
    let chip = Chip::from_number(sm).ok_or_else(|| Obstacle::from(Target::Chip { sm }))?;
    let top = inputs.stack_top(chip);
    let bytes = entries.origin.stack(entries.cubin, entries.code);
    let (source, target) = (&c.run.source.events, &c.run.target.side.log.events);
    let visits = c.plan.visits();
    let (within, open) = obligation::frame(inputs, entries.origin, source, target, top, (bytes, visits));
    c.discharge_where(within, &open).map_err(|open| match open {
        Open::Violated(first) => Container::Stack { bytes, claim: first.what }.into(),
        Open::Unknown(why) => why.into(),
    })
}

/// The hardware takes what a source does that is code.
pub fn demands_on_source(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    let origin = c.task.entries.origin;
    let open = c.run.source.demands.iter().map(|(violated, place)| Obligation {
        what: Claim::Demand(origin.place(*place)),
        violated: *violated,
    });
    let open: Vec<Obligation> = open.collect();
    c.discharge(&open).map_err(|open| match open {
        Open::Violated(first) => Source::Demand { claim: first.what }.into(),
        Open::Unknown(why) => why.into(),
    })
}
