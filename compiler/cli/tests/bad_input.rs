//! Every command that reads a module or a cubin, on every kind of input that is wrong: a clear message, exit code 1, nothing printed
//! as if it were a result, nothing left behind.

mod common;

use common::{cubin, sassafras};
use std::path::Path;
use tempfile::tempdir;

/// Commands that read a cubin called `in`; `good.ptx` lies beside it.
const OF_CUBINS: [&[&str]; 5] = [
    &["disasm", "in"],
    &["roundtrip", "in"],
    &["check", "in"],
    &["run", "in", "--grid", "1", "--block", "1"],
    &["prove", "good.ptx", "--against", "in"],
];

/// Commands that read a module called `in`; `good.cubin` lies beside it.
const OF_MODULES: [&[&str]; 5] = [
    &["compile", "in", "-o", "out"],
    &["check", "in"],
    &["run", "in", "--grid", "1", "--block", "1"],
    &["prove", "in"],
    &["prove", "in", "--against", "good.cubin"],
];

const GOOD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n";

fn folder_with(input: &[u8]) -> tempfile::TempDir {
    let folder = tempdir().expect("a folder");
    write(folder.path(), "in", input);
    write(folder.path(), "good.ptx", GOOD.as_bytes());
    write(folder.path(), "good.cubin", &cubin());
    folder
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(folder.join(name), bytes).expect("the folder is ours");
}

/// Runs a command, which must refuse its input: exit code 1, a message that names the file, no output, no file.
#[track_caller]
fn refuses(folder: &Path, words: &[&str], part: &str, what: &str) {
    let run = sassafras(folder, words);
    let all = format!("{words:?} on {what}:\nstdout:\n{}\nstderr:\n{}", run.out, run.err);
    assert_eq!(run.code, 1, "{all}");
    assert!(run.err.contains("error") && run.err.contains("in") && run.err.contains(part), "{all}");
    assert!(!run.err.contains("panicked") && !run.err.contains("C0009"), "{all}");
    assert_eq!(run.out, "", "{all}");
    assert_eq!(std::fs::read_dir(folder).expect("it is ours").count(), 3, "{all}");
}

fn noise() -> Vec<u8> {
    (0u32..1 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

#[test]
fn cubins() {
    let good = cubin();
    let inputs: [(&str, &[u8], &str); 4] = [
        ("an empty file", &[], "the file is empty"),
        ("a cut header", &good[..40], "ends inside the ELF header"),
        ("half a file", &good[..good.len() / 2], "offset 0x"),
        ("a file without its last byte", &good[..good.len() - 1], "offset 0x"),
    ];
    for (what, bytes, part) in inputs {
        let folder = folder_with(bytes);
        for words in OF_CUBINS {
            // What tells a cubin from a module is its first bytes; without them `check` and `run` see a module.
            let part =
                if bytes.is_empty() && matches!(words[0], "check" | "run") { ".version" } else { part };
            refuses(folder.path(), words, part, what);
        }
    }
    let folder = folder_with(&noise());
    for words in OF_CUBINS {
        refuses(folder.path(), words, "", "a megabyte of noise");
    }
}

/// Each byte of the ELF header in turn, but for those that say nothing: padding of the identification, and in the flags
/// the chip's neighbours.
#[test]
fn header_fields() {
    let good = cubin();
    let mut accepted = Vec::new();
    for at in 0..64 {
        for change in [0x01, 0xff] {
            let mut bad = good.clone();
            bad[at] ^= change;
            let folder = folder_with(&bad);
            for words in OF_CUBINS {
                if at < 4 && matches!(words[0], "check" | "run") {
                    refuses(folder.path(), words, "", "a wrong magic number");
                    continue;
                }
                let run = sassafras(folder.path(), words);
                if run.code == 0 {
                    accepted.push((at, change));
                    continue;
                }
                refuses(folder.path(), words, "C0005", &format!("byte {at:#x} changed by {change:#x}"));
            }
        }
    }
    accepted.dedup();
    assert_eq!(accepted, [], "corrupted headers were taken");
}

#[test]
fn modules() {
    let body = |line: &str| {
        format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.func f(.param .b32 x) {{ ret; }}\n.visible .entry k()\n{{\n\
             .reg .b32 a, b;\n.reg .f32 c;\n.reg .b64 w;\nL:\n{line}\nret;\n}}\n"
        )
    };
    let inputs: [(&str, Vec<u8>, &str); 12] = [
        ("an empty file", Vec::new(), ".version"),
        ("a truncated file", GOOD.as_bytes()[..GOOD.len() - 10].to_vec(), "in:"),
        ("a megabyte of noise", noise(), ""),
        ("no such chip", GOOD.replace("sm_90", "sm_22").into_bytes(), "sm_22"),
        ("an unknown version", GOOD.replace("8.0", "99.9").into_bytes(), "99.9"),
        ("an unknown instruction", body("frobnicate.b32 a, b;").into_bytes(), "in:11:1"),
        ("a type error", body("add.u32 a, c, b;").into_bytes(), "in:11:12"),
        ("an undeclared register", body("add.u32 a, b, z;").into_bytes(), "in:11:15"),
        ("a duplicate label", body("L:").into_bytes(), "in:11:1"),
        ("a mismatched call", body("call f, (w);").into_bytes(), "in:11:"),
        ("too many arguments", body("call f, (a, b);").into_bytes(), "in:11:"),
        ("a width that does not fit", body("add.u64 w, w, a;").into_bytes(), "in:11:"),
    ];
    for (what, bytes, part) in inputs {
        let folder = folder_with(&bytes);
        for words in OF_MODULES {
            refuses(folder.path(), words, part, what);
        }
    }
}
