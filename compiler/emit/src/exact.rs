//! A cubin as it stands, every section read into types, and back to the same bytes.
//!
//! [`Cubin`](sassafras_cubin::Cubin) says what a file means and is written in a layout of our own; a [`File`] says what stands where, for
//! every chip and every compiler: `write(read(bytes)) == bytes`, or [`read`] gives an error with an offset. What
//! has no type of its own ([`Contents::Bytes`]) is carried through.

mod contents;
mod file;
mod note;
mod place;

pub use contents::{Contents, Relocation, Symbol};
pub use file::{File, Section, Segment};
pub use note::{Note, Said};
pub use place::{read, write};

use file::SHARED_RESERVED;
use sassafras_cubin::elf::constants as c;

/// NVIDIA's types of sections: `sh_type`, the name that readers use, and what is known of the contents.
///
/// Source: `cuobjdump -elf` 13.2.51 and comparison of ptxas's cubins for the chips of [`sassafras_cubin::layout()`].
pub const KINDS: &[(u32, &str, &str)] = &[
    (c::CUDA_INFO, "CUDA_INFO", "records about a function or the file"),
    (c::CUDA_CALLGRAPH, "CUDA_CALLGRAPH", "pairs of symbols, in four groups"),
    (0x7000_0002, "CUDA_PROTOTYPE", "two words for each routine of the library that an object calls"),
    (0x7000_0008, "CUDA_GLOBAL_INIT", "a variable's first bytes"),
    (c::CUDA_SHARED, "CUDA_SHARED", "size of the shared memory of a function of a relocatable object"),
    (
        c::CUDA_RELOCINFO,
        "CUDA_RELOCINFO",
        "which relocations the loader applies how; 16 constant bytes up to sm_89",
    ),
    (SHARED_RESERVED, "CUDA_SHARED_RESERVED", "size of the shared memory that the system keeps"),
    (
        0x7000_0016,
        "MERC_CAPSULE",
        "sm_100 and later: what a finalizer needs to make the code again for a later chip; carried through",
    ),
    (0x7000_007c, "MERC_CONSTANT_USER", "sm_100 and later: carried through"),
    (0x7000_007d, "MERC_CONSTANT_PIC", "sm_100 and later: carried through"),
    (0x7000_0082, "MERC_RELA", "sm_100 and later: relocations of a mercury section"),
    (0x7000_0083, "MERC_INFO", "sm_100 and later: records as in CUDA_INFO, about the mercury code"),
    (
        0x7000_0084,
        "MERC_CONSTANT_OPTIMIZER",
        "sm_100 and later: constants that the compiler made; carried through",
    ),
    (0x7000_0085, "MERC_SYMTAB", "sm_100 and later: symbols as in an ELF symbol table, of the mercury code"),
    (0x7000_008a, "MERC_CALLGRAPH", "sm_100 and later: pairs of symbols of the mercury code"),
    (c::CUDA_COMPAT, "CUDA_COMPAT", "records about which code the loader may run; sm_90 and later"),
];

/// Constant banks of a relocatable object have a type each, from this one on.
const BANKS: std::ops::Range<u32> = 0x7000_0064..0x7000_0076;

/// What is known of a section's type.
pub fn kind(sh_type: u32) -> Option<(&'static str, &'static str)> {
    if BANKS.contains(&sh_type) {
        return Some((
            "CUDA_CONSTANT",
            "bytes of a constant bank of a relocatable object; the type says which",
        ));
    }
    KINDS.iter().find(|(k, ..)| *k == sh_type).map(|(_, name, what)| (*name, *what))
}
