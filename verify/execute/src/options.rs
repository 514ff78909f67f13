//! How a launch is run: everything that a correct program's compared results may not depend on.

use crate::order::Order;
use std::fmt;
use std::sync::Arc;

/// How approximate functions are resolved. They are relations with a documented bound; a program is right only if it is
/// right for every value in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Approx {
    /// The correctly rounded value.
    #[default]
    Nearest,
    /// The lowest value allowed.
    Low,
    /// The highest value allowed.
    High,
    /// A seeded choice among the allowed values, a function of operand and seed.
    Seed(u64),
}

/// A text that names no way to resolve approximate functions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is none of nearest, low, high, or a seed")]
pub struct UnknownApprox(pub String);

impl std::str::FromStr for Approx {
    type Err = UnknownApprox;

    fn from_str(text: &str) -> Result<Approx, UnknownApprox> {
        match text {
            "nearest" => Ok(Approx::Nearest),
            "low" => Ok(Approx::Low),
            "high" => Ok(Approx::High),
            _ => text.parse().map(Approx::Seed).map_err(|_| UnknownApprox(text.to_owned())),
        }
    }
}

/// One executed instruction of a group of lanes, for `--trace` and for the replay of counterexamples.
#[derive(Clone, Debug)]
pub struct TraceEvent<'a> {
    /// Block index in x, y, z.
    pub block: [u32; 3],
    /// Warp index within the block.
    pub warp: u32,
    /// Lanes that executed it (guard included).
    pub lanes: u32,
    /// Name of the function.
    pub function: &'a str,
    /// PTX: index of the instruction in its function. SASS: byte offset in the function.
    pub position: u64,
    /// 1-based source line, if known.
    pub line: Option<u32>,
    /// The instruction as text.
    pub text: &'a str,
    /// Registers written: name, lane, bits.
    pub writes: &'a [(String, u32, u128)],
    /// PTX: registers that it reads, and that some lane has never written.
    pub unwritten: &'a [String],
}

/// Receives each executed instruction.
#[derive(Clone)]
pub struct Tracer(pub Arc<dyn Fn(&TraceEvent<'_>) + Send + Sync>);

impl fmt::Debug for Tracer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tracer")
    }
}

/// Options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of the interleaving, see [`Order::numbered`].
    pub order: u32,
    /// Chooser for approximate functions.
    pub approx: Approx,
    /// Seed of everything undefined or free: uninitialised registers and memory, `%clock`, `%smid` and their like.
    pub seed: u64,
    /// PTX: seed of the NaNs that operations give, which are not specified; none for the canonical ones.
    pub nans: Option<u64>,
    /// Most instructions (issued by a group of lanes) before [`crate::Failure::StepLimit`].
    pub step_limit: u64,
    /// SASS: bytes of stack of each thread that uses one, if its code does not declare more (`cudaLimitStackSize`).
    pub stack: u32,
    /// PTX: where variables of functions lie in local and shared memory: 0 one after another, and others in other orders, with gaps.
    pub places: u32,
    /// PTX: lanes that part wait for each other where they meet (`docs/convergence.md`, "Lock step"), and groups meet
    /// nowhere else. A program whose lanes wait for each other otherwise may deadlock so.
    pub lockstep: bool,
    /// PTX: barrier objects are words that loads, stores and atomic operations change, as on a machine without a unit for them.
    pub barrier_words: bool,
    /// SASS: poison registers read before their producer is ready.
    pub timing: bool,
    /// Lanes that issue an instruction together are stepped one after the other. Nothing that comes out depends on it.
    pub one_by_one: bool,
    /// [`crate::Outcome::touches`] is filled.
    pub touches: bool,
    /// Receives each executed instruction.
    pub trace: Option<Tracer>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            order: 0,
            approx: Approx::Nearest,
            seed: 0,
            nans: None,
            step_limit: 10_000_000,
            stack: 1024,
            places: 0,
            lockstep: false,
            barrier_words: false,
            timing: false,
            one_by_one: false,
            touches: false,
            trace: None,
        }
    }
}

impl Options {
    /// The interleaving that [`Options::order`] names.
    pub fn interleaving(&self) -> Order {
        Order::numbered(self.order)
    }
}
