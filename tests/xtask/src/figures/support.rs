//! `figures support`: which programs of the corpus our compiler takes, and what it names where it does not.

use super::binary::binary;
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const CHIP: &str = "sm_90";

#[derive(Serialize)]
struct Figure {
    schema: u32,
    figure: &'static str,
    chip: &'static str,
    /// Per folder of the corpus: programs, and how many ended with each exit code of the command line's contract.
    folders: BTreeMap<&'static str, Folder>,
}

#[derive(Default, Serialize)]
struct Folder {
    programs: usize,
    compiled: usize,
    exits: BTreeMap<String, usize>,
    /// Name of each program that was not compiled, with the first line of what was said.
    refused: BTreeMap<String, String>,
}

/// Compiles every program of the corpus with every fast judge and prints one JSON record.
pub fn support(root: &Path) -> Result<()> {
    let sassafras = binary(root, false)?;
    let out = root.join("target/figures/support.cubin");
    if let Some(folder) = out.parent() {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let mut folders: BTreeMap<&'static str, Folder> = BTreeMap::new();
    for (folder, name, ptx) in programs(root)? {
        let said = Command::new(&sassafras)
            .args(["compile", "--judge", "fast", &format!("-arch={CHIP}"), "-o"])
            .args([&out, &ptx])
            .output()
            .with_context(|| sassafras.display().to_string())?;
        let count = folders.entry(folder).or_default();
        count.programs += 1;
        let code = said.status.code();
        *count.exits.entry(code.map_or("signal".into(), |c| c.to_string())).or_default() += 1;
        if code == Some(0) {
            count.compiled += 1;
        } else {
            let text = String::from_utf8_lossy(&said.stderr).into_owned();
            count.refused.insert(name, text.lines().next().unwrap_or_default().to_string());
        }
    }
    let figure = Figure { schema: 1, figure: "support", chip: CHIP, folders };
    println!("{}", serde_json::to_string_pretty(&figure)?);
    Ok(())
}

fn programs(root: &Path) -> Result<Vec<(&'static str, String, PathBuf)>> {
    let mut all = Vec::new();
    for (name, path) in crate::corpus::kernels(root)? {
        for file in [name.clone(), format!("{name}.fmad")] {
            all.push(("kernels", file.clone(), path.join(format!("{file}.ptx"))));
        }
    }
    for folder in ["features", "ptxas-errors"] {
        let path = root.join("corpus").join(folder);
        for entry in std::fs::read_dir(&path).with_context(|| path.display().to_string())? {
            let file = entry?.path();
            if file.extension().is_some_and(|e| e == "ptx") {
                all.push((folder, file.file_stem().unwrap_or_default().to_string_lossy().into_owned(), file));
            }
        }
    }
    all.sort();
    Ok(all)
}
