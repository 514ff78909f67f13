//! Names of special registers by chip, as nvdisasm 13.0.88 writes them behind S2R.

use sassafras_chip::ChipRange;
use std::borrow::Cow;
use std::sync::OnceLock;

const NAMES: &str = include_str!("special.csv");

/// A name, and the chips that have it.
type Named = (&'static str, ChipRange);

fn rows() -> impl Iterator<Item = (u64, Named)> {
    NAMES.lines().skip(1).filter_map(|line| {
        let mut cells = line.split(',');
        Some((cells.next()?.parse().ok()?, (cells.next()?, cells.next()?.parse().ok()?)))
    })
}

fn named(number: u64) -> &'static [Named] {
    static BY_NUMBER: OnceLock<Vec<Vec<Named>>> = OnceLock::new();
    let names = BY_NUMBER.get_or_init(|| {
        let mut names = vec![Vec::new(); 256];
        rows().for_each(|(n, row)| names[n as usize & 255].push(row));
        names
    });
    usize::try_from(number).ok().and_then(|n| names.get(n)).map_or(&[], Vec::as_slice)
}

fn text(number: u64, row: Option<&Named>) -> Cow<'static, str> {
    match row {
        Some((name, _)) => Cow::Borrowed(name),
        None => Cow::Owned(format!("SR{number}")),
    }
}

/// Name of a special register: `SR_TID.X`, or `SR36` where it has none. Where chips differ, the name of sm_90 and of what is
/// closest to it.
pub fn name(number: u64) -> Cow<'static, str> {
    text(number, named(number).first())
}

/// As [`name`], for the chip of this number.
pub fn name_on(number: u64, chip: u32) -> Cow<'static, str> {
    text(number, named(number).iter().find(|(_, chips)| (chips.first..=chips.last).contains(&chip)))
}

/// Number of the special register that has this name on some chip.
pub fn number(name: &str) -> Option<u64> {
    let known = rows().find(|(_, (n, _))| *n == name).map(|(number, _)| number);
    known.or_else(|| name.strip_prefix("SR")?.parse().ok().filter(|n| *n < 256))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for n in 0..256 {
            assert_eq!(number(&name(n)), Some(n));
            for chip in [75, 80, 90, 100, 110, 120] {
                assert_eq!(number(&name_on(n, chip)), Some(n));
            }
        }
        assert_eq!(number("SR_TID.X"), Some(33));
    }

    #[test]
    fn chips_name_registers_otherwise() {
        assert_eq!(name_on(138, 90), "SR138");
        assert_eq!(name_on(138, 100), "SR_CgaSize");
        assert_eq!(name_on(24, 75), "SR_MACHINE_ID_0");
        assert_eq!(name_on(24, 80), "SR_SW_SCRATCH");
    }
}
