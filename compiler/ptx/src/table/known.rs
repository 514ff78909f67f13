//! PTX that is known to exist but has no row yet: it is refused as not supported, not as wrong.

/// Instructions of the PTX ISA, by root, none of whose forms has a row.
const ROOTS: [&str; 8] = ["istypep", "suld", "suq", "sured", "sust", "tex", "tld4", "txq"];

/// Modifiers of the PTX ISA for roots that have rows, where the forms with them have none: `root: words`.
const WORDS: [(&str, &[&str]); 1] = [("ld", &["unified"])];

/// Whether a root without rows is PTX.
pub fn root(root: &str) -> bool {
    ROOTS.contains(&root)
}

/// Whether a word without a row for this root is PTX.
pub fn word(root: &str, word: &str) -> bool {
    WORDS.iter().any(|(r, words)| *r == root && words.contains(&word))
}
