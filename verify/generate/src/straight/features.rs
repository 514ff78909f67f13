//! What a random function has, read off its text: so that a generator that stops making something is noticed.

use crate::program::Program;
use std::collections::BTreeMap;

/// Every feature that functions are made for.
pub const ALL: [&str; 16] = [
    "integers of 16 bits",
    "integers of 32 bits",
    "integers of 64 bits",
    "f32",
    "predicates",
    "a guarded instruction",
    "a branch",
    "a shift by a constant below the width",
    "a shift by a constant at or past the width",
    "a shift by a register",
    "a load behind a store to the same buffer",
    "a load of bytes that a store of another width wrote",
    "an access at an address from a register",
    "a store to the buffer that is read from",
    "an access of a byte",
    "an access of eight bytes",
];

/// The instructions of a function between the loads of parameters and `ret`, each without its guard.
fn instructions(function: &Program) -> Vec<(bool, String)> {
    let texts = function.lines.iter().flat_map(|l| l.text.split(';')).map(str::trim);
    texts
        .filter(|t| !t.is_empty() && !t.ends_with(':'))
        .map(|t| match t.strip_prefix('@').and_then(|t| t.split_once(' ')) {
            Some((_, rest)) => (true, rest.to_owned()),
            None => (false, t.to_owned()),
        })
        .collect()
}

/// How many instructions a function has.
pub fn length(function: &Program) -> usize {
    instructions(function).len()
}

/// Buffer, offset if it is a number, and bytes of an access.
fn access(text: &str) -> Option<(char, Option<usize>, usize)> {
    let (mnemonic, operands) = text.split_once(' ')?;
    let bytes = mnemonic.rsplit('.').next()?.get(1..)?.parse::<usize>().ok()? / 8;
    let address = operands.split_once('[')?.1.split_once(']')?.0;
    match address.split_once('+') {
        Some((buffer, offset)) => Some((buffer.chars().last()?, offset.parse().ok(), bytes)),
        None => Some(('?', None, bytes)),
    }
}

/// How often a function has each feature; those that it lacks are left out.
pub fn of(function: &Program) -> BTreeMap<&'static str, usize> {
    let mut all = BTreeMap::new();
    let mut stores: Vec<(char, Option<usize>, usize)> = Vec::new();
    for (guarded, text) in instructions(function) {
        let mut has = |feature: &str| {
            let name = ALL.iter().find(|f| **f == feature).expect("a feature of the list");
            *all.entry(*name).or_insert(0) += 1;
        };
        let (mnemonic, operands) = text.split_once(' ').unwrap_or((&text, ""));
        let suffixes: Vec<&str> = mnemonic.split('.').collect();
        if suffixes[0] == "bra" {
            has("a branch");
            continue;
        }
        if guarded {
            has("a guarded instruction");
        }
        if let "ld" | "st" = suffixes[0] {
            let Some((buffer, offset, bytes)) = access(&text) else { continue };
            match bytes {
                1 => has("an access of a byte"),
                8 => has("an access of eight bytes"),
                _ => {}
            }
            if offset.is_none() {
                has("an access at an address from a register");
            }
            if suffixes[0] == "st" {
                if buffer == 'a' {
                    has("a store to the buffer that is read from");
                }
                stores.push((buffer, offset, bytes));
                continue;
            }
            if stores.iter().any(|s| s.0 == buffer || s.0 == '?' || buffer == '?') {
                has("a load behind a store to the same buffer");
            }
            let meets = |s: &&(char, Option<usize>, usize)| match (s.1, offset) {
                (Some(x), Some(y)) => s.0 == buffer && s.2 != bytes && x < y + bytes && y < x + s.2,
                _ => false,
            };
            if stores.iter().any(|s| meets(&s)) {
                has("a load of bytes that a store of another width wrote");
            }
            continue;
        }
        if ["shl", "shr"].contains(&suffixes[0]) {
            let width: u32 = suffixes[1].get(1..).and_then(|w| w.parse().ok()).unwrap_or(32);
            match operands.rsplit(", ").next().and_then(|c| c.parse::<u32>().ok()) {
                None => has("a shift by a register"),
                Some(c) if c < width => has("a shift by a constant below the width"),
                Some(_) => has("a shift by a constant at or past the width"),
            }
        }
        for s in &suffixes[1..] {
            match *s {
                "f32" => has("f32"),
                "pred" => has("predicates"),
                "b16" | "s16" | "u16" => has("integers of 16 bits"),
                "b32" | "s32" | "u32" => has("integers of 32 bits"),
                "b64" | "s64" | "u64" => has("integers of 64 bits"),
                _ => {}
            }
        }
        if suffixes[0] == "setp" {
            has("predicates");
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::straight::random;

    #[test]
    fn every_feature_is_made() {
        let mut functions: BTreeMap<&str, usize> = BTreeMap::new();
        let mut lengths = Vec::new();
        for seed in 0..500 {
            let function = random(seed);
            lengths.push(length(&function));
            for feature in of(&function).into_keys() {
                *functions.entry(feature).or_default() += 1;
            }
        }
        for feature in ALL {
            let count = functions.get(feature).copied().unwrap_or(0);
            assert!(count >= 25, "{feature}: {count} of 500 functions");
        }
        let (least, most) = (lengths.iter().min(), lengths.iter().max());
        assert!(least >= Some(&10) && most <= Some(&80), "{least:?} {most:?}");
        eprintln!("{functions:#?}, {least:?} to {most:?} instructions");
    }
}
