//! Generic addresses.

use crate::{held, verdicts, z3};

/// An entry with shared and local memory: `s` and `l` are addresses of words there, `gs` and `gl` generic ones.
fn memories(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in) {{\n.reg .b64 g, p, s, l, gs, gl, x;\n\
         .reg .b32 t, u, v;\n.reg .pred q;\n.shared .align 16 .b8 words[4096];\n.local .align 16 .b8 own[64];\nld.param.u64 g, [out];\n\
         ld.param.u64 p, [in];\nmov.u32 t, %tid.x;\nand.b32 u, t, 7;\nsetp.lt.u32 q, t, 5;\nmul.wide.u32 x, t, 4;\nmov.u64 s, words;\nadd.u64 s, s, x;\n\
         mul.wide.u32 x, u, 4;\nmov.u64 l, own;\nadd.u64 l, l, x;\ncvta.shared.u64 gs, s;\ncvta.local.u64 gl, l;\nmov.u32 v, 0;\n{body}\n\
         st.global.u32 [g], v;\nret;\n}}"
    )
}

#[test]
fn an_access_belongs_to_the_window_of_its_address() {
    let Some(mut z3) = z3("an_access_belongs_to_the_window_of_its_address") else { return };
    let cases = [
        ("st.u32 [gs], t; ld.shared.u32 v, [s];", "st.shared.u32 [s], t; ld.shared.u32 v, [s];", true),
        ("st.shared.u32 [s], t; ld.u32 v, [gs];", "st.u32 [gs], t; ld.shared.u32 v, [s];", true),
        ("st.local.u32 [l], t; ld.u32 v, [gl];", "mov.u32 v, t;", true),
        ("st.u32 [gs+4], t;", "add.u64 s, s, 4; st.shared.u32 [s], t;", true),
        ("st.u32 [gs+4], t;", "st.shared.u32 [s], t;", false),
        ("st.u32 [gs], t;", "st.global.u32 [p], t;", false),
        ("st.u32 [gs], t;", "st.local.u32 [l], t;", false),
        ("st.local.u32 [l], t; ld.u32 v, [gl];", "mov.u32 v, u;", false),
        // Of one window or another, by the input.
        ("selp.u64 x, gs, p, q; st.u32 [x], t;", "selp.u64 x, gs, s, q; st.u32 [x], t;", false),
        ("selp.u64 x, gs, p, q; st.u32 [x], t;", "st.u32 [gs], t;", false),
        // The host's pointers lie in no window.
        ("st.u32 [gs], t; ld.u32 v, [p];", "st.shared.u32 [s], t; ld.global.u32 v, [p];", true),
        ("st.u32 [gs], t; ld.u32 v, [p];", "st.shared.u32 [s], t; ld.shared.u32 v, [s];", false),
        // What a load gave may lie in any window.
        (
            "st.u64 [gs], gs; ld.global.u64 x, [p]; ld.u32 v, [x];",
            "st.u64 [gs], gs; ld.global.u64 x, [p]; ld.global.u32 v, [x];",
            false,
        ),
    ];
    verdicts(memories, &cases, &mut z3);
}

/// An entry with constants: `gc` is the generic address of a word of theirs, `gn` that of the parameter `n`.
fn constants(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.const .align 16 .b32 words[16] = {{1, 2, 3, 4, 5}};\n\
         .visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n, .param .u32 m) {{\n.reg .b64 g, p, c, gc, gn, x;\n.reg .b32 t, u, v;\n\
         .reg .pred q;\nld.param.u64 g, [out];\nld.param.u64 p, [in];\nmov.u32 t, %tid.x;\nand.b32 u, t, 7;\nmul.wide.u32 x, u, 4;\n\
         mov.u64 c, words;\nadd.u64 c, c, x;\ncvta.const.u64 gc, c;\nmov.u64 gn, n;\ncvta.param.u64 gn, gn;\nmov.u32 v, 0;\n{body}\n\
         st.global.u32 [g], v;\nret;\n}}"
    )
}

#[test]
fn constants_and_parameters_have_windows() {
    let Some(mut z3) = z3("constants_and_parameters_have_windows") else { return };
    let cases = [
        ("ld.u32 v, [gc];", "ld.u32 v, [gc];", true),
        ("ld.u32 v, [gc];", "ld.const.u32 v, [c];", true),
        ("ld.u32 v, [gc];", "ld.const.u32 v, [c+4];", false),
        ("ld.u32 v, [gc];", "ld.u32 v, [gn];", false),
        ("ld.u32 v, [gn];", "ld.param.u32 v, [n];", true),
        ("ld.u32 v, [gn+4];", "ld.param.u32 v, [m];", true),
        ("ld.u32 v, [gn];", "ld.param.u32 v, [m];", false),
        ("ld.u32 v, [gn];", "ld.u32 v, [gn+4];", false),
        // A load that nobody needs may fault where the source has none.
        ("ld.param.u32 v, [n];", "ld.volatile.u32 v, [gn]; ld.param.u32 v, [n];", false),
        ("isspacep.const q, gc; selp.u32 v, 1, 0, q;", "mov.u32 v, 1;", true),
        ("isspacep.const q, gc; selp.u32 v, 1, 0, q;", "mov.u32 v, 0;", false),
        ("add.u64 x, gc, 64; isspacep.const q, x; selp.u32 v, 1, 0, q;", "mov.u32 v, 1;", false),
        ("isspacep.param q, gc; selp.u32 v, 1, 0, q;", "isspacep.const q, gc; selp.u32 v, 1, 0, q;", false),
        ("cvta.to.const.u64 x, gc; ld.const.u32 v, [x];", "ld.const.u32 v, [c];", true),
        // What a load gave may lie in any window, where nothing is stored in one.
        ("ld.global.u64 x, [p]; ld.u32 v, [x];", "ld.global.u64 x, [p]; ld.u32 v, [x];", true),
        (
            "ld.u32 v, [gc]; ld.global.u64 x, [p]; ld.u32 u, [x]; add.u32 v, v, u;",
            "ld.u32 v, [gc]; ld.global.u64 x, [p]; ld.u32 u, [x]; add.u32 v, v, u;",
            true,
        ),
        (
            "ld.u32 v, [gc]; ld.global.u64 x, [p]; st.u32 [x], t;",
            "ld.u32 v, [gc]; ld.global.u64 x, [p]; st.u32 [x], t;",
            false,
        ),
    ];
    verdicts(constants, &cases, &mut z3);
}

#[test]
fn a_constant_may_hold_a_generic_address() {
    let Some(mut z3) = z3("a_constant_may_hold_a_generic_address") else { return };
    let text = |held: &str, load: &str| {
        format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.global .align 4 .u32 one = 1, two = 2;\n.const .align 8 .u64 at = {held};\n\
             .visible .entry k(.param .u64 out) {{\n.reg .b64 g, x;\n.reg .b32 v;\nld.param.u64 g, [out];\n{load}\nst.global.u32 [g], v;\nret;\n}}"
        )
    };
    let by_constant = "ld.const.u64 x, [at]; ld.u32 v, [x];";
    let source = text("generic(one)", by_constant);
    let pair = held(&source, &source, &mut z3);
    assert!(pair.is_proved());
    assert_eq!(pair.check(&mut z3, |_| ()), Ok(()));
    // Another address, and what it was before the launch.
    for (address, load) in [
        ("generic(two)", by_constant),
        ("generic(one)+4", by_constant),
        ("7", by_constant),
        ("generic(one)", "ld.const.u64 x, [at]; mov.u32 v, 1;"),
        ("generic(one)", "mov.u64 x, one; ld.global.u32 v, [x];"),
    ] {
        assert!(!held(&source, &text(address, load), &mut z3).is_proved(), "{address}, {load}");
    }
}

#[test]
fn a_witness_of_a_generic_access_is_accepted() {
    let Some(mut z3) = z3("a_witness_of_a_generic_access_is_accepted") else { return };
    let body = "st.u32 [gs], t; ld.shared.u32 v, [s];";
    let pair = held(&memories(body), &memories(body), &mut z3);
    assert!(pair.is_proved());
    assert_eq!(pair.check(&mut z3, |_| ()), Ok(()));
}
