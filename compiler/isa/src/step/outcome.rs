//! What an instruction asks of whoever runs it, beyond registers and memory.

use super::register::Register;
use sassafras_semantics::{Collective, Domain, Trap};
use smallvec::SmallVec;

/// A result that the executor writes when it knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// Where it goes; none for a sink (RZ, PT).
    pub register: Option<Register>,
    /// Its width in bits.
    pub width: u32,
}

/// What comes next. Addresses are bytes from the start of the function's section.
#[derive(Clone, Debug)]
pub enum Outcome<V> {
    /// The next instruction.
    Next,
    /// A jump, for the lanes where `condition` (one bit, besides the guard) holds; all if there is none.
    Branch {
        /// Where to.
        target: u64,
        /// The predicate operand of the branch.
        condition: Option<V>,
    },
    /// `BRA.DIV` and `BRA.CONV`: a jump of all lanes, depending on whether the executing group holds all lanes of `mask`
    /// that have not exited.
    BranchByConvergence {
        /// Where to.
        target: u64,
        /// Lanes that should be together, 32 bits.
        mask: V,
        /// Jump if they are together (`.CONV`), else if they are not (`.DIV`).
        converged: bool,
    },
    /// A jump to an address of 64 bits, for the lanes where `condition` holds.
    IndirectBranch {
        /// Where to.
        target: V,
        /// The predicate operand.
        condition: Option<V>,
    },
    /// The lanes end, where `condition` holds.
    Exit {
        /// The predicate operand.
        condition: Option<V>,
    },
    /// Something of all lanes together.
    Collective {
        /// What.
        op: Collective,
        /// Arguments, as [`Collective`] lists them.
        args: SmallVec<[V; 4]>,
        /// Results, as [`Collective`] lists them.
        results: SmallVec<[Output; 2]>,
    },
    /// `BSSY`: the barrier becomes the set of executing lanes.
    SetBarrier {
        /// Convergence barrier.
        barrier: u32,
        /// Where the lanes are expected to meet.
        target: u64,
    },
    /// `BSYNC`: waits for the lanes of the barrier, where `condition` holds.
    Sync {
        /// Convergence barrier.
        barrier: u32,
        /// The predicate operand.
        condition: Option<V>,
    },
    /// `BREAK`: the lanes leave the barrier, where `condition` holds.
    Break {
        /// Convergence barrier.
        barrier: u32,
        /// The predicate operand.
        condition: Option<V>,
    },
    /// `BMOV.32 R, B`: the barrier's lanes as a mask.
    ReadBarrier {
        /// Convergence barrier.
        barrier: u32,
        /// Where the mask goes.
        to: Output,
        /// The barrier is emptied afterwards (`BMOV.32.CLEAR`).
        clear: bool,
    },
    /// `BMOV.32 B, R`: sets the barrier's lanes.
    WriteBarrier {
        /// Convergence barrier.
        barrier: u32,
        /// The mask, 32 bits.
        mask: V,
    },
    /// `B2R.RESULT`: the result of the block barrier that reduced last.
    BarrierResult {
        /// Number of threads, 32 bits.
        count: Output,
        /// The decision.
        decision: Output,
    },
    /// Other lanes may run; `YIELD`, `NANOSLEEP`.
    Yield,
}

impl<V> Outcome<V> {
    /// A jump of all lanes.
    pub fn jump(target: u64) -> Outcome<V> {
        Outcome::Branch { target, condition: None }
    }
}

/// What a meaning gives.
pub(super) type Step<D> = Result<Outcome<<D as Domain>::V>, Trap>;
