//! Calls of functions that the driver resolves, as a launch leaves them behind.

use rustc_hash::FxHashMap;
use std::fmt;

/// A call that a thread did, and what others may see of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Called {
    /// Block, linear.
    pub block: u64,
    /// Thread in the block, linear.
    pub thread: u32,
    /// Which of the calls of the thread, from 0.
    pub number: u32,
    /// The function.
    pub call: &'static str,
    /// `vprintf`: the format, and its arguments, each behind its length in a byte, strings in place of their addresses. `malloc`: the size. `free`: the address.
    pub bytes: Vec<u8>,
}

impl fmt::Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it calls {} of \"{}\"", self.call, self.bytes.escape_ascii())
    }
}

/// What a launch's calls have left.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    /// Those that were done.
    pub done: Vec<Called>,
    /// By thread of the grid: calls so far, and bytes of its room that were given.
    pub(crate) threads: FxHashMap<(u64, u32), (u32, u64)>,
    /// Bytes that are in use.
    pub(crate) used: u64,
}
