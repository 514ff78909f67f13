//! `figures placement` and `figures folding`: instructions, taken branches, issue cycles, loops of two branches and bytes of code over the corpus, by the order
//! of blocks, and each order with and without branch folding. `figures phases`: the time of each phase and judge as functions grow.

use crate::process::{cargo, run};
use anyhow::{Result, bail};
use std::path::Path;

/// Runs `tests/corpus/examples/placement.rs` over the whole corpus.
pub fn placement(root: &Path, folding: bool) -> Result<()> {
    example(root, "placement", &["--folding", if folding { "true" } else { "false" }])
}

/// Runs `tests/corpus/examples/phases.rs`.
pub fn phases(root: &Path) -> Result<()> {
    example(root, "phases", &[])
}

fn example(root: &Path, name: &str, arguments: &[&str]) -> Result<()> {
    let words = ["run", "--quiet", "--release", "--package", "sassafras-corpus", "--example", name, "--"];
    match run(&mut cargo(root, &[&words[..], arguments].concat()))? {
        Some(0) => Ok(()),
        _ => bail!("`{name}` did not measure"),
    }
}
