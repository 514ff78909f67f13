//! Names of special registers, as nvdisasm 13.0.88 writes them for sm_90.

use std::borrow::Cow;
use std::sync::OnceLock;

const NAMES: &str = include_str!("special.csv");

fn rows() -> impl Iterator<Item = (u64, &'static str)> {
    NAMES
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(','))
        .filter_map(|(n, name)| Some((n.parse().ok()?, name)))
}

/// Name of a special register: `SR_TID.X`, or `SR36` where it has none.
pub fn name(number: u64) -> Cow<'static, str> {
    static BY_NUMBER: OnceLock<[Option<&'static str>; 256]> = OnceLock::new();
    let names = BY_NUMBER.get_or_init(|| {
        let mut names = [None; 256];
        rows().for_each(|(n, name)| names[n as usize & 255] = Some(name));
        names
    });
    match usize::try_from(number).ok().and_then(|n| names.get(n).copied().flatten()) {
        Some(name) => Cow::Borrowed(name),
        None => Cow::Owned(format!("SR{number}")),
    }
}

/// Number of the special register with this name.
pub fn number(name: &str) -> Option<u64> {
    let known = rows().find(|&(_, n)| n == name).map(|(number, _)| number);
    known.or_else(|| name.strip_prefix("SR")?.parse().ok().filter(|n| *n < 256))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for n in 0..256 {
            assert_eq!(number(&name(n)), Some(n));
        }
        assert_eq!(number("SR_TID.X"), Some(33));
    }
}
