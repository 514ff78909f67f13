//! Fetching, with pip.

use crate::status::status_of;
use crate::table::{SETS, Set, set};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// What became of each set asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Version of this record; fields are only added.
    pub schema: u32,
    /// In the order asked for.
    pub sets: Vec<Installed>,
}

impl Report {
    /// The sets that are still not here.
    pub fn missing(&self) -> impl Iterator<Item = &Installed> {
        self.sets.iter().filter(|s| s.problem.is_some())
    }
}

/// One set after [`install`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Installed {
    /// The set's name in the table.
    pub name: String,
    /// Whether it was fetched just now (else it was here, or could not be fetched).
    pub fetched: bool,
    /// Why it is not here.
    pub problem: Option<String>,
    /// Seconds it took.
    pub seconds: f64,
}

/// A request that cannot be met by any network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstallError {
    /// No such set.
    #[error("`{0}` is not in the oracle's table; it has {1}")]
    UnknownSet(String, String),
}

/// Fetches what is not here of the sets named in `what` (all that are not optional when it is empty) into `root`.
///
/// A set that cannot be fetched (no network, no pip) is no error: the report says why, and callers go on with what is
/// there and say so aloud. A set is fetched into a folder beside its own and renamed, so a broken download leaves nothing.
///
/// # Errors
/// When `what` names a set that is not in the table.
pub fn install(root: &Path, what: &[&str]) -> Result<Report, InstallError> {
    let sets: Vec<&Set> = if what.is_empty() {
        SETS.iter().filter(|s| !s.optional).collect()
    } else {
        let names = || SETS.iter().map(|s| s.name).collect::<Vec<_>>().join(", ");
        what.iter()
            .map(|w| set(w).ok_or_else(|| InstallError::UnknownSet((*w).to_string(), names())))
            .collect::<Result<_, _>>()?
    };
    Ok(Report { schema: 1, sets: sets.into_iter().map(|s| install_one(root, s)).collect() })
}

fn install_one(root: &Path, set: &Set) -> Installed {
    let started = Instant::now();
    let mut fetched = false;
    let mut problem = None;
    if !status_of(root, set).installed {
        match fetch(root, set) {
            Ok(()) => fetched = true,
            Err(why) => problem = Some(why.to_string()),
        }
    }
    Installed { name: set.name.into(), fetched, problem, seconds: started.elapsed().as_secs_f64() }
}

/// Why a set is not fetched.
#[derive(Debug, thiserror::Error)]
enum FetchError {
    #[error("{}: {error}", .path.display())]
    Path { path: PathBuf, error: std::io::Error },
    #[error("cannot run python3: {0}")]
    Python(std::io::Error),
    #[error("pip could not fetch {set}: {said}")]
    Pip { set: &'static str, said: String },
    #[error("{set} lacks {}", .files.join(", "))]
    Lacks { set: &'static str, files: Vec<String> },
}

fn fetch(root: &Path, set: &Set) -> Result<(), FetchError> {
    let at = |path: &Path| {
        let path = path.to_owned();
        |error| FetchError::Path { path, error }
    };
    let folder = root.join(set.folder);
    let parent = folder.parent().unwrap_or(root);
    std::fs::create_dir_all(parent).map_err(at(parent))?;
    let fresh = tempfile::Builder::new().prefix(".fetching-").tempdir_in(parent).map_err(at(parent))?;
    let target = fresh.path().join("set");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps"]);
    pip.args(["--retries", "2", "--timeout", "20", "--target"]).arg(&target);
    pip.args(set.packages.iter().map(|p| format!("{}=={}", p.name, p.version)));
    let out = pip.output().map_err(FetchError::Python)?;
    if !out.status.success() {
        let said = String::from_utf8_lossy(&out.stderr);
        let last = said.lines().rfind(|l| !l.trim().is_empty()).unwrap_or("no message");
        return Err(FetchError::Pip { set: set.name, said: last.to_owned() });
    }
    // An incomplete older folder (or a link to one) makes way.
    if folder.is_symlink() {
        std::fs::remove_file(&folder).map_err(at(&folder))?;
    } else if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(at(&folder))?;
    }
    std::fs::rename(&target, &folder).map_err(at(&folder))?;
    let missing = status_of(root, set).missing;
    if missing.is_empty() { Ok(()) } else { Err(FetchError::Lacks { set: set.name, files: missing }) }
}
