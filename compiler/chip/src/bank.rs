//! The layout of constant bank 0, which the driver fills before a launch.
//!
//! Source: the code that ptxas 13.0.88 makes for `%ntid`, `%nctaid` and other special registers, parameters, the stack, `cvta` and `isspacep`, per
//! chip (black-box). Offsets are bytes from the start of bank 0.

use crate::chip::Chip;

/// Byte offsets of what the driver puts in constant bank 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BankLayout {
    /// First byte of the kernel's parameters.
    pub parameters: u32,
    /// `%ntid.x`, `.y`, `.z`: 4 bytes each.
    pub block_size: [u32; 3],
    /// `%nctaid.x`, `.y`, `.z`: 4 bytes each.
    pub grid_size: [u32; 3],
    /// Initial value of the stack pointer R1: 4 bytes.
    pub stack_top: u32,
    /// The 8-byte descriptor that LDG, STG and atomics take in a uniform register pair; none on sm_75.
    pub global_descriptor: Option<u32>,
    /// First address of the window through which generic addresses reach local memory: 8 bytes.
    pub local_window: u32,
    /// The same for shared memory; none where code reads it from special registers instead.
    pub shared_window: Option<u32>,
    /// First generic address of the module's constants: 8 bytes.
    pub constant_window: Option<u32>,
    /// First and last generic address of the kernel's parameters: 8 bytes each; none before sm_90.
    pub parameter_window: Option<(u32, u32)>,
    /// Where that is not told: the generic address of bank 0 itself, 8 bytes, and what the last byte of the parameters is from there, 4 bytes.
    pub bank_window: Option<(u32, u32)>,
    /// `%gridid`.
    pub grid_id: u32,
    /// `%envreg0` and `%envreg16`, each with the 15 others behind it.
    pub environment: [u32; 2],
    /// `%current_graph_exec`: 8 bytes.
    pub graph: u32,
    /// `%reserved_smem_offset_end` and `%reserved_smem_offset_1`, which are words of the environment; known from sm_90 on.
    pub reserved_shared: Option<(u32, u32)>,
    /// `%dynamic_smem_size`.
    pub dynamic_shared_size: u32,
    /// What is known of clusters; none before sm_90.
    pub cluster: Option<ClusterWords>,
    /// Words of which there are several copies (sm_100 and later).
    pub copies: Option<Copies>,
}

/// A range of constant bank 0 of which there are several copies: `SR_CgaSize` says which one the launch reads.
///
/// Source: `%cluster_nctaid`, `%nclusterid`, `%dynamic_smem_size` and `%envreg0` to `%envreg15` through ptxas 13.5.37 for sm_100 and sm_120, which reads
/// each at its offset less 0xa0 times that register (black-box). What number it holds is not known, and nothing here depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copies {
    /// First byte of copy 0.
    pub start: u32,
    /// First byte behind copy 0.
    pub end: u32,
    /// Bytes from a copy down to the next.
    pub stride: u32,
}

impl BankLayout {
    /// Byte offset of `%envregN`.
    pub const fn environment_word(&self, n: u8) -> u32 {
        self.environment[(n / 16 % 2) as usize] + 4 * (n as u32 % 16)
    }

    /// Bytes from a copy of the word at this offset to the next; none where there is one copy.
    pub fn stride(&self, offset: u32) -> Option<u32> {
        let copies = self.copies.filter(|copies| (copies.start..copies.end).contains(&offset))?;
        Some(copies.stride)
    }
}

/// Byte offsets of the words of constant bank 0 that tell of clusters, 4 bytes each (`%is_explicit_cluster` and its kin through ptxas).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClusterWords {
    /// `%is_explicit_cluster` where it is 1.
    pub explicit: u32,
    /// `%cluster_nctaid.x`, `.y`, `.z`.
    pub size: [u32; 3],
    /// The reciprocals of these, binary32.
    pub reciprocal: [u32; 3],
    /// `%nclusterid.x`, `.y`, `.z`.
    pub count: [u32; 3],
    /// `%cluster_nctarank`.
    pub blocks: u32,
}

/// Those of sm_100 and later: all but the first are words of which there are copies.
const CLUSTER_COPIED: ClusterWords = ClusterWords {
    explicit: 0x36c,
    size: [0x2a0, 0x2a4, 0x2a8],
    reciprocal: [0x2b0, 0x2b4, 0x2b8],
    count: [0x2c0, 0x2c4, 0x2c8],
    blocks: 0x2cc,
};

/// Those of sm_90.
const CLUSTER: ClusterWords = ClusterWords {
    explicit: 0x140,
    size: [0x144, 0x148, 0x14c],
    reciprocal: [0x150, 0x154, 0x158],
    count: [0x15c, 0x160, 0x164],
    blocks: 0x188,
};

impl Chip {
    /// The layout of constant bank 0 on this chip.
    pub const fn bank(self) -> BankLayout {
        let number = self.number();
        if number >= 100 {
            return BankLayout {
                parameters: 0x380,
                block_size: [0x360, 0x364, 0x368],
                grid_size: [0x370, 0x374, 0x378],
                stack_top: 0x37c,
                global_descriptor: Some(0x358),
                local_window: 0x2f8,
                shared_window: None,
                constant_window: Some(0x120),
                parameter_window: Some((0x348, 0x350)),
                bank_window: None,
                grid_id: 0x140,
                environment: [0x250, 0xd0],
                graph: 0x2e8,
                reserved_shared: Some((0x278, 0x27c)),
                dynamic_shared_size: 0x2ac,
                cluster: Some(CLUSTER_COPIED),
                copies: Some(Copies { start: 0x250, end: 0x2d0, stride: 0xa0 }),
            };
        }
        BankLayout {
            parameters: if number >= 90 { 0x210 } else { 0x160 },
            block_size: [0x0, 0x4, 0x8],
            grid_size: [0xc, 0x10, 0x14],
            stack_top: 0x28,
            global_descriptor: match number {
                75 => None,
                90 => Some(0x208),
                _ => Some(0x118),
            },
            local_window: 0x20,
            shared_window: if number >= 90 { None } else { Some(0x18) },
            constant_window: if number == 90 { Some(0xd0) } else { Some(0x50) },
            parameter_window: if number == 90 { Some((0x198, 0x1a0)) } else { None },
            bank_window: match number {
                90 => None,
                75 => Some((0x40, 0x114)),
                _ => Some((0x40, 0x12c)),
            },
            grid_id: 0x30,
            environment: if number >= 90 { [0x40, 0x80] } else { [0x88, 0xc8] },
            graph: if number >= 90 { 0x190 } else { 0x130 },
            reserved_shared: if number == 90 { Some((0x68, 0x6c)) } else { None },
            dynamic_shared_size: 0x2c,
            cluster: if number == 90 { Some(CLUSTER) } else { None },
            copies: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hopper() {
        let bank = Chip::Sm90.bank();
        assert_eq!((bank.parameters, bank.stack_top, bank.global_descriptor), (0x210, 0x28, Some(0x208)));
        assert_eq!(Chip::Sm75.bank().global_descriptor, None);
    }
}
