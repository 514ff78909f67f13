//! A file: header, sections, symbols, segments.

use super::abi::Header;

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
