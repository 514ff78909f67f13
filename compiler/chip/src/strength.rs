//! How accesses to memory spell their strength: the texts of one field of loads, stores and atomics.
//!
//! Source: what ptxas 13.0.88 makes of kernels with one access each (`ld`, `ld.volatile`, `ld.relaxed.SCOPE`, `ld.nc`, `ld.CACHE`, `st`,
//! `atom` and `red` likewise), as nvdisasm prints it, per chip.

use crate::chip::Chip;

/// The texts on one chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strengths {
    /// A weak load or store.
    pub weak: &'static str,
    /// A load that need not see writes of the kernel (`ld.global.nc`).
    pub constant: &'static str,
    /// Relaxed, at the scope of the block.
    pub block: &'static str,
    /// Relaxed, at the scope of the GPU.
    pub gpu: &'static str,
    /// Relaxed, at the scope of the system; also `volatile`.
    pub system: &'static str,
    /// `mmio`.
    pub mmio: &'static str,
}

impl Chip {
    /// How accesses to global and generic addresses spell their strength on this chip.
    pub const fn strengths(self) -> Strengths {
        let turing = matches!(self, Chip::Sm75);
        Strengths {
            weak: if turing { ".SYS" } else { "" },
            constant: if turing { ".CONSTANT.SYS" } else { ".CONSTANT" },
            block: if turing { ".STRONG.CTA" } else { ".STRONG.SM" },
            gpu: ".STRONG.GPU",
            system: ".STRONG.SYS",
            mmio: ".MMIO.SYS",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turing_names_the_scope_of_weak_accesses() {
        assert_eq!((Chip::Sm75.strengths().weak, Chip::Sm80.strengths().weak), (".SYS", ""));
    }
}
