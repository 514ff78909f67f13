//! Which ptxas errs on which chip at which level: what `cargo xtask figures errors` measured. `reports/ptxas-open.md` is made from the same table.

use sassafras_chip::Chip;

const TABLE: &str = include_str!("measured.csv");

/// What is known of a program's code by one ptxas for one chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cell {
    /// The prover refutes it.
    Refuted,
    /// The prover does not decide, and the executors' results differ.
    Differs,
    /// It is proved right.
    Proved,
    /// It is proved within a bound, or by an assumption.
    Within,
    /// Neither was shown.
    Unknown,
    /// This ptxas refuses the program or the chip.
    Refused,
}

impl Cell {
    const ALL: [(&'static str, Cell); 6] = [
        ("refuted", Cell::Refuted),
        ("differs", Cell::Differs),
        ("proved", Cell::Proved),
        ("within", Cell::Within),
        ("unknown", Cell::Unknown),
        ("-", Cell::Refused),
    ];

    /// As the table has it.
    pub fn word(self) -> &'static str {
        Cell::ALL.iter().find(|(_, c)| *c == self).map_or("", |(w, _)| w)
    }

    /// Whether ptxas was seen to err.
    pub fn errs(self) -> bool {
        matches!(self, Cell::Refuted | Cell::Differs)
    }
}

/// A line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The program.
    pub program: &'static str,
    /// ptxas's version.
    pub ptxas: &'static str,
    /// Its level, as `-O3`.
    pub level: &'static str,
    /// By chip.
    pub cells: Vec<(Chip, Cell)>,
}

/// The table. A line that cannot be read is left out, and a test objects to it.
pub fn rows() -> Vec<Row> {
    let mut lines = TABLE.lines();
    let chip = |name: &str| Chip::from_number(name.strip_prefix("sm_")?.parse().ok()?);
    let chips: Vec<Option<Chip>> = lines.next().unwrap_or_default().split(',').skip(3).map(chip).collect();
    let row = |line: &'static str| {
        let mut words = line.split(',');
        let (program, ptxas, level) = (words.next()?, words.next()?, words.next()?);
        let cell = |word: &str| Cell::ALL.iter().find(|(w, _)| *w == word).map(|(_, c)| *c);
        let cells: Option<Vec<_>> = chips.iter().zip(words).map(|(c, w)| Some(((*c)?, cell(w)?))).collect();
        Some(Row { program, ptxas, level, cells: cells.filter(|c| c.len() == chips.len())? })
    };
    lines.filter_map(row).collect()
}

/// The versions of ptxas that were measured, the oldest first.
pub fn versions() -> Vec<&'static str> {
    let mut all: Vec<&str> = Vec::new();
    for row in rows() {
        if !all.contains(&row.ptxas) {
            all.push(row.ptxas);
        }
    }
    all.sort_by_key(|v| v.split('.').map(|n| n.parse().unwrap_or(0)).collect::<Vec<u32>>());
    all
}

/// A ptxas that errs on a chip, and its levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errs {
    /// ptxas's version.
    pub ptxas: &'static str,
    /// At these levels.
    pub levels: Vec<&'static str>,
    /// On these chips at one of them.
    pub chips: Vec<Chip>,
}

/// Where ptxas was seen to err with a program, by version; of one version and on one chip alone if they are named.
pub fn errs(program: &str, ptxas: Option<&str>, chip: Option<Chip>) -> Vec<Errs> {
    let mut all: Vec<Errs> = Vec::new();
    let all_rows = rows();
    for version in versions().into_iter().filter(|v| ptxas.is_none_or(|p| p == *v)) {
        let mut errs = Errs { ptxas: version, levels: Vec::new(), chips: Vec::new() };
        for row in all_rows.iter().filter(|r| r.program == program && r.ptxas == version) {
            let wrong =
                row.cells.iter().filter(|(c, cell)| cell.errs() && chip.is_none_or(|chip| chip == *c));
            let chips: Vec<Chip> = wrong.map(|(c, _)| *c).collect();
            if !chips.is_empty() {
                errs.levels.push(row.level);
            }
            errs.chips.extend(chips);
        }
        errs.chips.sort_by_key(|c| c.number());
        errs.chips.dedup();
        if !errs.chips.is_empty() {
            all.push(errs);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::KNOWN;

    #[test]
    fn every_line_is_read_and_every_error_was_seen() {
        assert_eq!(rows().len(), TABLE.lines().count() - 1, "a line of measured.csv is not read");
        for known in KNOWN {
            assert!(!errs(known.name, None, None).is_empty(), "{}: no ptxas was seen to err", known.name);
        }
        for row in rows() {
            assert!(KNOWN.iter().any(|k| k.name == row.program), "{} has no row in known.rs", row.program);
        }
    }

    #[test]
    fn the_first_errors_are_gone_from_the_newest() {
        let newest = versions().pop();
        for known in KNOWN {
            let open = !errs(known.name, newest, None).is_empty();
            assert_eq!(open, known.folder == "ptxas-open", "{}", known.name);
        }
    }
}
