//! What branch folding may do.

/// What the pass was allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    /// Merged tails may read reserved registers.
    pub reserved: bool,
    /// A reducible graph need not stay so.
    pub unstructured: bool,
}
