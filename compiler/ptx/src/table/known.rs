//! PTX that is known to exist but has no row yet: it is refused as not supported, not as wrong.

/// Instructions of the PTX ISA, by root, none of whose forms has a row.
const ROOTS: [&str; 0] = [];

/// Modifiers of the PTX ISA for roots that have rows, where the forms with them have none: `root: words`.
const WORDS: [(&str, &[&str]); 3] = [
    ("ld", &["unified"]),
    ("tex", &["f16", "f16x2"]),
    ("txq", &["filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2", "force_unnormalized_coords"]),
];

/// Whether a root without rows is PTX.
pub fn root(root: &str) -> bool {
    ROOTS.contains(&root)
}

/// Whether a word without a row for this root is PTX.
pub fn word(root: &str, word: &str) -> bool {
    WORDS.iter().any(|(r, words)| *r == root && words.contains(&word))
}
