//! `figures placement` and `figures folding`: instructions, taken branches, issue cycles, loops of two branches and bytes of code over the corpus, by the order
//! of blocks, and each order with and without branch folding. `figures phases`: the time of each phase and judge as functions grow, and of the whole compiler against ptxas -O3.

use crate::process::{cargo, run};
use anyhow::{Result, bail};
use sassafras_oracle::{Tools, table};
use std::path::Path;

/// Runs `tests/corpus/examples/placement.rs` over the whole corpus.
pub fn placement(root: &Path, folding: bool) -> Result<()> {
    example(root, "placement", &["--folding", if folding { "true" } else { "false" }])
}

/// Runs `tests/corpus/examples/phases`, against ptxas where it is installed.
pub fn phases(root: &Path) -> Result<()> {
    let ours = super::binary::binary(root, true)?.display().to_string();
    let ptxas = match Tools::find(root).ptxas(table::CUDA) {
        Ok(ptxas) => ptxas.path().display().to_string(),
        Err(missing) => {
            eprintln!("not compared with ptxas: {missing}");
            return example(root, "phases", &[]);
        }
    };
    example(root, "phases", &["--ours", &ours, "--ptxas", &ptxas])
}

fn example(root: &Path, name: &str, arguments: &[&str]) -> Result<()> {
    let words = ["run", "--quiet", "--release", "--package", "sassafras-corpus", "--example", name, "--"];
    match run(&mut cargo(root, &[&words[..], arguments].concat()))? {
        Some(0) => Ok(()),
        _ => bail!("`{name}` did not measure"),
    }
}
