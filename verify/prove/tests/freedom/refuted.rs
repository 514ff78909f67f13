//! What the source leaves open refutes nothing; what it does not, does.

use crate::undefined::floats;
use crate::{held, z3};
use sassafras_prove::Verdict;

/// An entry with a word of shared memory that nobody wrote.
fn shared(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in) {{\n.reg .b64 g, p, x, y;\n.reg .b32 v, w;\n\
         .shared .align 16 .b8 words[64];\nld.param.u64 g, [out];\nld.param.u64 p, [in];\nld.global.u64 x, [p];\n{body}\nret;\n}}"
    )
}

#[test]
fn a_difference_in_what_is_open_refutes_nothing() {
    let Some(mut z3) = z3("a_difference_in_what_is_open_refutes_nothing") else { return };
    type Wrap = fn(&str) -> String;
    let (floats, shared): (Wrap, Wrap) = (floats, shared);
    let cases = [
        // A NaN comes back with its payload: that of `mul` is not specified, that of `max` is.
        (floats, "mul.rn.f32 r, a, 0f3F800000;", "mov.f32 r, a;", false),
        (floats, "mul.rn.f32 r, a, 0f40000000;", "mov.f32 r, a;", true),
        (floats, "max.f32 r, a, a;", "mov.f32 r, a;", true),
        (
            floats,
            "mul.rn.f32 x, a, 0f3F800000; mov.b32 n, x; and.b32 n, n, 0x00100000; mov.b32 r, n;",
            "and.b32 n, h, 0x00100000; mov.b32 r, n;",
            false,
        ),
        (
            floats,
            "mul.rn.f32 x, a, 0f3F800000; mov.b32 n, x; shl.b32 n, n, 1; mov.b32 r, n;",
            "shl.b32 n, h, 2; mov.b32 r, n;",
            true,
        ),
        // Two words that nobody wrote.
        (
            shared,
            "ld.shared.u32 v, [words]; ld.shared.u32 w, [words+4]; sub.u32 v, v, w; st.global.u32 [g], v;",
            "mov.u32 v, 0; st.global.u32 [g], v;",
            false,
        ),
        (
            shared,
            "ld.shared.u32 v, [words]; or.b32 v, v, 1; st.global.u32 [g], v;",
            "mov.u32 v, 2; st.global.u32 [g], v;",
            false,
        ),
        // The generic address of what lies far outside of the window.
        (
            shared,
            "cvta.shared.u64 y, x; st.global.u64 [g], y;",
            "and.b64 x, x, 0xffffff; cvta.shared.u64 y, x; st.global.u64 [g], y;",
            false,
        ),
        (
            shared,
            "and.b64 x, x, 0xff; cvta.shared.u64 y, x; st.global.u64 [g], y;",
            "and.b64 x, x, 0x7f; cvta.shared.u64 y, x; st.global.u64 [g], y;",
            true,
        ),
    ];
    for (of, source, target, refuted) in cases {
        let verdict = held(&of(source), &of(target), &mut z3).record.verdict;
        assert_eq!(matches!(verdict, Verdict::Refuted(_)), refuted, "{source}\n=> {target}\n{verdict:?}");
    }
}
