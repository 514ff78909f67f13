//! Constants of NVIDIA's ELF that `object` does not name.

/// `e_machine`.
pub const MACHINE: u16 = 190;
/// `ET_REL`.
pub const RELOCATABLE: u16 = 1;
/// `ET_EXEC`.
pub const EXECUTABLE: u16 = 2;
/// `ET_EWP`, as cuobjdump calls it: what `ptxas -ewp` writes without `-c`, laid out as a relocatable object (experiment: 12.0 to 13.5).
pub const EXTENSIBLE: u16 = 0xff00;
/// A section of program bytes.
pub const PROGBITS: u32 = 1;
/// The symbol table.
pub const SYMTAB: u32 = 2;
/// A table of strings.
pub const STRTAB: u32 = 3;
/// Relocations with addends.
pub const RELA: u32 = 4;
/// Notes.
pub const NOTE: u32 = 7;
/// A section without bytes in the file.
pub const NOBITS: u32 = 8;
/// Relocations without addends.
pub const REL: u32 = 9;
/// `.nv.info` and `.nv.info.K`.
pub const CUDA_INFO: u32 = 0x7000_0000;
/// `.nv.callgraph`.
pub const CUDA_CALLGRAPH: u32 = 0x7000_0001;
/// `.nv.global`: variables without an initial value in a relocatable object, where an executable has `NOBITS`; no bytes
/// (objects of ptxas -c: the next part of the file begins at the same offset).
pub const CUDA_GLOBAL: u32 = 0x7000_0007;
/// `.nv.shared.K`: shared memory in a relocatable object, where an executable has `NOBITS`; no bytes.
pub const CUDA_SHARED: u32 = 0x7000_000a;
/// `.nv.rel.action`, up to sm_89.
pub const CUDA_RELOCINFO: u32 = 0x7000_000b;
/// `.nv.compat`.
pub const CUDA_COMPAT: u32 = 0x7000_0086;
/// In `sh_flags`: a mercury section, sm_100 and later.
pub const MERCURY: u64 = 0x1000_0000;
/// Writable.
pub const WRITE: u64 = 1;
/// Takes memory in the running program.
pub const ALLOC: u64 = 2;
/// Executable.
pub const EXEC: u64 = 4;
/// In `sh_flags` of code under [`super::Abi::V7`]: the barriers that it uses, seven bits from here on (ptxas 11.8 to 12.9 beside nvdisasm's
/// `SHF_BARRIERS`).
pub const BARRIERS_SHIFT: u32 = 20;
/// Those bits, moved to the bottom.
pub const BARRIERS_MASK: u64 = 0x7f;
/// `sh_info` is a section.
pub const INFO_LINK: u64 = 0x40;
/// On the tool note.
pub const TOOL_NOTE: u64 = 0x200_0000;
/// On the CUDA note.
pub const CUDA_NOTE: u64 = 0x100_0000;
/// `STO_CUDA_ENTRY` in `st_other`.
pub const STO_ENTRY: u8 = 0x10;
