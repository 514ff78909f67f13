//! Names, with the places at which they stand.

use crate::source::Span;

/// A name or other word, with its place. Words after a dot are kept without the dot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Where.
    pub span: Span,
}
