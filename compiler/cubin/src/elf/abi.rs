//! The two ELF headers that CUDA has had, and what each says about the chip.
//!
//! Facts: headers of the cubins of ptxas 11.8.89, 12.0.140, 12.9.86, 13.0.88 and 13.5.37 for every chip and with `-c`,
//! `-g` and `-lineinfo`, beside what nvdisasm 13.2.51 prints as `.headerflags`.

use crate::{Debug, Error, Layout, layout};

/// A generation of the header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Abi {
    /// CUDA 11 and 12, up to sm_90: the chip is the low byte of `e_flags`, and `e_version` is the toolkit's version.
    V7,
    /// CUDA 13, and CUDA 12 from sm_100 on: the chip is 16 bits from bit 8 of `e_flags` on.
    #[default]
    V8,
}

/// Bits of `e_flags` under [`Abi::V7`], by the names that nvdisasm gives them.
pub const V7_FLAGS: [(u32, &str); 4] = [
    (0x100, "EF_CUDA_TEXMODE_UNIFIED"),
    (0x200, "EF_CUDA_TEXMODE_INDEPENDENT"),
    (0x400, "EF_CUDA_64BIT_ADDRESS"),
    (ACCELERATORS, "EF_CUDA_ACCELERATORS"),
];

/// The target is one chip only (`sm_90a`).
const ACCELERATORS: u32 = 0x800;

/// The same under [`Abi::V8`], where ptxas 12.9.86 says it of `sm_100a` and `sm_120a`; 13.0.88 leaves it to `.nv.compat`.
const ACCELERATORS_V8: u32 = 0x8;

impl Abi {
    /// Both.
    pub const ALL: [Abi; 2] = [Abi::V7, Abi::V8];

    /// `EI_OSABI`.
    pub fn os_abi(self) -> u8 {
        match self {
            Abi::V7 => 0x33,
            Abi::V8 => 0x41,
        }
    }

    /// `EI_ABIVERSION`.
    pub fn version(self) -> u8 {
        match self {
            Abi::V7 => 7,
            Abi::V8 => 8,
        }
    }
}

/// The header's fields that vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Its generation.
    pub abi: Abi,
    /// `e_type`.
    pub kind: u16,
    /// `e_version`: 1, or under [`Abi::V7`] the toolkit as major * 10 + minor (118 is 11.8).
    pub version: u32,
    /// `e_flags`.
    pub flags: u32,
}

impl Default for Header {
    fn default() -> Header {
        Header { abi: Abi::V8, kind: 0, version: 1, flags: 0 }
    }
}

impl Header {
    /// The number in `sm_90`.
    pub fn sm(&self) -> u32 {
        match self.abi {
            Abi::V7 => self.flags & 0xff,
            Abi::V8 => self.flags >> 8 & 0xffff,
        }
    }

    /// The virtual architecture of the input, where the header says it: 75 for `.target sm_75`.
    pub fn virtual_sm(&self) -> Option<u32> {
        (self.abi == Abi::V7).then_some(self.flags >> 16 & 0xff)
    }

    /// Whether the header says that the target is one chip only; since CUDA 13 `.nv.compat` says it.
    pub fn accelerated(&self) -> bool {
        let bit = match self.abi {
            Abi::V7 => ACCELERATORS,
            Abi::V8 => ACCELERATORS_V8,
        };
        self.flags & bit != 0
    }

    /// The kind of debug information that the top byte of `e_flags` names under [`Abi::V8`].
    pub fn debug(&self) -> Option<Debug> {
        let row = layout(self.sm())?;
        Debug::ALL.into_iter().find(|&debug| row.e_flags(debug) == self.flags & !ACCELERATORS_V8)
    }

    /// The chip's row, when every bit of the flags is known.
    ///
    /// # Errors
    /// A chip that has no row is not supported; flags that no compiler writes are malformed.
    pub fn layout(&self) -> Result<&'static Layout, Error> {
        let sm = self.sm();
        let flags = self.flags;
        let malformed = || Error::at(0x30, format!("the ELF header's flags {flags:#x} name no known chip"));
        let sound = match self.abi {
            Abi::V7 => {
                let known = V7_FLAGS.iter().fold(0x00ff_00ff, |mask, row| mask | row.0);
                flags & !known == 0 && flags & 0x400 != 0
            }
            Abi::V8 => self.debug().is_some(),
        };
        if !sound {
            return Err(malformed());
        }
        // Older chips have other words; the header is theirs all the same.
        layout(sm).ok_or_else(|| match sm {
            50..75 => Error::unsupported(0x30, format!("reading a cubin for sm_{sm}")),
            _ => malformed(),
        })
    }
}
