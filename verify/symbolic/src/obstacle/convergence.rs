//! Lanes that are to be together, and lanes that wait.

use super::effort::Effort;
use super::place::Claim;
use crate::obstacles;
use std::fmt;

/// Why barriers of which lanes are followed one by one do not nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangle {
    /// A barrier is set within another, and that one within it.
    Circle {
        /// The barrier.
        barrier: u32,
    },
    /// It is not known which lanes are in a barrier.
    InRegister {
        /// The barrier.
        barrier: u32,
    },
}

impl fmt::Display for Tangle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tangle::Circle { barrier } => {
                write!(f, "barriers are set within each other, B{barrier} one of them")
            }
            Tangle::InRegister { barrier } => write!(f, "the lanes of B{barrier} are in a register"),
        }
    }
}

/// Why barriers of which groups of lanes are followed do not nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disorder {
    /// A barrier is set where it is not known which barriers the lanes are in.
    SetAmong {
        /// The barrier.
        barrier: u32,
    },
    /// A barrier is set by one group of lanes after another.
    SetInTurns {
        /// The barrier.
        barrier: u32,
    },
    /// A barrier is set in which lanes may be.
    SetTwice {
        /// The barrier.
        barrier: u32,
    },
    /// Lanes meet where it is not known which barriers they are in.
    SyncAmong {
        /// The barrier.
        barrier: u32,
    },
    /// Lanes meet at a barrier that was not set.
    SyncUnset {
        /// The barrier.
        barrier: u32,
    },
    /// Lanes meet at a barrier within which another one was set.
    SyncNotLast {
        /// The barrier.
        barrier: u32,
    },
    /// A barrier of the block while others of the warp may wait for these lanes.
    BlockWhileAwaited,
    /// Lanes go round a loop in other barriers than they came to it in.
    OtherAtHead,
}

impl fmt::Display for Disorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("convergence: ")?;
        match self {
            Disorder::SetAmong { barrier } => {
                write!(f, "B{barrier} is set where lanes in different barriers meet")
            }
            Disorder::SetInTurns { barrier } => {
                write!(f, "B{barrier} is set by lanes that may come one group after another")
            }
            Disorder::SetTwice { barrier } => write!(f, "B{barrier} is set while lanes may be in it"),
            Disorder::SyncAmong { barrier } => {
                write!(f, "BSYNC B{barrier} where lanes in different barriers meet")
            }
            Disorder::SyncUnset { barrier } => write!(f, "BSYNC B{barrier}, which was not set"),
            Disorder::SyncNotLast { barrier } => {
                write!(f, "BSYNC B{barrier}, which was not the last to be set")
            }
            Disorder::OtherAtHead => {
                f.write_str("lanes go round a loop in other barriers than they came to it in")
            }
            Disorder::BlockWhileAwaited => {
                f.write_str("a barrier of the block while lanes of the warp may wait for these")
            }
        }?;
        f.write_str(" is not supported")
    }
}

const APART: &str = "lanes of a warp may be apart where they have to be together (docs/convergence.md)";
const WAITS: &str = "lanes of a warp may wait for such as never come (docs/convergence.md)";
const TOGETHER: &str = "a `BSYNC` of a barrier that was set where all were together, or a `WARPSYNC` of the lanes that are meant, before the instruction";
const BALANCE: &str = "set, leave and meet at convergence barriers in the order in which they nest";
const ORDER: &str = "keep barriers, votes and shuffles in the source's order";
const WHOLE: &str = "let the whole warp meet before the barrier of the block";

obstacles! {
    /// Lanes that may be apart, or wait for ever.
    Convergence;
    /// An operation across lanes where some may be elsewhere.
    Apart {} = "U0401" "convergence: a cross-lane operation where lanes may be apart is not supported", APART, TOGETHER;
    /// Lanes with other masks may have come to these.
    OthersJoined {} = "U0402" "convergence: lanes with other masks may have joined these is not supported", APART, TOGETHER;
    /// A barrier of the block between lanes that wait and those that they wait for.
    BlockBetween {} = "U0403" "convergence: a barrier of the block between lanes that wait and what they wait for is not supported", WAITS, WHOLE;
    /// The whole warp is waited for while others of it may wait for these lanes.
    WarpWhileAwaited {} = "U0411" "convergence: the whole warp is waited for while lanes of it may wait for these is not supported", WAITS, BALANCE;
    /// A branch on whether lanes are together.
    BranchOnTogether {} = "U0412" "convergence: a branch on whether lanes are together",
        "what the target does depends on which lanes happen to be together, and was not shown to be the same either way", TOGETHER;
    /// Lanes meet at a barrier under a condition.
    SyncUnderCondition {} = "U0413" "convergence: lanes that meet under a condition", WAITS, BALANCE;
    /// A barrier of the warp under a condition.
    WarpUnderCondition {} = "U0414" "convergence: a barrier of the warp under a condition", WAITS, "`WARPSYNC` without a guard";
    /// A barrier of the block where lanes of the warp may be apart.
    BlockApart {} = "U0415" "convergence: a barrier of the block where lanes of the warp may be apart",
        "a barrier of the block counts warps: lanes of one that come one group after another are counted more than once", WHOLE;
    /// A barrier of the warp waits for lanes that may not come.
    MayNotCome {
        /// Byte offset, or line, of the barrier.
        at: u64,
    } = "U0416" "convergence: the barrier at {at:#06x} waits for lanes that may not come", WAITS, TOGETHER;
    /// Lanes in a barrier of a source that is code wait for some of the warp.
    WaitsForSome {} = "U0417" "convergence: lanes in a barrier wait for some of the warp", WAITS, BALANCE;
    /// A callee may set a barrier in which lanes are.
    CalleeSets {
        /// The convergence barrier.
        barrier: u32,
    } = "U0418" "convergence: a callee may set B{barrier}, which lanes are in is not supported",
        "a function that the driver resolves may use the low convergence barriers, which lanes are in at the call", "keep lanes in the barriers that a callee leaves alone";
    /// Barriers do not nest, neither group by group nor lane by lane.
    NotNested {
        /// Byte offset at which the rule about groups is broken.
        at: u64,
        /// How.
        groups: Disorder,
        /// Byte offset at which the rule about lanes is broken.
        lanes_at: u64,
        /// How.
        lanes: Tangle,
    } = "U0419" "{at:#06x}: {groups}; {lanes_at:#06x}: {lanes}", WAITS, BALANCE;
    /// Lanes wait in another order than in the source.
    OtherOrder {
        /// Byte offset of the one place.
        first: u64,
        /// Byte offset of the other.
        second: u64,
    } = "U0420" "convergence: lanes wait at {first:#06x} and {second:#06x} in another order than the source's",
        "lanes wait at places in another order than in the source, and may wait for each other for ever", ORDER;
    /// Lanes may wait for each other in a circle.
    Circle {
        /// The convergence barrier.
        barrier: u32,
    } = "U0421" "convergence: lanes at B{barrier} may wait for what waits for them", WAITS, ORDER;
    /// An input on which lanes may wait for ever.
    WaitForEver {
        /// What was shown not to hold.
        claim: Claim,
    } = "U0422" "convergence: lanes may wait for ever: {claim}", WAITS, BALANCE;
    /// It was not shown that barriers nest.
    NestingOpen {
        /// Why not.
        because: Effort,
    } = "U0423" "convergence: {because}", "that convergence barriers of the target nest on every input was not shown", "`--budget N` with a larger N, or `--solver all`";
}
