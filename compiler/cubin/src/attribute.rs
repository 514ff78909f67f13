//! Records of `.nv.info`, `.nv.info.K` and `.nv.compat`.
//!
//! A record is a format byte, an identifier byte and a value: nothing, a byte or a half in the next two bytes, or a
//! 16-bit size followed by that many bytes. Names as `cuobjdump -elf` prints them; ids seen in ptxas 13.0.88's output.

use crate::Error;

/// One record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// Its identifier.
    pub id: u8,
    /// Its value.
    pub value: Value,
}

/// The value of a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Format 1: no value.
    Empty,
    /// Format 2: one byte.
    Byte(u8),
    /// Format 3: 16 bits.
    Half(u16),
    /// Format 4: sized bytes.
    Bytes(Vec<u8>),
    /// Format 4 again, every word of which is a symbol's index in the file; here, the symbols' names.
    Symbols(Vec<String>),
}

macro_rules! attributes {
    ($($id:literal $name:ident $what:literal;)*) => {
        $(#[doc = $what] pub const $name: u8 = $id;)*
        /// Every known record of `.nv.info`: identifier and name.
        pub const NAMES: &[(u8, &str)] = &[$(($id, stringify!($name))),*];
    };
}

attributes! {
    0x04 CTAIDZ_USED "The code reads `%ctaid.z`.";
    0x05 MAX_THREADS "`.maxntid`: three words.";
    0x0a PARAM_CBANK "Symbol of constant bank 0; offset and size of the parameters in it, 16 bits each.";
    0x0f EXTERNS "Functions that a system call needs: symbols.";
    0x10 REQNTID "`.reqntid`: three words.";
    0x11 FRAME_SIZE "Symbol of a function, and the bytes of its stack frame.";
    0x12 MIN_STACK_SIZE "Symbol of an entry, and the bytes of stack it needs.";
    0x17 KPARAM_INFO "One parameter: index, ordinal and offset, and a word of bit fields.";
    0x19 CBANK_PARAM_SIZE "Size of all parameters in bytes.";
    0x1b MAXREG_COUNT "The register limit.";
    0x1c EXIT_INSTR_OFFSETS "Offsets of `EXIT`.";
    0x1e CRS_STACK_SIZE "Size of the call-return stack.";
    0x23 MAX_STACK_SIZE "Symbol of a function, and a size; up to CUDA 12.";
    0x28 COOP_GROUP_INSTR_OFFSETS "Offsets of warp-wide instructions with a member mask.";
    0x29 COOP_GROUP_MASK_REGIDS "Registers of those masks.";
    0x2b WMMA_USED "The code multiplies matrices.";
    0x2e ATOM16_EMUL_INSTR_REG_MAP "Instructions of loops that stand for 16-bit atomics: an offset, and two halves.";
    0x2f REGCOUNT "Symbol of a function, and its number of registers.";
    0x31 INT_WARP_WIDE_INSTR_OFFSETS "Offsets of other warp-wide instructions.";
    0x34 INDIRECT_BRANCH_TARGETS "For each indirect branch its offset, and the offsets it may go to.";
    0x35 SW2861232_WAR "A workaround on sm_80 to sm_88.";
    0x36 SW_WAR "Workarounds, as a bit set.";
    0x37 CUDA_API_VERSION "Version of the toolkit.";
    0x38 NUM_MBARRIERS "Number of memory barriers.";
    0x39 MBARRIER_INSTR_OFFSETS "Offsets of memory-barrier instructions.";
    0x3d CTA_PER_CLUSTER "Shape of a cluster: three words.";
    0x3e EXPLICIT_CLUSTER "The cluster's shape is in the code.";
    0x3f MAX_CLUSTER_RANK "Largest cluster.";
    0x41 RESERVED_SMEM_USED "The code uses shared memory that the system keeps.";
    0x44 UNUSED_LOAD_BYTE_OFFSET "Bytes that loads fetch and nobody reads.";
    0x45 KPARAM_INFO_V2 "One parameter of many bytes: index, ordinal and offset, size and two bytes of what it points to.";
    0x46 SYSCALL_OFFSETS "Offsets of calls of system functions.";
    0x4a VRC_CTA_INIT_COUNT "sm_100 and later.";
    0x4c NUM_BARRIERS "Number of named barriers.";
    0x50 SPARSE_MMA_MASK "sm_90 and later.";
    0x53 GEN_ERRBAR_AT_EXIT "Compiled with `-g`.";
    0x5f MERCURY_ISA_VERSION "Minor and major version in two bytes.";
    0x66 LANGUAGE "The language of the source: words.";
}

macro_rules! compat {
    ($($id:literal $name:ident $what:literal;)*) => {
        /// Identifiers of `.nv.compat`.
        pub mod compat {
            $(#[doc = $what] pub const $name: u8 = $id;)*
            /// Every known record: identifier and name.
            pub const NAMES: &[(u8, &str)] = &[$(($id, stringify!($name))),*];
        }
    };
}

compat! {
    0x02 ISA_CLASS "A byte.";
    0x03 INST_TENSORMAP_V1 "A byte.";
    0x05 INST_TCGEN05_MMA "A byte.";
    0x06 ENABLE_OPPORTUNISTIC_FINALIZATION "A byte.";
    0x07 MERCURY_ISA_MAJOR_MINOR_VERSION "Two bytes.";
    0x09 CUDA_ACCELERATOR_TARGET "1 for an `a` target.";
    0x0b CAN_FASTPATH_FINALIZE "Eight bytes.";
}

/// The name of a record's identifier in `.nv.info`, or `None`.
pub fn name(id: u8) -> Option<&'static str> {
    NAMES.iter().find(|row| row.0 == id).map(|row| row.1)
}

impl Attribute {
    /// A record whose value is words.
    pub fn words(id: u8, words: &[u32]) -> Self {
        Self { id, value: Value::Bytes(words.iter().flat_map(|w| w.to_le_bytes()).collect()) }
    }

    /// The value as words, when it is sized and a whole number of them.
    pub fn as_words(&self) -> Option<Vec<u32>> {
        match &self.value {
            Value::Bytes(bytes) if bytes.len() % 4 == 0 => {
                Some(bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect())
            }
            _ => None,
        }
    }
}

/// Reads the records of a section that begins at `base` in the file.
///
/// # Errors
/// A record that runs past the section's end or has an unknown format.
pub fn parse(bytes: &[u8], base: u64) -> Result<Vec<(u64, Attribute)>, Error> {
    let mut out = Vec::new();
    let mut at = 0usize;
    while at < bytes.len() {
        let place = base + at as u64;
        let Some(head) = bytes.get(at..at + 4) else {
            return Err(Error::at(place, "an attribute record is cut short"));
        };
        let half = u16::from_le_bytes([head[2], head[3]]);
        at += 4;
        let value = match head[0] {
            1 if half == 0 => Value::Empty,
            2 if head[3] == 0 => Value::Byte(head[2]),
            3 => Value::Half(half),
            4 => {
                let Some(data) = bytes.get(at..at + usize::from(half)) else {
                    return Err(Error::at(
                        place,
                        format!("attribute {:#04x} runs past the end of its section", head[1]),
                    ));
                };
                at += usize::from(half);
                Value::Bytes(data.to_vec())
            }
            1 | 2 => {
                return Err(Error::at(
                    place,
                    format!("attribute {:#04x} has a value in its padding", head[1]),
                ));
            }
            other => {
                return Err(Error::at(
                    place,
                    format!("attribute {:#04x} has unknown format {other}", head[1]),
                ));
            }
        };
        out.push((place, Attribute { id: head[1], value }));
    }
    Ok(out)
}
