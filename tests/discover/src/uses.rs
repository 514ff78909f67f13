//! Registers read and written by every instruction of cubins, and by recorded words put into a cubin, against nvdisasm's register life
//! ranges.

use anyhow::{Context, Result};
use object::{Object, ObjectSection};
use rustc_hash::FxHashMap;
use sassafras_isa::{Chip, ControlFlowKind, FieldKind, FormId, Inst, Meaning, decode};
use sassafras_live as live;
use sassafras_oracle::Nvdisasm;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

/// Words of one form that differ in nothing but registers and numbers, of which so many are compared.
const ALIKE: usize = 3;

/// What was compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Instructions with a line in the listing.
    pub instructions: usize,
    /// Those with the same reads and writes.
    pub same: usize,
    /// Those that do not decode.
    pub unknown: usize,
    /// Those that the listing is known to be silent about: predicates moved as a file, and, of bare words, what leaves the straight path.
    pub silent: usize,
    /// Calls with the same reads and writes but for those that nvdisasm ascribes to what is called.
    pub calls: usize,
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
            one(word, &format!("{name}+{offset:#x}"), (&visible(&reads), &visible(&writes)), chip, count);
        }
    }
    Ok(())
}

/// Compares distinct words: a few of each form with the same values of all but registers and numbers.
pub fn words(words: &[u128], chip: Chip, ptxas: &Path, nvdisasm: &Path, count: &mut Count) -> Result<()> {
    let mut alike: FxHashMap<(FormId, Vec<u64>), usize> = FxHashMap::default();
    let mut chosen = Vec::new();
    for &word in words {
        let Ok(inst) = decode(word, chip) else {
            count.instructions += 1;
            count.unknown += 1;
            continue;
        };
        let seen = alike.entry((inst.form, kind(&inst))).or_default();
        *seen += 1;
        if *seen > ALIKE {
            continue;
        }
        if leaves(&inst) {
            count.instructions += 1;
            count.silent += 1;
        } else {
            chosen.push(word);
        }
    }
    for (word, seen) in chosen.iter().zip(live::accesses(&chosen, chip, ptxas, nvdisasm)?) {
        match seen {
            Some((reads, writes)) => one(*word, "a word", (&visible(&reads), &visible(&writes)), chip, count),
            None => {
                count.instructions += 1;
                count.silent += 1;
            }
        }
    }
    Ok(())
}

/// What decides which operands there are and how wide: enums, flags, and which registers are constants.
fn kind(inst: &Inst) -> Vec<u64> {
    let fields = inst.row().fields.iter().zip(&inst.fields);
    let of = |(field, &value): (&sassafras_isa::Field, &u64)| match field.kind {
        FieldKind::Register { class, .. } => Some(u64::from(class.constant() == Some(value))),
        FieldKind::Enum | FieldKind::Flag => Some(value),
        _ => None,
    };
    fields.filter_map(of).collect()
}

/// Whether the instruction leaves the straight path, which nvdisasm follows.
fn leaves(inst: &Inst) -> bool {
    use ControlFlowKind as C;
    let row = inst.row();
    match row.control_flow {
        Some(C::Branch | C::IndirectBranch | C::Call | C::Return | C::Exit | C::Trap) => true,
        None | Some(C::Push | C::Sync | C::Break | C::Warp | C::Block) => {
            row.fields.iter().any(|field| matches!(field.kind, FieldKind::Target { .. }))
        }
    }
}

type Sets<'a> = (&'a BTreeSet<String>, &'a BTreeSet<String>);

fn one(word: u128, place: &str, theirs: Sets<'_>, chip: Chip, count: &mut Count) {
    count.instructions += 1;
    let Ok(inst) = decode(word, chip) else {
        count.unknown += 1;
        return;
    };
    let (read, written) = live::shown(&inst, chip);
    if (&read, &written) == theirs {
        count.same += 1;
    } else if moves_predicates(&inst) {
        count.silent += 1;
    } else if calls(&inst, (&read, &written), theirs) {
        count.calls += 1;
    } else {
        let entry = count.faults.entry(inst.form.to_string()).or_default();
        entry.0 += 1;
        entry.1 = format!(
            "{place} {word:#034x}: reads {read:?}, nvdisasm {:?}; writes {written:?}, nvdisasm {:?}",
            theirs.0, theirs.1
        );
    }
}

/// Whether a call differs in no more than what nvdisasm ascribes to what is called: it reads R0 and R1, and may overwrite predicates, uniform
/// registers and general ones but R2 and R16 to R31.
fn calls(inst: &Inst, ours: Sets<'_>, theirs: Sets<'_>) -> bool {
    let general = |name: &str| name.strip_prefix('R').and_then(|n| n.parse::<u32>().ok());
    let read = |name: &String| matches!(name.as_str(), "R0" | "R1");
    let written = |name: &String| general(name).is_none_or(|n| !(n == 2 || (16..32).contains(&n)));
    inst.row().control_flow == Some(ControlFlowKind::Call)
        && ours.0.is_subset(theirs.0)
        && ours.1.is_subset(theirs.1)
        && theirs.0.difference(ours.0).all(read)
        && theirs.1.difference(ours.1).all(written)
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count { instructions, same, unknown, silent, calls, faults } = self;
        let faults: usize = faults.values().map(|fault| fault.0).sum();
        write!(
            f,
            "{instructions} instructions, {same} with nvdisasm's reads and writes, {calls} calls with those of what is called besides, \
             {silent} that it is silent on, {unknown} not decoded, {faults} others"
        )
    }
}

/// Without the uniform registers that only some listings show.
fn visible(set: &BTreeSet<String>) -> BTreeSet<String> {
    set.iter().filter(|name| !matches!(name.as_str(), "UR0" | "UR1" | "UR2" | "UR3")).cloned().collect()
}

fn moves_predicates(inst: &Inst) -> bool {
    matches!(inst.row().meaning, Meaning::P2r | Meaning::R2p | Meaning::Up2ur | Meaning::Ur2up)
}
