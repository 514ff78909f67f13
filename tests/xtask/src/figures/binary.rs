//! The program that is measured.

use crate::process::{cargo, run};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Builds the binary, for release or for development, and finds it.
pub fn binary(root: &Path, release: bool) -> Result<PathBuf> {
    let mut build = cargo(root, &["build", "--quiet", "--package", "sassafras"]);
    if release {
        build.arg("--release");
    }
    if run(&mut build)? != Some(0) {
        bail!("the build failed");
    }
    let out = cargo(root, &["metadata", "--no-deps", "--format-version", "1"]).output()?;
    let metadata: serde_json::Value = serde_json::from_slice(&out.stdout)?;
    let target = metadata["target_directory"].as_str().context("cargo metadata names the target folder")?;
    Ok(Path::new(target).join(if release { "release" } else { "debug" }).join("sassafras"))
}
