//! What the source leaves open.

use super::place::Claim;
use crate::obstacles;
use std::fmt;

/// Why a source may have several results on one input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leniency {
    /// It leaves part of its results open, as the payload of a NaN.
    Undefined,
    /// It bounds its result and does not fix it.
    Approximate,
    /// Where a local variable lies is open.
    Places,
    /// What is flushed next to the least normal number is open.
    Flushing,
    /// Products and sums without a rounding may be fused.
    Contraction,
}

impl Leniency {
    /// That the sides differ in what is left open.
    pub fn of(self, claim: Claim) -> Freedom {
        match self {
            Leniency::Undefined => Freedom::Undefined { claim },
            Leniency::Approximate => Freedom::Approximate { claim },
            Leniency::Places => Freedom::Places { claim },
            Leniency::Flushing => Freedom::Flushing { claim },
            Leniency::Contraction => Freedom::Contraction { claim },
        }
    }
}

impl fmt::Display for Leniency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Leniency::Undefined => "undefined: the source leaves part of its results open",
            Leniency::Approximate => "approximation: the source bounds its result and does not fix it",
            Leniency::Places => "places: where a local variable lies is open",
            Leniency::Flushing => {
                "flushing: the source leaves open what is flushed next to the least normal number"
            }
            Leniency::Contraction => "contraction: products and sums without a rounding may be fused",
        })
    }
}

const OPEN: &str = "the sides differ where the source leaves part of its result open (registers or memory that were never written, NaNs, quotients by zero), so that this is no error, and was not shown to be none";
const BOUND: &str =
    "the sides differ in what rests on an approximate function, of which PTX gives a bound and not the value";
const EXACT: &str = "`div.rn`, `sqrt.rn`, `rcp.rn` where one value is meant";

obstacles! {
    /// The sides differ where the source may have several results.
    Freedom;
    /// What was never written, or has no result.
    Undefined {
        /// What was not shown.
        claim: Claim,
    } = "U0802" "{claim}: undefined: the source leaves part of its results open", OPEN, "write what is read before it is read; `--budget N`";
    /// An approximation.
    Approximate {
        /// What was not shown.
        claim: Claim,
    } = "U0803" "{claim}: approximation: the source bounds its result and does not fix it", BOUND, EXACT;
    /// The address of a local variable.
    Places {
        /// What was not shown.
        claim: Claim,
    } = "U0804" "{claim}: places: where a local variable lies is open",
        "the sides differ in the address of a local variable, which is open", "do not store or compare that address";
    /// Flushing next to the least normal number.
    Flushing {
        /// What was not shown.
        claim: Claim,
    } = "U0805" "{claim}: flushing: the source leaves open what is flushed next to the least normal number",
        "the sides differ in a number next to the least normal one, of which PTX leaves open whether it is flushed", "leave `.ftz` out where that matters";
    /// Products and sums that may be fused.
    Contraction {
        /// What was not shown.
        claim: Claim,
    } = "U0806" "{claim}: contraction: products and sums without a rounding may be fused",
        "the sides differ in a product or sum without a rounding, which may be fused or not", "`mul.rn` and `add.rn`, or `fma.rn`, where one of them is meant";
    /// An approximation that the ISA bounds for some operands alone.
    Unbounded {
        /// What was not shown.
        claim: Claim,
    } = "U0807" "approximation: {claim}: the ISA bounds the source's result for some operands alone", BOUND, EXACT;
}
