//! Whether a run shows that its source races.
//!
//! A *race* is two accesses of one byte by two threads, of which one writes, at least one is weak, and no synchronisation orders them (PTX
//! ISA, "Memory Consistency Model"). Of synchronisation a run records barriers of a whole block. Whatever else may order two accesses (barriers of a
//! warp, of a part of a block or of a cluster, fences, acquires and releases, barrier objects, bulk copies) is looked for in the text: where
//! there is some that could, a race is not certain.

use crate::launch::Launch;
use crate::memory::{Touch, Use, race_where};
use sassafras_ptx::checked::{Inst, Module, Op};
use sassafras_semantics::{Ordering, Space};
use std::collections::HashMap;
use std::fmt;

/// One of the two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Block in x, y, z.
    pub block: [u32; 3],
    /// Thread in x, y, z.
    pub thread: [u32; 3],
    /// 1-based source line.
    pub line: u64,
    /// How memory is used.
    pub how: Use,
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub bytes: u32,
}

/// Two accesses that race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// Global or shared memory.
    pub space: Space,
    /// The access that came first in the run, and the other.
    pub ends: [End; 2],
    /// The line of what may order the two; none where they race for certain.
    pub unless: Option<u32>,
}

/// Whom a synchronisation may order: lanes of a warp, threads of a block, any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Among {
    Warp,
    Block,
    Grid,
}

/// Whom an instruction may order beside barriers of the whole block.
fn orders(inst: &Inst) -> Option<Among> {
    match inst.op {
        Op::Bar | Op::Barrier if inst.mods.mode == Some("warp") || inst.mods.hints.contains(&"warp") => {
            Some(Among::Warp)
        }
        // One that names how many come may be of a part of the block.
        Op::Bar | Op::Barrier => {
            let all = inst.mods.mode != Some("arrive") && inst.operands.len() == 1;
            (!all).then_some(Among::Block)
        }
        Op::Fence | Op::Membar | Op::Mbarrier | Op::ClusterBarrier | Op::FenceProxy | Op::FenceInit => {
            Some(Among::Grid)
        }
        Op::BulkCopy | Op::BulkReduce | Op::CopyArrive | Op::StAsync | Op::RedAsync | Op::Wgmma => {
            Some(Among::Grid)
        }
        Op::Tensor | Op::TensorReduce => Some(Among::Grid),
        _ => match inst.mods.ordering {
            Some(Ordering::Acquire | Ordering::Release | Ordering::AcquireRelease) => Some(Among::Grid),
            Some(Ordering::SequentiallyConsistent) => Some(Among::Grid),
            _ => None,
        },
    }
}

fn is_strong(inst: &Inst) -> bool {
    !matches!(inst.mods.ordering, None | Some(Ordering::Weak | Ordering::NonCoherent))
}

fn unfold(linear: u64, shape: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = shape.map(|n| u64::from(n.max(1)));
    [linear % x, linear / x % y, linear / (x * y)].map(|n| n as u32)
}

/// The first race of a run of a module's entry, from what its threads accessed; one that is certain before others.
pub fn race(module: &Module, launch: &Launch, touches: &[Touch]) -> Option<Race> {
    let insts = || module.functions.iter().flat_map(|f| f.insts.iter().flatten());
    // Several on a line are taken for strong where one is: that a race is missed is said, that there is none is not.
    let mut lines: HashMap<u64, bool> = HashMap::new();
    insts().for_each(|inst| *lines.entry(inst.line.into()).or_default() |= is_strong(inst));
    let strong = |t: &Touch| lines.get(&t.who.at).copied().unwrap_or_default();
    let ordering: Vec<(Among, u32)> = insts().filter_map(|i| Some((orders(i)?, i.line))).collect();
    let unless = |a: &Touch, b: &Touch| {
        let apart = match (a.who.block == b.who.block, a.who.thread / 32 == b.who.thread / 32) {
            (true, true) => Among::Warp,
            (true, false) => Among::Block,
            (false, _) => Among::Grid,
        };
        ordering.iter().find(|(among, _)| *among >= apart).map(|(_, line)| *line)
    };
    let certain = race_where(touches, &strong, &|a, b| unless(a, b).is_none());
    let (a, b) = certain.or_else(|| race_where(touches, &strong, &|_, _| true))?;
    let end = |t: &Touch| End {
        block: unfold(t.who.block, launch.grid),
        thread: unfold(t.who.thread.into(), launch.block),
        line: t.who.at,
        how: t.how,
        address: t.address,
        bytes: t.bytes,
    };
    Some(Race { space: a.space, ends: [end(&a), end(&b)], unless: unless(&a, &b) })
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let index = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
        let verb = match self.how {
            Use::Load => "reads",
            Use::Store => "writes",
            Use::Atomic => "has an atomic operation on",
        };
        write!(
            f,
            "line {}: thread {} of block {} {verb} {} bytes at {:#x}",
            self.line,
            index(self.thread),
            index(self.block),
            self.bytes,
            self.address
        )
    }
}

impl Race {
    /// The name of the space.
    pub fn space(&self) -> &'static str {
        if self.space == Space::Shared { "shared" } else { "global" }
    }
}

/// Three lines: both accesses, and what orders them.
impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = &self.ends;
        writeln!(f, "{a} of {} memory", self.space())?;
        writeln!(f, "{b}")?;
        match self.unless {
            None => write!(f, "nothing orders the two"),
            Some(line) => {
                write!(f, "no barrier of the block orders the two; what line {line} does is not followed")
            }
        }
    }
}
