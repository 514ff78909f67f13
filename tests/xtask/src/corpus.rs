//! `cargo xtask corpus`: the PTX of `corpus/kernels`, `corpus/modern`, `corpus/large`, `corpus/loops`, `corpus/causes`, `corpus/calls` and `corpus/first`, made again with nvcc.

use anyhow::{Context, Result};
use sassafras_oracle::{Tools, table};
use std::path::{Path, PathBuf};

/// Kernels that need more than compute_75, and what they need.
const NEWER: &[(&str, &str)] = &[("redux", "compute_80")];

/// Folders of `ROOT/corpus/kernels`, by name.
pub fn kernels(root: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut all = Vec::new();
    let folder = root.join("corpus/kernels");
    for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            all.push((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), path));
        }
    }
    all.sort();
    Ok(all)
}

/// Compiles every `NAME.cu` to `NAME.ptx` (no contraction) and `NAME.fmad.ptx` (nvcc's default), and those of `corpus/calls`. nvcc's text is kept whole.
pub fn corpus(root: &Path) -> Result<()> {
    crate::fetch::fetch(root, &[table::CUDA])?;
    let nvcc = Tools::find(root).nvcc()?;
    for (name, folder) in kernels(root)? {
        let arch = NEWER.iter().find(|(n, _)| *n == name).map_or("compute_75", |(_, arch)| arch);
        let file = |ext: &str| folder.join(format!("{name}.{ext}"));
        nvcc.ptx(&file("cu"), arch, &["-fmad=false"], &file("ptx"))?;
        nvcc.ptx(&file("cu"), arch, &[], &file("fmad.ptx"))?;
        println!("{name} ({arch})");
    }
    let folders = [
        ("modern", "compute_90a", &["-std=c++17"][..]),
        ("large", "compute_80", &["-std=c++17"]),
        ("loops", "compute_80", &["-std=c++17"]),
        ("causes", "compute_80", &["-std=c++17"]),
        ("calls", "sm_90", &[]),
        ("first", "sm_90", &[]),
    ];
    for (name, arch, options) in folders {
        let folder = root.join("corpus").join(name);
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "cu") {
                nvcc.ptx(&path, arch, options, &path.with_extension("ptx"))?;
            }
        }
        println!("{name} ({arch})");
    }
    Ok(())
}
