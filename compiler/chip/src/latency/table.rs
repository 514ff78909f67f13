//! Reads the data files once and answers from them.

use super::lines::{self, Fault, LineError};
use super::mined::{self, MinedRow};
use super::{Class, Kind};
use crate::chip::Chip;
use std::collections::HashMap;
use std::sync::OnceLock;

/// One number of the table: a line of the data file names several producers and consumers, each pair is a row here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The earlier instruction's class.
    pub producer: Class,
    /// The later instruction's class.
    pub consumer: Class,
    /// Order of accesses and register file.
    pub kind: Kind,
    /// Least distance in cycles, issue to issue.
    pub cycles: u8,
    /// Where the number comes from.
    pub source: &'static str,
}

/// How many data files there are.
pub(super) const FILES: usize = 5;

/// Data files, and the chips that each is for.
const DATA: [(&[Chip], &str); FILES] = [
    (&[Chip::Sm75], include_str!("../../latency/sm75.csv")),
    (&[Chip::Sm80, Chip::Sm86, Chip::Sm87, Chip::Sm88, Chip::Sm89], include_str!("../../latency/sm80.csv")),
    (&[Chip::Sm90], include_str!("../../latency/sm90.csv")),
    (&[Chip::Sm100, Chip::Sm103, Chip::Sm110], include_str!("../../latency/sm100.csv")),
    (&[Chip::Sm120, Chip::Sm121], include_str!("../../latency/sm120.csv")),
];

/// The index of a chip's data file.
pub(super) fn chips_file(chip: Chip) -> usize {
    DATA.iter()
        .position(|(chips, _)| chips.contains(&chip))
        .expect("every chip has a data file, and a test says so")
}

struct Table {
    rows: Vec<Row>,
    index: HashMap<(Class, Class, Kind), usize>,
}

fn table(chip: Chip) -> &'static Table {
    static TABLES: [OnceLock<Table>; FILES] = [const { OnceLock::new() }; FILES];
    let file = chips_file(chip);
    TABLES[file].get_or_init(|| {
        let rows = read(DATA[file].1).expect("the data file is part of the program and tested");
        let index = rows.iter().enumerate().map(|(i, r)| ((r.producer, r.consumer, r.kind), i)).collect();
        Table { rows, index }
    })
}

/// The rows known for a chip, those that were mined left out.
pub fn rows(chip: Chip) -> &'static [Row] {
    &table(chip).rows
}

/// What a number rests on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Basis {
    /// NAK's tables, which NVIDIA provided.
    Nak,
    /// The least distance in code of ptxas.
    Mined,
    /// Both, and they agree.
    Both,
    /// Measured on a GPU.
    Measured,
    /// It follows from another fact.
    Rule,
}

impl Basis {
    /// Every one.
    pub const ALL: [Basis; 5] = [Basis::Nak, Basis::Mined, Basis::Both, Basis::Measured, Basis::Rule];
}

impl std::fmt::Display for Basis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Basis::Nak => "NAK",
            Basis::Mined => "mined",
            Basis::Both => "NAK and mined",
            Basis::Measured => "measured",
            Basis::Rule => "rule",
        })
    }
}

/// A number that was found: a row, and what was mined of the pair.
pub(super) struct Found {
    row: Option<&'static Row>,
    mined: Option<&'static MinedRow>,
}

impl Found {
    fn wins(&self) -> Option<&'static MinedRow> {
        self.mined.filter(|mined| mined.outweighs(self.row.map(|row| row.cycles)))
    }

    pub(super) fn cycles(&self) -> u8 {
        self.wins().map(|mined| mined.cycles).or(self.row.map(|row| row.cycles)).unwrap_or(super::LONGEST)
    }

    pub(super) fn basis(&self) -> Basis {
        let said = |what: &str| self.row.is_some_and(|row| row.source.contains(what));
        match (self.wins(), self.mined, self.row) {
            (Some(_), ..) => Basis::Mined,
            (None, Some(mined), Some(row)) if mined.cycles == row.cycles && said("NAK") => Basis::Both,
            (None, Some(mined), Some(row)) if mined.cycles == row.cycles => Basis::Mined,
            _ if said("measured") => Basis::Measured,
            _ if said("NAK") => Basis::Nak,
            _ if said("mined") => Basis::Mined,
            _ => Basis::Rule,
        }
    }
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.basis())?;
        if let Some(row) = self.row {
            write!(f, ": {}", row.source)?;
        }
        if let Some(mined) = self.mined {
            write!(f, "; least of {} seen: {}", mined.samples, mined.cycles)?;
        }
        Ok(())
    }
}

pub(super) fn find(chip: Chip, producer: Class, consumer: Class, kind: Kind) -> Option<Found> {
    let table = table(chip);
    // From parts to wholes.
    let (p, c) = (producer.whole(), consumer.whole());
    let pairs = [(producer, consumer), (producer, c), (p, consumer), (p, c)];
    let row = pairs.into_iter().find_map(|(p, c)| table.index.get(&(p, c, kind)).map(|&i| &table.rows[i]));
    let found = Found { row, mined: mined::find(chip, producer, consumer, kind) };
    (found.row.is_some() || found.wins().is_some()).then_some(found)
}

/// Lines `hazard,operand,producers,consumers,cycles,source`; lists are separated by blanks, `#` starts a comment.
fn read(text: &'static str) -> Result<Vec<Row>, LineError> {
    lines::rows(text, |line| {
        let cells: Vec<&'static str> = line.splitn(6, ',').collect();
        let [hazard, operand, producers, consumers, cycles, source] = cells[..] else {
            return Err(Fault::Cells("six cells are needed"));
        };
        let kind = Kind { hazard: hazard.parse()?, operand: operand.parse()? };
        let cycles: u8 = cycles.parse().map_err(|_| Fault::Number(cycles, "cycles"))?;
        let mut rows = Vec::new();
        for producer in producers.split(' ') {
            for consumer in consumers.split(' ') {
                let (producer, consumer) = (producer.parse()?, consumer.parse()?);
                rows.push(Row { producer, consumer, kind, cycles, source });
            }
        }
        Ok(rows)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_files_are_well_formed_and_say_each_thing_once() {
        for (chips, text) in DATA {
            let rows = read(text).unwrap();
            let mut seen = HashMap::new();
            for row in &rows {
                assert!(row.cycles >= 1, "{row:?}");
                assert!(!row.source.is_empty(), "{row:?}");
                let key = (row.producer, row.consumer, row.kind);
                assert_eq!(seen.insert(key, row.cycles), None, "said twice for {chips:?}: {row:?}");
            }
            assert!(rows.len() > 300, "{chips:?}");
        }
    }

    #[test]
    fn every_chip_has_one_data_file() {
        for chip in Chip::ALL {
            assert_eq!(DATA.iter().filter(|(chips, _)| chips.contains(&chip)).count(), 1, "{chip}");
        }
    }
}
