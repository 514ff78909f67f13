//! `figures errors`: ptxas's known errors on every chip and level, by every version of ptxas that is installed. The table is `verify/lint/src/measured.csv`,
//! which `sassafras lint` reads; `reports/ptxas-open.md` is the same for people.

use super::binary::binary;
use crate::process::cargo;
use anyhow::{Context, Result, bail};
use sassafras_lint::measured::{Cell, Row, rows};
use std::collections::BTreeMap;
use std::path::Path;

const TABLE: &str = "verify/lint/src/measured.csv";
const REPORT: &str = "reports/ptxas-open.md";

/// Runs `tests/corpus/examples/errors.rs` with the prover, and writes what it prints. The report is that of the table that this program was built with:
/// it comes with the next run, `report`.
pub fn errors(root: &Path) -> Result<()> {
    let sassafras = binary(root, false)?;
    let mut table = cargo(
        root,
        &["run", "--quiet", "--package", "sassafras-corpus", "--example", "errors", "--", "--prove"],
    );
    let out = table.arg(sassafras).output()?;
    if !out.status.success() {
        bail!("the table was not made: {}", String::from_utf8_lossy(&out.stderr));
    }
    std::fs::write(root.join(TABLE), &out.stdout).with_context(|| TABLE.to_owned())?;
    println!("{TABLE} is written; `cargo xtask figures errors-report` writes the report");
    Ok(())
}

/// Writes the report from the table.
pub fn errors_report(root: &Path) -> Result<()> {
    std::fs::write(root.join(REPORT), report(&rows())).with_context(|| REPORT.to_owned())?;
    println!("{REPORT} is written");
    Ok(())
}

/// A line for each program, version, and set of levels at which the cells are the same.
fn report(rows: &[Row]) -> String {
    let mut out = String::from(
        "# ptxas's known errors on every chip\n\nWritten by `cargo xtask figures errors-report` from `verify/lint/src/measured.csv`, which `cargo xtask figures \
         errors` measures: each program of `corpus/ptxas-open`\nand `corpus/ptxas-errors`, compiled by each version of ptxas that is installed at each level, and its code \
         held against the PTX by `sassafras prove`. `differs`: the\nprover does not decide, and the executors' results differ. `-`: this ptxas refuses the program or the \
         chip. `within`: proved within a bound, or by an assumption.\n`sassafras lint` reads the same table.\n\n| program | ptxas | level |",
    );
    let Some(first) = rows.first() else { return out };
    first.cells.iter().for_each(|(chip, _)| out += &format!(" {chip} |"));
    out += "\n| --- | --- | --- |";
    first.cells.iter().for_each(|_| out += " --- |");
    let mut counts: BTreeMap<Cell, usize> = BTreeMap::new();
    let mut done: Vec<bool> = vec![false; rows.len()];
    for (i, row) in rows.iter().enumerate() {
        row.cells.iter().for_each(|(_, c)| *counts.entry(*c).or_default() += 1);
        if done[i] {
            continue;
        }
        let same = |r: &Row| r.program == row.program && r.ptxas == row.ptxas && r.cells == row.cells;
        let mut levels = Vec::new();
        for (j, other) in rows.iter().enumerate().filter(|(_, r)| same(r)) {
            levels.push(other.level);
            done[j] = true;
        }
        let word = |c: &Cell| if c.errs() { c.word().to_uppercase() } else { c.word().to_owned() };
        let cells: Vec<String> = row.cells.iter().map(|(_, c)| word(c)).collect();
        out +=
            &format!("\n| {} | {} | {} | {} |", row.program, row.ptxas, levels.join(" "), cells.join(" | "));
    }
    let counts: Vec<String> = counts.iter().map(|(c, n)| format!("`{}` {n}", c.word())).collect();
    out + &format!("\n\nCells: {}.\n", counts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_is_that_of_the_table() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let is = std::fs::read_to_string(root.join(REPORT)).expect("the report");
        assert!(
            is == report(&rows()),
            "{REPORT} is not made of {TABLE}: `cargo xtask figures errors-report`"
        );
    }
}
