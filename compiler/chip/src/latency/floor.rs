//! What is held against code of others where ptxas leaves less than our own code has.
//!
//! The tables of [`super::latency`] have numbers that a scheduler may rely on: where two sources differ, mostly the larger. Code of
//! others is wrong where it leaves less than is needed, and not where it leaves less than that. A floor is the least distance that ptxas
//! leaves of a pair, where that is below the table's number or the table has none; its row says which code shows it. Code that we scheduled is
//! never held against a floor.

use super::lines::{Fault, LineError, rows};
use super::{Class, Kind};
use crate::chip::Chip;
use std::collections::HashMap;
use std::sync::OnceLock;

/// One floor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FloorRow {
    /// The chips whose code shows it.
    pub chips: Vec<Chip>,
    /// The earlier instruction's class.
    pub producer: Class,
    /// The later instruction's class.
    pub consumer: Class,
    /// Order of accesses and register file.
    pub kind: Kind,
    /// Least distance in cycles, issue to issue.
    pub cycles: u8,
    /// The code that shows it.
    pub source: &'static str,
}

const FLOORS: &str = include_str!("../../latency/floor.csv");

/// Every floor.
pub fn floor_rows() -> &'static [FloorRow] {
    static ROWS: OnceLock<Vec<FloorRow>> = OnceLock::new();
    ROWS.get_or_init(|| read(FLOORS).expect("the data file is part of the program and tested"))
}

type Index = HashMap<(Chip, Class, Class, Kind), &'static FloorRow>;

fn find(chip: Chip, producer: Class, consumer: Class, kind: Kind) -> Option<&'static FloorRow> {
    static INDEX: OnceLock<Index> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let rows = floor_rows().iter();
        rows.flat_map(|r| r.chips.iter().map(move |&chip| ((chip, r.producer, r.consumer, r.kind), r)))
            .collect()
    });
    // From parts to wholes.
    let (p, c) = (producer.whole(), consumer.whole());
    let pairs = [(producer, consumer), (producer, c), (p, consumer), (p, c)];
    pairs.into_iter().find_map(|(p, c)| index.get(&(chip, p, c, kind)).copied())
}

/// The least distance in cycles that is held against code of others: the floor, or else the number of [`super::latency`].
pub fn least(chip: Chip, producer: Class, consumer: Class, kind: Kind) -> Option<u8> {
    let number = super::latency(chip, producer, consumer, kind);
    match find(chip, producer, consumer, kind) {
        Some(floor) => Some(number.map_or(floor.cycles, |number| number.min(floor.cycles))),
        None => number,
    }
}

/// Lines `chips,hazard,operand,producers,consumers,cycles,source`; lists are separated by blanks, `#` starts a comment.
fn read(text: &'static str) -> Result<Vec<FloorRow>, LineError> {
    rows(text, |line| {
        let cells: Vec<&'static str> = line.splitn(7, ',').collect();
        let [chips, hazard, operand, producers, consumers, cycles, source] = cells[..] else {
            return Err(Fault::Cells("seven cells are needed"));
        };
        let chip = |name: &str| name.parse().ok().and_then(Chip::from_number);
        let named: Option<Vec<Chip>> = chips.split(' ').map(chip).collect();
        let chips = named.ok_or(Fault::Chips(chips))?;
        let kind = Kind { hazard: hazard.parse()?, operand: operand.parse()? };
        let cycles: u8 = cycles.parse().map_err(|_| Fault::Number(cycles, "cycles"))?;
        let mut rows = Vec::new();
        for producer in producers.split(' ') {
            for consumer in consumers.split(' ') {
                let (producer, consumer) = (producer.parse()?, consumer.parse()?);
                rows.push(FloorRow { chips: chips.clone(), producer, consumer, kind, cycles, source });
            }
        }
        Ok(rows)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row that a table's number makes needless is an error, and so is a pair that is said twice.
    #[test]
    fn floors_are_below_the_tables_and_have_a_source() {
        let rows = read(FLOORS).unwrap();
        let mut seen = std::collections::HashSet::new();
        for row in &rows {
            assert!(row.cycles >= 1 && row.source.contains("ptxas"), "{row:?}");
            for &chip in &row.chips {
                assert!(seen.insert((chip, row.producer, row.consumer, row.kind)), "said twice: {row:?}");
                let number = super::super::latency(chip, row.producer, row.consumer, row.kind);
                assert!(number.is_none_or(|number| row.cycles < number), "{chip} {row:?}: {number:?}");
                assert_eq!(least(chip, row.producer, row.consumer, row.kind), Some(row.cycles));
            }
        }
    }
}
