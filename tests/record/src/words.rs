//! The words of a cubin's code.

use anyhow::{Context, Result};
use object::{Object, ObjectSection, SectionFlags, elf};
use std::collections::BTreeSet;

/// Adds the words of every section that holds code, and says how many they are.
pub fn collect(cubin: &[u8], all: &mut BTreeSet<u128>) -> Result<usize> {
    let mut count = 0;
    let file = object::File::parse(cubin).context("a cubin")?;
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
        if sh_flags.0 & elf::SHF_EXECINSTR.0 != 0 {
            let chunks = section.data()?.chunks_exact(16);
            count += chunks.len();
            all.extend(chunks.map(|c| u128::from_le_bytes(c.try_into().unwrap_or_default())));
        }
    }
    Ok(count)
}
