//! Memory: global allocations with guard gaps, constants and parameters, and one lane's view of all spaces.
//!
//! Generic addresses have four windows outside global memory: shared, local, constant and parameter. A generic address is
//! the window's base plus the offset in the space; the bases are this executor's choice, and no program may depend on them.

mod global;
mod lane;
mod race;
mod surface;
mod touch;

pub use global::{Allocation, Global};
pub use lane::Lane;
pub use race::{race, race_where};
pub use surface::{Surfaces, drawn};
pub use touch::{Deed, Log, Touch, Use, Who};

use crate::called::Calls;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_semantics::{Space, Trap};
use std::ops::Range;

/// Generic address of shared offset 0.
pub const SHARED_WINDOW: u64 = 0x7a00_0000_0000;
/// Generic address of local offset 0.
pub const LOCAL_WINDOW: u64 = 0x7b00_0000_0000;
/// Generic address of constant offset 0.
pub const CONST_WINDOW: u64 = 0x7c00_0000_0000;
/// Generic address of parameter offset 0.
pub const PARAM_WINDOW: u64 = 0x7d00_0000_0000;
/// Size of each window in bytes.
pub const WINDOW_BYTES: u64 = 1 << 24;

/// What all lanes of a launch share.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Global memory.
    pub global: Global,
    /// PTX `.const` memory, read-only.
    pub constant: Vec<u8>,
    /// Kernel parameters, read-only.
    pub params: Vec<u8>,
    /// SASS constant banks, read-only.
    pub banks: FxHashMap<u8, Vec<u8>>,
    /// Bytes of bank 0 of which nobody knows what the driver puts there, by offset.
    pub unknown: Vec<Range<u64>>,
    /// Surfaces.
    pub surfaces: Surfaces,
    /// What lanes access, where somebody asks.
    pub log: Option<Log>,
    /// Calls of functions that the driver resolves.
    pub calls: Calls,
    /// PTX: bytes of global memory that hold what the source leaves open.
    pub open: FxHashSet<u64>,
}

/// The base of a space's window in the generic address space; global memory's is zero.
pub fn window(space: Space) -> Option<u64> {
    match space {
        Space::Generic | Space::Global => Some(0),
        Space::Shared => Some(SHARED_WINDOW),
        Space::Local => Some(LOCAL_WINDOW),
        Space::Const => Some(CONST_WINDOW),
        Space::Param => Some(PARAM_WINDOW),
        Space::Bank(_) => None,
    }
}

/// Space and offset that a generic address names.
pub fn resolve(address: u64) -> (Space, u64) {
    for space in [Space::Shared, Space::Local, Space::Const, Space::Param] {
        let base = window(space).unwrap_or(0);
        if (base..base + WINDOW_BYTES).contains(&address) {
            return (space, address - base);
        }
    }
    (Space::Global, address)
}

/// Byte range of an access within a space of `size` bytes.
pub(crate) fn range(
    space: Space,
    size: usize,
    address: u64,
    bytes: u32,
) -> Result<std::ops::Range<usize>, Trap> {
    if !address.is_multiple_of(u64::from(bytes)) {
        return Err(Trap::Misaligned { space, address, bytes });
    }
    match address.checked_add(u64::from(bytes)) {
        Some(end) if end <= size as u64 => Ok(address as usize..end as usize),
        _ => Err(Trap::OutOfBounds { space, address, bytes }),
    }
}

/// Little-endian bytes as a number.
pub(crate) fn number(bytes: &[u8]) -> u128 {
    let mut all = [0; 16];
    all[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(all)
}
