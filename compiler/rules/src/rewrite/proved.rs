//! The verdicts that rewrites stand on.
//!
//! `rewrites.json` holds, per row, the hash of its text and the widths at which it is proved. The optimizer sees only rows that are proved at
//! every width at which they can match. `BLESS=1 cargo test -p sassafras-prove-rules --test rewrites` proves all rows again and writes the
//! file.

use super::form::Rewrite;
use crate::select::proved::hash_of;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The file, as committed.
const FILE: &str = include_str!("../../rewrites.json");

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Hash of the row's text, 16 hexadecimal digits.
    pub hash: String,
    /// Widths of the subject in bits at which the row is proved.
    pub widths: Vec<u32>,
}

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proved {
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
        PROVED.get_or_init(|| serde_json::from_str(FILE).unwrap_or_else(|e| panic!("rewrites.json: {e}")))
    }

    /// Whether a row as it is written now is proved at every width.
    pub fn stands(&self, row: &Rewrite) -> bool {
        let entry = self.rows.get(&row.name);
        entry.is_some_and(|entry| entry.hash == hash_of(&row.text) && entry.widths == row.widths())
    }
}
