//! Small programs: registers, guards, loops, calls, errors.

use crate::{Error, Options, Refusal, lower};
use sassafras_ir::text::print_function;

fn lowered(ptx: &str) -> Result<sassafras_ir::Module, Vec<Error>> {
    let text = format!(".version 8.0\n.target sm_90\n.address_size 64\n{ptx}");
    let module = sassafras_ptx::load(&text, "test").unwrap_or_else(|d| panic!("{d}"));
    lower(&module, &Options::default())
}

fn text(ptx: &str) -> String {
    print_function(&lowered(ptx).expect("the module lowers").functions[0])
}

#[test]
fn loops_and_guards() {
    let out = text(
        ".entry k(.param .u64 p) { .reg .u32 r; .reg .u64 a; .reg .pred q;
         ld.param.u64 a, [p]; mov.u32 r, %tid.x;
         L: add.u32 r, r, 1; setp.lt.u32 q, r, 10; @q bra L;
         @q mov.u32 r, 7; @!q st.global.u32 [a+8], r; ret; }",
    );
    assert!(out.contains("param.0.8.u") && out.contains("compare.ult"), "{out}");
    assert!(out.contains("@!v") && out.contains("store.global:u4x1:weak:cta:+8"), "{out}");
    assert!(out.contains("select v"), "{out}");
}

#[test]
fn a_guarded_load_gets_a_block() {
    let out = text(
        ".entry k(.param .u64 p) { .reg .u32 r; .reg .u64 a; .reg .pred q;
         ld.param.u64 a, [p]; mov.u32 r, 1; setp.eq.u32 q, r, 0; @q ld.global.u32 r, [a]; st.global.u32 [a], r; ret; }",
    );
    assert!(out.contains("branch ") && out.contains("bb2(v"), "{out}");
}

const CALLEE: &str = ".func (.param .b32 r) f(.param .b32 x) { .reg .b32 t;
     ld.param.b32 t, [x]; add.u32 t, t, t; st.param.b32 [r], t; CALL ret; }\n";
const KERNEL: &str = ".entry k(.param .u64 p) { .reg .b32 t; .reg .u64 a; ld.param.u64 a, [p];
     { .param .b32 x; .param .b32 y; st.param.b32 [x], 21; call (y), f, (x); ld.param.b32 t, [y]; }
     st.global.u32 [a], t; ret; }";

#[test]
fn calls_are_inlined() {
    let out = text(&(CALLEE.replace("CALL", "") + KERNEL));
    assert!(out.contains("const.0x15") && out.contains("add "), "{out}");
}

#[test]
fn registers_and_constants_are_passed_for_parameters() {
    let kernel = ".entry k(.param .u64 p) { .reg .b32 t; .reg .u64 a; ld.param.u64 a, [p];
         call (t), f, (21); call (t), f, (t); st.global.u32 [a], t; ret; }";
    let out = text(&(CALLEE.replace("CALL", "") + kernel));
    assert!(out.contains("const.0x15") && out.matches("= add ").count() == 2, "{out}");
    assert!(!out.contains("undef"), "{out}");
}

#[test]
fn recursion_has_one_body_and_a_stack() {
    let call = "setp.gt.u32 p, t, 99; @p ret;
         { .param .b32 a; .param .b32 b; st.param.b32 [a], t; call (b), f, (a); ld.param.b32 u, [b]; }
         add.u32 t, t, u; st.param.b32 [r], t;";
    let callee = CALLEE.replace(".reg .b32 t;", ".reg .b32 t, u; .reg .pred p;").replace("CALL", call);
    let out = text(&(callee + KERNEL));
    assert!(out.contains("address.g0.0") && out.matches("switch ").count() == 1, "{out}");
    // The first sum, that behind the call, and two that give frames back.
    assert_eq!(out.matches("= add ").count(), 4, "{out}");
}

#[test]
fn products_contract_only_without_roundings() {
    let body = |add: &str, mul: &str| {
        text(&format!(
            ".entry k(.param .u64 p) {{ .reg .f32 x, y; .reg .u64 a; ld.param.u64 a, [p]; ld.global.f32 x, [a];
             {mul} y, x, x; {add} y, y, x; st.global.f32 [a], y; ret; }}"
        ))
    };
    assert!(body("add.f32", "mul.f32").contains("fma.f32"));
    assert!(body("sub.f32", "mul.f32").contains("fma.f32"));
    assert!(!body("add.rn.f32", "mul.f32").contains("fma.f32"));
    assert!(!body("add.f32", "mul.rn.f32").contains("fma.f32"));
}

#[test]
fn products_contract_only_with_sums_of_their_format() {
    let half = |add: &str, mul: &str| {
        text(&format!(
            ".entry k(.param .u64 p) {{ .reg .b16 x, y; .reg .u64 a; ld.param.u64 a, [p]; ld.global.b16 x, [a];
             {mul} y, x, x; {add} y, x, y; st.global.b16 [a], y; ret; }}"
        ))
    };
    assert!(half("add.f16", "mul.f16").contains("fma.f16"));
    assert!(!half("add.bf16", "mul.f16").contains("fma"));
    assert!(!half("sub.f16", "mul.bf16").contains("fma"));
    let packed = |add: &str, mul: &str| {
        text(&format!(
            ".entry k(.param .u64 p) {{ .reg .b32 x, y; .reg .u64 a; ld.param.u64 a, [p]; ld.global.b32 x, [a];
             {mul} y, x, x; {add} y, x, y; st.global.b32 [a], y; ret; }}"
        ))
    };
    assert!(packed("add.f16x2", "mul.f16x2").contains("fma"));
    assert!(!packed("add.bf16x2", "mul.f16x2").contains("fma"));
    assert!(!packed("add.f16x2", "mul.bf16x2").contains("fma"));
}

#[test]
fn all_errors_at_once() {
    let errors = lowered(
        ".entry k() { .reg .b32 r; .reg .b64 a;\n alloca.u32 r, 8;\n mov.u32 r, 0;\n alloca.u64 a, 8;\n ret; }",
    );
    let lines: Vec<u32> = errors.expect_err("two forms").iter().map(|e| e.line).collect();
    assert_eq!(lines, [5, 7]);
}

#[test]
fn what_becomes_too_large_by_its_calls_is_refused_before_it_is_written_out() {
    let tower = |depth: u32, calls: usize| {
        let mut ptx = String::from(".func f0() { ret; }\n");
        for i in 1..depth {
            let call = format!("call f{}; ", i - 1).repeat(calls);
            ptx += &format!(".func f{i}() {{ {call}ret; }}\n");
        }
        lowered(&format!("{ptx}.entry k() {{ call f{}; ret; }}", depth - 1))
    };
    assert!(tower(8, 2).is_ok());
    let errors = tower(40, 2).expect_err("a million times a million");
    // `.version`, `.target`, `.address_size` and the functions stand before.
    assert_eq!(errors.iter().map(|e| e.line).collect::<Vec<_>>(), [4 + 40]);
    assert!(matches!(errors[0].why, Refusal::Large { .. }), "{}", errors[0]);
}

#[test]
fn calls_nest_as_deep_as_there_is_room() {
    let nested = |depth: u32| {
        let mut ptx = String::from(".func f0() { ret; }\n");
        for i in 1..depth {
            ptx += &format!(".func f{i}() {{ call f{}; ret; }}\n", i - 1);
        }
        lowered(&format!("{ptx}.entry k() {{ call f{}; ret; }}", depth - 1))
    };
    assert!(nested(256).is_ok());
    let errors = nested(3000).expect_err("too many");
    // `.version`, `.target`, `.address_size` and `f0` stand before.
    assert_eq!(errors.iter().map(|e| e.line).collect::<Vec<_>>(), [4 + 3000 - 256]);
}

/// `.pragma "nounroll"` marks the header in which it stands before all instructions; at the entry's or the module's scope it marks all.
#[test]
fn loops_that_are_not_to_be_unrolled_are_marked() {
    let body = |module: &str, entry: &str, first: &str, second: &str| {
        let ptx = format!(
            "{module} .entry k(.param .u64 p) {entry} {{ .reg .u32 r, s; .reg .pred q; mov.u32 r, 0; mov.u32 s, 0;
             L: {first} add.u32 r, r, 1; {second} setp.lt.u32 q, r, 10; @q bra L;
             M: add.u32 s, s, 2; setp.lt.u32 q, s, 10; @q bra M; ret; }}"
        );
        text(&ptx).matches(") nounroll:").count()
    };
    let pragma = ".pragma \"nounroll\";";
    assert_eq!(body("", "", "", ""), 0);
    assert_eq!(body("", "", pragma, ""), 1);
    assert_eq!(body("", "", "", pragma), 0);
    assert_eq!(body("", pragma, "", ""), 2);
    assert_eq!(body(pragma, "", "", ""), 2);
}
