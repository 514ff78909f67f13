//! Counts as people write them.

/// `1 word`, `2 words`; a noun in `y` as `1 entry`, `2 entries`.
pub fn count(n: impl TryInto<u64>, noun: &str) -> String {
    let n: u64 = n.try_into().unwrap_or(u64::MAX);
    match (n, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{n} {stem}ies"),
        _ => format!("{n} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn one_is_singular() {
        assert_eq!(
            [count(0u8, "word"), count(1u8, "word"), count(2u8, "word")],
            ["0 words", "1 word", "2 words"]
        );
        assert_eq!([count(1usize, "entry"), count(3usize, "entry")], ["1 entry", "3 entries"]);
    }
}
