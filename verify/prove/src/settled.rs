//! Whether a launch shows what the source means: whatever it leaves open, it leaves the same in memory there.

use crate::origin::Origin;
use sassafras_execute::{Approx, Launch, Options, Outcome};

/// Interleavings in which the source runs.
pub(crate) const ORDERS: u32 = 4;

/// Where a difference shows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// So many bytes at an address of a buffer.
    Bytes(u64, usize),
    /// In what is done: a fault, or an access. All buffers count, and what is accessed.
    Deed,
}

/// Whether the source leaves at a place what it left in a run of interleaving 0 with default options, in other interleavings, with other undefined values, with
/// approximations at both ends of their bounds, and with other NaNs where PTX says that they are unspecified.
pub(crate) fn settled(
    origin: Origin<'_>,
    launch: &Launch,
    step_limit: u64,
    source: &Outcome,
    place: Place,
) -> bool {
    let base = Options { step_limit, touches: matches!(place, Place::Deed), ..Options::default() };
    let again = |options: Options| origin.execute(launch, &options).ok();
    let orders = (1..ORDERS).map(|order| Options { order, ..base.clone() });
    let seeds = [1, 2].map(|seed| Options { seed, ..base.clone() });
    let approximations = [Approx::Low, Approx::High, Approx::Seed(1), Approx::Seed(2)]
        .map(|approx| Options { approx, ..base.clone() });
    let nans = [1, 2].map(|seed| Options { nans: Some(seed), ..base.clone() });
    let same = |again: &Outcome| match place {
        Place::Bytes(at, n) => bytes(launch, source, at, n) == bytes(launch, again, at, n),
        Place::Deed => source.buffers == again.buffers,
    };
    // NaNs may be stored, but what is done hangs on none.
    let with_nans = |again: &Outcome| match place {
        Place::Bytes(..) => same(again),
        Place::Deed => again.steps == source.steps && again.touches == source.touches,
    };
    orders.chain(seeds).chain(approximations).all(|o| again(o).is_some_and(|a| same(&a)))
        && nans.into_iter().all(|o| again(o).is_some_and(|a| with_nans(&a)))
}

/// What a run left at an address, if a buffer has it.
pub(crate) fn bytes<'o>(launch: &Launch, outcome: &'o Outcome, at: u64, n: usize) -> Option<&'o [u8]> {
    let inside =
        |b: &sassafras_execute::launch::Buffer| (b.address..b.address + b.bytes.len() as u64).contains(&at);
    let (buffer, after) = launch.buffers.iter().zip(&outcome.buffers).find(|(b, _)| inside(b))?;
    after.get((at - buffer.address) as usize..)?.get(..n)
}
