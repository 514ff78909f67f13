//! Why a run does not go on.

use sassafras_semantics::Trap;
use std::fmt;

/// Why an instruction is not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Its meaning stopped.
    Trap(Trap),
    /// Something else, of which the text speaks.
    Text(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Trap(trap) => trap.fmt(f),
            Stop::Text(text) => f.write_str(text),
        }
    }
}

impl From<Trap> for Stop {
    fn from(trap: Trap) -> Stop {
        Stop::Trap(trap)
    }
}

impl From<String> for Stop {
    fn from(text: String) -> Stop {
        Stop::Text(text)
    }
}

impl From<&str> for Stop {
    fn from(text: &str) -> Stop {
        Stop::Text(text.to_owned())
    }
}
