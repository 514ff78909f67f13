//! What the source leaves undefined: any value will do, and none of them is an error.

#![allow(missing_docs)]

mod common;

use common::{line, module, ours, z3};
use sassafras_prove::{Record, Verdict, Z3, prove};

/// An entry with a variable in local memory.
fn local(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n.reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n\
         .local .align 16 .b8 array[32];\nld.param.u64 %rd1, [out];\nmov.u64 %rd2, array;\nmov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 7;\n\
         mul.wide.u32 %rd3, %r2, 4;\nadd.s64 %rd4, %rd2, %rd3;\n{body}\nret;\n}}"
    )
}

fn held(source: &str, target: &str, z3: &mut Z3) -> Record {
    let record = prove(&module(source), "k", &ours(target).expect("it compiles"), z3);
    eprintln!("{}", line(&record));
    record
}

#[test]
fn local_memory_that_was_not_written_is_undefined() {
    let Some(mut z3) = z3("local_memory_that_was_not_written_is_undefined") else { return };
    let read = local("ld.local.u32 %r3, [%rd4];\nst.global.u32 [%rd1], %r3;");
    let seven = local("mov.u32 %r3, 7;\nst.global.u32 [%rd1], %r3;");
    let word = local("mov.u32 %r3, %ntid.x;\nst.global.u32 [%rd1], %r3;");
    for target in [&read, &seven, &word] {
        let verdict = held(&read, target, &mut z3).verdict;
        assert_eq!(verdict, Verdict::Proved, "any value will do");
    }
}

#[test]
fn local_memory_that_was_written_is_not() {
    let Some(mut z3) = z3("local_memory_that_was_written_is_not") else { return };
    let store = "st.local.u32 [%rd4], %r1;\n";
    let read = local(&format!("{store}ld.local.u32 %r3, [%rd4];\nst.global.u32 [%rd1], %r3;"));
    let seven = local("mov.u32 %r3, 7;\nst.global.u32 [%rd1], %r3;");
    assert!(matches!(held(&read, &seven, &mut z3).verdict, Verdict::Refuted(_)));
    assert_eq!(held(&read, &read, &mut z3).verdict, Verdict::Proved);
    // One value is undefined, and read twice: it need not be one, but each place has one.
    let half = local(&format!("{store}ld.local.u64 %rd5, [%rd2];\nst.global.u64 [%rd1], %rd5;"));
    let verdict = held(&half, &seven, &mut z3).verdict;
    assert!(!matches!(verdict, Verdict::Proved | Verdict::Refuted(_)), "{verdict:?}");
}
