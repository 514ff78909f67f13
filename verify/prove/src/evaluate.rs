//! The obligations on concrete inputs: terms that were built without simplification, and no solver.
//!
//! What stands against a solver that says `unsat` too easily, and against a simplification that is wrong.

use crate::inputs::Inputs;
use crate::side::Event;
use rustc_hash::FxHashMap;
use sassafras_execute::order::hash;
use sassafras_semantics::concrete::Bits;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Concrete, TermId};
use std::collections::BTreeMap;

/// How many inputs count.
pub const INPUTS: u32 = 64;
/// Fewer than this say too little.
pub const LEAST: u32 = 8;
/// How many are tried, since some are outside the assumptions.
const TRIED: u64 = 512;

/// Two sides in an arena of their own.
pub struct Raw<'r> {
    /// Inputs of both.
    pub inputs: &'r Inputs<'r>,
    /// Assumptions, one bit each.
    pub assumptions: &'r [TermId],
    /// Accesses of the source.
    pub source: &'r [Event],
    /// Accesses of the target.
    pub target: &'r [Event],
    /// Offsets of parameters that are pointers.
    pub pointers: &'r [u64],
}

/// Evaluates both sides on [`INPUTS`] inputs; how many there were.
///
/// # Errors
/// An input on which they differ, in words.
pub fn evaluate(raw: &Raw<'_>) -> Result<u32, String> {
    let mut count = 0;
    for seed in 0..TRIED {
        if count == INPUTS {
            break;
        }
        if raw.one(seed)? {
            count += 1;
        }
    }
    Ok(count)
}

/// A 32-bit pattern that tends to be one that matters.
fn pattern(h: u64) -> u32 {
    let value = (h >> 32) as u32;
    match h % 8 {
        0 => [0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff, 31, 32, 64][(h >> 8) as usize % 8],
        1 => value % 64,
        2 => 1 << (value % 32),
        _ => value,
    }
}

/// The bytes written by the stores of a side, and those it accesses at all.
type Effects = (BTreeMap<u64, u8>, BTreeMap<u64, ()>);

impl Raw<'_> {
    /// Whether the input of this seed is admissible.
    fn one(&self, seed: u64) -> Result<bool, String> {
        let d = Concrete::default();
        let terms = self.inputs.terms;
        let mut free: FxHashMap<TermId, u128> = FxHashMap::default();
        let roots: Vec<TermId> = self
            .source
            .iter()
            .chain(self.target)
            .flat_map(|e| [e.guard, e.address, e.value])
            .chain(self.assumptions.iter().copied())
            .collect();
        let reads = self.inputs.reads();
        for id in terms.free(&roots).into_iter().chain(reads.iter().map(|r| r.variable)) {
            free.insert(id, self.draw(seed, id));
        }
        for r in &reads {
            for id in terms.free(&[r.base]) {
                free.entry(id).or_insert_with(|| self.draw(seed, id));
            }
            let base = terms.evaluate(&d, r.base, |v| free.get(&v).copied().unwrap_or(0)).bits() as u64;
            let at = base.wrapping_add(r.offset as u64);
            // Bytes by their addresses, so that reads from different bases agree.
            let byte = |a: u64| pattern(hash(seed, &[1, a & !3])).to_le_bytes()[(a & 3) as usize];
            let bytes: [u8; 8] = std::array::from_fn(|i| byte(at.wrapping_add(i as u64)));
            free.insert(r.variable, u64::from_le_bytes(bytes).into());
        }
        let values =
            terms.evaluate_all(&d, &terms.topological(&roots), |v| free.get(&v).copied().unwrap_or(0));
        if self.assumptions.iter().any(|a| !values[a].is_true()) {
            return Ok(false);
        }
        let ((wrote, touched), (writes, touches)) =
            (effects(self.source, &values), effects(self.target, &values));
        if wrote != writes {
            return Err(format!("input {seed}: the stores differ"));
        }
        match touches.keys().find(|a| !touched.contains_key(a)) {
            Some(a) => Err(format!("input {seed}: the target reads {a:#x}, the source does not")),
            None => Ok(true),
        }
    }

    /// A value for a variable.
    fn draw(&self, seed: u64, id: TermId) -> u128 {
        let Node::Variable(number) = self.inputs.terms.node(id) else {
            return hash(seed, &[2, id.0.into()]).into();
        };
        let name = self.inputs.terms.name(number);
        let word = |tag: u64| hash(seed, &[3, tag]);
        let text: Vec<u64> = name.bytes().map(u64::from).collect();
        let own = hash(seed, &text);
        let shape = |axis: usize| if axis == 0 { 1 + word(0) % 64 } else { 1 + word(axis as u64) % 3 };
        let axis = |n: &str| ["x", "y", "z"].iter().position(|a| n.ends_with(a)).unwrap_or(0);
        let tid = |a: usize| word(16 + a as u64) % shape(a);
        match name.split_once('.').map_or(name.as_str(), |(head, _)| head) {
            "ntid" => shape(axis(&name)).into(),
            "nctaid" => (1 + word(8 + axis(&name) as u64) % 5).into(),
            "tid" => tid(axis(&name)).into(),
            "ctaid" => (own % (1 + word(8 + axis(&name) as u64) % 5)).into(),
            "laneid" => ((tid(0) + shape(0) * (tid(1) + shape(1) * tid(2))) % 32).into(),
            "address" => ((own % 0xffff_ffff) << 8).into(),
            _ => match name.strip_prefix("param0x").and_then(|o| u64::from_str_radix(o, 16).ok()) {
                Some(at) if self.pointers.contains(&at) => {
                    u128::from((0x40 + at) << 32 | (own & 0xff_ffff) << 8)
                }
                _ => u128::from(pattern(own)) | u128::from(pattern(hash(seed, &[own]))) << 32,
            },
        }
    }
}

fn effects(events: &[Event], values: &FxHashMap<TermId, Bits>) -> Effects {
    let (mut written, mut touched) = (BTreeMap::new(), BTreeMap::new());
    for e in events.iter().filter(|e| values[&e.guard].is_true()) {
        let at = values[&e.address].bits() as u64;
        let bytes = values[&e.value].bits().to_le_bytes();
        for (i, byte) in bytes.iter().enumerate().take(e.bytes as usize) {
            let a = at.wrapping_add(i as u64);
            touched.insert(a, ());
            if e.store {
                written.insert(a, *byte);
            }
        }
    }
    (written, touched)
}
