//! PTX that compilers write, from kernels of our own: compiled as those compilers ask for it.
//!
//! `corpus/producers/TOOL/*.ptx` was made by the scripts in `tests/tools/TOOL/`. `cargo xtask long triton` makes Triton's anew, with our
//! binary as its `ptxas`, and counts what is compiled.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::Run;
use sassafras_oracle::workspace_root;
use tempfile::{TempDir, tempdir};

/// What does not compile yet: the file, the exit code, and a part of the message. A row that compiles should go.
const NOT_YET: &[(&str, i32, &str)] = &[];

fn named(name: &str) -> (TempDir, PathBuf) {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sassafras"), &path).expect("a name for it");
    (folder, path)
}

fn stored(tool: &str) -> Vec<PathBuf> {
    let folder = workspace_root().join("corpus/producers").join(tool);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("it is part of the repository")
        .flatten()
        .map(|e| e.path())
        .collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "ptx"));
    paths.sort();
    paths
}

/// Compiles the stored texts with a tool's line, all but those of [`NOT_YET`].
fn compiled(tool: &str, line: &[&str]) {
    let (folder, ptxas) = named("ptxas");
    let mut count = 0;
    let mut wrong = Vec::new();
    for path in stored(tool) {
        let name = format!("{tool}/{}", path.file_name().unwrap_or_default().to_string_lossy());
        let output = Command::new(&ptxas)
            .args(line)
            .arg(&path)
            .args(["-o", "out"])
            .current_dir(folder.path())
            .output();
        let run = Run::of(output.expect("it starts"));
        let row = NOT_YET.iter().find(|row| row.0 == name);
        let as_expected = match row {
            Some(_) if run.code == 0 => {
                println!("{name} compiles now: its row in NOT_YET can go");
                true
            }
            Some((_, code, part)) => run.code == *code && run.err.contains(part),
            None => run.code == 0,
        };
        if !as_expected {
            wrong.push(format!("{name}: exit code {}\n{}", run.code, run.err));
        }
        count += usize::from(run.code == 0);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{tool}: {count} of {} compiled", stored(tool).len());
    assert!(!stored(tool).is_empty(), "nothing is stored for {tool}");
}

#[test]
fn what_triton_writes_compiles() {
    let line = ["-lineinfo", "-v", "--regAllocOptLevel=2", "--gpu-name=sm_90a"];
    compiled("triton", &line);
}

/// tinygrad gives no line of its own; numba hands its PTX to a linker.
#[test]
fn what_numba_and_tinygrad_write_compiles() {
    compiled("numba", &["-arch=sm_90"]);
    compiled("tinygrad", &["-arch=sm_90"]);
}

/// Triton's whole flow without a GPU, its compiler replaced by ours.
#[test]
#[ignore = "it fetches Triton's wheel of 280 MB: cargo xtask long triton"]
fn triton_compiles_through_us() {
    let root = workspace_root();
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join("triton");
    let python = venv.join("bin/python");
    if !python.exists() {
        run("python3", &["-m", "venv", &venv.display().to_string()]);
        run(&python.display().to_string(), &["-m", "pip", "install", "-q", "triton==3.9.0"]);
    }
    let (_links, ptxas) = named("ptxas-blackwell");
    let out = tempdir().expect("a folder");
    let output = Command::new(&python)
        .arg(root.join("tests/tools/triton/run.py"))
        .args([out.path().as_os_str(), "90".as_ref()])
        .env("TRITON_PTXAS_BLACKWELL_PATH", &ptxas)
        .env("TRITON_CACHE_DIR", out.path().join("cache"))
        .env("TRITON_DEFAULT_FP_FUSION", "1")
        .output();
    let run = Run::of(output.expect("python starts"));
    println!("{}", run.out);
    assert_eq!(run.code, 0, "{}", run.err);
    let compiled = run.out.lines().filter(|l| l.contains(" compiled ")).count();
    let refused = NOT_YET.iter().filter(|row| row.0.starts_with("triton/")).count();
    assert!(compiled >= 14 - refused, "{}{}", run.out, run.err);
}

fn run(program: &str, words: &[&str]) {
    let status = Command::new(program).args(words).status();
    assert!(status.is_ok_and(|s| s.success()), "{program} {words:?} failed");
}
