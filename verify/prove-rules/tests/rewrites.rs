//! Every rewrite is proved at every width, `rewrites.json` says so, and wrong rewrites are refuted.

mod common;

use common::z3;
use sassafras_prove_rules::{Verdict, prove_rewrite};
use sassafras_rules::rewrite::proved::{Entry, Proved};
use sassafras_rules::rewrite::{Rewrite, Rewrites, parse};
use sassafras_rules::select::proved::hash_of;
use sassafras_solve::NoSolver;
use std::collections::BTreeSet;
use std::path::PathBuf;

fn one(text: &str) -> Rewrite {
    parse("test", text).unwrap_or_else(|e| panic!("{e}")).remove(0)
}

#[test]
fn every_rewrite_is_proved() {
    let Some(mut z3) = z3("every_rewrite_is_proved") else { return };
    let (mut now, mut identical, mut solved, mut open) = (Proved::default(), 0, 0, Vec::new());
    for row in Rewrites::written() {
        assert!(!row.widths().is_empty(), "{}: no widths fit", row.name);
        for n in row.widths() {
            match prove_rewrite(&row, n, &mut z3) {
                Verdict::Identical => identical += 1,
                Verdict::Solved | Verdict::Exhausted(_) => solved += 1,
                other => open.push(format!("{} at {n} bits: {other:?}", row.name)),
            }
        }
        let entry = Entry { hash: hash_of(&row.text), widths: row.widths() };
        assert_eq!(now.rows.insert(row.name.clone(), entry), None, "{}: two rows have this name", row.name);
    }
    assert!(open.is_empty(), "{open:#?}");
    println!("{} rewrites: {identical} instances identical, {solved} solved", now.rows.len());
    if std::env::var_os("BLESS").is_some() {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../compiler/rules/rewrites.json");
        let text = serde_json::to_string_pretty(&now).expect("it is plain data");
        std::fs::write(path, text + "\n").expect("the file can be written");
    } else {
        assert!(*Proved::get() == now, "rewrites.json is not what is proved: BLESS=1 writes it");
    }
}

/// A row that the optimizer would see stands in the file as it is written.
#[test]
fn all_rows_stand() {
    let seen: BTreeSet<String> = Rewrites::get().rows().iter().map(|row| row.name.clone()).collect();
    let written: BTreeSet<String> = Rewrites::written().iter().map(|row| row.name.clone()).collect();
    assert_eq!(seen, written);
}

/// Errors that a hand makes in a row: each is refuted at one width at least.
const BROKEN: &[&str] = &[
    "sub.self (sub a a) => a",
    "from.zero (sub 0 a) => a",
    "mul.minus (mul a -1) => (not a)",
    "sub.constant (sub a C) => (add a {~C})",
    "and.and (and (and a C) D) => (and a {C | D})",
    "xor.xor (xor (xor a C) D) => (xor a {C | D})",
    "shl.shl (shl (shl a C) D) => (shl a {C + D - 1}) where C < n, D < n, C + D < n, D != 0",
    "sar.sar (shr.s (shr.s a C) D) => (shr.u a {C + D}) where C < n, D < n, C + D < n",
    "shl.shr (shr.u (shl a C) C) => (and a {~0 << C}) where C < n",
    "sar.shl (shl (shr.s a C) C) => a where C < n",
    "shr.mask (and (shr.u a C) D) => (shr.u a C) where C < n",
    "funnel.right (funnel.r.clamp a b C) => (funnel.l.clamp b a {32 - C}) where 0 < C, C < 32",
    "funnel.or (or:32 (shl a C) (shr.u b D)) => (funnel.l.clamp a b C) where C + D == 32, C < 32",
    "funnel.or (or:32 (shl a C) (shr.u b D)) => (funnel.l.clamp b a D) where C + D == 32, C < 32",
    "funnel.or (or:32 (shl a C) (shr.u b D)) => (funnel.l.clamp b a C) where C + D == 31",
    "funnel.or (or:32 (shl a C) (shr.s b D)) => (funnel.l.clamp b a C) where C + D == 32, C < 32",
    "sum.of.shifts (add (shl a C) (shr.u b D)) => (or (shl a C) (shr.u b D)) where C < n, D < n",
    "sum.of.masks (add (and a C) (and b D)) => (or (and a C) (and b D))",
    "whole (concat:64 (truncate:32 a:64) (extract.32:32 b:64)) => a",
    "bit.twice (and (or a C) D) => (and a D)",
    "sub.taken (sub a (sub a b)) => a",
    "sub.of (sub a (add a b)) => b",
    "sub.from (sub C (add a D)) => (sub {C + D} a)",
    "mul.added (mul @(add a C) D) => (add (mul a D) C)",
    "eq.added (compare.eq (add a C) D) => (compare.eq a {C - D})",
    "ult.added (compare.ult (add a C) D) => (compare.ult a {D - C})",
    "uge.one (compare.uge a 1) => (compare.eq a 0)",
    "not.slt (not (compare.slt a b)) => (compare.sgt a b)",
    "min.lt (select (compare.slt a b) a b) => (max.s a b)",
    "umin.lt (select (compare.ult a b) a b) => (min.s a b)",
    "abs.lt (select (compare.slt a 0) a (neg a)) => (abs a)",
    "select.not (select (not p) a b) => (select p a b)",
    "select.bit (select:1 p 0 1) => p",
    "mul.sext (mul:64 (sext:64 a:32) (sext:64 b:32)) => (mulwide.u a b)",
    "mul.sext.by (mul:64 (sext:64 a:32) C) => (mulwide.s a {C})",
    "mul.zext.by (mul:64 (zext:64 a:32) C) => (mulwide.u a {C}) where C < 0x10000000000",
    "shl.sext (shl:64 (sext:64 a:32) C) => (mulwide.s a {1 << C}) where C < 32",
    "low.shl (truncate:32 @(shl a:64 C)) => (truncate:32 a)",
    "high.sext (extract.32:32 (sext:64 a:32)) => 0",
    "shl.masked (shl (and a C) D) => (shl a D) where D < n",
    "shr.masked (shr.u (and a C) D) => (shr.u a D) where D < n, C << D == ~0 << D",
    "low.half (zext:32 (truncate:16 a:32)) => (and a 0x7fff)",
    "field (extractbits.u a P N) => (and (shr.u a P) {~0 >> 63 - N}) where P < n, 0 < N, P + N <= n",
    "field.signed (extractbits.s a P N) => (shr.s (shl a {n - P}) {n - N}) where P < n, 0 < N, P + N <= n",
    "insert.8 (insertbits:32 f a 8 8) => (permute f a 0x7640)",
    "insert (insertbits:32 f a P N) => (lop3.202 (shl f P) {~0 >> 64 - N << P} a) where P < 32, 0 < N, N <= 32",
];

#[test]
fn broken_rewrites_are_refuted() {
    let Some(mut z3) = z3("broken_rewrites_are_refuted") else { return };
    for text in BROKEN {
        let row = one(text);
        let refuted = |n: &u32| matches!(prove_rewrite(&row, *n, &mut z3), Verdict::Refuted(_));
        let widths = row.widths();
        assert!(!widths.is_empty() && widths.iter().any(refuted), "{text}");
        sassafras_oracle::fault::planted("rewrites", &"-", text, 1, 1);
    }
    println!("{} broken rewrites refuted", BROKEN.len());
}

#[test]
fn without_a_solver_nothing_is_solved() {
    let rows = Rewrites::written();
    let row = rows.iter().find(|row| row.name == "funnel.add").expect("it is there");
    assert!(matches!(prove_rewrite(row, 32, &mut NoSolver), Verdict::Unknown(_)));
    assert!(matches!(prove_rewrite(row, 64, &mut NoSolver), Verdict::Inapplicable(_)));
}

#[test]
fn rows_that_mean_nothing_are_refused() {
    for (text, why) in [
        ("a (add a b)", "=>"),
        ("a (plus a b) => a", "no operation"),
        ("a (add a b) => c", "not in the pattern"),
        ("a (add a C) => (add a {D})", "not in the pattern"),
        ("a (add a {1}) => a", "no computed constant"),
        ("a (add a b => a", "without"),
        ("a (add a b) => a b", "too much"),
        ("a (add a C) => a where C", "no condition"),
        ("a b => b", "is an operation"),
    ] {
        let error = parse("test", text).expect_err(text).to_string();
        assert!(error.contains(why) && error.starts_with("test.rules:1"), "{text}: {error}");
    }
}
