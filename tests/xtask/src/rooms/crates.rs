//! The crates of the workspace, and what each is built with.

use crate::process::cargo;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A crate of the workspace.
pub struct Crate {
    /// Its name.
    pub name: String,
    /// Where its manifest lies.
    pub folder: PathBuf,
    /// Crates of the workspace that it is built with; those of its tests alone are none.
    pub needs: BTreeSet<String>,
}

/// The crates of the workspace, as cargo sees them.
///
/// # Errors
/// Cargo does not list them.
pub fn crates(root: &Path) -> Result<Vec<Crate>> {
    let out = cargo(root, &["metadata", "--no-deps", "--format-version", "1"]).output()?;
    if !out.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&out.stderr));
    }
    of_metadata(&serde_json::from_slice(&out.stdout)?)
}

fn of_metadata(metadata: &serde_json::Value) -> Result<Vec<Crate>> {
    let packages = metadata["packages"].as_array().context("cargo lists packages")?;
    let names: BTreeSet<&str> = packages.iter().filter_map(|p| p["name"].as_str()).collect();
    let mut crates = Vec::new();
    for p in packages {
        let manifest = PathBuf::from(p["manifest_path"].as_str().context("a package has a manifest")?);
        let needs = p["dependencies"].as_array().context("a package lists what it needs")?;
        let needs = needs.iter().filter(|d| d["kind"] != "dev").filter_map(|d| d["name"].as_str());
        crates.push(Crate {
            name: p["name"].as_str().context("a package has a name")?.to_owned(),
            folder: manifest.parent().context("a manifest lies in a folder")?.to_owned(),
            needs: needs.filter(|n| names.contains(n)).map(str::to_owned).collect(),
        });
    }
    crates.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(crates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_of_tests_are_no_arrows() {
        let package = |name: &str, needs: serde_json::Value| serde_json::json!({ "name": name, "manifest_path": format!("/{name}/Cargo.toml"), "dependencies": needs });
        let metadata = serde_json::json!({ "packages": [
            package("b", serde_json::json!([{ "name": "a", "kind": null }, { "name": "serde", "kind": null }])),
            package("a", serde_json::json!([{ "name": "b", "kind": "dev" }])),
        ] });
        let crates = of_metadata(&metadata).expect("it is whole");
        let needs: Vec<Vec<&str>> =
            crates.iter().map(|c| c.needs.iter().map(String::as_str).collect()).collect();
        assert_eq!(needs, [vec![], vec!["a"]]);
    }
}
