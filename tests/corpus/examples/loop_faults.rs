//! Faults planted in loops, and edits that keep their meaning: `loop_faults [--binary PATH] [--rows FILE] [--chip sm_90] [--per-kind N] [--kind NAME]
//! [--only TEXT] [--sides ours,13.0.88] [--budget N] [--timeout SECONDS] [--jobs N]`.
//!
//! The PTX of a kernel is edited and compiled, and the code held against the PTX as it was. Each kind of edit is planted in at most N of the kernels. Rows
//! are added to the file of `--rows`, and what has a row is skipped. Fails if a fault is proved.

use anyhow::{Context, Result, bail, ensure};
use sassafras_corpus::loops::faults::{Effect, KERNELS, is_equal, kinds};
use sassafras_corpus::loops::prove::{Prover, Refusal};
use sassafras_corpus::loops::rows::{self, Row, Writer};
use sassafras_oracle::Tools;
use sassafras_reference::workspace_root;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

struct Arguments {
    prover: Prover,
    rows: PathBuf,
    chip: String,
    per_kind: usize,
    kind: String,
    only: String,
    sides: Vec<String>,
    jobs: usize,
}

fn arguments() -> Result<Arguments> {
    let root = workspace_root();
    let binary = root.join("target/release/sassafras");
    let mut to = Arguments {
        prover: Prover { binary, budget: 2, timeout: 30 },
        rows: root.join("target/loop-faults.csv"),
        chip: "sm_90".into(),
        per_kind: KERNELS.len(),
        kind: String::new(),
        only: String::new(),
        sides: vec!["ours".into()],
        jobs: 2,
    };
    let mut all = std::env::args().skip(1);
    while let Some(name) = all.next() {
        let value = all.next().with_context(|| format!("{name} takes a value"))?;
        match name.as_str() {
            "--binary" => to.prover.binary = value.into(),
            "--rows" => to.rows = value.into(),
            "--chip" => to.chip = value,
            "--per-kind" => to.per_kind = value.parse()?,
            "--kind" => to.kind = value,
            "--only" => to.only = value,
            "--sides" => to.sides = value.split(',').map(String::from).collect(),
            "--budget" => to.prover.budget = value.parse()?,
            "--timeout" => to.prover.timeout = value.parse()?,
            "--jobs" => to.jobs = value.parse::<usize>()?.max(1),
            _ => bail!("no option `{name}`"),
        }
    }
    Ok(to)
}

/// A kernel with an edit.
struct Item {
    file: &'static str,
    entry: &'static str,
    kind: &'static str,
    effect: &'static str,
    text: String,
}

/// The edits that the options ask for. Kinds begin at different kernels, so that few of each see all kernels.
fn items(arguments: &Arguments) -> Result<Vec<Item>> {
    let root = workspace_root();
    let mut items = Vec::new();
    let mut texts = BTreeMap::new();
    for (file, entry) in KERNELS {
        let text = std::fs::read_to_string(root.join(format!("corpus/loops/{file}.ptx")))?;
        items.push(Item { file, entry, kind: "unchanged", effect: "same", text: text.clone() });
        texts.insert(*file, text);
    }
    for (number, kind) in kinds().into_iter().enumerate() {
        let begin = number * 7 % KERNELS.len();
        let order = KERNELS[begin..].iter().chain(&KERNELS[..begin]);
        let edited = order.filter_map(|(file, entry)| {
            let text = kind.apply(&texts[file], entry)?;
            let fault = kind.effect == Effect::Fault && !is_equal(entry, kind.name);
            let effect = if fault { "fault" } else { "same" };
            Some(Item { file, entry, kind: kind.name, effect, text })
        });
        items.extend(edited.take(arguments.per_kind));
    }
    let wanted = |i: &Item| {
        i.kind.contains(&arguments.kind) && format!("{} {}", i.file, i.entry).contains(&arguments.only)
    };
    Ok(items.into_iter().filter(wanted).collect())
}

fn measure(item: &Item, side: &str, arguments: &Arguments, tools: &Tools) -> Result<Row> {
    let folder = tempfile::tempdir()?;
    let (edited, cubin) = (folder.path().join("edited.ptx"), folder.path().join("edited.cubin"));
    std::fs::write(&edited, &item.text)?;
    let mut row = Row {
        file: format!("loops/{}", item.file),
        entry: format!("{}@{}", item.entry, item.kind),
        half: "-".into(),
        chip: arguments.chip.clone(),
        side: side.into(),
        form: item.effect.into(),
        count: item.kind.into(),
        turns: "-".into(),
        ..Row::default()
    };
    let made = match side {
        "ours" => arguments.prover.compile(&edited, &arguments.chip, &cubin)?,
        version => match tools.ptxas(version)?.compile(&edited, &arguments.chip, &["-O3"]) {
            Ok((bytes, _)) => {
                std::fs::write(&cubin, bytes)?;
                Ok(())
            }
            Err(e) => Err(Refusal { code: None, message: e.to_string() }),
        },
    };
    if let Err(why) = made {
        (row.verdict, row.why) = ("not compiled".into(), why.to_string());
        return Ok(row);
    }
    let ptx = workspace_root().join(format!("corpus/loops/{}.ptx", item.file));
    let said = arguments.prover.prove(&ptx, item.entry, &cubin)?;
    row.turns = if said.turns.is_none() && said.is_proved() { "yes" } else { "no" }.into();
    (row.verdict, row.code, row.why, row.seconds) = (said.verdict, said.code, said.why, said.seconds);
    (row.turns_code, row.turns_why) = said.turns.unwrap_or_default();
    Ok(row)
}

/// Prints counts by kind; gives the faults that are proved.
fn report(rows: &[Row]) -> Vec<&Row> {
    let mut kinds: BTreeMap<(&str, &str), [usize; 5]> = BTreeMap::new();
    for row in rows {
        let at = match &*row.verdict {
            "proved" => 0,
            "proved within a bound" => 1,
            "refuted" => 2,
            "unknown" => 3,
            _ => 4,
        };
        for key in [(&*row.form, &*row.count), (&*row.form, " all")] {
            kinds.entry(key).or_default()[at] += 1;
        }
    }
    println!(
        "{:<7} {:<28} {:>7} {:>8} {:>8} {:>8} {:>6}",
        "effect", "kind", "proved", "bounded", "refuted", "unknown", "other"
    );
    for ((effect, kind), n) in &kinds {
        println!(
            "{effect:<7} {:<28} {:>7} {:>8} {:>8} {:>8} {:>6}",
            kind.trim(),
            n[0],
            n[1],
            n[2],
            n[3],
            n[4]
        );
    }
    let proved = |r: &&Row| r.form == "fault" && r.verdict.starts_with("proved");
    rows.iter().filter(proved).collect()
}

fn main() -> Result<ExitCode> {
    let arguments = arguments()?;
    let binary = &arguments.prover.binary;
    ensure!(
        binary.exists(),
        "`{}` is not there: cargo build --release --package sassafras",
        binary.display()
    );
    let items = items(&arguments)?;
    let done = rows::read(&arguments.rows)?;
    let open: Vec<(&Item, &String)> = items
        .iter()
        .flat_map(|item| arguments.sides.iter().map(move |side| (item, side)))
        .filter(|(item, side)| {
            let (file, entry) = (format!("loops/{}", item.file), format!("{}@{}", item.entry, item.kind));
            !done.iter().any(|row| row.key() == (&file, &entry, &arguments.chip, side.as_str()))
        })
        .collect();
    eprintln!("{} edits, {} proofs to do, {} rows there", items.len(), open.len(), done.len());
    let writer = Mutex::new(Writer::open(&arguments.rows)?);
    let tools = Tools::find(&workspace_root());
    let next = AtomicUsize::new(0);
    let work = || -> Result<()> {
        while let Some((item, side)) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
            let row = measure(item, side, &arguments, &tools)?;
            writer.lock().unwrap_or_else(PoisonError::into_inner).add(&row)?;
        }
        Ok(())
    };
    std::thread::scope(|s| {
        let workers: Vec<_> = (0..arguments.jobs).map(|_| s.spawn(work)).collect();
        workers.into_iter().try_for_each(|w| w.join().unwrap_or_else(|_| bail!("a worker panicked")))
    })?;
    let all = rows::read(&arguments.rows)?;
    let proved = report(&all);
    for row in &proved {
        println!("{}: {} ({}, {})", row.verdict, row.entry, row.side, row.chip);
    }
    // Within a bound, what shows beyond it only is none.
    Ok(ExitCode::from(u8::from(proved.iter().any(|r| r.verdict == "proved"))))
}
