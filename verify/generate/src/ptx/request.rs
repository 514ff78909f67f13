//! What a module is made for, and the sizes of its buffers.

use super::features::Features;

/// Bytes of `out`, and of `in`, for each thread.
pub const RECORD: usize = 256;
/// Bytes at the start of a record of `out` that are loaded and stored freely; results lie behind.
pub(super) const SCRATCH: usize = 64;
/// Bytes of `in` that a thread reads.
pub(super) const READ: usize = 64;
/// Counters of 32 bits behind the records, for reductions by all threads.
pub(super) const COUNTERS: usize = 6;

/// What a module is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The number in `.target sm_NN`.
    pub sm: u32,
    /// What it may have.
    pub features: Features,
    /// Instructions, about; those that load and store the registers aside.
    pub size: usize,
}

impl Default for Request {
    fn default() -> Request {
        Request { sm: 90, features: Features::ALL, size: 40 }
    }
}
