//! `cargo xtask figures NAME`: a published figure, measured again.

use anyhow::{Result, bail};
use std::path::Path;

/// Measures the figure called `name` and prints JSON.
pub fn figures(_root: &Path, name: &str) -> Result<()> {
    bail!("no figure is called `{name}`")
}
