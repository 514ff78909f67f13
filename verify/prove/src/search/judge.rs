//! Whether a launch tells the sides apart.

use crate::execute::execute;
use crate::settled::{ORDERS, Place, Variants};
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_chip::Chip;
use sassafras_cubin::Cubin;
use sassafras_execute::memory::{Touch, Use};
use sassafras_execute::system::Called;
use sassafras_execute::{Failure, Launch, Options, Outcome, sass};
use sassafras_semantics::{Space, Trap};
use sassafras_symbolic::origin::Origin;
use std::ops::Range;

/// Most instructions of a run of the source, issued by groups of lanes.
pub(super) const STEPS: u64 = 50_000;
/// The target may take this many for each of the source's, and so many besides.
const AS_LONG: u64 = 16;
const LEAST: u64 = 4_000;

/// Most words of a launch that are looked at: NaNs may stand in the first ones.
const WORDS: usize = 16;

/// No launch can tell.
pub(super) struct Never;

/// What tells the sides apart.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    /// The interleaving of the target.
    pub order: u32,
    /// Thread of its block, linear, that shows it.
    pub thread: u32,
    /// Where in memory.
    pub address: Option<u64>,
    /// What the source leaves there in hex digits, or does.
    pub source: String,
    /// What the target leaves there, or does.
    pub target: String,
    /// PTX line of the source's last store there.
    pub line: Option<u64>,
    /// Byte offset of the target's instruction.
    pub instruction: Option<u64>,
    /// Its text, where the executor gave it.
    pub text: Option<String>,
}

impl Difference {
    fn place(&self) -> Place {
        // `source` holds the bytes in hex digits where there is an address.
        self.address.map_or(Place::Deed, |at| Place::Bytes(at, self.source.len() / 2))
    }
}

/// Both sides, and what the source leaves open.
///
/// A launch counts only if the source has one meaning on it:
/// - it ends without a fault;
/// - no two of its threads access a byte that one of them stores, atomically or not, unless a barrier of the whole block lies between (A-DRF);
/// - it leaves the same there whatever it leaves open, see [`Variants`];
/// - where something in it may be fused, or leaves the payload of a NaN open, no product was rounded and no NaN was there;
/// - no operation is an approximation without a bound.
pub(super) struct Judge<'a> {
    origin: Origin<'a>,
    cubin: &'a Cubin,
    name: &'a str,
    /// Whether sums may be fused, or payloads of NaNs are open.
    loose: bool,
    /// Instructions of the source so far, and those of runs of the target that did not end.
    pub steps: u64,
    /// The interleavings of the target that are looked at where there are several threads.
    pub orders: Vec<u32>,
}

impl<'a> Judge<'a> {
    /// None if there is nothing to compare: where results may be several, so may be the addresses and ways that follow from them.
    pub fn new(
        origin: Origin<'a>,
        cubin: &'a Cubin,
        code: &'a sassafras_cubin::Function,
    ) -> Option<Judge<'a>> {
        let loose = origin.contracts() || origin.leaves_payloads();
        let fits = origin.params().iter().all(|(_, offset, size)| offset + size <= code.param_size);
        let orders = (0..ORDERS).collect();
        let judge = Judge { origin, cubin, name: &code.name, loose, steps: 0, orders };
        (!origin.unbounded() && fits).then_some(judge)
    }

    /// What a launch shows, if anything.
    ///
    /// # Errors
    /// One of the executors lacks a meaning.
    pub fn differ(&mut self, launch: &Launch) -> Result<Option<Difference>, Never> {
        Ok(self.differences(launch)?.into_iter().next())
    }

    /// The same, at the last word of the first ones: thread 0 has many numbers that are zero.
    ///
    /// # Errors
    /// One of the executors lacks a meaning.
    pub fn differ_last(&mut self, launch: &Launch) -> Result<Option<Difference>, Never> {
        Ok(self.differences(launch)?.pop())
    }

    /// Differences that count, of the first interleaving that has any.
    fn differences(&mut self, launch: &Launch) -> Result<Vec<Difference>, Never> {
        sassafras_solve::limit::look();
        let options = Options { step_limit: STEPS, touches: true, ..Options::default() };
        let source = match execute(self.origin, launch, &options) {
            Ok(outcome) => outcome,
            Err(e) if e.is_unsupported() => return Err(Never),
            Err(Failure::StepLimit(steps)) => {
                self.steps += steps;
                return Ok(Vec::new());
            }
            Err(_) => return Ok(Vec::new()),
        };
        self.steps += source.steps;
        if races(&source.touches) || self.loose && source.several {
            return Ok(Vec::new());
        }
        let alone = launch.blocks() * u64::from(launch.threads()) == 1;
        let orders = if alone { vec![0] } else { self.orders.clone() };
        for order in orders {
            let found = self.against(launch, &source, order)?;
            if found.is_empty() {
                continue;
            }
            let variants = Variants::run(self.origin, launch, 2 * STEPS, &source);
            let Some(variants) = variants else { return Ok(Vec::new()) };
            return Ok(found.into_iter().filter(|f| variants.agree(f.place())).collect());
        }
        Ok(Vec::new())
    }

    /// Whether a fault is one of local memory that does not happen where threads have as much of it as the chip gives: how much stack is there is
    /// the host's to say (A-STACK).
    fn lacks_stack(&self, launch: &Launch, options: &Options, fault: &Failure) -> bool {
        let Failure::Trap { trap: Trap::OutOfBounds { space: Space::Local, .. }, .. } = fault else {
            return false;
        };
        let Some(chip) = Chip::from_number(self.cubin.sm) else { return false };
        let stack = chip.limits().local_bytes_per_thread;
        let again = sass::run(self.cubin, self.name, launch, &Options { stack, ..options.clone() });
        !matches!(again, Err(Failure::Trap { trap: Trap::OutOfBounds { space: Space::Local, .. }, .. }))
    }

    /// What the target does otherwise in an interleaving.
    fn against(&mut self, launch: &Launch, source: &Outcome, order: u32) -> Result<Vec<Difference>, Never> {
        let step_limit = AS_LONG * source.steps + LEAST;
        let options = Options { order, step_limit, touches: true, ..Options::default() };
        let target = match sass::run(self.cubin, self.name, launch, &options) {
            Ok(outcome) => outcome,
            Err(e) if e.is_unsupported() => return Err(Never),
            Err(Failure::Launch(_)) => return Err(Never),
            // That it ends nowhere is not known (A-TERM), nor is a deadlock in some interleaving more than A-CONV.
            Err(Failure::Deadlock(_)) => return Ok(Vec::new()),
            Err(Failure::StepLimit(steps)) => {
                self.steps += steps;
                return Ok(Vec::new());
            }
            Err(e) if self.lacks_stack(launch, &options, &e) => return Ok(Vec::new()),
            Err(e) => {
                let (Failure::Trap { at, .. } | Failure::Undefined { at, .. }) = &e else {
                    return Ok(Vec::new());
                };
                let [x, y, z] = at.thread;
                return Ok(vec![Difference {
                    order,
                    thread: x + launch.block[0] * (y + launch.block[1] * z),
                    address: None,
                    source: "it ends".into(),
                    target: e.to_string(),
                    line: None,
                    instruction: Some(at.position),
                    text: Some(at.text.clone()),
                }]);
            }
        };
        let wild = wild(launch, source, &target, order).or_else(|| said(source, &target, order));
        Ok(wild.map_or_else(|| left(launch, source, &target, order), |deed| vec![deed]))
    }
}

/// Bytes of an access, by space, block (of shared memory) and address.
fn bytes(t: &Touch) -> impl Iterator<Item = (Space, u64, u64)> {
    let block = if t.space == Space::Shared { t.who.block } else { 0 };
    let (space, address) = (t.space, t.address);
    (0..u64::from(t.bytes)).map(move |i| (space, block, address.wrapping_add(i)))
}

/// Whether two threads access a byte that one of them stores, with no barrier of the whole block between. Atomic operations race too: what they
/// return, and what sums of floats become, hangs on who comes first, and lanes of one warp may come in any order.
fn races(touches: &[Touch]) -> bool {
    // By byte and barriers passed: a thread, whether there are others, whether somebody stores.
    struct Seen {
        thread: (u64, u32),
        others: bool,
        stored: bool,
    }
    let mut seen: FxHashMap<((Space, u64, u64), u32), Seen> = FxHashMap::default();
    // Blocks have no barrier in common.
    let mut blocks: FxHashMap<(Space, u64, u64), (u64, bool)> = FxHashMap::default();
    for t in touches {
        let thread = (t.who.block, t.who.thread);
        for byte in bytes(t) {
            let own = Seen { thread, others: false, stored: false };
            let s = seen.entry((byte, t.who.epoch)).or_insert(own);
            s.others |= s.thread != thread;
            s.stored |= t.how != Use::Load;
            if s.others && s.stored {
                return true;
            }
            let (block, stored) = blocks.entry(byte).or_insert((t.who.block, false));
            *stored |= t.how != Use::Load;
            if *block != t.who.block && *stored {
                return true;
            }
        }
    }
    false
}

/// An access of a buffer by the target, of bytes that no thread of the source accesses. A load may take what lies beside such bytes, up to the
/// widest access, and an atomic operation the word around them: that faults nowhere else, and what is not used is seen by nobody.
fn wild(launch: &Launch, source: &Outcome, target: &Outcome, order: u32) -> Option<Difference> {
    let unit = |how: Use| match how {
        Use::Load => 16,
        Use::Atomic => 4,
        Use::Store => 1,
    };
    let sets = [Use::Load, Use::Atomic, Use::Store].map(|how| {
        let all = source.touches.iter().flat_map(bytes);
        (how, all.map(|(_, _, at)| at / unit(how)).collect::<FxHashSet<u64>>())
    });
    let known = |how: Use, at: u64| sets.iter().any(|(h, set)| *h == how && set.contains(&(at / unit(how))));
    let within = |t: &&Touch| {
        let inside = |b: &sassafras_execute::launch::Buffer| {
            (b.address..b.address + b.bytes.len() as u64).contains(&t.address)
        };
        t.space == Space::Global && launch.buffers.iter().any(inside)
    };
    let mut all = target.touches.iter().filter(within);
    let (t, at) = all.find_map(|t| Some((t, bytes(t).find(|b| !known(t.how, b.2))?.2)))?;
    let what = match t.how {
        Use::Load => "reads",
        Use::Store => "writes",
        Use::Atomic => "has an atomic operation on",
    };
    Some(Difference {
        order,
        thread: t.who.thread,
        address: None,
        source: format!("it does not access {at:#x}"),
        target: format!("it {what} {} bytes at {:#x}", t.bytes, t.address),
        line: None,
        instruction: Some(t.who.at),
        text: None,
    })
}

/// The first call of a function that the driver resolves that a thread does otherwise.
fn said(source: &Outcome, target: &Outcome, order: u32) -> Option<Difference> {
    let pairs = source.calls.iter().map(Some).chain([None]).zip(target.calls.iter().map(Some).chain([None]));
    let (own, other) = pairs.into_iter().find(|(own, other)| own != other)?;
    let text = |call: Option<&Called>| call.map_or("it calls nothing more".to_owned(), ToString::to_string);
    let thread = own.iter().chain(other.iter()).map(|call| (call.block, call.thread)).min()?.1;
    Some(Difference {
        order,
        thread,
        address: None,
        source: text(own),
        target: text(other),
        line: None,
        instruction: None,
        text: None,
    })
}

/// Words that are left with other contents, up to [`WORDS`].
fn left(launch: &Launch, source: &Outcome, target: &Outcome, order: u32) -> Vec<Difference> {
    let mut all = Vec::new();
    for (buffer, (a, b)) in launch.buffers.iter().zip(source.buffers.iter().zip(&target.buffers)) {
        let words = a.chunks(8).zip(b.chunks(8)).enumerate().filter(|(_, (a, b))| a != b);
        for (i, _) in words.take(WORDS.saturating_sub(all.len())) {
            let here = |r: &Range<usize>| a[r.clone()] != b[r.clone()];
            let halves = [8 * i..8 * i + 4, 8 * i + 4..8 * i + 8];
            let whole = 8 * i..8 * i + 8;
            // The source may leave one half open.
            let both = Some(whole).filter(|_| halves.iter().all(here));
            for range in both.into_iter().chain(halves.into_iter().filter(here)) {
                let at = buffer.address + range.start as u64;
                let end = buffer.address + range.end as u64;
                let touches = |t: &&Touch| {
                    let (from, to) = (t.address, t.address + u64::from(t.bytes));
                    t.how != Use::Load && t.space == Space::Global && from < end && at < to
                };
                let (s, t) =
                    (source.touches.iter().rev().find(touches), target.touches.iter().rev().find(touches));
                all.push(Difference {
                    order,
                    thread: s.or(t).map_or(0, |t| t.who.thread),
                    address: Some(at),
                    source: super::hex::hex(&a[range.clone()]),
                    target: super::hex::hex(&b[range]),
                    line: s.map(|s| s.who.at),
                    instruction: t.map(|t| t.who.at),
                    text: None,
                });
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use sassafras_execute::memory::Who;

    fn touch(thread: u32, epoch: u32, address: u64, how: Use) -> Touch {
        Touch { who: Who { block: 0, thread, epoch, at: 0 }, space: Space::Global, address, bytes: 4, how }
    }

    #[test]
    fn a_race_is_two_threads_a_store_and_no_barrier() {
        use Use::{Atomic, Load, Store};
        assert!(races(&[touch(0, 0, 8, Load), touch(1, 0, 10, Store)]));
        assert!(races(&[touch(0, 0, 8, Store), touch(1, 0, 8, Store)]));
        assert!(races(&[touch(0, 0, 8, Atomic), touch(1, 0, 8, Load)]));
        assert!(!races(&[touch(0, 0, 8, Load), touch(1, 0, 8, Load)]));
        assert!(!races(&[touch(0, 0, 8, Store), touch(0, 0, 8, Load)]));
        assert!(races(&[touch(0, 0, 8, Atomic), touch(1, 0, 8, Atomic)]));
        assert!(!races(&[touch(0, 0, 8, Store), touch(1, 1, 8, Load)]));
        assert!(!races(&[touch(0, 0, 8, Store), touch(1, 0, 12, Load)]));
        let other = Touch { who: Who { block: 1, thread: 0, epoch: 1, at: 0 }, ..touch(0, 0, 8, Load) };
        assert!(races(&[touch(0, 0, 8, Store), other]));
        let own = |t: Touch| Touch { space: Space::Shared, ..t };
        assert!(!races(&[own(touch(0, 0, 8, Store)), own(other)]));
    }
}
