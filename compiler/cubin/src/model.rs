//! What a cubin says, free of ELF.

use crate::attribute::Attribute;
use crate::elf::Abi;
use crate::layout::Debug;
use crate::relocation;

/// Whether the file can be loaded as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `ET_EXEC`: a loader takes it.
    #[default]
    Executable,
    /// `ET_REL`: a linker takes it (`ptxas -c`).
    Relocatable,
    /// `ET_EWP`: a relocatable object in which only functions that others may launch are extensible (`ptxas -ewp`).
    Extensible,
}

/// A compiled module for one chip.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cubin {
    /// Which ELF header the file has; `sassafras_emit::write` writes the newer one.
    pub abi: Abi,
    /// The chip as the number in `sm_90`.
    pub sm: u32,
    /// Whether the target is architecture-specific (`sm_90a`).
    pub accelerated: bool,
    /// Executable or relocatable.
    pub kind: Kind,
    /// What it says about debugging.
    pub debug: Debug,
    /// Who made it, as the two notes say.
    pub producer: Producer,
    /// Functions with a section of their own, in file order. ptxas writes entries last first.
    pub functions: Vec<Function>,
    /// Named variables of the global and constant spaces.
    pub variables: Vec<Variable>,
    /// The slots of constant bank 4, 8 bytes each: `c[0x4][8*i]` holds the address of `addresses[i]`.
    pub addresses: Vec<Address>,
    /// Symbols that another module defines.
    pub externs: Vec<Extern>,
    /// The call graph: caller and callee, in the four groups of `.nv.callgraph` (the first holds plain calls).
    pub calls: [Vec<(String, String)>; 4],
    /// Records of `.nv.compat`; empty means the chip's usual ones.
    pub compat: Vec<Attribute>,
    /// Records of `.nv.info` for which there is no field.
    pub attributes: Vec<Attribute>,
    /// Sections for which there is no field.
    pub sections: Vec<Section>,
    /// Symbols for which there is no field.
    pub symbols: Vec<Symbol>,
}

/// The contents of `.note.nv.tkinfo` and `.note.nv.cuinfo`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Producer {
    /// Name of the tool; empty in a file of CUDA 12 or earlier, which has no notes.
    pub tool: String,
    /// Its version line.
    pub version: String,
    /// Its build line.
    pub build: String,
    /// The options it was called with.
    pub options: String,
    /// Toolkit version, as major * 10 + minor: 130 is 13.0.
    pub toolkit: u16,
    /// The virtual architecture of the input, as the number in `sm_90`.
    pub virtual_sm: u16,
}

impl Default for Producer {
    fn default() -> Self {
        Self {
            tool: "sassafras".into(),
            version: concat!("Sassafras ", env!("CARGO_PKG_VERSION")).into(),
            build: String::new(),
            options: String::new(),
            toolkit: 130,
            virtual_sm: 90,
        }
    }
}

/// A function with a text section of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Whether a host can launch it.
    pub entry: bool,
    /// Who sees its symbol.
    pub binding: Binding,
    /// Its instruction words, padding included; words are 16 bytes, and a section is padded to 128.
    pub code: Vec<u128>,
    /// Other functions inside the same text section.
    pub subroutines: Vec<Subroutine>,
    /// Registers a thread takes: the highest R that the code names, plus 1, plus 2 that the hardware keeps.
    pub registers: u32,
    /// How many named barriers it uses (0 to 16).
    pub barriers: u8,
    /// Its parameters, by ordinal.
    pub params: Vec<Param>,
    /// Offset in constant bank 0 at which its parameters begin (0x210 on sm_90).
    pub param_base: u32,
    /// Size of the parameters in bytes, padding between them included.
    pub param_size: u32,
    /// Its statically allocated shared memory, when it has a section for it.
    pub shared: Option<Shared>,
    /// Bytes of stack its own frame takes.
    pub frame_size: u32,
    /// Bytes of stack it needs with everything it calls; entries only. [`UNKNOWN_STACK`] where it or a function that it calls calls itself.
    pub min_stack: Option<u32>,
    /// Byte offsets of its `EXIT` instructions.
    pub exit_offsets: Vec<u32>,
    /// Byte offsets of its shuffles and votes (warp-wide instructions with a member mask).
    pub coop_group_offsets: Vec<u32>,
    /// For each of those the register that holds its mask, or `0xffffffff` for a constant.
    pub coop_group_masks: Vec<u32>,
    /// The register limit it was compiled under: `.maxnreg`, or 0xff.
    pub max_registers: u16,
    /// `.maxntid`.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqntid`.
    pub required_threads: Option<[u32; 3]>,
    /// Size of the call-return stack; present when there are calls or reconvergence points that need it.
    pub crs_stack_size: Option<u32>,
    /// Constant banks of its own, other than 0.
    pub banks: Vec<Bank>,
    /// Relocations in its code.
    pub relocations: Vec<Relocation>,
    /// Records of its `.nv.info` for which there is no field, in file order.
    pub attributes: Vec<Attribute>,
}

/// What [`Function::min_stack`] holds where ptxas cannot tell ("Stack size for entry function cannot be statically determined"): up to 12.5 and in
/// 13.5; 12.6 to 13.4 write 0.
pub const UNKNOWN_STACK: u32 = u32::MAX;

impl Function {
    /// Bytes of stack that it is known to need: with everything it calls where that is said, else its own frame.
    #[must_use]
    pub fn stack(&self) -> u32 {
        self.min_stack.filter(|&bytes| bytes != UNKNOWN_STACK).unwrap_or(self.frame_size)
    }
}

/// Who sees a symbol (ELF, `STB_LOCAL`, `STB_GLOBAL`, `STB_WEAK`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binding {
    /// This module alone: an `.entry` without `.visible`, which a host finds by name all the same.
    Local,
    /// Other modules too. ptxas 13.0.88 gives it to what it makes of a `.visible .func` that calls itself.
    #[default]
    Global,
    /// Other modules too, which may define it themselves.
    Weak,
}

/// A function that lies inside another's text section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subroutine {
    /// Its name.
    pub name: String,
    /// Byte offset of its first instruction.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
    /// Who sees its symbol.
    pub binding: Binding,
    /// Bytes of stack its frame takes.
    pub frame_size: Option<u32>,
}

/// One kernel parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Param {
    /// Its position, from 0.
    pub ordinal: u16,
    /// Byte offset from the first parameter.
    pub offset: u16,
    /// Size in bytes (14 bits).
    pub size: u32,
    /// For a pointer, log2 of the alignment of what it points to.
    pub pointee_align: u8,
    /// For a pointer, the number of the space it points to.
    pub pointee_space: u8,
}

/// Statically allocated shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The program's bytes, without those the system keeps (1 KiB on sm_90, at the start).
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
}

/// The address space of a [`Variable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Global memory.
    Global,
    /// Constant bank 3.
    Constant,
}

/// A variable of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where it lives.
    pub space: Space,
    /// Byte offset in its section (`.nv.global`, `.nv.global.init` or `.nv.constant3`).
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes, as far as it is known; the reader gives its section's.
    pub align: u64,
    /// Its first bytes (exactly `size`), or `None` for zeros that take no room in the file.
    pub init: Option<Vec<u8>>,
    /// Addresses inside `init`; offsets count from the variable's start.
    pub relocations: Vec<Relocation>,
    /// Whether other modules see it.
    pub exported: bool,
    /// Whether its symbol is weak: other modules see it too, and may define it themselves.
    pub weak: bool,
    /// `st_other` of its symbol: 4 marks a managed variable.
    pub other: u8,
}

/// One slot of constant bank 4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The variable or function whose address the slot holds.
    pub symbol: String,
    /// What is added to it, in bytes.
    pub addend: i64,
}

/// A symbol defined elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extern {
    /// Its name.
    pub name: String,
    /// Whether it is a function (else a variable).
    pub function: bool,
}

/// A constant bank that belongs to one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bank {
    /// Its number (2 holds what ptxas's optimiser puts there).
    pub number: u8,
    /// Its contents.
    pub data: Vec<u8>,
    /// Alignment in bytes.
    pub align: u64,
}

/// A place that a linker or loader fills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Byte offset of the place.
    pub offset: u64,
    /// `R_CUDA_*` number: 2 is a 64-bit address, 4 a 64-bit generic address.
    pub kind: u32,
    /// Name of the symbol.
    pub symbol: String,
    /// What is added to the symbol's value.
    pub addend: i64,
}

impl Relocation {
    /// What of the symbol's 64-bit value the place takes in data: [`relocation::part`].
    #[must_use]
    pub fn part(&self) -> Option<(usize, u32)> {
        relocation::part(self.kind)
    }
}

/// A section that the model does not explain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// `sh_type`.
    pub kind: u32,
    /// `sh_flags`.
    pub flags: u64,
    /// The section that `sh_link` names, if any.
    pub link: Option<String>,
    /// The section that `sh_info` names, if any.
    pub info: Option<String>,
    /// Alignment in bytes.
    pub align: u64,
    /// `sh_entsize`.
    pub entry_size: u64,
    /// Its bytes, or none for a section without any in the file.
    pub data: Option<Vec<u8>>,
    /// Its size in memory, in bytes.
    pub size: u64,
    /// Relocations in it.
    pub relocations: Vec<Relocation>,
}

/// A symbol that the model does not explain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// `st_info`: type in the low four bits, binding in the high four.
    pub info: u8,
    /// `st_other`.
    pub other: u8,
    /// The section it lies in, if any.
    pub section: Option<String>,
    /// `st_value`.
    pub value: u64,
    /// `st_size`.
    pub size: u64,
}

impl Section {
    /// Whether it holds line information, which stands behind `.debug_frame`.
    pub fn is_lines(&self) -> bool {
        LINES.contains(&self.name.as_str())
    }
}

/// Names of the sections of line information, in the order in which they stand behind `.debug_frame`.
pub const LINES: [&str; 4] = [".debug_line", ".debug_str", ".nv_debug_line_sass", ".nv_debug_ptx_txt"];
