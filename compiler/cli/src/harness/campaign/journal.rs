//! The journal of a campaign: what it runs, and one line for each seed.
//!
//! Lines are only ever appended. A process that is stopped leaves at most a part of a line, which the next one cuts off.

use super::finding::Sign;
use crate::Failure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The file's name in the folder of a campaign.
pub const NAME: &str = "journal.jsonl";

/// The first line: what a campaign runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format.
    pub schema: u32,
    /// Version of this program.
    pub sassafras: String,
    /// Compilers as on the command line.
    pub compilers: Vec<String>,
    /// Chips by number.
    pub chips: Vec<u32>,
    /// Levels.
    pub levels: Vec<u8>,
    /// Who decides.
    pub oracle: String,
    /// What programs may have.
    pub features: String,
    /// Most instructions of a program.
    pub size: u64,
    /// A hash of what the generator makes of some seeds.
    pub generator: String,
}

/// What became of a seed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The seed.
    pub seed: u64,
    /// The chip.
    pub sm: u32,
    /// A word for each compiler, chip and level.
    pub outcomes: BTreeMap<String, String>,
    /// What was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Hit>,
    /// What went wrong on our own side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<String>,
}

/// A compiler that errs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// Compiler, chip and level.
    pub compiler: String,
    /// The folder of the finding; `known:PROGRAM` of an error that `corpus/ptxas-open` shows.
    pub name: String,
    /// Whether it is the first of its kind.
    pub fold: Fold,
    /// By what later ones are folded, of the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign: Option<Sign>,
}

/// What a finding is beside those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fold {
    /// The first of its kind: it has a folder.
    New,
    /// Of the same kind as an earlier one.
    Again,
    /// A known error.
    Known,
}

/// The open file, which no other campaign can open meanwhile.
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the journal of a folder, which is made if need be, and reads what is in it.
    ///
    /// # Errors
    /// It cannot be read or written, another process has it, it is another campaign's, or a line of it is damaged.
    pub fn open(folder: &Path, header: &Header) -> Result<(Journal, Vec<Entry>), Failure> {
        let path = folder.join(NAME);
        let fail = |e: std::io::Error| Failure::unwritable(e.to_string()).about(&path);
        std::fs::create_dir_all(folder).map_err(fail)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(fail)?;
        if file.try_lock().is_err() {
            return Err(Failure::usage("another campaign runs in this folder").about(folder));
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(fail)?;
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0)).map(drop)).map_err(fail)?;
        let damaged = |line: usize, e: serde_json::Error| {
            Failure::wrong(format!("line {line} is no line of a journal: {e}")).about(&path)
        };
        let mut lines = text[..whole].lines();
        let mut entries = Vec::new();
        match lines.next() {
            None => {
                let line = serde_json::to_string(header).map_err(|e| Failure::internal(e.to_string()))?;
                file.write_all(format!("{line}\n").as_bytes()).map_err(fail)?;
            }
            Some(first) => {
                let there: Header = serde_json::from_str(first).map_err(|e| damaged(1, e))?;
                if there != *header {
                    let why = "the journal is of another campaign; its first line says which, and a new folder begins a new one";
                    return Err(Failure::usage(why).about(&path));
                }
                for (n, line) in lines.enumerate() {
                    entries.push(serde_json::from_str(line).map_err(|e| damaged(n + 2, e))?);
                }
            }
        }
        Ok((Journal { path, file }, entries))
    }

    /// Adds a line, which is in the file when this returns.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn append(&mut self, entry: &Entry) -> Result<(), Failure> {
        let line = serde_json::to_string(entry).map_err(|e| Failure::internal(e.to_string()))?;
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|e| Failure::unwritable(e.to_string()).about(&self.path))
    }
}
