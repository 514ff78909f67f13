//! A file and its parts.

use super::contents::Contents;
use sassafras_cubin::elf::Abi;

/// A whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// `e_type`: 1 for a relocatable object, 2 for an executable, 0xff00 for an extensible whole program.
    pub kind: u16,
    /// Which ELF header it has.
    pub abi: Abi,
    /// `e_version`.
    pub version: u32,
    /// `e_flags`.
    pub flags: u32,
    /// Length of the file in bytes.
    pub size: u64,
    /// Where the section headers begin.
    pub section_headers: u64,
    /// Where the program headers begin; 0 where there are none.
    pub program_headers: u64,
    /// `e_phentsize`: a file without program headers may leave it out.
    pub program_header_size: u16,
    /// Index of the section that holds the sections' names.
    pub names: u16,
    /// Every section by index, the null section first.
    pub sections: Vec<Section>,
    /// Every program header.
    pub segments: Vec<Segment>,
}

/// One section: its header and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Where the name begins in the table of names.
    pub name_at: u32,
    /// `sh_type`.
    pub kind: u32,
    /// `sh_flags`.
    pub flags: u64,
    /// `sh_offset`.
    pub offset: u64,
    /// `sh_size`.
    pub size: u64,
    /// `sh_link`.
    pub link: u32,
    /// `sh_info`.
    pub info: u32,
    /// `sh_addralign`.
    pub align: u64,
    /// `sh_entsize`.
    pub entry_size: u64,
    /// What is in it.
    pub contents: Contents,
}

/// One program header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// `p_type`.
    pub kind: u32,
    /// `p_flags`.
    pub flags: u32,
    /// `p_offset`.
    pub offset: u64,
    /// `p_vaddr` and `p_paddr`.
    pub addresses: [u64; 2],
    /// `p_filesz`.
    pub file_size: u64,
    /// `p_memsz`.
    pub memory_size: u64,
    /// `p_align`.
    pub align: u64,
}

/// The type of a section that says how much shared memory the system keeps, where it is no `NOBITS`.
pub(crate) const SHARED_RESERVED: u32 = 0x7000_0015;
