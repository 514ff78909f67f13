//! Addresses of functions, and calls through registers.

use crate::{held, verdicts, z3};

/// An entry with three functions: `f` and `g` of one prototype, `h` of another. `a` and `b` are two words of the input, `q` whether `a` is negative.
fn functions(body: &str) -> String {
    let function = |name: &str, op: &str| {
        format!(
            ".func (.param .b32 r) {name}(.param .b32 x) {{\n.reg .b32 v;\nld.param.b32 v, [x];\n{op}\nst.param.b32 [r], v;\nret;\n}}\n"
        )
    };
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n{}{}\
         .func (.param .b64 r) h(.param .b64 x) {{\n.reg .b64 v;\nld.param.b64 v, [x];\nst.param.b64 [r], v;\nret;\n}}\n\
         .global .align 8 .u64 table[2] = {{f, g}};\n.global .align 8 .u64 other = h;\n\
         .visible .entry k(.param .u64 out, .param .u64 in) {{\n.reg .b64 o, i, A, B;\n.reg .b32 a, b, v;\n.reg .pred q, e;\n\
         .param .b32 x0;\n.param .b32 r0;\nproto: .callprototype (.param .b32 _) _ (.param .b32 _);\n\
         ld.param.u64 o, [out];\nld.param.u64 i, [in];\nld.global.v2.u32 {{a, b}}, [i];\nsetp.lt.s32 q, a, 0;\nst.param.b32 [x0], b;\n{body}\n\
         ld.param.b32 v, [r0];\nst.global.u32 [o], v;\nret;\n}}",
        function("f", "add.u32 v, v, 7;"),
        function("g", "xor.b32 v, v, 12;")
    )
}

const CHOSEN: &str = "mov.u64 A, f; mov.u64 B, g; selp.b64 A, A, B, q; call (r0), A, (x0), proto;";
const LOADED: &str = "ld.global.u64 A, [table+8]; call (r0), A, (x0), proto;";

#[test]
fn a_call_through_a_register_is_of_the_function_there() {
    let Some(mut z3) = z3("a_call_through_a_register_is_of_the_function_there") else { return };
    let cases = [
        (CHOSEN, CHOSEN, true),
        (CHOSEN, "@q call (r0), f, (x0); @!q call (r0), g, (x0);", true),
        (CHOSEN, "@q call (r0), g, (x0); @!q call (r0), f, (x0);", false),
        (CHOSEN, "mov.u64 A, f; mov.u64 B, g; selp.b64 A, B, A, q; call (r0), A, (x0), proto;", false),
        (CHOSEN, "call (r0), f, (x0);", false),
        (LOADED, LOADED, true),
        // What memory holds is the host's to say.
        (LOADED, "call (r0), g, (x0);", false),
        (LOADED, "ld.global.u64 A, [table]; call (r0), A, (x0), proto;", false),
        // A function of another prototype is called by nothing that counts.
        (
            LOADED,
            "ld.global.u64 A, [table+8]; mov.u64 B, f; setp.eq.u64 e, A, B; @e call (r0), f, (x0); @!e call (r0), g, (x0);",
            true,
        ),
        (
            LOADED,
            "ld.global.u64 A, [table+8]; mov.u64 B, f; setp.eq.u64 e, A, B; @e call (r0), g, (x0); @!e call (r0), f, (x0);",
            false,
        ),
    ];
    verdicts(functions, &cases, &mut z3);
}

#[test]
fn an_address_is_one_wherever_it_stands() {
    let Some(mut z3) = z3("an_address_is_one_wherever_it_stands") else { return };
    let source = functions(LOADED);
    let mut pair = held(&source, &source, &mut z3);
    assert!(pair.is_proved());
    assert_eq!(pair.check(&mut z3, |_| ()), Ok(()));
    // One place of the table says that the other function is there, or that none is.
    for number in [0x10, 0, 0x48] {
        let table = pair.cubin.variables.iter_mut().find(|v| v.name == "table").expect("the table");
        let init = table.init.as_mut().expect("its image");
        init[8..16].copy_from_slice(&u64::to_le_bytes(number));
        assert!(!pair.again(&mut z3), "{number:#x}");
    }
}
