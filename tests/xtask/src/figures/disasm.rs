//! `figures disasm`: our disassembler against nvdisasm on the recorded code of sm_90, in one run, by processor time, one thread each.

use super::binary::binary;
use crate::process::cargo;
use anyhow::{Context, Result, bail};
use sassafras_oracle::Tools;
use serde::Serialize;
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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

/// One disassembler as a process. Seconds of processor time, as the kernel counts them; elsewhere of wall time.
#[derive(Serialize)]
struct Process {
    /// A file of one word.
    start_up_s: f64,
    /// The large file.
    large_s: f64,
    /// Peak memory for the large file, less that for one word, in bytes for each word; 0 where the system does not tell.
    bytes_per_word: f64,
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
    /// As a listing is written, in which lines that were printed lately are copied.
    list_inside: f64,
    cubins: f64,
}

/// Measures and prints one JSON record.
pub fn disasm(root: &Path) -> Result<()> {
    let ptxas = Tools::find(root).ptxas(sassafras_oracle::table::CUDA)?;
    let nvdisasm = ptxas.path().with_file_name("nvdisasm");
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
    let theirs = |file: &Path| timed(Command::new(&nvdisasm).args(["-b", "SM90", "-ndf", "-c"]).arg(file));
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
        whole.nvdisasm_s += timed(Command::new(&nvdisasm).arg("-c").arg(file))?.seconds;
        whole.ours_s += timed(Command::new(&sassafras).arg("disasm").arg(file))?.seconds;
    }
    let printing = inside["decode_print_words_per_s"].as_f64().context("a rate")?;
    let listing = inside["list_words_per_s"].as_f64().context("a rate")?;
    let ratio = Ratio {
        with_start_up: our_side.words_per_s / nvdisasm_side.words_per_s,
        without_start_up: our_side.words_per_s_without_start_up / nvdisasm_side.words_per_s_without_start_up,
        decode_print_inside: printing / nvdisasm_side.words_per_s_without_start_up,
        list_inside: listing / nvdisasm_side.words_per_s_without_start_up,
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

/// What a run took.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    peak_bytes: f64,
}

/// Runs a disassembler, whose text is read through a pipe.
fn timed(command: &mut Command) -> Result<Cost> {
    let started = Instant::now();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let id = child.id();
    let mut out = child.stdout.take().context("it was piped")?;
    let mut buffer = vec![0; 1 << 16];
    let (mut read, mut peak_bytes) = (0, 0.0);
    loop {
        let count = out.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        read += count;
        // The whole text stands in memory before the first part of it is written, or the peak is that of the last look.
        peak_bytes = peak(id).unwrap_or(peak_bytes);
    }
    let wall = started.elapsed().as_secs_f64();
    // Until it is waited for, the kernel keeps the counts of a process that has ended.
    while state(id).is_some_and(|state| state != "Z") {
        std::thread::sleep(Duration::from_millis(1));
    }
    let seconds = processor(id).unwrap_or(wall);
    if !child.wait()?.success() || read == 0 {
        bail!("{command:?} failed");
    }
    Ok(Cost { seconds, peak_bytes })
}

/// Seconds that a process has had a processor.
fn processor(id: u32) -> Option<f64> {
    let told = std::fs::read_to_string(format!("/proc/{id}/schedstat")).ok()?;
    Some(told.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

/// `R`, `S`, `Z` … as in `/proc/ID/stat`.
fn state(id: u32) -> Option<String> {
    let told = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    Some(told.rsplit_once(") ")?.1.split(' ').next()?.to_owned())
}

/// Most memory that a process has had, in bytes.
fn peak(id: u32) -> Option<f64> {
    let told = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<f64>().ok()? * 1024.0)
}

fn process(small: &mut [Cost], large: &mut [Cost]) -> Process {
    let median = |list: &mut [Cost]| {
        list.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        list[list.len() / 2]
    };
    let (small, large) = (median(small), median(large));
    Process {
        start_up_s: small.seconds,
        large_s: large.seconds,
        bytes_per_word: (large.peak_bytes - small.peak_bytes) / WORDS as f64,
        words_per_s: WORDS as f64 / large.seconds,
        words_per_s_without_start_up: WORDS as f64 / (large.seconds - small.seconds).max(1e-6),
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
