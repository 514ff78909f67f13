//! The verdicts that rows stand on.
//!
//! `proved.json` holds, per row, the hash of its text and the verdict that `prove` reached for it. Rows always compile, but the
//! matcher sees only those whose text stands there: see [`super::Rules::get`]. `BLESS=1 cargo test -p sassafras-prove-rules --test
//! rules` proves all rows again and writes the file.

use super::row::Row;
use sassafras_chip::Chip;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The file, as committed.
const FILE: &str = include_str!("../../proved.json");

/// What stands behind a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// For all values of the operands, at every width and modifier that the row matches.
    Proved,
    /// All values were tried where the solver gave up.
    Exhausted,
}

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Hash of the row's text, 16 hexadecimal digits.
    pub hash: String,
    /// The verdict.
    pub verdict: Standing,
    /// Instances (operation × widths × modifiers × kinds of operands) that the verdict is of.
    pub instances: usize,
    /// Numbers of the chips on whose forms it is proved.
    #[serde(default)]
    pub chips: Vec<u32>,
}

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proved {
    /// Grows with what is added.
    pub schema: u32,
    /// By the row's name.
    pub rows: BTreeMap<String, Entry>,
}

impl Proved {
    /// The committed verdicts.
    ///
    /// # Panics
    /// When the file cannot be read: it is part of the program, and a test reads it.
    pub fn get() -> &'static Proved {
        static PROVED: OnceLock<Proved> = OnceLock::new();
        PROVED.get_or_init(|| serde_json::from_str(FILE).unwrap_or_else(|e| panic!("proved.json: {e}")))
    }

    /// What stands behind a row as it is written now.
    pub fn standing(&self, row: &Row) -> Option<Standing> {
        let entry = self.rows.get(&row.name)?;
        (entry.hash == hash(row)).then_some(entry.verdict)
    }
}

impl Proved {
    /// Whether a row as it is written now is proved on a chip's forms.
    pub fn stands_on(&self, row: &Row, chip: Chip) -> bool {
        let entry = self.rows.get(&row.name).filter(|entry| entry.hash == hash(row));
        entry.is_some_and(|entry| entry.chips.contains(&chip.number()))
    }
}

/// The hash of a row's text with single blanks: FNV-1a of 64 bits.
pub fn hash(row: &Row) -> String {
    hash_of(&row.text)
}

/// The hash of a text: FNV-1a of 64 bits.
pub fn hash_of(text: &str) -> String {
    let fold = |h: u64, b: u8| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, fold))
}
