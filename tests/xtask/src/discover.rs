//! `cargo xtask discover`: the crate that finds forms, as a program.

use crate::process::{cargo, run};
use anyhow::{Result, bail};
use std::path::Path;

/// Starts it with these arguments.
pub fn discover(root: &Path, rest: &[String]) -> Result<()> {
    let mut command = cargo(root, &["run", "--quiet", "--package", "sassafras-discover", "--"]);
    match run(command.args(rest))? {
        Some(0) => Ok(()),
        code => bail!("discover ended with {code:?}"),
    }
}
