//! Events: loads, stores, and what other threads may see or answer.

use super::action::Action;
use crate::sum::split;
use crate::sum::{between, narrow};
use sassafras_semantics::{BinaryOp, CompareOp, Domain, Space, SystemCall, TermId, Terms};
use std::collections::BTreeSet;

/// A space for people.
pub fn name(space: Space) -> String {
    format!("{space:?}").to_lowercase()
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A weak load.
    Load,
    /// A weak store.
    Store,
    /// An atomic, a barrier, a cross-lane operation, a fence, a strong access.
    Sync(Action),
}

/// Where lanes wait, or what they wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wait {
    /// At the `BSYNC` of a barrier.
    Meeting(u32),
    /// At a `WARPSYNC` or a barrier of the block, as [`Event::waits`] numbers them.
    At(u64),
    /// For lanes that come to an operation of the source.
    For(u64),
}

/// Something that a side did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What.
    pub kind: Kind,
    /// Where; generic for what is no weak access.
    pub space: Space,
    /// Whether it happens, one bit.
    pub guard: TermId,
    /// Address, 64 bits.
    pub address: TermId,
    /// Size in bytes.
    pub bytes: u32,
    /// What its address is a multiple of: its size, or that of the access whose first part it is.
    pub align: u32,
    /// What was loaded or stored.
    pub value: TermId,
    /// Whether it may be served from what others' writes do not reach (`ld.global.nc`).
    pub snapshot: bool,
    /// State of memory that it saw, 32 bits: the same between two events that others see.
    pub version: TermId,
    /// PTX: source line. SASS: byte offset in the function.
    pub place: u64,
    /// Which time that place was come to, from 1.
    pub visit: u64,
    /// Whether its place among those that order memory matters: of all that others see but what lanes ask each other.
    pub orders: bool,
    /// Operands of an event that others see.
    pub arguments: Vec<TermId>,
    /// What it yields, and the state of memory behind it: variables.
    pub results: Vec<TermId>,
    /// The wait, for lanes that may be elsewhere, at which or behind which it stands: what stands behind one wait has one number.
    pub waits: Option<u64>,
    /// Where lanes of the target that come to it may have waited before.
    pub met: BTreeSet<Wait>,
}

/// Operands of a shuffle but for the mask of the lanes that take part.
const SHUFFLED: usize = 3;

/// The operands on which the answer of what is asked hangs: a shuffle's mask says who may be asked, not what they answer.
pub fn asked<'a>(what: &Action, operands: &'a [TermId]) -> &'a [TermId] {
    let count = if what.is_shuffle() { operands.len().min(SHUFFLED) } else { operands.len() };
    call_asked(what, &operands[..count])
}

/// Operands that an event of the target has to have: the source's of the same kind. A shuffle of all lanes that have not ended (no mask)
/// serves as one of some: each lane of the mask is there, and what comes from others is undefined.
pub fn wanted<'a, T>(what: &Action, source: &'a [T], target: &[T]) -> &'a [T] {
    let serves = what.is_shuffle() && source.len() > SHUFFLED && target.len() == SHUFFLED;
    if serves { &source[..SHUFFLED] } else { source }
}

/// The operands that decide what is answered, as far as evaluation ties answers to them: not the words of a buffer, of which the source may
/// leave some open.
pub fn call_asked<'a>(what: &Action, operands: &'a [TermId]) -> &'a [TermId] {
    let prints = *what == Action::Call(SystemCall::Vprintf);
    if prints { &operands[..operands.len().min(1)] } else { operands }
}

impl Event {
    /// What it is, without operands; nothing for weak accesses.
    pub fn action(&self) -> Option<&Action> {
        match &self.kind {
            Kind::Sync(action) => Some(action),
            Kind::Load | Kind::Store => None,
        }
    }

    /// Whether it is a change of a word (`update.rs`): its operands are the address and the new word, made of its first result.
    pub fn is_update(&self) -> bool {
        self.action().is_some_and(Action::is_update)
    }

    /// Whether it is a call of a function that the driver resolves.
    pub fn is_call(&self) -> bool {
        self.action().is_some_and(Action::is_call)
    }

    /// Whether lanes hand each other words.
    pub fn is_shuffle(&self) -> bool {
        self.action().is_some_and(Action::is_shuffle)
    }

    /// Whether values that are undefined may be among its operands, and be chosen there: a call's, and what a lane hands to others.
    pub fn hands_on(&self) -> bool {
        self.is_call() || self.is_shuffle()
    }

    /// What it is made of: of what hands on its operands also these, among which are values that nothing else has.
    pub fn terms(&self) -> impl Iterator<Item = TermId> {
        let operands: &[TermId] = if self.hands_on() { &self.arguments } else { &[] };
        [self.guard, self.address, self.value].into_iter().chain(operands.iter().copied())
    }

    /// Whether it is one that the code of a PTX source may lack, if it lacks all of that instruction: lanes ask each other for words, which orders no memory
    /// (PTX ISA, "shfl.sync"). What is compared then has to be the same whatever the answer is, since there is nothing that it could be equal to.
    pub fn is_optional(&self) -> bool {
        self.is_shuffle() && !self.orders
    }

    /// Its operands as far as one of the target has to have them.
    pub fn operands_for(&self, target: &Event) -> &[TermId] {
        self.action().map_or(&self.arguments[..], |what| wanted(what, &self.arguments, &target.arguments))
    }

    /// Whether it is a weak store that others may see in the end.
    pub fn stores(&self) -> bool {
        self.kind == Kind::Store && self.space != Space::Local
    }
    /// Whether it is a weak access that others may see.
    pub fn accesses(&self) -> bool {
        matches!(self.kind, Kind::Load | Kind::Store) && self.space != Space::Local
    }
}

/// Where a load lies, as seen from an earlier store: by what is added to one address in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// No byte is common to both.
    Apart,
    /// All bytes of the load are the store's.
    Covered,
    /// Some are, or it is not known.
    Open,
}

/// How far behind the first byte of a store an address lies, where that is known.
fn gap(d: &Terms, address: TermId, store: &Event) -> Option<i64> {
    let ((base, at), (other, to)) = (split(d, address), split(d, store.address));
    if base == other {
        return Some(at.wrapping_sub(to));
    }
    range(d, address, store).filter(|(low, high)| low == high).map(|gap| gap.0)
}

/// How far behind the first byte of a store an address of 32 bits lies, at least and at most.
fn range(d: &Terms, address: TermId, store: &Event) -> Option<(i64, i64)> {
    let small = matches!(store.space, Space::Local | Space::Shared);
    small.then(|| between(d, address, store.address)).flatten()
}

/// Where the bytes at an address lie.
pub fn place(d: &Terms, address: TermId, bytes: u32, store: &Event) -> Place {
    let (loaded, stored) = (i64::from(bytes), i64::from(store.bytes));
    let known = gap(d, address, store).map(|gap| (gap, gap));
    match known.or_else(|| range(d, address, store)) {
        Some((low, high)) if low >= stored || high <= -loaded => Place::Apart,
        Some((low, high)) if low >= 0 && high <= stored - loaded => Place::Covered,
        Some(_) | None => Place::Open,
    }
}

/// The bytes of a loaded value after an earlier store.
pub fn overlay(d: &Terms, value: TermId, address: TermId, bytes: u32, store: &Event) -> TermId {
    let known = gap(d, address, store);
    let (loaded, stored) = (i64::from(bytes), i64::from(store.bytes));
    if place(d, address, bytes, store) == Place::Apart {
        return value;
    }
    if known == Some(0) && loaded == stored {
        return d.ite(&store.guard, &store.value, &value);
    }
    let byte = |v: &TermId, i: i64| d.extract(v, 8 * i as u32, 8);
    let mut all: Option<TermId> = None;
    for i in 0..loaded {
        let old = byte(&value, i);
        let new = match known {
            Some(gap) if (0..stored).contains(&i.wrapping_add(gap)) => {
                d.ite(&store.guard, &byte(&store.value, i.wrapping_add(gap)), &old)
            }
            Some(_) => old,
            None => {
                let gap = distance(d, address, i as u128, store);
                let inside = d.and(&store.guard, &is_within(d, gap, store));
                d.ite(&inside, &byte_of(d, gap, store), &old)
            }
        };
        all = Some(all.map_or(new, |low| d.concat(&new, &low)));
    }
    all.unwrap_or(value)
}

/// How far behind the first byte of a store a byte of an access lies, 64 bits. In a space of 32 bits no access reaches over the end (A-ADDR): modulo 2^32 a byte
/// is less far behind than the store is long only if it lies in it, so that what both addresses have in common falls out.
fn distance(d: &Terms, address: TermId, byte: u128, store: &Event) -> TermId {
    let small = matches!(store.space, Space::Local | Space::Shared);
    match (narrow(d, address), narrow(d, store.address)) {
        (Some(low), Some(to)) if small => d.zext(&d.sub(&d.add(&low, &d.constant(32, byte)), &to), 64),
        _ => d.sub(&d.add(&address, &d.constant(64, byte)), &store.address),
    }
}

/// The same where both lie at multiples of their sizes, which are powers of two: of parts as long as the shorter one, two are one
/// or apart.
pub fn overlay_aligned(d: &Terms, value: TermId, address: TermId, bytes: u32, store: &Event) -> TermId {
    if gap(d, address, store).is_some() || !(bytes.is_power_of_two() && store.bytes.is_power_of_two()) {
        return overlay(d, value, address, bytes, store);
    }
    let unit = bytes.min(store.bytes);
    let part = |v: &TermId, i: u32| d.extract(v, 8 * unit * i, 8 * unit);
    // Where both have zeros above, what lies below is compared, as `distance` does.
    let small = matches!(store.space, Space::Local | Space::Shared);
    let (from, to) = match (narrow(d, address), narrow(d, store.address)) {
        (Some(low), Some(to)) if small => (low, to),
        _ => (address, store.address),
    };
    let at = |address: TermId, i: u32| d.add(&address, &d.constant(d.width_of(address), (unit * i).into()));
    let loaded = (0..bytes / unit).map(|i| {
        (0..store.bytes / unit).fold(part(&value, i), |old, k| {
            let same = d.eq(&at(from, i), &at(to, k));
            d.ite(&d.and(&store.guard, &same), &part(&store.value, k), &old)
        })
    });
    loaded.reduce(|low, high| d.concat(&high, &low)).unwrap_or(value)
}

/// Whether a byte address lies in an access, one bit; the guard aside.
pub fn within(d: &Terms, address: TermId, event: &Event) -> TermId {
    is_within(d, d.sub(&address, &event.address), event)
}

/// Whether what lies so far behind an access's first byte lies in it, one bit; the guard aside.
fn is_within(d: &Terms, gap: TermId, event: &Event) -> TermId {
    d.compare(CompareOp::ULt, &gap, &d.constant(64, event.bytes.into()))
}

/// The byte of a stored value that lies at an address within it.
pub fn byte_at(d: &Terms, address: TermId, event: &Event) -> TermId {
    byte_of(d, d.sub(&address, &event.address), event)
}

/// The byte of a stored value that lies so far behind its first one.
fn byte_of(d: &Terms, gap: TermId, event: &Event) -> TermId {
    let width = 8 * event.bytes;
    if width == 8 {
        return event.value;
    }
    let gap = d.extract(&gap, 0, width.ilog2() - 3);
    let count = d.zext(&d.concat(&gap, &d.constant(3, 0)), width);
    d.extract(&d.binary(BinaryOp::LShr, &event.value, &count), 0, 8)
}

#[cfg(test)]
mod tests {
    use super::{Event, Kind, overlay, overlay_aligned};
    use rustc_hash::FxHashMap;
    use sassafras_semantics::concrete::Bits;
    use sassafras_semantics::{Concrete, Domain, Space, TermId, Terms};

    /// The value of a term where variables have values.
    fn value(d: &Terms, t: TermId, given: &[(TermId, u128)]) -> u128 {
        let home = Concrete::default();
        let mut values: FxHashMap<TermId, Bits> = FxHashMap::default();
        for id in d.topological(&[t]) {
            let made = match given.iter().find(|(v, _)| *v == id) {
                Some((_, bits)) => Bits::new(d.width_of(id), *bits),
                None => {
                    let node = d.node(id);
                    let operands: Vec<Bits> = node.operands().iter().map(|o| values[o]).collect();
                    Terms::apply(&home, &node, d.width_of(id), &operands)
                }
            };
            values.insert(id, made);
        }
        values[&t].bits()
    }

    fn store(
        d: &Terms,
        space: Space,
        address: TermId,
        (bytes, value): (u32, TermId),
        guard: TermId,
    ) -> Event {
        Event {
            kind: Kind::Store,
            space,
            guard,
            address,
            bytes,
            align: bytes,
            value,
            snapshot: false,
            version: d.constant(32, 0),
            place: 0,
            visit: 1,
            orders: false,
            arguments: Vec::new(),
            results: Vec::new(),
            waits: None,
            met: std::collections::BTreeSet::new(),
        }
    }

    /// Distances modulo 2^32 say what those of 64 bits say, but where an access reaches over the end of a space of 32 bits.
    #[test]
    fn distances_in_small_spaces_are_those_of_whole_addresses() {
        let mut wrong = 0;
        for (loaded, stored) in [(1, 8), (8, 4), (4, 4), (2, 16), (16, 8)] {
            let d = Terms::new();
            let [to, from] = ["to", "from"].map(|n| d.variable(n, 32));
            let at = |t: TermId| d.zext(&t, 64);
            let guard = d.variable("guard", 1);
            let (new, old) = (d.variable("new", 8 * stored), d.variable("old", 8 * loaded));
            let of = |space| store(&d, space, at(to), (stored, new), guard);
            let whole = overlay(&d, old, at(from), loaded, &of(Space::Global));
            let small = [Space::Local, Space::Shared].map(|s| overlay(&d, old, at(from), loaded, &of(s)));
            let aligned = overlay_aligned(&d, old, at(from), loaded, &of(Space::Shared));
            let (n, o) =
                (0x1f1e_1d1c_1b1a_1918_1716_1514_1312_1110, 0x2f2e_2d2c_2b2a_2928_2726_2524_2322_2120);
            let end = 1u128 << 32;
            for (a, b) in (0..40u128).flat_map(|a| (0..40u128).map(move |b| (a, b))) {
                for base in [0, (1 << 31) - 20, end - 40, end - 20] {
                    let (a, b) = ((base + a) % end, (base + b) % end);
                    let given = [(to, a), (from, b), (guard, 1), (new, n), (old, o)];
                    let same = |t: TermId| value(&d, t, &given) == value(&d, whole, &given);
                    if a + u128::from(stored) <= end && b + u128::from(loaded) <= end {
                        assert!(small.iter().all(|t| same(*t)), "{loaded} bytes at {b} of {stored} at {a}");
                        let multiples = a % u128::from(stored) == 0 && b % u128::from(loaded) == 0;
                        assert!(!multiples || same(aligned), "{loaded} bytes at {b} of {stored} at {a}");
                    } else {
                        wrong += u32::from(!same(small[0]));
                    }
                }
            }
        }
        assert!(wrong > 100, "what reaches over the end is told apart: {wrong}");
    }

    #[test]
    fn aligned_accesses_meet_as_bytes_do_and_others_do_not() {
        let mut wrong = 0;
        for (loaded, stored) in [(1, 1), (4, 4), (8, 4), (4, 8), (16, 2), (2, 16), (1, 8), (8, 8)] {
            let d = Terms::new();
            let [to, from] = ["to", "from"].map(|n| d.variable(n, 64));
            let guard = d.variable("guard", 1);
            let (new, old) = (d.variable("new", 8 * stored), d.variable("old", 8 * loaded));
            let store = store(&d, Space::Global, to, (stored, new), guard);
            let bytes = overlay(&d, old, from, loaded, &store);
            let whole = overlay_aligned(&d, old, from, loaded, &store);
            let (n, o) =
                (0x1f1e_1d1c_1b1a_1918_1716_1514_1312_1110, 0x2f2e_2d2c_2b2a_2928_2726_2524_2322_2120);
            for (a, b) in (0..48u128).flat_map(|a| (0..48u128).map(move |b| (a, b))) {
                for (g, base) in [(0, 0), (1, 0), (1, 1 << 32), (1, u128::from(u64::MAX) - 63)] {
                    let given = [(to, base + a), (from, base + b), (guard, g), (new, n), (old, o)];
                    let same = value(&d, bytes, &given) == value(&d, whole, &given);
                    if a % u128::from(stored) == 0 && b % u128::from(loaded) == 0 {
                        assert!(same, "{loaded} bytes at {b} of {stored} at {a}");
                    } else {
                        wrong += u32::from(!same);
                    }
                }
            }
        }
        assert!(wrong > 1_000, "what is not aligned is told apart: {wrong}");
    }
}
