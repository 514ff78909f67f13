//! What one side did: path conditions, and loads and stores under them.
//!
//! Control flow goes forward only, so instructions are executed once each in the order of the program, under the condition
//! that the lane is there. Conditions of lanes on their way to a later place wait in `pending`.

use crate::inputs::{Inputs, split};
use crate::verdict::Assumption;
use sassafras_semantics::term::Node;
use sassafras_semantics::{
    Access, BinaryOp, CompareOp, Domain, Ordering, Space, TermId, Terms, Trap, UnaryOp,
};
use std::collections::{BTreeMap, BTreeSet};

/// Most earlier stores that a load is compared with.
const MOST_STORES: usize = 24;

/// An access to global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// A store, else a load.
    pub store: bool,
    /// Whether it happens, one bit.
    pub guard: TermId,
    /// Address, 64 bits.
    pub address: TermId,
    /// Size in bytes.
    pub bytes: u32,
    /// What was loaded or stored.
    pub value: TermId,
    /// PTX: source line. SASS: byte offset in the function.
    pub place: u64,
}

/// One side of a comparison.
#[derive(Debug)]
pub struct Side<'i> {
    /// What it starts from.
    pub inputs: &'i Inputs<'i>,
    /// What it did to memory, in order.
    pub events: Vec<Event>,
    /// That the lane is at the current place, one bit.
    pub path: TermId,
    /// The guard of the current instruction, one bit.
    pub guard: TermId,
    /// The current place, for events.
    pub place: u64,
    /// What was assumed.
    pub assumed: BTreeSet<Assumption>,
    pending: BTreeMap<u64, TermId>,
}

impl<'i> Side<'i> {
    /// At the entry.
    pub fn new(inputs: &'i Inputs<'i>) -> Side<'i> {
        let yes = inputs.terms.yes();
        Side {
            inputs,
            events: Vec::new(),
            path: yes,
            guard: yes,
            place: 0,
            assumed: BTreeSet::new(),
            pending: BTreeMap::new(),
        }
    }

    fn terms(&self) -> &'i Terms {
        self.inputs.terms
    }

    /// Comes to instruction number `index`: lanes that were on their way here join.
    pub fn arrive(&mut self, index: u64) {
        self.guard = self.terms().yes();
        if let Some(waiting) = self.pending.remove(&index) {
            self.path = self.inputs.normal.of(join(self.terms(), self.path, waiting));
        }
    }

    /// Whether no lane is here or on its way.
    pub fn over(&self) -> bool {
        self.pending.is_empty() && self.inputs.known(self.path) == Some(0)
    }

    /// Whether no lane is here.
    pub fn nobody(&self) -> bool {
        self.inputs.known(self.path) == Some(0)
    }

    /// Whether all lanes that have not ended are here.
    pub fn together(&self) -> bool {
        self.pending.is_empty()
    }

    /// Lanes here whose guard holds, and `condition` besides, leave for instruction `to`.
    pub fn jump(&mut self, to: u64, condition: Option<TermId>) {
        let gone = self.leave(condition);
        let d = self.terms();
        let all = self.pending.get(&to).map_or(gone, |w| join(d, *w, gone));
        self.pending.insert(to, all);
    }

    /// The same lanes end.
    pub fn leave(&mut self, condition: Option<TermId>) -> TermId {
        let d = self.terms();
        let taken = condition.map_or(self.guard, |c| d.and(&self.guard, &c));
        let gone = d.and(&self.path, &taken);
        // Said outright, so that it is known in an arena that does not simplify too.
        let all = self.inputs.known(taken) == Some(1);
        self.path = if all { d.no() } else { self.inputs.normal.of(d.and(&self.path, &d.not(&taken))) };
        self.inputs.normal.of(gone)
    }

    /// What a register holds after `new` is written over `old` by the current instruction.
    pub fn merge(&self, new: TermId, old: TermId) -> TermId {
        let d = self.terms();
        // Of lanes that have ended no register matters.
        let condition = if self.together() { self.guard } else { self.happens() };
        self.inputs.normal.of(d.ite(&condition, &new, &old))
    }

    /// That the current instruction takes effect.
    pub fn happens(&self) -> TermId {
        self.terms().and(&self.path, &self.guard)
    }

    fn check(&mut self, access: &Access) -> Result<(), Trap> {
        match access.ordering {
            Ordering::Weak => {}
            Ordering::NonCoherent => {
                self.assumed.insert(Assumption::Nc);
            }
            other => return Err(Trap::Unsupported(format!("an access of ordering {other:?}"))),
        }
        match access.space {
            Space::Global => Ok(()),
            // No address of another window exists where shared and local memory are not used.
            Space::Generic => {
                self.assumed.insert(Assumption::Addr);
                Ok(())
            }
            other => Err(Trap::Unsupported(format!("an access of {} memory", name(other)))),
        }
    }

    /// A load of global memory.
    ///
    /// # Errors
    /// Other spaces and orderings; too many stores before it.
    pub fn load(&mut self, access: &Access, address: TermId) -> Result<TermId, Trap> {
        self.check(access)?;
        let address = self.inputs.normal.of(address);
        let mut value = self.inputs.memory(address, access.bytes);
        let stores: Vec<Event> = self.events.iter().filter(|e| e.store).copied().collect();
        if stores.len() > MOST_STORES {
            return Err(Trap::Unsupported(format!("a load after more than {MOST_STORES} stores")));
        }
        for store in &stores {
            value = overlay(self.terms(), value, address, access.bytes, store);
        }
        let value = self.inputs.normal.of(value);
        self.push(false, access.bytes, address, value);
        Ok(value)
    }

    /// A store to global memory.
    ///
    /// # Errors
    /// Other spaces and orderings.
    pub fn store(&mut self, access: &Access, address: TermId, value: TermId) -> Result<(), Trap> {
        self.check(access)?;
        let (address, value) = (self.inputs.normal.of(address), self.inputs.normal.of(value));
        self.push(true, access.bytes, address, value);
        Ok(())
    }

    fn push(&mut self, store: bool, bytes: u32, address: TermId, value: TermId) {
        let (guard, place) = (self.inputs.normal.of(self.happens()), self.place);
        self.events.push(Event { store, guard, address, bytes, value, place });
    }
}

/// A space for people.
pub(crate) fn name(space: Space) -> String {
    format!("{space:?}").to_lowercase()
}

/// The bytes of a loaded value after an earlier store.
fn overlay(d: &Terms, value: TermId, address: TermId, bytes: u32, store: &Event) -> TermId {
    let ((base, at), (other, to)) = (split(d, address), split(d, store.address));
    let known = (base == other).then(|| at - to);
    let (loaded, stored) = (i64::from(bytes), i64::from(store.bytes));
    if known.is_some_and(|gap| gap >= stored || gap <= -loaded) {
        return value;
    }
    let byte = |v: &TermId, i: i64| d.extract(v, 8 * i as u32, 8);
    let mut all: Option<TermId> = None;
    for i in 0..loaded {
        let old = byte(&value, i);
        let new = match known {
            Some(gap) if (0..stored).contains(&(i + gap)) => {
                d.ite(&store.guard, &byte(&store.value, i + gap), &old)
            }
            Some(_) => old,
            None => {
                let here = d.add(&address, &d.constant(64, i as u128));
                let inside = d.and(&store.guard, &within(d, here, store));
                d.ite(&inside, &byte_at(d, here, store), &old)
            }
        };
        all = Some(all.map_or(new, |low| d.concat(&new, &low)));
    }
    all.unwrap_or(value)
}

/// Whether a byte address lies in an access, one bit; the guard aside.
pub fn within(d: &Terms, address: TermId, event: &Event) -> TermId {
    let gap = d.sub(&address, &event.address);
    d.compare(CompareOp::ULt, &gap, &d.constant(64, event.bytes.into()))
}

/// The byte of a stored value that lies at an address within it.
pub fn byte_at(d: &Terms, address: TermId, event: &Event) -> TermId {
    let width = 8 * event.bytes;
    if width == 8 {
        return event.value;
    }
    let gap = d.extract(&d.sub(&address, &event.address), 0, width.ilog2() - 3);
    let count = d.zext(&d.concat(&gap, &d.constant(3, 0)), width);
    d.extract(&d.binary(BinaryOp::LShr, &event.value, &count), 0, 8)
}

/// Either of two conditions; `p ∧ c` or `p ∧ ¬c` is `p`.
fn join(d: &Terms, a: TermId, b: TermId) -> TermId {
    let factors = |t: TermId| {
        let (mut list, mut stack) = (BTreeSet::new(), vec![t]);
        while let Some(t) = stack.pop() {
            match d.node(t) {
                Node::Binary(BinaryOp::And, x, y) => stack.extend([x, y]),
                Node::Constant(1) => {}
                _ => {
                    list.insert(t);
                }
            }
        }
        list
    };
    let (left, right) = (factors(a), factors(b));
    let only: Vec<TermId> = left.symmetric_difference(&right).copied().collect();
    let opposite = |x: TermId, y: TermId| matches!(d.node(x), Node::Unary(UnaryOp::Not, z) if z == y);
    if let [x, y] = only[..]
        && left.len() == right.len()
        && (opposite(x, y) || opposite(y, x))
    {
        return left.intersection(&right).fold(d.yes(), |all, f| d.and(&all, f));
    }
    if only.is_empty() {
        return a;
    }
    d.or(&a, &b)
}
