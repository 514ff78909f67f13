//! ptxas's known errors over all chips and all versions of ptxas that are here: each program of `corpus/ptxas-open` compiled, and its code proved.
//!
//! `errors --prove BINARY [--only TEXT] [--jobs N]`: prints the report that `reports/ptxas-open.md` holds. A program is compiled as PTX 7.8 for sm_75
//! where ptxas takes it so, else as it stands. Equal code of forms and layouts that are equal is proved once.

use anyhow::{Context, Result, bail};
use sassafras_chip::Chip;
use sassafras_oracle::{Ptxas, Tools, table};
use sassafras_reference::workspace_root;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is known of one program's code.
type Cell = &'static str;

const REFUSED: Cell = "-";
const UNKNOWN: Cell = "?";

/// A verdict as a cell.
fn cell(verdict: &str) -> Cell {
    match verdict {
        "proved" => "proved",
        "proved within a bound" => "within",
        "refuted" => "REFUTED",
        _ => UNKNOWN,
    }
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
        let worst = ["REFUTED", UNKNOWN, "within", "proved"].into_iter().find(|c| cells.contains(c));
        Ok(worst.unwrap_or(UNKNOWN))
    }

    fn program(&self, name: &str, texts: &[String], ptxas: &Ptxas, chip: Chip) -> Result<Cell> {
        let folder = tempfile::tempdir()?;
        let (ptx, cubin) = (folder.path().join("k.ptx"), folder.path().join("k.cubin"));
        for text in texts {
            std::fs::write(&ptx, text)?;
            let Ok((bytes, _)) = ptxas.compile(&ptx, &chip.to_string(), &[]) else { continue };
            let key = (name.to_owned(), key(&bytes, chip)?);
            let known =
                self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get(&key).copied();
            if let Some(cell) = known {
                return Ok(cell);
            }
            std::fs::write(&cubin, &bytes)?;
            let cell = self.prove(&ptx, &cubin)?;
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
    for entry in std::fs::read_dir(root.join("corpus/ptxas-open"))? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|e| e == "ptx") && name.contains(&only) {
            programs.insert(name, texts(&std::fs::read_to_string(&path)?));
        }
    }
    let work: Vec<(&String, &Vec<String>, &Ptxas)> =
        programs.iter().flat_map(|(n, t)| house.ptxas.iter().map(move |p| (n, t, p))).collect();
    let (at, rows) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some((name, texts, ptxas)) = work.get(at.fetch_add(1, Ordering::Relaxed)) {
                    let of = |chip| house.program(name, texts, ptxas, chip).unwrap_or(UNKNOWN);
                    let row: Vec<Cell> = Chip::ALL.into_iter().map(of).collect();
                    let key = ((*name).clone(), versions.iter().position(|v| *v == ptxas.version()));
                    rows.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(key, row);
                }
            });
        }
    });
    let rows = rows.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    print!("{}", report(&versions, &rows));
    Ok(())
}

fn report(versions: &[&str], rows: &BTreeMap<(String, Option<usize>), Vec<Cell>>) -> String {
    let mut out = String::from(
        "# ptxas's known errors on every chip\n\nWritten by `cargo xtask figures errors`: each program of `corpus/ptxas-open`, compiled by each version \
         of ptxas that is installed, and its code\nheld against the PTX by `sassafras prove`. `-`: this ptxas refuses the program or the chip. `within`: \
         proved within a bound, or by an assumption. `?`: unknown.\n\n| program | ptxas |",
    );
    Chip::ALL.iter().for_each(|chip| out += &format!(" {chip} |"));
    out += "\n| --- | --- |";
    Chip::ALL.iter().for_each(|_| out += " --- |");
    let mut counts: BTreeMap<Cell, usize> = BTreeMap::new();
    for ((name, version), row) in rows {
        let version = version.and_then(|v| versions.get(v)).copied().unwrap_or("?");
        out += &format!("\n| {name} | {version} | {} |", row.join(" | "));
        row.iter().for_each(|c| *counts.entry(c).or_default() += 1);
    }
    let counts: Vec<String> = counts.iter().map(|(c, n)| format!("`{c}` {n}")).collect();
    out + &format!("\n\nCells: {}.\n", counts.join(", "))
}
