//! Functions of the multi-function unit: relations with a documented bound. A [`Chooser`] picks one result within it.
//!
//! A program is right only if it is right for every choice; executors run several.

use super::float::{flush, is_nan};
use crate::vocabulary::{Approximation, FloatFormat};

/// Who decides what the ISA leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Chooser {
    /// The correctly rounded result; undefined values are zero; what is flushed is what is subnormal behind the rounding. All others
    /// flush what is below the normal numbers before it, where that is open.
    #[default]
    Nearest,
    /// The lowest result within the bound; undefined values are all ones.
    Lowest,
    /// The highest result within the bound; undefined values are the highest signed numbers of 16 bits, side by side.
    Highest,
    /// Within the bound, by a hash of this seed and the operand (the same operand gives the same result); undefined values
    /// are hashes of the seed and a count.
    Seeded(u64),
}

impl Chooser {
    /// The `n`-th undefined value, 128 bits.
    pub(super) fn undefined(self, n: u64) -> u128 {
        match self {
            Chooser::Nearest => 0,
            Chooser::Lowest => u128::MAX,
            Chooser::Highest => 0x7fff_7fff_7fff_7fff_7fff_7fff_7fff_7fff,
            Chooser::Seeded(seed) => u128::from(mix(seed ^ mix(n))) << 64 | u128::from(mix(seed ^ mix(!n))),
        }
    }

    /// A place in the interval from −1 (lowest) to 1 (highest).
    fn place(self, function: Approximation, a: u32) -> f64 {
        match self {
            Chooser::Nearest => 0.0,
            Chooser::Lowest => -1.0,
            Chooser::Highest => 1.0,
            Chooser::Seeded(seed) => {
                let hash = mix(seed ^ mix(u64::from(a) << 8 | function as u64));
                (hash >> 11) as f64 / (1u64 << 52) as f64 - 1.0
            }
        }
    }
}

/// Sebastiano Vigna's splitmix64 finaliser.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// How far a result may lie from the exact value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// |error| ≤ 2^e × |exact|.
    Relative(f64),
    /// |error| ≤ 2^e.
    Absolute(f64),
    /// At most this many units in the last place (of binary32) from the correctly rounded result.
    Ulp(f64),
}

/// One row of [`BOUNDS`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundRow {
    /// Function.
    pub function: Approximation,
    /// Magnitudes of the operand from this value …
    pub from: f64,
    /// … up to this value, both included.
    pub to: f64,
    /// Bound for these operands.
    pub bound: Bound,
    /// PTX ISA section of the `.approx` form.
    pub source: &'static str,
}

const fn row(function: Approximation, from: f64, to: f64, bound: Bound, source: &'static str) -> BoundRow {
    BoundRow { function, from, to, bound, source }
}

const TAU: f64 = std::f64::consts::TAU;
const INF: f64 = f64::INFINITY;

/// Documented bounds; the first row that holds the operand's magnitude counts. An operand without a row (a sine beyond
/// 100π) may give any result in the function's range.
pub const BOUNDS: &[BoundRow] = &[
    row(Approximation::Rcp, 0.0, INF, Bound::Ulp(1.0), "PTX ISA, rcp"),
    row(Approximation::Sqrt, 0.0, INF, Bound::Relative(-23.0), "PTX ISA, sqrt"),
    row(Approximation::Rsqrt, 0.0, INF, Bound::Relative(-22.9), "PTX ISA, rsqrt"),
    row(Approximation::Sin, 0.0, TAU, Bound::Absolute(-20.5), "PTX ISA, sin"),
    row(Approximation::Sin, 0.0, 50.0 * TAU, Bound::Absolute(-14.7), "PTX ISA, sin"),
    row(Approximation::Cos, 0.0, TAU, Bound::Absolute(-20.5), "PTX ISA, cos"),
    row(Approximation::Cos, 0.0, 50.0 * TAU, Bound::Absolute(-14.7), "PTX ISA, cos"),
    // The unit's own sine: the bounds of `sin` less the rounding of the operand to turns.
    row(Approximation::SinTurns, 0.0, 256.0, Bound::Absolute(-21.0), "PTX ISA, sin"),
    row(Approximation::CosTurns, 0.0, 256.0, Bound::Absolute(-21.0), "PTX ISA, cos"),
    row(Approximation::Lg2, 0.5, 2.0, Bound::Absolute(-22.0), "PTX ISA, lg2"),
    row(Approximation::Lg2, 0.0, INF, Bound::Relative(-22.0), "PTX ISA, lg2"),
    row(Approximation::Ex2, 0.0, INF, Bound::Ulp(2.0), "PTX ISA, ex2"),
    row(Approximation::Tanh, 0.0, INF, Bound::Relative(-11.0), "PTX ISA, tanh"),
    // The ISA calls these gross approximations and gives no figure: the high word holds 20 fraction bits.
    row(Approximation::Rcp64High, 0.0, INF, Bound::Relative(-20.0), "PTX ISA, rcp.approx.ftz.f64"),
    row(Approximation::Rsqrt64High, 0.0, INF, Bound::Relative(-20.0), "PTX ISA, rsqrt.approx.ftz.f64"),
];

fn is_high_word(function: Approximation) -> bool {
    matches!(function, Approximation::Rcp64High | Approximation::Rsqrt64High)
}

/// The operand's value.
fn operand(function: Approximation, a: u32) -> f64 {
    if is_high_word(function) { f64::from_bits(u64::from(a) << 32) } else { f64::from(f32::from_bits(a)) }
}

/// The exact value in binary64, whose own error is far below every bound.
fn exact(function: Approximation, x: f64) -> f64 {
    match function {
        Approximation::Rcp | Approximation::Rcp64High => 1.0 / x,
        Approximation::Rsqrt | Approximation::Rsqrt64High => 1.0 / x.sqrt(),
        Approximation::Sqrt => x.sqrt(),
        Approximation::Sin => x.sin(),
        Approximation::Cos => x.cos(),
        Approximation::SinTurns => ((x - x.round()) * TAU).sin(),
        Approximation::CosTurns => ((x - x.round()) * TAU).cos(),
        Approximation::Ex2 => x.exp2(),
        Approximation::Lg2 => x.log2(),
        Approximation::Tanh => x.tanh(),
    }
}

/// The operand's bits after flushing, or the result where the ISA's tables of special cases fix it.
fn special(function: Approximation, ftz: bool, a: u32) -> Result<u32, u32> {
    if is_high_word(function) {
        // Always flushing: a subnormal operand is a zero (PTX ISA, rcp.approx.ftz.f64).
        let a = if a & 0x7ff0_0000 == 0 { a & 0x8000_0000 } else { a };
        let magnitude = a & 0x7fff_ffff;
        return match function {
            _ if magnitude > 0x7ff0_0000 => Err(0x7fff_ffff),
            _ if magnitude == 0 => Err(a | 0x7ff0_0000),
            Approximation::Rsqrt64High if a != magnitude => Err(0x7fff_ffff),
            _ if magnitude == 0x7ff0_0000 => Err(a & 0x8000_0000),
            _ => Ok(a),
        };
    }
    const NAN: u32 = 0x7fff_ffff;
    const INFINITY: u32 = 0x7f80_0000;
    const ONE: u32 = 0x3f80_0000;
    const SIGN: u32 = 0x8000_0000;
    let flushed = flush(FloatFormat::F32, u64::from(a)) as u32;
    let a = if ftz { flushed } else { a };
    if is_nan(FloatFormat::F32, u64::from(a)) {
        return Err(NAN);
    }
    let magnitude = a & !SIGN;
    let negative = a & SIGN != 0;
    let zero = magnitude == 0;
    let infinite = magnitude == INFINITY;
    match function {
        Approximation::Rcp if zero => Err(a | INFINITY),
        Approximation::Rcp if infinite => Err(a & SIGN),
        Approximation::Rsqrt if zero => Err(a | INFINITY),
        Approximation::Rsqrt | Approximation::Sqrt | Approximation::Lg2 if negative && !zero => Err(NAN),
        Approximation::Rsqrt if infinite => Err(0),
        Approximation::Sqrt if zero || infinite => Err(a),
        Approximation::Lg2 if zero => Err(SIGN | INFINITY),
        Approximation::Lg2 if infinite => Err(INFINITY),
        Approximation::Lg2 if a == ONE => Err(0),
        Approximation::Sin | Approximation::SinTurns if zero => Err(a),
        Approximation::Cos | Approximation::CosTurns if zero => Err(ONE),
        Approximation::Sin | Approximation::Cos | Approximation::SinTurns | Approximation::CosTurns
            if infinite =>
        {
            Err(NAN)
        }
        Approximation::Ex2 if zero => Err(ONE),
        Approximation::Ex2 if infinite => Err(if negative { 0 } else { INFINITY }),
        Approximation::Tanh if zero => Err(a),
        Approximation::Tanh if infinite => Err(a & SIGN | ONE),
        _ => Ok(a),
    }
}

/// Lowest and highest admitted value around the exact one; in ±1 for bounded functions.
fn interval(function: Approximation, x: f64) -> (f64, f64) {
    let value = exact(function, x);
    let bound = BOUNDS.iter().find(|r| r.function == function && r.from <= x.abs() && x.abs() <= r.to);
    let error = match bound.map(|r| r.bound) {
        None => return (-1.0, 1.0),
        Some(Bound::Relative(e)) => value.abs() * e.exp2(),
        Some(Bound::Absolute(e)) => e.exp2(),
        Some(Bound::Ulp(n)) => {
            let exponent = value.abs().log2().floor().max(-126.0);
            n * (exponent - 23.0).exp2()
        }
    };
    let (low, high) = (value - error, value + error);
    match function {
        Approximation::Sin | Approximation::Cos | Approximation::SinTurns | Approximation::CosTurns => {
            (low.max(-1.0), high.min(1.0))
        }
        Approximation::Tanh => (low.max(-1.0), high.min(1.0)),
        _ => (low, high),
    }
}

/// Rounds a value to the result's 32 bits.
fn encode(function: Approximation, ftz: bool, value: f64) -> u32 {
    if is_high_word(function) {
        let bits = value.to_bits();
        let high = (bits >> 32) as u32;
        return if high & 0x7ff0_0000 == 0 { high & 0x8000_0000 } else { high };
    }
    let bits = (value as f32).to_bits();
    if ftz { flush(FloatFormat::F32, u64::from(bits)) as u32 } else { bits }
}

/// The exact value rounded to the result's 32 bits: the choice of [`Chooser::Nearest`].
fn nearest(function: Approximation, ftz: bool, x: f64) -> u32 {
    let value = exact(function, x);
    if is_high_word(function) {
        // Round half up in the dropped word; the bound leaves room.
        return encode(function, ftz, f64::from_bits(value.to_bits().saturating_add(0x8000_0000)));
    }
    encode(function, ftz, value)
}

pub(super) fn evaluate(function: Approximation, ftz: bool, chooser: Chooser, a: u32) -> u32 {
    let a = match special(function, ftz, a) {
        Ok(a) => a,
        Err(fixed) => return fixed,
    };
    let x = operand(function, a);
    if chooser == Chooser::Nearest {
        return nearest(function, ftz, x);
    }
    let (low, high) = interval(function, x);
    let place = chooser.place(function, a);
    let value = low + (high - low) * (place + 1.0) / 2.0;
    let bits = encode(function, ftz, value);
    // Rounding may step over the bound by half a unit: then a neighbour lies within it.
    [bits, bits.wrapping_add(1), bits.wrapping_sub(1)]
        .into_iter()
        .find(|&b| admits(function, ftz, a, b))
        .unwrap_or_else(|| nearest(function, ftz, x))
}

/// Whether `result` is one that the documented bound admits for operand `a`. The correctly rounded result always is.
pub fn admits(function: Approximation, ftz: bool, a: u32, result: u32) -> bool {
    let a = match special(function, ftz, a) {
        Ok(a) => a,
        Err(fixed) => return result == fixed,
    };
    let x = operand(function, a);
    if result == nearest(function, ftz, x) {
        return true;
    }
    let (low, high) = interval(function, x);
    let value = operand(function, result);
    low <= value && value <= high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Concrete, Domain};

    const ALL: [Approximation; 12] = [
        Approximation::Rcp,
        Approximation::Rsqrt,
        Approximation::Sqrt,
        Approximation::Sin,
        Approximation::Cos,
        Approximation::SinTurns,
        Approximation::CosTurns,
        Approximation::Ex2,
        Approximation::Lg2,
        Approximation::Tanh,
        Approximation::Rcp64High,
        Approximation::Rsqrt64High,
    ];

    #[test]
    fn every_function_has_a_bound() {
        for f in ALL {
            assert!(BOUNDS.iter().any(|r| r.function == f), "{f:?}");
        }
    }

    #[test]
    fn every_choice_is_admitted() {
        for f in ALL {
            for i in 0..4000u32 {
                let a = i.wrapping_mul(0x9e37_79b9).rotate_left(i % 7);
                for chooser in [Chooser::Nearest, Chooser::Lowest, Chooser::Highest, Chooser::Seeded(7)] {
                    for ftz in [false, true] {
                        let r = evaluate(f, ftz, chooser, a);
                        assert!(admits(f, ftz, a, r), "{f:?} {chooser:?} ftz={ftz} {a:#x} {r:#x}");
                    }
                }
            }
        }
    }

    #[test]
    fn special_cases_do_not_depend_on_the_chooser() {
        let run = |f, a: u32| {
            let mut results: Vec<u32> =
                [Chooser::Nearest, Chooser::Lowest, Chooser::Highest, Chooser::Seeded(1)]
                    .into_iter()
                    .map(|c| {
                        let d = Concrete::new(c);
                        d.approximate(f, true, &d.constant(32, u128::from(a))).bits() as u32
                    })
                    .collect();
            results.dedup();
            assert_eq!(results.len(), 1, "{f:?} {a:#x}");
            results[0]
        };
        assert_eq!(run(Approximation::Rcp, 0x8000_0000), 0xff80_0000);
        assert_eq!(run(Approximation::Rcp, 0x0000_0001), 0x7f80_0000);
        assert_eq!(run(Approximation::Rsqrt, 0xbf80_0000), 0x7fff_ffff);
        assert_eq!(run(Approximation::Lg2, 0), 0xff80_0000);
        assert_eq!(run(Approximation::Ex2, 0xff80_0000), 0);
        assert_eq!(run(Approximation::Cos, 0), 0x3f80_0000);
        assert_eq!(run(Approximation::Sqrt, 0x8000_0000), 0x8000_0000);
        assert_eq!(run(Approximation::Tanh, 0xff80_0000), 0xbf80_0000);
        assert_eq!(run(Approximation::Rcp64High, 0), 0x7ff0_0000);
    }

    #[test]
    fn choosers_differ_somewhere() {
        let (low, high) = (0..100u32).fold((0, 0), |(l, h), i| {
            let a = 0x3f81_2345 + i * 7919;
            let near = evaluate(Approximation::Rcp, true, Chooser::Nearest, a);
            (
                l + u32::from(evaluate(Approximation::Rcp, true, Chooser::Lowest, a) < near),
                h + u32::from(evaluate(Approximation::Rcp, true, Chooser::Highest, a) > near),
            )
        });
        assert!(low + high >= 100 && low > 40 && high > 40, "{low} {high}");
    }
}
