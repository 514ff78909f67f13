//! Which opcodes a chip has: each with many fillings of the other bits, taken from words that are known to be legal.

use crate::learn::outline;
use crate::text::tokens;
use crate::words::tidy;
use anyhow::Result;
use rustc_hash::FxHashMap;
use sassafras_isa::{Chip, Control, Rng, decode};
use sassafras_oracle::Nvdisasm;

/// Fillings per opcode.
const FILLS: usize = 40;

/// A form met in the census.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    /// A word of it.
    pub word: u128,
    /// Its text.
    pub text: String,
    /// Whether a row of the table owns it.
    pub owned: bool,
}

/// One word per outline of text, for every opcode of the chip, in order of opcode. `known` are legal words whose upper bits serve as
/// fillings.
pub fn census(known: &[u128], chip: Chip, nvdisasm: &Nvdisasm) -> Result<Vec<Met>> {
    let mut by_opcode: FxHashMap<u128, u128> = FxHashMap::default();
    for &word in known {
        by_opcode.entry(word & 0xfff).or_insert(word);
    }
    let mut pool: Vec<u128> = by_opcode.into_values().collect();
    pool.sort_unstable();
    let mut rng = Rng(5);
    let mask = (1u128 << 105) - 1;
    let mut fills = vec![0, 1 << 91];
    while fills.len() < FILLS && !pool.is_empty() {
        fills.push(pool.swap_remove((rng.bits() % pool.len() as u64) as usize) & mask & !0xffff);
    }
    let control = u128::from(Control { wait_mask: 0, ..Control::SAFE }.bits()) << 105;
    let words: Vec<u128> =
        (0..4096u128).flat_map(|op| fills.iter().map(move |fill| fill | op | 0x7000 | control)).collect();
    let texts = nvdisasm.words(&words, &format!("SM{}", chip.number()))?;
    let constant = if chip.uniform_field_bits() == 8 { 255 } else { 63 };
    let mut met: Vec<Met> = Vec::new();
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    for (&word, text) in words.iter().zip(texts) {
        let Some(text) = text.filter(|t| !t.contains("???") && !t.contains("INVALID")) else { continue };
        let text = tidy(&text);
        let owned = decode(word, chip).is_ok();
        let key = outline(word, &tokens(&text, false, 0), constant);
        match seen.get(&key) {
            Some(&i) => {
                // An owned word of the same outline says that the form is known.
                if owned && !met[i].owned {
                    met[i] = Met { word, text, owned };
                }
            }
            None => {
                seen.insert(key, met.len());
                met.push(Met { word, text, owned });
            }
        }
    }
    Ok(met)
}
