//! The free inputs of a launch: what a variable of the terms stands for. Names are made from this and are for people and solvers alone.

use sassafras_semantics::{Axis, SpecialRegister};
use std::fmt;

/// What a variable stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// `%tid`, without the zeros above.
    Tid(Axis),
    /// `%ntid`, likewise.
    Ntid(Axis),
    /// `%ctaid`, likewise.
    Ctaid(Axis),
    /// `%nctaid`, likewise.
    Nctaid(Axis),
    /// `%laneid`, 5 bits.
    LaneId,
    /// Eight bytes of the parameter block, from a multiple of eight on.
    Parameter(u64),
    /// A word of constant bank 0 that is nothing else of the launch.
    Bank(u64),
    /// The address of a variable or function, by its name.
    Symbol(String),
    /// The address of a `.local` variable of the source: by frame, and number in the function.
    Local {
        /// Which execution of a function.
        frame: usize,
        /// Number in the function.
        index: u32,
    },
    /// A special register that is the same for all lanes of a warp as long as they run.
    Special(SpecialRegister),
    /// What a special register holds the so many-th time that somebody asks, from 1.
    Answer(SpecialRegister, u32),
}

impl Input {
    /// Whether it is a function of the launch alone: the same in all lanes of a warp, whenever they ask.
    pub fn is_of_launch(&self) -> bool {
        match self {
            Input::Ntid(_) | Input::Ctaid(_) | Input::Nctaid(_) | Input::Parameter(_) | Input::Bank(_) => {
                true
            }
            Input::Tid(_) | Input::LaneId | Input::Symbol(_) | Input::Local { .. } => false,
            Input::Special(_) | Input::Answer(..) => false,
        }
    }

    /// Whether no address of a window can be made of it (A-ADDR): the host knows none.
    pub fn knows_no_window(&self) -> bool {
        match self {
            Input::Tid(_) | Input::Ntid(_) | Input::Ctaid(_) | Input::Nctaid(_) | Input::LaneId => true,
            Input::Parameter(_) | Input::Symbol(_) => true,
            Input::Bank(_) | Input::Local { .. } | Input::Special(_) | Input::Answer(..) => false,
        }
    }
}

/// The letter of an axis.
fn letter(axis: Axis) -> char {
    match axis {
        Axis::X => 'x',
        Axis::Y => 'y',
        Axis::Z => 'z',
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Tid(a) => write!(f, "tid.{}", letter(*a)),
            Input::Ntid(a) => write!(f, "ntid.{}", letter(*a)),
            Input::Ctaid(a) => write!(f, "ctaid.{}", letter(*a)),
            Input::Nctaid(a) => write!(f, "nctaid.{}", letter(*a)),
            Input::LaneId => f.write_str("laneid"),
            Input::Parameter(offset) => write!(f, "param{offset:#x}"),
            Input::Bank(offset) => write!(f, "bank0.{offset:#x}"),
            Input::Symbol(name) => write!(f, "address.{name}"),
            Input::Local { frame, index } => write!(f, "source.local.{frame}.{index}"),
            Input::Special(register) => write!(f, "special.{register:?}"),
            Input::Answer(register, time) => write!(f, "special.{register:?}.{time}"),
        }
    }
}
