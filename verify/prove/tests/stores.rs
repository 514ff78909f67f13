//! A load after many stores: the newest that has its bytes decides, and those that lie elsewhere do not count.

#![allow(missing_docs)]

mod common;

use common::{module, ours, solver};
use sassafras_prove::{Limits, Verdict, prove_within};
use std::fmt::Write;

/// Stores by base, offset in bytes and value, then a load of four bytes, whose value is stored in turn.
fn kernel(stores: &[(&str, u32, &str)], load: u32) -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n\
         .reg .b32 a, b, w;\n.reg .b64 to, from;\nld.param.u64 to, [out];\nld.param.u64 from, [in];\n\
         ld.param.u32 a, [n];\nadd.u32 b, a, 5;\n",
    );
    for (base, offset, value) in stores {
        writeln!(text, "st.global.u32 [{base}+{offset}], {value};").expect("a text");
    }
    write!(text, "ld.global.u32 w, [to+{load}];\nst.global.u32 [to+4096], w;\nret;\n}}\n").expect("a text");
    text
}

#[test]
fn the_newest_store_decides() {
    let Some(mut z3) = solver("the_newest_store_decides", 4) else { return };
    let mut hold = |source: &str, target: &str| {
        let (module, cubin) = (module(source), ours(target).expect("it compiles"));
        prove_within(&module, "k", &cubin, &mut *z3, Limits::default()).verdict
    };
    // More stores than a load is compared with, of which one has its bytes, once and again.
    let many: Vec<(&str, u32, &str)> =
        (0..150).map(|i| ("to", 4 * i, if i % 2 == 0 { "a" } else { "b" })).collect();
    let mut again = many.clone();
    again.push(("to", 28, "a"));
    // The last may lie anywhere.
    let mut beside = many.clone();
    beside.truncate(60);
    let alone = beside.clone();
    beside.push(("from", 28, "a"));
    let text = |stores: &[(&str, u32, &str)]| kernel(stores, 28);
    for stores in [&many, &again, &beside] {
        assert_eq!(hold(&text(stores), &text(stores)), Verdict::Proved);
    }
    for (what, source, target) in [
        ("a store left out", text(&again), text(&many)),
        ("another place", text(&many), kernel(&many, 32)),
        ("another base", text(&beside), text(&alone)),
        ("half of it is another's", text(&many), kernel(&many, 30)),
    ] {
        let verdict = hold(&source, &target);
        assert!(!matches!(verdict, Verdict::Proved | Verdict::ProvedWithin(_)), "{what}: {verdict:?}");
    }
}

/// Two words to `to`, some of what lies at `from`, and that to another place.
fn between(stored: &str, loaded: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{{\n\
         .reg .b16 h;\n.reg .b32 a, b, w, x;\n.reg .b64 to, from;\nld.param.u64 to, [out];\nld.param.u64 from, [in];\n\
         ld.param.u32 a, [n];\nadd.u32 b, a, 5;\nmov.u32 w, 0;\nmov.u32 x, 0;\n{stored}\n{loaded}\n\
         st.global.v2.u32 [to+4096], {{w, x}};\nret;\n}}\n"
    )
}

#[test]
fn accesses_of_other_sizes_meet_in_whole_parts() {
    let Some(mut z3) = solver("accesses_of_other_sizes_meet_in_whole_parts", 4) else { return };
    let mut hold = |source: &str, target: &str| {
        let (module, cubin) = (module(source), ours(target).expect("it compiles"));
        prove_within(&module, "k", &cubin, &mut *z3, Limits::default()).verdict
    };
    let (pair, words) =
        ("st.global.v2.u32 [to], {a, b};", "st.global.u32 [to], a;\nst.global.u32 [to+4], b;");
    let two = "ld.global.u32 w, [from];\nld.global.u32 x, [from+4];";
    let both = "ld.global.v2.u32 {w, x}, [from];";
    let half = "ld.global.u16 h, [from+2];\ncvt.u32.u16 w, h;";
    for (stored, loaded) in
        [(pair, two), (pair, both), (pair, half), (words, two), (words, both), (words, half)]
    {
        let text = between(stored, loaded);
        assert_eq!(hold(&text, &text), Verdict::Proved, "{stored} {loaded}");
    }
    let other = "st.global.v2.u32 [to], {b, a};";
    for (what, source, target) in [
        ("words exchanged", between(pair, two), between(other, two)),
        ("loaded before it is stored", between(pair, two), between("", &format!("{two}\n{pair}"))),
        ("the other half", between(pair, half), between(pair, &half.replace("+2", ""))),
        (
            "the other word",
            between(words, "ld.global.u32 w, [from];"),
            between(words, "ld.global.u32 w, [from+4];"),
        ),
        // Where the source's words lie at no multiple of eight, the target's pair faults.
        ("words as a pair", between(words, two), between(words, both)),
    ] {
        let verdict = hold(&source, &target);
        assert!(!matches!(verdict, Verdict::Proved | Verdict::ProvedWithin(_)), "{what}: {verdict:?}");
    }
}
