//! Quotients, reciprocals and square roots of binary64 as ptxas does them, a short way where it serves and a routine for the rest; and our
//! square root.
//!
//! # Why a reciprocal is to nearest
//! Written for a divisor b in [1, 2): the estimate is at most 2⁻¹⁹ off (the documented 2⁻²⁰, and the word below, which the code makes of something),
//! and the first step leaves 2⁻⁵⁷ and a rounding. The second is from y1 = (1 - e)/b with |e| < 2⁻⁵² · 0.6, so that what is rounded is (1 - e²)/b with
//! e² < 2⁻¹⁰⁵. A midpoint m of 54 bits between it and 1/b has 0 < 1 - bm < 2⁻¹⁰⁵, and bm is a multiple of 2⁻¹⁰⁶: that is
//! 2¹⁰⁶ - 1 = (2⁵³ - 1)(2⁵³ + 1) as a product of numbers of 53 and of 54 bits, which it is in no other way.
//!
//! # Why a root is to nearest
//! The estimate y of 1/√x is at most 1.7 · 2⁻⁵³ of it off behind its step, g = x·y at most 2.7 · 2⁻⁵³, and r = x - g² is exact but for 2 units of its last
//! place. What is rounded, g + r·y/2, is off by the product of both errors, half the square of the second, and 2⁻¹⁰⁴: less than 2⁻¹⁰² in all. With
//! x = n·2⁵² or n·2⁵³ and the midpoint m/2, m of 54 bits, that a midpoint is so near is |4x - m²| < 128. For each odd m the square is 1 modulo 8, and of
//! each difference a number has four roots modulo a power of two: `tests/doubles.rs` finds them all, up to 1024. Where x is
//! tiny the remainder has lost bits: there the code rounds down, and asks the sign of x - f(f + u) for the number f and the next one.

use super::form::{Lemma, Premise, Subject, Yield};
use super::table::text;
use sassafras_semantics::{Approximation, FloatFormat, Rounding};

/// How quotients are checked.
const BY_RECIPROCAL: &str = "a reciprocal to nearest (P. Markstein, 1990: a Newton step from one less than a unit off gives it, but for a \
    significand of all ones, which is tried under every exponent with answers of the unit around the nearest and at the ends of its bound), one \
    correction by an exact remainder, one rounding; the code on a grid of operands with several choices of the unit";
/// How roots are checked.
const BY_MIDPOINTS: &str = "what is rounded is less than 2^-102 of it off the root, and there are few operands whose roots are so near a midpoint: \
    the code on each of them, and on a grid of operands, with several choices of the unit";
/// How our root is checked.
const BY_RESIDUAL: &str = "the argument of `legalize/float_root.rs`: less than a unit off, and then the signs of exact remainders say which \
    number it is; the code on a grid of operands, and on those whose roots are next to a midpoint, with several choices of the unit";

const NEAREST: Rounding = Rounding::NearestEven;
const F64: FloatFormat = FloatFormat::F64;

/// The high word of a reciprocal, to nearest.
fn nearest(operand: u32) -> u32 {
    let exact = 1.0 / f64::from_bits(u64::from(operand) << 32);
    (exact.to_bits().saturating_add(1 << 31) >> 32) as u32
}
/// As of binary32: of a divisor whose significand is all ones the quotient of one is next to halfway between two numbers.
const NOT_BELOW: Premise = Premise {
    function: Approximation::Rcp64High,
    holds: |operand, result| {
        operand & 0xf_ffff != 0xf_ffff || result & 0x7fff_ffff >= nearest(operand) & 0x7fff_ffff
    },
    said: "of an operand whose significand is all ones the reciprocal is not below the nearest number",
};

/// All of them.
pub const DOUBLES: &[Lemma] = &[
    Lemma {
        name: "divide-f64-rn-whole",
        subject: Subject::Divide(F64, NEAREST, false),
        code: text!("divide_f64_rn_whole"),
        given: &["R4", "R5", "R6", "R7"],
        yields: &[(&["R2", "R3"], Yield::Result)],
        premise: Some(NOT_BELOW),
        checked: BY_RECIPROCAL,
    },
    Lemma {
        name: "reciprocal-f64-rn-short",
        subject: Subject::Reciprocal(F64, NEAREST, false),
        code: text!("reciprocal_f64_rn_short"),
        given: &["R6", "R7"],
        yields: &[(&["R12", "R13"], Yield::Result), (&["P6"], Yield::Unless)],
        premise: Some(NOT_BELOW),
        checked: BY_RECIPROCAL,
    },
    Lemma {
        name: "reciprocal-f64-rn-routine",
        subject: Subject::Reciprocal(F64, NEAREST, false),
        code: text!("reciprocal_f64_rn_routine"),
        given: &["R6", "R7"],
        yields: &[(&["R2", "R3"], Yield::Result), (&["P6"], Yield::Unless)],
        premise: Some(NOT_BELOW),
        checked: BY_RECIPROCAL,
    },
    Lemma {
        name: "root-f64-rn-short",
        subject: Subject::Root(F64, NEAREST, false),
        code: text!("root_f64_rn_short"),
        given: &["R4", "R5"],
        yields: &[(&["R10", "R11"], Yield::Result), (&["P6"], Yield::Unless)],
        premise: None,
        checked: BY_MIDPOINTS,
    },
    Lemma {
        name: "root-f64-rn-routine",
        subject: Subject::Root(F64, NEAREST, false),
        code: text!("root_f64_rn_routine"),
        given: &["R4", "R5"],
        yields: &[(&["R2", "R3"], Yield::Result), (&["P6"], Yield::Unless)],
        premise: None,
        checked: BY_MIDPOINTS,
    },
    Lemma {
        name: "root-f64-rn",
        subject: Subject::Root(F64, NEAREST, false),
        code: text!("root_f64_rn"),
        given: &["R4", "R5"],
        yields: &[(&["R2", "R3"], Yield::Result)],
        premise: None,
        checked: BY_RESIDUAL,
    },
];
