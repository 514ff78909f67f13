//! Where output goes: what cannot be written is said, an input is not overwritten, a reader that went away is no error.

#![allow(missing_docs)]
#![cfg(target_os = "linux")]

mod common;

use common::sassafras;
use sassafras_oracle::workspace_root;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::{TempDir, tempdir};

const SOURCE: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<3>;
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [p];
    ld.global.u32 %r1, [%d1];
    add.u32 %r2, %r1, 1;
    st.global.u32 [%d1], %r2;
    ret;
}
";

fn folder() -> TempDir {
    let folder = tempdir().expect("a folder");
    std::fs::write(folder.path().join("k.ptx"), SOURCE).expect("it is ours");
    // The solver is looked for from the working folder upwards.
    let _ = std::os::unix::fs::symlink(workspace_root().join(".z3"), folder.path().join(".z3"));
    sassafras(folder.path(), &["compile", "k.ptx", "-o", "k.cubin", "--quiet"]).expect(0, "");
    folder
}

/// Commands that print something, with the exit code that they have otherwise.
const COMMANDS: [&[&str]; 19] = [
    &["list", "k.cubin"],
    &["disasm", "k.cubin"],
    &["check", "k.cubin"],
    &["check", "k.cubin", "--format", "json"],
    &["roundtrip", "k.cubin"],
    &["run", "k.cubin", "--grid", "1", "--block", "1", "--arg", "zeros:4", "--dump", "0:u32"],
    &["lint", "k.ptx"],
    &["prove", "k.ptx", "-arch", "sm_90"],
    &["prove", "k.ptx", "-arch", "sm_90", "--format", "json"],
    &["isa", "LDG"],
    &["isa"],
    &["oracle", "status"],
    &["compile", "k.ptx", "-o", "-"],
    &["compile", "k.ptx", "--stop-after", "optimise"],
    &["compile", "k.ptx", "-o", "other.cubin", "--format", "json"],
    &["compile", "--help"],
    &["--help"],
    &["--version"],
    &["help", "prove"],
];

fn with(folder: &Path, words: &[&str], out: Stdio) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sassafras"));
    let output = command.args(words).current_dir(folder).stdin(Stdio::null()).stdout(out).output();
    let output = output.expect("the binary starts");
    let code = output.status.code().expect("it was not killed");
    (code, String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_full_disk_is_said() {
    let folder = folder();
    let mut printed = 0;
    for words in COMMANDS {
        let otherwise = sassafras(folder.path(), words);
        if otherwise.out.is_empty() {
            continue;
        }
        printed += 1;
        let full = File::options().write(true).open("/dev/full").expect("Linux has it");
        let (code, err) = with(folder.path(), words, full.into());
        assert_eq!(code, 1, "{words:?}: {err}");
        assert!(err.contains("cannot be written: no space left on device"), "{words:?}: {err}");
    }
    assert!(printed >= 15, "only {printed} of the commands print");
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let folder = folder();
    for words in COMMANDS {
        let otherwise = sassafras(folder.path(), words);
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let (code, err) = with(folder.path(), words, writer.into());
        assert_eq!(code, otherwise.code, "{words:?}: {err}");
        assert!(!err.contains("cannot be written"), "{words:?}: {err}");
    }
}

#[test]
fn an_input_is_not_overwritten() {
    let folder = folder();
    let path = folder.path().join("k.ptx");
    std::os::unix::fs::symlink(&path, folder.path().join("link.ptx")).expect("a link");
    std::fs::copy(&path, folder.path().join("text.cubin")).expect("a copy");
    for words in [
        &["compile", "k.ptx", "-o", "k.ptx"][..],
        &["compile", "k.ptx", "-o", "./k.ptx"],
        &["compile", "k.ptx", "-o", "link.ptx"],
        &["compile", "link.ptx", "-o", "k.ptx"],
        &["compile", "k.ptx", "-o", "o.cubin", "--report", "k.ptx"],
        &["compile", "text.cubin"],
    ] {
        sassafras(folder.path(), words).expect(2, "is the input; the output would take its place");
        assert_eq!(std::fs::read_to_string(&path).expect("it is there"), SOURCE, "{words:?}");
    }
    // By the name of ptxas it may be, as tools do.
    let ptxas = folder.path().join("ptxas");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sassafras"), &ptxas).expect("a link");
    std::fs::copy(&path, folder.path().join("same")).expect("a copy");
    let words = ["-arch=sm_90", "same", "-o", "same"];
    let done = Command::new(&ptxas).args(words).current_dir(folder.path()).status().expect("it starts");
    assert!(done.success());
    assert!(std::fs::read(folder.path().join("same")).expect("it is there").starts_with(b"\x7fELF"));
    let listing = sassafras(folder.path(), &["disasm", "--control", "k.cubin"]);
    std::fs::write(folder.path().join("k.sass"), &listing.out).expect("it is ours");
    sassafras(folder.path(), &["asm", "k.sass", "-o", "k.sass"]).expect(2, "would take its place");
    // A cubin that gets code may be the one that is written.
    sassafras(folder.path(), &["asm", "k.sass", "--into", "k.cubin", "-o", "k.cubin"]).expect(0, "");
}

/// A block of two warps: the threads of the one wait for the flag that the other sets.
fn spins(waits: u32, sets: u32) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{
    .reg .b32 %r<5>; .reg .b64 %d<2>; .reg .pred %p<3>;
    ld.param.u64 %d1, [p];
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    setp.ne.u32 %p1, %r2, {waits};
    @%p1 bra OTHER;
SPIN:
    ld.acquire.gpu.global.u32 %r3, [%d1];
    setp.eq.u32 %p2, %r3, 0;
    @%p2 bra SPIN;
    ret;
OTHER:
    mov.u32 %r4, {sets};
    st.release.gpu.global.u32 [%d1], %r4;
    ret;
}}
"
    )
}

#[test]
fn a_run_that_does_not_end_names_an_order_that_does() {
    let folder = tempdir().expect("a folder");
    let run = |text: &str, order: &str, file: &str| {
        std::fs::write(folder.path().join("k.ptx"), text).expect("it is ours");
        sassafras(folder.path(), &["compile", "k.ptx", "-o", "k.cubin", "--quiet"]).expect(0, "");
        let launch = ["--grid", "1", "--block", "64", "--arg", "zeros:4", "--steps", "20000"];
        sassafras(folder.path(), &[&["run", file, "--order", order][..], &launch].concat())
    };
    for file in ["k.ptx", "k.cubin"] {
        // Warp 0 runs until it waits, and it never does; the other way round warp 1 has set the flag by then.
        run(&spins(0, 1), "2", file).expect(5, "in the order `--order 2`; in the order `--order 0` it ends");
        run(&spins(0, 1), "0", file).expect(0, "");
        run(&spins(1, 1), "2", file).expect(0, "");
        run(&spins(1, 1), "3", file).expect(5, "in the order `--order 3`; in the order `--order 0` it ends");
        // Nobody sets it.
        run(&spins(0, 0), "1", file).expect(5, "none of the orders 0 to 7 ends within 2500 instructions");
    }
}
