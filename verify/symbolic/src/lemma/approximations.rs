//! Lemmas about results that PTX bounds and does not fix.

use super::form::{Estimate, Lemma, Premise, Subject, Yield};
use super::table::text;
use sassafras_semantics::{Approximation, FloatFormat};

/// How functions of binary32 are checked.
const BY_OPERAND: &str = "for each operand for which the code scales, a sample or with SASSAFRAS_ALL_LEMMAS all of them, and the lowest, \
    the highest and the nearest answer of the unit, the result is within PTX's bound; for each other exponent on a sample of significands";
/// How sines are checked.
const BY_PREMISE: &str = "the premise says it; the special cases on a grid";
/// How functions of halves are checked.
const BY_HALF: &str =
    "for each of the 65536 operands and the lowest, the highest and the nearest answer of the unit";
/// How quotients are checked.
const BY_GRID: &str = "a product of two numbers whose errors add up; the code on a grid of operands with the lowest, the highest and the \
    nearest answer of the unit";

/// How `cvt.rn.ftz.f32.f64` is checked.
const BY_ROUNDING: &str = "a conversion, and a factor that leaves zero of what is below 2^-126 - 2^-151; the code on a grid of operands, next to \
    2^-126 above all";

/// Of one operand in R4, with the result in R5.
const fn of_one(
    name: &'static str,
    subject: (Estimate, bool),
    code: &'static str,
    premise: Option<Premise>,
    checked: &'static str,
) -> Lemma {
    let (given, yields): (&[&str], &[(&[&str], Yield)]) = (&["R4"], &[(&["R5"], Yield::Result)]);
    Lemma { name, subject: Subject::Estimate(subject.0, subject.1), code, given, yields, premise, checked }
}

/// Of a quotient of R4 and R5, in R6.
const fn of_two(name: &'static str, subject: (Estimate, bool), code: &'static str) -> Lemma {
    let (given, yields): (&[&str], &[(&[&str], Yield)]) = (&["R4", "R5"], &[(&["R6"], Yield::Result)]);
    let premise = Some(NEAR_RECIPROCAL);
    Lemma {
        name,
        subject: Subject::Estimate(subject.0, subject.1),
        code,
        given,
        yields,
        premise,
        checked: BY_GRID,
    }
}

/// The distance of a result from the exact one, in units of the latter's last place.
pub(super) fn units(exact: f64, result: u32) -> f64 {
    let exponent = ((exact.abs().to_bits() >> 52) as i32 - 1023).max(-126);
    (f64::from(f32::from_bits(result)) - exact).abs() * f64::from(23 - exponent).exp2()
}

fn value(bits: u32) -> f64 {
    f32::from_bits(bits).into()
}

/// PTX promises two units for the product of `div.approx`, and ptxas writes this product alone.
const NEAR_RECIPROCAL: Premise = Premise {
    function: Approximation::Rcp,
    holds: |operand, result| units(1.0 / value(operand), result) <= 0.75,
    said: "a reciprocal is at most three quarters of a unit in the last place off",
};
/// PTX promises two units of `ex2.approx`, and ptxas writes the square alone for results below 2^-126.
const NEAR_POWER: Premise = Premise {
    function: Approximation::Ex2,
    holds: |operand, result| units(value(operand).exp2(), result) <= 1.5,
    said: "a power of two is at most one and a half units in the last place off",
};
/// PTX promises 2^-22 of `lg2.approx`, and ptxas writes this sum alone for subnormal operands.
const NEAR_LOGARITHM: Premise = Premise {
    function: Approximation::Lg2,
    holds: |operand, result| {
        let exact = value(operand).log2();
        !exact.is_finite() || (value(result) - exact).abs() <= exact.abs() * 11.0 / 12.0 * (-22f64).exp2()
    },
    said: "a logarithm of at least 64 is at most 11/12 of 2^-22 of it off",
};

/// What PTX promises of `sin.approx` and `cos.approx`, by magnitude of the operand (PTX ISA, "sin").
fn promised(x: f64) -> f64 {
    match x.abs() {
        x if x <= std::f64::consts::TAU => (-20.5f64).exp2(),
        x if x <= 50.0 * std::f64::consts::TAU => (-14.7f64).exp2(),
        _ => 2.0,
    }
}

/// Whether a result of the unit is within the bound of PTX for each operand whose product with 1/2π, rounded to zero, is the
/// unit's operand. Of a subnormal product it is that of zero, since ptxas writes the same for `.ftz`.
fn is_promised(function: fn(f64) -> f64, turns: u32, result: u32) -> bool {
    let t = value(turns).abs();
    let sign = value(turns).signum();
    let least = f64::from(f32::MIN_POSITIVE);
    if t < least {
        let zero = f32::from_bits(turns & 0x8000_0000);
        return result == (function(zero.into()) as f32).to_bits();
    }
    let factor = f64::from(0.159_154_94_f32);
    let next = value((turns & 0x7fff_ffff) + 1);
    let within = |x: f64| (value(result) - function(sign * x)).abs() <= promised(x);
    value(result).abs() <= 1.0 && within(t / factor) && within(next / factor)
}

/// PTX promises this of `sin.approx`, and ptxas writes nothing else for it.
const SINE: Premise = Premise {
    function: Approximation::SinTurns,
    holds: |turns, result| is_promised(f64::sin, turns, result),
    said: "the unit's sine of the product, rounded to zero, of an operand and 1/2π is within PTX's bound of `sin.approx`",
};
/// The same of `cos.approx`.
const COSINE: Premise = Premise {
    function: Approximation::CosTurns,
    holds: |turns, result| is_promised(f64::cos, turns, result),
    said: "the unit's cosine of the product, rounded to zero, of an operand and 1/2π is within PTX's bound of `cos.approx`",
};

const SIN: Estimate = Estimate::Single(Approximation::Sin);
const COS: Estimate = Estimate::Single(Approximation::Cos);
const RCP: Estimate = Estimate::Single(Approximation::Rcp);
const SQRT: Estimate = Estimate::Single(Approximation::Sqrt);
const RSQRT: Estimate = Estimate::Single(Approximation::Rsqrt);
const EX2: Estimate = Estimate::Single(Approximation::Ex2);
const LG2: Estimate = Estimate::Single(Approximation::Lg2);
const EX2_F16: Estimate = Estimate::Half(Approximation::Ex2, FloatFormat::F16);
const EX2_BF16: Estimate = Estimate::Half(Approximation::Ex2, FloatFormat::Bf16);
const TANH_BF16: Estimate = Estimate::Half(Approximation::Tanh, FloatFormat::Bf16);

/// All of them: code of ptxas, and ours.
pub const ESTIMATES: &[Lemma] = &[
    of_one("ex2-squared", (EX2, false), text!("ex2_squared"), Some(NEAR_POWER), BY_OPERAND),
    of_one("ex2-scaled", (EX2, false), text!("ex2_scaled"), None, BY_OPERAND),
    of_one("lg2-by-24", (LG2, false), text!("lg2_by_24"), Some(NEAR_LOGARITHM), BY_OPERAND),
    of_one("lg2-by-64", (LG2, false), text!("lg2_by_64"), None, BY_OPERAND),
    of_one("rcp-above-126", (RCP, false), text!("rcp_above_126"), None, BY_OPERAND),
    of_one("rcp-from-125", (RCP, false), text!("rcp_from_125"), None, BY_OPERAND),
    of_one("sqrt-under-guard", (SQRT, false), text!("sqrt_under_guard"), None, BY_OPERAND),
    of_one("rsqrt-under-guard", (RSQRT, false), text!("rsqrt_under_guard"), None, BY_OPERAND),
    of_one("ex2-f16-wide", (EX2_F16, false), text!("ex2_f16_wide"), None, BY_HALF),
    of_one("ex2-bf16-wide", (EX2_BF16, true), text!("ex2_bf16_wide"), None, BY_HALF),
    of_one("tanh-bf16-wide", (TANH_BF16, false), text!("tanh_bf16_wide"), None, BY_HALF),
    of_one("sine", (SIN, false), text!("sin"), Some(SINE), BY_PREMISE),
    of_one("sine-ftz", (SIN, true), text!("sin"), Some(SINE), BY_PREMISE),
    of_one("cosine", (COS, false), text!("cos"), Some(COSINE), BY_PREMISE),
    of_one("cosine-ftz", (COS, true), text!("cos"), Some(COSINE), BY_PREMISE),
    Lemma {
        name: "narrow-f64-ftz",
        subject: Subject::Estimate(Estimate::Narrow, true),
        code: text!("narrow_f64_ftz"),
        given: &["R4", "R5"],
        yields: &[(&["R5"], Yield::Result)],
        premise: None,
        checked: BY_ROUNDING,
    },
    of_two("divide-approx", (Estimate::Divide, false), text!("divide_approx")),
    of_two("divide-approx-selected", (Estimate::Divide, false), text!("divide_approx_selected")),
    of_two("divide-approx-zero", (Estimate::Divide, false), text!("divide_approx_zero")),
    of_two("divide-approx-ftz", (Estimate::Divide, true), text!("divide_approx_ftz")),
    of_two("divide-full", (Estimate::DivideFull, false), text!("divide_full")),
    of_two("divide-full-factors", (Estimate::DivideFull, false), text!("divide_full_factors")),
    of_two("divide-full-ftz", (Estimate::DivideFull, true), text!("divide_full_ftz")),
    of_two("divide-full-factors-ftz", (Estimate::DivideFull, true), text!("divide_full_factors_ftz")),
];
