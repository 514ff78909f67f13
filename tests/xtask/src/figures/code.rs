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

/// Runs `tests/corpus/examples/large.rs`: our code for the kernels of `corpus/large` against ptxas's.
pub fn large(root: &Path) -> Result<()> {
    run_example(root, "large", &[])
}

/// Runs `tests/corpus/examples/executed/main.rs`: what our code for the kernels of `corpus/loops` issues, against ptxas's.
pub fn executed(root: &Path) -> Result<()> {
    run_example(root, "executed", &[])
}

/// What each pass that can be left out saves these kernels, as `reports/passes.md`.
pub fn passes(root: &Path) -> Result<()> {
    run_example(root, "large", &["--", "--passes", "reports/passes.md"])
}

fn example(root: &Path, more: &[&str]) -> Result<()> {
    run_example(root, "code", more)
}

fn run_example(root: &Path, name: &str, more: &[&str]) -> Result<()> {
    let words = ["run", "--quiet", "--package", "sassafras-corpus", "--example", name];
    let words = [&words, more].concat();
    match run(&mut cargo(root, &words))? {
        Some(0) => Ok(()),
        _ => bail!("the code was not compared"),
    }
}
