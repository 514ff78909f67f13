//! Divisions, reciprocals and square roots of binary32: a short way where it serves, and a routine for the rest. They are ptxas's, and our own with
//! `-checked` and `root-f32-rn`.

use super::approximations::units;
use super::form::{Lemma, Premise, Subject, Yield};
use super::table::text;
use sassafras_semantics::{Approximation, FloatFormat, Rounding};

/// How quotients are checked.
const BY_GRID: &str = "a reciprocal improved by a Newton step, a quotient improved by exact remainders, and one rounding; the code on a \
    grid of operands with several choices of the unit";
/// How functions of one operand are checked.
const BY_SIGNIFICANDS: &str = "the code on a grid of operands with several choices of the unit, and on a sample of significands, or with \
    SASSAFRAS_ALL_LEMMAS on one in 16, at the exponents where it differs";

const NEAREST: Rounding = Rounding::NearestEven;
const F32: FloatFormat = FloatFormat::F32;

/// Of a divisor whose significand is all ones the quotient of one and the next smaller number are nearly halfway between two numbers:
/// from the lower one, which the documented bound allows, no Newton step gets away.
const NOT_BELOW: Premise = Premise {
    function: Approximation::Rcp,
    holds: |operand, result| {
        let nearest = 1.0 / f32::from_bits(operand);
        operand & 0x7f_ffff != 0x7f_ffff || result & 0x7fff_ffff >= nearest.to_bits() & 0x7fff_ffff
    },
    said: "of an operand whose significand is all ones the reciprocal is not below the nearest number",
};
/// Whether the reciprocal of a power of two is exact.
fn is_exact(operand: u32, result: u32) -> bool {
    operand & 0x7f_ffff != 0 || f32::from_bits(result) == 1.0 / f32::from_bits(operand)
}
/// The routine takes the estimate's significand apart.
const BOTH_WAYS: Premise = Premise {
    function: Approximation::Rcp,
    holds: |operand, result| (NOT_BELOW.holds)(operand, result) && (LESS_THAN_A_UNIT.holds)(operand, result),
    said: "a reciprocal is at most 15/16 of a unit in the last place off, that of a power of two is exact, and of an operand whose \
        significand is all ones it is not below the nearest number",
};
/// The other roundings see on which side of a number an estimate lies.
const LESS_THAN_A_UNIT: Premise = Premise {
    function: Approximation::Rcp,
    holds: |operand, result| {
        let exact = 1.0 / f64::from(f32::from_bits(operand));
        units(exact, result) <= 15.0 / 16.0 && is_exact(operand, result)
    },
    said: "a reciprocal is at most 15/16 of a unit in the last place off, and that of a power of two is exact",
};

/// Among all significands under both parities of the exponent and all answers within the documented bound these two roots are a unit
/// off.
const NOT_ABOVE: Premise = Premise {
    function: Approximation::Rsqrt,
    holds: |operand, result| {
        let nearest = (1.0 / f64::from(f32::from_bits(operand)).sqrt()) as f32;
        !matches!(operand & 0xff_ffff, 0xfc_114a | 0x6e_9372) || result != nearest.to_bits() + 1
    },
    said: "of 0x3ffc114a and 0x406e9372, and these by powers of four, the reciprocal root is not the number above the nearest",
};

/// A lemma: its name and code, what it computes, the registers of its operands and of its result.
const fn lemma(
    name: &'static str,
    subject: Subject,
    code: &'static str,
    given: &'static [&'static str],
    yields: &'static [(&'static [&'static str], Yield)],
    premise: Option<Premise>,
) -> Lemma {
    let checked = if given.len() == 1 { BY_SIGNIFICANDS } else { BY_GRID };
    Lemma { name, subject, code, given, yields, premise, checked }
}

/// All of them.
pub const ROUTINES: &[Lemma] = &[
    lemma(
        "divide-f32-rn-short",
        Subject::Divide(F32, NEAREST, false),
        text!("divide_f32_rn_short"),
        &["R2", "R3"],
        &[(&["R5"], Yield::Result), (&["P0"], Yield::Unless)],
        Some(NOT_BELOW),
    ),
    lemma(
        "divide-f32-rn-routine",
        Subject::Divide(F32, NEAREST, false),
        text!("divide_f32_rn_routine"),
        &["R2", "R3"],
        &[(&["R3"], Yield::Result)],
        Some(NOT_BELOW),
    ),
    lemma(
        "divide-f32-rz-routine",
        Subject::Divide(F32, Rounding::Zero, false),
        text!("divide_f32_rz_routine"),
        &["R2", "R3"],
        &[(&["R0"], Yield::Result)],
        None,
    ),
    lemma(
        "divide-f32-rz-ftz-routine",
        Subject::Divide(F32, Rounding::Zero, true),
        text!("divide_f32_rz_ftz_routine"),
        &["R2", "R3"],
        &[(&["R0"], Yield::Result)],
        None,
    ),
    lemma(
        "divide-f32-rn-ftz-short",
        Subject::FlushedQuotient(NEAREST),
        text!("divide_f32_rn_short"),
        &["R2", "R3"],
        &[(&["R5"], Yield::Result), (&["P0"], Yield::Unless)],
        Some(NOT_BELOW),
    ),
    lemma(
        "divide-f32-rn-ftz-routine",
        Subject::FlushedQuotient(NEAREST),
        text!("divide_f32_rn_ftz_routine"),
        &["R2", "R3"],
        &[(&["R0"], Yield::Result)],
        Some(NOT_BELOW),
    ),
    lemma(
        "divide-f32-rm-ftz-routine",
        Subject::FlushedQuotient(Rounding::Down),
        text!("divide_f32_rm_ftz_routine"),
        &["R4", "R5"],
        &[(&["R0"], Yield::Result)],
        None,
    ),
    lemma(
        "divide-f32-rp-ftz-routine",
        Subject::FlushedQuotient(Rounding::Up),
        text!("divide_f32_rp_ftz_routine"),
        &["R4", "R5"],
        &[(&["R0"], Yield::Result)],
        None,
    ),
    lemma(
        "reciprocal-f32-rm-ftz-short",
        Subject::FlushedReciprocal(Rounding::Down),
        text!("reciprocal_f32_rm_ftz_short"),
        &["R2"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(LESS_THAN_A_UNIT),
    ),
    lemma(
        "reciprocal-f32-rm-ftz-routine",
        Subject::FlushedReciprocal(Rounding::Down),
        text!("reciprocal_f32_rn_ftz_routine"),
        &["R2"],
        &[(&["R3"], Yield::Result), (&["P6"], Yield::Unless)],
        None,
    ),
    lemma(
        "reciprocal-f32-rp-ftz-short",
        Subject::FlushedReciprocal(Rounding::Up),
        text!("reciprocal_f32_rp_ftz_short"),
        &["R2"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(LESS_THAN_A_UNIT),
    ),
    lemma(
        "reciprocal-f32-rp-ftz-routine",
        Subject::FlushedReciprocal(Rounding::Up),
        text!("reciprocal_f32_rn_ftz_routine"),
        &["R2"],
        &[(&["R3"], Yield::Result), (&["P6"], Yield::Unless)],
        None,
    ),
    lemma(
        "divide-f32-rn-routine-lea",
        Subject::Divide(F32, NEAREST, false),
        text!("divide_f32_rn_routine_lea"),
        &["R0", "R3"],
        &[(&["R0"], Yield::Result)],
        Some(NOT_BELOW),
    ),
    lemma(
        "reciprocal-f32-rn-routine-predicated",
        Subject::Reciprocal(F32, NEAREST, false),
        text!("reciprocal_f32_rn_routine_predicated"),
        &["R0"],
        &[(&["R3"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(BOTH_WAYS),
    ),
    lemma(
        "reciprocal-f32-rz-routine-predicated",
        Subject::Reciprocal(F32, Rounding::Zero, false),
        text!("reciprocal_f32_rz_routine_predicated"),
        &["R5"],
        &[(&["R3"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(LESS_THAN_A_UNIT),
    ),
    lemma(
        "divide-f32-rm-routine",
        Subject::Divide(F32, Rounding::Down, false),
        text!("divide_f32_rm_routine"),
        &["R2", "R3"],
        &[(&["R0"], Yield::Result)],
        None,
    ),
    lemma(
        "divide-f32-rp-routine",
        Subject::Divide(F32, Rounding::Up, false),
        text!("divide_f32_rp_routine"),
        &["R2", "R3"],
        &[(&["R0"], Yield::Result)],
        None,
    ),
    lemma(
        "reciprocal-f32-rn-short",
        Subject::Reciprocal(F32, NEAREST, false),
        text!("reciprocal_f32_rn_short"),
        &["R0"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(NOT_BELOW),
    ),
    lemma(
        "reciprocal-f32-rn-routine",
        Subject::Reciprocal(F32, NEAREST, false),
        text!("reciprocal_f32_rn_routine"),
        &["R0"],
        &[(&["R3"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(BOTH_WAYS),
    ),
    lemma(
        "reciprocal-f32-rn-ftz-short",
        Subject::Reciprocal(F32, NEAREST, true),
        text!("reciprocal_f32_rn_ftz_short"),
        &["R2"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(NOT_BELOW),
    ),
    lemma(
        "reciprocal-f32-rn-ftz-routine",
        Subject::Reciprocal(F32, NEAREST, true),
        text!("reciprocal_f32_rn_ftz_routine"),
        &["R2"],
        &[(&["R3"], Yield::Result), (&["P6"], Yield::Unless)],
        None,
    ),
    lemma(
        "reciprocal-f32-rz-short",
        Subject::Reciprocal(F32, Rounding::Zero, false),
        text!("reciprocal_f32_rz_short"),
        &["R0"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(LESS_THAN_A_UNIT),
    ),
    lemma(
        "reciprocal-f32-rz-routine",
        Subject::Reciprocal(F32, Rounding::Zero, false),
        text!("reciprocal_f32_rz_routine"),
        &["R0"],
        &[(&["R2"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(LESS_THAN_A_UNIT),
    ),
    lemma(
        "reciprocal-f32-rz-ftz-short",
        Subject::Reciprocal(F32, Rounding::Zero, true),
        text!("reciprocal_f32_rz_ftz_short"),
        &["R2"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(LESS_THAN_A_UNIT),
    ),
    lemma(
        "reciprocal-f32-rz-ftz-routine",
        Subject::Reciprocal(F32, Rounding::Zero, true),
        text!("reciprocal_f32_rz_ftz_routine"),
        &["R2"],
        &[(&["R3"], Yield::Result), (&["P6"], Yield::Unless)],
        None,
    ),
    lemma(
        "reciprocal-f32-rm-short",
        Subject::Reciprocal(F32, Rounding::Down, false),
        text!("reciprocal_f32_rm_short"),
        &["R0"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(LESS_THAN_A_UNIT),
    ),
    lemma(
        "reciprocal-f32-rm-routine",
        Subject::Reciprocal(F32, Rounding::Down, false),
        text!("reciprocal_f32_rm_routine"),
        &["R0"],
        &[(&["R3"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(LESS_THAN_A_UNIT),
    ),
    lemma(
        "reciprocal-f32-rp-short",
        Subject::Reciprocal(F32, Rounding::Up, false),
        text!("reciprocal_f32_rp_short"),
        &["R0"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(LESS_THAN_A_UNIT),
    ),
    lemma(
        "reciprocal-f32-rp-routine",
        Subject::Reciprocal(F32, Rounding::Up, false),
        text!("reciprocal_f32_rp_routine"),
        &["R0"],
        &[(&["R3"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(LESS_THAN_A_UNIT),
    ),
    lemma(
        "reciprocal-f32-rn-checked",
        Subject::Reciprocal(F32, NEAREST, false),
        text!("reciprocal_f32_rn_checked"),
        &["R4"],
        &[(&["R6"], Yield::Result), (&["P0"], Yield::Unless)],
        Some(NOT_BELOW),
    ),
    lemma(
        "root-f32-rn",
        Subject::Root(F32, NEAREST, false),
        text!("root_f32_rn"),
        &["R4"],
        &[(&["R6"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(NOT_ABOVE),
    ),
    lemma(
        "root-f32-rn-ftz",
        Subject::Root(F32, NEAREST, true),
        text!("root_f32_rn_ftz"),
        &["R4"],
        &[(&["R6"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(NOT_ABOVE),
    ),
    lemma(
        "root-f32-rn-short",
        Subject::Root(F32, NEAREST, false),
        text!("root_f32_rn_short"),
        &["R0"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(NOT_ABOVE),
    ),
    lemma(
        "root-f32-rn-routine",
        Subject::Root(F32, NEAREST, false),
        text!("root_f32_rn_routine"),
        &["R0"],
        &[(&["R2"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(NOT_ABOVE),
    ),
    lemma(
        "root-f32-rn-routine-predicated",
        Subject::Root(F32, NEAREST, false),
        text!("root_f32_rn_routine_predicated"),
        &["R0"],
        &[(&["R9"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(NOT_ABOVE),
    ),
    lemma(
        "root-f32-rn-magnitude-short",
        Subject::Root(F32, NEAREST, false),
        text!("root_f32_rn_magnitude_short"),
        &["R0"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(NOT_ABOVE),
    ),
    lemma(
        "root-f32-rn-magnitude-routine",
        Subject::Root(F32, NEAREST, false),
        text!("root_f32_rn_magnitude_routine"),
        &["R0"],
        &[(&["R9"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(NOT_ABOVE),
    ),
    lemma(
        "root-f32-rn-ftz-short",
        Subject::Root(F32, NEAREST, true),
        text!("root_f32_rn_ftz_short"),
        &["R2"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(NOT_ABOVE),
    ),
    lemma(
        "root-f32-rn-ftz-routine",
        Subject::Root(F32, NEAREST, true),
        text!("root_f32_rn_ftz_routine"),
        &["R2"],
        &[(&["R0"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(NOT_ABOVE),
    ),
    lemma(
        "root-f32-rn-ftz-routine-predicated",
        Subject::Root(F32, NEAREST, true),
        text!("root_f32_rn_ftz_routine_predicated"),
        &["R7"],
        &[(&["R0"], Yield::Result), (&["P6"], Yield::Unless)],
        Some(NOT_ABOVE),
    ),
    lemma(
        "root-f32-rz-short",
        Subject::Root(F32, Rounding::Zero, false),
        text!("root_f32_rz_short"),
        &["R0"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        None,
    ),
    lemma(
        "root-f32-rz-routine",
        Subject::Root(F32, Rounding::Zero, false),
        text!("root_f32_rz_routine"),
        &["R0"],
        &[(&["R2"], Yield::Result), (&["P6"], Yield::Unless)],
        None,
    ),
    lemma(
        "root-f32-rz-ftz-short",
        Subject::Root(F32, Rounding::Zero, true),
        text!("root_f32_rz_ftz_short"),
        &["R2"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        None,
    ),
    lemma(
        "root-f32-rz-ftz-routine",
        Subject::Root(F32, Rounding::Zero, true),
        text!("root_f32_rz_ftz_routine"),
        &["R2"],
        &[(&["R0"], Yield::Result), (&["P6"], Yield::Unless)],
        None,
    ),
    lemma(
        "root-f32-rm-short",
        Subject::Root(F32, Rounding::Down, false),
        text!("root_f32_rm_short"),
        &["R0"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        None,
    ),
    lemma(
        "root-f32-rm-routine",
        Subject::Root(F32, Rounding::Down, false),
        text!("root_f32_rm_routine"),
        &["R0"],
        &[(&["R2"], Yield::Result), (&["P6"], Yield::Unless)],
        None,
    ),
    lemma(
        "root-f32-rm-ftz-short",
        Subject::Root(F32, Rounding::Down, true),
        text!("root_f32_rm_ftz_short"),
        &["R2"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        None,
    ),
    lemma(
        "root-f32-rm-ftz-routine",
        Subject::Root(F32, Rounding::Down, true),
        text!("root_f32_rm_ftz_routine"),
        &["R2"],
        &[(&["R0"], Yield::Result), (&["P6"], Yield::Unless)],
        None,
    ),
    lemma(
        "root-f32-rp-short",
        Subject::Root(F32, Rounding::Up, false),
        text!("root_f32_rp_short"),
        &["R0"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        None,
    ),
    lemma(
        "root-f32-rp-routine",
        Subject::Root(F32, Rounding::Up, false),
        text!("root_f32_rp_routine"),
        &["R0"],
        &[(&["R2"], Yield::Result), (&["P6"], Yield::Unless)],
        None,
    ),
    lemma(
        "root-f32-rp-ftz-short",
        Subject::Root(F32, Rounding::Up, true),
        text!("root_f32_rp_ftz_short"),
        &["R2"],
        &[(&["R5"], Yield::Result), (&["P6"], Yield::Unless)],
        None,
    ),
    lemma(
        "root-f32-rp-ftz-routine",
        Subject::Root(F32, Rounding::Up, true),
        text!("root_f32_rp_ftz_routine"),
        &["R2"],
        &[(&["R0"], Yield::Result), (&["P6"], Yield::Unless)],
        None,
    ),
];
