//! Where indirect branches go, as a cubin says.
//!
//! The record is its maker's word: what it leaves out is not looked at. `prove` finds the places itself.

use sassafras_cubin::Function;
use sassafras_cubin::attribute::{INDIRECT_BRANCH_TARGETS, Value};
use std::collections::BTreeSet;

/// Bytes of a word of code.
const WORD: u32 = 16;

/// Indirect branches and their targets, by the numbers of words. A record holds, for each branch, its offset, a word of 0, the number of targets,
/// and their offsets. Source: ptxas 13.0.88 and 13.5.37, and `cuobjdump -elf` of their cubins.
pub fn recorded(f: &Function) -> BTreeSet<(usize, usize)> {
    let mut jumps = BTreeSet::new();
    for record in f.attributes.iter().filter(|record| record.id == INDIRECT_BRANCH_TARGETS) {
        let Value::Bytes(bytes) = &record.value else { continue };
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let mut rest = &words[..];
        while let [from, _, count, after @ ..] = rest {
            let Some((targets, next)) = after.split_at_checked(*count as usize) else { break };
            let place = |offset: &u32| offset.is_multiple_of(WORD).then_some((offset / WORD) as usize);
            jumps.extend(targets.iter().filter_map(|to| Some((place(from)?, place(to)?))));
            rest = next;
        }
    }
    jumps
}
