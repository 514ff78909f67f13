//! Reads the data files once and answers from them.

use super::{Class, Hazard, Kind, OperandKind, UnknownName};
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

const SM90: &str = include_str!("../../latency/sm90.csv");

struct Table {
    rows: Vec<Row>,
    index: HashMap<(Class, Class, Kind), u8>,
}

fn sm90() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let rows = read(SM90).expect("the data file is part of the program and tested");
        let index = rows.iter().map(|row| ((row.producer, row.consumer, row.kind), row.cycles)).collect();
        Table { rows, index }
    })
}

/// The rows known for a chip; empty where there is no data file yet.
pub fn rows(chip: Chip) -> &'static [Row] {
    match chip {
        Chip::Sm90 => &sm90().rows,
        _ => &[],
    }
}

pub(super) fn lookup(chip: Chip, producer: Class, consumer: Class, kind: Kind) -> Option<u8> {
    match chip {
        Chip::Sm90 => {
            // From parts to wholes.
            let (p, c) = (producer.whole(), consumer.whole());
            let pairs = [(producer, consumer), (producer, c), (p, consumer), (p, c)];
            pairs.into_iter().find_map(|(p, c)| sm90().index.get(&(p, c, kind)).copied())
        }
        _ => None,
    }
}

/// Lines `hazard,operand,producers,consumers,cycles,source`; lists are separated by blanks, `#` starts a comment.
fn read(text: &'static str) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate().skip(1) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let at = |message: String| format!("line {}: {message}", number + 1);
        let cells: Vec<&'static str> = line.splitn(6, ',').collect();
        let [hazard, operand, producers, consumers, cycles, source] = cells[..] else {
            return Err(at("six cells are needed".to_owned()));
        };
        let bad = |e: UnknownName| at(e.to_string());
        let hazard: Hazard = hazard.parse().map_err(bad)?;
        let operand: OperandKind = operand.parse().map_err(bad)?;
        let cycles: u8 = cycles.parse().map_err(|_| at(format!("`{cycles}` is no number of cycles")))?;
        for producer in producers.split(' ') {
            for consumer in consumers.split(' ') {
                let (producer, consumer) = (producer.parse().map_err(bad)?, consumer.parse().map_err(bad)?);
                rows.push(Row { producer, consumer, kind: Kind { hazard, operand }, cycles, source });
            }
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_file_is_well_formed_and_says_each_thing_once() {
        let rows = read(SM90).unwrap();
        let mut seen = HashMap::new();
        for row in &rows {
            assert!(row.cycles >= 1, "{row:?}");
            assert!(!row.source.is_empty(), "{row:?}");
            let key = (row.producer, row.consumer, row.kind);
            assert_eq!(seen.insert(key, row.cycles), None, "said twice: {row:?}");
        }
        assert!(rows.len() > 300);
    }
}
