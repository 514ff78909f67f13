//! The order in which barriers nest: a second way to see that no lane waits for ever at a `BSYNC`, by `docs/convergence.md` C7 to C9.
//!
//! `meeting` follows groups, and asks that a barrier be set by one group at a time. Here each lane is followed by
//! itself: which barriers it is in, under which conditions, in the order in which it set them. It is asked that
//! - a lane does not set a barrier that it is in;
//! - at a `BSYNC` a lane is in that barrier, and in none that it set later (nothing says what barriers hold before they are set);
//! - no two barriers are each set by lanes that are in the other, nor more in a circle;
//! - lanes that wait for others of the block, while some of the warp are elsewhere, are in none;
//! - those at a `WARPSYNC` of the whole warp likewise; those at one of some lanes may be in barriers: then no barrier waits, over others and over
//!   what lanes of the mask have yet to do before they come to the same operation of the source, for itself (`circle`);
//! - lanes whose barrier a `BMOV` keeps in a register leave it; one that is written back is set by those of them that were in it (C11).
//!
//! Then some lane always goes on. The hardware's set of a barrier holds no lane but such as set it and have not left it. If all lanes that
//! have not ended were blocked, each would be blocked at a `BSYNC` of the last barrier that it is in, and wait for a lane that is
//! in that barrier and blocked at another, which that lane set while it was in the first; and so on. There are sixteen, so the way would come
//! back to where it began, which is the circle that there is not. Who sets a barrier when, and whether the hardware loses lanes that were in
//! it (C7), makes no difference to this; it may to who goes on together, see `Lanes::set`.
//!
//! What is not known from the terms is asked about like other obligations: in the prover, in its evaluation, and by the checker of witnesses.

use super::meeting::Instances;
use crate::inputs::Inputs;
use crate::obstacle::convergence::{Convergence, Disorder, Tangle};
use crate::trace::spot::Calls;
use rustc_hash::FxHashMap;
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, Domain, TermId, Terms, UnaryOp};
use std::collections::{BTreeMap, BTreeSet};

/// A barrier that lanes may be in.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) barrier: u32,
    /// Which execution of `BSSY` set it: a lane sets those of lower numbers first.
    pub(super) instance: u32,
    /// Whether a lane is in it, one bit.
    pub(super) within: TermId,
}

/// The barriers that the lanes of a path are in, from the first that was set.
#[derive(Clone, Debug, Default)]
pub struct Nesting(pub(super) Vec<Held>);

/// What is known of the barriers of a run.
#[derive(Debug, Default)]
pub struct Barriers {
    pub(super) instances: Instances,
    /// Where the rule about groups is first not kept, and how.
    pub(super) strict: Option<(u64, Disorder)>,
    /// Executions of `BSSY`.
    pub(super) count: u32,
    /// Barriers, and those that lanes set while they were in them.
    pub(super) inner: BTreeSet<(u32, u32)>,
    /// Barriers, and where lanes in them wait for some of the warp.
    pub(super) some: BTreeSet<(u32, u64)>,
    /// Conditions under which a lane does not keep the rule of this module, with places.
    pub(super) wrong: Vec<(TermId, u64)>,
    /// By the mask that says so: the barrier that lanes have left, and whether a lane was in it.
    pub(super) kept: FxHashMap<TermId, (u32, TermId)>,
    /// By calls and barrier: the mask that was last kept there.
    pub(super) last: BTreeMap<(Calls, u32), TermId>,
    /// Where, and why, the rule of this module does not hold whatever the conditions.
    pub(super) fault: Option<(u64, Tangle)>,
}

/// A one-bit `and` that is a constant where one side is, also in an arena of raw terms.
pub(super) fn both(d: &Terms, a: TermId, b: TermId) -> TermId {
    match (d.as_constant(&a), d.as_constant(&b)) {
        (Some(0), _) | (_, Some(1)) => a,
        (_, Some(0)) | (Some(1), _) => b,
        _ => d.and(&a, &b),
    }
}

/// The complement, also of a complement.
pub(super) fn not(d: &Terms, a: TermId) -> TermId {
    match (d.as_constant(&a), d.node(a)) {
        (Some(0), _) => d.yes(),
        (Some(_), _) => d.no(),
        (_, Node::Unary(UnaryOp::Not, b)) => b,
        _ => d.not(&a),
    }
}

/// What a condition is where others hold: a constant if it is made of them.
pub fn under(d: &Terms, holds: &[TermId], t: TermId) -> TermId {
    let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut open: Vec<(TermId, bool)> = holds.iter().map(|c| (*c, true)).collect();
    while let Some((c, value)) = open.pop() {
        known.insert(c, if value { d.yes() } else { d.no() });
        match d.node(c) {
            _ if d.width_of(c) != 1 => {}
            Node::Binary(BinaryOp::And, a, b) if value => open.extend([(a, true), (b, true)]),
            Node::Binary(BinaryOp::Or, a, b) if !value => open.extend([(a, false), (b, false)]),
            Node::Unary(UnaryOp::Not, a) => open.push((a, !value)),
            _ => {}
        }
    }
    for id in d.topological(&[t]) {
        if known.contains_key(&id) || d.width_of(id) != 1 {
            continue;
        }
        let of = |t: TermId| known.get(&t).copied().unwrap_or(t);
        let made = match d.node(id) {
            Node::Unary(UnaryOp::Not, a) => not(d, of(a)),
            Node::Binary(BinaryOp::And, a, b) => both(d, of(a), of(b)),
            Node::Binary(BinaryOp::Or, a, b) => not(d, both(d, not(d, of(a)), not(d, of(b)))),
            Node::Ite(c, a, b) => match d.as_constant(&of(c)) {
                Some(1) => of(a),
                Some(_) => of(b),
                None if of(a) == of(b) => of(a),
                None => d.ite(&of(c), &of(a), &of(b)),
            },
            _ => continue,
        };
        known.insert(id, made);
    }
    known.get(&t).copied().unwrap_or(t)
}

impl Nesting {
    /// The same, where the conditions of a path hold; without the barriers that none of its lanes is in.
    pub(super) fn settled(&self, inputs: &Inputs<'_>, conditions: &[TermId]) -> Nesting {
        let d = inputs.terms;
        let mut all = Vec::new();
        for h in &self.0 {
            let mut within = under(d, conditions, h.within);
            if inputs.normal.is_active() && d.as_constant(&within).is_none() {
                let with = |t: TermId| {
                    let all = conditions.iter().fold(t, |all, c| d.and(&all, c));
                    inputs.known(inputs.normal.of(all)) == Some(0)
                };
                if with(within) {
                    within = d.no();
                } else if with(d.not(&within)) {
                    within = d.yes();
                }
            }
            if d.as_constant(&within) != Some(0) {
                all.push(Held { within, ..h.clone() });
            }
        }
        Nesting(all)
    }

    /// Whether lanes at a `BSYNC` wait for some of other groups: those that are in the barrier that was set by the same `BSSY`.
    pub fn waits<'m>(
        &self,
        d: &Terms,
        barrier: u32,
        mut others: impl Iterator<Item = (&'m Nesting, &'m [TermId])>,
    ) -> bool {
        let Some(own) = self.0.iter().rfind(|h| h.barrier == barrier) else { return false };
        others.any(|(other, conditions)| {
            let same = other.0.iter().find(|h| h.instance == own.instance);
            same.is_some_and(|h| d.as_constant(&under(d, conditions, h.within)) != Some(0))
        })
    }

    /// Two groups come to one place; `first` says that a lane is of the first.
    pub fn join(inputs: &Inputs<'_>, a: &Nesting, b: &Nesting, first: TermId) -> Nesting {
        let d = inputs.terms;
        let instances: BTreeSet<u32> = a.0.iter().chain(&b.0).map(|h| h.instance).collect();
        let of = |n: &Nesting, i: u32| n.0.iter().find(|h| h.instance == i).cloned();
        let one = |i: u32| -> Option<Held> {
            let (x, y) = (of(a, i), of(b, i));
            let within = match (&x, &y) {
                (Some(x), Some(y)) if x.within == y.within => x.within,
                (Some(x), Some(y)) => d.ite(&first, &x.within, &y.within),
                (Some(x), None) => both(d, first, x.within),
                (None, Some(y)) => both(d, not(d, first), y.within),
                (None, None) => return None,
            };
            let within = inputs.normal.of(within);
            x.or(y).map(|h| Held { within, ..h })
        };
        Nesting(instances.into_iter().filter_map(one).collect())
    }
}

impl Barriers {
    /// Adds that a barrier is set by lanes in others; whether there is now a circle.
    pub(super) fn nests(&mut self, outer: impl Iterator<Item = u32>, barrier: u32) -> bool {
        self.inner.extend(outer.filter(|o| *o != barrier).map(|o| (o, barrier)));
        let (mut seen, mut open) = (BTreeSet::new(), vec![barrier]);
        while let Some(b) = open.pop() {
            for (_, inner) in self.inner.iter().filter(|(o, _)| *o == b) {
                if *inner == barrier {
                    return true;
                }
                if seen.insert(*inner) {
                    open.push(*inner);
                }
            }
        }
        false
    }

    /// Whether the rule about groups is kept so far.
    pub fn groups(&self) -> bool {
        self.strict.is_none()
    }

    /// What the rule about groups says.
    pub(super) fn strictly(&mut self, place: u64, said: Result<(), Disorder>) {
        if let (None, Err(why)) = (&self.strict, said) {
            self.strict = Some((place, why));
        }
    }

    /// The rule of this module does not hold.
    pub(super) fn refuse(&mut self, place: u64, why: Tangle) {
        self.fault.get_or_insert((place, why));
    }

    /// It is not known who is in a barrier.
    pub(super) fn lose(&mut self, place: u64, barrier: u32) {
        self.refuse(place, Tangle::InRegister { barrier });
    }

    /// What is left to be shown: conditions that must not come about, with places. Nothing if the rule about groups is kept.
    ///
    /// # Errors
    /// Neither rule is kept.
    pub fn open(&self) -> Result<&[(TermId, u64)], Convergence> {
        match (&self.strict, &self.fault) {
            (None, _) => Ok(&[]),
            (Some(_), None) => Ok(&self.wrong),
            (Some((at, groups)), Some((lanes_at, lanes))) => {
                Err(Convergence::NotNested { at: *at, groups: *groups, lanes_at: *lanes_at, lanes: *lanes })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barriers_nest_in_one_order() {
        let mut all = Barriers::default();
        assert!(!all.nests([].into_iter(), 0));
        assert!(!all.nests([0].into_iter(), 1));
        assert!(!all.nests([0, 1].into_iter(), 2));
        assert!(!all.nests([0].into_iter(), 2), "one between them may be left out");
        assert!(all.nests([2].into_iter(), 1), "each is set within the other");
        let mut all = Barriers::default();
        for (outer, inner) in [(3, 5), (5, 4)] {
            assert!(!all.nests([outer].into_iter(), inner));
        }
        assert!(all.nests([4].into_iter(), 3), "a circle of three");
    }

    #[test]
    fn a_condition_is_seen_where_it_holds() {
        for d in [Terms::new(), Terms::raw()] {
            let [p, q, r] = ["p", "q", "r"].map(|n| d.variable(n, 1));
            let known = |holds: &[TermId], t: TermId| d.as_constant(&under(&d, holds, t));
            assert_eq!(known(&[p], d.not(&p)), Some(0));
            assert_eq!(known(&[d.not(&p)], p), Some(0));
            assert_eq!(known(&[d.and(&p, &q)], d.or(&r, &q)), Some(1));
            assert_eq!(known(&[d.not(&d.not(&p))], p), Some(1));
            assert_eq!(known(&[p], d.ite(&p, &d.not(&p), &q)), Some(0));
            assert_eq!(known(&[p], q), None);
            assert_eq!(known(&[d.or(&p, &q)], p), None);
        }
    }
}
