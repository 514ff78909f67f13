//! Whether the two sides of an instance have one effect.

use super::instance::Instance;
use super::source::{self, Effect};
use super::target::{self, Stop};
use super::world::Event;
use sassafras_ir::Op;
use sassafras_rules::select::Row;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Access, Concrete, Domain, FloatFormat, Ordering, Scope, Space, TermId, Terms};
use sassafras_solve::floats;
use sassafras_solve::smt::script;
use sassafras_solve::solver::{Answer, Solver};
use std::collections::BTreeMap;
use std::fmt;

/// What became of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Both sides are one term after simplification.
    Identical,
    /// A solver found no values for which they differ.
    Solved,
    /// All values were tried; how many.
    Exhausted(u64),
    /// No instruction stands for it, and the compiler says so.
    Inapplicable(String),
    /// Neither shown nor refuted; why.
    Unknown(String),
    /// They differ: where, and for which values.
    Refuted(String),
}

impl Verdict {
    /// How bad it is.
    pub fn rank(&self) -> u8 {
        match self {
            Verdict::Inapplicable(_) => 0,
            Verdict::Identical => 1,
            Verdict::Solved => 2,
            Verdict::Exhausted(_) => 3,
            Verdict::Unknown(_) => 4,
            Verdict::Refuted(_) => 5,
        }
    }

    /// A word for people.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Inapplicable(_) => "inapplicable",
            Verdict::Identical | Verdict::Solved => "proved",
            Verdict::Exhausted(_) => "exhausted",
            Verdict::Unknown(_) => "unknown",
            Verdict::Refuted(_) => "refuted",
        }
    }

    /// Whether the row may be used.
    pub fn stands(&self) -> bool {
        matches!(self, Verdict::Identical | Verdict::Solved | Verdict::Exhausted(_))
    }
}

/// Concrete values tried before a solver is asked.
const TRIES: u64 = 64;
/// Most bits of operands for which all values are tried.
const EXHAUSTIBLE: u32 = 16;

/// Decides an instance.
pub fn prove_instance(row: &Row, instance: &Instance, solver: &mut dyn Solver) -> Verdict {
    let terms = Terms::new();
    let Some(left) = source::effect(&terms, instance) else {
        return Verdict::Unknown(format!("{:?} has no meaning here", instance.root.shape.op));
    };
    let stopped = |stop| match stop {
        Stop::NoCode(why) => Verdict::Inapplicable(why),
        Stop::NoMeaning(why) | Stop::Row(why) => Verdict::Unknown(why),
    };
    let right = match target::effect(&terms, row, instance, 1) {
        Ok(right) => right,
        Err(stop) => return stopped(stop),
    };
    // Marks must not shine through: see `symbols`.
    match target::effect(&terms, row, instance, 2) {
        Ok(again) if again == right => {}
        Ok(_) => return Verdict::Unknown("the meaning looks at the bits of an immediate".into()),
        Err(stop) => return stopped(stop),
    }
    match equations(&left, &right) {
        Ok(mut pairs) => {
            if let Op::FloatToFloat { from: FloatFormat::Bf16, to: to @ FloatFormat::F32, .. } =
                instance.root.shape.op
            {
                // PTX says nothing of the payload that a NaN keeps here (A-FP).
                let canonical = |x: TermId| {
                    let nan = terms.constant(to.width(), u128::from(to.canonical_nan()));
                    terms.ite(&floats::nan(&terms, to, &x), &nan, &x)
                };
                pairs = pairs.into_iter().map(|(a, b)| (canonical(a), canonical(b))).collect();
            }
            decide(&terms, &pairs, &left.assumed, solver)
        }
        Err(why) => Verdict::Refuted(why.to_string()),
    }
}

/// The two sides do different kinds of things.
#[derive(Debug)]
struct OtherEvents {
    source: Vec<Event>,
    target: Vec<Event>,
}

impl fmt::Display for OtherEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} against {:?}", self.source, self.target)
    }
}

impl std::error::Error for OtherEvents {}

/// What has to be equal; an error if the two sides do different kinds of things.
fn equations(left: &Effect, right: &Effect) -> Result<Vec<(TermId, TermId)>, OtherEvents> {
    let done = merged(&right.events);
    let differ = || Err(OtherEvents { source: left.events.clone(), target: done.clone() });
    if left.results.len() != right.results.len() || left.events.len() != done.len() {
        return differ();
    }
    let results = left.results.iter().zip(&right.results);
    let mut pairs: Vec<(TermId, TermId)> = results.filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
    for (source, target) in left.events.iter().zip(&done) {
        match (source, target) {
            (Event::Load(a, p), Event::Load(b, q)) if covers(b, a) => pairs.push((*p, *q)),
            (Event::Store(a, p, v), Event::Store(b, q, w)) if covers(b, a) => {
                pairs.extend([(*p, *q), (*v, *w)]);
            }
            (Event::Atomic(a, f, p, v), Event::Atomic(b, g, q, w))
                if covers(b, a) && f == g && v.len() == w.len() =>
            {
                pairs.push((*p, *q));
                pairs.extend(v.iter().copied().zip(w.iter().copied()));
            }
            (Event::Fence(a, wanted), Event::Fence(b, scope)) if scope >= wanted && fences(*b, *a) => {}
            (Event::Collective(f, v), Event::Collective(g, w)) if f == g && v.len() == w.len() => {
                pairs.extend(v.iter().copied().zip(w.iter().copied()));
            }
            (Event::Opaque(f, v), Event::Opaque(g, w)) if f == g && v.len() == w.len() => {
                pairs.extend(v.iter().copied().zip(w.iter().copied()));
            }
            (Event::Pause, Event::Pause) => {}
            _ => return differ(),
        }
    }
    Ok(pairs)
}

/// Whether a fence of one kind does what one of the other does: acquire and release are halves of acquire-release, to which
/// a sequentially consistent one adds its place in the one order of such fences.
fn fences(target: Ordering, source: Ordering) -> bool {
    match target {
        Ordering::SequentiallyConsistent => true,
        Ordering::AcquireRelease => source != Ordering::SequentiallyConsistent,
        other => other == source,
    }
}

/// Fences of one kind that follow one another are one, of the widest scope.
fn merged(events: &[Event]) -> Vec<Event> {
    let mut all: Vec<Event> = Vec::new();
    for event in events {
        match (all.last_mut(), event) {
            (Some(Event::Fence(a, widest)), Event::Fence(b, scope)) if a == b => {
                *widest = (*widest).max(*scope);
            }
            _ => all.push(event.clone()),
        }
    }
    all
}

/// Whether an access of the target is one of the source: the same bytes, ordered at least as strongly.
fn covers(target: &Access, source: &Access) -> bool {
    if (target.space, target.bytes) != (source.space, source.bytes) {
        return false;
    }
    // One instruction reads or writes shared memory, which the block alone sees, at once: it orders as `.relaxed` does there.
    // A thread's own memory and constants have no ordering.
    if matches!(source.space, Space::Shared | Space::Local | Space::Const | Space::Param) {
        return matches!(target.ordering, Ordering::Weak | Ordering::Relaxed);
    }
    match source.ordering {
        Ordering::Weak => target.ordering != Ordering::NonCoherent,
        Ordering::NonCoherent => true,
        // PTX ISA: volatile is relaxed with system scope, and is not left out or merged.
        Ordering::Volatile => target.ordering == Ordering::Relaxed && target.scope == Scope::Sys,
        Ordering::Relaxed => target.ordering == Ordering::Relaxed && target.scope >= source.scope,
        Ordering::Mmio => target.ordering == Ordering::Mmio && target.scope == Scope::Sys,
        _ => false,
    }
}

pub(super) fn decide(
    terms: &Terms,
    pairs: &[(TermId, TermId)],
    assumed: &[TermId],
    solver: &mut dyn Solver,
) -> Verdict {
    let open: Vec<(TermId, TermId)> = pairs.iter().copied().filter(|(a, b)| a != b).collect();
    if open.is_empty() {
        return Verdict::Identical;
    }
    for &(a, b) in &open {
        if terms.width_of(a) != terms.width_of(b) {
            return Verdict::Refuted(format!("{} bits against {}", terms.width_of(a), terms.width_of(b)));
        }
    }
    let roots: Vec<TermId> = open.iter().flat_map(|&(a, b)| [a, b]).chain(assumed.iter().copied()).collect();
    for seed in 0..TRIES {
        if let Some(found) = differs(terms, &open, assumed, &roots, |id| draw(seed, id.0)) {
            return Verdict::Refuted(found);
        }
    }
    let equal = open.iter().map(|(a, b)| terms.eq(a, b)).reduce(|all, e| terms.and(&all, &e));
    let Some(equal) = equal else { return Verdict::Identical };
    let mut asserted = assumed.to_vec();
    asserted.push(terms.not(&equal));
    let answer = solver.check(&script(terms, &[], &asserted));
    let why = match answer {
        Answer::Unsat => return Verdict::Solved,
        Answer::Sat(model) => {
            let value = |id: TermId| model.get(&id).copied().unwrap_or(0);
            match differs(terms, &open, assumed, &roots, value) {
                Some(found) => return Verdict::Refuted(found),
                None => "the solver's values show no difference".to_owned(),
            }
        }
        Answer::Unknown(why) => why,
    };
    exhaust(terms, &open, assumed, &roots).unwrap_or(Verdict::Unknown(why))
}

/// All values of the operands, if they are few.
fn exhaust(
    terms: &Terms,
    open: &[(TermId, TermId)],
    assumed: &[TermId],
    roots: &[TermId],
) -> Option<Verdict> {
    let free = terms.free(roots);
    let mut places = BTreeMap::new();
    let mut bits = 0;
    for id in free {
        places.insert(id, bits);
        bits += terms.width_of(id);
    }
    if bits > EXHAUSTIBLE {
        return None;
    }
    for all in 0..1u128 << bits {
        if let Some(found) = differs(terms, open, assumed, roots, |id| all >> places[&id]) {
            return Some(Verdict::Refuted(found));
        }
    }
    Some(Verdict::Exhausted(1 << bits))
}

/// The values for which two terms differ, if they do under this assignment and the assumptions hold.
fn differs(
    terms: &Terms,
    open: &[(TermId, TermId)],
    assumed: &[TermId],
    roots: &[TermId],
    value: impl Fn(TermId) -> u128,
) -> Option<String> {
    let order = terms.topological(roots);
    let values = terms.evaluate_all(&Concrete::default(), &order, &value);
    if assumed.iter().any(|a| !values[a].is_true()) {
        return None;
    }
    let (a, b) = open.iter().find(|(a, b)| values[a] != values[b])?;
    let inputs: Vec<String> = terms
        .free(&[*a, *b])
        .iter()
        .map(|id| format!("{} = {:#x}", name(terms, *id), values[id].bits()))
        .collect();
    Some(format!("{}: {:#x} against {:#x}", inputs.join(", "), values[a].bits(), values[b].bits()))
}

/// A free term for people.
fn name(terms: &Terms, id: TermId) -> String {
    match terms.node(id) {
        Node::Variable(index) => terms.name(index),
        other => format!("{other:?}"),
    }
}

/// Values that find most errors: zero, ones, ends, powers of two, floats that are special, and mixed bits.
fn draw(seed: u64, id: u32) -> u128 {
    let mut x = (seed << 32 | u64::from(id)).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
    let mut next = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    };
    next();
    let special = [0, 1, u128::MAX, 1 << 31, 1 << 63, 0x7fff_ffff, 0x7fff, 0x8000, 0x3f80_0000, 0x7fc0_0001];
    match next() % 4 {
        0 => special[(next() % special.len() as u64) as usize],
        1 => u128::from(next() % 40),
        2 => 1 << (next() % 64),
        _ => u128::from(next()) << 64 | u128::from(next()),
    }
}
