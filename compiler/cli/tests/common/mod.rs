//! Runs the binary.
#![allow(dead_code)]

#[cfg(unix)]
pub mod limited;

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a run left behind.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    pub fn of(output: Output) -> Run {
        Run {
            code: output.status.code().expect("the process was not killed"),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The exit code and a part of the message must fit, and nobody may have panicked.
    #[track_caller]
    pub fn expect(&self, code: i32, part: &str) -> &Run {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        let all = format!("{}{}", self.out, self.err);
        assert!(all.contains(part), "`{part}` is not in\n{all}");
        assert!(!all.contains("panicked") && !all.contains("C0009"), "{all}");
        self
    }
}

/// Runs `sassafras` with these words in a folder.
pub fn sassafras(folder: &Path, words: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sassafras"));
    Run::of(command.args(words).current_dir(folder).output().expect("the binary starts"))
}

/// The same with bytes on standard input.
pub fn sassafras_with(folder: &Path, words: &[impl AsRef<OsStr>], input: &[u8]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sassafras"));
    command.args(words).current_dir(folder);
    run_with(command, input)
}

/// Runs any command with bytes on standard input.
pub fn run_with(mut command: Command, input: &[u8]) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A child that stops early closes its end; that is its right.
    let _ = child.stdin.take().expect("it was piped").write_all(input);
    Run::of(child.wait_with_output().expect("the binary ends"))
}

/// A sound cubin without a tool of NVIDIA's: one kernel that exits.
pub fn cubin() -> Vec<u8> {
    use sassafras_cubin::{Cubin, Function};
    use sassafras_emit::write;
    // EXIT, `BRA .` and NOPs, as every kernel of sm_90 ends.
    let mut code = vec![0x000fea00_03800000_00000000_0000794d, 0x000fc000_0383ffff_fffffffc_00fc7947];
    code.resize(8, 0x000fc000_00000000_00000000_00007918);
    let kernel = Function {
        name: "k".into(),
        entry: true,
        code,
        registers: 4,
        param_base: 0x210,
        min_stack: Some(0),
        exit_offsets: vec![0],
        max_registers: 0xff,
        ..Function::default()
    };
    write(&Cubin { sm: 90, functions: vec![kernel], ..Cubin::default() }).expect("it fits")
}

/// Every recorded cubin, unpacked.
pub fn recorded() -> Vec<(PathBuf, Vec<u8>)> {
    fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, out);
            } else if path.to_string_lossy().ends_with(".cubin.gz") {
                out.push(path);
            }
        }
    }
    let mut paths = Vec::new();
    walk(&sassafras_oracle::workspace_root().join("reference-traces"), &mut paths);
    paths.sort();
    assert!(paths.len() > 300, "only {} cubins are recorded", paths.len());
    paths
        .into_iter()
        .map(|path| {
            let mut bytes = Vec::new();
            let file = std::fs::File::open(&path).expect("it was listed");
            std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(file), &mut bytes).expect("gzip");
            (path, bytes)
        })
        .collect()
}

/// Every distinct recorded word of a chip.
pub fn recorded_words(wanted: sassafras_isa::Chip) -> Vec<u128> {
    let mut words = std::collections::BTreeSet::new();
    for (_, bytes) in recorded() {
        let Ok(image) = sassafras_cubin::elf::read(&bytes) else { continue };
        if sassafras::listing::chip(&image) != Some(wanted) {
            continue;
        }
        for section in image.sections.iter().filter(|s| s.flags & 4 != 0) {
            let word = |b: &[u8]| u128::from_le_bytes(b.try_into().expect("chunks of 16"));
            words.extend(section.bytes().chunks_exact(16).map(word));
        }
    }
    words.into_iter().collect()
}

/// Bytes that fuzz targets read as choices, by a number.
pub fn choices(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let byte = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..1024).map(byte).collect()
}
