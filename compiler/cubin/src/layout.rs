//! What the container of each chip looks like, one row per chip.

use crate::attribute::{Attribute, Value, compat};
use sassafras_chip::Chip;

/// What a file says about debugging.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Debug {
    /// Nothing.
    #[default]
    None,
    /// Line numbers (`-lineinfo`).
    Lines,
    /// The sections that the PTX came with.
    Sections,
    /// Everything (`-g`).
    Full,
    /// Everything, and the PTX was made for debugging (`.target sm_90, debug`).
    Module,
    /// Everything, by the device linker (`nvcc -G -dlink`).
    Linked,
    /// Nothing, and there is no code: the device linker's file for a program without relocatable device code.
    Empty,
}

/// The container's facts for one chip. Of sm_100 and later what ptxas puts into sections of mercury is read, and not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The number in `sm_90`.
    pub sm: u32,
    /// Low byte of `e_flags`.
    pub flags: u8,
    /// `SW_WAR`, when the chip has it.
    pub workarounds: Option<u32>,
    /// Whether the file has what came with sm_90: `.nv.compat`, symbols for the system's shared memory, relocations with addends of their own, and the
    /// banks of parameters behind the code.
    pub hopper: bool,
    /// Whether functions have `SW2861232_WAR`.
    pub marked: bool,
    /// First of the two words of `CAN_FASTPATH_FINALIZE`.
    pub finalize: u32,
    /// Bytes of `.nv.shared.reserved.0`, where the symbols of the system's shared memory end.
    pub system_shared: u32,
}

// Source: readelf and `cuobjdump -elf` of ptxas 13.0.88's output for each chip.
const ROWS: &[Layout] = &[
    Layout {
        sm: 75,
        flags: 4,
        workarounds: Some(1),
        hopper: false,
        marked: false,
        finalize: 0,
        system_shared: 0,
    },
    Layout {
        sm: 80,
        flags: 4,
        workarounds: None,
        hopper: false,
        marked: true,
        finalize: 0,
        system_shared: 0,
    },
    Layout {
        sm: 86,
        flags: 4,
        workarounds: None,
        hopper: false,
        marked: true,
        finalize: 0,
        system_shared: 0,
    },
    Layout {
        sm: 87,
        flags: 4,
        workarounds: Some(2),
        hopper: false,
        marked: true,
        finalize: 0,
        system_shared: 0,
    },
    Layout {
        sm: 88,
        flags: 4,
        workarounds: None,
        hopper: false,
        marked: true,
        finalize: 0,
        system_shared: 0,
    },
    Layout {
        sm: 89,
        flags: 4,
        workarounds: None,
        hopper: false,
        marked: false,
        finalize: 0,
        system_shared: 0,
    },
    Layout {
        sm: 90,
        flags: 4,
        workarounds: Some(8),
        hopper: true,
        marked: false,
        finalize: 0,
        system_shared: 0,
    },
    Layout {
        sm: 100,
        flags: 2,
        workarounds: Some(8),
        hopper: true,
        marked: false,
        finalize: 0x9,
        system_shared: 0x40,
    },
    Layout {
        sm: 103,
        flags: 2,
        workarounds: Some(8),
        hopper: true,
        marked: false,
        finalize: 0,
        system_shared: 0x40,
    },
    Layout {
        sm: 110,
        flags: 2,
        workarounds: Some(8),
        hopper: true,
        marked: false,
        finalize: 0,
        system_shared: 0x40,
    },
    Layout {
        sm: 120,
        flags: 2,
        workarounds: Some(0),
        hopper: true,
        marked: false,
        finalize: 0x50,
        system_shared: 0x40,
    },
    Layout {
        sm: 121,
        flags: 2,
        workarounds: Some(0),
        hopper: true,
        marked: false,
        finalize: 0,
        system_shared: 0x40,
    },
];

/// The row of `sm` (90 for `sm_90`), or `None` for a chip that has none.
pub fn layout(sm: u32) -> Option<&'static Layout> {
    ROWS.iter().find(|row| row.sm == sm)
}

impl Debug {
    /// Every kind.
    pub const ALL: [Debug; 7] =
        [Debug::None, Debug::Lines, Debug::Sections, Debug::Full, Debug::Module, Debug::Linked, Debug::Empty];

    /// The top byte of `e_flags`.
    pub fn marker(self) -> u8 {
        match self {
            Debug::None => 6,
            Debug::Lines => 9,
            Debug::Sections => 10,
            Debug::Full => 11,
            Debug::Module => 15,
            Debug::Linked => 14,
            Debug::Empty => 5,
        }
    }
}

impl Layout {
    /// Shared memory that the system keeps at the start of each block's, in bytes.
    pub fn reserved_shared(&self) -> u32 {
        Chip::from_number(self.sm).map_or(0, |chip| chip.limits().reserved_shared_bytes)
    }

    /// `e_flags` of this chip's files.
    pub fn e_flags(&self, debug: Debug) -> u32 {
        u32::from(debug.marker()) << 24 | self.sm << 8 | u32::from(self.flags)
    }

    /// The records of `.nv.compat` that ptxas writes for this chip.
    pub fn compat(&self, accelerated: bool) -> Vec<Attribute> {
        let byte = |id, b| Attribute { id, value: Value::Byte(b) };
        vec![
            byte(compat::CUDA_ACCELERATOR_TARGET, accelerated.into()),
            byte(compat::ISA_CLASS, 1),
            byte(compat::INST_TCGEN05_MMA, 5),
            Attribute { id: compat::MERCURY_ISA_MAJOR_MINOR_VERSION, value: Value::Half(0x0101) },
            byte(compat::INST_TENSORMAP_V1, 0),
            byte(compat::ENABLE_OPPORTUNISTIC_FINALIZATION, 1),
            Attribute::words(compat::CAN_FASTPATH_FINALIZE, &[self.finalize, 0]),
        ]
    }
}
