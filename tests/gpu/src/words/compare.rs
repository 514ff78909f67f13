//! The comparison of a device's outputs with what the model expects.

use super::expect::Expected;
use super::kernel::{INPUT, LANES, OUTPUT, PREDICATES, inputs};
use super::variant::{FIRST, FIRST_UNIFORM, Variant};
use sassafras_isa::{Access, RegClass, Style, print};
use serde::{Deserialize, Serialize};

/// Lanes of one variant, by outcome.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Lanes whose outputs are the only ones expected.
    pub agree: usize,
    /// Lanes with outputs that the model leaves open, inside of what it allows.
    pub open: usize,
    /// Of these, lanes that have the nearest value.
    pub nearest: usize,
    /// Lanes that differ, or lie outside.
    pub differ: usize,
    /// The first lanes that differ, as text.
    pub examples: Vec<Example>,
    /// The first lanes in which the model leaves something open, whether inside or not.
    pub samples: Vec<Example>,
    /// FNV-1a of the outputs.
    pub digest: String,
}

/// One lane that differs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Example {
    /// The lane.
    pub lane: usize,
    /// Operands and their bits, high word first.
    pub inputs: String,
    /// Outputs expected: differing words by index.
    pub expected: String,
    /// Outputs given.
    pub got: String,
}

/// A float's bits as a number in the float's order.
fn ordered(bits: u32, width: u32) -> i64 {
    let sign = bits >> (width - 1) & 1;
    let rest = i64::from(bits & ((1 << (width - 1)) - 1));
    if sign == 1 { -rest } else { rest }
}

/// Whether a word that the model leaves open lies between the lowest and the highest, as one float or two.
fn inside(got: u32, choices: [u32; 3], halves: bool) -> bool {
    if choices.contains(&got) {
        return true;
    }
    let between = |width: u32, shift: u32| {
        let mask = if width == 32 { u32::MAX } else { (1 << width) - 1 };
        let cut = |w: u32| ordered(w >> shift & mask, width);
        let all = choices.map(cut);
        let (low, high) = (all.iter().min(), all.iter().max());
        low.is_some_and(|l| *l <= cut(got)) && high.is_some_and(|h| cut(got) <= *h)
    };
    if halves { between(16, 0) && between(16, 16) } else { between(32, 0) }
}

/// FNV-1a, 64 bits, over words.
pub fn fnv(words: &[u32]) -> u64 {
    words
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// Compares the outputs of variant number `n` of a kernel.
pub fn compare(v: &Variant, n: usize, expected: &Expected, got: &[u32]) -> Tally {
    let all = n * OUTPUT * LANES..(n + 1) * OUTPUT * LANES;
    let halves = ["F16", "BF16"].iter().any(|f| text(v).contains(f)) && !text(v).contains("F32");
    let mut tally = Tally { digest: format!("{:016x}", fnv(&got[all.clone()])), ..Tally::default() };
    for lane in 0..LANES {
        let at = all.start + lane * OUTPUT;
        let (mut open, mut nearest, mut wrong) = (false, true, Vec::new());
        let mut loose = Vec::new();
        for w in 0..OUTPUT {
            let undefined = expected.undefined[at + w];
            let choices = [0, 1, 2].map(|i| expected.runs[i][at + w] & !undefined);
            let given = got[at + w] & !undefined;
            let one = choices.iter().all(|c| *c == choices[0]);
            if undefined != 0 || !one {
                open = true;
                nearest &= given == choices[0];
                loose.push(w);
            }
            if if one { given != choices[0] } else { !inside(given, choices, halves) } {
                wrong.push(w);
            }
        }
        if open && tally.samples.len() < 3 {
            let show = |words: &[u32]| {
                loose.iter().map(|&w| format!("{w}:{:08x}", words[at + w])).collect::<Vec<_>>().join(" ")
            };
            tally.samples.push(Example {
                lane,
                inputs: describe(v, lane),
                expected: format!(
                    "{} ({} to {}), undefined {}",
                    show(&expected.runs[0]),
                    show(&expected.runs[1]),
                    show(&expected.runs[2]),
                    show(&expected.undefined)
                ),
                got: show(got),
            });
        }
        if !wrong.is_empty() {
            tally.differ += 1;
            if tally.examples.len() < 4 {
                let show = |of: &dyn Fn(usize) -> u32| {
                    wrong.iter().map(|&w| format!("{w}:{:08x}", of(w))).collect::<Vec<_>>().join(" ")
                };
                let range = |w: usize| [0, 1, 2].map(|i| expected.runs[i][at + w]);
                let mut text = show(&|w| range(w)[0]);
                if wrong.iter().any(|&w| range(w).iter().any(|c| *c != range(w)[0])) {
                    text += &format!(" ({} to {})", show(&|w| range(w)[1]), show(&|w| range(w)[2]));
                }
                tally.examples.push(Example {
                    lane,
                    inputs: describe(v, lane),
                    expected: text,
                    got: show(&|w| got[at + w]),
                });
            }
        } else if open {
            tally.open += 1;
            tally.nearest += usize::from(nearest);
        } else {
            tally.agree += 1;
        }
    }
    tally
}

/// Lanes of a variant without an expectation: what they gave.
pub fn seen(v: &Variant, n: usize, got: &[u32]) -> Vec<Example> {
    let written = v.results().len().min(2);
    (0..12)
        .map(|lane| {
            let at = (n * LANES + lane) * OUTPUT;
            let words = got[at..at + OUTPUT].iter().enumerate();
            let shown = words.filter(|(w, _)| *w < 8 * written && *w % 8 < 4 || (16..18).contains(w));
            Example {
                lane,
                inputs: describe(v, lane),
                expected: String::new(),
                got: shown.map(|(w, bits)| format!("{w}:{bits:08x}")).collect::<Vec<_>>().join(" "),
            }
        })
        .collect()
}

/// The operands of a lane as text.
fn describe(v: &Variant, lane: usize) -> String {
    let all = inputs(v);
    let of = |lane: usize| &all[lane * INPUT..(lane + 1) * INPUT];
    let (own, first) = (of(lane), of(lane & !31));
    let mut out = Vec::new();
    for o in v.inst.operands().filter(|o| o.access == Access::Read) {
        let n = u64::from(o.number);
        let words = |data: &[u32], block: u64| {
            let from = 8 * block as usize;
            data[from..from + usize::from(o.units)]
                .iter()
                .rev()
                .map(|w| format!("{w:08x}"))
                .collect::<String>()
        };
        out.push(match o.class {
            RegClass::R => format!("{}={}", o.name, words(own, (n - FIRST) / 8)),
            RegClass::UR => format!("{}={}", o.name, words(first, (n - FIRST_UNIFORM) / 4)),
            RegClass::P => format!("{}={}", o.name, own[PREDICATES.0] >> n & 1),
            RegClass::UP => format!("{}={}", o.name, first[PREDICATES.0 + 1] >> n & 1),
            RegClass::B => continue,
        });
    }
    out.join(" ")
}

/// The instruction as text.
pub fn text(v: &Variant) -> String {
    print(&v.inst, &Style::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_between_is_inside() {
        let one = 1f32.to_bits();
        assert!(inside(one, [one, one - 1, one + 1], false));
        assert!(!inside(one + 2, [one, one - 1, one + 1], false));
        // Below zero the lowest has the larger bits.
        let minus = (-1f32).to_bits();
        assert!(inside(minus, [minus + 1, minus + 2, minus - 2], false));
        // Two halves, one of which is fixed.
        assert!(inside(0x3c01_4000, [0x3c00_4000, 0x3c00_4000, 0x3c02_4000], true));
        assert!(!inside(0x3c01_4001, [0x3c00_4000, 0x3c00_4000, 0x3c02_4000], true));
    }
}
