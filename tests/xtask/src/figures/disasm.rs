//! `figures disasm`: our disassembler against nvdisasm on the recorded code of sm_90, in one run, one thread each.

use super::binary;
use crate::process::cargo;
use anyhow::{Context, Result, bail};
use sassafras_oracle::Tools;
use serde::Serialize;
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Timed runs of each, taken in turns; the median counts.
const RUNS: usize = 5;
/// Words in the file that both read: the recorded ones, over and over.
const WORDS: usize = 200_000;

#[derive(Serialize)]
struct Figure {
    schema: u32,
    figure: &'static str,
    chip: &'static str,
    runs: usize,
    /// Words of the large file, and how many of them differ.
    words: usize,
    distinct_words: usize,
    nvdisasm: Process,
    ours: Process,
    /// In one process, without start-up and files: `examples/throughput.rs` of the isa crate.
    ours_inside: Value,
    /// Each recorded cubin in a process of its own.
    cubins: Cubins,
    /// Ours over nvdisasm's words per second; more is better.
    ratio: Ratio,
}

/// One disassembler as a process. Seconds of wall time.
#[derive(Serialize)]
struct Process {
    /// A file of one word.
    start_up_s: f64,
    /// The large file.
    large_s: f64,
    words_per_s: f64,
    words_per_s_without_start_up: f64,
}

#[derive(Serialize)]
struct Cubins {
    files: usize,
    nvdisasm_s: f64,
    ours_s: f64,
}

#[derive(Serialize)]
struct Ratio {
    with_start_up: f64,
    without_start_up: f64,
    decode_print_inside: f64,
    cubins: f64,
}

/// Measures and prints one JSON record.
pub fn disasm(root: &Path) -> Result<()> {
    let nvdisasm = Tools::find(root).nvdisasm()?;
    let sassafras = binary(root, true)?;
    let inside = cargo(
        root,
        &["build", "--quiet", "--release", "--package", "sassafras-isa", "--example", "throughput"],
    )
    .status()?;
    if !inside.success() {
        bail!("the build failed");
    }
    let inside = sassafras.parent().context("a binary lies in a folder")?.join("examples/throughput");
    let folder = root.join("target/figures/disasm");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let (cubins, recorded) = unpack(root, &folder)?;
    let distinct: std::collections::BTreeSet<u128> = recorded.iter().copied().collect();
    let large: Vec<u128> = recorded.iter().copied().cycle().take(WORDS).collect();
    let (one_file, large_file) = (folder.join("one.bin"), folder.join("large.bin"));
    write(&one_file, &large[..1])?;
    write(&large_file, &large)?;
    let theirs = |file: &Path| nvdisasm.run(file, &["-b", "SM90", "-ndf", "-c"]).map(|o| o.seconds);
    let mine = |file: &Path| timed(Command::new(&sassafras).args(["disasm", "--raw", "SM90"]).arg(file));
    let (mut a, mut b, mut x, mut y) = (vec![], vec![], vec![], vec![]);
    for _ in 0..RUNS {
        a.push(theirs(&one_file)?);
        x.push(mine(&one_file)?);
        b.push(theirs(&large_file)?);
        y.push(mine(&large_file)?);
    }
    let nvdisasm_side = process(&mut a, &mut b);
    let our_side = process(&mut x, &mut y);
    let out = Command::new(&inside).arg(&large_file).arg("sm_90").output()?;
    if !out.status.success() {
        bail!("{}", String::from_utf8_lossy(&out.stderr));
    }
    let inside: Value = serde_json::from_slice(&out.stdout)?;
    // A sample of the cubins: nvdisasm takes half a second for each.
    let sample: Vec<&PathBuf> = cubins.iter().step_by(10).collect();
    let mut whole = Cubins { files: sample.len(), nvdisasm_s: 0.0, ours_s: 0.0 };
    for file in sample {
        whole.nvdisasm_s += nvdisasm.run(file, &["-c"])?.seconds;
        whole.ours_s += timed(Command::new(&sassafras).arg("disasm").arg(file))?;
    }
    let printing = inside["decode_print_words_per_s"].as_f64().context("a rate")?;
    let ratio = Ratio {
        with_start_up: our_side.words_per_s / nvdisasm_side.words_per_s,
        without_start_up: our_side.words_per_s_without_start_up / nvdisasm_side.words_per_s_without_start_up,
        decode_print_inside: printing / nvdisasm_side.words_per_s_without_start_up,
        cubins: whole.nvdisasm_s / whole.ours_s,
    };
    let figure = Figure {
        schema: 1,
        figure: "disasm",
        chip: "sm_90",
        runs: RUNS,
        words: WORDS,
        distinct_words: distinct.len(),
        nvdisasm: nvdisasm_side,
        ours: our_side,
        ours_inside: inside,
        cubins: whole,
        ratio,
    };
    println!("{}", serde_json::to_string_pretty(&figure)?);
    Ok(())
}

fn write(path: &Path, words: &[u128]) -> Result<()> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    std::fs::write(path, bytes).with_context(|| path.display().to_string())
}

fn timed(command: &mut Command) -> Result<f64> {
    let started = Instant::now();
    // Their output is read through a pipe; so is ours.
    let out = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output()?;
    if !out.status.success() {
        bail!("{}", String::from_utf8_lossy(&out.stderr));
    }
    Ok(started.elapsed().as_secs_f64())
}

fn process(small: &mut [f64], large: &mut [f64]) -> Process {
    let median = |list: &mut [f64]| {
        list.sort_by(f64::total_cmp);
        list[list.len() / 2]
    };
    let (start_up_s, large_s) = (median(small), median(large));
    Process {
        start_up_s,
        large_s,
        words_per_s: WORDS as f64 / large_s,
        words_per_s_without_start_up: WORDS as f64 / (large_s - start_up_s).max(1e-6),
    }
}

/// Unpacks the recorded cubins of sm_90, and gives their files and all their words.
fn unpack(root: &Path, folder: &Path) -> Result<(Vec<PathBuf>, Vec<u128>)> {
    let mut packed = Vec::new();
    let mut folders = vec![root.join("reference-traces/13.0.88/sm_90")];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(&at).with_context(|| at.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(".cubin.gz") {
                packed.push(path);
            }
        }
    }
    packed.sort();
    let (mut files, mut words) = (Vec::new(), Vec::new());
    for (i, path) in packed.iter().enumerate() {
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(std::fs::File::open(path)?).read_to_end(&mut bytes)?;
        words.extend(code(&bytes).with_context(|| path.display().to_string())?);
        let file = folder.join(format!("{i}.cubin"));
        std::fs::write(&file, &bytes)?;
        files.push(file);
    }
    Ok((files, words))
}

/// The words of an ELF file's executable sections.
fn code(bytes: &[u8]) -> Option<Vec<u128>> {
    let number = |at: usize, size: usize| {
        let mut raw = [0; 8];
        raw[..size].copy_from_slice(bytes.get(at..at + size)?);
        Some(u64::from_le_bytes(raw) as usize)
    };
    let (headers, count) = (number(0x28, 8)?, number(0x3c, 2)?);
    let mut words = Vec::new();
    for at in (0..count).map(|i| headers + 64 * i) {
        if number(at + 8, 8)? & 4 != 0 {
            let (offset, size) = (number(at + 24, 8)?, number(at + 32, 8)?);
            let chunks = bytes.get(offset..offset + size)?.chunks_exact(16);
            words.extend(chunks.map(|b| u128::from_le_bytes(b.try_into().expect("chunks of 16"))));
        }
    }
    Some(words)
}
