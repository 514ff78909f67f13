//! Fields in the notation.

use super::shape::Shape;
use crate::learn::Learner;
use crate::model::Way;
use crate::text::{Kind, flag};
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

/// The kind of a field in the notation, with its place and the options that follow from it.
pub(super) fn definition(learner: &Learner<'_>, shape: &Shape, i: usize, access: Option<&Access>) -> String {
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
