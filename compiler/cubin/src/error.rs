//! What can be wrong with a container, and where.

use std::fmt;

/// Where in a file (or in a value about to be written) something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A byte offset from the start of the file.
    Offset(u64),
    /// A named part of a value that was to be written.
    Part(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offset(at) => write!(f, "offset {at:#x}"),
            Self::Part(name) => f.write_str(name),
        }
    }
}

/// A container that cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The bytes are not what the format says they must be.
    #[error("{place}: {what}")]
    Malformed {
        /// Where.
        place: Place,
        /// What is wrong, as a sentence without its full stop.
        what: String,
    },
    /// Well formed, but of a kind that this crate does not know yet.
    #[error("{place}: {what} is not supported yet")]
    Unsupported {
        /// Where.
        place: Place,
        /// The thing that is not supported.
        what: String,
    },
}

impl Error {
    /// Bytes at an offset in a file that are not as they must be.
    pub fn at(offset: u64, what: impl Into<String>) -> Self {
        Self::Malformed { place: Place::Offset(offset), what: what.into() }
    }

    /// Bytes at an offset in a file of a kind that is not known.
    pub fn unsupported(offset: u64, what: impl Into<String>) -> Self {
        Self::Unsupported { place: Place::Offset(offset), what: what.into() }
    }

    /// A part of a value, by name, that cannot be written.
    pub fn part(name: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Malformed { place: Place::Part(name.into()), what: what.into() }
    }
}
