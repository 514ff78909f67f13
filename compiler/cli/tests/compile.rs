//! `compile`: options have their effects, and bytes depend on nothing but the input.

mod common;

use std::path::Path;

use common::{Run, sassafras};
use sassafras_cubin::{Cubin, read};
use tempfile::{TempDir, tempdir};

/// Two entries; the first needs the second's variable as little as the second needs the first.
const TWO: &str = "
.version 8.0
.target sm_75
.address_size 64
.visible .entry one(.param .u64 p, .param .u32 n)
{
    .reg .pred %q;
    .reg .b32 %r<5>;
    .reg .b64 %d<3>;
    ld.param.u64 %d0, [p];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %q, %r1, %r0;
    @%q bra END;
    mul.wide.u32 %d1, %r1, 4;
    add.u64 %d2, %d0, %d1;
    ld.global.u32 %r2, [%d2];
    mad.lo.u32 %r3, %r2, %r0, 7;
    st.global.u32 [%d2], %r3;
END:
    ret;
}
.visible .entry two(.param .u64 p)
{
    .reg .b32 %r<2>;
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [p];
    ld.global.u32 %r0, [%d0];
    add.u32 %r1, %r0, 1;
    st.global.u32 [%d0], %r1;
    ret;
}
";

fn folder() -> TempDir {
    let folder = tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.ptx"), TWO).expect("the folder is ours");
    folder
}

fn compile(folder: &Path, words: &[&str]) -> Run {
    sassafras(folder, &[&["compile", "in.ptx", "-arch=sm_90", "-o", "out.cubin"], words].concat())
}

fn bytes(folder: &Path) -> Vec<u8> {
    std::fs::read(folder.join("out.cubin")).expect("it was written")
}

fn cubin(folder: &Path) -> Cubin {
    read(&bytes(folder)).expect("our own output reads")
}

#[test]
fn bytes_depend_on_the_input_alone() {
    let folder = folder();
    compile(folder.path(), &[]).expect(0, "");
    let first = bytes(folder.path());
    for words in
        [&["--jobs", "1"][..], &["--jobs", "5"], &["-v", "--judge", "none"], &["-split-compile", "3"]]
    {
        compile(folder.path(), words).expect(0, "");
        assert_eq!(bytes(folder.path()), first, "{words:?}");
    }
}

#[test]
fn the_container_says_what_was_compiled() {
    let folder = folder();
    compile(folder.path(), &[]).expect(0, "");
    let cubin = cubin(folder.path());
    let names: Vec<&str> = cubin.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["two", "one"], "entries stand last first, as ptxas writes them");
    let one = &cubin.functions[1];
    assert_eq!((one.param_base, one.param_size, one.params.len()), (0x210, 12, 2));
    assert_eq!(one.code.len() % 8, 0, "text is padded to 128 bytes");
    assert!(!one.exit_offsets.is_empty() && one.max_registers == 0xff);
}

#[test]
fn options_have_their_effects() {
    let folder = folder();
    let path = folder.path();
    compile(path, &["-e", "two"]).expect(0, "");
    assert_eq!(cubin(path).functions.len(), 1);
    compile(path, &["-maxrregcount", "32"]).expect(0, "");
    assert_eq!(cubin(path).functions[0].max_registers, 32);
    compile(path, &["-maxntid", "64,2"]).expect(0, "");
    assert_eq!(cubin(path).functions[0].max_threads, Some([64, 2, 1]));
    compile(path, &["-v"]).expect(0, "Used ").expect(0, "Function properties for two");
    compile(path, &["-maxrregcount", "5"]).expect(0, "adjusting per thread register count");
    assert!(!compile(path, &["-maxrregcount", "5", "-w"]).err.contains("adjusting"));
    compile(path, &["-opt-fp-atomics"]).expect(0, "changes nothing");
    compile(path, &["--print-after", "lower,select"])
        .expect(0, "# after lower")
        .expect(0, "# after select of two");
    compile(path, &["--report", "report.json"]).expect(0, "");
    let report = std::fs::read_to_string(path.join("report.json")).expect("it was written");
    for part in ["\"phases\"", "\"judges\"", "\"registers\""] {
        assert!(report.contains(part), "{part} is not in {report}");
    }
    let text = sassafras(path, &["compile", "-ias", TWO, "-arch=sm_90", "-o", "text.cubin"]);
    text.expect(0, "");
    compile(path, &[]).expect(0, "");
    assert_eq!(std::fs::read(path.join("text.cubin")).expect("it was written"), bytes(path));
}

#[test]
fn warnings_may_be_errors_and_then_nothing_is_written() {
    let folder = folder();
    compile(folder.path(), &["-Werror", "-maxrregcount", "5"])
        .expect(1, "adjusting per thread register count");
    assert!(!folder.path().join("out.cubin").exists());
}

#[test]
fn every_phase_can_be_the_last_and_the_first() {
    let folder = folder();
    let path = folder.path();
    compile(path, &["-e", "one"]).expect(0, "");
    let whole = cubin(path);
    for phase in sassafras_driver::phase::PHASES {
        use sassafras_driver::phase::FormKind;
        if matches!(phase.form, FormKind::Words | FormKind::Cubin) {
            continue;
        }
        let words =
            ["compile", "in.ptx", "-arch=sm_90", "-e", "one", "--stop-after", phase.name, "-o", "text"];
        sassafras(path, &words).expect(0, "");
        let words = ["compile", "--start-from", "text", "-arch=sm_90", "-e", "one", "-o", "out.cubin"];
        sassafras(path, &words).expect(0, "");
        let again = cubin(path);
        assert_eq!(again.functions[0].code, whole.functions[0].code, "from {}", phase.name);
    }
    sassafras(path, &["compile", "in.ptx", "-arch=sm_90", "--stop-after", "allocate", "-o", "-"])
        .expect(2, "choose one with -e");
}

#[test]
fn a_text_without_its_variables_is_refused() {
    let folder = tempdir().expect("a folder");
    let path = folder.path();
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n.global .align 4 .u32 g;\n.visible .entry k()\n{\n\
                .reg .b32 %r<2>;\nld.global.u32 %r0, [g];\nadd.u32 %r1, %r0, 1;\nst.global.u32 [g], %r1;\nret;\n}\n";
    std::fs::write(path.join("in.ptx"), text).expect("the folder is ours");
    for (phase, code, part) in [("optimise", 0, ""), ("prepare", 4, "names variables")] {
        sassafras(path, &["compile", "in.ptx", "-arch=sm_90", "--stop-after", phase, "-o", "text"])
            .expect(0, "");
        sassafras(path, &["compile", "--start-from", "text", "-o", "out.cubin"]).expect(code, part);
    }
    assert_eq!(cubin(path).addresses.len(), 1);
}

#[test]
fn called_as_ptxas() {
    let folder = folder();
    let ptxas = folder.path().join("ptxas");
    // A copy would be busy for as long as another test's child, forked meanwhile, has it open for writing.
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sassafras"), &ptxas).expect("a name for it");
    let run = |words: &[&str]| {
        let output = std::process::Command::new(&ptxas).args(words).current_dir(folder.path()).output();
        output.expect("it starts").status.code()
    };
    assert_eq!(run(&["-arch=sm_90", "in.ptx"]), Some(0));
    assert!(folder.path().join("elf.o").exists(), "ptxas's own default output");
    assert_eq!(run(&["in.ptx"]), Some(0), "without -arch ptxas means sm_75");
}

/// A kernel with so many values live at once, bound to a block by `directives`.
fn many_live(live: u32, directives: &str) -> String {
    let mut body = String::new();
    for k in 0..live {
        body += &format!("ld.volatile.global.f32 %f{k}, [%d2+{}];\n", 4096 * k);
    }
    body += &format!("mov.f32 %f{live}, 0f00000000;\n");
    for k in 0..live {
        let (from, other) = (live + k, (7 * k + 3) % live);
        body += &format!("fma.rn.f32 %f{}, %f{from}, %f{k}, %f{other};\n", from + 1);
    }
    format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in) {directives}\n{{
    .reg .b64 %d<3>; .reg .f32 %f<{}>;
    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in];
    {body}
    st.global.f32 [%d1], %f{}; ret;\n}}\n",
        2 * live + 1,
        2 * live
    )
}

/// A block of the size that an entry is bound to has its registers, by whichever directive or option that is said.
#[test]
fn a_block_of_the_entrys_own_size_can_be_launched() {
    let folder = tempdir().expect("a folder");
    for (directives, options, most) in [
        (".maxntid 1024, 1, 1", &[][..], 64),
        (".reqntid 1024, 1, 1", &[], 64),
        (".maxntid 32, 32", &[], 64),
        ("", &["-maxntid", "1024"], 64),
        (".maxntid 1024, 1, 1 .maxnreg 128", &[], 64),
        (".maxntid 1024, 1, 1", &["-maxrregcount", "128"], 64),
        (".maxntid 672, 1, 1", &[], 80),
        (".maxntid 416, 1, 1", &[], 128),
        (".maxntid 257, 1, 1", &[], 168),
        (".maxntid 256, 1, 1", &[], 255),
        (".maxntid 256, 1, 1 .minnctapersm 2", &[], 128),
    ] {
        let live = if most == 64 { 72 } else { 180 };
        std::fs::write(folder.path().join("in.ptx"), many_live(live, directives))
            .expect("the folder is ours");
        compile(folder.path(), &[&["-v"], options].concat()).expect(0, "Used ");
        let f = &cubin(folder.path()).functions[0];
        assert!(f.registers <= most && f.registers > most / 2, "{directives} {options:?}: {}", f.registers);
        sassafras(folder.path(), &["check", "out.cubin"]).expect(0, "hazards: 0 objections");
    }
    // Too many blocks are left out, in ptxas's words.
    for (directives, options, part) in [
        (
            ".maxntid 416, 1, 1 .minnctapersm 5",
            &[][..],
            "Value of threads per SM for entry k is out of range. .minnctapersm will be ignored",
        ),
        (
            ".maxntid 320, 1, 1",
            &["-minnctapersm", "64"],
            "Value of minnctapersm for entry k is out of range. minnctapersm will be ignored",
        ),
        (
            ".maxntid 320, 1, 1",
            &["-minnctapersm", "-1"],
            "Value of minnctapersm for entry k is out of range. minnctapersm will be ignored",
        ),
        (".maxntid 320, 1, 1", &["-minnctapersm", "0", "-v"], "Used "),
    ] {
        std::fs::write(folder.path().join("in.ptx"), many_live(16, directives)).expect("the folder is ours");
        compile(folder.path(), options).expect(0, part);
    }
}
