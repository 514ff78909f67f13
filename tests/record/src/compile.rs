//! Many kernels through ptxas: hundreds to a module, and those that it refuses found and left out.

use anyhow::{Context, Result};
use sassafras_chip::Chip;
use sassafras_generate::exercise::{self, Exercise};
use sassafras_oracle::Ptxas;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Kernels to a module: ptxas takes a tenth of a second to start.
const BATCH: usize = 300;
/// Forms to a kernel: each kernel takes ptxas some 15 milliseconds, however short.
const PACK: usize = 12;

/// Cubins of all that ptxas takes with these options, and a line for each kernel that it refuses.
pub fn exercises(
    ptxas: &Ptxas,
    chip: Chip,
    options: &[&str],
    all: &[Exercise],
) -> Result<(Vec<Vec<u8>>, Vec<String>)> {
    let batches: Vec<&[Exercise]> = all.chunks(BATCH).collect();
    let parts = shared(&batches, |batch| {
        let (mut cubins, mut refused) = (Vec::new(), Vec::new());
        compile((ptxas, chip, options), batch.iter().collect(), &mut cubins, &mut refused)?;
        Ok((cubins, refused))
    })?;
    let (mut cubins, mut refused) = (Vec::new(), Vec::new());
    for (c, r) in parts {
        cubins.extend(c);
        refused.extend(r);
    }
    refused.sort();
    Ok((cubins, refused))
}

fn compile(
    how @ (ptxas, chip, options): (&Ptxas, Chip, &[&str]),
    mut batch: Vec<&Exercise>,
    cubins: &mut Vec<Vec<u8>>,
    refused: &mut Vec<String>,
) -> Result<()> {
    let target = exercise::target(chip);
    while !batch.is_empty() {
        let (text, owners) = exercise::packed(target, &batch, PACK);
        let message = match ptxas.compile_text(&text, &target.to_string(), options) {
            Ok((cubin, _)) => {
                cubins.push(cubin);
                return Ok(());
            }
            Err(e) => e.to_string(),
        };
        // The kernel that each message is about, by its line.
        let mut bad: BTreeMap<usize, String> = BTreeMap::new();
        for (line, what) in message.lines().filter_map(error) {
            if let Some(Some(i)) = line.checked_sub(1).and_then(|l| owners.get(l)) {
                bad.entry(*i).or_insert(what);
            }
        }
        if bad.is_empty() {
            // No line in the message: the halves tell.
            if let [only] = batch[..] {
                let line = message.lines().find(|l| l.contains("error") || l.contains("fatal"));
                let crashed = message.contains(" failed (None)");
                let what = if crashed { "ptxas crashed" } else { line.unwrap_or(&message) };
                let what = what.rsplit(" : ").next().unwrap_or(what).trim();
                refused.push(format!("{}\t{what}\n", only.id));
                return Ok(());
            }
            let half = batch.split_off(batch.len() / 2);
            compile(how, batch, cubins, refused)?;
            batch = half;
            continue;
        }
        refused.extend(bad.iter().map(|(i, what)| format!("{}\t{what}\n", batch[*i].id)));
        let mut i = 0;
        batch.retain(|_| {
            i += 1;
            !bad.contains_key(&(i - 1))
        });
    }
    Ok(())
}

/// Line and text of `ptxas FILE, line 12; error   : text`.
fn error(message: &str) -> Option<(usize, String)> {
    let (_, rest) = message.split_once(", line ")?;
    let (line, what) = rest.split_once(';')?;
    let (kind, what) = what.split_once(':')?;
    (kind.trim() == "error").then_some((line.trim().parse().ok()?, what.trim().to_owned()))
}

/// Cubins of every file of the corpus that ptxas takes for the chip, with each of the lists of options.
pub fn corpus(root: &Path, ptxas: &Ptxas, chip: Chip, lists: &[&[&str]]) -> Result<Vec<Vec<u8>>> {
    let mut files = Vec::new();
    for folder in ["kernels", "features"] {
        find(&root.join("corpus").join(folder), &mut files)?;
    }
    files.sort();
    let jobs: Vec<(&PathBuf, &[&str])> =
        files.iter().flat_map(|f| lists.iter().map(move |options| (f, *options))).collect();
    let target = exercise::target(chip).to_string();
    let cubins =
        shared(&jobs, |(file, options)| Ok(ptxas.compile(file, &target, options).ok().map(|(c, _)| c)))?;
    Ok(cubins.into_iter().flatten().collect())
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "ptx") {
            files.push(path);
        }
    }
    Ok(())
}

/// `work` on each job, on all cores, results in the order of the jobs.
fn shared<J: Sync, R: Send>(jobs: &[J], work: impl Fn(&J) -> Result<R> + Sync) -> Result<Vec<R>> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let mut done: Vec<(usize, R)> = std::thread::scope(|s| {
        let worker = || {
            let mut mine = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(i) else { break };
                mine.push((i, work(job)?));
            }
            anyhow::Ok(mine)
        };
        let handles: Vec<_> = (0..workers).map(|_| s.spawn(worker)).collect();
        handles.into_iter().map(|h| h.join().expect("a worker does not panic")).collect::<Result<Vec<_>>>()
    })?
    .into_iter()
    .flatten()
    .collect();
    done.sort_by_key(|(i, _)| *i);
    Ok(done.into_iter().map(|(_, r)| r).collect())
}
