//! Why a knob was not set.

use std::fmt;

/// Why a knob of a table was not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnobError {
    /// There is none of this name.
    Unknown(String),
    /// The value is none of its type.
    Value {
        /// The knob.
        name: &'static str,
        /// What was given.
        value: String,
        /// Its default, as text.
        default: &'static str,
    },
    /// The value is negative, or no number.
    Negative {
        /// The knob.
        name: String,
        /// What was given.
        value: String,
    },
}

impl fmt::Display for KnobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KnobError::Unknown(name) => write!(f, "no knob is called `{name}`"),
            KnobError::Value { name, value, default } => {
                write!(f, "`{value}` is no value of the knob `{name}`, whose default is {default}")
            }
            KnobError::Negative { name, value } => {
                write!(f, "`{value}` is no value of the knob `{name}`: a number of at least zero is needed")
            }
        }
    }
}

impl std::error::Error for KnobError {}
