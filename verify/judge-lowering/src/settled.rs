//! Whether the source does the same whatever it leaves open.

use crate::source::Source;
use sassafras_execute::memory::{Deed, Who};
use sassafras_execute::{Approx, Launch, Options, Outcome};
use sassafras_semantics::{Access, Collective, Ordering, Scope, Space};
use std::collections::BTreeMap;

/// By thread: what it did that others see, in its order.
pub(crate) type Deeds = BTreeMap<(u64, u32), Vec<Deed>>;

/// What each thread did, but for opaque operations that change nothing: what they give shows where it is used. Four things are one here:
/// - volatile accesses of every scope (PTX ISA, "ld": "ld.volatile has the same memory synchronization semantics as ld.relaxed.sys");
/// - an address outside of buffers and any other: where variables lie is each executor's own;
/// - an atomic operation without an ordering and a relaxed one (PTX ISA, "atom": "If no .sem qualifier is specified, .relaxed is used");
/// - a barrier of the block, and one behind a wait of all lanes of the warp: lanes that come to the first come to the second (`docs/convergence.md`, C14).
pub(crate) fn deeds(launch: &Launch, all: &[(Who, Deed)]) -> Deeds {
    let inside = |access: &Access, at: u64| {
        let own = |b: &sassafras_execute::launch::Buffer| {
            (b.address..b.address + b.bytes.len() as u64).contains(&at)
        };
        if access.space == Space::Global && launch.buffers.iter().any(own) { at } else { 0 }
    };
    let mut by_thread = Deeds::new();
    for (who, deed) in all {
        let deed = match *deed {
            Deed::Strong { how, access, address } => {
                let address = inside(&access, address);
                let volatile = access.ordering == Ordering::Volatile;
                let scope = if volatile { Scope::Sys } else { access.scope };
                Deed::Strong { how, access: Access { scope, ..access }, address }
            }
            Deed::Opaque(op) if op.family().pure || op.family().reads => continue,
            // The executor of PTX has no product of a warpgroup under way: it passes what waits for one.
            Deed::Opaque(op) if op.head() == "wgmma" && op.family().timing => continue,
            Deed::Atomic { op, access, address } => {
                let address = inside(&access, address);
                let weak = access.ordering == Ordering::Weak;
                let ordering = if weak { Ordering::Relaxed } else { access.ordering };
                Deed::Atomic { op, access: Access { ordering, ..access }, address }
            }
            other => other,
        };
        let own: &mut Vec<Deed> = by_thread.entry((who.block, who.thread)).or_default();
        let waited = own.last() == Some(&Deed::Collective(Collective::WarpSync, Some(u32::MAX)));
        if waited && matches!(deed, Deed::Collective(Collective::Barrier(_), _)) {
            own.pop();
        }
        own.push(deed);
    }
    by_thread
}

/// Where a difference shows.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// So many bytes at an address of a buffer.
    Bytes(u64, usize),
    /// Bytes of a variable of the module, from the first to the last.
    Variable(String, usize, usize),
    /// In what a thread does that others see, and in calls. What it stores may be open beside that.
    Deed,
    /// In which bytes are accessed, or in how it ends.
    Course,
}

/// Other runs of the source on a launch: other interleavings, undefined values, places of variables, approximations, NaNs.
fn variants(base: &Options) -> Vec<Options> {
    let orders = (1..4).map(|order| Options { order, ..base.clone() });
    let seeds = (1..=8).map(|seed| Options { seed, ..base.clone() });
    let places = (1..=3).map(|places| Options { places, ..base.clone() });
    let approximations = [Approx::Low, Approx::High, Approx::Seed(1), Approx::Seed(2)];
    let approximations = approximations.map(|approx| Options { approx, ..base.clone() });
    let nans = [1, 2].map(|nans| Options { nans: Some(nans), ..base.clone() });
    orders.chain(seeds).chain(places).chain(approximations).chain(nans).collect()
}

/// Whether the source leaves nothing open at a place, on a launch on which it did `source`.
pub(crate) fn settled(
    entry: Source<'_>,
    launch: &Launch,
    source: &Outcome,
    base: &Options,
    place: &Place,
) -> bool {
    if source.rests.is_some() || entry.origin.unbounded() {
        return false;
    }
    // Which lanes are active together is open, and no few interleavings have all of it (C17 of `docs/convergence.md`).
    let asks_who_is_there = |deed: &Deed| matches!(deed, Deed::Collective(Collective::ActiveMask, _));
    if source.deeds.iter().any(|(_, deed)| asks_who_is_there(deed)) {
        return false;
    }
    if let Place::Bytes(at, n) = *place
        && (0..n as u64).any(|i| source.open.contains(&at.wrapping_add(i)))
    {
        return false;
    }
    let own = deeds(launch, &source.deeds);
    variants(base).iter().all(|options| {
        let Ok(other) = entry.execute(launch, options) else { return false };
        match place {
            Place::Bytes(at, n) => bytes(launch, &other, *at, *n) == bytes(launch, source, *at, *n),
            Place::Variable(name, from, to) => {
                let of = |o: &Outcome| o.variables.get(name).map(|b| b[*from..*to].to_vec());
                of(&other) == of(source)
            }
            Place::Deed => other.calls == source.calls && deeds(launch, &other.deeds) == own,
            Place::Course => {
                other.calls == source.calls
                    && deeds(launch, &other.deeds) == own
                    && (options.nans.is_some() || other.buffers == source.buffers)
            }
        }
    })
}

/// What a run left at an address, if a buffer has it.
fn bytes<'o>(launch: &Launch, outcome: &'o Outcome, at: u64, n: usize) -> Option<&'o [u8]> {
    let inside =
        |b: &sassafras_execute::launch::Buffer| (b.address..b.address + b.bytes.len() as u64).contains(&at);
    let (buffer, after) = launch.buffers.iter().zip(&outcome.buffers).find(|(b, _)| inside(b))?;
    after.get((at - buffer.address) as usize..)?.get(..n)
}
