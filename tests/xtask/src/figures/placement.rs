//! `figures placement` and `figures folding`: instructions, taken branches, issue cycles, loops of two branches and bytes of code over the corpus, by the order
//! of blocks, and each order with and without branch folding.

use crate::process::{cargo, run};
use anyhow::{Result, bail};
use std::path::Path;

/// Runs `tests/corpus/examples/placement.rs` over the whole corpus.
pub fn placement(root: &Path, folding: bool) -> Result<()> {
    let words = ["run", "--quiet", "--release", "--package", "sassafras-corpus", "--example", "placement"];
    let asked = ["--", "--folding", if folding { "true" } else { "false" }];
    match run(&mut cargo(root, &[&words[..], &asked].concat()))? {
        Some(0) => Ok(()),
        _ => bail!("the orders were not measured"),
    }
}
