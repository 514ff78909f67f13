//! `cargo xtask figures NAME`: a published figure, measured again.

mod compile;
mod listing;

use anyhow::{Result, bail};
use std::path::Path;

/// Measures the figure called `name` and prints JSON.
pub fn figures(root: &Path, name: &str) -> Result<()> {
    match name {
        "compile" => compile::compile(root),
        _ => bail!("no figure is called `{name}`; there is: compile"),
    }
}
