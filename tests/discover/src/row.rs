//! From what was learned to a row in the table's notation.

mod shape;
mod syntax;

use crate::learn::Learner;
use crate::model::Way;
use crate::text::{Kind, flag};
use shape::Shape;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Which registers of a field an instruction touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// It reads them.
    pub read: bool,
    /// It writes them.
    pub write: bool,
    /// How many, in the notation: empty, `x2` or `v=NAME:1/2`.
    pub units: String,
}

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

/// The places of bits in the notation.
pub(crate) fn place(bits: &[u8]) -> String {
    let mut parts: Vec<(u8, u8)> = Vec::new();
    for &bit in bits {
        match parts.last_mut() {
            Some((first, count)) if *first + *count == bit => *count += 1,
            _ => parts.push((bit, 1)),
        }
    }
    let mut out = String::new();
    for (i, (first, count)) in parts.iter().enumerate() {
        let comma = if i > 0 { "," } else { "" };
        let plus = if *count > 1 { format!("+{count}") } else { String::new() };
        // Writing to a string cannot fail.
        let _ = write!(out, "{comma}{first}{plus}");
    }
    out
}

/// A name for a field from its kind and place, as the hand-written rows have it.
fn name(kind: Kind, bits: &[u8], taken: &[String]) -> String {
    let first = bits.first().copied().unwrap_or(0);
    let base = match (kind, first) {
        (Kind::R | Kind::UR | Kind::B, 16) => "d".to_owned(),
        (Kind::R | Kind::UR, 24) => "a".to_owned(),
        (Kind::R | Kind::UR, 32) => "b".to_owned(),
        (Kind::R | Kind::UR, 64) => "c".to_owned(),
        (Kind::P | Kind::UP, 81) => "p".to_owned(),
        (Kind::P | Kind::UP, 84) => "p2".to_owned(),
        (Kind::P | Kind::UP, 87) => "q".to_owned(),
        (Kind::P | Kind::UP, 77) => "q1".to_owned(),
        (Kind::P | Kind::UP, 68) => "q2".to_owned(),
        (Kind::P | Kind::UP, _) => "q".to_owned(),
        (Kind::Special, _) => "sr".to_owned(),
        (Kind::Target, _) => "t".to_owned(),
        (Kind::Hex | Kind::Float, 32) if bits.len() == 32 => "b".to_owned(),
        (_, first) => format!("i{first}"),
    };
    if !taken.contains(&base) {
        return base;
    }
    (0..).map(|n| format!("{base}{}", (b'x' + n) as char)).find(|name| !taken.contains(name)).unwrap_or(base)
}

/// The kind of a field in the notation, with its place and the options that follow from it.
fn definition(learner: &Learner<'_>, shape: &Shape, i: usize, access: Option<&Access>) -> String {
    let field = &learner.fields[i];
    let name = &shape.names[i];
    let first = field.bits.first().copied().unwrap_or(0);
    let width = field.bits.len();
    let scale = if field.shift > 0 { format!("*{}", 1u64 << field.shift) } else { String::new() };
    let signed = field.signed || shape.ways[i].contains(&Way::Signed);
    let (kind, at) = match field.kind {
        Kind::R => ("R".to_owned(), first.to_string()),
        Kind::UR => ("UR".to_owned(), first.to_string()),
        Kind::P if field.inverted => ("PI".to_owned(), first.to_string()),
        Kind::UP if field.inverted => ("UPI".to_owned(), first.to_string()),
        Kind::P => ("P".to_owned(), first.to_string()),
        Kind::UP => ("UP".to_owned(), first.to_string()),
        Kind::B => ("B".to_owned(), first.to_string()),
        Kind::Special => ("SR".to_owned(), first.to_string()),
        Kind::Target => (format!("pc{width}{scale}"), place(&field.bits)),
        _ => match (field.float, width) {
            (Some(float), _) => (shape.float(i, float), first.to_string()),
            (None, _) => (format!("{}{width}{scale}", if signed { 's' } else { 'u' }), place(&field.bits)),
        },
    };
    let mut out = format!("{kind} {name} {at}");
    if let Some(access) = access.filter(|access| !access.units.is_empty()) {
        out += &format!(" {}", access.units);
    }
    if let Some(default) = shape.defaults.get(&i) {
        out += &format!(" ={default}");
    }
    out + &signs(shape, i)
}

/// The options of a field that name the bits of its signs.
pub(crate) fn signs(shape: &Shape, i: usize) -> String {
    let mut out = String::new();
    for known in shape.flags.iter().filter(|f| f.field == i) {
        let letter = match known.flag {
            flag::NEG => 'n',
            flag::ABS => 'a',
            flag::NOT => '!',
            _ => '~',
        };
        out += &format!(" {letter}{}", known.bit);
        if let Some(by) = &known.tilde {
            out += &format!(" i={by}");
        }
    }
    out
}
