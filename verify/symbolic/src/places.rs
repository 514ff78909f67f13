//! Where local variables of the source lie, where that is seen.
//!
//! PTX says of the address of a `.local` variable that it is a multiple of the variable's alignment, and that variables have no byte in common. Else it is any number
//! (PTX ISA, "Local State Space", "Variable Declarations"). While nobody looks at it, it stays a variable of the prover. Where the source
//! stores it, or hands it to others, it is taken to be what the target has there: a constant distance from the top of the stack. All such numbers must be what PTX asks of them, which
//! is looked at with constants ([`fit`]), by the prover and by the checker of witnesses alike.

use crate::inputs::Inputs;
use crate::obstacle::memory::Misplaced;
use crate::trace::done::Trace;
use crate::trace::event::{Event, Kind};
use rustc_hash::FxHashMap;
use sassafras_chip::Chip;
use sassafras_cubin::Cubin;
use sassafras_semantics::{CompareOp, Domain, Space, TermId, Terms};
use serde::{Deserialize, Serialize};

/// A variable, and how many bytes it begins below the top of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placed {
    /// The frame: calls are written out.
    pub frame: usize,
    /// The number of the variable in its function.
    pub index: u32,
    /// Bytes from its first one up to the top of the stack.
    pub below: u32,
}

/// A local variable of the source.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// The frame.
    pub frame: usize,
    /// The number in its function.
    pub index: u32,
    /// Bytes.
    pub size: u64,
    /// What its address is a multiple of.
    pub align: u64,
}

/// What the top of a stack is a multiple of, in bytes (A-ADDR).
const TOP: u64 = 16;

/// Whether places are such as PTX asks for: each in the stack of `bytes` bytes, at a multiple of its alignment, and no two with a byte in common.
///
/// # Errors
/// What is not so.
pub fn fit(all: &[Placed], variables: &[Variable], bytes: u32) -> Result<(), Misplaced> {
    let mut taken: Vec<(u64, u64)> = Vec::new();
    for p in all {
        let Some(v) = variables.iter().find(|v| (v.frame, v.index) == (p.frame, p.index)) else {
            return Err(Misplaced::Missing);
        };
        let below = u64::from(p.below);
        if v.align > TOP || !below.is_multiple_of(v.align.max(1)) {
            return Err(Misplaced::Misaligned(below));
        }
        if below < v.size || p.below > bytes {
            return Err(Misplaced::Outside(below));
        }
        let own = (below - v.size, below);
        if taken.iter().any(|t| t.0 < own.1 && own.0 < t.1) {
            return Err(Misplaced::Overlap);
        }
        taken.push(own);
    }
    Ok(())
}

/// Places that the target has where the source stores addresses of local variables, or hands them over; of each variable the first.
pub fn found(
    inputs: &Inputs<'_>,
    variables: &[Variable],
    source: &[Event],
    target: &[Event],
    cubin: &Cubin,
) -> Vec<Placed> {
    let Some(top) = top(inputs, cubin).filter(|_| shown(inputs, variables, source)) else {
        return Vec::new();
    };
    let d = inputs.terms;
    let own: Vec<(TermId, &Variable)> =
        variables.iter().map(|v| (inputs.local(v.frame, v.index), v)).collect();
    let mut all: Vec<Placed> = Vec::new();
    let mut see = |s: TermId, t: TermId| {
        let width = d.width_of(s);
        if width != d.width_of(t) {
            return;
        }
        for low in (0..width / 32).map(|i| 32 * i) {
            let part = |v: TermId| inputs.normal.bits(v, low, 32);
            let (s, t) = (part(s), part(t));
            let free = d.free(&[s]);
            let mut here = own.iter().filter(|(l, _)| free.contains(l));
            let (Some((l, v)), None) = (here.next(), here.next()) else { continue };
            let rest = d.sub(&s, l);
            let below = inputs.normal.of(d.sub(&top, &d.sub(&t, &rest)));
            let Some(below) = d.as_constant(&below) else { continue };
            if all.iter().all(|p| (p.frame, p.index) != (v.frame, v.index)) {
                all.push(Placed { frame: v.frame, index: v.index, below: below as u32 });
            }
        }
    };
    let mut left: Vec<&Event> = target.iter().collect();
    for s in source.iter().filter(|e| e.space != Space::Local) {
        let alike = |t: &&Event| match (&s.kind, &t.kind) {
            (Kind::Sync(_), Kind::Sync(_)) => {
                s.action() == t.action() && s.arguments.len() == t.arguments.len()
            }
            (Kind::Store, Kind::Store) => (s.space, s.bytes, s.address) == (t.space, t.bytes, t.address),
            _ => false,
        };
        let Some(at) = left.iter().position(alike) else { continue };
        let t = left.remove(at);
        if s.stores() {
            see(s.value, t.value);
        }
        s.arguments.iter().zip(&t.arguments).for_each(|(x, y)| see(*x, *y));
    }
    all
}

/// The top of the stack, 32 bits; none if the chip is not known.
pub fn top(inputs: &Inputs<'_>, cubin: &Cubin) -> Option<TermId> {
    let chip = Chip::from_number(cubin.sm)?;
    Some(inputs.stack_top(chip))
}

/// Most variables of which it is assumed that they are aligned and disjoint.
const MOST: usize = 8;

/// A-ADDR of variables whose addresses show: aligned, and no two with a byte in common.
pub fn assumptions(inputs: &Inputs<'_>, variables: &[Variable], source: &[Event]) -> Vec<TermId> {
    let d = inputs.terms;
    let free = d.free(&seen(source));
    let at = |v: &Variable| inputs.local(v.frame, v.index);
    let own: Vec<(TermId, &Variable)> =
        variables.iter().map(|v| (at(v), v)).filter(|v| free.contains(&v.0)).take(MOST).collect();
    let mut all = Vec::new();
    for (i, (a, v)) in own.iter().enumerate() {
        let bits = v.align.max(1).trailing_zeros().min(31);
        if bits > 0 {
            all.push(d.eq(&d.extract(a, 0, bits), &d.constant(bits, 0)));
        }
        for (b, w) in &own[..i] {
            let behind = |x: &TermId, y: &TermId, size: u64| {
                d.compare(CompareOp::ULe, &d.constant(32, size.into()), &d.sub(x, y))
            };
            all.push(d.and(&behind(a, b, w.size), &behind(b, a, v.size)));
        }
    }
    all
}

/// What others may see of what a source does.
fn seen(source: &[Event]) -> Vec<TermId> {
    let seen = source.iter().filter(|e| e.space != Space::Local);
    seen.flat_map(|e| [e.guard, e.address, e.value].into_iter().chain(e.arguments.clone())).collect()
}

/// Whether what a source does shows where a local variable lies.
pub fn shown(inputs: &Inputs<'_>, variables: &[Variable], source: &[Event]) -> bool {
    if variables.is_empty() {
        return false;
    }
    let free = inputs.terms.free(&seen(source));
    variables.iter().any(|v| free.contains(&inputs.local(v.frame, v.index)))
}

/// Puts variables at their places in all that a source does. What it does in local memory nobody sees: there they stay what they are.
pub fn put(inputs: &Inputs<'_>, all: &[Placed], top: TermId, trace: &mut Trace) {
    if all.is_empty() {
        return;
    }
    let d = inputs.terms;
    let at = |p: &Placed| {
        let variable = inputs.local(p.frame, p.index);
        (variable, d.sub(&top, &d.constant(32, p.below.into())))
    };
    let mut map: FxHashMap<TermId, TermId> = all.iter().map(at).collect();
    let mut of = |t: &mut TermId| *t = inputs.normal.of(with(d, *t, &mut map));
    for e in &mut trace.events {
        of(&mut e.guard);
        of(&mut e.value);
        of(&mut e.version);
        e.arguments.iter_mut().for_each(&mut of);
        if e.space != Space::Local {
            of(&mut e.address);
        }
    }
    trace.traps.iter_mut().chain(&mut trace.demands).for_each(|(t, _)| of(t));
    trace.beyond.iter_mut().chain(&mut trace.undefined).for_each(&mut of);
    trace.course.taken.iter_mut().for_each(|t| of(&mut t.condition));
}

/// A term with others for some; what was found is kept.
fn with(d: &Terms, term: TermId, map: &mut FxHashMap<TermId, TermId>) -> TermId {
    for id in d.topological(&[term]) {
        if map.contains_key(&id) {
            continue;
        }
        let node = d.node(id);
        let same = node.is_free() || node.operands().iter().all(|o| map.get(o) == Some(o));
        let made = if same { id } else { d.make(node.map(|o| map[&o]), d.width_of(id)) };
        map.insert(id, made);
    }
    map[&term]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_aligned_disjoint_and_in_the_stack() {
        let variable = |index, size, align| Variable { frame: 0, index, size, align };
        let both = [variable(0, 16, 8), variable(1, 40, 4)];
        let at = |index, below| Placed { frame: 0, index, below };
        assert!(fit(&[at(0, 16), at(1, 56)], &both, 64).is_ok());
        assert!(fit(&[at(0, 56), at(1, 40)], &both, 64).is_ok());
        assert!(fit(&[at(0, 20)], &both, 64).is_err(), "not a multiple of 8");
        assert!(fit(&[at(0, 8)], &both, 64).is_err(), "over the top");
        assert!(fit(&[at(0, 72)], &both, 64).is_err(), "below the stack");
        assert!(fit(&[at(0, 16), at(1, 52)], &both, 64).is_err(), "four bytes in common");
        assert!(fit(&[at(2, 16)], &both, 64).is_err(), "no such variable");
        assert!(fit(&[Placed { frame: 0, index: 0, below: 64 }], &[variable(0, 16, 32)], 64).is_err());
    }
}
