//! Branches of a function that lead to no instruction of it.

use sassafras_chip::Chip;
use sassafras_cubin::Function;
use sassafras_isa::{FieldKind, Inst, decode};
use std::collections::BTreeSet;

/// Bytes of a word of code.
const WORD: u32 = 16;

/// Places of code and where they lead, if that is no instruction of it: byte offsets. Distances that the loader puts in are not looked at.
pub fn astray(f: &Function, chip: Chip) -> Vec<(u32, u64)> {
    let code = f.code.iter().zip((0u32..).step_by(WORD as usize));
    let read: Vec<(u32, Inst)> =
        code.filter_map(|(&word, at)| decode(word, chip).ok().map(|inst| (at, inst))).collect();
    lost(f, &read)
}

/// The same of a function whose words have been decoded: byte offsets and instructions.
pub fn lost(f: &Function, code: &[(u32, Inst)]) -> Vec<(u32, u64)> {
    if !f.relocations.is_empty() {
        return Vec::new();
    }
    let starts: BTreeSet<u32> = code.iter().map(|&(at, _)| at).collect();
    let mut all = Vec::new();
    for (at, inst) in code {
        for (field, &value) in inst.row().fields.iter().zip(&inst.fields) {
            let target = (u64::from(at + WORD)).wrapping_add(value);
            let lands = u32::try_from(target).is_ok_and(|target| starts.contains(&target));
            if matches!(field.kind, FieldKind::Target { .. }) && !lands {
                all.push((*at, target));
            }
        }
    }
    all
}
