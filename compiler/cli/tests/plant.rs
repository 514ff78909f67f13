//! Faults planted in words, in the container and in line information: each finds a place, and a judge objects.

mod common;

use common::sassafras;
use sassafras_driver::Stage;
use sassafras_driver::plant::faults;
use tempfile::tempdir;

/// Something of everything: a guard, a loop, shared memory, a barrier, two global variables, two entries, inlined code.
const ALL: &str = "
.version 8.0
.target sm_75
.address_size 64
.file 1 \"all.cu\"
.file 2 \"dir/help.h\"
.global .align 4 .u32 first;
.global .align 4 .u32 second;
.visible .entry one(.param .u64 p, .param .u32 n)
{
    .shared .align 4 .b8 s[128];
    .reg .pred %q;
    .reg .b32 %r<6>;
    .reg .b64 %d<3>;
    .loc 1 3 1
    ld.param.u64 %d0, [p];
    ld.param.u32 %r0, [n];
    .loc 1 4 5
    mov.u32 %r1, %tid.x;
    mov.u32 %r4, s;
    mad.lo.u32 %r4, %r1, 4, %r4;
    mov.u32 %r2, 0;
LOOP:
    .loc 1 6 5
    add.u32 %r2, %r2, %r1;
    .loc 2 9 3, function_name helper, inlined_at 1 6 5
    mul.wide.u32 %d1, %r2, 4;
    add.u64 %d2, %d0, %d1;
    ld.global.u32 %r3, [%d2];
    .loc 1 7 5
    st.shared.u32 [%r4], %r3;
    .loc 1 8 5
    bar.sync 0;
    .loc 1 5 9
    setp.lt.u32 %q, %r2, %r0;
    @%q bra LOOP;
    ld.shared.u32 %r5, [%r4];
    st.global.u32 [first], %r5;
    ret;
}
.visible .entry two(.param .u64 p, .param .u32 n)
{
    .reg .pred %q;
    .reg .b32 %r<3>;
    .reg .b64 %d<1>;
    .loc 1 13 1
    ld.param.u64 %d0, [p];
    ld.param.u32 %r0, [n];
    .loc 1 14 5
    setp.eq.u32 %q, %r0, 7;
    @%q st.global.u32 [second], %r0;
    ld.global.u32 %r1, [%d0];
    add.u32 %r2, %r1, 1;
    .loc 1 15 5
    st.global.u32 [%d0], %r2;
    ret;
}
.section .debug_str
{
helper:
.b8 104,101,108,112,0
}
";

/// Faults of line information; of the others behind emission the container's judge knows.
const LINES: [&str; 6] =
    ["wrong-place", "wrong-ptx-line", "shifted-lines", "swapped-lines", "lost-call-site", "wrong-file"];

#[test]
fn each_is_caught_and_nothing_is_written() {
    let folder = tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.ptx"), ALL).expect("the folder is ours");
    for arch in ["-arch=sm_80", "-arch=sm_90", "-arch=sm_120"] {
        each_is_caught(folder.path(), arch);
    }
}

fn each_is_caught(folder: &std::path::Path, arch: &str) {
    let run = |plant: &str, judge: &str| {
        let words = ["compile", "in.ptx", arch, "-o", "out.cubin", "--judge", judge, "--plant", plant];
        sassafras(folder, &words)
    };
    for fault in faults().iter().filter(|f| f.stage >= Stage::Emit) {
        for seed in 0..3 {
            let plant = format!("{}:{seed}", fault.name);
            let judge = match fault.stage {
                Stage::Emit => "encoding objects",
                _ if LINES.contains(&fault.name) => "lines objects",
                _ => "container objects",
            };
            run(&plant, "fast").expect(3, judge);
            assert!(!folder.join("out.cubin").exists(), "{plant}: an output was written");
            let (judge, chip) = (judge.trim_end_matches(" objects"), arch.trim_start_matches("-arch="));
            sassafras_oracle::fault::planted(judge, &chip, fault.name, 1, 1);
        }
        // Without judges the fault goes into the file: it is well-formed.
        run(fault.name, "none").expect(0, "");
        std::fs::remove_file(folder.join("out.cubin")).expect("it was written");
    }
    run("nonsense", "fast").expect(2, "no fault is called `nonsense`");
}
