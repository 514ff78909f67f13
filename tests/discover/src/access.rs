//! Which registers the operands of learned forms span, from nvdisasm's register life ranges.
//!
//! The base word of a learner has its registers far apart, so each register that an instruction touches belongs to the operand
//! whose number is the nearest below.

use crate::learn::Learner;
use crate::model::get;
use crate::row::Access;
use crate::text::Kind;
use anyhow::Result;
use sassafras_isa::Rng;
use sassafras_live::Accesses;
use std::collections::{BTreeMap, BTreeSet};

/// Words per form.
const WORDS: usize = 40;
/// Registers beyond its first that an operand may span.
const SPAN: u64 = 16;

/// Legal words of a form that differ from the base in what is no number.
///
/// # Errors
/// When nvdisasm cannot be run.
pub fn words(learner: &mut Learner<'_>) -> Result<Vec<u128>> {
    let mut rng = Rng(17);
    let mut list = vec![learner.base];
    for _ in 0..WORDS * 2 {
        let mut sample = learner.sample(&mut rng);
        sample.plain(learner);
        let word = learner.word(&sample);
        if !list.contains(&word) {
            list.push(word);
        }
    }
    let mut legal = learner.legal(&list)?;
    legal.truncate(WORDS);
    Ok(legal)
}

/// What each field of a form does, and what could not be explained.
pub fn explain(
    learner: &Learner<'_>,
    enums: &[(String, Vec<u8>)],
    words: &[u128],
    seen: &[Option<Accesses>],
) -> (BTreeMap<usize, Access>, Vec<String>) {
    let mut counts: BTreeMap<usize, Vec<(u128, u64, bool, bool)>> = BTreeMap::new();
    let mut notes: BTreeSet<String> = BTreeSet::new();
    for (&word, seen) in words.iter().zip(seen) {
        let Some((reads, writes)) = seen else { continue };
        let owners: Vec<(usize, Kind, u64)> = learner
            .fields
            .iter()
            .enumerate()
            .filter(|(_, f)| matches!(f.kind, Kind::R | Kind::UR | Kind::P | Kind::UP))
            .map(|(i, f)| (i, f.kind, if f.inverted { 7 - get(word, &f.bits) } else { get(word, &f.bits) }))
            .collect();
        let mut touched: BTreeMap<usize, (u64, bool, bool)> = BTreeMap::new();
        for (set, write) in [(reads, false), (writes, true)] {
            for name in set {
                let Some((kind, number)) = register(name) else { continue };
                let owner = owners
                    .iter()
                    .filter(|(_, k, n)| *k == kind && *n <= number)
                    .filter(|(_, _, n)| {
                        number - n < if matches!(kind, Kind::R | Kind::UR) { SPAN } else { 1 }
                    })
                    .max_by_key(|(_, _, n)| *n);
                match owner {
                    Some(&(i, _, first)) => {
                        let entry = touched.entry(i).or_insert((0, false, false));
                        entry.0 = entry.0.max(number - first + 1);
                        entry.1 |= !write;
                        entry.2 |= write;
                    }
                    None => {
                        notes.insert(format!("also {} {name}", if write { "writes" } else { "reads" }));
                    }
                }
            }
        }
        for (i, (count, read, write)) in touched {
            counts.entry(i).or_default().push((word, count, read, write));
        }
    }
    let mut found = BTreeMap::new();
    for (i, list) in counts {
        let mut access = Access::default();
        for (_, _, read, write) in &list {
            access.read |= read;
            access.write |= write;
        }
        let field = &learner.fields[i];
        if matches!(field.kind, Kind::R | Kind::UR) {
            match units(enums, &list) {
                Some(units) => access.units = units,
                None => {
                    notes.insert(format!("width of the register at bit {} is not understood", field.bits[0]));
                }
            }
        }
        found.insert(i, access);
    }
    (found, notes.into_iter().collect())
}

/// The widths in the notation: one number, or decided by one enum.
fn units(enums: &[(String, Vec<u8>)], list: &[(u128, u64, bool, bool)]) -> Option<String> {
    let first = list.first()?.1;
    if list.iter().all(|(_, count, ..)| *count == first) {
        return Some(if first == 1 { String::new() } else { format!("x{first}") });
    }
    enums.iter().find_map(|(name, bits)| {
        let mut by: BTreeMap<u64, u64> = BTreeMap::new();
        for (word, count, ..) in list {
            let known = by.entry(get(*word, bits)).or_insert(*count);
            if *known != *count {
                return None;
            }
        }
        let text = |value| by.get(&value).copied().unwrap_or(1).to_string();
        let texts: Vec<String> = (0..1u64 << bits.len()).map(text).collect();
        Some(format!("v={name}:{}", texts.join("/")))
    })
}

fn register(name: &str) -> Option<(Kind, u64)> {
    for (prefix, kind) in [("UR", Kind::UR), ("UP", Kind::UP), ("R", Kind::R), ("P", Kind::P)] {
        if let Some(number) = name.strip_prefix(prefix).and_then(|n| n.parse().ok()) {
            return Some((kind, number));
        }
    }
    None
}
