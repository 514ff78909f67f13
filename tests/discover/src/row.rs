//! From what was learned to a row in the table's notation.

mod field;
mod name;
mod shape;
mod syntax;

pub use field::Access;

use crate::learn::Learner;
use shape::Shape;
use std::collections::BTreeMap;

/// A row and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposal {
    /// The text in quotes.
    pub syntax: String,
    /// Fixed bits, as in `91=1,72=1`; `-` for none.
    pub fixed: String,
    /// Combinations that no instruction has.
    pub denied: Vec<String>,
    /// Whether the guard is a uniform predicate.
    pub uniform_guard: bool,
    /// Names of the fields, by index.
    pub names: Vec<String>,
    /// Enums: name and bits.
    pub enums: Vec<(String, Vec<u8>)>,
    /// What the notation could not say.
    pub notes: Vec<String>,
}

/// Turns a learner's model into a row.
pub fn propose(learner: &Learner<'_>, accesses: &BTreeMap<usize, Access>) -> Proposal {
    let shape = Shape::of(learner);
    let mut notes = learner.notes.clone();
    notes.extend(shape.notes.iter().cloned());
    let syntax = syntax::write(learner, &shape, accesses, &mut notes);
    Proposal {
        syntax,
        fixed: fixed(learner, &shape),
        denied: shape.denied.clone(),
        uniform_guard: learner.uniform_guard,
        names: shape.names.clone(),
        enums: shape.enums.iter().map(|e| (e.name.clone(), e.bits.clone())).collect(),
        notes,
    }
}

/// The bits that nothing owns and that are set, in groups of neighbours.
fn fixed(learner: &Learner<'_>, shape: &Shape) -> String {
    let mut owned = 0u128;
    for field in &learner.fields {
        field.bits.iter().for_each(|bit| owned |= 1 << bit);
    }
    shape.enums.iter().flat_map(|e| &e.bits).for_each(|bit| owned |= 1 << bit);
    shape.flags.iter().for_each(|flag| owned |= 1 << flag.bit);
    let word = shape.still;
    let mut parts = Vec::new();
    let mut bit = 16u8;
    while bit < 105 {
        let start = bit;
        while bit < 105 && owned >> bit & 1 == 0 && word >> bit & 1 == 1 {
            bit += 1;
        }
        match bit - start {
            0 => bit += 1,
            1 => parts.push(format!("{start}=1")),
            n => parts.push(format!("{start}+{n}={}", (1u128 << n) - 1)),
        }
    }
    if parts.is_empty() { "-".to_owned() } else { parts.join(",") }
}
