//! How many warps a multiprocessor holds at once.

use crate::chip::Chip;

/// Parts of a multiprocessor, each with a quarter of its registers and a scheduler of its own (CUDA C++ Programming Guide, "Architecture" of
/// compute capability 7.x to 12.x).
pub const PARTS: u32 = 4;

/// What keeps a multiprocessor from holding more warps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Nothing: it holds as many as it can.
    Warps,
    /// The registers of a thread.
    Registers,
    /// The shared memory of a block.
    Shared,
    /// The number of blocks.
    Blocks,
}

impl Limit {
    /// In a sentence: limited by ….
    pub const fn word(self) -> &'static str {
        match self {
            Limit::Warps => "nothing",
            Limit::Registers => "registers",
            Limit::Shared => "shared memory",
            Limit::Blocks => "blocks",
        }
    }
}

/// Warps that a multiprocessor holds of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occupancy {
    /// So many.
    pub warps: u32,
    /// The most that it can hold.
    pub most: u32,
    /// Why not more.
    pub limit: Limit,
}

impl Chip {
    /// Bytes of shared memory of a multiprocessor (CUDA C++ Programming Guide, "Compute Capabilities", technical specifications).
    pub const fn shared_per_multiprocessor(self) -> u32 {
        1024 * match self {
            Chip::Sm75 => 64,
            Chip::Sm80 | Chip::Sm87 => 164,
            Chip::Sm86 | Chip::Sm88 | Chip::Sm89 | Chip::Sm120 | Chip::Sm121 => 100,
            Chip::Sm90 | Chip::Sm100 | Chip::Sm103 | Chip::Sm110 => 228,
        }
    }

    /// The most blocks that a multiprocessor holds (the same table; sm_88 as sm_87).
    pub const fn blocks_per_multiprocessor(self) -> u32 {
        match self {
            Chip::Sm75 | Chip::Sm86 | Chip::Sm87 | Chip::Sm88 => 16,
            Chip::Sm89 | Chip::Sm110 | Chip::Sm120 | Chip::Sm121 => 24,
            Chip::Sm80 | Chip::Sm90 | Chip::Sm100 | Chip::Sm103 => 32,
        }
    }

    /// How many warps a multiprocessor holds of a kernel whose threads take so many registers, and whose blocks have so many bytes of shared memory and
    /// threads. Without a number of threads the registers alone count.
    pub fn occupancy(self, registers: u32, shared: u32, threads: Option<u32>) -> Occupancy {
        let most = self.warps_per_multiprocessor();
        let by_registers = self.warps_by_registers(registers);
        let Some(threads) = threads.filter(|&threads| threads > 0) else {
            let limit = if by_registers < most { Limit::Registers } else { Limit::Warps };
            return Occupancy { warps: by_registers, most, limit };
        };
        let limits = self.limits();
        let warps = threads.div_ceil(limits.warp_lanes);
        let of_block =
            (shared + limits.reserved_shared_bytes).next_multiple_of(limits.shared_allocation_unit);
        let by_shared = self.shared_per_multiprocessor().checked_div(of_block).unwrap_or(u32::MAX);
        let all = [
            (most / warps, Limit::Warps),
            (by_registers / warps, Limit::Registers),
            (by_shared, Limit::Shared),
            (self.blocks_per_multiprocessor(), Limit::Blocks),
        ];
        let (blocks, limit) = all.into_iter().min_by_key(|(blocks, _)| *blocks).unwrap_or((0, Limit::Warps));
        Occupancy { warps: blocks * warps, most, limit }
    }

    /// The most warps that a multiprocessor holds (CUDA C++ Programming Guide, "Compute Capabilities", technical specifications).
    pub const fn warps_per_multiprocessor(self) -> u32 {
        match self {
            Chip::Sm75 => 32,
            Chip::Sm80 | Chip::Sm90 | Chip::Sm100 | Chip::Sm103 => 64,
            Chip::Sm86 | Chip::Sm87 | Chip::Sm88 | Chip::Sm89 | Chip::Sm110 | Chip::Sm120 | Chip::Sm121 => 48,
        }
    }

    /// How many warps a multiprocessor holds when each thread takes so many registers, those that the hardware keeps included. Other limits (blocks, shared
    /// memory) may leave fewer.
    pub const fn warps_by_registers(self, registers: u32) -> u32 {
        let limits = self.limits();
        let registers = if registers == 0 { 1 } else { registers };
        let of_warp = registers.next_multiple_of(limits.register_allocation_unit) * limits.warp_lanes;
        let fit = PARTS * (limits.registers_per_multiprocessor / PARTS / of_warp);
        let most = self.warps_per_multiprocessor();
        if fit < most { fit } else { most }
    }

    /// The most registers of a thread, those that the hardware keeps included, with which a multiprocessor holds so many warps: a whole number of
    /// allocation units, at least one, or as many as a thread may name. Each part of a multiprocessor has its own registers and takes every fourth warp,
    /// so that 9 warps need as many as 12 (`MAXREG_COUNT` of ptxas 13.0.88 for `.maxntid` 32 to 1,024 and `.minnctapersm` 1 to 5).
    pub const fn registers_for_warps(self, warps: u32) -> u32 {
        let limits = self.limits();
        let of_part = if warps == 0 { 1 } else { warps.div_ceil(PARTS) };
        let share = limits.registers_per_multiprocessor / PARTS / limits.warp_lanes / of_part;
        let unit = limits.register_allocation_unit;
        let whole = if share < unit { unit } else { share - share % unit };
        if whole < limits.registers_per_thread { whole } else { limits.registers_per_thread }
    }

    /// The most registers of a thread, those that the hardware keeps included, with which a multiprocessor holds as many warps as with `registers`.
    pub const fn registers_of_same_occupancy(self, registers: u32) -> u32 {
        let limits = self.limits();
        let unit = limits.register_allocation_unit;
        let mut most = registers.next_multiple_of(unit);
        let warps = self.warps_by_registers(most);
        while most + unit <= limits.registers_per_thread + 1 && self.warps_by_registers(most + unit) == warps
        {
            most += unit;
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_limit_warps_as_the_guide_computes() {
        // CUDA's occupancy calculator: 32 registers fill 64 warps, 40 leave 48, 255 leave 8.
        for (registers, warps) in
            [(1, 64), (32, 64), (33, 48), (40, 48), (41, 40), (64, 32), (128, 16), (255, 8)]
        {
            assert_eq!(Chip::Sm90.warps_by_registers(registers), warps, "{registers}");
        }
        assert_eq!(Chip::Sm120.warps_by_registers(40), 48);
        assert_eq!(Chip::Sm75.warps_by_registers(64), 32);
    }

    #[test]
    fn blocks_limit_warps_as_the_guide_computes() {
        // CUDA's occupancy calculator for sm_90: blocks of 256 threads with 48 KiB; of 32; of 1,024 with 40 registers; of 96, of which 21 fit.
        for (registers, shared, threads, warps, limit) in [
            (32, 0, Some(256), 64, Limit::Warps),
            (32, 48 * 1024, Some(256), 32, Limit::Shared),
            (32, 0, Some(32), 32, Limit::Blocks),
            (40, 0, Some(1024), 32, Limit::Registers),
            (16, 0, Some(96), 63, Limit::Warps),
            (40, 48 * 1024, None, 48, Limit::Registers),
        ] {
            let found = Chip::Sm90.occupancy(registers, shared, threads);
            assert_eq!((found.warps, found.limit), (warps, limit), "{registers} {shared} {threads:?}");
            assert_eq!(found.most, 64);
        }
    }

    #[test]
    fn warps_share_registers_as_ptxas_has_it() {
        // `MAXREG_COUNT` of ptxas 13.0.88 for one block of 8, 9, …, 32 warps, and for five blocks of 9.
        for (warps, registers) in [
            (1, 255),
            (8, 255),
            (9, 168),
            (12, 168),
            (13, 128),
            (17, 96),
            (21, 80),
            (25, 72),
            (29, 64),
            (32, 64),
            (45, 40),
        ] {
            assert_eq!(Chip::Sm90.registers_for_warps(warps), registers, "{warps}");
        }
        for chip in Chip::ALL {
            for warps in 1..=chip.warps_per_multiprocessor() {
                let registers = chip.registers_for_warps(warps);
                assert!(chip.warps_by_registers(registers) >= warps, "{chip} {warps}");
                let more = registers + chip.limits().register_allocation_unit;
                assert!(registers == 255 || chip.warps_by_registers(more) < warps, "{chip} {warps}");
            }
        }
    }

    #[test]
    fn one_more_step_would_cost_a_warp() {
        for chip in Chip::ALL {
            for registers in 1..=255 {
                let most = chip.registers_of_same_occupancy(registers);
                assert!(most >= registers);
                assert_eq!(chip.warps_by_registers(most), chip.warps_by_registers(registers));
            }
        }
    }
}
