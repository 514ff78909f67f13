//! What makes a function one whose values cannot be followed.

use sassafras_ir::{Block, Value};
use std::fmt;

/// Why a function has no shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// A value has two definitions, or not the one that is noted.
    DefinedTwice(Value),
    /// A use is not dominated by the definition.
    NotDominated {
        /// What is used.
        value: Value,
        /// Where.
        block: Block,
    },
    /// The arguments of an edge are not of the types of the parameters, or the edge leads to the entry.
    Edge {
        /// Where it begins.
        from: Block,
        /// Where it leads.
        to: Block,
    },
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::DefinedTwice(value) => write!(f, "{value} is defined in two ways"),
            Malformed::NotDominated { value, block } => {
                write!(f, "{value} is used in {block} where it may not be defined")
            }
            Malformed::Edge { from, to } => write!(f, "the edge from {from} to {to} does not fit"),
        }
    }
}

impl std::error::Error for Malformed {}
