//! Loops of which the target does several iterations in one: how often each is unfolded, what is known at the heads of such loops, and which edges of the
//! source are infeasible in them. All of this is guessed; what a proof takes of it is shown.

use super::super::columns::Evaluator;
use super::super::plan::Plan;
use super::super::sides::Run;
use super::super::task::{Entries, Task};
use crate::ask::{Violated, ask};
use sassafras_chip::Chip;
use sassafras_isa::{FieldKind, Inst, Meaning, Register, decode};
use sassafras_semantics::TermId;
use sassafras_solve::solver::Answer;
use sassafras_solvers::Timed;
use sassafras_symbolic::cut::{self, Fact, Follows, Key, Operand, Relation, Unfold, Version, Way};
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::sass::flow;
use sassafras_symbolic::trace::heads::Arrival;
use sassafras_symbolic::trace::loops::{Flow, Loops};
use std::collections::{BTreeMap, BTreeSet};

/// Most iterations of one.
const MOST: usize = 32;
/// How many of the lowest bits a counter may have in common with its bound.
const LOW: std::ops::RangeInclusive<u32> = 1..=8;
/// Most facts at one head.
const FACTS: usize = 6;
/// Effort of all questions about ways in one round, in thousands of z3's `rlimit`.
const EFFORT: u64 = 2_000;

/// An innermost loop.
struct Body {
    /// Places at which it may be cut: the head first.
    gates: Vec<u64>,
    /// How many accesses of memory it has.
    accesses: usize,
    /// How many places it has.
    size: usize,
    /// How many loops are around it, itself among them.
    depth: usize,
}

/// The innermost loops of a side, in order.
fn bodies(flow: &Flow, loops: &Loops, accesses: &[u64]) -> Vec<Body> {
    let gates = loops.gates(flow);
    let of = |own: usize| {
        let head = loops.get(own).head;
        let inside = |p: &u64| loops.around(*p).last() == Some(&own);
        let others = gates.iter().copied().filter(|p| *p != head && inside(p));
        Body {
            gates: std::iter::once(head).chain(others).collect(),
            accesses: accesses.iter().filter(|p| inside(p)).count(),
            size: flow.keys().filter(|p| inside(p)).count(),
            depth: loops.around(head).len(),
        }
    };
    loops.innermost().into_iter().map(of).collect()
}

/// Loops of the source that the target seems to have in several versions, by how many accesses of memory they have. `gate`: which place of each
/// of the target's loops is followed, of those at which it may be cut.
pub fn versions(entries: Entries<'_>, plan: &Plan, gate: usize) -> Vec<Unfold> {
    let Entries { origin, cubin, code } = entries;
    let (deep, chip) = (plan.visits(), Chip::from_number(cubin.sm));
    let (Some(own), Some(chip)) = (origin.flow(deep, &[]), chip) else { return Vec::new() };
    let source = bodies(&own, &Loops::of(&own, &[0]), &origin.accesses_and_copies(deep, &[]).0);
    let other = flow::flow(code, chip);
    let loops = Loops::of(&other, &flow::starts(code, chip));
    let target = bodies(&other, &loops, &flow::accesses(code, chip));
    let mut all: Vec<Unfold> =
        source.iter().map(|body| Unfold { head: body.gates[0], versions: Vec::new() }).collect();
    for (of, found) in target.iter().zip(partners(&source, &target)) {
        if let Some((i, times)) = found.filter(|(_, times)| *times > 1) {
            let target = of.gates.get(gate).or(of.gates.first()).copied().unwrap_or_default();
            all[i].versions.push(Version { times: times as u32, target, common: false });
        }
    }
    all.iter_mut().for_each(|unfold| unfold.versions.sort_by_key(|v| std::cmp::Reverse(v.times)));
    all.retain(|unfold| !unfold.versions.is_empty());
    all
}

/// The cost of a loop of the target without a partner: more than that of any number of iterations.
const ALONE: usize = 4 * MOST;

/// Which loop of the source each of the target's may be, and how many of its iterations it does in one. Loops follow one another in the order of the
/// source, those of one source with different numbers; of all such pairings the one with the fewest iterations in all is taken, and as few loops
/// of the target as can be are left alone. A compiler writes the source's `for` of four in one and what is left of it as two loops: then
/// the first loop of the source may be a quarter of the second, and of all that the second has become.
fn partners(source: &[Body], target: &[Body]) -> Vec<Option<(usize, usize)>> {
    let times = |body: &Body, of: &Body| match body.accesses {
        _ if of.depth != body.depth => 0,
        0 if of.accesses == 0 => by_size(target, of),
        n if n > 0 && of.accesses.is_multiple_of(n) => of.accesses / n,
        _ => 0,
    };
    // By the loop of the source that came last, and its number of iterations: the cost so far, and the pairs.
    type Way = (usize, Vec<Option<(usize, usize)>>);
    let mut ways: BTreeMap<(usize, usize), Way> = BTreeMap::from([((0, 0), (0, Vec::new()))]);
    for of in target {
        let mut next: BTreeMap<(usize, usize), Way> = BTreeMap::new();
        let mut take = |key: (usize, usize), cost: usize, pairs: &[Option<(usize, usize)>], pair| {
            if next.get(&key).is_none_or(|(least, _)| cost < *least) {
                next.insert(key, (cost, pairs.iter().copied().chain([pair]).collect()));
            }
        };
        for (&(last, number), (cost, pairs)) in &ways {
            take((last, number), cost + ALONE, pairs, None);
            for (i, body) in source.iter().enumerate().skip(last) {
                let n = times(body, of);
                if (1..=MOST).contains(&n) && (i > last || n != number) {
                    take((i, n), cost + n, pairs, Some((i, n)));
                }
            }
        }
        ways = next;
    }
    ways.into_values().min_by_key(|(cost, _)| *cost).map(|(_, pairs)| pairs).unwrap_or_default()
}

/// How many iterations a loop without accesses of memory seems to do in one: the shortest of its depth does one, and a body is longer than what counts it.
fn by_size(all: &[Body], of: &Body) -> usize {
    let alike = all.iter().filter(|other| other.depth == of.depth && other.accesses == 0);
    let least = alike.map(|other| other.size).min().unwrap_or(of.size).max(1);
    match 10 * of.size / least {
        ..13 => 1,
        13..20 => 2,
        _ => 4,
    }
}

/// Lanes of the target that come to a head, on a drawn input.
pub struct Seen<'a> {
    /// The input.
    pub seed: usize,
    /// The lanes.
    pub target: &'a Arrival<Key>,
}

/// What instructions of the target compare within the loop around a place.
pub fn compared(entries: Entries<'_>, at: u64) -> Vec<[Operand; 2]> {
    let Entries { cubin, code, .. } = entries;
    let Some(chip) = Chip::from_number(cubin.sm) else { return Vec::new() };
    let flow = flow::flow(code, chip);
    let loops = Loops::of(&flow, &flow::starts(code, chip));
    let Some(own) = loops.around(at).last().copied() else { return Vec::new() };
    let inside = code.code.iter().enumerate().filter(|(at, _)| loops.around(*at as u64).contains(&own));
    let compares = |(_, word): (usize, &u128)| {
        let inst = decode(*word, chip).ok()?;
        let plain = matches!(inst.row().meaning, Meaning::Isetp | Meaning::Uisetp);
        plain.then(|| Some([operand(&inst, "a")?, operand(&inst, "b")?]))?
    };
    inside.filter_map(compares).collect()
}

/// A register or a number of an instruction.
fn operand(inst: &Inst, name: &str) -> Option<Operand> {
    if let Some(of) = inst.operands().find(|o| o.name == name) {
        return Some(Operand::Register(cut::key(Register { class: of.class, number: of.number })));
    }
    let field = inst.row().fields.iter().position(|f| f.name == name)?;
    let number =
        matches!(inst.row().fields[field].kind, FieldKind::Signed { .. } | FieldKind::Unsigned { .. });
    number.then(|| Operand::Number(inst.fields[field] as u32))
}

/// Comparisons that hold whenever lanes come to a head, of operands that the loop compares.
pub fn facts(evaluator: &Evaluator, compared: &[[Operand; 2]], points: &[Seen<'_>]) -> Vec<Fact> {
    use Relation::{Low, Ne, SLe, SLt, ULe, ULt};
    let all_hold = |fact: &Fact| points.iter().all(|point| holds(evaluator, point, fact));
    let mut found = Vec::new();
    for [x, y] in compared {
        let strict =
            [SLt, ULt].map(|relation| [[*x, *y], [*y, *x]].map(|operands| Fact { relation, operands }));
        let holding: Vec<Fact> = strict.into_iter().flatten().filter(all_hold).collect();
        let weak =
            [SLe, ULe].map(|relation| [[*x, *y], [*y, *x]].map(|operands| Fact { relation, operands }));
        let weak = weak.into_iter().flatten().chain([Fact { relation: Ne, operands: [*x, *y] }]);
        match holding.is_empty() {
            true => found.extend(weak.filter(all_hold)),
            false => found.extend(holding),
        }
        let low = LOW.rev().map(|bits| Fact { relation: Low(bits), operands: [*x, *y] });
        found.extend(low.filter(|_| found.len() < FACTS).find(all_hold));
    }
    found.sort();
    found.dedup();
    found.truncate(FACTS);
    found
}

fn holds(evaluator: &Evaluator, point: &Seen<'_>, fact: &Fact) -> bool {
    let value = |of: &Operand| match of {
        Operand::Number(n) => Some(*n),
        Operand::Register(key) => {
            point.target.registers.get(key).map(|term| evaluator.value(point.seed, *term) as u32)
        }
    };
    let [a, b] = &fact.operands;
    let (Some(a), Some(b)) = (value(a), value(b)) else { return false };
    match fact.relation {
        Relation::SLt => (a as i32) < b as i32,
        Relation::SLe => a as i32 <= b as i32,
        Relation::ULt => a < b,
        Relation::ULe => a <= b,
        Relation::Eq => a == b,
        Relation::Ne => a != b,
        Relation::Low(bits) => (a ^ b) & ((1 << bits) - 1) == 0,
    }
}

/// Unfolded loops as a witness tells of them: with which versions all lanes of a warp choose alike.
pub fn told(inputs: &Inputs<'_>, came: &Follows, unfolds: &[Unfold]) -> Vec<Unfold> {
    let alike = |target: u64| {
        came.iter().filter(|((at, _), _)| *at == target).all(|(_, comes)| inputs.is_uniform(*comes))
    };
    let version = |v: &Version| Version { common: alike(v.target), ..*v };
    let told = |u: &Unfold| Unfold { head: u.head, versions: u.versions.iter().map(version).collect() };
    unfolds.iter().map(told).collect()
}

/// Ways out of copies that no lanes go, as far as that is seen with little effort. None: nothing is to be asked, or it was asked before.
pub fn never_gone(task: &mut Task<'_>, plan: &Plan, inputs: &Inputs<'_>, run: &Run<'_>) -> Option<Vec<Way>> {
    if plan.unfolds.is_empty() || plan.never.is_some() {
        return None;
    }
    let copies = task.entries.origin.accesses_and_copies(plan.visits(), &plan.unfolds).1;
    let ways = run.source.course.taken.iter().filter(|t| t.branches && copies.contains(&t.from));
    let ways: Vec<(Way, TermId)> =
        ways.filter_map(|t| Some(((t.from, t.to?), inputs.normal.of(t.condition)))).collect();
    let assumptions: Vec<TermId> = run.assumptions.iter().map(|a| inputs.normal.of(*a)).collect();
    let roots: Vec<TermId> = ways.iter().map(|w| w.1).chain(assumptions.iter().copied()).collect();
    let drawn = Evaluator::of_terms(inputs, Vec::new(), &roots, &Default::default());
    let counts: Vec<usize> =
        (0..drawn.seeds()).filter(|seed| assumptions.iter().all(|a| drawn.value(*seed, *a) == 1)).collect();
    let gone = |condition: TermId| counts.iter().any(|seed| drawn.value(*seed, condition) == 1);
    let mut few = Timed::within(task.solver, EFFORT);
    let mut never: Vec<Way> = Vec::new();
    let mut open: BTreeSet<Way> = BTreeSet::new();
    for (way, condition) in ways {
        let asks = Violated { normal: condition, executed: inputs.normal.executed(condition) };
        let shown = !gone(condition) && matches!(ask(inputs, &assumptions, asks, &mut few), Answer::Unsat);
        match shown {
            true => never.push(way),
            false => {
                open.insert(way);
            }
        }
    }
    never.retain(|way| !open.contains(way));
    never.sort_unstable();
    never.dedup();
    Some(never)
}

#[cfg(test)]
mod tests;
