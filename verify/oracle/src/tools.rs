//! Finding the programs.

use crate::table::{self, Set};
use crate::{Cuobjdump, Nvcc, Nvdisasm, Ptxas};
use std::path::{Path, PathBuf};

/// Why something is not here. Callers print it aloud, see [`crate::skip`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Skipped(pub String);

/// The tools under one workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tools {
    root: PathBuf,
}

/// The workspace's root, from where this crate was built. Tests use it; the installed command line asks the working folder.
pub fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

impl Tools {
    /// The tools installed under `root`, the folder that holds `.oracle` and `.z3`. Looks at nothing yet.
    pub fn find(root: &Path) -> Tools {
        Tools { root: std::path::absolute(root).unwrap_or_else(|_| root.to_path_buf()) }
    }

    /// The tools of the workspace this was built in.
    pub fn here() -> Tools {
        Tools::find(&workspace_root())
    }

    /// The folder that holds `.oracle` and `.z3`.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// ptxas of `version` ([`table::CUDA`], or another of [`table::TOOLKITS`]).
    ///
    /// # Errors
    /// When the version is not in the table, or not installed.
    pub fn ptxas(&self, version: &str) -> Result<Ptxas, Skipped> {
        Ok(Ptxas::at(self.program(version, "ptxas")?, version))
    }

    /// The nvdisasm to read cubins with: that of [`table::CUDA`]'s set.
    ///
    /// # Errors
    /// When it is not installed.
    pub fn nvdisasm(&self) -> Result<Nvdisasm, Skipped> {
        self.nvdisasm_of(table::CUDA)
    }

    /// The nvdisasm that belongs to the set of ptxas `version`: never older than that ptxas.
    ///
    /// # Errors
    /// When the version is not in the table, or not installed.
    pub fn nvdisasm_of(&self, version: &str) -> Result<Nvdisasm, Skipped> {
        Ok(Nvdisasm::at(self.program(version, "nvdisasm")?))
    }

    /// cuobjdump of [`table::CUDA`]'s set.
    ///
    /// # Errors
    /// When it is not installed.
    pub fn cuobjdump(&self) -> Result<Cuobjdump, Skipped> {
        Ok(Cuobjdump::at(self.program(table::CUDA, "cuobjdump")?))
    }

    /// nvcc of [`table::CUDA`]'s set.
    ///
    /// # Errors
    /// When it is not installed.
    pub fn nvcc(&self) -> Result<Nvcc, Skipped> {
        Ok(Nvcc::at(self.program(table::CUDA, "nvcc")?))
    }

    /// z3's executable.
    ///
    /// # Errors
    /// When it is not installed.
    pub fn z3(&self) -> Result<PathBuf, Skipped> {
        self.file(known(table::Z3)?, "bin/z3")
    }

    /// The folder to put on `PYTHONPATH` to use bitwuzla from Python (its package has no executable).
    ///
    /// # Errors
    /// When it is not installed.
    pub fn bitwuzla(&self) -> Result<PathBuf, Skipped> {
        let set = known(table::BITWUZLA)?;
        self.file(set, set.files.first().copied().unwrap_or_default())?;
        Ok(self.root.join(set.folder))
    }

    fn program(&self, version: &str, name: &str) -> Result<PathBuf, Skipped> {
        // Earlier packages put their programs elsewhere; the row of the set says where.
        let set = known(version)?;
        let listed = set.files.iter().find(|f| f.rsplit_once('/').is_some_and(|(_, file)| file == name));
        match listed {
            Some(file) => self.file(set, file),
            None => self.file(set, &format!("{}/{name}", table::BIN)),
        }
    }

    fn file(&self, set: &Set, file: &str) -> Result<PathBuf, Skipped> {
        let path = self.root.join(set.folder).join(file);
        if path.exists() {
            Ok(path)
        } else {
            let name = set.name;
            Err(Skipped(format!(
                "{}/{file} is not here; `sassafras oracle install {name}` fetches it",
                set.folder
            )))
        }
    }
}

fn known(name: &str) -> Result<&'static Set, Skipped> {
    table::set(name).ok_or_else(|| Skipped(format!("`{name}` is not in the oracle's table of versions")))
}
