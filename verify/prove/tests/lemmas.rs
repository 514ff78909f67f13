//! Lemmas: that their code computes what they say, whatever the multi-function unit answers within its bounds, and that changed
//! code does not.

#![allow(missing_docs)]

mod common;

use common::sequence::{Sequence, Unit, width};
use common::{loses_each, solver};
use sassafras_prove::Limits;
use sassafras_semantics::concrete::admits;
use sassafras_semantics::*;
use sassafras_symbolic::lemma::{Lemma, Premise, ROUTINES, Subject, Yield, named, of_terms};

/// What the results are to be; none where they may be anything.
fn wanted(lemma: &Lemma, operands: &[u64]) -> Option<Vec<u32>> {
    let d = Concrete::default();
    let width = width(lemma.subject);
    let of = |x: u64| d.constant(width, x.into());
    let float = |op, format, rounding, ftz, args: &[u64]| {
        let args: Vec<_> = args.iter().map(|a| of(*a)).collect();
        let args: Vec<_> = args.iter().collect();
        d.float(op, format, FloatMode { rounding, ftz, sat: false }, &args).bits() as u64
    };
    let result = |which: Yield| match (lemma.subject, which) {
        (_, Yield::Unless) => unreachable!("it is no result"),
        (Subject::Quotient(_), Yield::Result) => operands[0] / operands[1],
        (_, Yield::Remainder) => operands[0] % operands[1],
        (Subject::Reciprocal(f, r, ftz), _) => {
            let one =
                d.float_to_float(FloatFormat::F32, f, FloatMode::default(), &d.constant(32, 0x3f80_0000));
            float(FloatOp::Div, f, r, ftz, &[one.bits() as u64, operands[0]])
        }
        (Subject::Divide(f, r, ftz), _) => float(FloatOp::Div, f, r, ftz, operands),
        (Subject::FlushedReciprocal(r), _) => flushed(r, 1.0, f32::from_bits(operands[0] as u32)),
        (Subject::FlushedQuotient(r), _) => {
            let [a, b] = [0, 1].map(|i| f32::from_bits(operands[i] as u32));
            flushed(r, a, b)
        }
        (Subject::Root(f, r, ftz), _) => float(FloatOp::Sqrt, f, r, ftz, operands),
        (Subject::Extremum(least), _) => {
            let op = if least { FloatOp::Min } else { FloatOp::Max };
            float(op, FloatFormat::F64, Rounding::NearestEven, false, operands)
        }
        (Subject::Estimate(..) | Subject::NthBit, _) => unreachable!("it is no operation"),
    };
    if lemma.subject.is_partial() && operands[1] == 0 {
        return None;
    }
    let words = lemma.yields.iter().filter(|y| y.1 != Yield::Unless).flat_map(|(registers, which)| {
        let value = result(*which);
        (0..registers.len()).map(move |i| (value >> (32 * i)) as u32)
    });
    Some(words.collect())
}

/// A quotient of binary32 that is zero where the exact one is below 2^-126. In binary64 it is below where the exact one is: a / b < 1 of 24
/// bits is at most 1 - 2^-24.
fn flushed(rounding: Rounding, a: f32, b: f32) -> u64 {
    let flush = |x: f32| if x.is_subnormal() { 0f32.copysign(x) } else { x };
    let (a, b) = (flush(a), flush(b));
    let exact = f64::from(a) / f64::from(b);
    if exact.abs() < (-126f64).exp2() {
        return u64::from(0f32.copysign(exact as f32).to_bits());
    }
    let d = Concrete::default();
    let of = |x: f32| d.constant(32, x.to_bits().into());
    let mode = FloatMode { rounding, ..FloatMode::default() };
    d.float(FloatOp::Div, FloatFormat::F32, mode, &[&of(a), &of(b)]).bits() as u64
}

/// Numbers that are likely to go wrong, and others.
fn numbers(subject: Subject, count: u64) -> Vec<u64> {
    let width = width(subject);
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let mut all = vec![0, 1, 2, 3, 5, 7, 10, 1000, mask, mask - 1, mask / 2, mask / 2 + 1, mask / 2 + 2];
    for shift in 0..width {
        all.extend([1 << shift, (1u64 << shift).wrapping_sub(1), (1 << shift) + 1, mask - (1 << shift)]);
    }
    if !matches!(subject, Subject::Quotient(_)) {
        // Exponents at both ends and in the middle, with significands of few and of many ones.
        let (exponent, fraction) = if width == 64 { (11, 52) } else { (8, 23) };
        let bias = (1u64 << (exponent - 1)) - 1;
        for e in [
            0,
            1,
            2,
            bias - fraction - 1,
            bias - 1,
            bias,
            bias + 1,
            bias + 24,
            2 * bias - 2,
            2 * bias - 1,
            2 * bias,
            2 * bias + 1,
        ] {
            for s in [
                0,
                1,
                2,
                3,
                (1 << fraction) - 1,
                (1 << fraction) - 2,
                1 << (fraction - 1),
                (1 << (fraction - 1)) + 1,
            ] {
                all.extend([e << fraction | s, (1 << (width - 1)) | e << fraction | s]);
            }
        }
    }
    if let Subject::Root(FloatFormat::F64, ..) = subject {
        all.extend(common::midpoints::hard(32));
    }
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..count {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        all.push(state >> (state & 31) & mask);
    }
    all.iter_mut().for_each(|v| *v &= mask);
    all.sort_unstable();
    all.dedup();
    all
}

/// An input and an answer of the unit on which code does not do what the lemma says.
fn wrong(lemma: &Lemma, text: &str, premise: Option<Premise>, count: u64, quick: bool) -> Option<String> {
    let sequence = match Sequence::of(lemma, text) {
        Ok(sequence) => sequence,
        Err(why) => return Some(why.to_string()),
    };
    let units = [Chooser::Nearest, Chooser::Lowest, Chooser::Highest, Chooser::Seeded(1)]
        .map(|c| Unit::new(c, premise));
    let mut all = numbers(lemma.subject, count);
    if quick {
        // A part of the grid, for code of which most is wrong.
        all = all.into_iter().step_by(5).collect();
    }
    let single = sequence.operands.len() == 1;
    let other = if single { &all[..1] } else { &all[..] };
    for (i, a) in all.iter().enumerate() {
        for (j, b) in other.iter().enumerate() {
            // All answers on a part of the grid, one of them elsewhere.
            let operands = if single { vec![*a] } else { vec![*a, *b] };
            let Some(right) = wanted(lemma, &operands) else { continue };
            for (h, unit) in units.iter().enumerate() {
                if !single && h != (i + j) % 4 && (i + 3 * j) % 16 != 0 {
                    continue;
                }
                for open in 0..=u128::from(sequence.is_open()) {
                    let mut found = sequence.run(unit, &operands, open);
                    if found.len() > right.len() && found.pop() == Some(1) {
                        continue;
                    }
                    // Any NaN of binary64 will do for one (A-FP).
                    let is_nan = |w: &[u32]| match (lemma.subject, w) {
                        (Subject::Quotient(_), _) => false,
                        (_, [low, high]) => f64::from_bits(u64::from(*high) << 32 | u64::from(*low)).is_nan(),
                        _ => false,
                    };
                    if found != right && !(is_nan(&found) && is_nan(&right)) {
                        return Some(format!(
                            "{operands:x?}, answer {h}, {open}: {found:x?}, not {right:x?}"
                        ));
                    }
                }
            }
        }
    }
    None
}

#[test]
fn lemmas_compute_what_they_say() {
    let count = if std::env::var_os("SASSAFRAS_ALL_LEMMAS").is_some() { 2000 } else { 0 };
    let mut faults = Vec::new();
    for lemma in of_terms() {
        assert!(!lemma.checked.is_empty(), "{}", lemma.name);
        match wrong(lemma, lemma.code, lemma.premise, count, false) {
            Some(why) => {
                eprintln!("{} does not hold: {why}", lemma.name);
                faults.push(format!("{}: {why}", lemma.name));
            }
            None => eprintln!("{} holds", lemma.name),
        }
        if lemma.premise.is_some() {
            // The two roots that a premise is about are not on the grid.
            let without = wrong(lemma, lemma.code, None, 0, false).or_else(|| {
                let sequence = Sequence::of(lemma, lemma.code).ok()?;
                let two = [0x3ffc_114au64, 0x406e_9372, 0x0bfc_114a, 0x0c6e_9372];
                let unit = Unit::beside(1, None);
                two.iter().find_map(|a| {
                    let found = sequence.run(&unit, &[*a], 0);
                    let says = found.last() == Some(&0);
                    (says && found[0] != wanted(lemma, &[*a])?[0]).then(|| format!("{a:x}: {found:x?}"))
                })
            });
            match without {
                Some(why) => eprintln!("  without its premise it does not: {why}"),
                None => faults.push(format!("{} needs no premise", lemma.name)),
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// ptxas's reciprocals and roots of one operand: all significands, or a sample, at exponents where the code differs, and all answers of
/// the unit within its bound.
#[test]
fn functions_hold_for_all_significands() {
    let all = std::env::var_os("SASSAFRAS_ALL_LEMMAS").is_some();
    let units = |premise| [0, -3, -2, -1, 1, 2, 3].map(|offset| Unit::beside(offset, premise));
    for lemma in ROUTINES.iter().filter(|l| l.given.len() == 1) {
        let sequence = Sequence::of(lemma, lemma.code).expect("it runs");
        let short = lemma.name.ends_with("short");
        let exponents: &[u64] = match (lemma.subject, short) {
            (Subject::Reciprocal(..) | Subject::FlushedReciprocal(_), true) => &[127],
            (Subject::Reciprocal(..) | Subject::FlushedReciprocal(_), false) => &[0, 253, 254],
            (_, true) => &[127, 128],
            _ => &[0, 24, 25],
        };
        let step = match (all, short) {
            (false, _) => 9973,
            (true, true) => 1,
            (true, false) => 16,
        };
        let near = [0x7c_114a, 0x6e_9372, 0x7f_ffff, 0x4a_6691];
        for s in (0..1u64 << 23).step_by(step).chain(near) {
            for a in exponents.iter().map(|e| e << 23 | s) {
                let Some(right) = wanted(lemma, &[a]) else { continue };
                for (i, unit) in units(lemma.premise).iter().enumerate() {
                    let mut found = sequence.run(unit, &[a], 0);
                    if found.len() > right.len() && found.pop() == Some(1) {
                        continue;
                    }
                    assert_eq!(found, right, "{}: {a:#x}, answer {i}", lemma.name);
                }
            }
        }
        eprintln!("{} holds", lemma.name);
    }
}

/// Each lemma with a line left out: the grid tells for two of three. The others guard what the grid does not meet, or matter for no answer.
#[test]
fn changed_lemmas_do_not() {
    let all = std::env::var_os("SASSAFRAS_ALL_LEMMAS").is_some();
    for lemma in of_terms() {
        let lines: Vec<&str> =
            lemma.code.lines().filter(|l| !l.trim().is_empty() && !l.starts_with("//")).collect();
        let instructions = |l: &str| !l.trim().ends_with(':');
        let (mut seen, mut unseen) = (0, Vec::new());
        // Of long ones every fifth, where not all are wanted; of the root's the fifths are those whose loss the signs at its end make up for.
        let whole = all || lines.len() < 40 || lemma.name == "root-f64-rn";
        let step = if whole { 1 } else { 5 };
        for (i, line) in lines.iter().enumerate().filter(|(_, l)| instructions(l)).step_by(step) {
            let mut changed = lines.clone();
            changed.remove(i);
            match wrong(lemma, &changed.join("\n"), lemma.premise, 0, !whole) {
                Some(_) => seen += 1,
                None => unseen.push(*line),
            }
        }
        eprintln!("{}: {seen} of {} changes are seen; not {unseen:#?}", lemma.name, seen + unseen.len());
        if lemma.name == "quotient-16" {
            // What scales divisors that 16 bits do not have is not seen, and the test of steps is about all operands.
            let scales = ["FSETP", "FSEL", "MOV", "FMUL", "LOP3"];
            let other = |l: &&str| !scales.iter().any(|s| l.starts_with(s)) || l.starts_with("FMUL.RZ");
            assert!(seen >= 6 && !unseen.iter().any(other), "{unseen:?}");
            continue;
        }
        assert!(seen >= 2 * unseen.len(), "{}", lemma.name);
    }
}

/// `quotient-16`: for every divisor, every reciprocal within the bound and every dividend. The product, rounded to zero, and its integer grow with
/// the dividend, so do quotients: it is enough to look where these step, on both sides. The code itself does so for a sample of divisors, or all.
#[test]
fn quotients_of_16_bits_step_where_they_should() {
    let all = std::env::var_os("SASSAFRAS_ALL_LEMMAS").is_some();
    let lemma = named("quotient-16").expect("a lemma");
    let sequence = Sequence::of(lemma, lemma.code).expect("it runs");
    let units = [-1, 0, 1].map(|offset| Unit::beside(offset, None));
    let mut count = 0u32;
    for b in 1..=u16::MAX {
        let operand = f32::from(b).to_bits();
        let mut answers = units.each_ref().map(|u| u.answer(Approximation::Rcp, true, operand)).to_vec();
        answers.dedup();
        for more in [-2, 2] {
            let beside = answers[0].wrapping_add_signed(more);
            assert!(answers.contains(&beside) || !admits(Approximation::Rcp, true, operand, beside), "{b}");
        }
        let own = all || b < 300 || b % 997 == 0 || b > u16::MAX - 20;
        let near = (0..=u16::MAX / b).map(|k| k * b).flat_map(|a| [a.checked_sub(1), Some(a)]);
        for a in near.flatten().chain([u16::MAX]) {
            for (unit, answer) in units.iter().zip(&answers) {
                // 40 bits at most: exact in binary64. The sum of bits is the number two units above.
                let exact = f64::from(a) * f64::from(f32::from_bits(answer + 2));
                let nearest = exact as f32;
                let cut = if f64::from(nearest) > exact { nearest.next_down() } else { nearest };
                assert_eq!(cut as u32, u32::from(a / b), "{a} / {b}, reciprocal {answer:#x}");
                if own {
                    assert_eq!(sequence.run(unit, &[a.into(), b.into()], 0), [u32::from(a / b)], "{a} / {b}");
                }
                count += 1;
            }
        }
    }
    assert!(count > 3_000_000, "{count}");
    // One unit more or less is not enough, or too much, for some.
    let wrong = |more: u32| {
        (1..=u16::MAX).any(|b| {
            let lowest = units[0].answer(Approximation::Rcp, true, f32::from(b).to_bits());
            let highest = units[2].answer(Approximation::Rcp, true, f32::from(b).to_bits());
            [lowest, highest].iter().any(|r| {
                let exact = f64::from(b) * f64::from(f32::from_bits(r + more));
                exact < 1.0
            })
        })
    };
    assert!(wrong(0) && !wrong(2));
}

/// `quotient-32`: for every divisor and every admitted reciprocal, 0 ≤ 2^32 − b·y < 2b.
///
/// # Errors
/// A reciprocal with which that is not so, and what is left.
fn estimate_is_near(b: u32, signed: bool) -> Result<(), (u32, i64)> {
    let d = Concrete::default();
    let up = FloatMode { rounding: Rounding::Up, ..FloatMode::default() };
    let float = d.int_to_float(signed, FloatFormat::F32, up, &d.constant(32, b.into())).bits() as u32;
    let nearest = (1.0 / f64::from(f32::from_bits(float))) as f32;
    for r in [nearest.to_bits() - 1, nearest.to_bits(), nearest.to_bits() + 1] {
        if !admits(Approximation::Rcp, true, float, r) {
            continue;
        }
        let scaled = f32::from_bits(r.wrapping_add(0x0fff_fffe));
        // The conversion truncates and saturates, as this does.
        let y = scaled as u32;
        let error = y.wrapping_mul(b.wrapping_neg());
        let y = y.wrapping_add(((u64::from(y) * u64::from(error)) >> 32) as u32);
        let left = (1i64 << 32) - i64::from(b) * i64::from(y);
        // Of -2^31 the estimate is zero, and two corrections are one more than enough.
        let fits = (0..2 * i64::from(b)).contains(&left) || y == 0 && b == 1 << 31;
        if !fits {
            return Err((r, left));
        }
    }
    Ok(())
}

#[test]
fn estimates_of_reciprocals_are_near() {
    let all = std::env::var_os("SASSAFRAS_ALL_LEMMAS").is_some();
    let step = if all { 1 } else { 9973 };
    let near = (0..32).flat_map(|s| (0..64u32).map(move |i| (1u32 << s).wrapping_add(i).wrapping_sub(32)));
    for b in (1..=u32::MAX).step_by(step).chain(near).chain(1..5000).filter(|b| *b != 0) {
        for signed in [false, true] {
            if !signed || b <= 1 << 31 {
                estimate_is_near(b, signed)
                    .unwrap_or_else(|(r, left)| panic!("{b:#x}, reciprocal {r:#x}: {left}"));
            }
        }
    }
    assert!(named("quotient-32").is_some());
}

/// From 0 ≤ 2^n − b·y < 2b it follows that a·y >> n is at most two less than a / b: for every a, b and y of 6 bits.
#[test]
fn near_estimates_give_near_quotients() {
    let n = 6u32;
    let mut count = 0;
    for b in 1..1u64 << n {
        for y in 0..1u64 << n {
            if b * y > 1 << n || (1 << n) - b * y >= 2 * b {
                continue;
            }
            for a in 0..1u64 << n {
                let q = (a * y) >> n;
                assert!(q <= a / b && a / b - q <= 2, "{a} {b} {y}");
                count += 1;
            }
        }
    }
    assert!(count > 1000, "{count}");
}

/// A kernel that stores one result of its two operands.
fn kernel(operation: &str) -> String {
    format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in)\n{{\n\
         .reg .b32 a, b, w;\n.reg .b64 to, from;\nld.param.u64 to, [out];\nld.param.u64 from, [in];\n\
         ld.global.v2.u32 {{a, b}}, [from];\n{operation}\nst.global.u32 [to], w;\nret;\n}}\n"
    )
}

/// Our code of an operation is proved by its lemma, and is not where one of its instructions is missing.
#[test]
fn planted_changes_are_not_proved() {
    let Some(mut z3) = solver("planted_changes_are_not_proved", 2) else { return };
    // Whatever is not equal as a term is open: nobody needs to look for an example.
    let limits = Limits { effort: 200, ..Limits::default() };
    let computes =
        ["I2F", "MUFU", "F2I", "IMAD", "IADD3", "ISETP", "SEL", "FFMA", "FMUL", "SHF", "LOP3", "FSETP"];
    let half = "{ .reg .b16 h, i; cvt.u16.u32 h, a; cvt.u16.u32 i, b; or.b16 i, i, 2; div.u16 h, h, i; cvt.u32.u16 w, h; }";
    let signed = "or.b32 b, b, 2; div.s32 w, a, b;";
    // The signs around the quotient are no part of the lemma, and left to the solver.
    let more = Limits { effort: 3_000, ..limits };
    for (operation, limits) in [("div.u32 w, a, b;", limits), (signed, more), (half, limits)] {
        let count = loses_each(&kernel(operation), "quotient-32", &computes, limits, &mut *z3);
        eprintln!("{operation} {count} changes, none proved");
        assert!(count > 8, "{operation}: {count}");
    }
}
