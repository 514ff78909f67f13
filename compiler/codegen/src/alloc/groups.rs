//! Registers that products of a warpgroup use until they are waited for.
//!
//! Does: behind each wait, holds the registers that it frees, so that nothing else gets them before; marks them, so that they are placed first, above
//! those that ptxas leaves, and spilled last. A move hands a register that is in use on to the one that it writes, and is to be nothing once both have one place.
//!
//! A forward dataflow problem. Lattice: per unit that is in use, how many groups have ended since, the fewest on any path; union.

use super::work::{Item, Loc, Work};
use crate::warpgroup::{Kind, Most, kind};
use rustc_hash::FxHashMap;
use sassafras_graph::Entity;
use sassafras_graph::SecondaryMap;
use sassafras_isa::{Access, RegClass};
use sassafras_machine::{Block, Function, Op, Reg, VReg};
use std::collections::BTreeMap;

/// Groups ended since the last use of each unit.
type InUse = BTreeMap<(VReg, u8), Most>;

/// See the head of this file.
pub fn hold(f: &Function, work: &mut Work) {
    let products = |item: &Item| matches!(item, Item::Inst(inst) if kind(inst) == Kind::Product);
    if !work.blocks.iter().flatten().any(products) {
        return;
    }
    for item in work.blocks.iter().flatten() {
        let Item::Inst(inst) = item else { continue };
        if kind(inst) != Kind::Product {
            continue;
        }
        for operand in inst.operands().iter().filter(|o| o.class == RegClass::R) {
            if let Some(vreg) = operand.reg.vreg() {
                let marks = &mut work.grouped;
                marks.resize(marks.len().max(vreg.index() + 1), false);
                marks[vreg.index()] = true;
            }
        }
    }
    let mut number = SecondaryMap::<Block, usize>::new();
    f.layout.iter().enumerate().for_each(|(at, &block)| number[block] = at);
    let mut entry: Vec<Option<InUse>> = vec![None; f.layout.len()];
    entry[0] = Some(InUse::new());
    let mut stale = vec![false; f.layout.len()];
    stale[0] = true;
    while let Some(at) = stale.iter().position(|s| *s) {
        stale[at] = false;
        let mut state = entry[at].clone().unwrap_or_default();
        work.blocks[at].iter().for_each(|item| _ = step(item, &mut state));
        for edge in &f.blocks[f.layout[at]].succs {
            let to = number[edge.block];
            stale[to] |= match &mut entry[to] {
                Some(known) => union(known, &state),
                unknown => {
                    *unknown = Some(state.clone());
                    true
                }
            };
        }
    }
    for (items, entry) in work.blocks.iter_mut().zip(entry) {
        let Some(mut state) = entry else { continue };
        let mut out = Vec::with_capacity(items.len());
        for item in std::mem::take(items) {
            let freed = step(&item, &mut state);
            out.push(item);
            if !freed.is_empty() {
                out.push(Item::Held(freed));
            }
        }
        *items = out;
    }
}

fn union(known: &mut InUse, other: &InUse) -> bool {
    let mut changed = false;
    for (&unit, &since) in other {
        let old = known.entry(unit).or_insert(Most::MAX);
        changed |= since < *old;
        *old = (*old).min(since);
    }
    changed
}

/// Goes over one item; the units that it frees.
fn step(item: &Item, state: &mut InUse) -> Vec<(VReg, u8)> {
    match item {
        Item::Held(_) => {}
        Item::Moves(moves) => {
            let unit = |loc: Loc| if let Loc::Unit(vreg, unit) = loc { Some((vreg, unit)) } else { None };
            let handed: FxHashMap<_, _> =
                moves.iter().filter_map(|one| Some((unit(one.dst)?, *state.get(&unit(one.src)?)?))).collect();
            for one in moves {
                unit(one.src).iter().chain(&unit(one.dst)).for_each(|unit| _ = state.remove(unit));
            }
            state.extend(handed);
        }
        Item::Inst(inst) => match kind(inst) {
            Kind::Wait(n) => {
                let free = |since: Most| since > n;
                let freed = state.iter().filter(|(_, since)| free(**since)).map(|(unit, _)| *unit).collect();
                state.retain(|_, since| !free(*since));
                return freed;
            }
            Kind::Product => {
                for operand in inst.operands().iter().filter(|o| o.class == RegClass::R) {
                    if let Reg::Virtual(vreg, first) = operand.reg {
                        state.extend((0..operand.units).map(|unit| ((vreg, first + unit), 0)));
                    }
                }
                if crate::warpgroup::ends_group(inst) {
                    state.values_mut().for_each(|since| *since = since.saturating_add(1));
                }
            }
            Kind::Other => {
                if !matches!(inst.op, Op::Pseudo(_)) || !state.is_empty() {
                    item.units(Access::Write, |vreg, unit| _ = state.remove(&(vreg, unit)));
                }
            }
        },
    }
    Vec::new()
}
