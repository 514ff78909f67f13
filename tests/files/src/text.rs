//! Files as text.

use anyhow::anyhow;

/// What a file holds.
///
/// # Errors
/// A file that cannot be read, by name.
pub(crate) fn text(file: &str) -> anyhow::Result<String> {
    std::fs::read_to_string(file).map_err(|e| anyhow!("{file}: {e}"))
}
