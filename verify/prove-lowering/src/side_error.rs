//! Why the IR of an entry cannot be run over terms.

use sassafras_ir::{Inst, Op, Value, VariableId, text::print_op};
use sassafras_semantics::Trap;
use sassafras_symbolic::obstacle::Obstacle;
use sassafras_symbolic::obstacle::target::Target;
use std::fmt;

/// Why the side of the IR cannot be run.
#[derive(Clone, Debug)]
pub enum SideError {
    /// A value is used where no definition was executed.
    Undefined(Value),
    /// An operation gives fewer results than the instruction has.
    FewerResults(Op),
    /// An operation has no meaning over terms.
    NoMeaning(Op),
    /// A store has no operand to store.
    EmptyStore,
    /// An operation on matrices gives no registers.
    EmptyMatrix,
    /// A parameter is read at an address that is not constant.
    Parameter,
    /// It is not known where a variable that is named lies.
    Variable(VariableId),
    /// The state that both sides share has no meaning for an operation or an access.
    Trap(Trap),
    /// It has none for an operation of several lanes, or the walk went further than it may.
    Obstacle(Obstacle),
    /// A fence is taken for more than it does.
    Fence(Target),
    /// Both sides have more terms than are made.
    Size {
        /// How many are made.
        most: usize,
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
            SideError::FewerResults(op) => write!(f, "{} gives fewer results", print_op(op)),
            SideError::NoMeaning(op) => write!(f, "{} has no meaning here", print_op(op)),
            SideError::EmptyStore => f.write_str("a store of nothing"),
            SideError::EmptyMatrix => f.write_str("a matrix without registers"),
            SideError::Parameter => f.write_str("a parameter at an address that is not constant"),
            SideError::Variable(id) => write!(f, "variables: where {id} lies is not known"),
            SideError::Trap(why) => why.fmt(f),
            SideError::Obstacle(why) => why.fmt(f),
            SideError::Fence(why) => why.fmt(f),
            SideError::Size { most } => write!(f, "size: more than {most} terms"),
            SideError::At { inst, line, why } => write!(f, "{inst} (line {line}): {why}"),
        }
    }
}

impl std::error::Error for SideError {}

macro_rules! from {
    ($($variant:ident of $ty:ty),*) => {
        $(impl From<$ty> for SideError {
            fn from(why: $ty) -> SideError {
                SideError::$variant(why)
            }
        })*
    };
}

from!(Trap of Trap, Obstacle of Obstacle, Fence of Target);
