//! `figures execute`: how fast the executors are, lanes stepped together and one after the other, in one run.

use crate::process::{cargo, run};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::path::Path;

/// Turns of each kernel's loop.
const TURNS: &str = "1000";

/// Measures and prints one JSON record.
pub fn execute(root: &Path) -> Result<()> {
    let package = ["--quiet", "--release", "--package", "sassafras-corpus", "--example", "speed"];
    if run(cargo(root, &["build"]).args(package))? != Some(0) {
        bail!("the build failed");
    }
    let out = cargo(root, &["run"]).args(package).args(["--", TURNS]).output()?;
    let text = String::from_utf8(out.stdout).context("text")?;
    let rows = text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    if !out.status.success() || rows.is_empty() || rows.iter().any(|row| row.get("error").is_some()) {
        bail!("the kernels did not run: {text}");
    }
    println!(
        "{}",
        serde_json::to_string_pretty(&json!({ "schema": 1, "figure": "execute", "kernels": rows }))?
    );
    Ok(())
}
