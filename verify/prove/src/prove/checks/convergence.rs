//! Whether lanes of the target may wait for ever.

use crate::obligation::Obligation;
use crate::prove::comparison::{Comparison, Stop};
use crate::prove::discharge::Open;
use sassafras_semantics::Domain;
use sassafras_symbolic::obstacle::Located;
use sassafras_symbolic::obstacle::convergence::Convergence;
use sassafras_symbolic::obstacle::place::{Claim, Side};
use sassafras_symbolic::origin::Origin;
use sassafras_symbolic::trace::lanes::awaited;
use sassafras_symbolic::trace::order::waits_out_of_order;

/// Lanes of the target wait for each other in the source's order.
pub fn order_of_waits(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    let (inputs, targets) = (c.inputs, &c.run.target.side.log.events);
    let both = |(a, b): &(usize, usize)| {
        let guards = inputs.terms.and(&targets[*a].guard, &targets[*b].guard);
        inputs.known(inputs.normal.of(guards)) != Some(0)
    };
    match waits_out_of_order(targets, c.pairs_and_twins()).into_iter().find(both) {
        None => Ok(()),
        Some((a, b)) => {
            let at = |i: usize| targets[i].place;
            Err(Convergence::OtherOrder { first: at(a), second: at(b) }.into())
        }
    }
}

/// No lanes at a convergence barrier wait for what waits for them.
pub fn circles(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    let (source, target) = (&c.run.source.events, &c.run.target.side);
    let code = matches!(c.task.entries.origin, Origin::Code { .. });
    let partners = c.pairs_and_twins().map(|(i, j)| (j, awaited(&source[i], code))).collect();
    match target.warp.circle(&target.log.events, &partners) {
        None => Ok(()),
        Some(barrier) => Err(Convergence::Circle { barrier }.into()),
    }
}

/// No lane of the target waits for ever at a convergence barrier.
pub fn nesting(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    let open = c
        .run
        .target
        .side
        .warp
        .open()?
        .iter()
        .map(|(violated, place)| Obligation { what: Claim::Nesting(*place), violated: *violated });
    let open: Vec<Obligation> = open.collect();
    c.discharge(&open).map_err(|open| {
        let why = match open {
            Open::Violated(first) => Convergence::WaitForEver { claim: first.what },
            Open::Unknown(because) => Convergence::NestingOpen { because },
        };
        Located::from(why).on(Side::Target).into()
    })
}
