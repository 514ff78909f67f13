//! ptxas's known errors over all chips, levels, and versions of ptxas that are here: each program of `corpus/ptxas-open` and `corpus/ptxas-errors`
//! compiled, and its code proved; where the prover does not decide, both executors run it.
//!
//! `errors --prove BINARY [--only TEXT] [--jobs N]`: prints the table that `verify/lint/src/measured.csv` holds. A program is compiled as PTX 7.8 for
//! sm_75 where ptxas takes it so, else as it stands. Equal code of forms and layouts that are equal is proved once.

use anyhow::{Context, Result, bail};
use sassafras_chip::Chip;
use sassafras_execute::{Argument, Launch, Options, ptx, sass};
use sassafras_oracle::{Ptxas, Tools, table};
use sassafras_reference::workspace_root;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is known of one program's code.
type Cell = &'static str;

/// This ptxas refuses the program, the chip, or both.
const REFUSED: Cell = "-";
/// Neither the prover nor a run decides.
const UNKNOWN: Cell = "unknown";
/// The prover does not decide, and the executors' results differ on an input.
const DIFFERS: Cell = "differs";
/// ptxas's levels.
const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

/// A verdict as a cell.
fn cell(verdict: &str) -> Cell {
    match verdict {
        "proved" => "proved",
        "proved within a bound" => "within",
        "refuted" => "refuted",
        _ => UNKNOWN,
    }
}

/// Words at the edges of formats, and others, for 64 threads of 16 bytes.
fn inputs() -> Vec<u8> {
    const EDGES: [u32; 12] = [
        0,
        1,
        0x8000_0000,
        0x7fff_ffff,
        0xffff_ffff,
        0x7fc0_0000,
        0xffc0_0001,
        0x0000_0001,
        0xbf80_0000,
        0x3f80_0000,
        0x0100_0000,
        0xfffe_7fff,
    ];
    let mut state = 1u32;
    let word = |i: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if state >> 31 == 0 {
            EDGES[(i + (state >> 20) as usize) % EDGES.len()]
        } else {
            state.rotate_left(7)
        }
    };
    (0..256).map(word).flat_map(u32::to_le_bytes).collect()
}

/// Whether both executors run the program, and what they leave differs.
fn differs(text: &str, cubin: &[u8]) -> Result<bool> {
    let module = sassafras_ptx::load(text, "program").map_err(|e| anyhow::anyhow!("{e:?}"))?;
    let mut launch = Launch::new([1, 1, 1], [64, 1, 1]);
    let arguments = [
        Argument::Buffer(vec![0; 1024]),
        Argument::Buffer(inputs()),
        Argument::Value(64u32.to_le_bytes().to_vec()),
    ];
    launch.arguments(&ptx::layout(&module, "k")?, &arguments)?;
    let right = ptx::run(&module, "k", &launch, &Options::default())?;
    let found = sass::run(&sassafras_cubin::read(cubin)?, "k", &launch, &Options::default())?;
    Ok(found.buffers[0] != right.buffers[0])
}

/// Everything on which the verdict of some code depends besides the PTX: forms, words, and the layout of constants.
fn key(cubin: &[u8], chip: Chip) -> Result<String> {
    let cubin = sassafras_cubin::read(cubin)?;
    let mut key = format!("{:?}", chip.bank());
    for f in &cubin.functions {
        for &word in &f.code {
            let form = sassafras_isa::decode(word, chip).map_or("?", |inst| inst.row().id);
            key += &format!("{word:x} {form};");
        }
    }
    Ok(key)
}

struct House {
    binary: PathBuf,
    ptxas: Vec<Ptxas>,
    known: Mutex<HashMap<(String, String), Cell>>,
}

impl House {
    /// The worst verdict of the entries.
    fn prove(&self, ptx: &Path, cubin: &Path) -> Result<Cell> {
        let mut command = Command::new(&self.binary);
        command.args(["prove", "--format", "json", "--budget", "20", "--timeout", "60"]).arg(ptx);
        let said = command.arg("--against").arg(cubin).output()?;
        let answer: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap_or_default();
        let entries = answer["entries"].as_array().map_or(&[][..], Vec::as_slice);
        let cells: Vec<Cell> =
            entries.iter().map(|e| cell(e["verdict"].as_str().unwrap_or_default())).collect();
        let worst = ["refuted", UNKNOWN, "within", "proved"].into_iter().find(|c| cells.contains(c));
        Ok(worst.unwrap_or(UNKNOWN))
    }

    fn program(&self, name: &str, texts: &[String], ptxas: &Ptxas, level: &str, chip: Chip) -> Result<Cell> {
        let folder = tempfile::tempdir()?;
        let (ptx, cubin) = (folder.path().join("k.ptx"), folder.path().join("k.cubin"));
        for text in texts {
            std::fs::write(&ptx, text)?;
            let Ok((bytes, _)) = ptxas.compile(&ptx, &chip.to_string(), &[level]) else { continue };
            let key = (name.to_owned(), key(&bytes, chip)?);
            let known =
                self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get(&key).copied();
            if let Some(cell) = known {
                return Ok(cell);
            }
            std::fs::write(&cubin, &bytes)?;
            let cell = match self.prove(&ptx, &cubin)? {
                UNKNOWN if differs(text, &bytes).unwrap_or(false) => DIFFERS,
                cell => cell,
            };
            self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(key, cell);
            return Ok(cell);
        }
        Ok(REFUSED)
    }
}

/// The program as an older PTX for the oldest chip, and as it stands.
fn texts(text: &str) -> Vec<String> {
    let older = |line: &str| match line {
        _ if line.starts_with(".version ") => ".version 7.8".to_owned(),
        _ if line.starts_with(".target ") => ".target sm_75".to_owned(),
        _ => line.to_owned(),
    };
    let older: Vec<String> = text.lines().map(older).collect();
    vec![older.join("\n") + "\n", text.to_owned()]
}

fn main() -> Result<()> {
    let (mut binary, mut only, mut jobs) = (None, String::new(), 2);
    let mut all = std::env::args().skip(1);
    while let Some(name) = all.next() {
        let value = all.next().with_context(|| format!("{name} takes a value"))?;
        match name.as_str() {
            "--prove" => binary = Some(PathBuf::from(value)),
            "--only" => only = value,
            "--jobs" => jobs = value.parse::<usize>()?.max(1),
            _ => bail!("no option `{name}`"),
        }
    }
    let root = workspace_root();
    let tools = Tools::find(&root);
    let versions: Vec<&str> = table::CUDA_OLDER.into_iter().chain([table::CUDA, table::CUDA_NEWER]).collect();
    let house = House {
        binary: binary.context("--prove names the binary")?,
        ptxas: versions.iter().filter_map(|v| tools.ptxas(v).ok()).collect(),
        known: Mutex::default(),
    };
    if house.ptxas.is_empty() {
        bail!("no ptxas is here");
    }
    let mut programs = BTreeMap::new();
    for folder in ["corpus/ptxas-open", "corpus/ptxas-errors"] {
        for entry in std::fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if path.extension().is_some_and(|e| e == "ptx") && name.contains(&only) {
                programs.insert(name, texts(&std::fs::read_to_string(&path)?));
            }
        }
    }
    let of =
        |(name, texts)| house.ptxas.iter().flat_map(move |p| LEVELS.map(|level| (name, texts, p, level)));
    let work: Vec<(&String, &Vec<String>, &Ptxas, &str)> = programs.iter().flat_map(of).collect();
    let (at, rows) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some((name, texts, ptxas, level)) = work.get(at.fetch_add(1, Ordering::Relaxed)) {
                    let of = |chip| house.program(name, texts, ptxas, level, chip).unwrap_or(UNKNOWN);
                    let row: Vec<Cell> = Chip::ALL.into_iter().map(of).collect();
                    let key = ((*name).clone(), versions.iter().position(|v| *v == ptxas.version()), *level);
                    rows.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(key, row);
                }
            });
        }
    });
    let rows = rows.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    print!("{}", table_of(&versions, &rows));
    Ok(())
}

fn table_of(versions: &[&str], rows: &BTreeMap<(String, Option<usize>, &str), Vec<Cell>>) -> String {
    let mut out = String::from("program,ptxas,level");
    Chip::ALL.iter().for_each(|chip| out += &format!(",{chip}"));
    for ((name, version, level), row) in rows {
        let version = version.and_then(|v| versions.get(v)).copied().unwrap_or("?");
        out += &format!("\n{name},{version},{level},{}", row.join(","));
    }
    out + "\n"
}
