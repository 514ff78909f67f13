//! A toolkit folder with our binary in the place of its `ptxas`: nvcc builds programs through us.

mod common;

use std::path::Path;
use std::process::Command;

use common::{Run, sassafras};
use sassafras_oracle::{Tools, skip, workspace_root};
use tempfile::{TempDir, tempdir};

/// Links to everything of a toolkit, but our binary as `ptxas`. nvcc finds its tools beside the name that it was called by.
fn toolkit(theirs: &Path) -> TempDir {
    let folder = tempdir().expect("a folder");
    let link = |from: &Path, to: &Path| std::os::unix::fs::symlink(from, to).expect("a link");
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).expect("the folder is ours");
    for entry in std::fs::read_dir(theirs.join("bin")).expect("it is there").flatten() {
        if entry.file_name() != "ptxas" {
            link(&entry.path(), &bin.join(entry.file_name()));
        }
    }
    link(Path::new(env!("CARGO_BIN_EXE_sassafras")), &bin.join("ptxas"));
    for name in ["include", "lib", "nvvm"] {
        link(&theirs.join(name), &folder.path().join(name));
    }
    link(Path::new("lib"), &folder.path().join("lib64"));
    folder
}

#[test]
fn programs_are_built_by_nvcc_through_us() {
    let tools = Tools::here();
    let (ptxas, cuobjdump) = match (tools.ptxas("13.0.88"), tools.nvcc(), tools.cuobjdump()) {
        (Ok(ptxas), Ok(_), Ok(cuobjdump)) => (ptxas, cuobjdump),
        (Err(reason), ..) | (_, Err(reason), _) | (.., Err(reason)) => {
            return skip("programs_are_built_by_nvcc_through_us", &reason);
        }
    };
    let bin = std::fs::canonicalize(ptxas.path()).expect("it was found");
    let theirs = bin.ancestors().nth(2).expect("bin/ptxas lies in a toolkit");
    let toolkit = toolkit(theirs);
    let work = tempdir().expect("a folder");
    let nvcc = |words: &[&str], program: &Path| {
        let mut command = Command::new(toolkit.path().join("bin/nvcc"));
        command.arg("-arch=sm_90").args(words).arg(program).current_dir(work.path());
        Run::of(command.output().expect("nvcc starts"))
    };
    for name in ["saxpy", "tiles", "count"] {
        let program = workspace_root().join("tests/tools/programs").join(name).with_extension("cu");
        for (words, output) in [
            (&["-ptx"][..], "k.ptx"),
            (&["-cubin"], "k.cubin"),
            (&["-fatbin"], "k.fatbin"),
            (&["-c"], "k.o"),
            (&["-Xptxas", "-v"], "k.exe"),
            (&["-shared", "-Xcompiler", "-fPIC"], "k.so"),
        ] {
            let run = nvcc(&[words, &["-o", output]].concat(), &program);
            assert_eq!(run.code, 0, "{name} {words:?}\n{}{}", run.out, run.err);
            assert!(work.path().join(output).exists(), "{name} {words:?}");
            if matches!(output, "k.fatbin" | "k.o" | "k.exe" | "k.so") {
                let listed = cuobjdump.run(&work.path().join(output), &["-lelf"]).expect("cuobjdump runs");
                assert!(listed.stdout.contains("sm_90.cubin"), "{name} {output}: {}", listed.stdout);
            }
        }
        // The code in the cubin is ours.
        sassafras(work.path(), &["compile", "k.ptx", "-arch=sm_90", "-o", "ours.cubin"]).expect(0, "");
        let read = |file: &str| std::fs::read(work.path().join(file)).expect("it was written");
        assert_eq!(read("k.cubin"), read("ours.cubin"), "{name}");
    }
}
