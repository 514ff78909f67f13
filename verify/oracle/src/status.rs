//! What is here, as data.

use crate::table::{SETS, Set};
use serde::Serialize;
use std::path::Path;

/// Every set of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status {
    /// Version of this record; fields are only added.
    pub schema: u32,
    /// One entry per set, in the table's order.
    pub sets: Vec<ToolStatus>,
}

/// One set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolStatus {
    /// Its name in the table.
    pub name: String,
    /// Its folder, from the root.
    pub folder: String,
    /// `NAME==VERSION` for each package.
    pub packages: Vec<String>,
    /// What it is for.
    pub purpose: String,
    /// Whether every file it must hold is there.
    pub installed: bool,
    /// The files that are not.
    pub missing: Vec<String>,
}

/// What is installed under `root`.
pub fn status(root: &Path) -> Status {
    Status { schema: 1, sets: SETS.iter().map(|s| status_of(root, s)).collect() }
}

pub fn status_of(root: &Path, set: &Set) -> ToolStatus {
    let folder = root.join(set.folder);
    let missing: Vec<String> =
        set.files.iter().filter(|f| !folder.join(f).exists()).map(|f| (*f).to_string()).collect();
    ToolStatus {
        name: set.name.into(),
        folder: set.folder.into(),
        packages: set.packages.iter().map(|p| format!("{}=={}", p.name, p.version)).collect(),
        purpose: set.purpose.into(),
        installed: missing.is_empty(),
        missing,
    }
}
