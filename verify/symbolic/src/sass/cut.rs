//! Loops that are cut, as a machine's code sees them.

use crate::cut::{Cutting, Operand, Shape, WIDEST, is_of_warp, register, width};
use crate::obstacle::coverage::Coverage;
use crate::obstacle::place::Place;
use crate::sass::flow::{flow, starts};
use crate::trace::heads::{Compared, Cuts, Holds, Shows, SideCut};
use crate::trace::loops::Loops;
use crate::trace::side::WORD;
use sassafras_cubin::Function;
use sassafras_isa::{Chip, RegClass, Register};

/// The cut loops of a target: its registers hold what rows make of variables.
///
/// # Errors
/// Registers that are not there, or have other widths.
pub(super) fn cuts(
    function: &Function,
    chip: Chip,
    cutting: Cutting<'_>,
) -> Result<Cuts<Register>, Coverage> {
    let mut all = Vec::new();
    for cut in cutting.loops {
        let place = WORD.saturating_mul(cut.target);
        let wrong = || Coverage::CutWrong { at: Place::Offset(place) };
        if cut.target as usize >= function.code.len() {
            return Err(wrong());
        }
        let named = |key: &u64| register(*key).map(|r| (r, width(r))).ok_or_else(wrong);
        let (mut holds, mut shows) = (Vec::new(), Vec::new());
        for row in &cut.rows {
            let registers = row.registers.iter().map(named).collect::<Result<Vec<_>, _>>()?;
            let (of, variable) = (cut.variables.get(row.variable as usize), row.variable as usize);
            let of = of.ok_or_else(wrong)?;
            let width: u32 = registers.iter().map(|r| r.1).sum();
            if registers.is_empty() {
                return Err(wrong());
            }
            let plain = registers.iter().map(|r| r.0).collect();
            match row.shape {
                Shape::Part(low) if !of.moves && low.saturating_add(width) <= of.width => {
                    holds.push((registers, Holds::Part { variable, low }));
                    shows.push((plain, Shows::Part { low: 0, width }));
                }
                // What is above in a register of the warp would be one thing for all of its lanes.
                Shape::Low(bits)
                    if !of.moves
                        && (1..width).contains(&bits)
                        && bits <= of.width
                        && registers.iter().all(|r| r.0.class == RegClass::R) =>
                {
                    holds.push((registers, Holds::Low { variable, bits }));
                    shows.push((plain, Shows::Part { low: 0, width: bits }));
                }
                Shape::Moved(factor) if of.moves && width <= WIDEST => {
                    shows.push((plain, Shows::Moved { of: holds.len(), factor: 1, width }));
                    holds.push((registers, Holds::Moved { variable, factor }));
                }
                _ => return Err(wrong()),
            }
        }
        let free = cut.free[1].iter().map(|key| {
            let (register, width) = named(key)?;
            Ok((register, width, is_of_warp(register) && !cut.weaker[1].apart))
        });
        let compared = |of: &Operand| match of {
            Operand::Number(n) => Ok(Compared::Number(*n)),
            Operand::Register(key) => match named(key)? {
                (register, 32) => Ok(Compared::Register(register)),
                _ => Err(wrong()),
            },
        };
        let facts = cut.facts.iter().map(|fact| {
            let [a, b] = &fact.operands;
            Ok(Some((fact.relation, [compared(a)?, compared(b)?])))
        });
        all.push(SideCut {
            at: cut.target,
            place,
            variables: cut.variables.iter().map(|v| (v.width, v.common)).collect(),
            holds,
            shows,
            facts: facts.collect::<Result<_, Coverage>>()?,
            free: free.collect::<Result<_, Coverage>>()?,
            weaker: cut.weaker[1].clone(),
            together: !cut.weaker[1].apart,
            keeps_memory: cut.keeps_memory,
            own_memory: cut.own_memory,
        });
    }
    if all.is_empty() && !cutting.watches {
        return Ok(Cuts::default());
    }
    let flow = flow(function, chip);
    let loops = Loops::of(&flow, &starts(function, chip));
    let versions = cutting.unfolds.iter().flat_map(|unfold| &unfold.versions);
    let mut cuts = Cuts::of(all, &loops, &flow, cutting.watches);
    cuts.followed = versions.map(|version| version.target).collect();
    Ok(cuts)
}
