//! Generic addresses, ranges of accesses, and bytes as numbers.

use sassafras_semantics::{Space, Trap};

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
