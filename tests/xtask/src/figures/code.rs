//! `figures code`: instructions, registers, bytes through local memory and warps of each kernel of the corpus, ours against ptxas's as recorded.

use crate::process::{cargo, run};
use anyhow::{Result, bail};
use std::path::Path;

/// Runs `tests/corpus/examples/code.rs`, which takes options of its own, on sm_80, sm_90 and sm_120.
pub fn code(root: &Path) -> Result<()> {
    example(root, &[])
}

/// Our levels of optimisation against each other, and how long they take.
pub fn levels(root: &Path) -> Result<()> {
    example(root, &["--", "--levels"])
}

fn example(root: &Path, more: &[&str]) -> Result<()> {
    let words = ["run", "--quiet", "--package", "sassafras-corpus", "--example", "code"];
    let words = [&words, more].concat();
    match run(&mut cargo(root, &words))? {
        Some(0) => Ok(()),
        _ => bail!("the code was not compared"),
    }
}
