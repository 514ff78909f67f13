//! Why a side of a segment cannot be run over terms.

use sassafras_ir::{Block, Inst, Op, Value, text::print_op};
use sassafras_symbolic::obstacle::Obstacle;
use std::fmt;

/// Why a side cannot be run, or its values be held against the other's.
#[derive(Debug)]
pub(crate) enum SideError {
    /// A value is used where no definition was executed.
    Undefined(Value),
    /// A guarded load has fewer values to keep than results.
    GuardedLoad,
    /// An operation gives fewer results than the instruction has.
    FewerResults(Op),
    /// An operation has no meaning over terms.
    NoMeaning(Op),
    /// A load comes after more stores than it is compared with.
    Stores {
        /// With how many it is.
        most: usize,
    },
    /// A store has no operand to store.
    EmptyStore,
    /// Both sides have more terms than are made.
    Size {
        /// How many are made.
        most: usize,
    },
    /// A cycle of blocks has no cut.
    Cycle,
    /// A block that an edge leads to is not among those that are run.
    Unreached(Block),
    /// The walk went further than it may.
    Walk(Obstacle),
    /// A value that is to be known at a cut cannot be found.
    NoValue {
        /// Which.
        value: Value,
        /// Where.
        cut: Block,
    },
    /// A value is in no class of the relation of a cut.
    Unrelated(Value),
    /// Lanes do not bring a value to a cut.
    NotBrought {
        /// Which.
        value: Value,
        /// Where.
        cut: Block,
    },
    /// One of the above, at an instruction.
    At {
        /// Which.
        inst: Inst,
        /// The line of text that it comes from.
        line: u32,
        /// What was met there.
        why: Box<SideError>,
    },
}

impl fmt::Display for SideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SideError::Undefined(v) => write!(f, "{v} is used before it is defined"),
            SideError::GuardedLoad => {
                f.write_str("a guarded load does not say what its results are without it")
            }
            SideError::FewerResults(op) => write!(f, "{} gives fewer results", print_op(op)),
            SideError::NoMeaning(op) => write!(f, "{} has no meaning here", print_op(op)),
            SideError::Stores { most } => write!(f, "a load after more than {most} stores"),
            SideError::EmptyStore => f.write_str("a store of nothing"),
            SideError::Size { most } => write!(f, "size: more than {most} terms"),
            SideError::Cycle => f.write_str("the cuts leave a cycle"),
            SideError::Unreached(block) => write!(f, "{block} is not reached"),
            SideError::Walk(why) => why.fmt(f),
            SideError::NoValue { value, cut } => write!(f, "{value} has no value at {cut}"),
            SideError::Unrelated(value) => write!(f, "{value} is not there"),
            SideError::NotBrought { value, cut } => write!(f, "{value} does not come to {cut}"),
            SideError::At { inst, line, why } => write!(f, "{inst} (line {line}): {why}"),
        }
    }
}

impl std::error::Error for SideError {}

impl From<Obstacle> for SideError {
    fn from(why: Obstacle) -> SideError {
        SideError::Walk(why)
    }
}
