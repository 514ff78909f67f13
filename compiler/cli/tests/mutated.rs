//! Files that were right once, changed at random, over all commands: each ends within some seconds and some memory, with a message and without a panic.
//! `cargo xtask long bad-inputs` takes 20,000 of them.

#![cfg(unix)]

mod common;

use common::limited::fault;
use sassafras_oracle::workspace_root;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::tempdir;

/// A run of two threads.
const RUN: &[&str] = &[
    "run",
    "in",
    "--grid",
    "1",
    "--block",
    "2",
    "--steps",
    "20000",
    "--arg",
    "zeros:4096",
    "--arg",
    "zeros:4096",
    "--arg",
    "u32:3",
];
/// Commands that take PTX.
const OF_PTX: &[&[&str]] = &[
    &["compile", "in", "-arch", "sm_90", "-o", "out"],
    &["check", "in"],
    RUN,
    &["prove", "in", "--timeout", "2"],
];
/// Commands that take a cubin; `good.ptx` lies beside it.
const OF_CUBINS: &[&[&str]] = &[
    &["disasm", "in"],
    &["disasm", "-cfg", "in"],
    &["disasm", "--all", "in"],
    &["roundtrip", "in"],
    &["check", "in"],
    &["list", "in"],
    RUN,
    &["prove", "good.ptx", "--against", "in", "--timeout", "2"],
];
/// Commands that take machine code as text.
const OF_SASS: &[&[&str]] = &[&["asm", "in", "-arch", "sm_90", "-o", "out"]];

/// Draws by splitmix64.
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }
}

/// What numbers are replaced by.
const NUMBERS: [&str; 10] = [
    "0",
    "-1",
    "255",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "0x",
    "1000000",
    "3.5",
];

/// Bytes of a file, changed in one to four places.
fn changed(good: &[u8], other: &[u8], text: bool, d: &mut Draws) -> Vec<u8> {
    let mut all = good.to_vec();
    for _ in 0..1 + d.below(4) {
        let at = d.below(all.len().max(1));
        let end = (at + 1 + d.below(32)).min(all.len());
        match d.below(if text { 9 } else { 7 }) {
            0 => {
                if let Some(b) = all.get_mut(at) {
                    *b ^= 1 << d.below(8);
                }
            }
            1 => {
                if let Some(b) = all.get_mut(at) {
                    *b = [0, 1, 0x7f, 0x80, 0xff][d.below(5)];
                }
            }
            2 => {
                all.drain(at..end);
            }
            3 => {
                let part = all[at..end].to_vec();
                all.splice(at..at, part);
            }
            4 => all.truncate(at),
            5 => {
                let from = d.below(other.len().max(1));
                let part = &other[from..(from + 64).min(other.len())];
                all.splice(at..at, part.iter().copied());
            }
            6 => {
                // A field of four bytes, as headers have them.
                let at = at & !3;
                if let Some(field) = all.get_mut(at..at + 4) {
                    field.copy_from_slice(&[u32::MAX, 0x7fff_ffff, 1 << 20, 0][d.below(4)].to_le_bytes());
                }
            }
            7 => {
                // A number, or what stands there, becomes another.
                let digits = all[at..].iter().position(u8::is_ascii_digit).map_or(at, |i| at + i);
                let end = all[digits..]
                    .iter()
                    .position(|b| !b.is_ascii_alphanumeric())
                    .map_or(all.len(), |i| digits + i);
                all.splice(digits..end, NUMBERS[d.below(NUMBERS.len())].bytes());
            }
            _ => {
                // Two lines change places.
                let mut lines: Vec<Vec<u8>> = all.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
                let (a, b) = (d.below(lines.len()), d.below(lines.len()));
                lines.swap(a, b);
                all = lines.join(&b'\n');
            }
        }
    }
    all
}

/// Files of a folder that end so, sorted.
fn files(folder: &Path, end: &str) -> Vec<Vec<u8>> {
    let all = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|f| f.path());
    let mut paths: Vec<_> = all.filter(|p| p.to_string_lossy().ends_with(end)).collect();
    paths.sort();
    paths.into_iter().filter_map(|p| std::fs::read(p).ok()).collect()
}

#[test]
fn changed_files_end_in_time_and_memory() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let whole = std::env::var_os("SASSAFRAS_ALL_BAD").is_some();
    let count = number("SASSAFRAS_BAD_COUNT").unwrap_or(if whole { 20_000 } else { 40 });
    let first = number("SASSAFRAS_BAD_FROM").unwrap_or(0);
    let root = workspace_root();
    let sources = files(&root.join("corpus/features"), ".ptx");
    assert!(sources.len() > 50, "{}", sources.len());
    let texts = |folder: &Path| -> Vec<(Vec<u8>, Vec<u8>)> {
        // What our compiler makes of some of them, as a cubin and as text.
        let mut all = Vec::new();
        for source in sources.iter().step_by(sources.len() / 12) {
            std::fs::write(folder.join("x.ptx"), source).expect("the folder is ours");
            let made = common::sassafras(folder, &["compile", "x.ptx", "-arch", "sm_90", "-o", "x.cubin"]);
            let Ok(cubin) = std::fs::read(folder.join("x.cubin")) else { continue };
            if made.code == 0 {
                all.push((
                    cubin,
                    common::sassafras(folder, &["disasm", "--control", "x.cubin"]).out.into_bytes(),
                ));
            }
        }
        all
    };
    let folder = tempdir().expect("a folder");
    let code = texts(folder.path());
    assert!(code.len() >= 8, "{} compile", code.len());
    let next = AtomicU64::new(first);
    let work = || {
        let folder = tempdir().expect("a folder");
        std::fs::write(folder.path().join("good.ptx"), &sources[0]).expect("the folder is ours");
        let mut faults = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count {
                break faults;
            }
            let mut d = Draws(seed.wrapping_mul(0xd1b5_4a32_d192_ed03));
            let (commands, bytes) = match seed % 4 {
                0 | 1 => {
                    let (a, b) = (d.below(sources.len()), d.below(sources.len()));
                    (OF_PTX, changed(&sources[a], &sources[b], true, &mut d))
                }
                2 => {
                    let (a, b) = (d.below(code.len()), d.below(code.len()));
                    (OF_CUBINS, changed(&code[a].0, &code[b].0, false, &mut d))
                }
                _ => {
                    let (a, b) = (d.below(code.len()), d.below(code.len()));
                    (OF_SASS, changed(&code[a].1, &code[b].1, true, &mut d))
                }
            };
            std::fs::write(folder.path().join("in"), &bytes).expect("the folder is ours");
            for words in commands {
                let Some(what) = fault(folder.path(), words) else { continue };
                let kept = std::env::temp_dir().join(format!("sassafras-bad-{seed}"));
                std::fs::write(&kept, &bytes).expect("a file can be kept");
                faults.push(format!("{} on {}: {what}", words.join(" "), kept.display()));
            }
        }
    };
    let faults: Vec<String> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        all.into_iter().flat_map(|t| t.join().expect("it ends")).collect()
    });
    eprintln!("{count} changed files, {} faults", faults.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
