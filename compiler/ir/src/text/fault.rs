//! What is wrong with a line of text.

use super::version::VERSION;
use crate::function::{Block, Value, VariableId};

/// What is wrong with a line of text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Something else is wanted there.
    #[error("expected {0}")]
    Expected(&'static str),
    /// The text does not begin as a module of this version does.
    #[error("expected `sassafras ir {VERSION} phase=…`")]
    Header,
    /// A line between functions is none of a module.
    #[error("expected `variable` or `function`, found `{0}`")]
    Line(String),
    /// A value is defined without its width.
    #[error("expected `value:width`, found `{0}`")]
    Definition(String),
    /// A word is no `name=value`.
    #[error("unexpected `{0}`")]
    Unexpected(String),
    /// A word is of another kind.
    #[error("`{text}` is not {kind}")]
    Kind {
        /// The word.
        text: String,
        /// What is wanted.
        kind: &'static str,
    },
    /// There is nothing of this name.
    #[error("unknown {kind} `{name}`")]
    Unknown {
        /// Of what kind.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A block or a variable does not have the next number.
    #[error("{0} is out of order")]
    OutOfOrder(String),
    /// A function shares a variable that the module does not have.
    #[error("there is no variable {0}")]
    NoVariable(VariableId),
    /// An edge leads nowhere.
    #[error("there is no {0}")]
    NoBlock(Block),
    /// A function begins nowhere.
    #[error("there is no entry block")]
    NoEntry,
    /// The text ends within a function, or before there is one.
    #[error("the text ends too early")]
    Early,
    /// A character that is written as no character is.
    #[error("bad escape")]
    Escape,
    /// A name without its second quote.
    #[error("a quoted name does not end")]
    OpenName,
    /// First values that are no bytes.
    #[error("bad bytes")]
    Bytes,
    /// An offset of a size that none has.
    #[error("`{0}` is no size of an offset")]
    OffsetSize(String),
    /// A width that no value has.
    #[error("{0} is not a width")]
    Width(String),
    /// A number that is too large for a value.
    #[error("{value} is beyond the limit of {most} values")]
    Limit {
        /// The value.
        value: Value,
        /// How many a text may number.
        most: usize,
    },
    /// A value has two definitions.
    #[error("{0} is defined twice")]
    Twice(Value),
    /// A value has none.
    #[error("{value} is used in {function} and defined nowhere")]
    Undefined {
        /// The value.
        value: Value,
        /// Where it is used.
        function: String,
    },
    /// An instruction stands before the first block, or behind a terminator.
    #[error("an instruction outside a block")]
    Outside,
    /// A block ends without saying where it leads.
    #[error("the {0} has no terminator")]
    NoTerminator(&'static str),
}
