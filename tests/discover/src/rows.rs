//! Every row of the table against nvdisasm, on every chip that it claims: random field assignments by text, some by registers too.

use anyhow::Result;
use sassafras_isa::{Chip, FormId, forms};
use sassafras_live as live;
use std::path::Path;

/// Words per form whose registers are compared, by the share of those whose text is.
const REGISTERS: usize = 100;

/// What holding the rows of one chip against nvdisasm found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Rows that claim the chip.
    pub rows: usize,
    /// Random words tried.
    pub words: usize,
    /// Words with the same text.
    pub equal: usize,
    /// Words whose registers were compared.
    pub registers: usize,
    /// Words whose registers were the same.
    pub same: usize,
    /// What was not.
    pub faults: Vec<String>,
}

/// Tries `n` words of each row of the chip. `bin` holds ptxas and nvdisasm.
pub fn rows(chip: Chip, n: usize, seed: u64, bin: &Path) -> Result<Count> {
    let ids: Vec<FormId> =
        (0..forms().len() as u16).map(FormId).filter(|id| id.get().chips.contains(chip)).collect();
    let (ptxas, nvdisasm) = (bin.join("ptxas"), bin.join("nvdisasm"));
    let mut count = Count { rows: ids.len(), ..Count::default() };
    // In parts, so that the words of all rows need not be in memory together.
    for (k, part) in ids.chunks(40).enumerate() {
        let report = live::compare(part, chip, n, seed + k as u64, &nvdisasm)?;
        count.words += report.words.iter().map(|(_, n)| n).sum::<usize>();
        count.equal += report.equal.iter().map(|(_, n)| n).sum::<usize>();
        let shown = report.differences.iter().take(5);
        count.faults.extend(shown.map(|d| {
            let theirs = d.theirs.as_deref().unwrap_or("(refused)");
            format!("{}: {:#034x} ours `{}` theirs `{theirs}`", d.form, d.word, d.ours)
        }));
    }
    let found = live::registers(&ids, chip, (n / REGISTERS).max(2), seed, &ptxas, &nvdisasm)?;
    count.registers = found.compared.iter().map(|(_, n)| n).sum();
    count.same = count.registers - found.disagreements.len();
    let shown = found.disagreements.iter().take(20);
    count.faults.extend(
        shown.map(|d| format!("{}: {:#034x} reads {:?} writes {:?}", d.form, d.word, d.reads, d.writes)),
    );
    Ok(count)
}
