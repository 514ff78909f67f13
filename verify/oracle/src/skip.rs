//! What a test calls when it cannot run.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// Says aloud that test `name` is skipped and why. With `CI=true` in the environment a skip is a failure, unless
/// `.ci/allowed-skips` lists `name`.
///
/// The line goes to standard error past the test runner's capture, and `cargo xtask test` counts it.
///
/// # Panics
/// With `CI=true`, when the skip is not allowed: that is how a test fails.
pub fn skip(name: &str, reason: &dyn std::fmt::Display) {
    let line = format!("skipped: {name}: {reason}\n");
    // `eprintln!` would be captured with the test's output; a closed standard error leaves nobody to tell.
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
    if std::env::var("CI").is_ok_and(|v| v == "true") {
        let allowed = allowed_skips(&crate::workspace_root());
        assert!(
            allowed.contains_key(name),
            "`{name}` was skipped under CI ({reason}); install what it needs, or list it in .ci/allowed-skips"
        );
    }
}

/// The skips that `ROOT/.ci/allowed-skips` allows: name and reason. Lines are `NAME: REASON`; `#` begins a comment.
pub fn allowed_skips(root: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(root.join(".ci/allowed-skips")).unwrap_or_default();
    text.lines()
        .map(str::trim)
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| l.split_once(": "))
        .map(|(name, reason)| (name.trim().to_string(), reason.trim().to_string()))
        .collect()
}
