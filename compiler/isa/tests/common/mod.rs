//! What the tests share.

use sassafras_isa::{FormId, forms};
use std::path::PathBuf;

/// Every form.
pub fn all() -> impl Iterator<Item = FormId> {
    (0..forms().len() as u16).map(FormId)
}

/// A tool of NVIDIA, from the variable of its name in capitals or the workspace's `.oracle`; tells the reader when a test is skipped
/// for want of it.
#[allow(dead_code)]
pub fn tool(name: &str, test: &str) -> Option<PathBuf> {
    let fetched =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.oracle/13.0.88/nvidia/cu13/bin").join(name);
    let path = std::env::var_os(name.to_uppercase()).map_or(fetched, PathBuf::from);
    if path.exists() {
        return Some(path);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{test}: {} is needed in CI", path.display());
    eprintln!("skipped: {test}: no {name} at {}", path.display());
    None
}
