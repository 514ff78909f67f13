//! Memory that a question is about.

use sassafras_semantics::TermId;

/// Eight bytes of memory, named by where they lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// The variable that stands for them, 64 bits.
    pub variable: TermId,
    /// Which memory: empty for global, `shared`, or the stack of the target.
    pub memory: &'static str,
    /// State of memory, 32 bits.
    pub version: TermId,
    /// Address they are counted from, 64 bits.
    pub base: TermId,
    /// Bytes behind the base.
    pub offset: i64,
}
