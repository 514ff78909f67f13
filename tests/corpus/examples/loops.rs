//! The prover on kernels with loops: `loops [--binary PATH] [--rows FILE] [--chip sm_90] [--every N] [--from K] [--half tune|report] [--folder corpus/loops]
//! [--only TEXT] [--sides ours,13.0.88,13.5.37] [--budget N] [--timeout SECONDS] [--jobs N] [--table only]`.
//!
//! For each entry with loops and each side `sassafras prove` is run; a row is added to the file of `--rows`, and what has a row there is skipped, so that
//! an interrupted run goes on. The end is a table. With `--every N` each N-th entry is taken, from the K-th on. With `--table only` nothing is run.

use anyhow::{Context, Result, bail, ensure};
use sassafras_corpus::loops::half;
use sassafras_corpus::loops::prove::{Prover, Refusal};
use sassafras_corpus::loops::rows::{self, Row, Writer};
use sassafras_corpus::loops::shape::{Form, Shape, shape};
use sassafras_corpus::loops::table::table;
use sassafras_oracle::Tools;
use sassafras_reference::workspace_root;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

struct Arguments {
    prover: Prover,
    rows: PathBuf,
    chip: String,
    every: usize,
    from: usize,
    half: Option<String>,
    folder: PathBuf,
    only: String,
    sides: Vec<String>,
    jobs: usize,
    /// Nothing is run.
    table: bool,
}

fn arguments() -> Result<Arguments> {
    let root = workspace_root();
    let binary = root.join("target/release/sassafras");
    let mut to = Arguments {
        prover: Prover { binary, budget: 3, timeout: 60 },
        rows: root.join("target/loops.csv"),
        chip: "sm_90".into(),
        every: 1,
        from: 0,
        half: None,
        folder: "corpus/loops".into(),
        only: String::new(),
        sides: ["ours", "13.0.88", "13.5.37"].map(String::from).into(),
        jobs: 2,
        table: false,
    };
    let mut all = std::env::args().skip(1);
    while let Some(name) = all.next() {
        let value = all.next().with_context(|| format!("{name} takes a value"))?;
        match name.as_str() {
            "--binary" => to.prover.binary = value.into(),
            "--rows" => to.rows = value.into(),
            "--chip" => to.chip = value,
            "--every" => to.every = value.parse::<usize>()?.max(1),
            "--from" => to.from = value.parse()?,
            "--half" => to.half = Some(value),
            "--folder" => to.folder = value.into(),
            "--only" => to.only = value,
            "--sides" => to.sides = value.split(',').map(String::from).collect(),
            "--budget" => to.prover.budget = value.parse()?,
            "--timeout" => to.prover.timeout = value.parse()?,
            "--jobs" => to.jobs = value.parse::<usize>()?.max(1),
            "--table" => to.table = value == "only",
            _ => bail!("no option `{name}`"),
        }
    }
    Ok(to)
}

/// The files of PTX in a folder and below it, in the order of their names.
fn programs(folder: &Path) -> Result<Vec<PathBuf>> {
    let (mut files, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "ptx") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// An entry to be proved.
struct Item {
    path: PathBuf,
    file: String,
    entry: String,
    half: &'static str,
    shape: Shape,
}

/// The entries with loops that the options ask for.
fn items(arguments: &Arguments, root: &Path) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    for path in programs(&root.join(&arguments.folder))? {
        let text = std::fs::read_to_string(&path)?;
        // Wrong programs are part of the corpus.
        let Ok(module) = sassafras_ptx::load(&text, "x") else { continue };
        let file = path.strip_prefix(root.join("corpus")).unwrap_or(&path).with_extension("");
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let half = match file.starts_with("loops") {
            true => half(&stem),
            false => "-",
        };
        for function in module.functions.iter().filter(|f| f.entry) {
            let shape = shape(&module, function);
            if shape.form != Form::None {
                let (path, file) = (path.clone(), file.display().to_string());
                items.push(Item { path, file, entry: function.name.clone(), half, shape });
            }
        }
    }
    let every = |(at, _): &(usize, Item)| at % arguments.every == arguments.from % arguments.every;
    let share = items.into_iter().enumerate().filter(every).map(|(_, item)| item);
    let wanted = |item: &Item| arguments.half.as_deref().is_none_or(|h| h == item.half);
    let only = |item: &Item| format!("{} {}", item.file, item.entry).contains(&arguments.only);
    Ok(share.filter(|item| wanted(item) && only(item)).collect())
}

/// Cubins, each made once.
struct Cubins<'a> {
    arguments: &'a Arguments,
    tools: Tools,
    folder: tempfile::TempDir,
    made: Mutex<BTreeMap<(PathBuf, String), std::result::Result<PathBuf, Refusal>>>,
}

impl Cubins<'_> {
    /// The code of a file by a side, or why there is none.
    fn get(&self, ptx: &Path, side: &str) -> Result<std::result::Result<PathBuf, Refusal>> {
        let key = (ptx.to_owned(), side.to_owned());
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = made.get(&key) {
            return Ok(found.clone());
        }
        let cubin = self.folder.path().join(format!("{}.cubin", made.len()));
        let chip = &self.arguments.chip;
        let done = match side {
            "ours" => self.arguments.prover.compile(ptx, chip, &cubin)?,
            version => match self.tools.ptxas(version)?.compile(ptx, chip, &["-O3"]) {
                Ok((bytes, _)) => {
                    std::fs::write(&cubin, bytes)?;
                    Ok(())
                }
                Err(e) => Err(Refusal { code: None, message: e.to_string() }),
            },
        };
        Ok(made.entry(key).or_insert(done.map(|()| cubin)).clone())
    }
}

fn measure(item: &Item, side: &str, cubins: &Cubins<'_>) -> Result<Row> {
    let arguments = cubins.arguments;
    let mut row = Row {
        file: item.file.clone(),
        entry: item.entry.clone(),
        half: item.half.into(),
        chip: arguments.chip.clone(),
        side: side.into(),
        form: item.shape.form.to_string(),
        count: item.shape.count.to_string(),
        turns: "-".into(),
        ..Row::default()
    };
    match cubins.get(&item.path, side)? {
        Err(why) => (row.verdict, row.why) = ("not compiled".into(), why.to_string()),
        Ok(cubin) => {
            let said = arguments.prover.prove(&item.path, &item.entry, &cubin)?;
            row.turns = match said.turns {
                Some(_) => "no",
                None if said.is_proved() => "yes",
                None => "-",
            }
            .into();
            row.why = match said.run {
                Some(run) => format!("{}; run with {run}", said.why),
                None => said.why,
            };
            (row.verdict, row.code, row.seconds) = (said.verdict, said.code, said.seconds);
            (row.turns_code, row.turns_why) = said.turns.unwrap_or_default();
        }
    }
    Ok(row)
}

fn main() -> Result<()> {
    let arguments = arguments()?;
    let binary = &arguments.prover.binary;
    ensure!(
        binary.exists(),
        "`{}` is not there: cargo build --release --package sassafras",
        binary.display()
    );
    let root = workspace_root();
    let items = items(&arguments, &root)?;
    let done = rows::read(&arguments.rows)?;
    let open: Vec<(&Item, &String)> = items
        .iter()
        .flat_map(|item| arguments.sides.iter().map(move |side| (item, side)))
        .filter(|(item, side)| {
            let key = (&*item.file, &*item.entry, &*arguments.chip, side.as_str());
            !done.iter().any(|row| row.key() == key)
        })
        .collect();
    if !arguments.table {
        eprintln!(
            "{} entries with loops, {} proofs to do, {} rows there",
            items.len(),
            open.len(),
            done.len()
        );
        let writer = Mutex::new(Writer::open(&arguments.rows)?);
        let cubins = Cubins {
            arguments: &arguments,
            tools: Tools::find(&root),
            folder: tempfile::tempdir()?,
            made: Mutex::default(),
        };
        let next = AtomicUsize::new(0);
        let work = || -> Result<()> {
            while let Some((item, side)) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                let row = measure(item, side, &cubins)?;
                writer.lock().unwrap_or_else(PoisonError::into_inner).add(&row)?;
            }
            Ok(())
        };
        std::thread::scope(|s| {
            let workers: Vec<_> = (0..arguments.jobs).map(|_| s.spawn(work)).collect();
            workers.into_iter().try_for_each(|w| w.join().unwrap_or_else(|_| bail!("a worker panicked")))
        })?;
    }
    let all = rows::read(&arguments.rows)?;
    let asked = |row: &&Row| row.chip == arguments.chip && arguments.sides.contains(&row.side);
    let wanted: Vec<Row> = all
        .iter()
        .filter(asked)
        .filter(|row| items.iter().any(|i| i.file == row.file && i.entry == row.entry))
        .cloned()
        .collect();
    println!("{}", table(&wanted));
    Ok(())
}
