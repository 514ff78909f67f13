//! Finds the corpus on disk.

use crate::spec::{Spec, SpecError};
use std::path::{Path, PathBuf};

/// A kernel of `corpus/kernels`.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// Folder and file name.
    pub name: String,
    /// The CUDA source.
    pub cu: PathBuf,
    /// PTX by nvcc with `-fmad=false`: results are compared as the description says.
    pub ptx: PathBuf,
    /// PTX by nvcc with contraction allowed: results may differ from the reference by rounding.
    pub fmad_ptx: PathBuf,
    /// The launch description.
    pub spec: Spec,
}

/// A one-feature file of `corpus/features`; all run with the description in `launch.toml` there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// File name without `.ptx`.
    pub name: String,
    /// The file.
    pub ptx: PathBuf,
    /// The approximate functions it uses, from its `// approx: NAME, ...` line; results may differ between chips and choosers.
    pub approx: Vec<String>,
    /// What its results follow though the PTX ISA leaves it open, from its `// open: NAME, ...` line: `rounding` of sums of
    /// matrices, `registers` whose value the launch picks. Two runs agree where they pick alike.
    pub open: Vec<String>,
}

/// The workspace's root, from where this crate was built.
pub fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// Every kernel under `ROOT/corpus/kernels`, by name.
///
/// # Errors
/// When the folder or a description cannot be read.
pub fn kernels(root: &Path) -> Result<Vec<Kernel>, SpecError> {
    let folder = root.join("corpus/kernels");
    let mut all = Vec::new();
    for dir in entries(&folder)?.into_iter().filter(|p| p.is_dir()) {
        let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = |ext: &str| dir.join(format!("{name}.{ext}"));
        all.push(Kernel {
            cu: file("cu"),
            ptx: file("ptx"),
            fmad_ptx: file("fmad.ptx"),
            spec: Spec::read(&file("toml"))?,
            name,
        });
    }
    Ok(all)
}

/// Every feature file under `ROOT/corpus/features`, by name.
///
/// # Errors
/// When the folder or a file cannot be read.
pub fn features(root: &Path) -> Result<Vec<Feature>, SpecError> {
    let mut all = Vec::new();
    for ptx in entries(&root.join("corpus/features"))? {
        if ptx.extension().is_none_or(|e| e != "ptx") {
            continue;
        }
        let text = std::fs::read_to_string(&ptx)
            .map_err(|source| SpecError::Read { path: ptx.display().to_string(), source })?;
        let names = |prefix: &str| -> Vec<String> {
            text.lines()
                .filter_map(|l| l.strip_prefix(prefix))
                .flat_map(|l| l.split(','))
                .map(|s| s.trim().to_string())
                .filter(|s| !s.is_empty())
                .collect()
        };
        let (approx, open) = (names("// approx:"), names("// open:"));
        let name = ptx.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        all.push(Feature { name, ptx, approx, open });
    }
    Ok(all)
}

/// The launch description that runs every feature and every file of `corpus/ptxas-errors`.
///
/// # Errors
/// When it cannot be read.
pub fn feature_spec(root: &Path) -> Result<Spec, SpecError> {
    Spec::read(&root.join("corpus/features/launch.toml"))
}

pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, SpecError> {
    let wrap = |source| SpecError::Read { path: folder.display().to_string(), source };
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(wrap)? {
        all.push(entry.map_err(wrap)?.path());
    }
    all.sort();
    Ok(all)
}
