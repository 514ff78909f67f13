//! Lemmas about quotients, reciprocals and roots of binary64, where their arguments leave cases to look at.

#![allow(missing_docs)]

mod common;

use common::midpoints::hard;
use common::sequence::{Sequence, Unit};
use common::{loses_each, solver};
use sassafras_prove::Limits;
use sassafras_semantics::*;
use sassafras_symbolic::lemma::{DOUBLES, Lemma, Subject, named};

/// The lemmas about roots, or those about reciprocals.
fn lemmas(roots: bool) -> impl Iterator<Item = &'static Lemma> {
    DOUBLES.iter().filter(move |l| matches!(l.subject, Subject::Root(..)) == roots)
}

/// What the code leaves, where it says something.
fn result(sequence: &Sequence, unit: &Unit, operands: &[u64]) -> Option<u64> {
    match sequence.run(unit, operands, 0).as_slice() {
        [low, high] | [low, high, 0] => Some(u64::from(*high) << 32 | u64::from(*low)),
        _ => None,
    }
}

/// Answers next to the nearest one, with those at the ends of the documented bound.
fn units(lemma: &Lemma) -> Vec<Unit> {
    let ends = [Chooser::Lowest, Chooser::Highest].map(|c| Unit::new(c, lemma.premise));
    (-3..=3).map(|offset| Unit::beside(offset, lemma.premise)).chain(ends).collect()
}

/// A root's value before it is rounded is less than 2^-102 of it off; so only where |4x - m²| is less than 128 may the rounding go wrong.
#[test]
fn roots_next_to_midpoints_are_rounded_well() {
    let all = hard(1024);
    assert!(all.len() > 200, "{}", all.len());
    let mut faults = Vec::new();
    for lemma in lemmas(true) {
        let sequence = Sequence::of(lemma, lemma.code).expect("it runs");
        let mut count = 0;
        for x in &all {
            for exponent in (2..2044).step_by(2).map(|e| e << 52) {
                if !(exponent < 200 << 52 || exponent == 1022 << 52 || exponent > 2000 << 52) {
                    continue;
                }
                let x = (x & ((1 << 52) - 1) | exponent) + (((x >> 52) & 1) << 52);
                for (i, unit) in units(lemma).iter().enumerate() {
                    let Some(found) = result(&sequence, unit, &[x]) else { continue };
                    count += 1;
                    if found != f64::from_bits(x).sqrt().to_bits() {
                        faults.push(format!("{}: {x:#x}, answer {i}: {found:#x}", lemma.name));
                    }
                }
            }
        }
        eprintln!("{}: {count}, {} faults", lemma.name, faults.len());
        assert!(count > 1000, "{}: {count}", lemma.name);
    }
    faults.truncate(30);
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Divisors whose significand is all ones, of every exponent, and dividends that are powers of two.
#[test]
fn divisors_of_ones_are_rounded_well() {
    let mut faults = Vec::new();
    for lemma in lemmas(false).chain(named("divide-f64-rn")) {
        let sequence = Sequence::of(lemma, lemma.code).expect("it runs");
        let before = faults.len();
        for exponent in 0..2047u64 {
            for b in [0, 1, 2, 3].map(|less| (exponent << 52 | ((1 << 52) - 1)) - less) {
                let dividends = [
                    1.0,
                    1.5,
                    f64::from_bits(1),
                    2f64.powi(-1022),
                    2f64.powi(1023),
                    2f64.powi(-1000),
                    f64::from_bits(b ^ (1 << 62)),
                ];
                let dividends = if sequence.operands.len() == 1 { &dividends[..1] } else { &dividends };
                for a in dividends {
                    let operands = if sequence.operands.len() == 1 { vec![b] } else { vec![a.to_bits(), b] };
                    for (i, unit) in units(lemma).iter().enumerate() {
                        let Some(found) = result(&sequence, unit, &operands) else { continue };
                        if found != (a / f64::from_bits(b)).to_bits() && !f64::from_bits(found).is_nan() {
                            faults.push(format!("{}: {operands:x?}, answer {i}: {found:#x}", lemma.name));
                        }
                    }
                }
            }
        }
        eprintln!(
            "{}: {} faults {:#?}",
            lemma.name,
            faults.len() - before,
            faults[before..].iter().take(10).collect::<Vec<_>>()
        );
    }
    assert!(faults.is_empty());
}

/// Our root is proved by its lemma, and is not where one of its instructions is missing.
#[test]
fn planted_changes_are_not_proved() {
    let Some(mut z3) = solver("planted_changes_are_not_proved", 2) else { return };
    let kernel = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in)\n{\n\
        .reg .b64 to, from, a;\nld.param.u64 to, [out];\nld.param.u64 from, [in];\nld.global.u64 a, [from];\n\
        sqrt.rn.f64 a, a;\nst.global.u64 [to], a;\nret;\n}\n";
    let computes = ["MUFU", "DFMA", "DMUL", "DSETP", "ISETP", "IADD3", "SEL", "LOP3"];
    // Whatever is not equal as a term is open: nobody needs to look for an example.
    let limits = Limits { effort: 200, ..Limits::default() };
    let count = loses_each(kernel, "root-f64-rn", &computes, limits, &mut *z3);
    assert!(count > 20, "{count}");
}
