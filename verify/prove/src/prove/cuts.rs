//! Loops that are gone through once: which of both sides go together, and what registers hold at their heads.
//!
//! All of this is guessed and nothing of it trusted. Both sides run a few turns of each loop, and the values of registers where lanes come to its
//! head are columns of numbers, on drawn inputs. Columns that are the same become rows of a relation. What does not hold behind one
//! turn is given up, and both sides run again, until everything holds (Houdini: Flanagan, Leino, FME 2001).

use super::columns::{Evaluator, SEEDS};
use super::discharge::Premises;
use super::plan::Plan;
use super::sides::{self, Run};
use super::task::{Entries, Task};
use crate::obligation::Obligation;
use crate::reason::Reason;
use sassafras_normal::Normal;
use sassafras_semantics::{Domain, TermId, Terms};
use sassafras_symbolic::cut::{self, Cut, Key, Need, Needs, Row, Shape, Variable};
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::Obstacle;
use sassafras_symbolic::obstacle::coverage::Coverage;
use sassafras_symbolic::obstacle::place::{Claim, Place};
use sassafras_symbolic::trace::action::Action;
use sassafras_symbolic::trace::event::Event;
use sassafras_symbolic::trace::heads::Arrival;
use std::collections::{BTreeMap, BTreeSet};

/// Turns of each loop that are looked at.
const TURNS: u32 = 2;
/// What a pointer moves by, in what a counter moves by.
const FACTORS: [i64; 12] = [1, -1, 2, 4, 8, 16, 32, 64, 12, 24, -4, -8];

/// What registers hold on drawn inputs, arrival by arrival.
type Columns = BTreeMap<Key, Vec<u128>>;

/// The plan with loops cut that both sides seem to have alike.
///
/// # Errors
/// There are no such loops, or a side is not followed.
pub fn guess(entries: Entries<'_>, plan: &Plan) -> Result<Plan, Reason> {
    let terms = Terms::new();
    let inputs = Inputs::new(&terms, Normal::boxed(&terms));
    inputs.in_clusters(entries.origin.in_clusters());
    inputs.in_blocks(entries.origin.blocks());
    let watch = |turns| {
        let few = Plan { unroll: turns, ..plan.clone() };
        sides::run_and_watch(entries, &few, &inputs, None, true)
    };
    // Nests of many loops have too many instructions in two turns of each.
    let run = match watch(TURNS) {
        Err(why) if matches!(&why.obstacle, Obstacle::Coverage(c) if matches!(**c, Coverage::Steps { .. })) => {
            watch(1)?
        }
        ran => ran?,
    };
    let source = &run.source.arrivals;
    let target: Vec<Arrival<Key>> = run.target.side.cuts.arrivals.iter().map(|a| a.by(&cut::key)).collect();
    let evaluator = Evaluator::of(&inputs, source.iter().chain(&target));
    let mut cuts = Vec::new();
    for (s, t) in heads(&evaluator, source, &target) {
        cuts.push(relation(&inputs, &evaluator, arrivals(source, s), arrivals(&target, t)));
    }
    match cuts.is_empty() {
        true => Err(Obstacle::from(Coverage::NoHeads {}).into()),
        false => Ok(Plan { cuts, ..plan.clone() }),
    }
}

/// How often lanes have come round each loop around a head.
fn turns(arrival: &Arrival<Key>) -> Vec<u32> {
    arrival.rounds.iter().map(|(_, returns)| *returns).collect()
}

/// The first arrival at a head in each turn.
fn arrivals(all: &[Arrival<Key>], head: u64) -> BTreeMap<Vec<u32>, &Arrival<Key>> {
    let mut found = BTreeMap::new();
    for arrival in all.iter().filter(|a| a.at == head) {
        found.entry(turns(arrival)).or_insert(arrival);
    }
    found
}

/// Where each side may cut its loops, loop by loop in the order of the text: the head first, then other places.
fn gates(side: &[Arrival<Key>]) -> Vec<Vec<u64>> {
    let mut all: BTreeMap<usize, (u64, BTreeSet<u64>)> = BTreeMap::new();
    for arrival in side {
        if let Some((own, _)) = arrival.rounds.last() {
            // Lanes come to the head before they come to any other place.
            all.entry(*own).or_insert_with(|| (arrival.at, BTreeSet::new())).1.insert(arrival.at);
        }
    }
    let mut gates: Vec<Vec<u64>> = all
        .into_values()
        .map(|(head, places)| {
            std::iter::once(head).chain(places.into_iter().filter(move |p| *p != head)).collect()
        })
        .collect();
    gates.sort();
    gates
}

/// Places of both sides to which lanes come under the same conditions, one for each loop, in the order of the source.
fn heads(evaluator: &Evaluator, source: &[Arrival<Key>], target: &[Arrival<Key>]) -> Vec<(u64, u64)> {
    let conditions = |side: &[Arrival<Key>], head: u64| -> BTreeMap<Vec<u32>, Vec<u128>> {
        let of = arrivals(side, head).into_iter();
        of.map(|(turns, a)| (turns, evaluator.column([a.guard].into_iter()))).collect()
    };
    let alike = |s: u64, t: u64| {
        let (own, other) = (conditions(source, s), conditions(target, t));
        let again = |turns: &&Vec<u32>| turns.last().is_some_and(|n| *n > 0);
        own.keys().filter(again).any(|turns| other.contains_key(turns))
            && own.iter().all(|(turns, column)| other.get(turns).is_none_or(|c| c == column))
    };
    let mut free = gates(target);
    let mut pairs = Vec::new();
    for own in gates(source) {
        let pair =
            |t: &Vec<u64>| own.iter().find_map(|s| t.iter().find(|t| alike(*s, **t)).map(|t| (*s, *t)));
        let found = free.iter().enumerate().find_map(|(i, t)| Some((i, pair(t)?)));
        if let Some((i, pair)) = found {
            free.remove(i);
            pairs.push(pair);
        }
    }
    pairs
}

/// What registers of both sides hold at a head.
fn relation(
    inputs: &Inputs<'_>,
    evaluator: &Evaluator,
    source: BTreeMap<Vec<u32>, &Arrival<Key>>,
    target: BTreeMap<Vec<u32>, &Arrival<Key>>,
) -> Cut {
    let both: Vec<(&Arrival<Key>, &Arrival<Key>)> =
        source.iter().filter_map(|(turns, s)| Some((*s, *target.get(turns)?))).collect();
    let (sources, targets): (Vec<_>, Vec<_>) = both.into_iter().unzip();
    let mut cut = Cut::default();
    let (Some(first), Some(other)) = (sources.first(), targets.first()) else { return cut };
    (cut.source, cut.target) = (first.at, other.at);
    cut.keeps_memory =
        [&sources, &targets].iter().all(|side| side.iter().all(|a| a.changes == side[0].changes));
    for register in changed(&sources) {
        match first.registers.get(&register) {
            Some(value) => {
                let of = |a: &&Arrival<Key>| a.registers.get(&register).copied();
                let common = sources.iter().filter_map(of).all(|v| inputs.is_uniform(v));
                let width = inputs.terms.width(value);
                cut.variables.push(Variable { register, width, moves: false, common });
            }
            None => cut.free[0].push(register),
        }
    }
    let columns = |side: &[&Arrival<Key>], registers: &mut dyn Iterator<Item = Key>| -> Columns {
        let of = |r: Key| {
            let all: Option<Vec<TermId>> = side.iter().map(|a| a.registers.get(&r).copied()).collect();
            Some((r, evaluator.column(all?.into_iter())))
        };
        registers.filter_map(of).collect()
    };
    let own = columns(&sources, &mut cut.variables.iter().map(|v| v.register));
    let moved = changed(&targets);
    let theirs = columns(&targets, &mut moved.iter().copied());
    for register in moved {
        let column = theirs.get(&register).filter(|_| other.registers.contains_key(&register));
        let row = column.and_then(|column| part(&cut.variables, &own, register, column));
        match row {
            Some(row) => cut.rows.push(row),
            None => cut.free[1].push(register),
        }
    }
    pointers(&mut cut, &own, &theirs);
    cut
}

/// Registers that hold something else at one arrival than at another in the same turns of the loops around: what only those write is as it was.
fn changed(arrivals: &[&Arrival<Key>]) -> BTreeSet<Key> {
    let mut first: BTreeMap<Vec<u32>, &Arrival<Key>> = BTreeMap::new();
    let mut all = BTreeSet::new();
    for a in arrivals {
        let around = turns(a).split_last().map(|(_, around)| around.to_vec()).unwrap_or_default();
        let first = *first.entry(around).or_insert(a);
        let names = a.registers.keys().chain(first.registers.keys());
        all.extend(names.filter(|r| a.registers.get(r) != first.registers.get(r)));
    }
    all
}

/// A register of the target as bits of a variable.
fn part(variables: &[Variable], own: &Columns, register: Key, column: &[u128]) -> Option<Row> {
    let named = cut::register(register)?;
    let width = cut::width(named);
    // What all lanes have in common is no part of what each has for itself, though it is on the inputs that were drawn.
    variables.iter().enumerate().filter(|(_, v)| v.common || !cut::is_of_warp(named)).find_map(|(i, v)| {
        // A predicate is the lowest bit of many a number by chance.
        let of = own.get(&v.register).filter(|_| width > 1 || v.width == 1)?;
        let low = (0..v.width).step_by(32).find(|low| {
            low + width <= v.width
                && of.iter().zip(column).all(|(x, y)| (x >> low) & (u128::MAX >> (128 - width)) == *y)
        })?;
        let shape = Shape::Part(low);
        Some(Row { registers: vec![register], variable: i as u32, shape })
    })
}

/// Registers of the target that move as a counter of the source does, alone or in pairs.
fn pointers(cut: &mut Cut, own: &Columns, theirs: &Columns) {
    let free = cut.free[1].clone();
    let mut taken = BTreeSet::new();
    for register in free {
        if taken.contains(&register) {
            continue;
        }
        let next = register + 1;
        let pair = (cut.free[1].contains(&next) && register % 2 == 0).then_some(next);
        for registers in [pair.map(|next| vec![register, next]), Some(vec![register])].into_iter().flatten() {
            let Some(column) = joined(theirs, &registers) else { continue };
            let width = 32 * registers.len() as u32;
            if let Some((variable, factor)) = moves_with(cut, own, &column, width) {
                cut.variables[variable].moves = true;
                taken.extend(registers.iter().copied());
                let shape = Shape::Moved(factor);
                cut.rows.push(Row { registers, variable: variable as u32, shape });
                break;
            }
        }
    }
    cut.free[1].retain(|r| !taken.contains(r));
    // What is a variable that moves has moved where it was said to be the same.
    let variables = &cut.variables;
    let mut gone = Vec::new();
    cut.rows.retain_mut(|row| {
        let of = &variables[row.variable as usize];
        match row.shape {
            Shape::Part(0) if of.moves && row.width() == Some(of.width) => row.shape = Shape::Moved(1),
            Shape::Part(_) if of.moves => {
                gone.extend(row.registers.iter().copied());
                return false;
            }
            _ => {}
        }
        true
    });
    cut.free[1].extend(gone);
}

fn joined(columns: &Columns, registers: &[Key]) -> Option<Vec<u128>> {
    let low = columns.get(&registers[0])?.clone();
    registers[1..]
        .iter()
        .try_fold(low, |low, r| Some(low.iter().zip(columns.get(r)?).map(|(l, h)| h << 32 | l).collect()))
}

/// The variable that registers move with, and how many times as far.
fn moves_with(cut: &Cut, own: &Columns, column: &[u128], width: u32) -> Option<(usize, i64)> {
    let mask = u128::MAX >> (128 - width);
    let seeds = SEEDS as usize;
    cut.variables.iter().enumerate().find_map(|(i, v)| {
        let of = own.get(&v.register)?;
        if v.width < 32 {
            return None;
        }
        let by = |all: &[u128], at: usize| all[at].wrapping_sub(all[at % seeds]);
        let fits = |factor: &i64| {
            (0..column.len()).all(|at| {
                let sign = 128 - v.width;
                let distance = (by(of, at) << sign) as i128 >> sign;
                distance.wrapping_mul(i128::from(*factor)) as u128 & mask == by(column, at) & mask
            })
        };
        FACTORS.into_iter().find(fits).map(|factor| (i, factor))
    })
}

/// The plan with less said of its loops, where something does not hold behind a turn.
pub fn weaker(task: &mut Task<'_>, plan: &Plan, inputs: &Inputs<'_>, run: &Run<'_>) -> Option<Plan> {
    if plan.cuts.is_empty() {
        return None;
    }
    let mut cuts = plan.cuts.clone();
    let needs = [run.source.needs.clone(), run.target.side.cuts.needs_by(&cut::key)];
    for (side, needs) in needs.into_iter().enumerate() {
        give_up(&mut cuts, side, needs);
    }
    if cuts == plan.cuts {
        let wrong = wrong_rows(task, inputs, run);
        drop_rows(&mut cuts, &wrong);
    }
    (cuts != plan.cuts).then(|| Plan { cuts, ..plan.clone() })
}

/// Gives up what does not hold again.
pub(super) fn give_up(cuts: &mut [Cut], side: usize, needs: Needs) {
    for (number, need) in needs {
        let cut = &mut cuts[number];
        let weaker = &mut cut.weaker[side];
        match need {
            Need::Register(r) if cut.free[side].contains(&r) => weaker.apart = true,
            Need::Register(r) => cut.free[side].push(r),
            Need::NotCommon(variable) => cut.variables[variable].common = false,
            Need::Memory => cut.keeps_memory = false,
            Need::OwnMemory => cut.own_memory = true,
            Need::Apart => weaker.apart = true,
            Need::Ways => weaker.ways = true,
            Need::Waited => weaker.waited = true,
            Need::Stopped => weaker.stopped = true,
            Need::Ended => weaker.ended = true,
            Need::Lost(barrier) => weaker.lost.push(barrier),
        }
    }
}

/// Rows of which it is not shown that they hold where lanes come to a head, each with the number of its loop.
fn wrong_rows(task: &mut Task<'_>, inputs: &Inputs<'_>, run: &Run<'_>) -> BTreeSet<(usize, usize)> {
    let d = inputs.terms;
    let heads = |events: &[Event]| -> BTreeMap<(u32, bool), Vec<Event>> {
        let mut all: BTreeMap<(u32, bool), Vec<Event>> = BTreeMap::new();
        for event in events {
            if let Some(Action::Cut { number, again }) = event.action() {
                all.entry((*number, *again)).or_default().push(event.clone());
            }
        }
        all
    };
    let (source, target) = (heads(&run.source.events), heads(&run.target.side.log.events));
    let mut wrong: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (head, own) in &source {
        for (a, b) in own.iter().zip(target.get(head).into_iter().flatten()) {
            for (row, (x, y)) in a.arguments.iter().zip(&b.arguments).enumerate() {
                if x == y || wrong.contains(&(head.0 as usize, row)) {
                    continue;
                }
                let same = d.width_of(*x) == d.width_of(*y);
                let differ = if same { d.not(&d.eq(x, y)) } else { d.yes() };
                let violated = d.and(&d.and(&a.guard, &b.guard), &differ);
                let what = Claim::Event(task.entries.origin.place(a.place), Place::Offset(b.place));
                let premises = Premises { inputs, assumptions: &run.assumptions, differs: false };
                if task.discharge(premises, &[Obligation { what, violated }]).is_err() {
                    wrong.insert((head.0 as usize, row));
                }
            }
        }
    }
    wrong
}

/// Drops rows, each with the number of its loop.
pub(super) fn drop_rows(cuts: &mut [Cut], wrong: &BTreeSet<(usize, usize)>) {
    for (number, cut) in cuts.iter_mut().enumerate() {
        let rows = std::mem::take(&mut cut.rows);
        for (i, row) in rows.into_iter().enumerate() {
            match wrong.contains(&(number, i)) {
                true => cut.free[1].extend(row.registers),
                false => cut.rows.push(row),
            }
        }
    }
}
