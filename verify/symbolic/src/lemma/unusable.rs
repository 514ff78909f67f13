//! Why the code of a lemma gives no result.

use crate::obstacle::Located;
use std::fmt;

/// What is wrong with a lemma, its text, or its use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// A line that is no instruction, or that no chip has.
    Line {
        /// The line.
        line: String,
        /// What the parser or the encoder says.
        said: String,
    },
    /// The chip that lemmas are written for is not known.
    Chip,
    /// Operands of another size.
    Operands,
    /// A name of no register.
    Register(String),
    /// A result that nothing writes.
    Unwritten(String),
    /// The code cannot be run.
    Stops(Box<Located>),
    /// The lemma has not one result.
    Results(&'static str),
    /// A lemma by name that is not about this instruction.
    Other(String),
    /// A lemma by name that is about no such instruction.
    NoSuch(String),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Line { line, said } => write!(f, "{line}: {said}"),
            Unusable::Chip => f.write_str("the chip is not known"),
            Unusable::Operands => f.write_str("operands of another size"),
            Unusable::Register(name) => write!(f, "{name} is no register"),
            Unusable::Unwritten(name) => write!(f, "nothing writes {name}"),
            Unusable::Stops(why) => why.fmt(f),
            Unusable::Results(lemma) => write!(f, "the lemma `{lemma}` has not one result"),
            Unusable::Other(lemma) => write!(f, "the lemma `{lemma}` is not about this instruction"),
            Unusable::NoSuch(lemma) => write!(f, "the lemma `{lemma}` is about no such instruction"),
        }
    }
}

impl std::error::Error for Unusable {}
