//! Registers read and written by every instruction of cubins, against nvdisasm's register life ranges.

use anyhow::{Context, Result};
use object::{Object, ObjectSection};
use sassafras_isa::{Chip, Inst, Meaning, decode, live};
use sassafras_oracle::Nvdisasm;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What was compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Instructions with a line in the listing.
    pub instructions: usize,
    /// Those with the same reads and writes.
    pub same: usize,
    /// Those that do not decode.
    pub unknown: usize,
    /// Those that the listing is known to be silent about: predicates moved as a file.
    pub silent: usize,
    /// Others, by form: how many, and the first.
    pub faults: BTreeMap<String, (usize, String)>,
}

/// Compares every instruction of a cubin.
pub fn uses(bytes: &[u8], chip: Chip, nvdisasm: &Nvdisasm, folder: &Path, count: &mut Count) -> Result<()> {
    let path = folder.join("in.cubin");
    std::fs::write(&path, bytes)?;
    let listing = nvdisasm.run(&path, &["-c", "-plr"])?.stdout;
    let file = object::File::parse(bytes)?;
    for (name, lines) in live::life_ranges(&listing) {
        let section = file.section_by_name(name).with_context(|| format!("no section {name}"))?;
        let (words, _) = section.data()?.as_chunks::<16>();
        for (offset, (reads, writes)) in lines {
            let Some(word) = words.get(offset / 16).map(|w| u128::from_le_bytes(*w)) else { continue };
            count.instructions += 1;
            let Ok(inst) = decode(word, chip) else {
                count.unknown += 1;
                continue;
            };
            let (read, written) = live::ours(&inst);
            if (&read, &written) == (&visible(&reads), &visible(&writes)) {
                count.same += 1;
            } else if moves_predicates(&inst) {
                count.silent += 1;
            } else {
                let entry = count.faults.entry(inst.form.to_string()).or_default();
                entry.0 += 1;
                entry.1 = format!(
                    "{name}+{offset:#x} {word:#034x}: reads {read:?}, nvdisasm {reads:?}; writes {written:?}, nvdisasm {writes:?}"
                );
            }
        }
    }
    Ok(())
}

/// Without the uniform registers that only some listings show.
fn visible(set: &BTreeSet<String>) -> BTreeSet<String> {
    set.iter().filter(|name| !matches!(name.as_str(), "UR0" | "UR1" | "UR2" | "UR3")).cloned().collect()
}

fn moves_predicates(inst: &Inst) -> bool {
    matches!(inst.row().meaning, Meaning::P2r | Meaning::R2p | Meaning::Up2ur | Meaning::Ur2up)
}
