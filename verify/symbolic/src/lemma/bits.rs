//! Lemmas about bits.
//!
//! A word's n-th set bit at or above a place is the first bit up to which n bits are set there and above the place. PTX says it by looking at one place after
//! the other (PTX ISA, `fns`). Code finds it by halves: of the bits that are left, the lower half is counted, and where it has fewer than are
//! wanted, the bit is in the upper half, and as many are wanted less. What is left always has the bit, if the word has enough bits; that is asked of the whole word.

use super::form::{Lemma, Subject, Yield};
use super::table::text;

/// How they are checked.
const BY_HALVES: &str = "by halves, of which the lower is counted; the code for each place and each number of bits on a grid of words";

const fn nth_bit(name: &'static str, code: &'static str) -> Lemma {
    Lemma {
        name,
        subject: Subject::NthBit,
        code,
        given: &["R4", "R5", "R6"],
        yields: &[(&["R10"], Yield::Result)],
        premise: None,
        checked: BY_HALVES,
    }
}

/// All of them: ours, and ptxas's.
pub const BITS: &[Lemma] =
    &[nth_bit("nth-bit-halves", text!("nth_bit_halves")), nth_bit("nth-bit-shifts", text!("nth_bit_shifts"))];
