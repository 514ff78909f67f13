//! Upper halves of products with constants, by words. Long quotients of what is loaded behind stores that may lie at the same place: values are taken for anything. Code that differs in one of
//! the stores, in what is loaded or in the quotient is not proved.

#![allow(missing_docs)]

mod common;

use common::{line, module, ours, solver};
use sassafras_prove::{Limits, Verdict, prove_within};

const HEAD: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 more)
{
    .reg .b32 a, b, c, s, t;
    .reg .b64 to, from, other, x, y, z, q;
    ld.param.u64 to, [out];
    ld.param.u64 from, [in];
    ld.param.u64 other, [more];
    ld.global.u32 a, [from+64];
    ld.global.u32 b, [from+68];
";
const STORES: &str = "
    and.b32 s, a, b;
    or.b32 t, a, b;
    add.u32 s, s, t;
    st.global.u32 [to], s;
    st.global.u32 [to+4], a;
    st.global.u32 [to+8], b;
    st.global.u32 [to+12], a;
    st.global.u32 [to+16], b;
    st.global.u32 [to+20], a;
    st.global.u32 [to+24], b;
    st.global.u32 [to+28], b;
    st.global.u32 [to+32], a;
    st.global.u32 [other+32], b;
";
const REST: &str = "
    ld.global.u64 x, [from];
    ld.global.u64 y, [other];
    or.b64 z, y, 1;
    div.s64 q, x, z;
    st.global.u32 [to], a;
    st.global.u64 [to+48], q;
    ret;
}
";

/// What is wrong, what stands in the source, and what in its place.
const WRONG: [(&str, &str, &str); 12] = [
    ("another value is stored, and overwritten", "add.u32 s, s, t;", "sub.u32 s, s, t;"),
    (
        "a value that is equal but for one bit",
        "or.b32 t, a, b;",
        "or.b32 t, a, b;\n    and.b32 t, t, 0x7fffffff;",
    ),
    ("another value is stored", "[to+12], a", "[to+12], b"),
    ("another place", "[to+20], a", "[to+40], a"),
    ("fewer bytes", "st.global.u32 [to+24], b", "st.global.u16 [to+24], b"),
    ("a store left out", "st.global.u32 [to+28], b;", ""),
    (
        "stores change places",
        "st.global.u32 [to+32], a;\n    st.global.u32 [other+32], b;",
        "st.global.u32 [other+32], b;\n    st.global.u32 [to+32], a;",
    ),
    ("another load", "x, [from];", "x, [from+8];"),
    ("an unsigned quotient", "div.s64", "div.u64"),
    ("a remainder", "div.s64", "rem.s64"),
    ("operands change places", "q, x, z;", "q, z, x;"),
    ("another divisor", "or.b64 z, y, 1;", "or.b64 z, y, 3;"),
];

#[test]
fn quotients_of_what_is_loaded_behind_stores() {
    let Some(mut z3) = solver("quotients_of_what_is_loaded_behind_stores", 4) else { return };
    let source = [HEAD, STORES, REST].concat();
    let from = module(&source);
    let mut hold = |target: &str| {
        let cubin = ours(target).expect("it compiles");
        let record = prove_within(&from, "k", &cubin, &mut *z3, Limits::default());
        println!("{}", line(&record));
        record.verdict
    };
    assert_eq!(hold(&source), Verdict::Proved);
    // Another way to what is stored first.
    let sum = source.replace("add.u32 s, s, t;", "add.u32 s, a, b;");
    assert_eq!(hold(&sum), Verdict::Proved);
    // A third of them on every run: each takes seconds.
    let every = if std::env::var_os("SASSAFRAS_ALL_PROOFS").is_some() { 1 } else { 3 };
    for (what, own, wrong) in WRONG.into_iter().step_by(every) {
        let target = source.replacen(own, wrong, 1);
        assert_ne!(target, source, "{what}");
        let verdict = hold(&target);
        assert!(!matches!(verdict, Verdict::Proved | Verdict::ProvedWithin(_)), "{what}: {verdict:?}");
    }
    // A load that goes up past stores: past one that lies apart, and past others that may not.
    let load = "    ld.global.u64 y, [other];\n";
    let without = source.replace(load, "");
    let apart = "    st.global.u32 [other+32], b;\n";
    assert_eq!(hold(&without.replace(apart, &[load, apart].concat())), Verdict::Proved);
    for before in ["    st.global.u32 [to], s;\n", "    st.global.u32 [to+8], b;\n"] {
        let verdict = hold(&without.replace(before, &[load, before].concat()));
        assert!(
            !matches!(verdict, Verdict::Proved | Verdict::ProvedWithin(_)),
            "before {before}: {verdict:?}"
        );
    }
}

const QUOTIENT: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
    .reg .b64 to, from, x, q, r;
    ld.param.u64 to, [out];
    ld.param.u64 from, [in];
    ld.global.u64 x, [from];
    mul.hi.u64 q, x, -3689348814741910323;
    shr.u64 q, q, 3;
    mul.lo.s64 r, q, 10;
    sub.s64 r, x, r;
    st.global.u64 [to], q;
    st.global.u64 [to+8], r;
    ret;
}
";

#[test]
fn quotients_by_upper_halves_of_products() {
    let Some(mut z3) = solver("quotients_by_upper_halves_of_products", 4) else { return };
    let from = module(QUOTIENT);
    let mut hold = |target: &str| {
        let cubin = ours(target).expect("it compiles");
        let record = prove_within(&from, "k", &cubin, &mut *z3, Limits::default());
        println!("{}", line(&record));
        record.verdict
    };
    assert_eq!(hold(QUOTIENT), Verdict::Proved);
    let quotient = "mul.hi.u64 q, x, -3689348814741910323;\n    shr.u64 q, q, 3;";
    assert_eq!(hold(&QUOTIENT.replace(quotient, "div.u64 q, x, 10;")), Verdict::Proved);
    for (own, wrong) in [
        // Of 64 bits the next smaller one is wrong for few numbers alone.
        ("-3689348814741910323", "-3689348814741910324"),
        ("-3689348814741910323", "-3689348814741910315"),
        ("mul.hi.u64", "mul.hi.s64"),
        ("shr.u64 q, q, 3", "shr.s64 q, q, 3"),
        ("r, q, 10", "r, q, 12"),
        ("sub.s64 r, x, r", "sub.s64 r, r, x"),
    ] {
        let target = QUOTIENT.replacen(own, wrong, 1);
        assert_ne!(target, QUOTIENT, "{own}");
        let verdict = hold(&target);
        assert!(!matches!(verdict, Verdict::Proved | Verdict::ProvedWithin(_)), "{wrong}: {verdict:?}");
    }
}
