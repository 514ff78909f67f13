//! The lemmas.

use super::form::{Lemma, Subject, Yield};
use sassafras_semantics::{FloatFormat, Rounding};

/// How quotients of 32 bits are checked.
const BY_DIVISORS: &str = "for each divisor that `tests/lemmas.rs` tries, a sample or with SASSAFRAS_ALL_LEMMAS all of them, and \
    every reciprocal within the unit's bound the estimate y has 0 <= 2^32 - b·y < 2b; then the product's upper half is at most two below the quotient for every dividend, and there are two \
    corrections; the code runs on a grid of operands with several choices of the unit";
/// How quotients of 16 bits are checked.
const BY_STEPS: &str = "for every divisor, every reciprocal within the unit's bound and every dividend: what the code computes grows with \
    the dividend, so it is enough to look where the quotient does, at each multiple of the divisor and next below; `tests/lemmas.rs`";
/// How quotients of 64 bits are checked.
const BY_NEWTON: &str = "the argument of `legalize/divide.rs`: an estimate of 2^64 / b that is not above it, two Newton steps that \
    stay below, two corrections; the code runs on a grid of operands with several choices of the unit";
/// How quotients of floats are checked.
const BY_REMAINDER: &str = "the argument of `legalize/float_divide.rs` (P. Markstein, 1990): a reciprocal less than a unit off, one \
    correction by an exact remainder, one rounding; the code runs on a grid of operands with several choices of the unit";
/// How roots are checked.
const BY_ROOT: &str = "a root by the reciprocal root, corrected by an exact remainder and rounded by another; the code runs on a grid \
    of operands with several choices of the unit";

/// How the least and the greatest are checked.
const BY_RELATION: &str = "a comparison and a choice; the code on a grid of operands";

/// The code of a file.
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("code/", $name, ".sass"))
    };
}
pub(super) use text;

const PAIR: &[&str] = &["R4", "R5"];
const PAIRS: &[&str] = &["R4", "R5", "R6", "R7"];
/// The second operand first: the code compares in either order.
const SWAPPED: &[&str] = &["R6", "R7", "R4", "R5"];
const NEAREST: Rounding = Rounding::NearestEven;
const F32: FloatFormat = FloatFormat::F32;
const F64: FloatFormat = FloatFormat::F64;

/// All of them.
pub const LEMMAS: &[Lemma] = &[
    Lemma {
        name: "quotient-32",
        subject: Subject::Quotient(32),
        code: text!("quotient_32"),
        given: &["R0", "R1"],
        yields: &[(&["R4"], Yield::Result), (&["R5"], Yield::Remainder)],
        premise: None,
        checked: BY_DIVISORS,
    },
    Lemma {
        name: "quotient-32-signed",
        subject: Subject::Quotient(32),
        code: text!("quotient_32_signed"),
        given: &["R0", "R1"],
        yields: &[(&["R4"], Yield::Result), (&["R5"], Yield::Remainder)],
        premise: None,
        checked: BY_DIVISORS,
    },
    Lemma {
        name: "quotient-16",
        subject: Subject::Quotient(16),
        code: text!("quotient_16"),
        given: &["R7", "R6"],
        yields: &[(&["R6"], Yield::Result)],
        premise: None,
        checked: BY_STEPS,
    },
    Lemma {
        name: "quotient-64",
        subject: Subject::Quotient(64),
        code: text!("quotient_64"),
        given: &["R4", "R5", "R6", "R9"],
        yields: &[(&["R8", "R13"], Yield::Result)],
        premise: None,
        checked: BY_NEWTON,
    },
    Lemma {
        name: "quotient-64-by-parts",
        subject: Subject::Quotient(64),
        code: text!("quotient_64_by_parts"),
        given: PAIRS,
        yields: &[(&["R16", "R17"], Yield::Result)],
        premise: None,
        checked: BY_NEWTON,
    },
    Lemma {
        name: "quotient-64-long",
        subject: Subject::Quotient(64),
        code: text!("quotient_64_long"),
        given: PAIRS,
        yields: &[(&["R16", "R17"], Yield::Result)],
        premise: None,
        checked: BY_NEWTON,
    },
    Lemma {
        name: "remainder-64",
        subject: Subject::Quotient(64),
        code: text!("remainder_64"),
        given: &["R0", "R7", "R6", "R9"],
        yields: &[(&["R10", "R11"], Yield::Remainder)],
        premise: None,
        checked: BY_NEWTON,
    },
    Lemma {
        name: "remainder-64-by-parts",
        subject: Subject::Quotient(64),
        code: text!("remainder_64_by_parts"),
        given: PAIRS,
        yields: &[(&["R8", "R9"], Yield::Remainder)],
        premise: None,
        checked: BY_NEWTON,
    },
    Lemma {
        name: "remainder-64-long",
        subject: Subject::Quotient(64),
        code: text!("remainder_64_long"),
        given: PAIRS,
        yields: &[(&["R8", "R9"], Yield::Remainder)],
        premise: None,
        checked: BY_NEWTON,
    },
    Lemma {
        name: "divide-f32-rn",
        subject: Subject::Divide(F32, NEAREST, false),
        code: text!("divide_f32_rn"),
        given: PAIR,
        yields: &[(&["R4"], Yield::Result)],
        premise: None,
        checked: BY_REMAINDER,
    },
    Lemma {
        name: "divide-f32-rz",
        subject: Subject::Divide(F32, Rounding::Zero, false),
        code: text!("divide_f32_rz"),
        given: PAIR,
        yields: &[(&["R7"], Yield::Result)],
        premise: None,
        checked: BY_REMAINDER,
    },
    Lemma {
        name: "divide-f32-rm",
        subject: Subject::Divide(F32, Rounding::Down, false),
        code: text!("divide_f32_rm"),
        given: PAIR,
        yields: &[(&["R2"], Yield::Result)],
        premise: None,
        checked: BY_REMAINDER,
    },
    Lemma {
        name: "divide-f32-rp",
        subject: Subject::Divide(F32, Rounding::Up, false),
        code: text!("divide_f32_rp"),
        given: PAIR,
        yields: &[(&["R6"], Yield::Result)],
        premise: None,
        checked: BY_REMAINDER,
    },
    Lemma {
        name: "divide-f32-rn-ftz",
        subject: Subject::Divide(F32, NEAREST, true),
        code: text!("divide_f32_rn_ftz"),
        given: PAIR,
        yields: &[(&["R4"], Yield::Result)],
        premise: None,
        checked: BY_REMAINDER,
    },
    Lemma {
        name: "divide-f32-rz-ftz",
        subject: Subject::Divide(F32, Rounding::Zero, true),
        code: text!("divide_f32_rz_ftz"),
        given: PAIR,
        yields: &[(&["R9"], Yield::Result)],
        premise: None,
        checked: BY_REMAINDER,
    },
    Lemma {
        name: "divide-f32-rm-ftz",
        subject: Subject::Divide(F32, Rounding::Down, true),
        code: text!("divide_f32_rm_ftz"),
        given: PAIR,
        yields: &[(&["R7"], Yield::Result)],
        premise: None,
        checked: BY_REMAINDER,
    },
    Lemma {
        name: "divide-f32-rp-ftz",
        subject: Subject::Divide(F32, Rounding::Up, true),
        code: text!("divide_f32_rp_ftz"),
        given: PAIR,
        yields: &[(&["R7"], Yield::Result)],
        premise: None,
        checked: BY_REMAINDER,
    },
    Lemma {
        name: "divide-f64-rn",
        subject: Subject::Divide(F64, NEAREST, false),
        code: text!("divide_f64_rn"),
        given: SWAPPED,
        yields: &[(&["R4", "R5"], Yield::Result)],
        premise: None,
        checked: BY_REMAINDER,
    },
    Lemma {
        name: "min-f64",
        subject: Subject::Extremum(true),
        code: text!("min_f64"),
        given: PAIRS,
        yields: &[(&["R8", "R9"], Yield::Result)],
        premise: None,
        checked: BY_RELATION,
    },
    Lemma {
        name: "max-f64",
        subject: Subject::Extremum(false),
        code: text!("max_f64"),
        given: PAIRS,
        yields: &[(&["R8", "R9"], Yield::Result)],
        premise: None,
        checked: BY_RELATION,
    },
    Lemma {
        name: "min-f64-swapped",
        subject: Subject::Extremum(true),
        code: text!("min_f64"),
        given: SWAPPED,
        yields: &[(&["R8", "R9"], Yield::Result)],
        premise: None,
        checked: BY_RELATION,
    },
    Lemma {
        name: "max-f64-swapped",
        subject: Subject::Extremum(false),
        code: text!("max_f64"),
        given: SWAPPED,
        yields: &[(&["R8", "R9"], Yield::Result)],
        premise: None,
        checked: BY_RELATION,
    },
    Lemma {
        name: "root-f32-rz",
        subject: Subject::Root(F32, Rounding::Zero, false),
        code: text!("root_f32_rz"),
        given: &["R4"],
        yields: &[(&["R2"], Yield::Result)],
        premise: None,
        checked: BY_ROOT,
    },
    Lemma {
        name: "root-f32-rm",
        subject: Subject::Root(F32, Rounding::Down, false),
        code: text!("root_f32_rm"),
        given: &["R4"],
        yields: &[(&["R2"], Yield::Result)],
        premise: None,
        checked: BY_ROOT,
    },
    Lemma {
        name: "root-f32-rp",
        subject: Subject::Root(F32, Rounding::Up, false),
        code: text!("root_f32_rp"),
        given: &["R4"],
        yields: &[(&["R6"], Yield::Result)],
        premise: None,
        checked: BY_ROOT,
    },
    Lemma {
        name: "root-f32-rz-ftz",
        subject: Subject::Root(F32, Rounding::Zero, true),
        code: text!("root_f32_rz_ftz"),
        given: &["R4"],
        yields: &[(&["R2"], Yield::Result)],
        premise: None,
        checked: BY_ROOT,
    },
    Lemma {
        name: "root-f32-rm-ftz",
        subject: Subject::Root(F32, Rounding::Down, true),
        code: text!("root_f32_rm_ftz"),
        given: &["R4"],
        yields: &[(&["R2"], Yield::Result)],
        premise: None,
        checked: BY_ROOT,
    },
    Lemma {
        name: "root-f32-rp-ftz",
        subject: Subject::Root(F32, Rounding::Up, true),
        code: text!("root_f32_rp_ftz"),
        given: &["R4"],
        yields: &[(&["R6"], Yield::Result)],
        premise: None,
        checked: BY_ROOT,
    },
];
