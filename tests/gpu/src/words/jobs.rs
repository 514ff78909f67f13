//! Many kernels in child processes, since an illegal instruction ends a context; bisection to the instruction.

use super::compare::{Example, Tally, compare, seen, text};
use super::expect::{self, expect, inputs};
use super::kernel::{self, ENTRY, LANES, OUTPUT, constants};
use super::variant::{self, Variant};
use crate::cuda::Cuda;
use anyhow::{Context, Result, bail};
use sassafras_cubin::Cubin;
use sassafras_execute::Options;
use sassafras_isa::{FormId, form};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Variants of one row in one kernel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Item {
    /// The row.
    pub form: String,
    /// Seed of the session.
    pub seed: u64,
    /// First variant.
    pub from: usize,
    /// The one behind the last.
    pub to: usize,
    /// Runs those that the executor refuses, to see what they do.
    pub explore: bool,
}

/// What became of one variant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tried {
    /// Its number.
    pub number: usize,
    /// Its word, in hexadecimal.
    pub word: String,
    /// Its text.
    pub text: String,
    /// Why the executor refuses it.
    pub refused: Option<String>,
    /// The comparison.
    pub tally: Option<Tally>,
    /// Lanes of a variant that the executor refuses.
    pub seen: Vec<Example>,
}

/// What became of an item; none where the device failed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Done {
    /// The variants.
    pub tried: Vec<Tried>,
    /// What the device said, if it failed.
    pub failed: Option<String>,
}

/// What runs kernels.
pub trait Device {
    /// The outputs of a kernel.
    ///
    /// # Errors
    /// When the device fails.
    fn run(&self, cubin: &Cubin, inputs: &[u8], constants: &[u64], variants: usize) -> Result<Vec<u32>>;
}

impl Device for Cuda {
    fn run(&self, cubin: &Cubin, inputs: &[u8], constants: &[u64], variants: usize) -> Result<Vec<u32>> {
        let module = self.module(&sassafras_emit::write(cubin)?)?;
        let out = self.memory(&vec![0; 4 * OUTPUT * LANES * variants])?;
        let given = self.memory(inputs)?;
        let mut cells = vec![out.address, given.address];
        cells.extend(constants);
        module.launch(ENTRY, [1, 1, 1], [LANES as u32, 1, 1], 0, &mut cells)?;
        Ok(out.read()?.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    }
}

/// Our executor in the device's place, with planted faults.
#[derive(Clone, Copy, Debug, Default)]
pub struct StandIn {
    /// It fails on kernels that hold this word.
    pub illegal: Option<u128>,
    /// These bits of words with an opcode are flipped: opcode and bits.
    pub wrong: Option<(u16, u128)>,
}

impl Device for StandIn {
    fn run(&self, cubin: &Cubin, inputs: &[u8], constants: &[u64], variants: usize) -> Result<Vec<u32>> {
        let mut cubin = cubin.clone();
        for word in cubin.functions.iter_mut().flat_map(|f| &mut f.code) {
            if Some(*word) == self.illegal {
                bail!("an illegal instruction was planted");
            }
            if let Some((_, bits)) = self.wrong.filter(|(opcode, _)| *word as u16 & 0xfff == *opcode) {
                *word ^= bits;
            }
        }
        expect::run(&cubin, inputs, constants, variants, &Options { seed: 9, ..Options::default() })
    }
}

/// Runs one item.
pub fn item(device: &dyn Device, item: &Item) -> Done {
    let Some(id) = form(&item.form) else {
        return Done { tried: Vec::new(), failed: Some(format!("no row {}", item.form)) };
    };
    let bank = constants(item.seed);
    let all: Vec<(usize, Variant)> =
        (item.from..item.to).filter_map(|n| Some((n, nth(id, item.seed, n)?))).collect();
    let mut done = Done { tried: Vec::new(), failed: None };
    let entry = |number: usize, v: &Variant| Tried {
        number,
        word: format!("{:032x}", v.word),
        text: text(v),
        refused: None,
        tally: None,
        seen: Vec::new(),
    };
    let mut kept: Vec<(usize, Variant)> = all;
    let only = |kept: &[(usize, Variant)]| kept.iter().map(|k| k.1.clone()).collect::<Vec<_>>();
    let expected = match expect(&only(&kept), &bank) {
        Ok(expected) => expected,
        Err(_) => {
            kept.retain(|(n, v)| match expect(std::slice::from_ref(v), &bank) {
                Ok(_) => true,
                Err(e) => {
                    done.tried.push(Tried { refused: Some(format!("{e:#}")), ..entry(*n, v) });
                    false
                }
            });
            match expect(&only(&kept), &bank) {
                Ok(expected) => expected,
                Err(e) => {
                    done.failed = Some(format!("the executor refuses variants together: {e:#}"));
                    return done;
                }
            }
        }
    };
    if item.explore {
        return explore(device, done, id, item.seed, &bank);
    }
    if kept.is_empty() {
        return done;
    }
    let variants = only(&kept);
    match device.run(&kernel::cubin(&variants), &inputs(&variants), &bank, variants.len()) {
        Ok(got) => {
            for (i, (n, v)) in kept.iter().enumerate() {
                done.tried.push(Tried { tally: Some(compare(v, i, &expected, &got)), ..entry(*n, v) });
            }
        }
        Err(e) => done.failed = Some(format!("{e:#}")),
    }
    done
}

/// Runs the variants that the executor has refused, without an expectation. Of each reason a few.
fn explore(device: &dyn Device, mut done: Done, id: FormId, seed: u64, bank: &[u64]) -> Done {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    done.tried.retain(|t| {
        let why = t.refused.as_deref().and_then(|w| w.lines().next()).unwrap_or_default().to_owned();
        let count = reasons.entry(why).or_default();
        *count += 1;
        *count <= 6
    });
    let variants: Vec<Variant> = done.tried.iter().filter_map(|t| nth(id, seed, t.number)).collect();
    if variants.is_empty() {
        return done;
    }
    match device.run(&kernel::cubin(&variants), &inputs(&variants), bank, variants.len()) {
        Ok(got) => {
            for (i, (t, v)) in done.tried.iter_mut().zip(&variants).enumerate() {
                t.seen = seen(v, i, &got);
            }
        }
        Err(e) => done.failed = Some(format!("{e:#}")),
    }
    done
}

/// Variant number `n` of a row in a session.
pub fn nth(form: FormId, seed: u64, n: usize) -> Option<Variant> {
    variant::draw(
        form,
        seed.wrapping_mul(0x1_0000).wrapping_add(n as u64).wrapping_mul(0x9e6d_62d0_6f6a_9a9b),
    )
}

/// What became of a row.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RowReport {
    /// Variants compared.
    pub variants: usize,
    /// Lanes that agree where only one outcome is expected.
    pub agree: usize,
    /// Lanes that agree where the model leaves something open.
    pub open: usize,
    /// Of these, those with the nearest value.
    pub nearest: usize,
    /// Lanes that differ.
    pub differ: usize,
    /// Variants that differ.
    pub wrong: Vec<Tried>,
    /// How many there are, also where not all are listed.
    pub wrong_count: usize,
    /// Words, texts and lanes of which the model leaves something open.
    pub samples: Vec<(String, String, Vec<Example>)>,
    /// Variants that the device refuses, with what it said.
    pub illegal: Vec<(Tried, String)>,
    /// Variants not tried, since many of the row are illegal.
    pub untried: usize,
    /// Variants that the executor refuses, with reasons.
    pub refused: BTreeMap<String, usize>,
    /// Words, texts and lanes of variants that the executor refuses.
    pub explored: Vec<(String, String, Vec<Example>)>,
    /// Number, word and digest of the outputs of variants compared.
    pub outputs: Vec<(usize, String, String)>,
}

/// Everything.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// Of this file.
    pub schema: u32,
    /// The device's name.
    pub device: String,
    /// Seed of the session.
    pub seed: u64,
    /// By row.
    pub rows: BTreeMap<String, RowReport>,
}

impl Report {
    /// Takes in what became of an item that the device did not fail on.
    pub fn add(&mut self, form: &str, done: Done) {
        let row = self.rows.entry(form.to_owned()).or_default();
        for mut tried in done.tried {
            if let Some(why) = tried.refused {
                if !tried.seen.is_empty() {
                    row.explored.push((tried.word, tried.text, tried.seen));
                    continue;
                }
                *row.refused.entry(why.lines().next().unwrap_or_default().to_owned()).or_default() += 1;
                continue;
            }
            let Some(tally) = &mut tried.tally else { continue };
            row.variants += 1;
            row.agree += tally.agree;
            row.open += tally.open;
            row.nearest += tally.nearest;
            row.differ += tally.differ;
            if row.outputs.len() < 24 {
                row.outputs.push((tried.number, tried.word.clone(), tally.digest.clone()));
            }
            if !tally.samples.is_empty() && row.samples.len() < 6 {
                row.samples.push((
                    tried.word.clone(),
                    tried.text.clone(),
                    std::mem::take(&mut tally.samples),
                ));
            } else {
                tally.samples.clear();
            }
            if tally.differ > 0 {
                row.wrong_count += 1;
                if row.wrong.len() < 12 {
                    row.wrong.push(tried);
                }
            }
        }
    }

    /// One line for each row that is not clean, then sums.
    pub fn summary(&self) -> String {
        let mut out = String::new();
        let (mut variants, mut agree, mut open, mut nearest, mut differ, mut illegal, mut clean) =
            (0, 0, 0, 0, 0, 0, 0);
        for (name, r) in &self.rows {
            variants += r.variants;
            agree += r.agree;
            open += r.open;
            nearest += r.nearest;
            differ += r.differ;
            illegal += r.illegal.len();
            if r.differ == 0 && r.illegal.is_empty() && r.variants > 0 {
                clean += 1;
                continue;
            }
            out += &format!(
                "{name}: {} variants, {} differ in {} lanes, {} illegal, {} untried, refused {:?}\n",
                r.variants,
                r.wrong_count,
                r.differ,
                r.illegal.len(),
                r.untried,
                r.refused
            );
        }
        out += &format!(
            "{} rows, {clean} clean; {variants} variants; lanes: {agree} agree, {open} open ({nearest} nearest), {differ} differ; {illegal} illegal on {}\n",
            self.rows.len(),
            self.device
        );
        out
    }
}

/// Items of the rows whose name begins with `prefix`.
///
/// With `explore`, those that the executor refuses instead of those that it executes.
pub fn items(prefix: &str, seed: u64, variants: usize, each: usize, explore: bool) -> Vec<Item> {
    let rows = variant::rows().into_iter().filter(|id| id.get().id.starts_with(prefix));
    let rows: Vec<FormId> = rows.collect();
    let mut all = Vec::new();
    // Every row once, before any comes again.
    for from in (0..variants).step_by(each) {
        for id in &rows {
            all.push(Item { form: id.get().id.into(), seed, from, to: (from + each).min(variants), explore });
        }
    }
    all
}

/// Illegal variants of a row after which the rest of it is not tried.
const ENOUGH: usize = 2;

struct Shared {
    queue: VecDeque<Item>,
    report: Report,
    busy: usize,
    /// When to stop.
    end: Instant,
    /// When progress was said last.
    said: Instant,
    fatal: Option<String>,
}

/// Runs items in `workers` children, `program child ARGUMENTS`, until all are done or `patience` is over; what is left counts as not tried.
///
/// # Errors
/// When no child comes up.
pub fn run(
    items: Vec<Item>,
    seed: u64,
    workers: usize,
    patience: Duration,
    program: &Path,
    arguments: &[String],
) -> Result<Report> {
    let total = items.len();
    let report = Report { schema: 1, seed, ..Report::default() };
    let shared = Mutex::new(Shared {
        queue: items.into(),
        report,
        busy: 0,
        end: Instant::now() + patience,
        said: Instant::now(),
        fatal: None,
    });
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| worker(&shared, total, program, arguments));
        }
    });
    let shared = shared.into_inner().unwrap_or_else(|e| e.into_inner());
    match shared.fatal {
        Some(why) => bail!("{why}"),
        None => Ok(shared.report),
    }
}

fn lock(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(|e| e.into_inner())
}

fn worker(shared: &Mutex<Shared>, total: usize, program: &Path, arguments: &[String]) {
    let mut line: Option<Line> = None;
    loop {
        let next = {
            let mut s = lock(shared);
            if s.fatal.is_some() {
                return;
            }
            if Instant::now() > s.end {
                for item in std::mem::take(&mut s.queue) {
                    s.report.rows.entry(item.form).or_default().untried += item.to - item.from;
                }
            }
            let next = s.queue.pop_front();
            if let Some(item) = &next {
                let row = s.report.rows.entry(item.form.clone()).or_default();
                if row.illegal.len() >= ENOUGH {
                    row.untried += item.to - item.from;
                    continue;
                }
                s.busy += 1;
                if s.said.elapsed() >= Duration::from_secs(1) {
                    s.said = Instant::now();
                    eprintln!("{} items left of {total} at first", s.queue.len());
                }
            } else if s.busy == 0 {
                return;
            }
            next
        };
        let Some(item) = next else {
            std::thread::sleep(Duration::from_millis(5));
            continue;
        };
        if line.is_none() {
            match Line::open(program, "child", arguments) {
                Ok((opened, device)) => {
                    lock(shared).report.device = device;
                    line = Some(opened);
                }
                Err(e) => {
                    let mut s = lock(shared);
                    s.fatal = Some(format!("{e:#}"));
                    s.busy -= 1;
                    return;
                }
            }
        }
        let answer = line.as_mut().context("no child").and_then(|line| line.ask(&item));
        let mut s = lock(shared);
        s.busy -= 1;
        match answer {
            Ok(Done { failed: None, tried }) => s.report.add(&item.form, Done { failed: None, tried }),
            failed => {
                let why = match failed {
                    Ok(done) => done.failed.unwrap_or_default(),
                    Err(why) => why.to_string(),
                };
                if let Some(mut line) = line.take() {
                    line.end();
                }
                fail(&mut s, item, why);
            }
        }
    }
}

/// A kernel that the device failed on: its variants one at a time, or the one variant that is to blame.
fn fail(s: &mut Shared, item: Item, why: String) {
    let row = s.report.rows.entry(item.form.clone()).or_default();
    let count = item.to - item.from;
    if count > 1 {
        // One at a time, behind all others: each failure costs a context, and those are slow to make.
        s.queue.extend((item.from..item.to).map(|n| Item { from: n, to: n + 1, ..item.clone() }));
        return;
    }
    let v = form(&item.form).and_then(|id| nth(id, item.seed, item.from));
    let Some(v) = v else { return };
    let tried = Tried {
        number: item.from,
        word: format!("{:032x}", v.word),
        text: text(&v),
        refused: None,
        tally: None,
        seen: Vec::new(),
    };
    row.illegal.push((tried, why));
}

/// A child process and the lines that it gives.
pub(crate) struct Line {
    child: Child,
    lines: Receiver<String>,
}

/// How long a child may take for one item.
const PATIENCE: Duration = Duration::from_secs(40);

impl Line {
    /// Starts `program MODE ARGUMENTS`; the device's name.
    pub(crate) fn open(program: &Path, mode: &str, arguments: &[String]) -> Result<(Line, String)> {
        let mut child = Command::new(program)
            .arg(mode)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the child process")?;
        let stdout = child.stdout.take().context("its output")?;
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { return };
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        let mut line = Line { child, lines };
        match line.lines.recv_timeout(PATIENCE) {
            Ok(text) => match text.strip_prefix("ready ") {
                Some(device) => {
                    let device = device.to_owned();
                    Ok((line, device))
                }
                None => bail!("{text}"),
            },
            Err(_) => {
                line.end();
                bail!("a child does not come up")
            }
        }
    }

    /// One question, one answer.
    pub(crate) fn ask<Q: Serialize, A: serde::de::DeserializeOwned>(&mut self, item: &Q) -> Result<A> {
        let text = serde_json::to_string(item)?;
        let stdin = self.child.stdin.as_mut().context("no input")?;
        writeln!(stdin, "{text}").and_then(|()| stdin.flush())?;
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Ok(serde_json::from_str(&line)?),
            Err(RecvTimeoutError::Timeout) => bail!("no answer in time"),
            Err(RecvTimeoutError::Disconnected) => bail!("the child ended"),
        }
    }

    pub(crate) fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.end();
    }
}

/// The child's side: items on standard input, what became of them on standard output. It ends after the first that the device failed on.
///
/// # Errors
/// When there is no device.
pub fn child(device: &dyn Device, name: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "ready {name}")?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        let asked: Item = serde_json::from_str(&line?)?;
        let done = item(device, &asked);
        writeln!(out, "{}", serde_json::to_string(&done)?)?;
        out.flush()?;
        if done.failed.is_some() {
            // What cannot be used any more is not tidied up: the driver may not come back from that.
            std::process::exit(3);
        }
    }
    Ok(())
}
