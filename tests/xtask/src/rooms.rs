//! `cargo xtask rooms`: who imports whom. No circle may join modules of different folders, and the crates depend on each other as
//! `docs/architecture.md` says and in no other way. Circles that there were before the rule are listed there, and go from the list when they are gone.
//!
//! - `arrows`: the list in the document, and what it is held against. `circles`: strongly connected components.
//! - `chips`: lines that name a chip where code should ask for what it has.
//! - `imports`: paths in a source text. `modules`: the modules of a crate and what each imports.

mod arrows;
mod chips;
mod circles;
mod imports;
mod modules;

use crate::process::cargo;
use anyhow::{Context, Result, bail};
use arrows::Arrows;
use modules::Modules;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The document that draws the arrows.
const DOCUMENT: &str = "docs/architecture.md";

/// A crate of the workspace.
struct Crate {
    name: String,
    folder: PathBuf,
    /// Crates of the workspace that it is built with; those of its tests alone are none.
    needs: BTreeSet<String>,
}

/// Prints the circles between modules and the crate graph; an error where either is not as it should be.
pub fn rooms(root: &Path) -> Result<()> {
    let crates = crates(root)?;
    let (mut faults, mut within, mut all) = (Vec::new(), 0, 0);
    let mut circles = Arrows::default();
    for c in &crates {
        let modules = Modules::read(&c.folder.join("src"))?;
        all += modules.len();
        for circle in circles::circles(&modules.graph()) {
            let folders: BTreeSet<String> = circle.iter().map(|m| modules.folder(m).to_owned()).collect();
            if folders.len() == 1 {
                within += 1;
                continue;
            }
            println!("{}: a circle through {}", c.name, circle.into_iter().collect::<Vec<_>>().join(", "));
            circles
                .add(&c.name, folders.into_iter().map(|f| if f.is_empty() { "src".to_owned() } else { f }));
        }
    }
    println!(
        "{} crates, {all} modules; circles between folders: {}, within one: {within}",
        crates.len(),
        circles.len()
    );
    let mut found = Arrows::default();
    for c in &crates {
        found.insert(&c.name, c.needs.clone());
    }
    print!("{found}");
    let document = root.join(DOCUMENT);
    let text = std::fs::read_to_string(&document).with_context(|| document.display().to_string())?;
    faults.extend(found.against(&Arrows::parse(&text, "arrows")?));
    faults.extend(
        circles.against(&Arrows::parse(&text, "circles")?).into_iter().map(|f| format!("circles: {f}")),
    );
    faults.extend(chips::chips(root)?);
    if faults.is_empty() {
        return Ok(());
    }
    for fault in &faults {
        println!("error: {fault}");
    }
    bail!(
        "{} objections; {DOCUMENT} says which crate may need which, and where a chip may be named",
        faults.len()
    )
}

/// The crates of the workspace, as cargo sees them.
fn crates(root: &Path) -> Result<Vec<Crate>> {
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

    /// The tree as it is: what this test holds, `cargo xtask rooms` prints.
    #[test]
    fn the_workspace_is_as_drawn() {
        rooms(&sassafras_oracle::workspace_root()).expect("no circles, and no arrow that is not drawn");
    }

    /// What checks witnesses is built without the normal form and without what finds proofs, by however many steps.
    #[test]
    fn the_checker_of_witnesses_stands_alone() {
        let crates = crates(&sassafras_oracle::workspace_root()).expect("cargo lists them");
        let needs = |name: &str| &crates.iter().find(|c| c.name == name).expect("a crate of ours").needs;
        let (mut below, mut open) = (BTreeSet::new(), vec!["sassafras-witness"]);
        while let Some(name) = open.pop() {
            open.extend(needs(name).iter().filter(|n| below.insert(n.as_str())).map(String::as_str));
        }
        assert!(below.contains("sassafras-symbolic"), "{below:?}");
        for above in
            ["sassafras-normal", "sassafras-prove", "sassafras-prove-rules", "sassafras-prove-passes"]
        {
            assert!(!below.contains(above), "sassafras-witness is built with {above}");
            // The name is one: a crate that is not there would not be missed.
            needs(above);
        }
    }

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
