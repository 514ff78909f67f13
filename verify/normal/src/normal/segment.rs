//! Runs of bits.

use sassafras_semantics::TermId;

/// A run of bits of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    /// Lowest bit.
    pub low: u32,
    /// How many.
    pub width: u32,
    /// The bits.
    pub bits: TermId,
}
