//! Routines of quotients and roots: ptxas's as it calls them, several of them, one behind another, of magnitudes; and ours under branches.

#![allow(missing_docs)]

mod common;

use common::{module, ours, recorded, solver, text};
use sassafras_cubin::Cubin;
use sassafras_isa::{Chip, Style, decode, encode, parse};
use sassafras_prove::{Limits, Verdict, prove_within};

const COMPUTES: &[&str] = &["FFMA", "MUFU", "FCHK", "FMUL", "SHF", "IADD3", "FADD", "ISETP", "SEL"];

/// Proved, and neither where one of its instructions is missing nor where the source says otherwise: one of so many instructions is
/// taken, or all.
fn holds(path: &str, entry: &str, step: usize, others: &[(&str, &str)]) {
    let source = text(path);
    let cubin = recorded("13.0.88", path).expect("it is recorded");
    held(path, (&source, &cubin), entry, step, others);
}

fn held(what: &str, (source, cubin): (&str, &Cubin), entry: &str, step: usize, others: &[(&str, &str)]) {
    let Some(mut z3) = solver("routines", 4) else { return };
    let limits = Limits::default();
    let record = prove_within(&module(source), entry, cubin, &mut *z3, limits);
    assert_eq!(record.verdict, Verdict::Proved, "{what}");
    let chip = Chip::from_number(cubin.sm).expect("a chip");
    let nop = encode(&parse("NOP", &Style::default()).expect("a text"), chip).expect("a word");
    // Nobody needs to look for an example.
    let limits = Limits { effort: 200, launches: 0, ..limits };
    let step = if std::env::var_os("SASSAFRAS_ALL_LEMMAS").is_some() { 1 } else { step };
    let at = cubin.functions.iter().position(|f| f.entry && f.name == entry).expect("an entry");
    let computes = |i: &usize| {
        let inst = decode(cubin.functions[at].code[*i], chip).expect("a word");
        COMPUTES.contains(&inst.row().mnemonic)
    };
    let places = (0..cubin.functions[at].code.len()).filter(computes).step_by(step);
    let mut count = 0;
    for i in places {
        let mut changed = cubin.clone();
        changed.functions[at].code[i] = nop;
        let verdict = prove_within(&module(source), entry, &changed, &mut *z3, limits).verdict;
        assert_ne!(verdict, Verdict::Proved, "{what} without {:#x}", 16 * i);
        count += 1;
    }
    eprintln!("{what}: {count} instructions left out, none proved");
    for (old, new) in others {
        assert!(source.contains(old), "{old}");
        let verdict =
            prove_within(&module(&source.replace(old, new)), entry, cubin, &mut *z3, limits).verdict;
        assert_ne!(verdict, Verdict::Proved, "{what}: {new}");
    }
}

#[test]
fn quotients_in_each_rounding() {
    let others = [
        ("div.rz.f32 w, a, b", "div.rn.f32 w, a, b"),
        ("div.rz.f32 w, a, b", "div.rz.ftz.f32 w, a, b"),
        ("div.rm.f32 x, a, b", "div.rm.f32 x, b, a"),
        ("div.rm.f32 x, a, b", "div.rp.f32 x, a, b"),
        ("div.rp.f32 y, c, d", "div.rp.f32 y, c, b"),
        ("div.rn.ftz.f32 z, a, c", "div.rn.f32 z, a, c"),
        ("div.rn.ftz.f32 z, a, c", "div.rp.ftz.f32 z, a, c"),
        ("div.rn.ftz.f32 z, a, c", "div.rn.ftz.f32 z, c, a"),
    ];
    holds("features/div_f32_modes", "k", 47, &others);
}

#[test]
fn a_quotient_of_the_root_of_a_magnitude() {
    let others = [
        ("sqrt.rn.f32 \t%f7, %f6", "sqrt.rz.f32 \t%f7, %f6"),
        ("sqrt.rn.f32 \t%f7, %f6", "sqrt.rn.f32 \t%f7, %f2"),
        ("sqrt.rn.f32 \t%f5, %f1", "sqrt.rn.f32 \t%f5, %f2"),
        ("div.rn.f32 \t%f10, %f7, %f9", "div.rn.f32 \t%f10, %f9, %f7"),
        ("rcp.rn.f32 \t%f4, %f2", "rcp.rn.ftz.f32 \t%f4, %f2"),
    ];
    holds("kernels/divide/divide", "divide", 29, &others);
}

/// Each of what is stored may be what is loaded next: what one lemma is about is the operand of another, and bits of it choose.
#[test]
fn quotients_and_roots_of_each_other() {
    let others = [
        ("div.rn.f32 \t%f14, %f13, %f4;", "div.rn.f32 \t%f14, %f13, %f12;"),
        ("sqrt.rn.f32 \t%f26, %f25;", "sqrt.rn.f32 \t%f26, %f23;"),
        ("div.rn.f32 \t%f18, %f17, %f12;", "div.rz.f32 \t%f18, %f17, %f12;"),
        ("div.rn.f32 \t%f38, %f37, %f26;", "div.rn.f32 \t%f38, %f35, %f26;"),
        ("sub.rn.f32 \t%f47, %f45, %f46;", "sub.rn.f32 \t%f47, %f45, %f44;"),
    ];
    holds("kernels/cholesky/cholesky", "cholesky", 61, &others);
}

/// Two operations, each under a branch of its own: the second's operand is the first's result or not.
const BRANCHES: &str = ".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {
    .reg .pred p, q; .reg .b32 i, m; .reg .TYPE a, b; .reg .b64 to, from, at;
    mov.u32 i, %tid.x; ld.param.u32 m, [n]; setp.ge.u32 q, i, m; @q exit;
    ld.param.u64 to, [out]; ld.param.u64 from, [in]; mul.wide.u32 at, i, 16;
    add.u64 from, from, at; add.u64 to, to, at;
    ld.global.TYPE a, [from]; ld.global.TYPE b, [from+8];
    setp.lt.TYPE p, a, b;
    @!p bra second;
    FIRST;
second:
    @p bra done;
    OTHER;
done:
    st.global.TYPE [to], a;
    exit;
}
";

fn branches(ty: &str, first: &str, other: &str) -> (String, Cubin) {
    let mut source = BRANCHES.replace("TYPE", ty).replace("FIRST", first);
    source = match other {
        "" => source.replace("    @p bra done;\n    OTHER;\n", ""),
        other => source.replace("OTHER", other),
    };
    let cubin = ours(&source).expect("it compiles");
    (source, cubin)
}

#[test]
fn one_of_ours_under_a_branch() {
    for (ty, op) in [
        ("f32", "div.rn.f32 a, a, b"),
        ("f32", "div.rz.f32 a, a, b"),
        ("f32", "div.rp.ftz.f32 a, a, b"),
        ("f32", "sqrt.rn.f32 a, b"),
        ("f64", "div.rn.f64 a, a, b"),
        ("f64", "rcp.rn.f64 a, b"),
        ("f64", "sqrt.rn.f64 a, b"),
        ("s64", "div.s64 a, a, b"),
        ("u64", "div.u64 a, a, b"),
    ] {
        let (source, cubin) = branches(ty, op, "");
        held(op, (&source, &cubin), "k", usize::MAX, &[]);
    }
}

#[test]
fn two_of_ours_under_branches_of_their_own() {
    let (source, cubin) = branches("f32", "div.rn.f32 a, a, b", "div.rn.f32 a, b, a");
    let others = [
        ("div.rn.f32 a, a, b", "div.rz.f32 a, a, b"),
        ("div.rn.f32 a, a, b", "div.rn.f32 a, b, b"),
        ("div.rn.f32 a, b, a", "div.rn.f32 a, b, b"),
        ("@p bra done", "@!p bra done"),
        ("setp.lt", "setp.le"),
    ];
    held("f32", (&source, &cubin), "k", 37, &others);
    let (source, cubin) = branches("f64", "div.rn.f64 a, a, b", "div.rn.f64 a, b, a");
    held("f64", (&source, &cubin), "k", usize::MAX, &[("@p bra done", "@!p bra done")]);
}
