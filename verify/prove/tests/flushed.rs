//! Results that may be flushed or not: those next to the least normal number, of quotients and of what is narrowed to binary32.

#![allow(missing_docs)]

mod common;

use common::{module, ours, recorded, solver, text};
use sassafras_isa::{Chip, Style, decode, encode, parse};
use sassafras_prove::{Limits, Verdict, prove_within};
use sassafras_semantics::{Chooser, Concrete, Domain, FloatFormat, FloatMode, FloatOp, Rounding};

const LEAST: u128 = 0x0080_0000;
const SIGN: u128 = 0x8000_0000;

/// 0x00ffffff / 2 is next below 2^-126.
#[test]
fn choosers_take_both_ways() {
    for rounding in [Rounding::NearestEven, Rounding::Up, Rounding::Down, Rounding::Zero] {
        for (chooser, early) in
            [(Chooser::Nearest, false), (Chooser::Lowest, true), (Chooser::Seeded(3), true)]
        {
            let d = Concrete::new(chooser);
            let mode = FloatMode { rounding, ftz: true, sat: false };
            let of = |a: u128| {
                let (a, b) = (d.constant(32, a), d.constant(32, 0x4000_0000));
                d.float(FloatOp::Div, FloatFormat::F32, mode, &[&a, &b]).bits()
            };
            let up = matches!(rounding, Rounding::NearestEven | Rounding::Up) && !early;
            let down = matches!(rounding, Rounding::NearestEven | Rounding::Down) && !early;
            assert_eq!(of(0x00ff_ffff), if up { LEAST } else { 0 }, "{rounding:?} {chooser:?}");
            assert_eq!(of(0x80ff_ffff), if down { SIGN | LEAST } else { SIGN }, "{rounding:?} {chooser:?}");
            assert_eq!(of(0x0100_0000), LEAST);
            let below = d.constant(64, u128::from(((-126f64).exp2() - (-160f64).exp2()).to_bits()));
            let narrow = d.float_to_float(FloatFormat::F64, FloatFormat::F32, mode, &below).bits();
            assert_eq!(narrow, if up { LEAST } else { 0 }, "{rounding:?} {chooser:?}");
        }
    }
}

/// ptxas's `cvt.rn.ftz.f32.f64`, and with each instruction left out that computes.
#[test]
fn a_conversion_of_ptxas_is_proved() {
    let Some(mut z3) = solver("a_conversion_of_ptxas_is_proved", 2) else { return };
    let path = "features/cvt_f32_f64_ftz";
    let (module, cubin) = (module(&text(path)), recorded("13.0.88", path).expect("it is recorded"));
    let mut hold =
        |cubin: &sassafras_cubin::Cubin| prove_within(&module, "k", cubin, &mut *z3, Limits::default());
    let record = hold(&cubin);
    assert_eq!(record.verdict, Verdict::Proved);
    assert!(record.lemmas.contains("narrow-f64-ftz"), "{:?}", record.lemmas);
    let chip = Chip::from_number(cubin.sm).expect("a chip");
    let nop = encode(&parse("NOP", &Style::default()).expect("a text"), chip).expect("a word");
    let mut count = 0;
    for at in 0..cubin.functions[0].code.len() {
        let inst = decode(cubin.functions[0].code[at], chip).expect("a word");
        if ["F2F", "DSETP", "FMUL", "FSEL", "UMOV", "FADD"].contains(&inst.row().mnemonic) {
            let mut changed = cubin.clone();
            changed.functions[0].code[at] = nop;
            assert_ne!(hold(&changed).verdict, Verdict::Proved, "without {at}");
            count += 1;
        }
    }
    assert!(count > 5, "{count}");
}

fn kernel(operation: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in)\n{{\n\
         .reg .b32 a, b, w;\n.reg .b64 to, from, A;\nld.param.u64 to, [out];\nld.param.u64 from, [in];\n\
         ld.global.v2.u32 {{a, b}}, [from];\nmov.b64 A, {{a, b}};\n{operation}\nst.global.u32 [to], w;\nret;\n}}\n"
    )
}

/// What is open is what is flushed, not how it is rounded, nor whether.
#[test]
fn other_operations_are_not_proved() {
    let Some(mut z3) = solver("other_operations_are_not_proved", 2) else { return };
    let limits = Limits { effort: 500, ..Limits::default() };
    for (wanted, written) in [
        ("div.rn.ftz.f32 w, a, b;", "div.rz.ftz.f32 w, a, b;"),
        ("div.rn.ftz.f32 w, a, b;", "div.rn.f32 w, a, b;"),
        ("div.rp.ftz.f32 w, a, b;", "div.rm.ftz.f32 w, a, b;"),
        ("div.rn.f32 w, a, b;", "div.rn.ftz.f32 w, a, b;"),
        ("rcp.rp.ftz.f32 w, a;", "rcp.rn.ftz.f32 w, a;"),
        ("rcp.rm.ftz.f32 w, a;", "rcp.rm.ftz.f32 w, b;"),
        ("cvt.rn.ftz.f32.f64 w, A;", "cvt.rz.ftz.f32.f64 w, A;"),
        ("cvt.rn.ftz.f32.f64 w, A;", "cvt.rn.f32.f64 w, A;"),
        ("cvt.rn.f32.f64 w, A;", "cvt.rn.ftz.f32.f64 w, A;"),
    ] {
        let (module, cubin) = (module(&kernel(wanted)), ours(&kernel(written)).expect("it compiles"));
        let verdict = prove_within(&module, "k", &cubin, &mut *z3, limits).verdict;
        assert_ne!(verdict, Verdict::Proved, "{wanted} by {written}");
    }
}
