//! The numbers of a text: which bits hold them, and how they are written.

use super::{Learner, model};
use crate::model::{Field, FloatKind, Way, fill};
use crate::text::{Kind, Token};
use anyhow::Result;
use std::collections::BTreeMap;

/// By place among the tokens, by bit: the weight, as a power of two, and whether the number falls as the bit is set.
type Weights = BTreeMap<usize, BTreeMap<u8, (u32, bool)>>;

/// Floating-point immediates that forms have: first bit, width, kind.
const FLOATS: &[&[(u8, u8, FloatKind)]] = &[
    &[(32, 32, FloatKind::Single)],
    &[(32, 32, FloatKind::DoubleHigh)],
    &[(48, 16, FloatKind::Half), (32, 16, FloatKind::Half)],
    &[(32, 16, FloatKind::Half), (48, 16, FloatKind::Half)],
    &[(48, 16, FloatKind::Bfloat), (32, 16, FloatKind::Bfloat)],
    &[(32, 16, FloatKind::Half)],
];

impl Learner<'_> {
    /// Flips every bit at several words of one shape; a bit that changes one number by a power of two belongs to it.
    pub(super) fn find_fields(&mut self) -> Result<()> {
        let Some(shape) = self.one(self.base)? else { return Ok(()) };
        let mut bases = vec![self.base];
        for turn in [[1u64, 2, 4], [3, 5, 6]] {
            let mut word = self.base;
            for (k, field) in self.fields.iter().filter(|f| f.bits.len() <= 4).enumerate() {
                word = model::put(word, &field.bits, turn[k % 3]);
            }
            bases.push(word);
        }
        for pattern in [0x1234_5678_u64, 0x2a5a_5a5a_5a5a] {
            let mut word = self.base;
            for field in self.fields.iter().filter(|f| f.kind == Kind::Hex && f.bits.len() > 8) {
                word = model::put(word, &field.bits, pattern & ((1 << (field.bits.len() - 1)) - 1));
            }
            bases.push(word);
        }
        bases.dedup();
        let kinds = |tokens: &[Token]| -> Vec<String> {
            let kind = |t: &Token| t.number(self.uniform_constant).map(|(kind, _)| kind);
            tokens.iter().map(|t| kind(t).map_or(t.text.to_string(), |kind| format!("{kind:?}"))).collect()
        };
        let wanted = kinds(&shape);
        let bits = self.bits();
        let words: Vec<u128> = bases
            .iter()
            .flat_map(|base| bits.iter().map(move |bit| base ^ 1 << *bit).chain([*base]))
            .collect();
        let uniform_constant = self.uniform_constant;
        self.ask(&words)?;
        let mut weights = Weights::new();
        for &base in &bases {
            let Some(before) = self.one(base)? else { continue };
            if kinds_of(&before, uniform_constant) != wanted {
                continue;
            }
            for &bit in &bits {
                let Some(after) = self.one(base ^ 1 << bit)? else { continue };
                if let Some((place, delta)) = change(&before, &after, uniform_constant) {
                    let delta = if base >> bit & 1 == 1 { delta.wrapping_neg() } else { delta };
                    let weight = (delta.unsigned_abs().trailing_zeros(), delta < 0);
                    let entry = weights.entry(place).or_default().entry(bit).or_insert(weight);
                    if weight.0 < entry.0 {
                        *entry = weight;
                    }
                }
            }
        }
        self.fields = weights.iter().filter_map(|(&place, bits)| self.field(place, bits, &shape)).collect();
        self.floats(&shape)
    }

    fn field(&self, place: usize, bits: &BTreeMap<u8, (u32, bool)>, shape: &[Token]) -> Option<Field> {
        let kind = shape[place].number(self.uniform_constant)?.0;
        let mut order: Vec<(u32, u8, bool)> =
            bits.iter().map(|(&bit, &(w, falls))| (w, bit, falls)).collect();
        order.sort_unstable();
        let shift = order.first()?.0;
        let mut taken: Vec<(u8, bool)> = Vec::new();
        for (weight, bit, falls) in order {
            if weight == shift + taken.len() as u32 {
                taken.push((bit, falls));
            }
        }
        let register = matches!(kind, Kind::R | Kind::UR | Kind::P | Kind::UP | Kind::B | Kind::Special);
        // At P6 a flip of the lowest bit gives PT, which text leaves out: registers stand in one piece.
        let mut below = Vec::new();
        if register && shift > 0 {
            let first = taken.first()?.0;
            below = (first.checked_sub(shift as u8)?..first).collect();
        }
        let top = taken.last().is_some_and(|(_, falls)| *falls);
        Some(Field {
            kind,
            inverted: register && taken.iter().all(|(_, falls)| *falls),
            signed: !register && top,
            bits: below.into_iter().chain(taken.iter().map(|(bit, _)| *bit)).collect(),
            shift: if register { 0 } else { shift },
            float: None,
            place,
            base: 0,
            special: Vec::new(),
            illegal: Vec::new(),
        })
    }

    /// Tries the known layouts of floating-point immediates.
    fn floats(&mut self, shape: &[Token]) -> Result<()> {
        let numbers: Vec<usize> = (0..shape.len())
            .filter(|&i| {
                let kind = shape[i].number(self.uniform_constant).map(|(kind, _)| kind);
                matches!(kind, Some(Kind::Float | Kind::Decimal))
            })
            .collect();
        if numbers.is_empty() {
            return Ok(());
        }
        for layout in FLOATS.iter().filter(|layout| layout.len() == numbers.len()) {
            let samples: [u64; 6] =
                [0x3fc0_0000, 0x4049_0fdb, 0xc2f6_e979, 0x3dcc_cccd, 0x4123_4560, 0xbe99_4321];
            let words: Vec<u128> = samples
                .iter()
                .map(|sample| {
                    layout.iter().enumerate().fold(self.base, |word, (i, &(first, width, _))| {
                        let bits: Vec<u8> = (first..first + width).collect();
                        let value =
                            if width == 16 { (sample >> 12 ^ (i as u64) << 4) & 0xffff } else { *sample };
                        model::put(word, &bits, value)
                    })
                })
                .collect();
            let field = |place: usize, first: u8, width: u8, kind| Field {
                kind: Kind::Float,
                bits: (first..first + width).collect(),
                inverted: false,
                signed: false,
                shift: 0,
                float: Some(kind),
                place,
                base: 0,
                special: Vec::new(),
                illegal: Vec::new(),
            };
            let fields: Vec<Field> =
                numbers.iter().zip(layout.iter()).map(|(&place, &(f, w, k))| field(place, f, w, k)).collect();
            let texts = self.ask(&words)?;
            let mut seen = 0;
            let fits = words.iter().zip(&texts).all(|(word, text)| {
                let Some(text) = text else { return true };
                seen += 1;
                fields.iter().all(|field| {
                    let value = model::get(*word, &field.bits);
                    let ours = field.text(value, Way::Usual, self.uniform_constant);
                    text.get(field.place).is_some_and(|t| *t.text == *ours)
                })
            });
            if fits && seen > 3 {
                let taken: Vec<u8> = fields.iter().flat_map(|f| f.bits.clone()).collect();
                self.fields
                    .retain(|f| !f.bits.iter().any(|bit| taken.contains(bit)) && !numbers.contains(&f.place));
                self.fields.extend(fields);
                self.fields.sort_by_key(|f| f.place);
                return Ok(());
            }
        }
        self.notes.push("a number that is no immediate of a known layout".to_owned());
        Ok(())
    }

    /// Gives every field a value of its own, so that it is recognised wherever it is shown.
    pub(super) fn generalise(&mut self) -> Result<()> {
        let mut used: Vec<(Kind, u64)> = Vec::new();
        for i in 0..self.fields.len() {
            let field = &self.fields[i];
            let width = field.bits.len() as u32;
            let limit = 1u64.checked_shl(width).map_or(u64::MAX, |v| v - 1);
            let wished: Vec<u64> = match field.kind {
                Kind::R => (0..12).map(|k| 24 + 16 * k).collect(),
                Kind::UR => (0..12).map(|k| 8 + 4 * k).collect(),
                Kind::P | Kind::UP => (0..6).map(|k| if field.inverted { 7 - k } else { k }).collect(),
                Kind::B => vec![3, 5, 6, 9, 1, 2],
                Kind::Special => vec![33, 37, 40],
                Kind::Float if width == 16 => vec![0x4100 + u64::from(field.bits[0]) * 7],
                Kind::Float => vec![0x4123_4560],
                _ => (0..8)
                    .map(|k| match width {
                        0..=3 => 5 ^ k,
                        4..=8 => (0xa5 ^ k << 1) & limit | 1 << (width - 1),
                        _ => (0x1_2345_6789_abcd_u64.wrapping_mul(2 * k + 1) >> 3) & limit | 1 << (width - 1),
                    })
                    .collect(),
            };
            let now = model::get(self.base, &field.bits);
            let kind = field.kind;
            let bits = field.bits.clone();
            let mut values: Vec<u64> =
                wished.into_iter().chain([0x20, 0x10, 8, 4, 2, 1]).map(|v| v & limit).collect();
            // What counts is the number shown, not the bits.
            let inverted = field.inverted;
            let shown = |value: u64| if inverted { value ^ limit } else { value };
            values.retain(|value| !used.contains(&(kind, shown(*value))));
            let words: Vec<u128> = values.iter().map(|v| model::put(self.base, &bits, *v)).collect();
            let texts = self.ask(&words)?;
            let legal = values.iter().zip(&texts).find(|(_, text)| text.is_some());
            let chosen = legal.map_or(now, |(value, _)| *value);
            used.push((kind, shown(chosen)));
            self.fields[i].base = chosen;
            self.base = model::put(self.base, &bits, chosen);
        }
        Ok(())
    }

    /// Tries many values of each field, to learn which are written otherwise or refused.
    pub(super) fn sweep(&mut self) -> Result<()> {
        for i in 0..self.fields.len() {
            let field = self.fields[i].clone();
            let width = field.bits.len() as u32;
            let limit = 1u64.checked_shl(width).map_or(u64::MAX, |v| v - 1);
            let mut tried: Vec<u64> = match width {
                0..=6 => (0..=limit).collect(),
                _ if field.kind == Kind::Special => (0..=limit).collect(),
                _ => {
                    let few = [0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 62, 63, 64, 127, 128, 252, 253, 254, 255];
                    let ones = (0..width).flat_map(|k| [1u64 << k, limit ^ 1 << k]);
                    few.into_iter()
                        .chain(ones)
                        .chain([limit, limit - 1, limit >> 1])
                        .filter(|v| *v <= limit)
                        .collect()
                }
            };
            tried.sort_unstable();
            tried.dedup();
            let words: Vec<u128> = tried.iter().map(|&v| model::put(self.base, &field.bits, v)).collect();
            let texts = self.ask(&words)?;
            let mut best: Option<(bool, Vec<(u64, bool)>)> = None;
            for signed in if field.kind == Kind::Hex { &[false, true][..] } else { &[false][..] } {
                self.fields[i].signed = *signed;
                let mut values = self.values(self.base);
                let odd: Vec<(u64, bool)> = tried
                    .iter()
                    .zip(&texts)
                    .filter_map(|(&value, text)| {
                        values[i] = value;
                        let ours = fill(&self.text, &values, &self.fields, self.uniform_constant);
                        (text.as_deref() != Some(&ours[..])).then_some((value, text.is_none()))
                    })
                    .collect();
                if best.as_ref().is_none_or(|(_, list)| odd.len() < list.len()) {
                    best = Some((*signed, odd));
                }
            }
            if let Some((signed, odd)) = best {
                self.fields[i].signed = signed;
                self.fields[i].illegal = odd.iter().filter(|(_, gone)| *gone).map(|(v, _)| *v).collect();
                let special: Vec<u64> = odd.iter().filter(|(_, gone)| !gone).map(|(v, _)| *v).collect();
                if special.len() > 16 {
                    self.notes.push(format!(
                        "{:?} at {:?}: {} values are written otherwise",
                        field.kind,
                        field.bits,
                        special.len()
                    ));
                }
                self.fields[i].special = special.into_iter().take(16).collect();
            }
        }
        Ok(())
    }
}

fn kinds_of(tokens: &[Token], uniform_constant: i64) -> Vec<String> {
    let kind = |t: &Token| t.number(uniform_constant).map(|(kind, _)| kind);
    tokens.iter().map(|t| kind(t).map_or(t.text.to_string(), |kind| format!("{kind:?}"))).collect()
}

/// The one number in which two texts of the same shape differ, and by how much, if that is a power of two.
fn change(before: &[Token], after: &[Token], uniform_constant: i64) -> Option<(usize, i64)> {
    if before.len() != after.len() {
        return None;
    }
    let mut different = (0..before.len()).filter(|&i| before[i] != after[i]);
    let place = different.next()?;
    if different.next().is_some() || before[place].flags != after[place].flags {
        // A field may be shown twice.
        return None;
    }
    let (one, two) = (before[place].number(uniform_constant)?, after[place].number(uniform_constant)?);
    let delta = two.1.wrapping_sub(one.1);
    (one.0 == two.0 && one.0 != Kind::Float && delta.unsigned_abs().is_power_of_two())
        .then_some((place, delta))
}
