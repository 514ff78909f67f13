//! Places for bundles.
//!
//! Does: takes bundles in order of their start, those that must not be spilled first and of these the widest; gives
//! each the place of a bundle that a move connects it with if that is free; else, of the first `spread` general
//! registers, the lowest that has rested long enough, or else longest, so that scheduling finds few false dependences; else the lowest
//! free one, or for a single register one that breaks up no free pair; else that of the cheapest set of bundles that are each cheaper than it, which then look again. What finds
//! none is broken up into its registers; a single register that finds none is to be spilled.

use super::bundles::{Bundle, Bundles};
use super::ranges::{Range, RangeSet, Ranges};
use super::work::{Item, Work};
use crate::Error;
use sassafras_chip::{Chip, abi};
use sassafras_graph::Entity;
use sassafras_isa::RegClass;
use sassafras_machine::{Function, Pseudo, VReg, alignment};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Positions (two for each instruction) after which reuse of a register hinders scheduling no more.
const RESTED: u32 = 24;

/// The first register that products of a warpgroup use: ptxas 13.0.88 never gives them a lower one, and refuses a kernel of one product of four registers
/// when it may use 24.
const FIRST_GROUPED: usize = 24;

/// A register to spill, the set of registers that may share its slot, and the unit in that slot.
#[derive(Clone, Copy, Debug)]
pub struct Spilled {
    pub vreg: VReg,
    pub group: usize,
    pub offset: u8,
    /// Units of the whole group.
    pub group_units: u8,
}

/// How a round ended.
#[derive(Debug)]
pub enum Outcome {
    /// First real register of each virtual one; 0 for those that do not occur.
    Placed(Vec<u16>),
    /// These found none.
    Spill(Vec<Spilled>),
}

/// The occupants of one real register: ranges by their start, each with its end and its bundle.
type Occupants = BTreeMap<u32, (u32, usize)>;

struct Files {
    chip: Chip,
    registers: BTreeMap<RegClass, Vec<Occupants>>,
    reserved: BTreeSet<(RegClass, usize)>,
    /// Positions at which a callee writes what it does not keep, in rising order.
    calls: Vec<u32>,
    /// Positions at which a routine is called, in rising order, and its number.
    routines: Vec<(u32, u8)>,
}

/// Whether a callee keeps a register.
fn keeps(chip: Chip, class: RegClass, number: usize) -> bool {
    match class {
        RegClass::R => u16::try_from(number).is_ok_and(|n| abi::lives_across(chip, n)),
        RegClass::UR => u16::try_from(number).is_ok_and(|n| abi::keeps_uniform(chip, n)),
        RegClass::P | RegClass::UP => false,
        RegClass::B => number >= usize::from(abi::FIRST_KEPT_BARRIER),
    }
}

/// Whether a routine keeps a register.
fn routine_keeps(routine: u8, class: RegClass, number: usize) -> bool {
    let number = u16::try_from(number).unwrap_or(u16::MAX);
    match class {
        RegClass::R => !abi::routine::clobbers(routine, number),
        RegClass::P => !abi::routine::clobbers_predicate(number),
        RegClass::UR | RegClass::UP | RegClass::B => true,
    }
}

impl Files {
    fn free(&self, class: RegClass, base: usize, ranges: &[RangeSet]) -> bool {
        let file = &self.registers[&class];
        let fits = base + ranges.len() <= file.len();
        fits && ranges.iter().enumerate().all(|(unit, list)| {
            !self.clobbered(class, base + unit, list)
                && !self.reserved.contains(&(class, base + unit))
                && list.iter().all(|range| clash(&file[base + unit], range).next().is_none())
        })
    }

    /// Whether a call writes the register while it is live.
    fn clobbered(&self, class: RegClass, number: usize, list: &RangeSet) -> bool {
        let called = |(start, end): Range| {
            let first = self.calls.partition_point(|&at| at < start);
            self.calls.get(first).is_some_and(|&at| at < end)
        };
        let by_routine = |(start, end): Range| {
            let first = self.routines.partition_point(|&(at, _)| at < start);
            let within = self.routines[first..].iter().take_while(|(at, _)| *at < end);
            within.into_iter().any(|&(_, routine)| !routine_keeps(routine, class, number))
        };
        !self.calls.is_empty() && !keeps(self.chip, class, number) && list.iter().any(called)
            || !self.routines.is_empty() && list.iter().any(by_routine)
    }

    fn occupants(&self, class: RegClass, base: usize, ranges: &[RangeSet]) -> Option<BTreeSet<usize>> {
        let file = &self.registers[&class];
        if base + ranges.len() > file.len() {
            return None;
        }
        let mut found = BTreeSet::new();
        for (unit, list) in ranges.iter().enumerate() {
            if self.reserved.contains(&(class, base + unit)) || self.clobbered(class, base + unit, list) {
                return None;
            }
            found.extend(list.iter().flat_map(|range| clash(&file[base + unit], range)));
        }
        Some(found)
    }

    /// Where the last occupant before `start` ends; 0 when there was none.
    fn last_use(&self, class: RegClass, base: usize, units: usize, start: u32) -> u32 {
        let last =
            |occupants: &Occupants| occupants.range(..start).next_back().map_or(0, |(_, (end, _))| *end);
        self.registers[&class][base..base + units].iter().map(last).max().unwrap_or(0)
    }

    fn put(&mut self, class: RegClass, base: usize, ranges: &[RangeSet], bundle: usize) {
        let file = self.registers.get_mut(&class).expect("every class has a file");
        for (unit, list) in ranges.iter().enumerate() {
            file[base + unit].extend(list.iter().map(|(start, end)| (start, (end, bundle))));
        }
    }

    fn take(&mut self, class: RegClass, base: usize, ranges: &[RangeSet]) {
        let file = self.registers.get_mut(&class).expect("every class has a file");
        for (unit, list) in ranges.iter().enumerate() {
            for (start, _) in list.iter() {
                file[base + unit].remove(&start);
            }
        }
    }
}

fn is_call(item: &Item) -> bool {
    matches!(item, Item::Inst(inst) if matches!(inst.as_pseudo(), Some(Pseudo::Call { .. })))
}

fn is_entry(item: &Item) -> bool {
    matches!(item, Item::Inst(inst) if matches!(inst.as_pseudo(), Some(Pseudo::Enter { .. })))
}

/// The routine that is called.
fn routine(item: &Item) -> Option<u8> {
    match item {
        Item::Inst(inst) => match inst.as_pseudo() {
            Some(Pseudo::Invoke { routine, .. }) => Some(*routine),
            _ => None,
        },
        _ => None,
    }
}

/// Bundles that are live in the register somewhere in the range.
fn clash(occupants: &Occupants, (start, end): Range) -> impl Iterator<Item = usize> + '_ {
    let before = occupants.range(..end).rev();
    before.take_while(move |(_, (last, _))| *last > start).map(|(_, (_, bundle))| *bundle)
}

/// See the head of this file.
pub fn assign(
    f: &Function,
    work: &Work,
    ranges: &Ranges,
    bundles: &mut Bundles,
    limit: u32,
    spread: u32,
) -> Result<Outcome, Error> {
    let limits = f.chip.limits();
    let file = |count: u32| vec![Occupants::new(); count as usize];
    let registers = BTreeMap::from([
        (RegClass::R, file(limit)),
        (RegClass::UR, file(limits.uniform_registers)),
        (RegClass::P, file(limits.predicates)),
        (RegClass::UP, file(limits.uniform_predicates)),
        (RegClass::B, file(limits.convergence_barriers)),
    ]);
    let mut reserved = BTreeSet::new();
    // Where there are more, the number that stands for zero is none of theirs (`isa::encode`).
    reserved.extend(RegClass::UR.constant().map(|zero| (RegClass::UR, zero as usize)));
    if work.frame {
        reserved.insert((RegClass::R, 1));
    }
    reserved.extend(work.scratch.iter().flatten().map(|&number| (RegClass::R, usize::from(number))));
    let items = work.blocks.iter().flatten();
    // A callee writes where the call does: what ends there is read before, what begins there is its result.
    let calls = (0u32..).zip(items.clone()).filter(|(_, item)| is_call(item));
    let calls = calls.map(|(at, _)| 2 * at + 1).collect();
    let routines = (0u32..).zip(items).filter_map(|(at, item)| Some((2 * at + 1, routine(item)?))).collect();
    // A routine keeps the stack pointer and its return address, and has fewer predicates.
    if work.blocks.iter().flatten().any(is_entry) {
        let kept = [abi::STACK_POINTER, abi::routine::RETURN_ADDRESS];
        reserved.extend(kept.map(|number| (RegClass::R, usize::from(number))));
        let rest = usize::from(abi::routine::PREDICATES)..limits.predicates as usize;
        reserved.extend(rest.map(|number| (RegClass::P, number)));
    }
    let mut files = Files { chip: f.chip, registers, reserved, calls, routines };

    let mut hints: BTreeMap<usize, Vec<(usize, i16)>> = BTreeMap::new();
    for &[a, b] in &bundles.moves {
        let ((x, i), (y, j)) = (bundles.place(a), bundles.place(b));
        hints.entry(x).or_default().push((y, i16::from(j) - i16::from(i)));
        hints.entry(y).or_default().push((x, i16::from(i) - i16::from(j)));
    }

    let grouped = |bundle: &Bundle| bundle.members.iter().any(|(vreg, _)| work.is_grouped(*vreg));
    let key = |bundles: &Bundles, index: usize| {
        let bundle = &bundles.data[index];
        let first = match (bundle.weight == f32::INFINITY, grouped(bundle)) {
            (true, _) => 256 + u16::from(bundle.units),
            (false, true) => u16::from(bundle.units),
            (false, false) => 0,
        };
        (Reverse(first), bundle.start(), Reverse(bundle.units), index)
    };
    let mut queue: BTreeSet<_> = (0..bundles.data.len())
        .filter(|&index| bundles.data[index].ranges.iter().any(|list| !list.is_empty()))
        .map(|index| key(bundles, index))
        .collect();
    let mut places = vec![None; bundles.data.len()];
    let mut spilled = Vec::new();
    // One more than the highest general register so far.
    let mut highest = 0;
    while let Some((_, _, _, index)) = queue.pop_first() {
        let bundle = &bundles.data[index];
        let (class, units) = (bundle.class, usize::from(bundle.units));
        let step = usize::from(alignment(bundle.units));
        let floor = if class == RegClass::R && grouped(bundle) { FIRST_GROUPED } else { 0 };
        let count = files.registers[&class].len();
        let hinted = hints.get(&index).into_iter().flatten().filter_map(|&(other, delta)| {
            let base: usize =
                (places.get(other).copied().flatten()? as i64 + i64::from(delta)).try_into().ok()?;
            (base.is_multiple_of(step) && base >= floor).then_some(base)
        });
        let mut hinted = hinted.filter(|&base| files.free(class, base, &bundle.ranges));
        let within = if class == RegClass::R { count.min(spread as usize) } else { 0 };
        let rested = (floor..within).step_by(step).filter(|&base| files.free(class, base, &bundle.ranges));
        let found = hinted
            .next()
            .or_else(|| {
                let age = |base: usize| {
                    bundle.start().saturating_sub(files.last_use(class, base, units, bundle.start()))
                };
                rested.min_by_key(|&base| (Reverse(age(base).min(RESTED)), base))
            })
            .or_else(|| {
                let free = |&base: &usize| files.free(class, base, &bundle.ranges);
                let lowest = (floor..count).step_by(step).find(free)?;
                if class != RegClass::R || units != 1 {
                    return Some(lowest);
                }
                // What would break up a free pair goes beside another single one, if that takes no register more.
                let beside = |base: &usize| !files.free(class, *base ^ 1, &bundle.ranges);
                (lowest..highest).filter(free).find(beside).or(Some(lowest))
            });
        if let Some(base) = found {
            if class == RegClass::R {
                highest = highest.max(base + units);
            }
            files.put(class, base, &bundle.ranges, index);
            places[index] = Some(base);
            continue;
        }
        let cheapest = (floor..count).step_by(step).filter_map(|base| {
            let occupants = files.occupants(class, base, &bundle.ranges)?;
            let cost = occupants.iter().map(|&other| bundles.data[other].weight).fold(0f32, f32::max);
            (cost < bundle.weight).then_some((cost, base, occupants))
        });
        if let Some((_, base, occupants)) = cheapest.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))) {
            for other in occupants {
                let at = places[other].take().expect("what occupies a register has a place");
                files.take(bundles.data[other].class, at, &bundles.data[other].ranges);
                queue.insert(key(bundles, other));
            }
            files.put(class, base, &bundles.data[index].ranges, index);
            places[index] = Some(base);
        } else if bundle.members.len() > 1 {
            for new in bundles.break_up(f, work, ranges, index) {
                queue.insert(key(bundles, new));
                places.push(None);
            }
        } else if bundle.weight == f32::INFINITY || class == RegClass::UP || class == RegClass::B {
            let (at, item) = ranges.place(bundle.start());
            return Err(Error::OutOfRegisters { block: f.layout[at], index: item, class });
        } else {
            let (group, offset) = (bundle.group, bundle.group_offset);
            let group_units = bundles.data[group].units;
            spilled.push(Spilled { vreg: bundle.members[0].0, group, offset, group_units });
        }
    }
    if !spilled.is_empty() {
        return Ok(Outcome::Spill(spilled));
    }
    let place = |vreg: VReg| {
        let (bundle, offset) = bundles.of[vreg.index()];
        places[bundle].map_or(0, |base| base as u16 + u16::from(offset))
    };
    Ok(Outcome::Placed(f.vregs.keys().map(place).collect()))
}
