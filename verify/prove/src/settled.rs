//! Whether a launch shows what the source means: whatever it leaves open, it leaves the same in memory there.

use crate::execute::execute;
use sassafras_execute::{Approx, Launch, Options, Outcome};
use sassafras_symbolic::origin::Origin;

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

/// Runs of the source on one launch, with other choices for what it leaves open.
pub(crate) struct Variants<'s> {
    launch: &'s Launch,
    /// The run in interleaving 0 with default options.
    source: &'s Outcome,
    /// Other interleavings, other undefined values, and approximations at both ends of their bounds.
    others: Vec<Outcome>,
    /// Other NaNs.
    nans: Vec<Outcome>,
}

impl<'s> Variants<'s> {
    /// None if one of them does not end well.
    pub fn run(
        origin: Origin<'_>,
        launch: &'s Launch,
        step_limit: u64,
        source: &'s Outcome,
    ) -> Option<Variants<'s>> {
        let base = Options { step_limit, touches: true, ..Options::default() };
        let again = |options: Options| {
            sassafras_solve::limit::look();
            execute(origin, launch, &options).ok()
        };
        // What the source leaves open must not decide what it does.
        if source.rests.is_some() {
            return None;
        }
        let orders = (1..ORDERS).map(|order| Options { order, ..base.clone() });
        // Enough that one undefined bit is not the same in all.
        let seeds = (1..=12).map(|seed| Options { seed, ..base.clone() });
        let approximations = [Approx::Low, Approx::High, Approx::Seed(1), Approx::Seed(2)]
            .map(|approx| Options { approx, ..base.clone() });
        // Variables and functions elsewhere.
        let places = (1..=3).map(|places| Options { places, ..base.clone() });
        let others =
            orders.chain(seeds).chain(places).chain(approximations).map(again).collect::<Option<_>>()?;
        let nans = [1, 2].map(|seed| Options { nans: Some(seed), ..base.clone() });
        let nans = nans.into_iter().map(again).collect::<Option<_>>()?;
        Some(Variants { launch, source, others, nans })
    }

    /// Whether all leave the same there. For a deed the source's run has to list its accesses.
    pub fn agree(&self, place: Place) -> bool {
        let Variants { launch, source, others, nans } = self;
        let left =
            |at: u64, n: usize| move |o: &Outcome| bytes(launch, o, at, n) == bytes(launch, source, at, n);
        match place {
            Place::Bytes(at, n) => {
                let open = (0..n as u64).any(|i| source.open.contains(&at.wrapping_add(i)));
                !open && others.iter().chain(nans).all(left(at, n))
            }
            // NaNs may be stored, but what is done hangs on none.
            Place::Deed => {
                others.iter().all(|o| o.buffers == source.buffers && o.calls == source.calls)
                    && nans.iter().all(|o| {
                        o.steps == source.steps && o.touches == source.touches && o.calls == source.calls
                    })
            }
        }
    }
}

/// What a run left at an address, if a buffer has it.
pub(crate) fn bytes<'o>(launch: &Launch, outcome: &'o Outcome, at: u64, n: usize) -> Option<&'o [u8]> {
    let inside =
        |b: &sassafras_execute::launch::Buffer| (b.address..b.address + b.bytes.len() as u64).contains(&at);
    let (buffer, after) = launch.buffers.iter().zip(&outcome.buffers).find(|(b, _)| inside(b))?;
    after.get((at - buffer.address) as usize..)?.get(..n)
}
