//! `figures placement`: taken branches, issue cycles, loops of two branches and bytes of code over the corpus, by the order of blocks.

use crate::process::{cargo, run};
use anyhow::{Result, bail};
use std::path::Path;

/// Runs `tests/corpus/examples/placement.rs` over the whole corpus.
pub fn placement(root: &Path) -> Result<()> {
    let words = ["run", "--quiet", "--release", "--package", "sassafras-corpus", "--example", "placement"];
    match run(&mut cargo(root, &words))? {
        Some(0) => Ok(()),
        _ => bail!("the orders were not measured"),
    }
}
