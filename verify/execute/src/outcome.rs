//! What a run gives, or why it failed and where.

use crate::called::Called;
use crate::launch::LaunchError;
use crate::memory::{Deed, Touch, Who};
use rustc_hash::FxHashSet;
use sassafras_semantics::Trap;
use std::collections::BTreeMap;
use std::fmt;

/// Where a lane stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Block index in x, y, z.
    pub block: [u32; 3],
    /// Thread index within the block in x, y, z.
    pub thread: [u32; 3],
    /// Name of the function.
    pub function: String,
    /// PTX: index of the instruction in its function. SASS: byte offset in the function.
    pub position: u64,
    /// 1-based source line, if known.
    pub line: Option<u32>,
    /// The instruction as text.
    pub text: String,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([bx, by, bz], [tx, ty, tz]) = (self.block, self.thread);
        write!(
            f,
            "block ({bx},{by},{bz}) thread ({tx},{ty},{tz}) in {} at {:#x}",
            self.function, self.position
        )?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if self.text.is_empty() { Ok(()) } else { write!(f, ": {}", self.text) }
    }
}

/// Why a run did not end well.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    /// A lane trapped: a fault, a `trap`, a poisoned register, or a form without a meaning here.
    #[error("{trap}\n  at {at}")]
    Trap {
        /// Why.
        trap: Trap,
        /// Where.
        at: Location,
    },
    /// The program did what its ISA leaves undefined (such as a lane outside its own member mask).
    #[error("undefined: {what}\n  at {at}")]
    Undefined {
        /// What it did.
        what: String,
        /// Where.
        at: Location,
    },
    /// An assertion does not hold.
    #[error("{what}\n  at {at}")]
    Assertion {
        /// File, line, function and what was asserted.
        what: String,
        /// Where.
        at: Location,
    },
    /// Nobody can run and some wait.
    #[error("deadlock: {} lanes wait{}", .0.len(), first(.0))]
    Deadlock(Vec<Location>),
    /// [`crate::Options::step_limit`] was reached.
    #[error("stopped after {0} instructions")]
    StepLimit(u64),
    /// The launch does not fit the program.
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

fn first(waiting: &[Location]) -> String {
    waiting.first().map_or(String::new(), |at| format!(", the first\n  at {at}"))
}

impl Failure {
    /// Whether a form without a meaning stopped the run, rather than the program.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Failure::Trap { trap: Trap::Unsupported(_), .. })
    }
}

/// How often each instruction of a function was issued.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Name of the function.
    pub function: String,
    /// Issues by index of the instruction.
    pub counts: Vec<u64>,
    /// SASS: how often lanes of an issue went on from a branch or a guarded exit, by its index and that of what they went on with. Where lanes part,
    /// each side counts.
    pub edges: BTreeMap<(u64, u64), u64>,
}

/// A run that ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Contents of [`crate::Launch::buffers`] after the run, in order.
    pub buffers: Vec<Vec<u8>>,
    /// Instructions issued by groups of lanes.
    pub steps: u64,
    /// Instructions executed by lanes (guard included).
    pub lane_steps: u64,
    /// Per function of the program.
    pub coverage: Vec<Coverage>,
    /// Calls of functions that the driver resolves, by thread, each thread's in their order.
    pub calls: Vec<Called>,
    /// Values of textures, surfaces and sparse products that were drawn, since a launch does not give them.
    pub drawn: u64,
    /// Accesses of global and shared memory, in the order in which they took effect; none unless they were asked for.
    pub touches: Vec<Touch>,
    /// Contents of variables of global memory after the run, by name; none unless accesses were asked for.
    pub variables: BTreeMap<String, Vec<u8>>,
    /// What lanes did besides that others see, in the order in which it was done; nothing unless accesses were asked for. Of code nothing but its
    /// accesses is noted.
    pub deeds: Vec<(Who, Deed)>,
    /// PTX: where a guard, an address or a branch first rested on what the source leaves open, if one did.
    pub rests: Option<Location>,
    /// PTX: whether a result of floats may have been another, since it is a NaN or a product that was rounded; false unless accesses were asked for.
    pub several: bool,
    /// PTX: bytes of global memory that hold what the source leaves open.
    pub open: FxHashSet<u64>,
}
