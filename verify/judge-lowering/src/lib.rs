//! The judge of lowering: the IR of an entry against the PTX that it was made from, on launches that both executors run.
//!
//! A launch counts if the source has one meaning on it: it ends, its threads do not race, and what is compared does not rest on what the PTX
//! ISA leaves open. What is compared: memory, calls of the driver's functions, which bytes are accessed, traps, and what each thread does that
//! others see (fences, ordered accesses, atomics, barriers, operations across lanes, opaque operations) in its order. Launches are drawn from
//! counts, not from time, so that the verdict is the same everywhere.
//!
//! - `draw`: the launches; `contents`: what their buffers hold. `compare`: what differs in one. `settled`: whether the source leaves that open.
//!   `shrink`: a smaller launch. `source`: the PTX, as what runs.
//!
//! What this does not show: that the IR is right for launches that were not drawn. It says on how many it was compared.

mod compare;
mod contents;
mod draw;
mod settled;
mod shrink;
mod source;

pub use compare::barrier_words;
use compare::{Judge, Shown};
use draw::Drawer;
use sassafras_execute::Launch;
use sassafras_ir::Op;
use source::Source;
use std::collections::BTreeMap;
use std::fmt;

/// Most launches that are drawn for an entry.
const LAUNCHES: u64 = 14;

/// What the judge finds about an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// Both did the same on so many launches.
    Same {
        /// Launches that count.
        compared: u32,
        /// Launches that do not, by reason.
        skipped: BTreeMap<String, u32>,
    },
    /// Nothing could be compared; why, with the number of launches.
    Unknown(BTreeMap<String, u32>),
    /// They differ.
    Differs(Box<Difference>),
}

/// A launch on which the IR does something else.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The launch.
    pub launch: Launch,
    /// What differs: a place in memory, an access, a deed, an end.
    pub what: String,
    /// What the source does.
    pub source: String,
    /// What the IR does.
    pub target: String,
    /// 1-based line of the PTX, where one is known.
    pub line: Option<u32>,
    /// Linear number of the thread in its block, where one is known.
    pub thread: Option<u32>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Launch { grid, block, params, buffers, .. } = &self.launch;
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{}", self.what)?;
        if let Some(thread) = self.thread {
            write!(f, " (thread {thread} of its block)")?;
        }
        writeln!(f, "\n  PTX: {}\n  IR:  {}", self.source, self.target)?;
        write!(f, "  grid {grid:?}, block {block:?}, parameters {}", hex(params))?;
        for buffer in buffers {
            let words = buffer.bytes.chunks(8).enumerate().filter(|(_, w)| w.iter().any(|b| *b != 0));
            let shown: Vec<String> = words
                .take(4)
                .map(|(i, w)| format!("{:#x}: {}", buffer.address + 8 * i as u64, hex(w)))
                .collect();
            write!(f, "\n  buffer at {:#x} of {} bytes", buffer.address, buffer.bytes.len())?;
            match shown.is_empty() {
                true => write!(f, ", all zero")?,
                false => write!(f, ", with {}", shown.join(", "))?,
            }
        }
        Ok(())
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Reasons with their numbers, for people.
pub fn reasons(all: &BTreeMap<String, u32>) -> String {
    let each: Vec<String> = all.iter().map(|(why, n)| format!("{why} ({n} of the launches)")).collect();
    each.join("; ")
}

/// Instructions of a function of PTX after which no more launches are drawn: executed by lanes, and steps of groups of lanes.
fn effort(instructions: usize, whole: bool) -> u64 {
    let effort = 4_000 + 60 * instructions as u64;
    if whole { 2 * effort } else { effort }
}

/// Holds the IR of an entry against its PTX.
///
/// None if the module of PTX has no such entry.
pub fn judge(
    source: &sassafras_ptx::checked::Module,
    target: &sassafras_ir::Module,
    name: &str,
) -> Option<Finding> {
    let entry = Source::of_module(source, name)?;
    let origin = entry.origin;
    let function = target.functions.iter().find(|f| f.name == name)?;
    let body = |f: &sassafras_ptx::checked::Function| f.insts.as_ref().map_or(0, Vec::len);
    let instructions: usize = source.functions.iter().filter(|f| f.name == name).map(body).sum();
    // Operations of the whole warp want all of its lanes.
    let asks = |op: &Op| op.of_whole_warp() || matches!(op, Op::Opaque(op) if op.family().of_whole_warp);
    let whole = origin.looks_across() || function.insts.values().any(|i| asks(&i.op));
    let instructions = instructions.max(function.values.len());
    let effort = effort(instructions, whole);
    // Each lane executes most of the instructions on each side: half a dozen launches are to be within the effort.
    let lanes = effort / (16 * instructions.max(1) as u64);
    let drawer = Drawer::new(origin, function.param_size, whole, lanes.min(32) as u32);
    let mut judge = Judge::new(entry, target, name);
    let (mut compared, mut skipped) = (0, BTreeMap::new());
    for seed in 0..LAUNCHES {
        let input = drawer.draw(seed);
        if input.is_too_large(function.values.len()) {
            continue;
        }
        match judge.differ(&input.launch()) {
            Shown::Same => compared += 1,
            Shown::Nothing(why) => *skipped.entry(why).or_insert(0) += 1,
            Shown::Differs(difference) => {
                let found = shrink::shrink(&mut judge, input, *difference);
                return Some(Finding::Differs(Box::new(found)));
            }
        }
        if judge.steps > effort {
            break;
        }
    }
    Some(match compared {
        0 => Finding::Unknown(skipped),
        _ => Finding::Same { compared, skipped },
    })
}

/// The same on one launch.
pub fn judge_on(
    source: &sassafras_ptx::checked::Module,
    target: &sassafras_ir::Module,
    name: &str,
    launch: &Launch,
) -> Option<Finding> {
    let entry = Source::of_module(source, name)?;
    target.functions.iter().find(|f| f.name == name)?;
    Some(match Judge::new(entry, target, name).differ(launch) {
        Shown::Same => Finding::Same { compared: 1, skipped: BTreeMap::new() },
        Shown::Nothing(why) => Finding::Unknown(BTreeMap::from([(why, 1)])),
        Shown::Differs(difference) => Finding::Differs(difference),
    })
}
