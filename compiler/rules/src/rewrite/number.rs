//! Numbers as rows write them.

/// A number, decimal or hexadecimal; `-1` is all ones.
pub(super) fn number(word: &str) -> Option<u64> {
    if let Some(rest) = word.strip_prefix('-') {
        return number(rest).map(u64::wrapping_neg);
    }
    match word.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => word.parse().ok(),
    }
}
