//! Files as text.

/// What a file holds.
///
/// # Errors
/// A file that cannot be read, by name.
pub(crate) fn text(file: &str) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))
}
