//! Products and sums without a rounding.

use crate::{held, verdicts, z3};
use sassafras_prove::Verdict;
use sassafras_witness::check::Fault;

/// An entry that reads `a`, `b`, `c`, `e` and writes `r`.
fn floats(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in) {{\n.reg .b64 %rd<9>;\n\
         .reg .f32 a, b, c, e, r, x, y;\n.reg .b32 h, i, j, l;\nld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\n\
         ld.global.v4.f32 {{a, b, c, e}}, [%rd2];\nmov.b32 h, a;\nmov.b32 i, b;\nmov.b32 j, c;\n{body}\nst.global.f32 [%rd1], r;\nret;\n}}"
    )
}

#[test]
fn sums_of_products_are_fused_or_not() {
    let Some(mut z3) = z3("sums_of_products_are_fused_or_not") else { return };
    let plain = "mul.f32 x, a, b; add.f32 r, x, c;";
    let rounded = "mul.rn.f32 x, a, b; add.rn.f32 r, x, c;";
    let fused = "fma.rn.f32 r, a, b, c;";
    let two = "mul.f32 x, a, b; mul.f32 y, c, e; add.f32 r, x, y;";
    let cases = [
        (plain, fused, true),
        (plain, rounded, true),
        (rounded, rounded, true),
        ("mul.f32 x, a, b; add.f32 r, c, x;", fused, true),
        ("mul.f32 x, a, b; sub.f32 r, x, c;", "neg.f32 y, c; fma.rn.f32 r, a, b, y;", true),
        ("mul.f32 x, a, b; sub.f32 r, c, x;", "neg.f32 y, a; fma.rn.f32 r, y, b, c;", true),
        (two, "mul.rn.f32 y, c, e; fma.rn.f32 r, a, b, y;", true),
        (two, "mul.rn.f32 x, a, b; fma.rn.f32 r, c, e, x;", true),
        ("mul.ftz.f32 x, a, b; add.ftz.f32 r, x, c;", "fma.rn.ftz.f32 r, a, b, c;", true),
        ("mul.f32 x, a, b; add.sat.f32 r, x, c;", "fma.rn.sat.f32 r, a, b, c;", true),
        // One direction alone, and only where both allow it.
        (rounded, fused, false),
        (fused, rounded, false),
        ("mul.rn.f32 x, a, b; add.f32 r, x, c;", fused, false),
        ("mul.f32 x, a, b; add.rn.f32 r, x, c;", fused, false),
        ("mul.ftz.f32 x, a, b; add.f32 r, x, c;", "fma.rn.ftz.f32 r, a, b, c;", false),
        ("mul.f32 x, a, b; add.ftz.f32 r, x, c;", "fma.rn.ftz.f32 r, a, b, c;", false),
        ("mul.sat.f32 x, a, b; add.f32 r, x, c;", fused, false),
        ("mul.f32 x, a, b; add.sat.f32 r, x, c;", fused, false),
        // Other sums.
        (plain, "fma.rn.f32 r, a, c, b;", false),
        (plain, "fma.rz.f32 r, a, b, c;", false),
        ("mul.f32 x, a, b; sub.f32 r, x, c;", fused, false),
        ("mul.f32 x, a, b; sub.f32 r, c, x;", "neg.f32 y, c; fma.rn.f32 r, a, b, y;", false),
        (two, "fma.rn.f32 r, a, b, c;", false),
        // The same value, not made by such a product alone.
        ("mul.f32 x, a, b; fma.rn.f32 x, a, b, 0f80000000; add.f32 r, x, c;", fused, false),
        ("mul.rn.f32 x, a, b; mul.f32 y, a, b; add.f32 r, x, c;", fused, false),
    ];
    verdicts(floats, &cases, &mut z3);
}

#[test]
fn sums_of_what_lemmas_give_are_fused_or_not() {
    let Some(mut z3) = z3("sums_of_what_lemmas_give_are_fused_or_not") else { return };
    let plain = "sqrt.rn.f32 a, a; mul.f32 x, a, a; sub.f32 r, c, x;";
    let rounded = "sqrt.rn.f32 a, a; mul.rn.f32 x, a, a; sub.rn.f32 r, c, x;";
    let fused = "sqrt.rn.f32 a, a; neg.f32 y, a; fma.rn.f32 r, a, y, c;";
    let twice = |once: &str| format!("{once} mov.f32 a, r; {once}");
    let cases = [
        (plain, fused, true),
        (plain, rounded, true),
        (rounded, fused, false),
        (plain, "sqrt.rn.f32 a, a; fma.rn.f32 r, a, a, c;", false),
        (plain, "sqrt.rn.f32 a, b; neg.f32 y, a; fma.rn.f32 r, a, y, c;", false),
        (plain, "sqrt.rz.f32 a, a; neg.f32 y, a; fma.rn.f32 r, a, y, c;", false),
        (plain, "sqrt.rn.f32 y, a; neg.f32 y, y; fma.rn.f32 r, a, y, c;", false),
        (&twice(plain), &twice(fused), true),
        (&twice(rounded), &twice(fused), false),
        (&twice(plain), &format!("{fused} mov.f32 a, r; {rounded}"), true),
        (&format!("{plain} mov.f32 a, r; {rounded}"), &twice(fused), false),
    ];
    verdicts(floats, &cases, &mut z3);
}

#[test]
fn halves_are_fused_together() {
    let Some(mut z3) = z3("halves_are_fused_together") else { return };
    let store = " mov.b32 r, l;";
    let of = |text: &str| format!("{text}{store}");
    let plain = of("mul.f16x2 l, h, i; add.f16x2 l, l, j;");
    let separate = of(".reg .b32 m; mul.f16x2 m, h, i; add.f16x2 l, m, j;");
    let fused = of("fma.rn.f16x2 l, h, i, j;");
    let half = of(
        ".reg .b32 m; .reg .b16 p, q, s, t; mul.rn.f16x2 m, h, i; add.rn.f16x2 m, m, j; mov.b32 {p, q}, m; \
                   fma.rn.f16x2 l, h, i, j; mov.b32 {s, t}, l; mov.b32 l, {p, t};",
    );
    let cases = [
        (separate.as_str(), fused.as_str(), true),
        // What is written by the sum too is no product.
        (&plain, &fused, false),
        // One half fused and the other not.
        (&separate, &half, false),
    ];
    verdicts(floats, &cases, &mut z3);
}

#[test]
fn a_witness_says_what_was_fused() {
    let Some(mut z3) = z3("a_witness_says_what_was_fused") else { return };
    z3.budget = 4;
    let pair = held(&floats("mul.f32 x, a, b; add.f32 r, x, c;"), &floats("fma.rn.f32 r, a, b, c;"), &mut z3);
    assert_eq!(pair.record.verdict, Verdict::Proved);
    assert_eq!(pair.check(&mut z3, |_| ()), Ok(()));
    let (at, which) = pair.record.matching.as_ref().and_then(|m| m.fused.first_key_value()).expect("one");
    let (at, which) = (*at, *which);
    let changes: [(&str, fn(&mut sassafras_witness::Matching, u32, u8)); 3] = [
        ("nothing is fused", |m, _, _| m.fused.clear()),
        ("the other operand", |m, at, which| m.fused = [(at, 3 - which)].into()),
        ("another instruction", |m, at, which| m.fused = [(at + 1, which)].into()),
    ];
    for (name, change) in changes {
        let answer = pair.check(&mut z3, |m| change(m, at, which));
        assert!(matches!(answer, Err(Fault::Rejected(_) | Fault::Undecided(_))), "{name}: {answer:?}");
    }
}
