//! What has to hold between two sides: assumptions, and goals whose negation is asked for.

use sassafras_chip::limits::{BLOCK_EXTENTS, GRID_EXTENTS};
use sassafras_semantics::{CompareOp, Domain, Space, TermId, Terms};
use sassafras_symbolic::inputs::{AXES, Inputs};
use sassafras_symbolic::obstacle::events::{Events, Nearest};
use sassafras_symbolic::obstacle::place::{Claim, Place};
use sassafras_symbolic::origin::Origin;
use sassafras_symbolic::sum::split;
use sassafras_symbolic::trace::action::Action;
use sassafras_symbolic::trace::event::{Event, Kind, byte_at, within};

/// What is compared: how places in it are called, and what it demands of a launch.
pub trait Compared: Copy {
    /// A place in the source.
    fn place(self, at: u64) -> Place;
    /// A place in the target.
    fn target(self, at: u64) -> Place {
        Place::Offset(at)
    }
    /// The shape of blocks that the source demands.
    fn required_threads(self) -> Option<[u32; 3]>;
    /// Whether a place of the one suggests the same place of the other.
    fn same_places(self) -> bool {
        false
    }
}

impl Compared for Origin<'_> {
    fn place(self, at: u64) -> Place {
        Origin::place(self, at)
    }
    fn required_threads(self) -> Option<[u32; 3]> {
        Origin::required_threads(self)
    }
}

/// Something that must not be possible.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// What it says.
    pub what: Claim,
    /// One bit; where it is one the obligation is violated.
    pub violated: TermId,
}

fn implies(d: &Terms, a: &TermId, b: &TermId) -> TermId {
    d.or(&d.not(a), b)
}

fn differ(d: &Terms, a: &TermId, b: &TermId) -> TermId {
    d.not(&d.eq(a, b))
}

/// An address is a multiple of the size of an access.
fn aligned(d: &Terms, event: &Event) -> TermId {
    let bits = event.align.ilog2();
    if bits == 0 {
        return d.yes();
    }
    d.eq(&d.extract(&event.address, 0, bits), &d.constant(bits, 0))
}

/// A-LAUNCH and A-UB: the launch is one that a device takes, and the source does nothing undefined.
pub fn assumptions(inputs: &Inputs<'_>, origin: impl Compared, source: &[Event], lanes: bool) -> Vec<TermId> {
    let d = inputs.terms;
    let word = |v: u32| d.constant(32, v.into());
    let mut all = Vec::new();
    for (i, axis) in AXES.into_iter().enumerate() {
        let (ntid, nctaid) = (inputs.ntid(axis), inputs.nctaid(axis));
        all.push(d.compare(CompareOp::ULt, &inputs.tid(axis), &ntid));
        all.push(d.compare(CompareOp::ULt, &inputs.ctaid(axis), &nctaid));
        all.push(d.compare(CompareOp::ULe, &ntid, &word(BLOCK_EXTENTS[i])));
        all.push(d.compare(CompareOp::ULe, &nctaid, &word(GRID_EXTENTS[i])));
        if let Some(n) = origin.required_threads() {
            all.push(d.eq(&ntid, &word(n[i])));
        }
    }
    if lanes {
        let [x, y, z] = AXES.map(|a| inputs.tid(a));
        let [nx, ny, _] = AXES.map(|a| inputs.ntid(a));
        let linear = d.add(&x, &d.mul(&nx, &d.add(&y, &d.mul(&ny, &z))));
        all.push(d.eq(&inputs.laneid(), &d.zext(&d.extract(&linear, 0, 5), 32)));
    }
    for e in source.iter().filter(|e| e.accesses()) {
        all.push(implies(d, &e.guard, &aligned(d, e)));
    }
    all.retain(|a| d.as_constant(a) != Some(1));
    all
}

/// What identifies an event that others see: kind, operands, guard, and the state of memory if it depends on that.
type Key = (Action, Vec<TermId>, TermId, Option<TermId>);

fn key(e: &Event) -> Option<Key> {
    let version = e.orders.then_some(e.version);
    Some((e.action()?.clone(), e.arguments.clone(), e.guard, version))
}

/// An event without a partner.
#[derive(Debug)]
pub struct Alone {
    /// Which.
    pub why: Box<Events>,
    /// Events of the source and of the target that differ in terms alone, perhaps: the likeliest first.
    pub near: Vec<(usize, usize)>,
    /// Which it is.
    pub event: Lone,
    /// Those that have partners, by their places in the lists.
    pub pairs: Vec<(usize, usize)>,
}

/// An event of one side, by its place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lone {
    /// Of the source.
    Source(usize),
    /// Of the target.
    Target(usize),
}

/// Most events of the target that one of the source is held against.
const MOST_NEAR: usize = 3;

/// Events that others see: the same on both sides, each after the same others; but for those that are known not to happen. The partners, by
/// their places in the lists.
///
/// # Errors
/// The first that has no partner.
pub fn events(
    d: &Terms,
    origin: impl Compared,
    source: &[Event],
    target: &[Event],
) -> Result<Vec<(usize, usize)>, Alone> {
    let keys = |all: &[Event]| -> Vec<(usize, Key)> {
        let happen = all.iter().enumerate().filter(|(_, e)| d.as_constant(&e.guard) != Some(0));
        happen.filter_map(|(i, e)| Some((i, key(e)?))).collect()
    };
    let mut open = keys(target);
    let (mut pairs, mut alone) = (Vec::new(), Vec::new());
    for (i, k) in keys(source) {
        match open.iter().position(|(_, other)| *other == k) {
            Some(at) => pairs.push((i, open.remove(at).0)),
            None => alone.push((i, k)),
        }
    }
    let Some((i, k)) = alone.first() else {
        return match open.first() {
            None => Ok(pairs),
            Some((j, k)) => {
                let (event, place) = (k.0.to_string().into(), origin.target(target[*j].place));
                let why = Box::new(Events::SourceLacks { event, place, nearest: Nearest::None });
                let event = Lone::Target(*j);
                Err(Alone { why, near: Vec::new(), event, pairs })
            }
        };
    };
    let (event, place) = (k.0.to_string().into(), origin.place(source[*i].place));
    let why = Box::new(Events::TargetLacks { event, place, nearest: Nearest::None });
    let fits = |j: &usize| {
        let (a, b) = (&source[*i], &target[*j]);
        a.operands_for(b).len() == b.arguments.len() && a.results.len() == b.results.len()
    };
    let mut fit: Vec<usize> =
        open.iter().filter(|(j, other)| other.0 == k.0 && fits(j)).map(|(j, _)| *j).collect();
    let same = |j: &usize| origin.same_places() && target[*j].place == source[*i].place;
    fit.sort_by_key(|j| !same(j));
    let near = fit.into_iter().take(MOST_NEAR).map(|j| (*i, j)).collect();
    Err(Alone { why, near, event: Lone::Source(*i), pairs })
}

/// Two events are one: operands, guard and state of memory are equal.
pub fn one_event(inputs: &Inputs<'_>, origin: impl Compared, a: &Event, b: &Event) -> Obligation {
    let d = inputs.terms;
    // Two changes of a word find the same, if they are at one place in one state of memory.
    let found = |y: TermId| match (&a.results[..], &b.results[..]) {
        ([old, ..], [own, ..]) if a.is_update() && b.is_update() && d.width_of(*old) == d.width_of(*own) => {
            sassafras_symbolic::trace::window::with(inputs, y, *own, *old)
        }
        _ => y,
    };
    let wrong = a.operands_for(b).iter().zip(&b.arguments).fold(d.no(), |any, (x, y)| {
        let y = &found(*y);
        let same = d.width_of(*x) == d.width_of(*y);
        d.or(&any, &if same { differ(d, x, y) } else { d.yes() })
    });
    let after = if a.orders { differ(d, &a.version, &b.version) } else { d.no() };
    let wrong = d.or(&wrong, &after);
    let violated = d.or(&differ(d, &a.guard, &b.guard), &d.and(&a.guard, &wrong));
    Obligation { what: Claim::Event(origin.place(a.place), origin.target(b.place)), violated }
}

/// Stores in pieces of at most `size` bytes.
fn pieces(d: &Terms, all: &[Event], size: u32) -> Vec<Event> {
    let mut list = Vec::new();
    for e in all {
        for at in (0..e.bytes).step_by(size as usize) {
            let bytes = size.min(e.bytes - at);
            let address = d.add(&e.address, &d.constant(64, at.into()));
            let value = d.extract(&e.value, 8 * at, 8 * bytes);
            list.push(Event { bytes, address, value, ..e.clone() });
        }
    }
    list
}

/// Whether two stores are known to touch no byte in common, or not to happen both.
fn apart(inputs: &Inputs<'_>, a: &Event, b: &Event) -> bool {
    let d = inputs.terms;
    let both = inputs.normal.of(d.and(&a.guard, &b.guard));
    if a.space != b.space || inputs.known(both) == Some(0) {
        return true;
    }
    let ((x, i), (y, j)) = (split(d, a.address), split(d, b.address));
    let (above, below) = (j.wrapping_sub(i) as u64, i.wrapping_sub(j) as u64);
    x == y && above >= a.bytes.into() && below >= b.bytes.into()
}

/// What the two sides write to a memory between two events that others see.
pub struct Interval {
    /// Obligations, if stores find partners one to one.
    pub paired: Option<Vec<Obligation>>,
    /// The obligation that does without partners.
    pub whole: Obligation,
}

/// The intervals, each with its obligations.
pub fn intervals(
    inputs: &Inputs<'_>,
    origin: impl Compared,
    source: &[Event],
    target: &[Event],
) -> Vec<Interval> {
    let d = inputs.terms;
    let mut keys: Vec<(Space, TermId)> =
        source.iter().chain(target).filter(|e| e.stores()).map(|e| (e.space, e.version)).collect();
    keys.sort_unstable();
    keys.dedup();
    let of = |all: &[Event], key: (Space, TermId)| -> Vec<Event> {
        all.iter().filter(|e| e.stores() && (e.space, e.version) == key).cloned().collect()
    };
    let mut list = Vec::new();
    for key in keys {
        let (s, t) = (of(source, key), of(target, key));
        let paired = pairs(inputs, origin, &s, &t).or_else(|| {
            let size = s.iter().chain(&t).map(|e| e.bytes).min().unwrap_or(4).min(4);
            let normal = |mut all: Vec<Event>| {
                for e in &mut all {
                    e.address = inputs.normal.of(e.address);
                    e.value = inputs.normal.of(e.value);
                }
                all
            };
            pairs(inputs, origin, &normal(pieces(d, &s, size)), &normal(pieces(d, &t, size)))
        });
        list.push(Interval { paired, whole: memory(inputs, &s, &t) });
    }
    list
}

/// Stores one to one; `None` if the two sides do not even have as many of the same sizes.
fn pairs(
    inputs: &Inputs<'_>,
    origin: impl Compared,
    source: &[Event],
    target: &[Event],
) -> Option<Vec<Obligation>> {
    let d = inputs.terms;
    if source.len() != target.len() {
        return None;
    }
    let same = |s: &Event, t: &Event| {
        (s.bytes, s.address, s.value, s.guard) == (t.bytes, t.address, t.value, t.guard)
    };
    let near = |s: &Event, t: &Event| s.bytes == t.bytes && s.address == t.address;
    let mut partner: Vec<Option<usize>> = vec![None; source.len()];
    let mut taken = vec![false; target.len()];
    for rule in [&same as &dyn Fn(&Event, &Event) -> bool, &near, &|s, t| s.bytes == t.bytes] {
        for (i, s) in source.iter().enumerate().filter(|(i, _)| partner[*i].is_none()).collect::<Vec<_>>() {
            if let Some(j) = (0..target.len()).find(|&j| !taken[j] && rule(s, &target[j])) {
                partner[i] = Some(j);
                taken[j] = true;
            }
        }
    }
    let partner: Vec<usize> = partner.into_iter().collect::<Option<_>>()?;
    // Those that changed places must not meet.
    for i in 0..source.len() {
        for j in i + 1..source.len() {
            if partner[i] > partner[j] && !apart(inputs, &source[i], &source[j]) {
                return None;
            }
        }
    }
    let pair = |(i, s): (usize, &Event)| {
        let t = &target[partner[i]];
        let wrong = d.or(&differ(d, &s.address, &t.address), &differ(d, &s.value, &t.value));
        let violated = d.or(&differ(d, &s.guard, &t.guard), &d.and(&s.guard, &wrong));
        let what = Claim::Store(origin.place(s.place), origin.target(t.place));
        Obligation { what, violated }
    };
    Some(source.iter().enumerate().map(pair).collect())
}

/// Whatever the order and number of stores: the same bytes are written, with the same last values. Asked for one byte at an
/// address that is free.
fn memory(inputs: &Inputs<'_>, source: &[Event], target: &[Event]) -> Obligation {
    let d = inputs.terms;
    let at = inputs.variable("address", 64, false);
    let fold = |all: &[Event]| {
        let start = (d.no(), d.constant(8, 0));
        all.iter().fold(start, |(written, value), e| {
            let here = d.and(&e.guard, &within(d, at, e));
            (d.or(&written, &here), d.ite(&here, &byte_at(d, at, e), &value))
        })
    };
    let ((ws, vs), (wt, vt)) = (fold(source), fold(target));
    let violated = d.or(&differ(d, &ws, &wt), &d.and(&ws, &differ(d, &vs, &vt)));
    Obligation { what: Claim::Memory, violated }
}

/// Each access of the target is aligned, and each load reads bytes that the source reads or writes there.
pub fn covered(
    inputs: &Inputs<'_>,
    origin: impl Compared,
    source: &[Event],
    target: &[Event],
) -> Vec<Obligation> {
    let d = inputs.terms;
    let mut all = Vec::new();
    for t in target.iter().filter(|e| e.accesses()) {
        let near: Vec<&Event> = source
            .iter()
            .filter(|s| s.accesses() && s.space == t.space && (s.version == t.version || t.stores()))
            // A-NC is what the source says of its own loads: no other may be served from a snapshot.
            .filter(|s| s.snapshot || !t.snapshot)
            .collect();
        let (base, offset) = split(d, t.address);
        // By bases and offsets: the source is there under a guard that the target's implies.
        let holds = |at: i64, bytes: u64, aligned: bool| {
            let there = near.iter().filter(|s| {
                let (b, o) = split(d, s.address);
                // Offsets count modulo 2^64.
                let gap = at.wrapping_sub(o) as u64;
                b == base
                    && gap.checked_add(bytes).is_some_and(|end| end <= s.bytes.into())
                    && (!aligned || s.align >= t.align && gap.is_multiple_of(t.align.into()))
            });
            let guards = there.fold(d.no(), |any, s| d.or(&any, &s.guard));
            let outside = inputs.normal.of(d.and(&t.guard, &d.not(&guards)));
            inputs.known(outside) == Some(0)
        };
        let aligned_there = holds(offset, t.bytes.into(), true);
        let touched = t.stores() || (0..t.bytes).all(|i| holds(offset.wrapping_add(i.into()), 1, false));
        if aligned_there && touched {
            continue;
        }
        let mut bad = if aligned_there { d.no() } else { d.not(&aligned(d, t)) };
        if !touched {
            for i in 0..t.bytes {
                let at = d.add(&t.address, &d.constant(64, i.into()));
                let none = near
                    .iter()
                    .fold(d.yes(), |none, s| d.and(&none, &d.not(&d.and(&s.guard, &within(d, at, s)))));
                bad = d.or(&bad, &none);
            }
        }
        let violated = d.and(&t.guard, &bad);
        all.push(Obligation { what: Claim::Access(origin.target(t.place)), violated });
    }
    all
}

/// Both sides trap alike.
pub fn traps(d: &Terms, source: &[(TermId, u64)], target: &[(TermId, u64)]) -> Obligation {
    let any = |all: &[(TermId, u64)]| all.iter().fold(d.no(), |any, (c, _)| d.or(&any, c));
    Obligation { what: Claim::Traps, violated: differ(d, &any(source), &any(target)) }
}

/// Each access of the target to local memory lies in the stack that the cubin declares, of `bytes` bytes below `top`, and at a multiple of
/// its size as seen from there; where those of the source lie in its variables. That the top is such a multiple is A-ADDR.
pub fn frame(
    inputs: &Inputs<'_>,
    origin: Origin<'_>,
    source: &[Event],
    target: &[Event],
    top: TermId,
    (bytes, deep): (u32, u32),
) -> (Vec<TermId>, Vec<Obligation>) {
    let d = inputs.terms;
    let word = |v: u64| d.constant(32, v.into());
    let low = |e: &Event| d.extract(&e.address, 0, 32);
    let of = |e: &&Event| matches!(e.kind, Kind::Load | Kind::Store) && e.space == Space::Local;
    let inside = |e: &Event, base: TermId, size: u64| match size.checked_sub(e.bytes.into()) {
        Some(most) => d.compare(CompareOp::ULe, &d.sub(&low(e), &base), &word(most)),
        None => d.no(),
    };
    let multiple = |e: &Event| match e.align.ilog2() {
        0 => d.yes(),
        bits => d.eq(&d.extract(&d.sub(&low(e), &top), 0, bits), &d.constant(bits, 0)),
    };
    let variables = origin.locals(inputs, top, deep);
    let assumed = source.iter().filter(of).map(|e| {
        let any = variables.iter().fold(d.no(), |any, (base, size)| d.or(&any, &inside(e, *base, *size)));
        implies(d, &e.guard, &any)
    });
    let assumed: Vec<TermId> = assumed.collect();
    let base = d.sub(&top, &word(bytes.into()));
    let outside = target.iter().filter(of).map(|e| Obligation {
        what: Claim::Stack(e.place),
        violated: d.and(&e.guard, &d.not(&d.and(&inside(e, base, bytes.into()), &multiple(e)))),
    });
    (assumed, outside.collect())
}
