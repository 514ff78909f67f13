//! What a compiler says of its loops: at the head of each, where registers of the source lie.
//!
//! Nothing of it is trusted. It is a guess like those of `cuts`, and comes before them: what does not hold behind a turn of the loop is given up, and
//! a witness has what is left. Where that is no proof, loops are guessed as if there were no file. So a wrong file costs time, and nothing else.

use sassafras_isa::{RegClass, Register};
use sassafras_ptx::checked::Function;
use sassafras_symbolic::cut::{Cut, Key, Row, Shape, Variable, key, width};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The version of the format that is read and written.
pub const VERSION: u32 = 1;

/// Bytes of an instruction.
const WORD: u64 = 16;

/// The file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hints {
    /// The version of the format.
    pub version: u32,
    /// The entries of the cubin.
    pub entries: Vec<Entry>,
}

/// What is said of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its name.
    pub entry: String,
    /// The heads of its loops, in the order of the code.
    pub heads: Vec<Head>,
}

/// The head of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// 1-based line of the PTX on which the block begins that it stands for; 0 if none is known.
    pub line: u32,
    /// Where it lies, in bytes from the entry's start.
    pub offset: u64,
    /// How many turns of the PTX's loop are one turn of this.
    pub turns: u32,
    /// Where registers of the PTX lie when lanes come to the head.
    pub registers: Vec<Held>,
}

/// A register of the PTX that lies in registers of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// Its name in the PTX.
    pub ptx: String,
    /// The machine's register, as the disassembler has it; the first if there are several.
    pub at: String,
    /// How many registers.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub words: u32,
}

fn one() -> u32 {
    1
}

fn is_one(words: &u32) -> bool {
    *words == 1
}

/// Why a file is none that can be read.
#[derive(Debug)]
pub enum Unreadable {
    /// It is no JSON, or has other fields.
    Form(serde_json::Error),
    /// It is of another version.
    Version(u32),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreadable::Form(e) => write!(out, "these are no hints: {e}"),
            Unreadable::Version(found) => write!(out, "hints of version {found}; this reads {VERSION}"),
        }
    }
}

impl std::error::Error for Unreadable {}

/// Reads a file.
///
/// # Errors
/// It has another form, or another version.
pub fn read(text: &str) -> Result<Hints, Unreadable> {
    let hints: Hints = serde_json::from_str(text).map_err(Unreadable::Form)?;
    if hints.version == VERSION { Ok(hints) } else { Err(Unreadable::Version(hints.version)) }
}

impl Hints {
    /// What is said of an entry.
    pub fn of(&self, entry: &str) -> Option<&Entry> {
        self.entries.iter().find(|of| of.entry == entry)
    }
}

/// The numbers of so many registers of the machine, from one on; none if there are no such registers.
fn keys(at: &str, words: u32) -> Option<Vec<Key>> {
    let number = at.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let class = match &at[..at.len() - number.len()] {
        "R" => RegClass::R,
        "P" => RegClass::P,
        "UR" => RegClass::UR,
        "UP" => RegClass::UP,
        _ => return None,
    };
    let first: u16 = number.parse().ok()?;
    let all = (0..words.min(4)).map(|n| first.checked_add(n as u16));
    all.map(|number| Some(key(Register { class, number: u32::from(number?) }))).collect()
}

/// Puts what is said of an entry in front of what was guessed of its loops. `spare`: loop by loop, what takes the place of rows that do not hold.
pub(crate) fn prefer(entry: &Entry, source: &Function, cuts: &mut [Cut], spare: &mut [Vec<Row>]) {
    for (cut, spare) in cuts.iter_mut().zip(spare) {
        let at = |head: &&Head| head.turns == 1 && head.offset == WORD.saturating_mul(cut.target);
        let Some(head) = entry.heads.iter().find(at) else { continue };
        for held in &head.registers {
            let number = source.registers.iter().position(|r| r.name == held.ptx);
            let found = cut.variables.iter().position(|v| Some(v.register) == number.map(|n| n as u64));
            if let (Some(variable), Some(registers)) = (found, keys(&held.at, held.words)) {
                say(cut, spare, variable, &registers);
            }
        }
    }
}

/// Says that registers of the target hold a variable, as far as the loop changes them.
fn say(cut: &mut Cut, spare: &mut Vec<Row>, variable: usize, registers: &[Key]) {
    let of: Variable = cut.variables[variable];
    let changed =
        |cut: &Cut, r: &Key| cut.free[1].contains(r) || cut.rows.iter().any(|row| row.registers.contains(r));
    let wide = |r: &Key| sassafras_symbolic::cut::register(*r).map_or(0, width);
    let all: u32 = registers.iter().map(wide).sum();
    if all != of.width || !registers.iter().all(|r| changed(cut, r)) {
        return;
    }
    let said =
        |row: &Row| row.variable as usize == variable && registers.iter().any(|r| row.registers.contains(r));
    let known: usize = cut.rows.iter().filter(|row| said(row)).map(|row| row.registers.len()).sum();
    if known == registers.len() {
        return;
    }
    // What else was guessed of them goes. Of a pair of which one half goes the other may be anything.
    let gone: Vec<Key> = cut
        .rows
        .iter()
        .filter(|row| registers.iter().any(|r| row.registers.contains(r)))
        .flat_map(|row| row.registers.iter().copied())
        .filter(|r| !registers.contains(r))
        .collect();
    let guessed = |row: &Row| registers.iter().any(|r| row.registers.contains(r));
    spare.splice(0..0, cut.rows.iter().filter(|row| guessed(row)).cloned());
    cut.rows.retain(|row| !guessed(row));
    cut.free[1].retain(|r| !registers.contains(r));
    cut.free[1].extend(gone);
    if of.moves {
        cut.rows.push(Row {
            registers: registers.to_vec(),
            variable: variable as u32,
            shape: Shape::Moved(1),
        });
        return;
    }
    for (n, r) in registers.iter().enumerate() {
        cut.rows.push(Row {
            registers: vec![*r],
            variable: variable as u32,
            shape: Shape::Part(32 * n as u32),
        });
    }
}
