//! One lane's atomic operation for those of all lanes that execute together (A-LEADER).
//!
//! ptxas makes of `atom.add [p], v`, where `p` and `v` are the same for all lanes: `m = VOTE.ANY`, or `VOTE.ALL`, which is the set of lanes that are here;
//! the highest of them adds `popc(m)·v`; what it got back goes to all by `SHFL`, and each lane adds `v` for each lane of `m` below it. A
//! reduction without a result adds, or combines otherwise, what `REDUX` gives for the lanes that are here, so that `v` may differ.
//!
//! Why that is the same: the atomics of these lanes are not ordered among each other, so that they may happen one behind the other from the
//! lowest lane to the highest, with no other's between them. Then the first finds what the one operation finds, each finds `v`
//! more than the one below it, and the last leaves what the one operation leaves. So the operation is taken for each lane's own, whose
//! result is `r`, and what the highest lane finds is `r - v·popc(m & lanes below)`, in each lane's terms. That all of this is done by the
//! same lanes is A-SWITCH: it has to be one straight piece of code.
//!
//! What is asked of the code: that the guard is that of the highest lane of `m` and the operand is `popc(m)·v` for every `m`
//! (what `v` is, the operand says where one lane is here); that what is handed on is what the highest lane found, and comes from that lane.
//! `CCTL.IVALL` by the one lane is one for all, since they have one cache; `MEMBAR` is not. That addresses and `v` are the same in all lanes is seen from the terms. `m` itself is any set.

use crate::assumption::Assumption;
use crate::obstacle::events::Events;
use crate::trace::side::Side;
use sassafras_isa::Register;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Access, AtomicOp, Domain, SpecialRegister, TermId, Trap, UnaryOp};

/// Lanes that execute together.
struct Group {
    /// The straight piece of code that they are in.
    piece: u32,
    /// Who they are, 32 bits: any set.
    mask: TermId,
}

/// What `REDUX` gave for lanes that execute together.
struct Combined {
    piece: u32,
    op: AtomicOp,
    /// Each lane's own.
    value: TermId,
    /// All together.
    result: TermId,
}

/// What an operation of the highest lane found.
struct Found {
    piece: u32,
    mask: TermId,
    /// In each lane's terms.
    old: TermId,
}

/// What is known of lanes that act for others.
#[derive(Default)]
pub struct Leaders {
    groups: Vec<Group>,
    combined: Vec<Combined>,
    found: Vec<Found>,
}

impl Leaders {
    /// `VOTE.ANY` or `VOTE.ALL` of nothing but true: the lanes that are here.
    pub fn gather(&mut self, side: &Side<'_, Register>) -> TermId {
        let name = format!("{}.lanes {:#x} {}", side.who, side.place, side.walk.visit());
        let mask = side.inputs.variable(&name, 32, true);
        self.groups.push(Group { piece: side.path.lanes.piece(), mask });
        mask
    }

    /// `REDUX` of the lanes that are here.
    pub fn combine(&mut self, side: &Side<'_, Register>, op: AtomicOp, value: TermId) -> TermId {
        let name = format!("{}.combined {:#x} {}", side.who, side.place, side.walk.visit());
        let result = side.inputs.variable(&name, 32, true);
        self.combined.push(Combined { piece: side.path.lanes.piece(), op, value, result });
        result
    }

    /// Whether a value is one of lanes that execute together: others of the warp have another.
    pub fn is_of_some(&self, side: &Side<'_, Register>, value: TermId) -> bool {
        let own: Vec<TermId> =
            self.groups.iter().map(|g| g.mask).chain(self.combined.iter().map(|c| c.result)).collect();
        !own.is_empty() && side.inputs.terms.free(&[value]).iter().any(|v| own.contains(v))
    }

    /// Whether the guard asks for the highest of the lanes that are here; that it asks nothing else is demanded.
    pub fn leads(&self, side: &mut Side<'_, Register>) -> bool {
        let d = side.inputs.terms;
        let (piece, asked) = (side.path.lanes.piece(), d.free(&[side.guard]));
        let here = |g: &&Group| g.piece == piece && asked.contains(&g.mask);
        let Some(group) = self.groups.iter().find(here) else { return false };
        let leads = d.eq(&side.inputs.laneid(), &highest(side, group.mask));
        let (condition, guard) = (side.condition(), side.guard);
        demand(side, condition, d.not(&d.eq(&guard, &leads)));
        side.log.assumed.extend([Assumption::Leader, Assumption::Switch, Assumption::Conv]);
        true
    }

    /// An atomic whose guard asks who is here; its result for the lane whose guard holds. None if it is one like others.
    ///
    /// # Errors
    /// Spaces and orderings that are not covered, lanes with different addresses.
    pub fn atomic(
        &mut self,
        side: &mut Side<'_, Register>,
        access: &Access,
        op: AtomicOp,
        address: TermId,
        operands: &[TermId],
    ) -> Result<Option<TermId>, Trap> {
        let (inputs, d) = (side.inputs, side.inputs.terms);
        let (guard, piece) = (side.guard, side.path.lanes.piece());
        let asked = d.free(&[guard]);
        let here = |g: &&Group| g.piece == piece && asked.contains(&g.mask);
        let (Some(group), [operand]) = (self.groups.iter().find(here), operands) else { return Ok(None) };
        let refused = |obstacle: Events| Err(inputs.held.trap(obstacle));
        if !inputs.is_uniform(address) {
            return refused(Events::LeaderAddress {});
        }
        let mask = group.mask;
        let free = d.free(operands);
        let combined = self.combined.iter().find(|c| c.piece == piece && free.contains(&c.result));
        let (value, all) = match combined {
            Some(c) if c.op != op || d.width_of(*operand) != 32 => {
                return refused(Events::LeaderOperation {});
            }
            Some(c) => (c.value, c.result),
            None if op != AtomicOp::Add => return refused(Events::LeaderNoSum {}),
            None => {
                let value = crate::trace::window::with(inputs, *operand, mask, d.constant(32, 1));
                if !inputs.is_uniform(value) {
                    return refused(Events::LeaderOperand {});
                }
                (value, times(side, mask, value))
            }
        };
        self.leads(side);
        let condition = side.condition();
        demand(side, condition, d.not(&d.eq(operand, &all)));
        side.guard = d.yes();
        let own = crate::trace::atomic::atomic(side, access, op, address, &[value]);
        side.guard = guard;
        let own = own?;
        if combined.is_some() {
            // What each lane would have found depends on what the others combine.
            let name = format!("{}.found {:#x} {}", side.who, side.place, side.walk.visit());
            return Ok(Some(inputs.variable(&name, d.width_of(own), false)));
        }
        let below = d.and(&mask, &inputs.special(SpecialRegister::LaneMaskLt)?);
        let before = times(side, below, value);
        let old = inputs.normal.of(d.sub(&own, &before));
        self.found.push(Found { piece, mask, old });
        Ok(Some(old))
    }

    /// `SHFL.IDX` of what the highest lane found, to all: what each lane gets. None if it is one like others.
    pub fn hand_on(&self, side: &mut Side<'_, Register>, arguments: &[TermId]) -> Option<TermId> {
        let (inputs, d) = (side.inputs, side.inputs.terms);
        let [value, from, clamp, ..] = arguments else { return None };
        let asked = d.free(&[*from]);
        let piece = side.path.lanes.piece();
        let here = |f: &&Found| f.piece == piece && asked.contains(&f.mask);
        let found = self.found.iter().rev().find(here)?;
        if inputs.known(*clamp) != Some(0x1f) || inputs.known(side.guard) != Some(1) {
            return None;
        }
        // The register was written where the guard held, a word of it in each.
        let inner = |t: TermId| match d.node(t) {
            Node::Ite(_, written, _) => [t, written],
            _ => [t, t],
        };
        let words = d.width_of(found.old) / 32;
        let word = |i: u32| inputs.normal.of(d.extract(&found.old, 32 * i, 32));
        let own = inner(inputs.normal.of(*value)).map(|t| inputs.normal.of(t));
        let part = (0..words).map(word).find(|w| own.contains(w))?;
        let leader = highest(side, found.mask);
        let leads = d.eq(&inputs.laneid(), &leader);
        let condition = side.condition();
        demand(side, condition, d.not(&d.eq(from, &leader)));
        demand(side, condition, d.and(&leads, &d.not(&d.eq(value, &part))));
        Some(part)
    }
}

/// The number of the highest lane of a set.
fn highest(side: &Side<'_, Register>, mask: TermId) -> TermId {
    let d = side.inputs.terms;
    d.sub(&d.constant(32, 31), &d.unary(UnaryOp::LeadingZeros, &mask))
}

/// A value once for each lane of a set.
fn times(side: &Side<'_, Register>, mask: TermId, value: TermId) -> TermId {
    let d = side.inputs.terms;
    d.mul(&d.zext(&d.unary(UnaryOp::Popcount, &mask), d.width_of(value)), &value)
}

/// That something does not happen to lanes that are here.
fn demand(side: &mut Side<'_, Register>, condition: TermId, wrong: TermId) {
    let violated = side.inputs.normal.of(side.inputs.terms.and(&condition, &wrong));
    if side.inputs.known(violated) != Some(0) {
        side.log.demands.push((violated, side.place));
    }
}
