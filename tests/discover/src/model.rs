//! What is known of a form: number fields, and variables whose effect on the text is a list of edits.

use crate::text::{Kind, Token};
use sassafras_isa::{FloatFormat, float_text, special};
use std::sync::Arc;

/// Reads a number out of a word, lowest bit first.
pub fn get(word: u128, bits: &[u8]) -> u64 {
    bits.iter().enumerate().fold(0, |value, (i, &bit)| value | ((word >> bit & 1) as u64) << i)
}

/// Puts a number into a word.
pub fn put(word: u128, bits: &[u8], value: u64) -> u128 {
    bits.iter()
        .enumerate()
        .fold(word, |word, (i, &bit)| word & !(1u128 << bit) | u128::from(value >> i & 1) << bit)
}

/// How a field's number is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Way {
    /// As most often.
    Usual,
    /// The hexadecimal number of its bits.
    Unsigned,
    /// As two's complement.
    Signed,
    /// As a floating-point number.
    Float(FloatKind),
}

/// [`FloatFormat`], so that it can be a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatKind {
    /// binary16.
    Half,
    /// bfloat16.
    Bfloat,
    /// binary32.
    Single,
    /// High half of a binary64 number.
    DoubleHigh,
}

impl FloatKind {
    fn format(self) -> FloatFormat {
        match self {
            FloatKind::Half => FloatFormat::Half,
            FloatKind::Bfloat => FloatFormat::Bfloat,
            FloatKind::Single => FloatFormat::Single,
            FloatKind::DoubleHigh => FloatFormat::DoubleHigh,
        }
    }
}

/// A number in the text and its place in the word.
#[derive(Clone, Debug)]
pub struct Field {
    /// What it counts.
    pub kind: Kind,
    /// Lowest bit first.
    pub bits: Vec<u8>,
    /// The word holds the complement.
    pub inverted: bool,
    /// Two's complement.
    pub signed: bool,
    /// Trailing zero bits of the printed number that the word does not hold.
    pub shift: u32,
    /// How floats are written.
    pub float: Option<FloatKind>,
    /// Place among the tokens of the base text.
    pub place: usize,
    /// The value of the base word: one that no other field of the kind has.
    pub base: u64,
    /// Values at which the text is not the usual one.
    pub special: Vec<u64>,
    /// Values that nvdisasm refuses.
    pub illegal: Vec<u64>,
}

impl Field {
    /// Its text for a value.
    pub fn text(&self, raw: u64, way: Way, uniform_constant: i64) -> String {
        let width = self.bits.len() as u32;
        let signed = |on: bool| {
            let value =
                if on && width < 64 { (raw << (64 - width)) as i64 >> (64 - width) } else { raw as i64 };
            let value = value << self.shift;
            format!("{}{:#x}", if value < 0 { "-" } else { "" }, value.unsigned_abs())
        };
        match (way, self.float) {
            (Way::Float(kind), _) | (Way::Usual, Some(kind)) => return float_text(raw, kind.format()),
            (Way::Unsigned, _) => return signed(false),
            (Way::Signed, _) => return signed(true),
            _ => {}
        }
        let mask = (1u64 << width.min(63)) - 1;
        let value = if self.inverted { raw ^ mask } else { raw };
        let register = |prefix: &str, constant: i64, letter: &str| {
            if value as i64 == constant { format!("{prefix}{letter}") } else { format!("{prefix}{value}") }
        };
        match self.kind {
            Kind::R => register("R", 255, "Z"),
            Kind::UR => register("UR", uniform_constant, "Z"),
            Kind::P => register("P", 7, "T"),
            Kind::UP => register("UP", 7, "T"),
            Kind::B => format!("B{value}"),
            Kind::Decimal => (value << self.shift).to_string(),
            Kind::Special => special::name(value).into_owned(),
            Kind::Target => format!("pc({})", signed(true)),
            Kind::Hex | Kind::Float => signed(self.signed),
        }
    }

    /// The ways a token may show it besides the usual.
    pub fn ways(&self) -> &'static [Way] {
        use FloatKind::{Bfloat, DoubleHigh, Half, Single};
        match (self.kind, self.bits.len()) {
            (Kind::Hex | Kind::Decimal | Kind::Float, 16) => {
                &[Way::Usual, Way::Unsigned, Way::Signed, Way::Float(Half), Way::Float(Bfloat)]
            }
            (Kind::Hex | Kind::Decimal | Kind::Float, 32) => {
                &[Way::Usual, Way::Unsigned, Way::Signed, Way::Float(Single), Way::Float(DoubleHigh)]
            }
            (Kind::Hex, _) => &[Way::Usual, Way::Unsigned, Way::Signed],
            _ => &[Way::Usual],
        }
    }
}

/// A token of the general text: fixed characters, or a field.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sym {
    /// What it is.
    pub body: Body,
    /// Signs, of [`crate::text::flag`].
    pub flags: u8,
}

/// See [`Sym`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Body {
    /// These characters.
    Text(Arc<str>),
    /// The field of this index.
    Field(usize, Way),
}

/// Puts fields in the place of the tokens that show their base values.
pub fn general(tokens: &[Token], fields: &[Field], uniform_constant: i64) -> Vec<Sym> {
    tokens
        .iter()
        .map(|token| {
            let body = match token.number(uniform_constant) {
                None => None,
                Some((kind, _)) => fields.iter().enumerate().find_map(|(i, field)| {
                    let hex = matches!(kind, Kind::Hex | Kind::Decimal | Kind::Float);
                    let other = matches!(field.kind, Kind::Hex | Kind::Decimal | Kind::Float);
                    if field.kind != kind && !(hex && other) {
                        return None;
                    }
                    let shows = |way: &&Way| field.text(field.base, **way, uniform_constant) == *token.text;
                    field.ways().iter().find(shows).map(|way| Body::Field(i, *way))
                }),
            };
            Sym { body: body.unwrap_or_else(|| Body::Text(token.text.clone())), flags: token.flags }
        })
        .collect()
}

/// Fills in the values of the fields.
pub fn fill(general: &[Sym], values: &[u64], fields: &[Field], uniform_constant: i64) -> Vec<Token> {
    let text = |body: &Body| match body {
        Body::Text(text) => text.clone(),
        Body::Field(i, way) => Arc::from(fields[*i].text(values[*i], *way, uniform_constant)),
    };
    general.iter().map(|sym| Token { text: text(&sym.body), flags: sym.flags }).collect()
}

/// Replaces the tokens from the first number up to the second.
pub type Edit = (usize, usize, Vec<Sym>);

/// What turns one general text into another.
pub fn edits(from: &[Sym], to: &[Sym]) -> Vec<Edit> {
    let mut list: Vec<Edit> = Vec::new();
    for op in similar::capture_diff_slices(similar::Algorithm::Myers, from, to) {
        let (tag, old, new) = op.as_tag_tuple();
        if tag == similar::DiffTag::Equal {
            continue;
        }
        match list.last_mut() {
            Some(last) if last.1 == old.start => {
                last.1 = old.end;
                last.2.extend_from_slice(&to[new]);
            }
            _ => list.push((old.start, old.end, to[new].to_vec())),
        }
    }
    list
}

/// A part of a variable: one bit, or a field with the values at which its text is unusual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// The bits.
    pub bits: Vec<u8>,
    /// The field, where it is one.
    pub field: Option<usize>,
    /// Values; `None` is any usual one, and the first is that of the base word.
    pub values: Vec<Option<u64>>,
}

/// Bits that must be known together.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its number, never used twice.
    pub id: usize,
    /// Its parts.
    pub atoms: Vec<Atom>,
    /// By class: what it does to the general text; `None` where nvdisasm refuses it.
    pub effects: Vec<Option<Vec<Edit>>>,
}

impl Variable {
    /// Number of classes: combinations of its parts' values.
    pub fn classes(&self) -> usize {
        self.atoms.iter().map(|atom| atom.values.len()).product()
    }

    /// The index of each part's value in a class.
    pub fn digits(&self, mut class: usize) -> Vec<usize> {
        self.atoms
            .iter()
            .map(|atom| {
                let digit = class % atom.values.len();
                class /= atom.values.len();
                digit
            })
            .collect()
    }

    /// The class with these indices.
    pub fn class(&self, digits: &[usize]) -> usize {
        self.atoms.iter().zip(digits).rev().fold(0, |class, (atom, digit)| class * atom.values.len() + digit)
    }

    /// Puts a class into a word.
    pub fn put(&self, word: u128, class: usize) -> u128 {
        self.atoms.iter().zip(self.digits(class)).fold(word, |word, (atom, digit)| {
            atom.values[digit].map_or(word, |value| put(word, &atom.bits, value))
        })
    }

    /// Classes that stand for all: every one when there are few, else one per effect and some that are refused.
    pub fn sample(&self) -> Vec<usize> {
        let all = self.classes();
        if all <= 6 {
            return (0..all).collect();
        }
        let mut seen = rustc_hash::FxHashSet::default();
        let mut picked: Vec<usize> = (0..all)
            .filter(|&class| self.effects[class].is_some() && seen.insert(self.effects[class].clone()))
            .take(32)
            .collect();
        let step = (all / 4).max(1);
        picked.extend((0..all).filter(|&class| self.effects[class].is_none()).step_by(step).take(4));
        picked
    }
}

/// Edits that stand in each other's way.
#[derive(Debug)]
pub struct Conflict;

/// Applies the effects of several variables, by order of place. Where two insert at one place, `before` says whether the first goes before
/// the second; the flag returned tells that this was asked.
pub fn compose(
    base: &[Sym],
    effects: &[(usize, &[Edit])],
    before: &dyn Fn(usize, usize) -> bool,
) -> Result<(Vec<Sym>, bool), Conflict> {
    let mut list: Vec<(usize, &Edit)> =
        effects.iter().flat_map(|(id, edits)| edits.iter().map(move |edit| (*id, edit))).collect();
    list.sort_by_key(|(_, edit)| (edit.0, edit.1 > edit.0, edit.1));
    let mut ambiguous = false;
    let mut i = 0;
    while i + 1 < list.len() {
        let (a, b) = (list[i], list[i + 1]);
        let insertions = a.1.0 == a.1.1 && b.1.0 == b.1.1 && a.1.0 == b.1.0;
        if insertions {
            ambiguous = true;
            if before(b.0, a.0) {
                list.swap(i, i + 1);
            }
        }
        i += 1;
    }
    let mut out = Vec::with_capacity(base.len() + 4);
    let mut at = 0;
    for (_, (from, to, new)) in list {
        if *from < at {
            return Err(Conflict);
        }
        out.extend_from_slice(&base[at..*from]);
        out.extend_from_slice(new);
        at = *to;
    }
    out.extend_from_slice(&base[at..]);
    Ok((out, ambiguous))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: &str) -> Vec<Sym> {
        words.split(' ').map(|w| Sym { body: Body::Text(Arc::from(w)), flags: 0 }).collect()
    }

    #[test]
    fn effects_compose() {
        let base = text("a b c d");
        let (one, two) = (edits(&base, &text("a x c d")), edits(&base, &text("a b c y d")));
        let both = compose(&base, &[(0, &one), (1, &two)], &|_, _| false).expect("they are apart");
        assert_eq!(both, (text("a x c y d"), false));
        let three = edits(&base, &text("a z c d"));
        assert!(compose(&base, &[(0, &one), (1, &three)], &|_, _| false).is_err());
    }

    #[test]
    fn classes_are_numbered() {
        let atom =
            |bit: u8, n: u64| Atom { bits: vec![bit], field: None, values: (0..n).map(Some).collect() };
        let variable = Variable { id: 0, atoms: vec![atom(3, 2), atom(9, 2)], effects: Vec::new() };
        for class in 0..4 {
            assert_eq!(variable.class(&variable.digits(class)), class);
        }
        assert_eq!(variable.put(0, 3), 1 << 3 | 1 << 9);
    }
}
