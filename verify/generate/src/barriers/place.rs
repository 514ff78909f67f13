//! Sizes, places in a program, and the program.

use std::collections::BTreeSet;

/// Most threads of a block.
pub const THREADS: u32 = 128;
/// Bytes that a thread stores to.
pub const RECORD: u32 = 32;
/// Bytes of `out`: a record for each thread, and words that atomics work on.
pub const OUT: usize = (THREADS * RECORD + GLOBALS) as usize;
/// Bytes of `in`: 16 for each thread.
pub const IN: usize = (THREADS * 16) as usize;
/// Bytes behind the records, in `out`.
pub(super) const GLOBALS: u32 = 512;

/// Where lanes stand, as far as a program can know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Every thread of the block that has not ended comes here, as often as the others.
    Block,
    /// Every lane of the warp that has not ended does.
    Warp,
    /// The lanes of the mask in a register do, and no others; none of them has ended.
    Lanes(String),
    /// Any lanes.
    Alone,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The module.
    pub text: String,
    /// The kinds that are in it, by name.
    pub kinds: BTreeSet<&'static str>,
    /// Whether accesses of threads are ordered by barriers of the block alone, so that a search for races says the truth.
    pub plain: bool,
    /// The least target that has its instructions.
    pub target: u32,
}
