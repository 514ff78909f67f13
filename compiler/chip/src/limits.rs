//! What one thread, warp and block may use.
//!
//! Sources: CUDA C++ Programming Guide, "Compute Capabilities", for what a programmer sees; black-box reading of
//! encodings for the sizes of register files that only machine code names.

use crate::chip::Chip;

/// The most threads of a block along x, y and z, on every chip.
pub const BLOCK_EXTENTS: [u32; 3] = [1024, 1024, 64];
/// The most threads of a block, on every chip.
pub const THREADS_PER_BLOCK: u32 = 1024;
/// The most blocks of a grid along x, y and z, on every chip.
pub const GRID_EXTENTS: [u32; 3] = [0x7fff_ffff, 65_535, 65_535];
/// Bytes at the start of a block's shared memory that belong to the system, on sm_90 and later.
pub const RESERVED_SHARED_BYTES: u32 = 1024;

/// Limits of one chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// General registers a thread may name (R0 to R254; the encoding's 255 is RZ).
    pub registers_per_thread: u32,
    /// Registers at the top of a kernel's count that the hardware keeps (2 for the program counter).
    pub reserved_registers: u32,
    /// 32-bit registers in one multiprocessor.
    pub registers_per_multiprocessor: u32,
    /// A warp's register allocation is rounded up to this many registers per thread.
    pub register_allocation_unit: u32,
    /// Uniform registers a warp may name (UR0 …; the highest encoding is URZ).
    pub uniform_registers: u32,
    /// Predicates P0 to P6; 7 is PT.
    pub predicates: u32,
    /// Uniform predicates UP0 to UP6; 7 is UPT.
    pub uniform_predicates: u32,
    /// Convergence barriers B0 to B15.
    pub convergence_barriers: u32,
    /// Scoreboards ("dependency barriers") SB0 to SB5.
    pub scoreboards: u32,
    /// Block barriers, `BAR.SYNC 0` to `15`.
    pub block_barriers: u32,
    /// Lanes of a warp.
    pub warp_lanes: u32,
    /// Threads of a block.
    pub threads_per_block: u32,
    /// Largest block extent in x and y; z is 64 everywhere.
    pub block_extent_xy: u32,
    /// Largest block extent in z.
    pub block_extent_z: u32,
    /// Bytes of shared memory a block may declare statically.
    pub static_shared_bytes: u32,
    /// Bytes of shared memory a block may have with dynamic memory opted in.
    pub shared_bytes_per_block: u32,
    /// A block's shared memory is rounded up to this many bytes (CUDA's occupancy calculator, "shared memory allocation unit").
    pub shared_allocation_unit: u32,
    /// Bytes at the start of a block's shared memory that belong to the system (sm_90 and later).
    pub reserved_shared_bytes: u32,
    /// `%reserved_smem_offset_0` (ptxas 13.0.88 and 13.5.37 for sm_90, 100, 103, 110, 120, 121).
    pub reserved_shared_first: u32,
    /// Bytes of local memory a thread may have.
    pub local_bytes_per_thread: u32,
    /// Bytes of one constant bank that a program may declare.
    pub constant_bytes: u32,
    /// Bytes of kernel parameters (PTX ISA 8.1 raised 4,352 to 32,764 from sm_70 on).
    pub parameter_bytes: u32,
}

impl Chip {
    /// The limits of this chip.
    pub const fn limits(self) -> Limits {
        let shared_kib = match self {
            Chip::Sm75 => 64,
            Chip::Sm80 | Chip::Sm87 => 163,
            Chip::Sm86 | Chip::Sm88 | Chip::Sm89 | Chip::Sm120 | Chip::Sm121 => 99,
            Chip::Sm90 | Chip::Sm100 | Chip::Sm103 | Chip::Sm110 => 227,
        };
        let new = self.number() >= 100;
        Limits {
            registers_per_thread: 255,
            reserved_registers: 2,
            registers_per_multiprocessor: 65_536,
            register_allocation_unit: 8,
            uniform_registers: if new { 80 } else { 63 },
            predicates: 7,
            uniform_predicates: 7,
            convergence_barriers: 16,
            scoreboards: 6,
            block_barriers: 16,
            warp_lanes: 32,
            threads_per_block: THREADS_PER_BLOCK,
            block_extent_xy: BLOCK_EXTENTS[0],
            block_extent_z: BLOCK_EXTENTS[2],
            static_shared_bytes: 48 * 1024,
            shared_bytes_per_block: shared_kib * 1024,
            shared_allocation_unit: if self.number() >= 80 { 128 } else { 256 },
            reserved_shared_bytes: if self.number() >= 90 { RESERVED_SHARED_BYTES } else { 0 },
            reserved_shared_first: if self.number() >= 100 { 0x40 } else { 0 },
            local_bytes_per_thread: 512 * 1024,
            constant_bytes: 64 * 1024,
            parameter_bytes: 32_764,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chip_has_plausible_limits() {
        for chip in Chip::ALL {
            let l = chip.limits();
            assert!(l.uniform_registers < 1 << chip.uniform_field_bits());
            assert!(l.shared_bytes_per_block >= l.static_shared_bytes);
            assert_eq!(l.warp_lanes, 32);
        }
    }
}
