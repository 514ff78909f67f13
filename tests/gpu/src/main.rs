//! `sassafras-gpu SUITE OUT`: a suite of programs on this machine's GPU, compiled by us and, where its path is given, by ptxas.

use anyhow::{Context, Result, bail};
use clap::{Parser, ValueEnum};
use sassafras_gpu::cuda::Cuda;
use sassafras_gpu::item::{Item, Suite, count};
use sassafras_gpu::maker::makers;
use sassafras_gpu::pool::{self, Bounds};
use sassafras_gpu::{session::Record, table, worker};
use sassafras_reference::workspace_root;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Which {
    Corpus,
    Open,
    Times,
    Random,
    Given,
}

/// Runs programs on the GPU and compares what they leave with the PTX executor and the CPU references.
#[derive(Debug, Parser)]
struct Arguments {
    /// What is run.
    suite: Which,
    /// Where the records go, one line of JSON each.
    out: PathBuf,
    /// Where the table of what the device left goes.
    #[arg(long)]
    record: Option<PathBuf>,
    /// The folder of cubins that are given.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// A ptxas to compare with.
    #[arg(long)]
    ptxas: Option<PathBuf>,
    /// First item, or first seed.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// The item or seed before which it ends.
    #[arg(long)]
    to: Option<u64>,
    /// Seconds after which no further item is begun.
    #[arg(long, default_value_t = 500)]
    seconds: u64,
    /// Processes at a time.
    #[arg(long, default_value_t = 14)]
    workers: usize,
    /// The repository, where it is not where this program was built.
    #[arg(long)]
    root: Option<PathBuf>,
    /// Print the PTX of this item instead.
    #[arg(long)]
    print: Option<u64>,
    /// Run as a worker of another process of this program.
    #[arg(long, hide = true)]
    worker: bool,
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    let root = a.root.clone().unwrap_or_else(workspace_root);
    let suite = match a.suite {
        Which::Corpus => Suite::Corpus,
        Which::Open => Suite::Open,
        Which::Times => Suite::Times,
        Which::Random => Suite::Random,
        Which::Given => Suite::Given(a.folder.clone().context("given cubins need --folder")?),
    };
    if let Some(number) = a.print {
        print!("{}", Item::new(&suite, &root, number)?.text);
        return Ok(());
    }
    if a.worker {
        return worker::run(
            &suite,
            &root,
            a.ptxas.as_deref(),
            std::io::stdin().lock(),
            std::io::stdout().lock(),
        );
    }
    let device = device()?;
    println!("{device}");
    let makers = makers(&suite, a.ptxas.as_deref());
    let to = a.to.or(count(&suite, &root)?).context("a random suite needs --to")?;
    let bounds = Bounds {
        workers: a.workers,
        silence: Duration::from_secs(30),
        end: Instant::now() + Duration::from_secs(a.seconds),
        makers: makers.len(),
    };
    let file = std::fs::File::create(&a.out).with_context(|| a.out.display().to_string())?;
    let state = Mutex::new((std::io::BufWriter::new(file), BTreeMap::<(String, String), u64>::new()));
    let all = Mutex::new(Vec::new());
    let take = |record: Record| {
        keep(&state, &record);
        if a.record.is_some() {
            all.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(record);
        }
    };
    let name = |n| format!("{:?}/{n}", a.suite).to_lowercase();
    let end = pool::run(bounds, (a.from, to), || again(&a, &root), name, |m| makers[m].to_string(), take)?;
    let (mut file, totals) = state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    file.flush()?;
    if let Some(path) = &a.record {
        let records = all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        std::fs::write(path, table::write(&device, &records)).with_context(|| path.display().to_string())?;
    }
    println!("items {} to {end} of {to}", a.from);
    let mut wrong = 0;
    for ((maker, verdict), n) in &totals {
        println!("{maker}: {verdict}: {n}");
        if maker.starts_with("ours") && !["agrees", "refused", "no expectation"].contains(&verdict.as_str()) {
            wrong += n;
        }
    }
    if wrong > 0 {
        bail!("{wrong} launches of ours do not do what they should");
    }
    Ok(())
}

/// The device's name; the context is given back before workers start.
fn device() -> Result<String> {
    Cuda::open()?.device_name()
}

/// The command of a worker.
fn again(a: &Arguments, root: &Path) -> Command {
    let me = std::env::current_exe().unwrap_or_else(|_| "sassafras-gpu".into());
    let mut command = Command::new(me);
    let suite = format!("{:?}", a.suite).to_lowercase();
    command.arg(suite).arg(&a.out).arg("--worker").arg("--root").arg(root);
    for (option, value) in [("--ptxas", &a.ptxas), ("--folder", &a.folder)] {
        if let Some(value) = value {
            command.arg(option).arg(value);
        }
    }
    command
}

/// Writes a record and counts it. Of launches that agree the corpus's are kept alone: of random ones there are too many.
fn keep<W: Write>(state: &Mutex<(W, BTreeMap<(String, String), u64>)>, record: &Record) {
    let mut state = state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let verdict = record.verdict.split(':').next().unwrap_or_default().to_owned();
    *state.1.entry((record.maker.clone(), verdict)).or_default() += 1;
    if !record.is_clean() {
        println!("{} {} {}: {}", record.program, record.maker, record.launch, record.verdict);
    }
    if !record.is_clean() || !record.program.starts_with("random/") {
        let line = serde_json::to_string(record).unwrap_or_default();
        if let Err(e) = writeln!(state.0, "{line}") {
            eprintln!("{e}");
        }
    }
}
