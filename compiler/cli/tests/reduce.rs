//! `sassafras reduce`: what is kept is kept, and nothing else.

mod common;

use common::sassafras;
use sassafras::harness::case::Case;
use sassafras::harness::compiler::{Compiler, Name};
use sassafras::harness::oracle::by_proof;
use sassafras_prove::{Limits, Z3};
use tempfile::tempdir;

const PTX: &str = "// launch: blocks 1 threads 32 out 128 in 512 seed 3
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)
{
    .reg .b32 %r<6>;
    .reg .b64 %d<4>;
    .reg .pred %p;
    ld.param.u64 %d0, [out];
    ld.param.u64 %d1, [in];
    mov.u32 %r0, %tid.x;
    mad.wide.u32 %d2, %r0, 4, %d0;
    mad.wide.u32 %d3, %r0, 4, %d1;
    ld.global.u32 %r1, [%d3];
    popc.b32 %r2, %r1;
    setp.gt.u32 %p, %r2, 7;
    @%p bra L;
    add.u32 %r2, %r2, %r1;
L:
    brev.b32 %r3, %r2;
    st.global.u32 [%d2], %r3;
    ret;
}
";

#[test]
fn a_command_is_kept() {
    let folder = tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.ptx"), PTX).expect("the folder is ours");
    let words = ["reduce", "in.ptx", "--keep", "grep -q 'brev.b32'", "-o", "out.ptx", "--jobs", "2"];
    sassafras(folder.path(), &words).expect(0, "steps taken");
    let small = std::fs::read_to_string(folder.path().join("out.ptx")).expect("it was written");
    assert!(small.contains("brev.b32") && !small.contains("popc") && !small.contains("bra"), "{small}");
    assert!(small.lines().count() < 12, "{small}");
    sassafras(folder.path(), &["check", "out.ptx"]).expect(0, "");
}

#[test]
fn what_is_not_kept_at_first_is_an_error() {
    let folder = tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.ptx"), PTX).expect("the folder is ours");
    let words = ["reduce", "in.ptx", "--keep", "grep -q 'no such text'"];
    sassafras(folder.path(), &words).expect(2, "the input itself is not kept");
    sassafras(folder.path(), &["reduce", "in.ptx"]).expect(2, "--keep");
}

/// A chip and a level are those of the verdict: a command says for itself what it compiles with.
#[test]
fn a_verdict_is_kept() {
    let folder = tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.ptx"), PTX).expect("the folder is ours");
    let words =
        ["reduce", "in.ptx", "--keep-verdict", "run", "-o", "out.ptx", "--arch", "sm_90", "--level", "0"];
    sassafras(folder.path(), &words).expect(0, "kept: agrees");
    let small = std::fs::read_to_string(folder.path().join("out.ptx")).expect("it was written");
    // Everything agrees, and little is left of it: a store.
    assert!(small.starts_with("// launch:") && small.lines().count() <= 13, "{small}");
    assert!(small.contains("st.") && !small.contains("popc"), "{small}");
    // On a chip below the module's nothing is compiled, which is another verdict: the chip is not passed over.
    let words = ["reduce", "in.ptx", "--keep-verdict", "run", "-o", "out.ptx", "--arch", "sm_80"];
    let said = sassafras(folder.path(), &words).err;
    assert!(!said.contains("kept: agrees"), "{said}");
    for option in [["--arch", "sm_80"], ["--level", "0"], ["--compiler", "ours"]] {
        let words = [&["reduce", "in.ptx", "--keep", "true"][..], &option].concat();
        sassafras(folder.path(), &words).expect(2, "cannot be used with");
    }
}

/// What is proved within a bound is not reduced to what is simply proved.
#[test]
fn a_bound_is_part_of_the_verdict() {
    const NAME: &str = "a_bound_is_part_of_the_verdict";
    let Some(mut z3) = Z3::find(&[&sassafras_oracle::workspace_root()], 10, 30) else {
        return sassafras_oracle::skip(NAME, &"z3 is not installed");
    };
    let mut ground = |body: &str| {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{{\n\
             .reg .pred p;\n.reg .b32 m;\n.reg .b64 to;\nld.param.u64 to, [out];\nld.param.u32 m, [n];\n{body}ret;\n}}\n"
        );
        let case = Case::read(&text).expect("it names no launch");
        let ours = Compiler::find(&Name::Ours, 90, 3).expect("it is here");
        by_proof(&case, &ours, &mut z3, Limits { turns: false, ..Limits::default() }).ground()
    };
    let loops = ground("L:\nsetp.ge.u32 p, 0, m;\n@p bra OUT;\nbra L;\nOUT:\nst.global.u32 [to], 0;\n");
    assert_eq!(loops, "within");
    assert_eq!(ground("st.global.u32 [to], 0;\n"), "proved");
    assert_eq!(ground(""), "proved");
}

#[test]
fn a_proof_is_kept_with_something_that_is_proved() {
    let folder = tempdir().expect("a folder");
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 a, b;\n.reg .b64 to;\n\
                ld.param.u64 to, [out];\nmov.u32 a, %tid.x;\nadd.u32 b, a, 7;\nst.global.u32 [to], b;\nst.global.u32 [to+4], a;\nret;\n}\n";
    std::fs::write(folder.path().join("in.ptx"), text).expect("the folder is ours");
    let words = ["reduce", "in.ptx", "--keep-verdict", "prove", "-o", "out.ptx", "--jobs", "1"];
    sassafras(folder.path(), &words).expect(0, "kept: proved");
    let small = std::fs::read_to_string(folder.path().join("out.ptx")).expect("it was written");
    assert_eq!(small.matches("st.").count(), 1, "{small}");
}
