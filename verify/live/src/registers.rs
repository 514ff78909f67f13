//! Reads and writes held against nvdisasm's register life ranges (`-plr`), which shows for each instruction which registers it
//! reads and writes, widths and hidden operands included.
//!
//! The listing needs a cubin: one is made with ptxas from a kernel of many stores, and its code is overwritten. Forms that
//! leave the straight path are left out, because nvdisasm follows them. Faults of the tool are known and left out: it shows no
//! uniform register below UR4; no predicates for P2R, R2P and their uniform kin; from sm_100 on of the second operand and of the
//! second pair of results of a texture instruction the first register alone, though ptxas fills and uses the others; and of a
//! copy to shared memory a pair for the 32-bit address and the predicate as written.

use sassafras_chip::Chip;
use sassafras_isa::{
    Access, ControlFlowKind as C, FieldKind, FormId, Inst, Meaning, MemoryKind, Operand, RegClass, Rng,
    encode, generate,
};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::io;
use std::path::Path;
use std::process::Command;

/// An instruction whose registers nvdisasm sees otherwise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// Its form.
    pub form: FormId,
    /// Its word.
    pub word: u128,
    /// Registers that one side reads and the other does not.
    pub reads: Vec<String>,
    /// Registers that one side writes and the other does not.
    pub writes: Vec<String>,
}

/// What the comparison found: instructions compared per form, and disagreements.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Registers {
    /// Words compared, per form; forms that cannot be compared are absent.
    pub compared: Vec<(FormId, usize)>,
    /// The words that differ.
    pub disagreements: Vec<Disagreement>,
}

/// Registers as the listing names them: `R5`, `P2`, `UR4`, `UP0`.
type Set = BTreeSet<String>;

/// Compares the operands of `n` random instructions of each form with nvdisasm's.
///
/// # Errors
/// When a tool cannot be run, or its output is not understood.
pub fn registers(
    forms: &[FormId],
    chip: Chip,
    n: usize,
    seed: u64,
    ptxas: &Path,
    nvdisasm: &Path,
) -> io::Result<Registers> {
    let comparable = |id: &&FormId| {
        let row = id.get();
        let whole_file = matches!(row.meaning, Meaning::P2r | Meaning::R2p | Meaning::Up2ur | Meaning::Ur2up);
        let target = row.fields.iter().any(|field| matches!(field.kind, FieldKind::Target { .. }));
        let leaves = match row.control_flow {
            None | Some(C::Push | C::Sync | C::Break | C::Warp | C::Block) => false,
            Some(C::Branch | C::IndirectBranch | C::Call | C::Return | C::Exit | C::Trap) => true,
        };
        !whole_file && !target && !leaves
    };
    let mut rng = Rng(seed);
    let mut list: Vec<(Inst, u128)> = Vec::new();
    let mut found = Registers::default();
    for &form in forms.iter().filter(comparable) {
        found.compared.push((form, n));
        for _ in 0..n {
            let inst = Inst { control: form.get().control.safe(), ..generate(form, &mut rng) };
            let word = encode(&inst, chip).map_err(io::Error::other)?;
            list.push((inst, word));
        }
    }
    let directory = std::env::temp_dir().join(format!("sassafras-isa-registers-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let result = compare(&list, chip, &directory, ptxas, nvdisasm);
    std::fs::remove_dir_all(&directory)?;
    let (disagreements, silent) = result?;
    found.disagreements = disagreements;
    for (form, n) in &mut found.compared {
        *n -= silent.iter().filter(|other| *other == form).count();
    }
    Ok(found)
}

/// Registers that an instruction reads, and those that it writes, as nvdisasm's listing names them: `R5`, `P2`, `UR4`.
pub type Accesses = (BTreeSet<String>, BTreeSet<String>);

/// Reads and writes of any words, by nvdisasm's register life ranges; `None` where the listing has no line for a word.
///
/// # Errors
/// When a tool cannot be run, or its output is not understood.
pub fn accesses(
    words: &[u128],
    chip: Chip,
    ptxas: &Path,
    nvdisasm: &Path,
) -> io::Result<Vec<Option<Accesses>>> {
    let directory = std::env::temp_dir().join(format!("sassafras-isa-accesses-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let result = patched(words, chip, &directory, ptxas, nvdisasm);
    std::fs::remove_dir_all(&directory)?;
    result
}

fn patched(
    words: &[u128],
    chip: Chip,
    directory: &Path,
    ptxas: &Path,
    nvdisasm: &Path,
) -> io::Result<Vec<Option<Accesses>>> {
    let template = template(chip, directory, ptxas)?;
    let mut found = Vec::with_capacity(words.len());
    for part in words.chunks(template.2 - 1) {
        listed(part, &template, directory, nvdisasm, &mut found)?;
    }
    Ok(found)
}

/// Writes the words over the template's code and reads the listing. Where one word spoils the whole listing, the halves tell which.
fn listed(
    words: &[u128],
    template: &(Vec<u8>, usize, usize),
    directory: &Path,
    nvdisasm: &Path,
    found: &mut Vec<Option<Accesses>>,
) -> io::Result<()> {
    let (cubin, start, room) = template;
    let mut bytes = cubin.clone();
    for slot in 0..*room {
        let word = words.get(slot).copied().unwrap_or(EXIT);
        bytes[start + 16 * slot..start + 16 * slot + 16].copy_from_slice(&word.to_le_bytes());
    }
    let path = directory.join("patched.cubin");
    std::fs::write(&path, bytes)?;
    let output = Command::new(nvdisasm).args(["-c", "-plr"]).arg(&path).output()?;
    let mut listing = listing(&String::from_utf8_lossy(&output.stdout));
    if !listing.contains_key(&0) && words.len() > 1 {
        let (one, two) = words.split_at(words.len() / 2);
        listed(one, template, directory, nvdisasm, found)?;
        return listed(two, template, directory, nvdisasm, found);
    }
    found.extend((0..words.len()).map(|slot| listing.remove(&(16 * slot))));
    Ok(())
}

fn compare(
    list: &[(Inst, u128)],
    chip: Chip,
    directory: &Path,
    ptxas: &Path,
    nvdisasm: &Path,
) -> io::Result<(Vec<Disagreement>, Vec<FormId>)> {
    let (mut silent, words) = (Vec::new(), list.iter().map(|(_, word)| *word).collect::<Vec<u128>>());
    let mut disagreements = Vec::new();
    let found = patched(&words, chip, directory, ptxas, nvdisasm)?;
    for ((inst, word), seen) in list.iter().zip(found) {
        // A word that spoils the listing even alone, such as WARPGROUP.DEPBAR, cannot be compared.
        let Some((reads, writes)) = seen else {
            silent.push(inst.form);
            continue;
        };
        let (read, written) = shown(inst, chip);
        let apart = |a: &Set, b: Set| a.symmetric_difference(&b).cloned().collect::<Vec<_>>();
        let (reads, writes) = (apart(&reads, read), apart(&writes, written));
        if !reads.is_empty() || !writes.is_empty() {
            disagreements.push(Disagreement { form: inst.form, word: *word, reads, writes });
        }
    }
    Ok((disagreements, silent))
}

/// The first uniform register that a patched listing shows.
const FIRST_SHOWN: u32 = 4;
const EXIT: u128 = 0x000f_ea00_0380_0000_0000_0000_0000_794d;

/// A cubin, the place of its code and how many instructions it has.
fn template(chip: Chip, directory: &Path, ptxas: &Path) -> io::Result<(Vec<u8>, usize, usize)> {
    let mut ptx = format!(".version 9.0\n.target {chip}\n");
    ptx += ".address_size 64\n.visible .entry k(.param .u64 p)\n{ .reg .b64 %p; .reg .b32 %r;\n\
            ld.param.u64 %p, [p];\n";
    for i in 0..1500 {
        // Writing to a string cannot fail.
        let _ = writeln!(ptx, "st.volatile.global.u32 [%p+{}], {i};", 4 * i);
    }
    ptx += "ret; }\n";
    let (source, object) = (directory.join("k.ptx"), directory.join("k.cubin"));
    std::fs::write(&source, ptx)?;
    let output =
        Command::new(ptxas).arg(format!("-arch={chip}")).arg("-o").arg(&object).arg(&source).output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let bytes = std::fs::read(&object)?;
    let (start, size) =
        code(&bytes).ok_or_else(|| io::Error::other("ptxas's output has no section `.text.k`"))?;
    Ok((bytes, start, size / 16))
}

/// Offset and size of `.text.k` in an ELF64 file.
fn code(bytes: &[u8]) -> Option<(usize, usize)> {
    let number = |at: usize, size: usize| -> Option<usize> {
        let part = bytes.get(at..at + size)?;
        Some(part.iter().rev().fold(0, |v, &b| v << 8 | usize::from(b)))
    };
    let (table, entry, count, names) =
        (number(0x28, 8)?, number(0x3a, 2)?, number(0x3c, 2)?, number(0x3e, 2)?);
    let header = |i: usize| table + entry * i;
    let strings = number(header(names) + 0x18, 8)?;
    (0..count).map(header).find_map(|at| {
        let name = strings + number(at, 4)?;
        bytes.get(name..)?.starts_with(b".text.k\0").then_some(())?;
        Some((number(at + 0x18, 8)?, number(at + 0x20, 8)?))
    })
}

/// Reads and writes by offset in each section of code that a listing of `nvdisasm -c -plr` shows, with the section's name.
pub fn life_ranges(text: &str) -> Vec<(&str, HashMap<usize, Accesses>)> {
    let heads: Vec<(usize, &str)> = text
        .match_indices("\n//-")
        .filter_map(|(at, _)| {
            let line = text[at + 1..].lines().next()?;
            let name = line.split_whitespace().find(|word| word.starts_with(".text."))?;
            Some((at, name))
        })
        .collect();
    let ends = heads.iter().skip(1).map(|(at, _)| *at).chain([text.len()]);
    heads.iter().zip(ends).map(|(&(at, name), end)| (name, listing(&text[at..end]))).collect()
}

/// Registers that an instruction reads and writes by our table, as [`life_ranges`] names them; without what the listing
/// never shows: convergence barriers and the first uniform registers.
pub fn ours(inst: &Inst) -> Accesses {
    listing_of(inst, |op| op.units)
}

/// As [`ours`], less what nvdisasm is known not to show on this chip.
pub fn shown(inst: &Inst, chip: Chip) -> Accesses {
    // The address of a copy without a descriptor is one register where the text says .U32.
    let copy = matches!(inst.row().id, "ldgsts.sum.80" | "ldgsts.sum.100");
    let texture = chip.number() >= 100 && matches!(inst.row().mnemonic, "TEX" | "TLD" | "TLD4" | "TXD");
    // Its handle is two registers up to sm_110; from sm_120 on one is shown. The table keeps the pair.
    let handle = chip.number() >= 120 && inst.row().mnemonic == "TLD";
    let (mut reads, mut writes) = listing_of(inst, |op| {
        let second = matches!((op.name, op.access), ("b", Access::Read) | ("e", Access::Write));
        if copy && op.name == "a" && op.number < 254 {
            2
        } else if handle && op.name == "u"
            || texture && second && !(inst.row().mnemonic == "TXD" && op.name == "b")
        {
            1
        } else {
            op.units
        }
    });
    // The last uniform register of sm_100 and later has no column.
    reads.remove("UR79");
    writes.remove("UR79");
    // The predicate of a copy to shared memory is shown as written too; ptxas overwrites it at once.
    if inst.row().memory.is_some_and(|memory| memory.kind == MemoryKind::Copy) {
        let predicate = inst.operands().filter(|op| op.class == RegClass::P && op.name == "q");
        writes.extend(predicate.map(|op| format!("P{}", op.number)));
    }
    (reads, writes)
}

fn listing_of(inst: &Inst, units: impl Fn(&Operand) -> u8) -> Accesses {
    let of = |access| {
        // A run of uniform registers that begins below UR4 is not shown at all, even where it reaches further.
        let silent = |op: &Operand| op.class == RegClass::UR && op.number < FIRST_SHOWN;
        let operands =
            inst.operands().filter(move |op| op.access == access && op.class != RegClass::B && !silent(op));
        operands
            .flat_map(|op| {
                (0..u32::from(units(&op))).map(move |n| format!("{}{}", op.class.prefix(), op.number + n))
            })
            .collect()
    };
    (of(Access::Read), of(Access::Write))
}

/// Reads and writes by offset. The listing has a column per register under a heading per file; `v` is a read, `^` a
/// write and `x` both.
fn listing(text: &str) -> HashMap<usize, (Set, Set)> {
    let mut files: Vec<&str> = Vec::new();
    let mut columns: Vec<(String, usize, usize)> = Vec::new();
    let mut found = HashMap::new();
    for line in text.lines() {
        let Some(at) = line.find("// |") else { continue };
        let body = &line[at + 3..];
        if files.is_empty() {
            if body.contains("GPR") {
                files = body.split('|').map(str::trim).filter(|f| !f.is_empty()).collect();
            }
        } else if columns.is_empty() {
            if body.contains("# ") {
                let bars: Vec<usize> = body.match_indices('|').map(|(i, _)| i).collect();
                for (file, range) in files.iter().zip(bars.windows(2)) {
                    let prefix = match *file {
                        "GPR" => "R",
                        "PRED" => "P",
                        "UGPR" => "UR",
                        "UPRED" => "UP",
                        _ => continue,
                    };
                    columns.extend(
                        numbers(body, range[0], range[1]).map(|(n, a, b)| (format!("{prefix}{n}"), a, b)),
                    );
                }
            }
        } else if let Some(offset) = offset(line) {
            let (mut reads, mut writes) = (Set::new(), Set::new());
            for (name, from, to) in &columns {
                let cell = body.get(*from..*to).unwrap_or_default();
                if cell.contains(['v', 'x']) {
                    reads.insert(name.clone());
                }
                if cell.contains(['^', 'x']) {
                    writes.insert(name.clone());
                }
            }
            found.insert(offset, (reads, writes));
        }
    }
    found
}

/// The decimal numbers of a text between two places, with where they stand.
fn numbers(text: &str, from: usize, to: usize) -> impl Iterator<Item = (&str, usize, usize)> {
    let mut at = from;
    std::iter::from_fn(move || {
        let start = at + text.get(at..to)?.find(|c: char| c.is_ascii_digit())?;
        let end = text[start..to].find(|c: char| !c.is_ascii_digit()).map_or(to, |n| start + n);
        at = end;
        Some((&text[start..end], start, end))
    })
}

/// The offset in `/*0010*/`.
fn offset(line: &str) -> Option<usize> {
    let hex = line.trim_start().strip_prefix("/*")?.split_once("*/")?.0;
    usize::from_str_radix(hex, 16).ok()
}
