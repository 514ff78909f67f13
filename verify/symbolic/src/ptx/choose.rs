//! What the source leaves undefined may be chosen: any value will do, so one with which both sides agree is as good.
//!
//! - [`payloads`]: a NaN whose payload is unspecified is that which the operation gives without that rule, or the sum of -0 and that.
//! - [`choose`]: other values become what the target has in their place, else zero.

use crate::choice::{Choice, Payloads, Place, places};
use crate::inputs::Inputs;
use crate::trace::event::Event;
use rustc_hash::FxHashMap;
use sassafras_ptx::checked::{Inst, Op, Type};
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, FloatFormat, FloatMode, FloatOp, FloatRelation, Rounding, TermId, Terms};
use std::fmt;

/// Why a payload is undefined, as the meanings of PTX name it.
const PAYLOAD: &str = "payload of a NaN";

/// Bits by which operands of a call are numbered in a witness: no operand is wider.
const OPERAND: u32 = 64;

/// Undefined values that terms depend on.
pub fn undefined(terms: &Terms, roots: &[TermId]) -> Vec<TermId> {
    terms.free(roots).into_iter().filter(|t| matches!(terms.node(*t), Node::Undef { .. })).collect()
}

/// The number that the next undefined value has.
pub fn count(d: &Terms) -> u32 {
    match d.node(d.undef(1, "a count")) {
        Node::Undef { serial, .. } => serial + 1,
        _ => 0,
    }
}

/// Whether NaNs of an operation may have any payload: PTX ISA, "abs", "neg", "cvt", and `.xorsign.abs`.
pub fn leaves_payloads(inst: &Inst) -> bool {
    let float = matches!(inst.types.first(), Some(Type::F(_) | Type::F16x2 | Type::Bf16x2 | Type::F32x2));
    float && (matches!(inst.op, Op::Abs | Op::Neg | Op::Cvt) || inst.mods.xorsign_abs)
}

/// How payloads are chosen at an instruction: what is negated may be a sum, but never what takes its sign from two others.
pub fn policy(all: Payloads, inst: &Inst) -> Payloads {
    if all == Payloads::Sum && inst.mods.xorsign_abs { Payloads::Natural } else { all }
}

/// A value with the payload of each NaN that was left open since `before` terms were made: a choice between any NaN and a value
/// becomes the value, or the sum of -0 and it. The value is one of those that the choice allows, because it is taken where it is itself a NaN
/// alone; so is the sum, which is a NaN there, and else the value, since nothing is flushed and -0 + -0 is -0 (IEEE 754, 6.3).
pub fn payloads(d: &Terms, (policy, before): (Payloads, usize), value: TermId) -> TermId {
    if policy == Payloads::Open {
        return value;
    }
    let new = |t: TermId| t.0 as usize >= before;
    let order: Vec<TermId> = d.topological(&[value]).into_iter().filter(|t| new(*t)).collect();
    let mut open: FxHashMap<TermId, bool> = FxHashMap::default();
    let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
    for id in order {
        let node = d.node(id);
        let payload = matches!(node, Node::Undef { why: PAYLOAD, .. });
        let depends = node.operands().iter().any(|o| open.get(o).copied().unwrap_or(false));
        let of = |t: TermId, map: &FxHashMap<TermId, TermId>| map.get(&t).copied().unwrap_or(t);
        if let Node::Ite(nan, any, own) = node
            && open.get(&any).copied().unwrap_or(false)
            && !open.get(&own).copied().unwrap_or(false)
            && let Some(format) = nan_of(d, nan)
        {
            let own = of(own, &map);
            map.insert(id, if policy == Payloads::Sum { sum(d, format, own) } else { own });
            open.insert(id, false);
            continue;
        }
        open.insert(id, payload || depends);
        if !node.is_free() {
            let made = d.make(node.map(|o| of(o, &map)), d.width_of(id));
            map.insert(id, made);
        }
    }
    map.get(&value).copied().unwrap_or(value)
}

/// The format of the one value that a condition asks of whether it is a NaN.
fn nan_of(d: &Terms, condition: TermId) -> Option<FloatFormat> {
    match d.node(condition) {
        Node::FloatRelation { relation: FloatRelation::Unordered, format, args: [a, b], .. } if a == b => {
            Some(format)
        }
        _ => None,
    }
}

/// -0 and a value, added; a constant stays what it is.
fn sum(d: &Terms, format: FloatFormat, value: TermId) -> TermId {
    if d.as_constant(&value).is_some() {
        return value;
    }
    let mode = FloatMode { rounding: Rounding::NearestEven, ftz: false, sat: false };
    let minus = d.constant(format.width(), 1 << (format.width() - 1));
    d.float(FloatOp::Add, format, mode, &[&minus, &value])
}

/// Chooses for what the source's events depend on: each value becomes what the target stores in its place, at the first place
/// that has one, else zero. Replaces it in events and assumptions, and says what
/// was chosen, for the witness and as terms.
pub fn choose(
    inputs: &Inputs<'_>,
    source: &mut [Event],
    target: &[Event],
    assumptions: &mut [TermId],
    first: u32,
) -> (Vec<Choice>, FxHashMap<TermId, TermId>) {
    let d = inputs.terms;
    let roots: Vec<TermId> = source.iter().flat_map(Event::terms).collect();
    let open = undefined(d, &roots);
    if open.is_empty() {
        return (Vec::new(), FxHashMap::default());
    }
    let mut chosen: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut said = Vec::new();
    let at = places(target);
    let serial = |u: TermId| match d.node(u) {
        Node::Undef { serial, .. } => serial - first,
        _ => u32::MAX,
    };
    for s in source.iter().filter(|e| e.stores()) {
        let there = |t: &Event| t.stores() && t.address == s.address && t.bytes == s.bytes;
        let Some(j) = target.iter().position(there) else { continue };
        for (u, low) in lowest(inputs, s.value) {
            if let Some(value) = bits(inputs, target[j].value, low, d.width_of(u))
                && !chosen.contains_key(&u)
            {
                chosen.insert(u, value);
                said.push(Choice { value: serial(u), like: Some((at[j], low)) });
            }
        }
    }
    let mut calls: Vec<usize> = (0..target.len()).filter(|j| target[*j].hands_on()).collect();
    for s in source.iter().filter(|e| e.hands_on()) {
        // The first that is left and likest: sides may have two ways in another order.
        let alike = |t: &Event| t.action() == s.action() && t.arguments.len() == s.arguments.len();
        // Of a call the first operand says which it is, of a shuffle all others.
        let first = |t: &Event| match s.is_call() {
            true => alike(t) && t.arguments.first() == s.arguments.first(),
            false => alike(t) && t.arguments[1..] == s.arguments[1..],
        };
        let same = |t: &Event| first(t) && t.guard == s.guard;
        let near = |rule: &dyn Fn(&Event) -> bool| calls.iter().position(|j| rule(&target[*j]));
        let Some(n) = near(&same).or_else(|| near(&first)).or_else(|| near(&alike)) else { continue };
        let j = calls.remove(n);
        for (i, own) in s.arguments.iter().enumerate() {
            for (u, low) in lowest(inputs, *own) {
                if let Some(value) = bits(inputs, target[j].arguments[i], low, d.width_of(u))
                    && !chosen.contains_key(&u)
                {
                    chosen.insert(u, value);
                    said.push(Choice { value: serial(u), like: Some((at[j], OPERAND * i as u32 + low)) });
                }
            }
        }
    }
    for u in open {
        chosen.entry(u).or_insert_with(|| {
            said.push(Choice { value: serial(u), like: None });
            d.constant(d.width_of(u), 0)
        });
    }
    inputs.normal.replace(&chosen);
    for e in source {
        let own = [&mut e.guard, &mut e.address, &mut e.value, &mut e.version];
        for t in own.into_iter().chain(&mut e.arguments) {
            *t = inputs.normal.of(*t);
        }
    }
    for a in assumptions {
        *a = inputs.normal.of(*a);
    }
    (said, chosen)
}

/// Undefined values that a value of the source is made of, each with the lowest of its bits that this one is.
fn lowest(inputs: &Inputs<'_>, value: TermId) -> Vec<(TermId, u32)> {
    let d = inputs.terms;
    // Where the bits of each value lie lowest.
    let mut lowest: FxHashMap<TermId, u32> = FxHashMap::default();
    for (low, width, part) in inputs.normal.parts(value) {
        for u in undefined(d, &[part]) {
            // Of a part that holds several values, as a choice between whole words is, the bits that this one is in.
            // The part may be one of its own bits alone.
            let own = d.width_of(u).min(width);
            let here = |at: &u32| undefined(d, &[inputs.normal.bits(part, *at, own)]).contains(&u);
            let at = (0..width.saturating_sub(own) + 1).step_by(own as usize).find(here);
            lowest.entry(u).or_insert(low + at.unwrap_or(0));
        }
    }
    let mut lowest: Vec<(TermId, u32)> =
        lowest.into_iter().map(|(u, low)| (u, low / d.width_of(u) * d.width_of(u))).collect();
    lowest.sort_unstable();
    lowest
}

/// Bits of a value, if it has them.
fn bits(inputs: &Inputs<'_>, value: TermId, low: u32, width: u32) -> Option<TermId> {
    (low + width <= inputs.terms.width_of(value)).then(|| inputs.normal.bits(value, low, width))
}

/// What choices of a witness are not about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// An undefined value, by its number, that is not there or is chosen twice.
    Value(u32),
    /// An event that is not there.
    Event(Place),
    /// Bits that an event does not have.
    Bits {
        /// The event.
        place: Place,
        /// The lowest of them.
        low: u32,
        /// How many.
        width: u32,
    },
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::Value(value) => {
                write!(f, "the undefined value {value} is not there, or it is chosen twice")
            }
            Misfit::Event(place) => write!(f, "there is no event {place:?}"),
            Misfit::Bits { place, low, width } => {
                write!(f, "the event {place:?} has no {width} bits from {low}")
            }
        }
    }
}

impl std::error::Error for Misfit {}

/// What the choices of a witness say in an arena of raw terms: each value, by its number, and what it is.
///
/// # Errors
/// A value that is not there, or is chosen twice; a place without a store; bits that it does not have.
pub fn said(
    d: &Terms,
    choices: &[Choice],
    source: &[TermId],
    first: u32,
    target: &[Event],
) -> Result<Vec<(TermId, TermId)>, Misfit> {
    let at: FxHashMap<Place, usize> = places(target).into_iter().enumerate().map(|(i, p)| (p, i)).collect();
    let mut by: FxHashMap<u32, TermId> = FxHashMap::default();
    for u in undefined(d, source) {
        if let Node::Undef { serial, .. } = d.node(u)
            && serial >= first
        {
            by.insert(serial - first, u);
        }
    }
    let mut all = Vec::new();
    for c in choices {
        let Some(u) = by.remove(&c.value) else {
            return Err(Misfit::Value(c.value));
        };
        let width = d.width_of(u);
        let value = match c.like {
            None => d.constant(width, 0),
            Some((place, low)) => {
                let Some(t) = at.get(&place).map(|&j| &target[j]) else {
                    return Err(Misfit::Event(place));
                };
                // Of a call or a shuffle, bits of an operand.
                let (value, low) = match t.hands_on() {
                    true => (t.arguments.get((low / OPERAND) as usize).copied(), low % OPERAND),
                    false => (Some(t.value), low),
                };
                let fits = |v: &TermId| low.checked_add(width).is_some_and(|end| end <= d.width_of(*v));
                let Some(value) = value.filter(fits) else {
                    return Err(Misfit::Bits { place, low, width });
                };
                d.extract(&value, low, width)
            }
        };
        all.push((u, value));
    }
    Ok(all)
}
