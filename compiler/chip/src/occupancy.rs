//! How many warps a multiprocessor holds at once.

use crate::chip::Chip;

/// Parts of a multiprocessor, each with a quarter of its registers and a scheduler of its own (CUDA C++ Programming Guide, "Architecture" of
/// compute capability 7.x to 12.x).
const PARTS: u32 = 4;

impl Chip {
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
