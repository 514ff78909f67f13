//! What a rewrite is.

use super::expression::{Condition, Expression};
use sassafras_ir::Op;

/// A rewrite.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewrite {
    /// Name, unique among all rewrites.
    pub name: String,
    /// The row as it is written, with single blanks between words.
    pub text: String,
    /// File and 1-based line where it stands.
    pub place: (&'static str, usize),
    /// What it matches.
    pub pattern: Node,
    /// What takes its place.
    pub replacement: Arg,
    /// What must hold of its constants.
    pub conditions: Vec<Condition>,
}

/// An operation with arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The operation with its fields.
    pub op: Op,
    /// Width of the result in bits, where the row states it.
    pub width: Option<u32>,
    /// One per argument.
    pub args: Vec<Arg>,
    /// Whether the result may have no other use.
    pub sole: bool,
}

/// An argument, or a whole replacement.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// Any value, with its width where the row states it.
    Name(String, Option<u32>),
    /// A constant, with its width where the row states it.
    Constant(String, Option<u32>),
    /// A constant of this value, with its width where the row states it.
    Number(u64, Option<u32>),
    /// A constant that is computed; in replacements alone.
    Computed(Expression),
    /// An operation.
    Node(Box<Node>),
}
