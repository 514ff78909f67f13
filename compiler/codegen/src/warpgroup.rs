//! Registers of a warpgroup's products, where they are real.
//!
//! Does: waits for all products before an instruction that touches a register that one of them still uses (moves and spills that allocation could not
//! avoid, and what a program does too early), and lets products see registers that were written since the last WARPGROUP.ARRIVE. Both are what the PTX ISA
//! asks of programs ("wgmma.fence", "wgmma.wait_group"), and ptxas adds the same with a remark (C7510, C7519). Does not: move anything. Needs:
//! `Phase::Allocated`, no pseudo-instructions.
//!
//! Two forward dataflow problems. Uses: per general register, what a product uses it for and how many groups have ended since, the fewest. Written: registers written
//! since the last WARPGROUP.ARRIVE on any path; at the entry all are.

use crate::Error;
use crate::expand::make;
use sassafras_isa::{Access, Chip, Inst, Meaning, RegClass};
use sassafras_machine::{BuildError, Function, MInst, Reg};

/// A number of groups, as many as this at most.
pub(crate) type Most = u8;

/// What an instruction is to products of a warpgroup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// One of them.
    Product,
    /// It leaves this many groups under way.
    Wait(Most),
    Other,
}

pub(crate) fn kind(inst: &MInst) -> Kind {
    let Some(real) = inst.inst() else { return Kind::Other };
    match real.row().meaning {
        Meaning::Gmma => Kind::Product,
        Meaning::GmmaWait => {
            Kind::Wait(real.get("n").and_then(|n| Most::try_from(n).ok()).unwrap_or(Most::MAX))
        }
        _ => Kind::Other,
    }
}

/// Whether a product ends its group.
pub(crate) fn ends_group(inst: &MInst) -> bool {
    inst.inst().is_some_and(|real| real.enum_text("gsb") == Some("gsb0"))
}

/// What ends a group that nothing is in (ptxas 13.0.88 for sm_90a).
pub(crate) fn empty_group(chip: Chip) -> Result<Inst, Error> {
    let mut inst = make(chip, "hgmma.f16.sr", &[("d", 255), ("c", 255), ("q", 7), ("q.not", 1)])?;
    for (field, text) in [("shape", ".64x8x16"), ("gsb", "gsb0")] {
        inst.set_enum(field, text).map_err(BuildError::from)?;
    }
    let zero = RegClass::UR.constant().unwrap_or(63);
    inst.set("a", zero).map_err(BuildError::from)?;
    Ok(inst)
}

/// What was added.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GroupStats {
    /// Waits for all products.
    pub waits: usize,
    /// WARPGROUP.ARRIVE.
    pub fences: usize,
}

const FILE: usize = 256;

/// What a product uses a register for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    /// Read.
    Factor,
    /// Accumulator, of the product's first register and their number.
    Sum(u16, u8),
    /// More than one of these.
    Both,
}

type Uses = Vec<Option<(Use, Most)>>;

/// See the head of this file.
pub fn keep(f: &mut Function) -> Result<GroupStats, Error> {
    let mut stats = GroupStats::default();
    if !f.insts().any(|(_, _, inst)| kind(inst) == Kind::Product) {
        return Ok(stats);
    }
    while let Some((block, at)) = too_early(f) {
        let insts = &mut f.blocks[block].insts;
        let line = insts[at].line;
        let wait = make(f.chip, "warpgroup.depbar", &[("n", 0)])?;
        // What is in no group yet is not waited for.
        insts.splice(at..at, [empty_group(f.chip)?, wait].map(|inst| MInst::new(inst).from_line(line)));
        stats.waits += 1;
    }
    while let Some((block, at)) = unseen(f) {
        let insts = &mut f.blocks[block].insts;
        let line = insts[at].line;
        insts.insert(at, MInst::new(make(f.chip, "warpgroup.arrive", &[])?).from_line(line));
        stats.fences += 1;
    }
    Ok(stats)
}

/// General registers that an instruction touches.
fn touched(inst: &MInst, access: Option<Access>) -> Vec<usize> {
    let operands = inst.operands();
    let mine = operands.iter().filter(|o| o.class == RegClass::R && access.is_none_or(|a| a == o.access));
    mine.flat_map(|o| match o.reg {
        Reg::Physical(first) => (first..first + u16::from(o.units)).map(usize::from).collect(),
        Reg::Virtual(..) => Vec::new(),
    })
    .collect()
}

/// The accumulator of a product: first register and number.
fn sum(inst: &MInst) -> Option<(u16, u8)> {
    inst.defs().find(|o| o.class == RegClass::R).and_then(|o| match o.reg {
        Reg::Physical(first) => Some((first, o.units)),
        Reg::Virtual(..) => None,
    })
}

fn own_use(inst: &MInst, register: usize) -> Use {
    match sum(inst) {
        Some((first, units))
            if (usize::from(first)..usize::from(first) + usize::from(units)).contains(&register) =>
        {
            Use::Sum(first, units)
        }
        _ => Use::Factor,
    }
}

/// Whether an instruction touches a register that a product uses for something else. What a product reads, others may read.
fn clashes(inst: &MInst, state: &Uses) -> bool {
    if kind(inst) == Kind::Product {
        return touched(inst, None)
            .into_iter()
            .any(|register| state[register].is_some_and(|(used, _)| used != own_use(inst, register)));
    }
    let reads = |register: usize| state[register].is_some_and(|(used, _)| used != Use::Factor);
    touched(inst, Some(Access::Write)).into_iter().any(|register| state[register].is_some())
        || touched(inst, Some(Access::Read)).into_iter().any(reads)
}

fn step_uses(inst: &MInst, state: &mut Uses) {
    match kind(inst) {
        Kind::Wait(n) => {
            state.iter_mut().filter(|u| u.is_some_and(|(_, since)| since > n)).for_each(|u| *u = None)
        }
        Kind::Product => {
            for register in touched(inst, None) {
                state[register] = Some((own_use(inst, register), 0));
            }
            if ends_group(inst) {
                state.iter_mut().flatten().for_each(|(_, since)| *since = since.saturating_add(1));
            }
        }
        Kind::Other => {}
    }
}

fn meet_uses(known: &mut Uses, other: &Uses) -> bool {
    let mut changed = false;
    for (old, new) in known.iter_mut().zip(other) {
        let met = match (*old, *new) {
            (None, any) | (any, None) => any,
            (Some((a, m)), Some((b, n))) => Some((if a == b { a } else { Use::Both }, m.min(n))),
        };
        changed |= met != *old;
        *old = met;
    }
    changed
}

/// The state at the entry of each block.
fn flow<S: Clone>(
    f: &Function,
    first: S,
    step: impl Fn(&MInst, &mut S),
    meet: impl Fn(&mut S, &S) -> bool,
) -> Vec<(sassafras_machine::Block, S)> {
    let mut entry: sassafras_graph::SecondaryMap<sassafras_machine::Block, Option<S>> =
        sassafras_graph::SecondaryMap::new();
    entry[f.entry] = Some(first);
    let mut stale = std::collections::BTreeSet::from([f.entry]);
    while let Some(block) = stale.pop_first() {
        let Some(mut state) = entry[block].clone() else { continue };
        f.blocks[block].insts.iter().for_each(|inst| step(inst, &mut state));
        for edge in &f.blocks[block].succs {
            let changed = match &mut entry[edge.block] {
                Some(known) => meet(known, &state),
                unknown => {
                    *unknown = Some(state.clone());
                    true
                }
            };
            if changed {
                stale.insert(edge.block);
            }
        }
    }
    f.layout.iter().filter_map(|&block| Some((block, entry[block].clone()?))).collect()
}

/// The first instruction of a block that touches a register that is in use.
fn too_early(f: &Function) -> Option<(sassafras_machine::Block, usize)> {
    let entries = flow(f, vec![None; FILE], step_uses, meet_uses);
    entries.into_iter().find_map(|(block, mut state)| {
        let early = f.blocks[block].insts.iter().position(|inst| {
            let found = clashes(inst, &state);
            step_uses(inst, &mut state);
            found
        });
        early.map(|at| (block, at))
    })
}

fn step_written(inst: &MInst, written: &mut [bool]) {
    if inst.inst().is_some_and(|real| real.row().meaning == Meaning::GmmaFence) {
        written.fill(false);
    } else if kind(inst) != Kind::Product {
        touched(inst, Some(Access::Write)).into_iter().for_each(|register| written[register] = true);
    }
}

/// The first product of a block that uses a register that was written since the last fence.
fn unseen(f: &Function) -> Option<(sassafras_machine::Block, usize)> {
    let meet = |known: &mut Vec<bool>, other: &Vec<bool>| {
        let mut changed = false;
        for (old, new) in known.iter_mut().zip(other) {
            changed |= *new && !*old;
            *old |= *new;
        }
        changed
    };
    flow(f, vec![true; FILE], |inst, written| step_written(inst, written), meet).into_iter().find_map(
        |(block, mut written)| {
            let unseen = f.blocks[block].insts.iter().position(|inst| {
                let product = kind(inst) == Kind::Product;
                let found = product && touched(inst, None).into_iter().any(|register| written[register]);
                step_written(inst, &mut written);
                found
            });
            unseen.map(|at| (block, at))
        },
    )
}
