//! `figures errors`: ptxas's known errors on every chip, by every version of ptxas that is installed: `reports/ptxas-open.md`.

use super::binary;
use crate::process::cargo;
use anyhow::{Context, Result, bail};
use std::path::Path;

/// The report.
const REPORT: &str = "reports/ptxas-open.md";

/// Runs `tests/corpus/examples/errors.rs` with the prover, and writes what it prints.
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
    std::fs::write(root.join(REPORT), &out.stdout).with_context(|| REPORT.to_owned())?;
    println!("{REPORT} is written");
    Ok(())
}
