//! Random programs of barriers and lanes: `barriers [--from A] [--to B] [--chips sm_75,sm_90] [--levels 0,3] [--orders N] [--sizes N]
//! [--settings-every N] [--witness VERSION] [--witness-every N] [--folder DIR] [--reduce N] [--jobs N]`.
//!
//! With `--settings-every N` a program is tried on one of N pairs of a chip and a level, the next program on the next of them.
//!
//! Prints counts by chip and level, what was found by class, and how many programs have each kind. Each class of findings of ours is written to the folder,
//! by the first program that shows it, reduced for the first N of them. Fails if there is one.

use anyhow::{Context, Result, bail};
use sassafras::harness::compiler::{Compiler, Name};
use sassafras_chip::Chip;
use sassafras_corpus::barriers::{Effort, Reference, finding, hold, tally::Tally};
use sassafras_generate::barriers::program;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Stack of a worker, bytes.
const STACK: usize = 64 << 20;

struct Arguments {
    from: u64,
    to: u64,
    chips: Vec<Chip>,
    levels: Vec<u8>,
    effort: Effort,
    /// Of so many pairs of a chip and a level one, for each program.
    settings_every: u64,
    witness: Option<String>,
    /// Of so many programs one.
    witness_every: u64,
    folder: Option<PathBuf>,
    reduce: usize,
    jobs: usize,
}

fn arguments() -> Result<Arguments> {
    let chips = [75, 80, 90, 100, 120].map(|n| Chip::from_number(n).expect("a chip of the table"));
    let mut to = Arguments {
        from: 0,
        to: 1000,
        chips: chips.to_vec(),
        levels: vec![0, 1, 2, 3],
        effort: Effort { orders: 10, sizes: 2 },
        settings_every: 1,
        witness: None,
        witness_every: 1,
        folder: None,
        reduce: 0,
        jobs: std::thread::available_parallelism().map_or(2, usize::from),
    };
    let mut all = std::env::args().skip(1);
    while let Some(name) = all.next() {
        let value = all.next().with_context(|| format!("{name} takes a value"))?;
        match name.as_str() {
            "--from" => to.from = value.parse()?,
            "--to" => to.to = value.parse()?,
            "--chips" => to.chips = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
            "--levels" => to.levels = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
            "--orders" => to.effort.orders = value.parse::<u32>()?.max(1),
            "--sizes" => to.effort.sizes = value.parse::<usize>()?.max(1),
            "--settings-every" => to.settings_every = value.parse::<u64>()?.max(1),
            "--witness" => to.witness = Some(value),
            "--witness-every" => to.witness_every = value.parse::<u64>()?.max(1),
            "--folder" => to.folder = Some(value.into()),
            "--reduce" => to.reduce = value.parse()?,
            "--jobs" => to.jobs = value.parse::<usize>()?.max(1),
            _ => bail!("no option `{name}`"),
        }
    }
    Ok(to)
}

/// All that workers share.
struct Search {
    arguments: Arguments,
    tally: Mutex<Tally>,
    /// Classes that are written.
    written: Mutex<BTreeSet<(&'static str, String)>>,
}

impl Search {
    fn of(&self, seed: u64) -> Result<()> {
        let mut known: Option<Reference> = None;
        let mut counted = false;
        let pairs = self.arguments.levels.len() as u64;
        for (c, chip) in self.arguments.chips.iter().enumerate() {
            let taken = |l: &usize| {
                (seed + c as u64 * pairs + *l as u64).is_multiple_of(self.arguments.settings_every)
            };
            let levels: Vec<u8> =
                (0..self.arguments.levels.len()).filter(taken).map(|l| self.arguments.levels[l]).collect();
            if levels.is_empty() {
                continue;
            }
            let made = program(seed, chip.number());
            if known.as_ref().is_none_or(|k| k.text != made.text) {
                match Reference::of(&made, seed) {
                    Ok(reference) => known = Some(reference),
                    Err(why) => {
                        let why = why.to_string();
                        if let Some(folder) = &self.arguments.folder {
                            std::fs::create_dir_all(folder)?;
                            let file = folder.join(format!("ill-seed{seed}-sm{}.ptx", chip.number()));
                            let why = why.replace('\n', "\n// ");
                            std::fs::write(file, format!("// {why}\n{}", made.text))?;
                        }
                        self.tally().ill.push((seed, why));
                        return Ok(());
                    }
                }
            }
            if !std::mem::replace(&mut counted, true) {
                self.tally().programs += 1;
            }
            for kind in &made.kinds {
                *self.tally().kinds.entry(kind).or_default() += 1;
            }
            let Some(reference) = &known else { continue };
            for level in levels {
                let turn = 4 * c + usize::from(level);
                self.one(reference, &Name::Ours, chip.number(), level, turn)?;
                if let Some(version) = &self.arguments.witness
                    && seed.is_multiple_of(self.arguments.witness_every)
                {
                    let name = Name::Ptxas(version.clone());
                    self.one(reference, &name, chip.number(), level, turn)?;
                }
            }
        }
        Ok(())
    }

    fn tally(&self) -> std::sync::MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn one(&self, reference: &Reference, name: &Name, sm: u32, level: u8, turn: usize) -> Result<()> {
        let compiler = Compiler::find(name, sm, level).map_err(|e| anyhow::anyhow!("{e:?}"))?;
        let fate = hold(reference, &compiler, self.arguments.effort, turn);
        self.tally().add(&name.to_string(), reference.seed, sm, level, &fate);
        let Some(folder) = &self.arguments.folder else { return Ok(()) };
        if !fate.is_finding() || !compiler.is_ours() {
            return Ok(());
        }
        let number = {
            let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
            if !written.insert((fate.word(), fate.class())) {
                return Ok(());
            }
            written.len()
        };
        std::fs::create_dir_all(folder)?;
        let class: String =
            fate.class().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
        let word = fate.word().replace(' ', "-");
        let file = folder.join(format!("{word}-{class}-seed{}-sm{sm}-O{level}.ptx", reference.seed));
        let mut failed = None;
        let mut write = |text: &str| {
            let text = finding::file(text, reference.seed, &compiler, &fate);
            failed = std::fs::write(&file, text).err().or(failed.take());
        };
        write(&reference.text);
        if number <= self.arguments.reduce {
            // Each step is written, as the last may be hours away.
            let text = finding::reduced(&reference.text, reference.seed, &compiler, &fate, &mut write);
            write(&text);
        }
        failed.map_or(Ok(()), |e| Err(e.into()))
    }
}

fn main() -> Result<ExitCode> {
    let arguments = arguments()?;
    let (next, start) = (AtomicU64::new(arguments.from), Instant::now());
    let search = Search { arguments, tally: Mutex::default(), written: Mutex::default() };
    let search = &search;
    let failed: Mutex<Option<anyhow::Error>> = Mutex::new(None);
    std::thread::scope(|scope| -> Result<()> {
        for _ in 0..search.arguments.jobs {
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= search.arguments.to {
                        return;
                    }
                    if let Err(e) = search.of(seed) {
                        *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
                        return;
                    }
                }
            })?;
        }
        Ok(())
    })?;
    if let Some(e) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(e);
    }
    let tally = search.tally();
    print!("{}", tally.text());
    let all: u64 = tally.lines.values().map(|l| l.programs).sum();
    let seconds = start.elapsed().as_secs_f64();
    println!("{all} programs, chips and levels in {seconds:.1} s: {:.1} a second", all as f64 / seconds);
    let (ours, ill) = (tally.findings("ours"), tally.ill.len());
    if ours > 0 || ill > 0 {
        println!("{ours} findings, {ill} programs that are not defined");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}
