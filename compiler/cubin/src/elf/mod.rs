//! The file as ELF sees it: headers, sections, symbols, segments.

mod abi;
mod read;

pub use abi::{Abi, Header, V7_FLAGS};
pub use read::read;

/// Constants of NVIDIA's ELF that `object` does not name.
pub mod constants {
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
}

/// A section's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// Bytes in the file.
    Bytes(Vec<u8>),
    /// A size in memory, without bytes in the file.
    NoBits(u64),
}

impl Default for Data {
    fn default() -> Self {
        Self::Bytes(Vec::new())
    }
}

/// One section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// `sh_type`.
    pub kind: u32,
    /// `sh_flags`.
    pub flags: u64,
    /// `sh_link`.
    pub link: u32,
    /// `sh_info`.
    pub info: u32,
    /// `sh_addralign`, in bytes.
    pub align: u64,
    /// `sh_entsize`, in bytes.
    pub entry_size: u64,
    /// Its contents. The writer fills those of the string and symbol tables.
    pub data: Data,
    /// Its offset in the file it was read from; the writer chooses anew.
    pub offset: u64,
}

impl Section {
    /// Its bytes; empty when it has none in the file.
    pub fn bytes(&self) -> &[u8] {
        match &self.data {
            Data::Bytes(bytes) => bytes,
            Data::NoBits(_) => &[],
        }
    }

    /// Its size in memory, in bytes.
    pub fn size(&self) -> u64 {
        match &self.data {
            Data::Bytes(bytes) => bytes.len() as u64,
            Data::NoBits(size) => *size,
        }
    }
}

/// One symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// `st_info`.
    pub info: u8,
    /// `st_other`.
    pub other: u8,
    /// `st_shndx`.
    pub section: u16,
    /// `st_value`.
    pub value: u64,
    /// `st_size`, in bytes.
    pub size: u64,
}

/// One program header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// `p_type`.
    pub kind: u32,
    /// `p_flags`.
    pub flags: u32,
    /// `p_offset`.
    pub offset: u64,
    /// `p_filesz`.
    pub file_size: u64,
    /// `p_memsz`.
    pub memory_size: u64,
}

/// A whole file. Section 0 (null) and symbol 0 are not in the vectors' way: they are at index 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// The header.
    pub header: Header,
    /// Every section by index, the null section first. 1 to 3 are `.shstrtab`, `.strtab` and `.symtab`.
    pub sections: Vec<Section>,
    /// Every symbol by index, the null symbol first.
    pub symbols: Vec<Symbol>,
    /// Program headers as read; the writer makes its own.
    pub segments: Vec<Segment>,
}

impl Image {
    /// The index of the section called `name`.
    pub fn section(&self, name: &str) -> Option<usize> {
        self.sections.iter().position(|s| s.name == name)
    }

    /// The name of section `index`, or an empty string.
    pub fn section_name(&self, index: u32) -> &str {
        self.sections.get(index as usize).map_or("", |s| &s.name)
    }
}
