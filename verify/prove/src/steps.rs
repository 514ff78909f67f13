//! What one thread of a launch does in an executor, step by step.

use crate::execute::execute;
use rustc_hash::FxHashSet;
use sassafras_execute::memory::{Touch, Use};
use sassafras_execute::options::Tracer;
use sassafras_execute::{Launch, Options};
use sassafras_semantics::Space;
use sassafras_symbolic::origin::Origin;
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};

/// Most steps that are kept of a side.
pub const MOST: usize = 400;

/// One instruction that the thread executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// PTX: line. SASS: byte offset in the function.
    pub at: u64,
    /// The instruction.
    pub text: String,
    /// Registers that it wrote: name, and bits in hex digits, the highest first.
    pub writes: Vec<(String, String)>,
}

/// What the thread reads of the launch's buffers by one access.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Read {
    /// Address of the first byte.
    pub address: String,
    /// As many bytes as the access has, in hex digits, first byte first: what they hold before the launch.
    pub bytes: String,
    /// Where the first such access is. PTX: line. SASS: byte offset in the function.
    pub at: u64,
}

/// Most reads that are told.
const READS: usize = 64;

/// Accesses of global and shared memory by a thread of block 0; none where the run does not end well.
fn touches(origin: Origin<'_>, launch: &Launch, thread: [u32; 3], options: &Options) -> Vec<Touch> {
    let linear = thread[0] + launch.block[0] * (thread[1] + launch.block[1] * thread[2]);
    let listed = Options { touches: true, trace: None, ..options.clone() };
    let all = execute(origin, launch, &listed).map_or_else(|_| Vec::new(), |outcome| outcome.touches);
    all.into_iter().filter(|t| t.who.block == 0 && t.who.thread == linear).collect()
}

/// What a thread of block 0 reads of the launch's buffers, the first `READS` places.
pub fn reads(origin: Origin<'_>, launch: &Launch, thread: [u32; 3], options: &Options) -> Vec<Read> {
    let mut seen = FxHashSet::default();
    let read = |t: &Touch| {
        if t.how == Use::Store || t.space != Space::Global || !seen.insert((t.address, t.bytes)) {
            return None;
        }
        let held = launch.buffers.iter().find_map(|b| {
            let start = usize::try_from(t.address.checked_sub(b.address)?).ok()?;
            b.bytes.get(start..start.checked_add(t.bytes as usize)?)
        })?;
        let bytes = held.iter().map(|b| format!("{b:02x}")).collect();
        Some(Read { address: format!("{:#x}", t.address), bytes, at: t.who.at })
    };
    touches(origin, launch, thread, options).iter().filter_map(read).take(READS).collect()
}

/// Addresses of global and shared memory that a thread of block 0 accesses; none where the run does not end well.
pub fn accessed(origin: Origin<'_>, launch: &Launch, thread: [u32; 3], options: &Options) -> FxHashSet<u64> {
    touches(origin, launch, thread, options).iter().map(|t| t.address).collect()
}

/// The steps of a thread of block 0, the first [`MOST`] of them. However the run ends, what was done before is told.
pub fn steps(origin: Origin<'_>, launch: &Launch, thread: [u32; 3], options: &Options) -> Vec<Step> {
    let linear = thread[0] + launch.block[0] * (thread[1] + launch.block[1] * thread[2]);
    let (warp, lane) = (linear / 32, linear % 32);
    let is_ptx = matches!(origin, Origin::Ptx { .. });
    let all: Arc<Mutex<Vec<Step>>> = Arc::default();
    let kept = Arc::clone(&all);
    let see = move |e: &sassafras_execute::options::TraceEvent<'_>| {
        if e.block != [0; 3] || e.warp != warp || e.lanes >> lane & 1 == 0 {
            return;
        }
        let at = if is_ptx { e.line.map_or(0, u64::from) } else { e.position };
        let own = e.writes.iter().filter(|w| w.1 == lane);
        let writes = own.map(|(name, _, bits)| (name.clone(), format!("{bits:x}"))).collect();
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MOST {
            kept.push(Step { at, text: e.text.to_owned(), writes });
        }
    };
    let options = Options { trace: Some(Tracer(Arc::new(see))), ..options.clone() };
    let _ = execute(origin, launch, &options);
    let mut kept = all.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut *kept)
}
