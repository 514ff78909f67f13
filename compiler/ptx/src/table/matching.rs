//! Which rows a mnemonic fits.

use super::row::{Choice, Row, Since};
use crate::checked::Type;
use smallvec::SmallVec;

/// How a mnemonic fits a row.
#[derive(Clone, Debug)]
pub struct Match {
    /// The row.
    pub row: &'static Row,
    /// Types, in the order they are written.
    pub types: SmallVec<[Type; 2]>,
    /// All other words, in the row's order.
    pub words: SmallVec<[&'static str; 4]>,
    /// What this form needs, its words included.
    pub since: Since,
}

impl Row {
    /// Fits suffixes to the row: types in order, everything else in any order.
    pub fn matches(&'static self, suffixes: &[&str]) -> Option<Match> {
        if suffixes.len() > 16 {
            return None;
        }
        let mut used = [false; 16];
        let mut found =
            Match { row: self, types: SmallVec::new(), words: SmallVec::new(), since: self.since };
        let mut next_type = 0;
        for element in &self.elements {
            let choice = if element.is_type() {
                let at = (next_type..suffixes.len()).find(|&i| Type::parse(suffixes[i]).is_some());
                at.and_then(|i| {
                    let choice = element.choices.iter().find(|c| c.words[0] == suffixes[i])?;
                    used[i] = true;
                    next_type = i + 1;
                    Some(choice)
                })
            } else {
                element.choices.iter().find(|c| take(c, suffixes, &mut used))
            };
            match choice {
                Some(choice) => {
                    match choice.ty {
                        Some(ty) => found.types.push(ty),
                        None => found.words.extend(choice.words.iter().copied()),
                    }
                    if let Some(since) = choice.since {
                        found.since = found.since.and(since);
                    }
                }
                None if element.optional => {
                    if let Some(since) = element.absent {
                        found.since = found.since.and(since);
                    }
                }
                None => return None,
            }
        }
        used[..suffixes.len()].iter().all(|u| *u).then_some(found)
    }

    /// Whether a word stands anywhere in the row's head.
    pub fn mentions(&self, word: &str) -> bool {
        self.elements.iter().flat_map(|e| &e.choices).any(|c| c.words.contains(&word))
    }
}

/// Marks the words of a choice as used if all are there. Two priorities of one cache are told apart by their order.
fn take(choice: &Choice, suffixes: &[&str], used: &mut [bool; 16]) -> bool {
    let before = *used;
    let mut from = 0;
    for word in &choice.words {
        match suffixes.iter().enumerate().skip(from).find(|(i, s)| !used[*i] && *s == word) {
            Some((i, _)) => used[i] = true,
            None => {
                *used = before;
                return false;
            }
        }
        if word.starts_with("L2::evict") {
            from = suffixes.iter().position(|s| s == word).map_or(0, |i| i + 1);
        }
    }
    true
}
