//! Lemmas about results that PTX bounds and does not fix: whatever the multi-function unit answers within its bound, their code
//! gives a result within PTX's.

#![allow(missing_docs)]

mod common;

use common::sequence::{Sequence, Unit};
use common::{loses_each, module, ours, solver};
use sassafras_prove::{Limits, Verdict, prove_within};
use sassafras_semantics::concrete::admits;
use sassafras_semantics::*;
use sassafras_symbolic::lemma::{ESTIMATES, Estimate, Lemma, Subject};
use sassafras_witness::Entry;
use sassafras_witness::check::{Fault, check};

const CHOOSERS: [Chooser; 3] = [Chooser::Nearest, Chooser::Lowest, Chooser::Highest];
const NAN: u32 = 0x7fff_ffff;
const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
/// The exponent of the smallest normal number of binary32, and of its smallest number.
const LEAST: (i32, i32) = (-126, -149);

fn whole() -> bool {
    std::env::var_os("SASSAFRAS_ALL_LEMMAS").is_some()
}

/// What an operand and a choice are wrong about.
type Wrong = Option<String>;

/// Some significands, first and last ones among them; or all.
fn significands(count: u32) -> impl Iterator<Item = u32> {
    let all = 1u32 << 23;
    let step = if count >= all { 1 } else { (all / count) | 1 };
    let ends = (0..4).chain(all - 4..all).chain((0..23).map(|i| 1 << i));
    ends.chain((0..all).step_by(step as usize))
}

/// A function of binary32: where the code scales on all significands (or `count` of them), elsewhere on some.
fn single(sequence: &Sequence, units: &[Unit], function: Approximation, ftz: bool, count: u32) -> Wrong {
    let mut scaled = 0;
    // These scale all operands, and rest on a premise about all.
    let unscaled = matches!(function, Approximation::Sin | Approximation::Cos);
    for top in 0..512u32 {
        let at = |s: u32| top << 23 | s;
        let bare =
            |a: u32| units.iter().all(|u| sequence.run(u, &[a.into()], 0)[0] == u.answer(function, true, a));
        let scales = !significands(60).all(|s| bare(at(s)));
        scaled += u32::from(scales);
        let all = if scales { count } else { 60 };
        for a in significands(if unscaled { all.min(2000) } else { all }).map(at) {
            for (i, unit) in units.iter().enumerate() {
                let found = sequence.run(unit, &[a.into()], 0)[0];
                if !admits(function, ftz, a, found) {
                    return Some(format!("{a:#x}, answer {i}: {found:#x}"));
                }
            }
        }
    }
    eprintln!("  the code scales for {scaled} of 512 signs and exponents");
    None
}

/// A function of halves, on all of them: within PTX's bound, or for a subnormal result half a unit and a hundredth.
fn half(
    sequence: &Sequence,
    units: &[Unit],
    function: Approximation,
    format: FloatFormat,
    ftz: bool,
) -> Wrong {
    let d = Concrete::default();
    let value = |h: u32| {
        let wide =
            d.float_to_float(format, FloatFormat::F32, FloatMode::default(), &d.constant(16, h.into()));
        f64::from(f32::from_bits(wide.bits() as u32))
    };
    // PTX ISA, ex2 and tanh: relative bounds of powers, absolute ones of tangents.
    let (bound, least) = match (function, format) {
        (Approximation::Ex2, FloatFormat::F16) => (-9.9f64, -24),
        (Approximation::Ex2, _) => (-7.0, -133),
        (_, FloatFormat::F16) => (-10.987, -24),
        _ => (-8.0, -133),
    };
    let smallest = f64::from(least).exp2();
    let normal = smallest * if format == FloatFormat::F16 { 1024.0 } else { 128.0 };
    for a in 0..=0xffffu32 {
        let mut x = value(a);
        if ftz && x.abs() < normal {
            x *= 0.0;
        }
        let exact = if function == Approximation::Ex2 { x.exp2() } else { x.tanh() };
        for (i, unit) in units.iter().enumerate() {
            let found = sequence.run(unit, &[a.into()], 0)[0];
            let is = value(found);
            let most = if format == FloatFormat::F16 { 65_520.0 } else { f64::from(f32::MAX) };
            let right = if exact.is_nan() {
                found == 0x7fff
            } else if is.is_infinite() {
                exact * (1.0 + bound.exp2()) >= most
            } else {
                let scale = if function == Approximation::Ex2 { exact.abs() } else { 1.0 };
                let within = (is - exact).abs() <= (scale * bound.exp2()).max(0.505 * smallest);
                let flushed = ftz && is == 0.0 && exact.abs() < normal * 1.01;
                (within || flushed) && (!ftz || is == 0.0 || is.abs() >= normal)
            };
            if !right || found > 0xffff {
                return Some(format!("{a:#x}, answer {i}: {found:#x} for {exact:e}"));
            }
        }
    }
    None
}

/// Whether PTX admits a quotient: two units, zero for divisors above 2^126 where `short`. An infinity stands for 2^128.
fn quotient_is_admitted(a: u32, b: u32, found: u32, short: bool, ftz: bool) -> bool {
    let flush = |v: u32| if ftz && v & INFINITY == 0 { v & SIGN } else { v };
    let (a, b) = (flush(a), flush(b));
    let value = |v: u32| f64::from(f32::from_bits(v));
    let (x, y) = (value(a), value(b));
    let exact = x / y;
    let sign = (a ^ b) & SIGN;
    let large = y.is_finite() && y.abs() > 126f64.exp2();
    if exact.is_nan() || short && large && x.is_infinite() {
        return found == NAN;
    }
    // PTX says nothing of subnormal divisors: where their reciprocal is infinite, a product with it will do.
    if short && y != 0.0 && y.abs() <= (-128f64).exp2() {
        let product = if x == 0.0 { NAN } else { sign | INFINITY };
        if found == product {
            return true;
        }
    }
    if short && large || exact == 0.0 {
        return found == sign;
    }
    if exact.is_infinite() {
        return found == sign | INFINITY;
    }
    if found & SIGN != sign {
        return false;
    }
    let exponent = (exact.abs().to_bits() >> 52) as i32 - 1023;
    let unit = f64::from((exponent - 23).max(LEAST.1)).exp2();
    let is = if found & !SIGN == INFINITY { 128f64.exp2() } else { value(found).abs() };
    let near = (is - exact.abs().min(128f64.exp2())).abs() <= 2.0 * unit;
    // What is below the normal numbers, or may be, is flushed.
    let smallest = f64::from(LEAST.0).exp2();
    near && !(ftz && is > 0.0 && is < smallest) || ftz && is == 0.0 && exact.abs() - 2.0 * unit < smallest
}

/// `cvt.rn.ftz.f32.f64`: what is below 2^-126 may be flushed before it is rounded, whether with that exponent or another, or behind it.
fn narrow(sequence: &Sequence, count: u32) -> Wrong {
    let d = Concrete::default();
    let unit = Unit::new(Chooser::Nearest, None);
    let least = (-126f64).exp2();
    let mut numbers =
        vec![0, 1, f64::MAX.to_bits(), f64::INFINITY.to_bits(), f64::NAN.to_bits(), (1 << 52) - 1];
    // At each exponent, and next to the numbers where roundings change.
    for e in 0..2047u64 {
        numbers.extend([0, 1, (1 << 52) - 1, 1 << 28, (1 << 28) + 1, (1 << 28) - 1].map(|s| e << 52 | s));
    }
    for near in
        [least, least - (-150f64).exp2(), least - (-151f64).exp2(), (-150f64).exp2(), (-149f64).exp2()]
    {
        numbers.extend((0..200).map(|i| near.to_bits() + i - 100));
        numbers.extend((0..40).map(|i| near.to_bits() - (i << 26)));
    }
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..count {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        numbers.push((state & ((1 << 52) - 1)) | (870 + state % 64) << 52);
    }
    for a in numbers.iter().flat_map(|a| [*a, a | 1 << 63]) {
        let mode = FloatMode { ftz: true, ..FloatMode::default() };
        let late =
            d.float_to_float(FloatFormat::F64, FloatFormat::F32, mode, &d.constant(64, a.into())).bits();
        let found = u128::from(sequence.run(&unit, &[a], 0)[0]);
        let zero = u128::from(a >> 63) << 31;
        let tiny = f64::from_bits(a).abs() < least;
        if found != late && !(tiny && found == zero) {
            return Some(format!("{a:#x}: {found:#x}, not {late:#x}"));
        }
    }
    None
}

/// Quotients on a grid of operands.
fn quotient(sequence: &Sequence, units: &[Unit], short: bool, ftz: bool, count: u32) -> Wrong {
    let exponents =
        [0u32, 1, 2, 3, 23, 24, 25, 64, 102, 126, 127, 128, 151, 190, 229, 230, 251, 252, 253, 254, 255];
    let mut numbers = Vec::new();
    for e in exponents {
        for s in [0, 1, 2, 0x7f_ffff, 0x7f_fffe, 0x40_0000, 0x40_0001, 0x15_5555, 0x2a_aaab] {
            numbers.extend([e << 23 | s, SIGN | e << 23 | s]);
        }
    }
    let mut state = 0x9e37_79b9u32;
    for _ in 0..count {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        numbers.push(state);
    }
    for a in &numbers {
        for b in &numbers {
            for (i, unit) in units.iter().enumerate() {
                let found = sequence.run(unit, &[(*a).into(), (*b).into()], 0)[0];
                if !quotient_is_admitted(*a, *b, found, short, ftz) {
                    let q = f64::from(f32::from_bits(*a)) / f64::from(f32::from_bits(*b));
                    return Some(format!("{a:#x} / {b:#x}, answer {i}: {found:#x} for {q:e}"));
                }
            }
        }
    }
    None
}

/// An operand and an answer of the unit for which code gives what PTX does not admit.
fn wrong(lemma: &Lemma, text: &str, premise: bool, count: u32) -> Wrong {
    let sequence = match Sequence::of(lemma, text) {
        Ok(sequence) => sequence,
        Err(why) => return Some(why.to_string()),
    };
    let units = CHOOSERS.map(|c| Unit::new(c, lemma.premise.filter(|_| premise)));
    let Subject::Estimate(what, ftz) = lemma.subject else { return Some("it is no estimate".into()) };
    match what {
        Estimate::Single(function) => single(&sequence, &units, function, ftz, count),
        Estimate::Half(function, format) => half(&sequence, &units, function, format, ftz),
        Estimate::Divide => quotient(&sequence, &units, true, ftz, count / 100),
        Estimate::Narrow => narrow(&sequence, count.max(20_000)),
        Estimate::DivideFull => quotient(&sequence, &units, false, ftz, count / 100),
    }
}

#[test]
fn estimates_are_within_the_bounds() {
    let count = if whole() { 1 << 23 } else { 5000 };
    let mut faults = Vec::new();
    for lemma in ESTIMATES {
        assert!(!lemma.checked.is_empty(), "{}", lemma.name);
        let own = if matches!(lemma.subject, Subject::Estimate(Estimate::Single(_), _)) {
            count
        } else {
            count.min(100_000)
        };
        match wrong(lemma, lemma.code, true, own) {
            Some(why) => faults.push(format!("{}: {why}", lemma.name)),
            None => eprintln!("{} holds", lemma.name),
        }
        if lemma.premise.is_some() {
            let without = wrong(lemma, lemma.code, false, 20_000);
            eprintln!("{} without its premise: {without:?}", lemma.name);
            if without.is_none() {
                faults.push(format!("{} holds without its premise", lemma.name));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Each instruction left out: the test tells for two of three. The others matter for no answer, as the scale of a power whose result a
/// half cannot hold.
#[test]
fn changed_estimates_are_not() {
    let mut faults = Vec::new();
    for lemma in ESTIMATES {
        let lines: Vec<&str> =
            lemma.code.lines().filter(|l| !l.trim().is_empty() && !l.starts_with("//")).collect();
        let (mut seen, mut unseen) = (0, Vec::new());
        for (i, line) in lines.iter().enumerate() {
            let mut changed = lines.clone();
            changed.remove(i);
            match wrong(lemma, &changed.join("\n"), true, 300) {
                Some(_) => seen += 1,
                None => unseen.push(*line),
            }
        }
        eprintln!("{}: {seen} of {} changes are seen; not {unseen:#?}", lemma.name, lines.len());
        if seen < 2 * unseen.len() {
            faults.push(lemma.name);
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// A kernel that stores two results of its operands.
fn kernel(operation: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in)\n{{\n\
         .reg .b32 a, b, v, w;\n.reg .b64 to, from;\nld.param.u64 to, [out];\nld.param.u64 from, [in];\n\
         ld.global.v2.u32 {{a, b}}, [from];\n{operation}\nst.global.v2.u32 [to], {{v, w}};\nret;\n}}\n"
    )
}

/// Code of another operation, or with an instruction left out, is not taken for an estimate. Two instructions may give two results
/// for one operand, and one instruction gives one.
#[test]
fn planted_changes_are_not_proved() {
    let Some(mut z3) = solver("planted_changes_are_not_proved", 2) else { return };
    let limits = Limits { effort: 500, ..Limits::default() };
    let cases = [
        ("ex2.approx.f32 v, a; mov.b32 w, v;", "ex2-scaled"),
        ("lg2.approx.f32 v, a; sin.approx.f32 w, a;", "lg2-by-64"),
        ("sqrt.approx.f32 v, a; rsqrt.approx.f32 w, b;", "sqrt-under-guard"),
        ("rcp.approx.f32 v, a; cos.approx.ftz.f32 w, a;", "rcp-from-125"),
        ("div.approx.f32 v, a, b; div.full.f32 w, b, a;", "divide-full-factors"),
    ];
    let computes = ["MUFU", "FADD", "FMUL", "FSETP", "SEL", "LOP3"];
    for (operation, lemma) in cases {
        let count = loses_each(&kernel(operation), lemma, &computes, limits, &mut *z3);
        assert!(count > 3, "{operation}: {count}");
    }
    let bare = "ex2.approx.ftz.f32";
    for (wanted, written) in [
        // Another function, another operand, another form, and the unit's answer where PTX asks for subnormal numbers.
        ("ex2.approx.f32 v, a; mov.b32 w, v;", "lg2.approx.f32 v, a; mov.b32 w, v;"),
        ("rcp.approx.f32 v, a; mov.b32 w, v;", "rcp.approx.f32 v, b; mov.b32 w, v;"),
        ("div.full.f32 v, a, b; mov.b32 w, v;", "div.full.f32 v, b, a; mov.b32 w, v;"),
        ("ex2.approx.f32 v, a; mov.b32 w, v;", &format!("{bare} v, a; mov.b32 w, v;")),
        // One result in two places.
        ("ex2.approx.f32 v, a; mov.b32 w, v;", &format!("ex2.approx.f32 v, a; {bare} w, a;")),
        ("div.full.f32 v, a, b; mov.b32 w, v;", "div.full.f32 v, a, b; div.approx.f32 w, a, b;"),
        ("div.rn.f32 v, a, b; mov.b32 w, v;", "div.full.f32 v, a, b; mov.b32 w, v;"),
    ] {
        let (module, cubin) = (module(&kernel(wanted)), ours(&kernel(written)).expect("it compiles"));
        let verdict = prove_within(&module, "k", &cubin, &mut *z3, limits).verdict;
        assert_ne!(verdict, Verdict::Proved, "{wanted} by {written}");
    }
}

/// The witness says by which lemma an instruction is done; another is rejected.
#[test]
fn a_witness_says_by_which_lemma() {
    let Some(mut z3) = common::z3("a_witness_says_by_which_lemma") else { return };
    let source = kernel("rcp.approx.f32 v, a; sqrt.approx.f32 w, b;");
    let (module, cubin) = (module(&source), ours(&source).expect("it compiles"));
    let record = prove_within(&module, "k", &cubin, &mut z3, Limits::default());
    let entry = record.witness(4).expect("it is proved");
    assert_eq!(entry.matching.estimated.len(), 2, "{:?}", entry.matching.estimated);
    check(&module, &cubin, &entry, &mut z3).expect("it holds");
    let changed = |change: &dyn Fn(&mut Entry)| {
        let mut entry = entry.clone();
        change(&mut entry);
        entry
    };
    for (what, other) in [
        ("none", changed(&|e| e.matching.estimated.clear())),
        ("no lemma", changed(&|e| e.lemmas.clear())),
        (
            "another function",
            changed(&|e| {
                e.lemmas.push("ex2-scaled".into());
                e.matching.estimated.values_mut().for_each(|l| *l = "ex2-scaled".into());
            }),
        ),
        (
            "another code",
            changed(&|e| {
                e.lemmas.push("rcp-above-126".into());
                let first = e.matching.estimated.values_mut().find(|l| l.starts_with("rcp"));
                *first.expect("one") = "rcp-above-126".into();
            }),
        ),
    ] {
        assert!(
            matches!(check(&module, &cubin, &other, &mut z3), Err(Fault::Rejected(_) | Fault::Undecided(_))),
            "{what}"
        );
    }
}
