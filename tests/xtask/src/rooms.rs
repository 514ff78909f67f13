//! `cargo xtask rooms`: who imports whom. No circle may join modules of different folders, and the crates depend on each other as
//! `docs/architecture.md` says and in no other way. Circles that there were before the rule are listed there, and go from the list when they are gone.
//!
//! - `arrows`: the list in the document, and what it is held against. `circles`: strongly connected components.
//! - `crates`: the crates and what each is built with. `chips`: lines that name a chip where code should ask for what it has. `within`: circles inside of crates, of which there are ever fewer.
//! - `trust`: how much code a proof rests on, which only shrinks.
//! - `lengths`: functions of `verify` that are too long. `texts`: errors that are texts, of which there are ever fewer.
//! - `imports`: paths in a source text. `modules`: the modules of a crate and what each imports.

mod arrows;
mod chips;
mod circles;
mod crates;
mod imports;
mod lengths;
mod modules;
mod texts;
mod trust;
mod within;

use anyhow::{Context, Result, bail};
use arrows::Arrows;
use crates::crates;
use modules::Modules;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The document that draws the arrows.
const DOCUMENT: &str = "docs/architecture.md";

/// Prints the circles between modules and the crate graph; an error where either is not as it should be.
pub fn rooms(root: &Path) -> Result<()> {
    let crates = crates(root)?;
    let (mut faults, mut all, mut inner) = (Vec::new(), 0, BTreeMap::new());
    let mut circles = Arrows::default();
    for c in &crates {
        let modules = Modules::read(&c.folder.join("src"))?;
        all += modules.len();
        for circle in circles::circles(&modules.graph()) {
            let folders: BTreeSet<String> = circle.iter().map(|m| modules.folder(m).to_owned()).collect();
            if folders.len() == 1 {
                continue;
            }
            println!("{}: a circle through {}", c.name, circle.into_iter().collect::<Vec<_>>().join(", "));
            circles
                .add(&c.name, folders.into_iter().map(|f| if f.is_empty() { "src".to_owned() } else { f }));
        }
        inner.insert(c.name.clone(), circles::circles(&modules.graph_with_children()));
    }
    println!("{} crates, {all} modules; circles between folders: {}", crates.len(), circles.len());
    faults.extend(within::within(&inner)?);
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
    faults.extend(trust::trust(root, &crates)?);
    faults.extend(lengths::lengths(root)?);
    faults.extend(texts::texts(&crates)?);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree as it is: what this test holds, `cargo xtask rooms` prints.
    #[test]
    fn the_workspace_is_as_drawn() {
        rooms(&sassafras_oracle::workspace_root()).expect("no circles, and no arrow that is not drawn");
    }

    /// What checks witnesses is built without the normal form, without what finds proofs and without executors, by however many steps.
    #[test]
    fn the_checker_of_witnesses_stands_alone() {
        let crates = crates(&sassafras_oracle::workspace_root()).expect("cargo lists them");
        let below = trust::below(&crates, "sassafras-witness");
        assert!(below.contains("sassafras-symbolic"), "{below:?}");
        let provers =
            ["sassafras-normal", "sassafras-prove", "sassafras-prove-rules", "sassafras-prove-passes"];
        // What is compiled, what runs, and other judges.
        let others = ["sassafras-graph", "sassafras-placement", "sassafras-ir", "sassafras-machine"];
        let others = others.into_iter().chain(["sassafras-execute", "sassafras-check"]);
        for above in provers.into_iter().chain(others) {
            assert!(!below.contains(above), "sassafras-witness is built with {above}");
            // The name is one: a crate that is not there would not be missed.
            assert!(crates.iter().any(|c| c.name == above), "{above}");
        }
    }
}
