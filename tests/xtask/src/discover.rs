//! `cargo xtask discover` and `cargo xtask mine`: the crates that find forms and latencies, as programs.

use crate::process::{cargo, run};
use anyhow::{Result, bail};
use std::path::Path;

/// Starts `sassafras-NAME` with these arguments.
pub fn start(root: &Path, name: &str, rest: &[String]) -> Result<()> {
    let package = format!("sassafras-{name}");
    let mut command = cargo(root, &["run", "--quiet", "--package", &package, "--"]);
    match run(command.args(rest))? {
        Some(0) => Ok(()),
        code => bail!("{name} ended with {code:?}"),
    }
}
