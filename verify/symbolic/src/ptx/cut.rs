//! Loops that are cut, as PTX sees them.

use crate::cut::{Cutting, Shape, WIDEST};
use crate::obstacle::coverage::Coverage;
use crate::obstacle::place::Place;
use crate::ptx::calls::{Kept, Program};
use crate::ptx::flow::flow;
use crate::trace::heads::{Cuts, Holds, Shows, SideCut};
use crate::trace::loops::Loops;
use sassafras_ptx::checked::RegisterId;

/// The cut loops of a program. A variable stands for each register that is named, and what the target's registers hold is made of these.
///
/// # Errors
/// Registers that are not there, or have other widths.
pub(super) fn cuts(program: &Program<'_>, cutting: Cutting<'_>) -> Result<Cuts<RegisterId>, Coverage> {
    let mut all = Vec::new();
    for cut in cutting.loops {
        let step = usize::try_from(cut.source).ok().and_then(|at| program.steps.get(at));
        let place = step.and_then(|step| step.inst).map_or(0, |(inst, _)| inst.line.into());
        let wrong = || Coverage::CutWrong { at: Place::Line(place) };
        if step.is_none() {
            return Err(wrong());
        }
        let named = |key: u64| {
            let register = RegisterId(u32::try_from(key).map_err(|_| wrong())?);
            match program.kept(register) {
                (Kept::Register, width) => Ok((register, width)),
                _ => Err(wrong()),
            }
        };
        let (mut holds, mut shows, mut free) = (Vec::new(), Vec::new(), Vec::new());
        for (variable, of) in cut.variables.iter().enumerate() {
            let (register, width) = named(of.register)?;
            if width != of.width {
                return Err(wrong());
            }
            let held = match of.moves {
                true => Holds::Moved { variable, factor: 1 },
                false => Holds::Part { variable, low: 0 },
            };
            holds.push((vec![(register, width)], held));
        }
        for row in &cut.rows {
            let of = cut.variables.get(row.variable as usize).ok_or_else(wrong)?;
            let (register, _) = named(of.register)?;
            let width = row.width().ok_or_else(wrong)?;
            shows.push((
                vec![register],
                match row.shape {
                    Shape::Part(low) if !of.moves && low.saturating_add(width) <= of.width => {
                        Shows::Part { low, width }
                    }
                    Shape::Low(bits) if !of.moves && bits > 0 && bits <= of.width => {
                        Shows::Part { low: 0, width: bits }
                    }
                    Shape::Moved(factor) if of.moves && width <= WIDEST => {
                        Shows::Moved { of: row.variable as usize, factor, width }
                    }
                    _ => return Err(wrong()),
                },
            ));
        }
        for key in &cut.free[0] {
            // Also what lies in registers and is none that the text names: a carry flag, and bytes that are handed to a call.
            let register = RegisterId(u32::try_from(*key).map_err(|_| wrong())?);
            free.push((register, program.kept(register).1, false));
        }
        all.push(SideCut {
            at: cut.source,
            place,
            variables: cut.variables.iter().map(|v| (v.width, v.common)).collect(),
            holds,
            shows,
            facts: vec![None; cut.facts.len()],
            free,
            weaker: cut.weaker[0].clone(),
            together: !cut.weaker[1].apart,
            keeps_memory: cut.keeps_memory,
            own_memory: cut.own_memory,
        });
    }
    if all.is_empty() && !cutting.watches {
        return Ok(Cuts::default());
    }
    let flow = flow(program);
    let loops = Loops::of(&flow, &[0]);
    Ok(Cuts::of(all, &loops, &flow, cutting.watches))
}
