//! Reads at addresses that are equal, or lie at a known distance: bytes that several read are one variable.
//!
//! Both sides name what they read by an address in normal form. Where two of these are not one term but equal under what is
//! assumed, a solver would have to find that within the question about what is done with the bytes. Here it is asked of the
//! addresses alone, after choices that cannot be made were left out: what a quotient by zero is, where no divisor is zero.

use super::local::Local;
use super::sweep;
use rustc_hash::FxHashMap;
use sassafras_normal::integer::Integers;
use sassafras_semantics::term::Node;
use sassafras_semantics::{CompareOp, Domain, TermId};
use sassafras_solve::read::Read;
use sassafras_solve::solver::{Answer, Solver};
use sassafras_solvers::Timed;
use std::collections::{BTreeMap, BTreeSet};

/// Most addresses of one memory.
const MOST: usize = 64;
/// Most choices that are asked about.
const CHOICES: usize = 16;
/// Most terms of what is known that is tried first, without what is larger.
const FEW: usize = 16;
/// Effort of each question, in thousands of z3's `rlimit`.
const EFFORT: u64 = 200;
/// Effort of all questions.
const ALL: u64 = 3_000;
/// Effort of those that are asked before anything else.
const FIRST: u64 = 600;

/// The question with one variable for each byte, if any two reads have some in common. Where the assumptions and what is violated hold,
/// all that is left has the value that it had. What memory holds is left open besides.
pub(super) fn joined(local: &Local, solver: &mut dyn Solver) -> Option<Local> {
    let solver = &mut Timed::within(solver, ALL);
    let known = local.under();
    let never = never(local, &known, solver);
    if never.is_empty() {
        return one_name(local, &known, solver);
    }
    let settled = local.settled(&never);
    let joined = one_name(&settled, &known, solver);
    Some(joined.unwrap_or(settled))
}

/// The question without choices that cannot be made, if there are any: with little effort, before anything else is asked.
pub(super) fn settled(local: &Local, solver: &mut dyn Solver) -> Option<Local> {
    let never = never(local, &local.under(), &mut Timed::within(solver, FIRST));
    (!never.is_empty()).then(|| local.settled(&never))
}

/// The choices by equations with zero that cannot hold, such as that a divisor is zero.
fn never(local: &Local, known: &Local, solver: &mut dyn Solver) -> BTreeSet<TermId> {
    let d = &*local.terms;
    let roots: Vec<TermId> = local.reads().iter().map(|r| r.base).chain([local.violated]).collect();
    let of = |t: &TermId| match d.node(*t) {
        Node::Ite(c, ..) => Some(c),
        _ => None,
    };
    let mut chosen: Vec<TermId> = d.topological(&roots).iter().filter_map(of).collect();
    chosen.sort_unstable();
    chosen.dedup();
    let is_zero = |t: TermId| d.as_constant(&t) == Some(0);
    let by_zero = |c: &TermId| matches!(d.node(*c), Node::Compare(CompareOp::Eq, _, b) if is_zero(b));
    let asked = chosen.into_iter().filter(by_zero).take(CHOICES);
    asked.filter(|c| is_excluded(known, *c, solver)).collect()
}

/// The question with one name for each byte.
fn one_name(local: &Local, known: &Local, solver: &mut dyn Solver) -> Option<Local> {
    let mut memories: BTreeMap<(&str, TermId), Vec<Read>> = BTreeMap::new();
    for r in local.reads() {
        memories.entry((r.memory, r.version)).or_default().push(*r);
    }
    let bases = |reads: &[Read]| reads.iter().map(|r| r.base).collect::<BTreeSet<_>>();
    // Addresses may have become one term when choices were left out: then one base has several variables.
    memories.retain(|_, reads| reads.len() > 1 && bases(reads).len() <= MOST);
    if memories.is_empty() {
        return None;
    }
    let all: Vec<TermId> = memories.values().flat_map(|reads| bases(reads)).collect();
    let rows: FxHashMap<TermId, Vec<u128>> = all.iter().copied().zip(sweep::rows(known, &all)).collect();
    let mut integers = Integers::new(&local.terms);
    let mut map = FxHashMap::default();
    for reads in memories.values() {
        // Each address as one met before and a distance.
        let mut first: Vec<TermId> = Vec::new();
        let mut places: BTreeMap<TermId, (TermId, i64)> = BTreeMap::new();
        for base in bases(reads) {
            let place = first.iter().find_map(|other| {
                let distance = distance(&rows[&base], &rows[other])?;
                is_at(known, &mut integers, base, *other, distance, solver).then_some((*other, distance))
            });
            if place.is_none() {
                first.push(base);
            }
            places.insert(base, place.unwrap_or((base, 0)));
        }
        shared(local, reads, &places, &mut map);
    }
    (!map.is_empty()).then(|| local.replaced(&map))
}

/// Whether something cannot hold under what is known, whatever products and quotients are.
fn is_excluded(known: &Local, condition: TermId, solver: &mut dyn Solver) -> bool {
    let question = known.instead(&[condition]);
    let question = question.weakened().unwrap_or(question);
    let near = question.near(question.violated);
    let few: Vec<TermId> =
        near.iter().copied().filter(|a| question.terms.topological(&[*a]).len() <= FEW).collect();
    let mut excluded = |known: &[TermId]| {
        solver.check_short(&question.script(known, question.violated), EFFORT) == Answer::Unsat
    };
    few.len() < near.len() && excluded(&few) || excluded(&near)
}

/// The distance that two addresses have on many inputs.
fn distance(a: &[u128], b: &[u128]) -> Option<i64> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for (x, y) in a.iter().zip(b) {
        *counts.entry(x.wrapping_sub(*y) as i64).or_default() += 1;
    }
    let (distance, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (4 * count >= a.len()).then_some(distance)
}

/// Whether an address is another one and a distance.
fn is_at(
    known: &Local,
    integers: &mut Integers<'_>,
    base: TermId,
    other: TermId,
    distance: i64,
    solver: &mut dyn Solver,
) -> bool {
    let d = &*known.terms;
    let there = d.add(&other, &d.constant(64, distance as u64 as u128));
    if integers.form(base) == integers.form(there) {
        return true;
    }
    is_excluded(known, d.not(&d.eq(&base, &there)), solver)
}

/// The variables of reads as bytes of which each has one name.
fn shared(
    local: &Local,
    reads: &[Read],
    places: &BTreeMap<TermId, (TermId, i64)>,
    map: &mut FxHashMap<TermId, TermId>,
) {
    let d = &*local.terms;
    let mut named: BTreeMap<(TermId, i64), (TermId, u32)> = BTreeMap::new();
    for r in reads {
        let (first, distance) = places[&r.base];
        let start = r.offset.wrapping_add(distance);
        let byte = |i: u32| (first, start.wrapping_add(i.into()));
        let bytes: Vec<(TermId, u32)> =
            (0..8).map(|i| *named.entry(byte(i)).or_insert((r.variable, i))).collect();
        let mut all: Option<TermId> = None;
        let mut i = 0;
        while i < bytes.len() {
            let (variable, at) = bytes[i];
            let run = (i..bytes.len()).take_while(|j| bytes[*j] == (variable, at + (j - i) as u32)).count();
            let part = d.extract(&variable, 8 * at, 8 * run as u32);
            all = Some(all.map_or(part, |low| d.concat(&part, &low)));
            i += run;
        }
        if let Some(all) = all.filter(|all| *all != r.variable) {
            map.insert(r.variable, all);
        }
    }
}
