//! Kinds of relocations in data, debug sections and code: `R_CUDA_*` numbers, and what of a symbol each takes.
//!
//! Source: the cubins of ptxas 11.8.89 and 13.0.88, listed by `cuobjdump -elf` with the names of the kinds.

/// `R_CUDA_32`: the low half of an address.
pub const ADDRESS_32: u32 = 1;
/// `R_CUDA_64`: an address.
pub const ADDRESS_64: u32 = 2;
/// `R_CUDA_G32`: the low half of a generic address.
pub const GENERIC_32: u32 = 3;
/// `R_CUDA_G64`: a generic address.
pub const GENERIC_64: u32 = 4;
/// The eight bytes of an address, from the lowest on, as ptxas makes them of `0xFF(symbol)` to `0xFF00000000000000(symbol)` (PTX ISA
/// 5.4.5).
const BYTES: std::ops::RangeInclusive<u32> = 84..=91;

/// What of the symbol's 64-bit value a place takes: its bytes, and the bits that are dropped below them. `None` for kinds that occur in code.
#[must_use]
pub fn part(kind: u32) -> Option<(usize, u32)> {
    match kind {
        ADDRESS_32 | GENERIC_32 => Some((4, 0)),
        ADDRESS_64 | GENERIC_64 => Some((8, 0)),
        kind if BYTES.contains(&kind) => Some((1, 8 * (kind - BYTES.start()))),
        _ => None,
    }
}

/// `R_CUDA_ABS32_LO_32` and `R_CUDA_ABS32_HI_32`: half of an address in the immediate of a move, bits 32 to 63 of the word (up to CUDA 12.3).
pub const CODE_LOW: u32 = 56;
/// See [`CODE_LOW`].
pub const CODE_HIGH: u32 = 57;
/// `R_CUDA_ABS47_34`: the target of an absolute call, up to sm_89 (up to CUDA 12.3).
pub const CALL_47: u32 = 58;
/// `R_CUDA_ABS55_16_34`: the same on sm_90.
pub const CALL_55: u32 = 75;

/// Whether it takes a generic address.
#[must_use]
pub fn is_generic(kind: u32) -> bool {
    matches!(kind, GENERIC_32 | GENERIC_64)
}
