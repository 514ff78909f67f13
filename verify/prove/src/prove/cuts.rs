//! Loops that are gone through once: which of both sides go together, and what registers hold at their heads.
//!
//! All of this is guessed and nothing of it trusted. Both sides run a few turns of each loop, and the values of registers where lanes come to its
//! head are columns of numbers, on drawn inputs. Columns that are the same become rows of a relation. What does not hold behind one
//! turn is given up, and both sides run again, until everything holds (Houdini: Flanagan, Leino, FME 2001).

mod templates;
pub mod unfold;

use super::checks::events::stand_for;
use super::columns::{Evaluator, WILD};
use super::plan::Plan;
use super::sides::{self, Run};
use super::task::{Entries, Task};
use crate::ask::{Violated, ask};
use crate::evaluate::Pair;
use crate::reason::Reason;
use rustc_hash::FxHashMap;
use sassafras_normal::Normal;
use sassafras_semantics::{Concrete, Domain, TermId, Terms};
use sassafras_solve::solver::Answer;
use sassafras_solvers::Timed;
use sassafras_symbolic::cut::{self, Cut, Key, Need, Needs, Operand, Row, Variable};
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::Obstacle;
use sassafras_symbolic::obstacle::coverage::Coverage;
use sassafras_symbolic::trace::action::Action;
use sassafras_symbolic::trace::event::Event;
use sassafras_symbolic::trace::heads::Arrival;
use std::collections::{BTreeMap, BTreeSet};
use templates::Point;
use unfold::Seen;

/// Turns of each loop that are looked at.
const TURNS: u32 = 2;
/// Places of a loop of the target that a version of the source's may follow, of those at which it may be cut.
const GATES: usize = 3;
/// Effort of all questions about rows in one round, in thousands of z3's `rlimit`.
const SHORT: u64 = 1_000;

/// The plan with loops cut that both sides seem to have alike. Where the target has more loops than that, some may be versions of the source's in which several iterations are one.
///
/// # Errors
/// There are no such loops, or a side is not followed.
pub fn guess(entries: Entries<'_>, plan: &Plan) -> Result<Plan, Reason> {
    let plain = guess_with(entries, plan);
    let mut left = plain.as_ref().map_or(usize::MAX, |found| found.1);
    let mut best: Option<Plan> = None;
    for gate in 0..GATES {
        let unfolds = if left > 0 { unfold::versions(entries, plan, gate) } else { Vec::new() };
        if unfolds.is_empty() {
            break;
        }
        if let Ok((found, others)) = guess_with(entries, &Plan { unfolds, ..plan.clone() })
            && others < left
        {
            (best, left) = (Some(found), others);
        }
    }
    best.map_or_else(|| plain.map(|(plan, _)| plan), Ok)
}

/// The plan with loops cut that both sides seem to have alike, and how many loops of the target go with none of the source.
fn guess_with(entries: Entries<'_>, plan: &Plan) -> Result<(Plan, usize), Reason> {
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
    let same = answers(&run.source.events, &run.target.side.log.events);
    let evaluator = Evaluator::of(&inputs, source.iter().chain(&target), &same);
    let found = heads(&evaluator, source, &target);
    let compared = |at: u64| (!plan.unfolds.is_empty()).then(|| unfold::compared(entries, at));
    let of = |(s, t): &(u64, u64)| {
        relation(&inputs, &evaluator, arrivals(source, *s), arrivals(&target, *t), &compared)
    };
    let (cuts, spare): (Vec<Cut>, Vec<Vec<Row>>) = found.iter().map(of).unzip();
    match cuts.is_empty() {
        true => Err(Obstacle::from(Coverage::NoHeads {}).into()),
        false => {
            let left = gates(&target).len().saturating_sub(cuts.len());
            Ok((Plan { cuts, spare, ..plan.clone() }, left))
        }
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
        of.map(|(turns, a)| (turns, evaluator.column(a.guard))).collect()
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
    compared: &dyn Fn(u64) -> Option<Vec<[Operand; 2]>>,
) -> (Cut, Vec<Row>) {
    let both: Vec<(&Arrival<Key>, &Arrival<Key>)> =
        source.iter().filter_map(|(turns, s)| Some((*s, *target.get(turns)?))).collect();
    let (sources, targets): (Vec<_>, Vec<_>) = both.iter().copied().unzip();
    let mut cut = Cut::default();
    let (Some(first), Some(other)) = (sources.first(), targets.first()) else { return (cut, Vec::new()) };
    (cut.source, cut.target) = (first.at, other.at);
    cut.keeps_memory = [&sources, &targets].iter().all(|side| keeps_memory(side));
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
    let points = points(evaluator, &both);
    let spare = templates::fill(inputs, evaluator, &mut cut, &points, &changed(&targets));
    if let Some(compared) = compared(cut.target) {
        let seen: Vec<Seen<'_>> = points.iter().map(|p| Seen { seed: p.seed, target: p.target }).collect();
        cut.facts = unfold::facts(evaluator, &compared, &seen);
    }
    (cut, spare)
}

/// Lanes that come to a head on drawn inputs; all of them, if none is seen to come back.
fn points<'a>(evaluator: &Evaluator, both: &[(&'a Arrival<Key>, &'a Arrival<Key>)]) -> Vec<Point<'a>> {
    let comes = |seed: usize, arrival: &Arrival<Key>| evaluator.value(seed, arrival.guard) == 1;
    let reached = points_where(both, evaluator.seeds(), |seed, (s, t)| comes(seed, s) && comes(seed, t));
    match reached.iter().enumerate().any(|(at, point)| point.base < at) {
        true => reached,
        false => points_where(both, WILD as usize, |_, _| true),
    }
}

/// Lanes that come to a head on some inputs.
fn points_where<'a>(
    both: &[(&'a Arrival<Key>, &'a Arrival<Key>)],
    seeds: usize,
    counts: impl Fn(usize, (&Arrival<Key>, &Arrival<Key>)) -> bool,
) -> Vec<Point<'a>> {
    let mut points: Vec<Point<'a>> = Vec::new();
    let mut first: BTreeMap<(Vec<u32>, usize), usize> = BTreeMap::new();
    for (seed, (source, target)) in (0..seeds).flat_map(|seed| both.iter().map(move |pair| (seed, *pair))) {
        if counts(seed, (source, target)) {
            let around = turns(source).split_last().map(|(_, around)| around.to_vec()).unwrap_or_default();
            let base = *first.entry((around, seed)).or_insert(points.len());
            points.push(Point { seed, base, source, target });
        }
    }
    points
}

/// Whether lanes come back to a head with memory as it was when they came to it, in the same turns of the loops around.
fn keeps_memory(arrivals: &[&Arrival<Key>]) -> bool {
    let mut first: BTreeMap<Vec<u32>, &Arrival<Key>> = BTreeMap::new();
    arrivals.iter().all(|a| {
        let around = turns(a).split_last().map(|(_, around)| around.to_vec()).unwrap_or_default();
        first.entry(around).or_insert(a).changes == a.changes
    })
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
    let mut spare = plan.spare.clone();
    if cuts == plan.cuts {
        let wrong = wrong_rows(task, inputs, run);
        drop_rows(&mut cuts, &mut spare, &wrong);
    }
    (cuts != plan.cuts).then(|| Plan { cuts, spare, ..plan.clone() })
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

/// What events of the target answer, as what those of the source do: those of one kind go together in the order in which they come, if there are as many of
/// both. Whether each pair is one event is asked later.
fn answers(source: &[Event], target: &[Event]) -> FxHashMap<TermId, TermId> {
    let kinds = |events: &[Event]| -> BTreeMap<String, Vec<Vec<TermId>>> {
        let mut all: BTreeMap<String, Vec<Vec<TermId>>> = BTreeMap::new();
        for event in events {
            if let Some(action) = event.action() {
                all.entry(action.to_string()).or_default().push(event.results.clone());
            }
        }
        all
    };
    let (own, other) = (kinds(source), kinds(target));
    let both =
        own.iter().filter_map(|(kind, own)| Some((own, other.get(kind).filter(|o| o.len() == own.len())?)));
    let pairs = both.flat_map(|(own, other)| own.iter().zip(other));
    let results =
        pairs.filter(|(a, b)| a.len() == b.len()).flat_map(|(a, b)| b.iter().copied().zip(a.iter().copied()));
    results.filter(|(x, y)| x != y).collect()
}

/// Rows of which it is not shown that they hold where lanes come to a head, each with the number of its loop.
fn wrong_rows(task: &mut Task<'_>, inputs: &Inputs<'_>, run: &Run<'_>) -> BTreeSet<(usize, usize)> {
    let mut answers = answers(&run.source.events, &run.target.side.log.events);
    let taken = !answers.is_empty();
    if taken {
        stand_for(inputs, &mut answers);
    }
    let wrong = wrong_under(task, inputs, run);
    if taken {
        inputs.normal.replace(&FxHashMap::default());
    }
    wrong
}

/// A row where lanes come to a head.
struct Shown {
    /// The number of the loop, and of the row.
    row: (usize, usize),
    /// That they come, and do not hold what it says.
    violated: TermId,
}

/// What rows say where lanes come to heads, of both sides: the number of the loop, that of the row, and what has to be the same.
pub(super) fn pairs_at_heads(source: &[Event], target: &[Event]) -> Vec<((usize, usize), Pair)> {
    let heads = |events: &[Event]| -> BTreeMap<(u32, bool), Vec<Event>> {
        let mut all: BTreeMap<(u32, bool), Vec<Event>> = BTreeMap::new();
        for event in events {
            if let Some(Action::Cut { number, again }) = event.action() {
                all.entry((*number, *again)).or_default().push(event.clone());
            }
        }
        all
    };
    let (source, target) = (heads(source), heads(target));
    let mut all = Vec::new();
    for (head, own) in &source {
        for (a, b) in own.iter().zip(target.get(head).into_iter().flatten()) {
            let rows = a.arguments.iter().zip(&b.arguments).enumerate();
            all.extend(rows.map(|(row, (x, y))| {
                ((head.0 as usize, row), Pair { guards: [a.guard, b.guard], values: [*x, *y] })
            }));
        }
    }
    all
}

/// What is to be shown of rows.
fn shown(inputs: &Inputs<'_>, source: &[Event], target: &[Event]) -> Vec<Shown> {
    let d = inputs.terms;
    let open = |(row, pair): ((usize, usize), Pair)| {
        let [x, y] = pair.values.map(|t| inputs.normal.of(t));
        if x == y {
            return None;
        }
        let differ = if d.width_of(x) == d.width_of(y) { d.not(&d.eq(&x, &y)) } else { d.yes() };
        let [a, b] = pair.guards;
        let violated = inputs.normal.of(d.and(&d.and(&a, &b), &differ));
        (d.as_constant(&violated) != Some(0)).then_some(Shown { row, violated })
    };
    pairs_at_heads(source, target).into_iter().filter_map(open).collect()
}

/// Rows that do not hold, with what terms stand for at the moment. Drawn inputs show most of them. Of what is left only what can be violated is wrong: whether a row
/// holds that is too hard for a short question is asked with all the others later.
fn wrong_under(task: &mut Task<'_>, inputs: &Inputs<'_>, run: &Run<'_>) -> BTreeSet<(usize, usize)> {
    let all = shown(inputs, &run.source.events, &run.target.side.log.events);
    let assumptions: Vec<TermId> = run.assumptions.iter().map(|a| inputs.normal.of(*a)).collect();
    let roots: Vec<TermId> = all.iter().map(|s| s.violated).chain(assumptions.iter().copied()).collect();
    let drawn = Evaluator::of_terms(inputs, Vec::new(), &roots, &FxHashMap::default());
    let counts: Vec<usize> =
        (0..drawn.seeds()).filter(|seed| assumptions.iter().all(|a| drawn.value(*seed, *a) == 1)).collect();
    let seen = |s: &&Shown| counts.iter().any(|seed| drawn.value(*seed, s.violated) == 1);
    let mut wrong: BTreeSet<(usize, usize)> = all.iter().filter(seen).map(|s| s.row).collect();
    if !wrong.is_empty() {
        return wrong;
    }
    let mut few = Timed::within(task.solver, SHORT);
    for Shown { row, violated } in all {
        if wrong.contains(&row) {
            continue;
        }
        let violated = Violated { normal: violated, executed: inputs.normal.executed(violated) };
        let Answer::Sat(model) = ask(inputs, &assumptions, violated, &mut few) else { continue };
        // To the solver operations of floats are functions of which it knows nothing.
        let of = |v: TermId| model.get(&v).copied().unwrap_or(0);
        if inputs.terms.evaluate(&Concrete::default(), violated.normal, of).is_true() {
            wrong.insert(row);
        }
    }
    wrong
}

/// Puts others in the place of rows that do not hold. Where there are no others they are dropped: in a round of its own, since they may not hold for the others' sake.
pub(super) fn drop_rows(cuts: &mut [Cut], spare: &mut [Vec<Row>], wrong: &BTreeSet<(usize, usize)>) {
    let mut replaced = false;
    let mut dropped = cuts.to_vec();
    for (number, cut) in cuts.iter_mut().enumerate() {
        let is_wrong = |at: usize| wrong.contains(&(number, at));
        let before = cut.rows.len();
        let mut at = 0..cut.facts.len();
        cut.facts.retain(|_| !at.next().is_some_and(|at| is_wrong(before + at)));
        replaced |= cut.facts.len() < dropped[number].facts.len();
        let rows = std::mem::take(&mut dropped[number].rows);
        for (at, row) in rows.into_iter().enumerate() {
            match is_wrong(at) {
                true => dropped[number].free[1].extend(row.registers),
                false => dropped[number].rows.push(row),
            }
        }
        let Some(spare) = spare.get_mut(number) else { continue };
        let mut open: Vec<Row> = Vec::new();
        let rows = std::mem::take(&mut cut.rows);
        for (at, row) in rows.into_iter().enumerate() {
            let has_other =
                || spare.iter().any(|other| other.registers.iter().any(|r| row.registers.contains(r)));
            match is_wrong(at) && has_other() {
                true => open.push(row),
                false => cut.rows.push(row),
            }
        }
        cut.free[1].extend(open.iter().flat_map(|row| row.registers.iter().copied()));
        let mut at = 0;
        while at < spare.len() {
            let of_open =
                spare[at].registers.iter().all(|r| open.iter().any(|row| row.registers.contains(r)));
            if of_open && templates::fits(cut, &spare[at]) {
                templates::take(cut, spare.remove(at));
                replaced = true;
            } else {
                at += 1;
            }
        }
        replaced |= !open.is_empty();
    }
    if !replaced {
        cuts.clone_from_slice(&dropped);
    }
}
