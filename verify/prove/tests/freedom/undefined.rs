//! What the source leaves undefined: any value will do, and none of them is an error.

use crate::{held, verdicts, z3};
use sassafras_prove::Verdict;

/// An entry with a variable in local memory.
fn local(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n.reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n\
         .local .align 16 .b8 array[32];\nld.param.u64 %rd1, [out];\nmov.u64 %rd2, array;\nmov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 7;\n\
         mul.wide.u32 %rd3, %r2, 4;\nadd.s64 %rd4, %rd2, %rd3;\n{body}\nret;\n}}"
    )
}

#[test]
fn local_memory_that_was_not_written_is_undefined() {
    let Some(mut z3) = z3("local_memory_that_was_not_written_is_undefined") else { return };
    let read = local("ld.local.u32 %r3, [%rd4];\nst.global.u32 [%rd1], %r3;");
    let seven = local("mov.u32 %r3, 7;\nst.global.u32 [%rd1], %r3;");
    let word = local("mov.u32 %r3, %ntid.x;\nst.global.u32 [%rd1], %r3;");
    for target in [&read, &seven, &word] {
        let verdict = held(&read, target, &mut z3).record.verdict;
        assert_eq!(verdict, Verdict::Proved, "any value will do");
    }
}

#[test]
fn local_memory_that_was_written_is_not() {
    let Some(mut z3) = z3("local_memory_that_was_written_is_not") else { return };
    let store = "st.local.u32 [%rd4], %r1;\n";
    let read = local(&format!("{store}ld.local.u32 %r3, [%rd4];\nst.global.u32 [%rd1], %r3;"));
    let seven = local("mov.u32 %r3, 7;\nst.global.u32 [%rd1], %r3;");
    assert!(matches!(held(&read, &seven, &mut z3).record.verdict, Verdict::Refuted(_)));
    assert_eq!(held(&read, &read, &mut z3).record.verdict, Verdict::Proved);
    // One value is undefined, and read twice: it need not be one, but each place has one.
    let half = local(&format!("{store}ld.local.u64 %rd5, [%rd2];\nst.global.u64 [%rd1], %rd5;"));
    let verdict = held(&half, &seven, &mut z3).record.verdict;
    assert!(!matches!(verdict, Verdict::Proved | Verdict::Refuted(_)), "{verdict:?}");
}

/// An entry that reads floats `a` and `b` with their bits `h` and `i`, and stores `r`.
pub(crate) fn floats(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in) {{\n.reg .b64 %rd<9>;\n\
         .reg .f32 a, b, r, x;\n.reg .b32 h, i, n, m;\nld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\n\
         ld.global.v2.f32 {{a, b}}, [%rd2];\nmov.b32 h, a;\nmov.b32 i, b;\n{body}\nst.global.f32 [%rd1], r;\nret;\n}}"
    )
}

#[test]
fn payloads_of_nans_are_open() {
    let Some(mut z3) = z3("payloads_of_nans_are_open") else { return };
    let flip = "xor.b32 n, h, 0x80000000; mov.b32 x, n;";
    let flipped = format!("{flip} add.rn.f32 r, x, b;");
    let stored = format!("{flip} mov.f32 r, x;");
    let any = ".reg .pred p; xor.b32 n, h, 0x80000000; setp.nan.f32 p, a, a; selp.b32 n, 0x7fc12345, n, p; mov.b32 r, n;";
    let signed = "neg.f32 x, a; max.xorsign.abs.f32 r, x, b;";
    let sum = |op: &str, of: &str| {
        format!(
            "xor.b32 n, h, 0x80000000; mov.b32 x, {of}; add.rn.f32 x, x, 0f80000000; {op}.xorsign.abs.f32 r, x, b;"
        )
    };
    let (greatest, least, unchanged) = (sum("max", "n"), sum("min", "n"), sum("max", "h"));
    let none = ".reg .pred p; xor.b32 n, h, 0x80000000; setp.nan.f32 p, a, a; selp.b32 n, 0x7f800000, n, p; mov.b32 r, n;";
    let cases = [
        ("neg.f32 x, a; add.rn.f32 r, x, b;", flipped.as_str(), true),
        ("neg.f32 r, a;", &stored, true),
        ("neg.f32 r, a;", any, true),
        // An infinity is no NaN; other numbers keep their bits.
        ("neg.f32 r, a;", none, false),
        ("neg.f32 r, a;", "mov.f32 r, a;", false),
        ("abs.f32 x, a; add.rn.f32 r, x, b;", flipped.as_str(), false),
        ("neg.f32 x, a; add.rn.f32 r, x, b;", "add.rn.f32 r, a, b;", false),
        // What is negated is a sum, what takes the sign of both is none.
        (signed, greatest.as_str(), true),
        (signed, least.as_str(), false),
        (signed, unchanged.as_str(), false),
    ];
    verdicts(floats, &cases, &mut z3);
}

#[test]
fn a_witness_says_what_was_chosen() {
    let Some(mut z3) = z3("a_witness_says_what_was_chosen") else { return };
    let pair = held(&floats("mov.b32 r, m;"), &floats("mov.f32 r, b;"), &mut z3);
    assert!(pair.is_proved());
    assert_eq!(pair.check(&mut z3, |_| ()), Ok(()));
    assert!(pair.check(&mut z3, |m| m.choices.clear()).is_err());
    assert!(pair.check(&mut z3, |m| m.choices[0].like = None).is_err());
    assert!(pair.check(&mut z3, |m| m.choices.push(m.choices[0])).is_err());
    assert!(pair.check(&mut z3, |m| m.choices[0].value += 1).is_err());
    let pair = held(
        &floats("neg.f32 x, a; add.rn.f32 r, x, b;"),
        &floats("xor.b32 n, h, 0x80000000; mov.b32 x, n; add.rn.f32 r, x, b;"),
        &mut z3,
    );
    assert!(pair.is_proved());
    assert_eq!(pair.check(&mut z3, |_| ()), Ok(()));
    assert!(pair.check(&mut z3, |m| m.payloads = Default::default()).is_err());
}

/// An entry that reads `a` and `b` of 64 bits and stores `q` and `r` together.
fn divided(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in) {{\n.reg .b64 %rd<9>;\n\
         .reg .b64 a, b, q, r;\n.reg .pred p;\nld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\n\
         ld.global.v2.u64 {{a, b}}, [%rd2];\nshr.u64 b, b, 60;\n{body}\nst.global.v2.u64 [%rd1], {{q, r}};\nret;\n}}"
    )
}

#[test]
fn quotients_and_remainders_by_zero_are_open() {
    let Some(mut z3) = z3("quotients_and_remainders_by_zero_are_open") else { return };
    let both = "div.u64 q, a, b;\nrem.u64 r, a, b;";
    let with = |q: &str, r: &str| {
        format!("{both}\nsetp.eq.u64 p, b, {};\nselp.b64 q, {q}, q, p;\nselp.b64 r, {r}, r, p;", 0)
    };
    let at_one = with("7", "9").replace("p, b, 0", "p, b, 1");
    let (own, other) = (with("7", "9"), with("a", "b"));
    let cases = [(both, own.as_str(), true), (both, &other, true), (both, &at_one, false)];
    verdicts(divided, &cases, &mut z3);
}
