//! Distances mined from code that ptxas made.

use super::lines::{Fault, LineError, rows};
use super::table::{FILES, chips_file};
use super::{Class, Hazard, Kind, OperandKind};
use crate::chip::Chip;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The least distance seen of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MinedRow {
    /// The earlier instruction's class.
    pub producer: Class,
    /// The later instruction's class.
    pub consumer: Class,
    /// Order of accesses and register file.
    pub kind: Kind,
    /// Least cycles seen, issue to issue.
    pub cycles: u8,
    /// How often the pair stood so near.
    pub nearest: u32,
    /// How often the pair was seen.
    pub samples: u32,
}

/// Samples from which on a pair that NAK lacks is known.
const KNOWN: u32 = 20;
/// Samples at the least distance from which on it is believed against NAK: that less is enough, or that it is not.
const LESS: u32 = 3;
const MORE: u32 = 50;

impl MinedRow {
    /// Whether the number holds where the other table says `nak`.
    pub(super) fn outweighs(&self, nak: Option<u8>) -> bool {
        match nak {
            Some(nak) if self.cycles < nak => self.nearest >= LESS,
            Some(nak) => {
                let general = self.kind.operand == OperandKind::Register && self.kind.hazard == Hazard::Raw;
                self.cycles > nak && general && self.nearest >= MORE
            }
            None => self.samples >= KNOWN,
        }
    }
}

type Index = HashMap<(Class, Class, Kind), MinedRow>;

const DATA: [&str; FILES] = [
    include_str!("../../latency/mined/sm75.csv"),
    include_str!("../../latency/mined/sm80.csv"),
    include_str!("../../latency/mined/sm90.csv"),
    include_str!("../../latency/mined/sm100.csv"),
    include_str!("../../latency/mined/sm120.csv"),
];

fn index(chip: Chip) -> &'static Index {
    static INDEX: [OnceLock<Index>; FILES] = [const { OnceLock::new() }; FILES];
    let file = chips_file(chip);
    INDEX[file].get_or_init(|| {
        let rows = read(DATA[file]).expect("the data file is part of the program and tested");
        rows.into_iter().map(|r| ((r.producer, r.consumer, r.kind), r)).collect()
    })
}

/// Every pair mined for a chip, in no order.
pub fn mined_rows(chip: Chip) -> impl Iterator<Item = &'static MinedRow> {
    index(chip).values()
}

pub(super) fn find(chip: Chip, producer: Class, consumer: Class, kind: Kind) -> Option<&'static MinedRow> {
    index(chip).get(&(producer, consumer, kind))
}

/// Lines `hazard,operand,producer,consumer,cycles,nearest,samples`; `#` starts a comment.
fn read(text: &'static str) -> Result<Vec<MinedRow>, LineError> {
    rows(text, |line| {
        let cells: Vec<&'static str> = line.split(',').collect();
        let [hazard, operand, producer, consumer, cycles, nearest, samples] = cells[..] else {
            return Err(Fault::Cells("seven cells are needed"));
        };
        let count = |text: &'static str| text.parse().map_err(|_| Fault::Number(text, "samples"));
        Ok(vec![MinedRow {
            producer: producer.parse()?,
            consumer: consumer.parse()?,
            kind: Kind { hazard: hazard.parse()?, operand: operand.parse()? },
            cycles: cycles.parse().map_err(|_| Fault::Number(cycles, "cycles"))?,
            nearest: count(nearest)?,
            samples: count(samples)?,
        }])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_files_are_well_formed() {
        for text in DATA {
            let rows = read(text).unwrap();
            assert!(rows.iter().all(|row| row.cycles >= 1 && row.samples >= 1));
        }
    }
}
