//! The table of SASS held against NVIDIA's own disassembler: text, and registers read and written. It runs `nvdisasm` and `ptxas`, so that it stands apart from
//! the table, on which proofs rest.

mod registers;

pub use registers::{Accesses, Disagreement, Registers, accesses, life_ranges, ours, registers, shown};

use sassafras_chip::Chip;
use sassafras_isa::{
    Control, EncodeError, FormId, Inst, Rng, Style, Targets, encode_anywhere, generate, print,
};
use std::io;
use std::path::Path;
use std::process::Command;

/// A word whose text differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Form of the instruction that made the word.
    pub form: FormId,
    /// The word.
    pub word: u128,
    /// What the table says.
    pub ours: String,
    /// What nvdisasm says; `None` when it calls the word illegal.
    pub theirs: Option<String>,
}

/// What a comparison found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Words compared, per form in the order given.
    pub words: Vec<(FormId, usize)>,
    /// Words whose text was equal, per form in the order given.
    pub equal: Vec<(FormId, usize)>,
    /// The others.
    pub differences: Vec<Difference>,
}

/// Makes `n` random instructions of each form, and compares our text with nvdisasm's.
///
/// # Errors
/// When nvdisasm cannot be run or a temporary file not be written.
pub fn compare(forms: &[FormId], chip: Chip, n: usize, seed: u64, nvdisasm: &Path) -> io::Result<Report> {
    let mut rng = Rng(seed);
    let mut made: Vec<(Inst, u128)> = Vec::new();
    for &form in forms {
        for _ in 0..n {
            let mut inst = generate(form, &mut rng);
            inst.control = Control { wait_mask: 0, ..Control::SAFE };
            let word = word(&inst, chip).map_err(|e| io::Error::other(format!("{form}: {e}")))?;
            made.push((inst, word));
        }
    }
    let words: Vec<u128> = made.iter().map(|(_, word)| *word).collect();
    let texts = disassemble(&words, chip, nvdisasm)?;
    let mut report = Report::default();
    for &form in forms {
        report.words.push((form, n));
        report.equal.push((form, 0));
    }
    for (i, ((inst, word), theirs)) in made.into_iter().zip(texts).enumerate() {
        let address = 16 * (i % BATCH) as u64;
        let ours = print(&inst, &Style { targets: Targets::At(address), ..Style::default() });
        if theirs.as_deref() == Some(&ours) {
            report.equal[i / n].1 += 1;
        } else {
            report.differences.push(Difference { form: inst.form, word, ours, theirs });
        }
    }
    Ok(report)
}

/// The word of an instruction on a chip, whether or not its row claims to hold there; for sweeps over chips and
/// control bits.
///
/// # Errors
/// As [`sassafras_isa::encode`], but for the chip.
pub fn word(inst: &Inst, chip: Chip) -> Result<u128, EncodeError> {
    encode_anywhere(inst, chip)
}

/// Words in one run of nvdisasm.
const BATCH: usize = 40_000;
/// Does nothing; put in the place of words that nvdisasm refuses.
const NOP: u128 = 0x000f_c000_0000_0000_0000_0000_0000_7918;

/// nvdisasm's text for each word, at addresses 0, 16, … of its batch; `None` for an illegal word.
///
/// # Errors
/// When nvdisasm cannot be run or a temporary file not be written.
pub fn disassemble(words: &[u128], chip: Chip, nvdisasm: &Path) -> io::Result<Vec<Option<String>>> {
    let mut texts = Vec::new();
    for batch in words.chunks(BATCH) {
        let mut words = batch.to_vec();
        let mut illegal = vec![false; words.len()];
        let listing = loop {
            let output = run(&words, chip, nvdisasm)?;
            let errors = String::from_utf8_lossy(&output.stderr);
            let mut new = false;
            for line in errors.lines() {
                let address = line.rsplit_once("at address 0x").and_then(|(_, hex)| {
                    let end = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
                    usize::from_str_radix(&hex[..end], 16).ok()
                });
                if let Some(i) = address.map(|a| a / 16).filter(|&i| i < words.len() && !illegal[i]) {
                    illegal[i] = true;
                    words[i] = NOP;
                    new = true;
                }
            }
            if output.status.success() {
                break String::from_utf8_lossy(&output.stdout).into_owned();
            }
            if !new {
                return Err(io::Error::other(format!("nvdisasm failed: {errors}")));
            }
        };
        let mut found = vec![None; words.len()];
        for line in listing.lines() {
            if let Some((address, text)) = listed(line)
                && let Some(slot) = found.get_mut(address / 16)
            {
                *slot = Some(text);
            }
        }
        let legal = |(text, illegal): (Option<String>, bool)| {
            text.filter(|t| !illegal && !t.contains("???") && !t.contains("INVALID"))
        };
        texts.extend(found.into_iter().zip(illegal).map(legal));
    }
    Ok(texts)
}

fn run(words: &[u128], chip: Chip, nvdisasm: &Path) -> io::Result<std::process::Output> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let name = format!("sassafras-isa-{}-{:p}.bin", std::process::id(), words.as_ptr());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, bytes)?;
    let output = Command::new(nvdisasm)
        .arg("-b")
        .arg(format!("SM{}", chip.number()))
        .args(["-ndf", "-c"])
        .arg(&path)
        .output();
    std::fs::remove_file(&path)?;
    output
}

/// Address and text of a line `/*0010*/ TEXT ;`.
fn listed(line: &str) -> Option<(usize, String)> {
    let (address, rest) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
    let text = rest.trim().strip_suffix(';')?.trim_end();
    let text = text.replace("INF ,", "INF,").replace("NAN ,", "NAN,").replace("-0.0 ,", "-0.0,");
    Some((usize::from_str_radix(address, 16).ok()?, text.trim_end().to_owned()))
}
