//! `figures chips`: what works on each chip, our code and ptxas's, made, read, run and proved: a table, with the most frequent reasons.

use super::binary::binary;
use crate::process::{cargo, run};
use anyhow::{Result, bail};
use std::path::Path;

/// Every so many programs of the corpus: the whole takes hours.
const EVERY: &str = "16";

/// Runs `tests/corpus/examples/chips.rs`, which takes options of its own, with the prover.
pub fn chips(root: &Path) -> Result<()> {
    let sassafras = binary(root, false)?;
    let mut table =
        cargo(root, &["run", "--quiet", "--package", "sassafras-corpus", "--example", "chips", "--"]);
    table.args(["--every", EVERY, "--prove"]).arg(sassafras);
    match run(&mut table)? {
        Some(0) => Ok(()),
        _ => bail!("the table was not made"),
    }
}
