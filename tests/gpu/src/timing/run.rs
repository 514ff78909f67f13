//! Devices, children, the report.

use super::kernel::{self, BLOCK, ENTRY, LANES, OUTPUT, Part, SLOTS, cubin};
use super::probe::{Probe, text};
use super::select::probes;
use crate::cuda::Cuda;
use crate::words::jobs::Line;
use crate::words::kernel::constants;
use anyhow::{Result, anyhow, bail};
use sassafras_execute::{Argument, Launch, Options, sass};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Seed of the constants.
const SEED: u64 = 5;
/// Probes in one kernel.
const EACH: usize = 48;
/// Lanes that must tell gold from stale.
const TELLING: usize = 4;

/// What became of a probe.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Seen {
    /// Its number.
    pub number: usize,
    /// Lanes in which the two orders give different words, as bits.
    pub telling: u32,
    /// Distances at which a lone warp did not give gold, with the lanes, and whether these gave the stale word.
    pub lone: Vec<(u8, u32, bool)>,
    /// The same, with all warps of the device.
    pub crowd: Vec<(u8, u32, bool)>,
}

/// What became of a question.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The probes asked for.
    pub seen: Vec<Seen>,
    /// What the device said, if it failed.
    pub failed: Option<String>,
}

/// What runs probes.
pub trait Clock {
    /// What becomes of probes, by number.
    ///
    /// # Errors
    /// When the device fails.
    fn run(&self, probes: &[(usize, &Probe)]) -> Result<Vec<Seen>>;
}

/// What a kernel wrote for one probe.
fn read(p: &Probe, out: &[u32]) -> Vec<(u8, u32, bool)> {
    let mut bad = Vec::new();
    for (i, distance) in p.distances.iter().enumerate() {
        let at = (2 + i) * LANES;
        let (mut lanes, mut stale) = (0u32, true);
        for lane in 0..LANES {
            if out[at + lane] != 0 {
                lanes |= 1 << lane;
                stale &= out[at + lane] == out[LANES + lane];
            }
        }
        if lanes != 0 {
            bad.push((*distance, lanes, stale));
        }
    }
    bad
}

fn telling(out: &[u32]) -> u32 {
    (0..LANES).filter(|l| out[*l] != out[LANES + l]).fold(0, |m, l| m | 1 << l)
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// Blocks of the launch in which all warps of the device take part.
const CROWD: u32 = 264;

impl Clock for Cuda {
    fn run(&self, probes: &[(usize, &Probe)]) -> Result<Vec<Seen>> {
        let list: Vec<&Probe> = probes.iter().map(|p| p.1).collect();
        let module = self.module(&sassafras_emit::write(&cubin(&list, Part::All))?)?;
        let given = self.memory(&kernel::inputs())?;
        let scratch = self.memory(&vec![0; SLOTS * BLOCK * CROWD as usize])?;
        let mut all = Vec::new();
        for (grid, block) in [(1, 32), (CROWD, BLOCK as u32)] {
            let out = self.memory(&vec![0; 4 * OUTPUT * list.len()])?;
            let mut cells = vec![out.address, given.address];
            cells.extend(constants(SEED));
            cells.push(scratch.address);
            module.launch(ENTRY, [grid, 1, 1], [block, 1, 1], 0, &mut cells)?;
            all.push(words(&out.read()?));
        }
        let seen = |(i, (number, p)): (usize, &(usize, &Probe))| {
            let cut = |k: usize| &all[k][OUTPUT * i..OUTPUT * (i + 1)];
            Seen { number: *number, telling: telling(cut(0)), lone: read(p, cut(0)), crowd: read(p, cut(1)) }
        };
        Ok(probes.iter().enumerate().map(seen).collect())
    }
}

/// Our executor, which stops where a register is read before the tables say that it is there.
#[derive(Clone, Copy, Debug, Default)]
pub struct StandIn {
    /// Fails on probes with this mnemonic.
    pub illegal: Option<&'static str>,
    /// Only makes the kernels.
    pub makes: bool,
    /// Only tries both orders.
    pub gold: bool,
}

fn execute(p: &Probe, part: Part, timing: bool) -> Result<Vec<u32>> {
    let mut launch = Launch::new([1, 1, 1], [LANES as u32, 1, 1]);
    let mut arguments = vec![Argument::Buffer(vec![0; 4 * OUTPUT]), Argument::Buffer(kernel::inputs())];
    arguments.extend(constants(SEED).iter().map(|c| Argument::Value(c.to_le_bytes().to_vec())));
    arguments.push(Argument::Buffer(vec![0; SLOTS * BLOCK]));
    let cubin = cubin(&[p], part);
    launch.arguments(&sass::layout(&cubin, ENTRY)?, &arguments)?;
    match sass::run(&cubin, ENTRY, &launch, &Options { timing, ..Options::default() }) {
        Ok(outcome) => Ok(words(&outcome.buffers[0])),
        Err(e) => bail!("{e}"),
    }
}

impl Clock for StandIn {
    fn run(&self, probes: &[(usize, &Probe)]) -> Result<Vec<Seen>> {
        let mut all = Vec::new();
        if self.makes {
            let list: Vec<&Probe> = probes.iter().map(|p| p.1).collect();
            let bytes = sassafras_emit::write(&cubin(&list, Part::All))?.len();
            eprintln!("{bytes} bytes");
            return Ok(all);
        }
        for &(number, p) in probes {
            if self.illegal.is_some_and(|m| p.b.row().mnemonic == m) {
                bail!("an illegal instruction was planted");
            }
            let Ok(out) = execute(p, Part::Gold, false) else {
                all.push(Seen { number, telling: 0, lone: Vec::new(), crowd: Vec::new() });
                continue;
            };
            let mut lone = Vec::new();
            for &d in p.distances.iter().filter(|_| !self.gold) {
                match execute(p, Part::At(d), true) {
                    Ok(out) if read(p, &out).is_empty() => {}
                    Ok(_) => bail!("{}: the executor gives something else at {d}", text(&p.b)),
                    // What it says of a register that is not there yet, or not free yet.
                    Err(e) if ["poison", "before", "in flight"].iter().any(|w| e.to_string().contains(w)) => {
                        lone.push((d, u32::MAX, true));
                    }
                    Err(e) => bail!("{e:#}"),
                }
            }
            all.push(Seen { number, telling: telling(&out), crowd: lone.clone(), lone });
        }
        Ok(all)
    }
}

/// What the hardware says of the tables' number for a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Verdict {
    /// The number is too small.
    Danger,
    /// The number is the least that works.
    Equal,
    /// Less works.
    Larger,
    /// The tables have no number.
    Unknown,
    /// The two orders give the same.
    Vacuous,
    /// The device failed.
    Failed,
}

/// One line of the report.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Part of the selection.
    pub group: String,
    /// The earlier instruction.
    pub a: String,
    /// The later one.
    pub b: String,
    /// The operand by which they touch.
    pub link: String,
    /// Latency classes of both.
    pub classes: [String; 2],
    /// The tables' number.
    pub need: Option<u8>,
    /// The least distance from which on every try was right: a lone warp, all warps. 255: none was.
    pub least: [u8; 2],
    /// Distances that failed.
    pub bad: Vec<u8>,
    /// Whether what was wrong was neither gold nor stale.
    pub other: bool,
    /// Lanes that tell the two orders apart.
    pub telling: u32,
    /// What follows.
    pub verdict: Verdict,
}

fn least(distances: &[u8], bad: &[(u8, u32, bool)]) -> u8 {
    let worst = bad.iter().map(|b| b.0).max().unwrap_or(0);
    distances.iter().copied().find(|d| *d > worst).unwrap_or(u8::MAX)
}

/// Judges a probe.
pub fn judge(p: &Probe, seen: Option<&Seen>) -> Entry {
    let mut entry = Entry {
        group: p.group.into(),
        a: text(&p.a),
        b: text(&p.b),
        link: p.link.clone(),
        classes: [p.a.row().pipe.to_string(), p.b.row().pipe.to_string()],
        need: p.need,
        least: [u8::MAX; 2],
        bad: Vec::new(),
        other: false,
        telling: 0,
        verdict: Verdict::Failed,
    };
    let Some(seen) = seen else { return entry };
    entry.telling = seen.telling;
    entry.least = [least(&p.distances, &seen.lone), least(&p.distances, &seen.crowd)];
    let bad: BTreeSet<u8> = seen.lone.iter().chain(&seen.crowd).map(|b| b.0).collect();
    entry.bad = bad.into_iter().collect();
    entry.other = seen.lone.iter().chain(&seen.crowd).any(|b| !b.2);
    let worst = entry.least[0].max(entry.least[1]);
    entry.verdict = match p.need {
        Some(need) if worst > need => Verdict::Danger,
        None if entry.bad.is_empty() && (seen.telling.count_ones() as usize) < TELLING => Verdict::Vacuous,
        None => Verdict::Unknown,
        Some(_) if (seen.telling.count_ones() as usize) < TELLING => Verdict::Vacuous,
        Some(need) if worst == need => Verdict::Equal,
        Some(_) => Verdict::Larger,
    };
    entry
}

/// Everything.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// Of this file.
    pub schema: u32,
    /// The device's name.
    pub device: String,
    /// By probe.
    pub entries: Vec<Entry>,
    /// What the device said of failing probes.
    pub errors: BTreeMap<String, usize>,
}

impl Report {
    /// Dangers by pair of mnemonics, then sums.
    pub fn summary(&self) -> String {
        let mut lines: BTreeMap<String, (usize, u8, u8)> = BTreeMap::new();
        let mut counts: BTreeMap<(String, Verdict), usize> = BTreeMap::new();
        let first =
            |text: &str| text.split([' ', '.']).find(|w| !w.starts_with('@')).unwrap_or("").to_owned();
        for e in &self.entries {
            *counts.entry((e.group.clone(), e.verdict)).or_default() += 1;
            let worst = e.least[0].max(e.least[1]);
            if matches!(e.verdict, Verdict::Danger) {
                let key = format!(
                    "DANGER {}: {} then {} by {} ({} then {}), the tables say {}",
                    e.group,
                    first(&e.a),
                    first(&e.b),
                    e.link,
                    e.classes[0],
                    e.classes[1],
                    e.need.unwrap_or(0)
                );
                let line = lines.entry(key).or_insert((0, 255, 0));
                *line = (line.0 + 1, line.1.min(worst), line.2.max(worst));
            }
        }
        let mut out = String::new();
        for (key, (n, low, high)) in lines {
            out += &format!("{key}: {n} probes, least {low} to {high}\n");
        }
        for ((group, verdict), n) in counts {
            out += &format!("{group}: {n} {verdict:?}\n");
        }
        out += &format!("{} probes on {}; errors {:?}\n", self.entries.len(), self.device, self.errors);
        out
    }
}

struct Shared {
    queue: VecDeque<Vec<usize>>,
    seen: BTreeMap<usize, Seen>,
    errors: BTreeMap<String, usize>,
    /// Texts of instructions with which the device failed.
    bad: BTreeSet<String>,
    busy: usize,
    device: String,
    fatal: Option<String>,
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(|e| e.into_inner())
}

/// Whether a failure of the probe is laid to its first instruction: the other stands in many that work.
fn blames_first(p: &Probe) -> bool {
    p.group.ends_with("writer")
        || matches!(p.group, "write, write" | "read, write" | "late read" | "scoreboard")
}

fn blamed(p: &Probe) -> String {
    // Without register numbers.
    let row = if blames_first(p) { &p.a } else { &p.b };
    row.row().id.to_owned()
}

/// Runs every probe in `workers` children until `patience` is over.
///
/// # Errors
/// When no child comes up.
pub fn run(
    share: usize,
    groups: &str,
    workers: usize,
    patience: Duration,
    program: &Path,
    arguments: &[String],
) -> Result<Report> {
    let all = probes(share);
    let wanted: Vec<usize> = (0..all.len()).filter(|i| all[*i].group.starts_with(groups)).collect();
    eprintln!("{} probes", wanted.len());
    let shared = Mutex::new(Shared {
        queue: wanted.chunks(EACH).map(<[usize]>::to_vec).collect(),
        seen: BTreeMap::new(),
        errors: BTreeMap::new(),
        bad: BTreeSet::new(),
        busy: 0,
        device: String::new(),
        fatal: None,
    });
    let end = Instant::now() + patience;
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| worker(&shared, &all, end, program, arguments));
        }
    });
    let shared = shared.into_inner().unwrap_or_else(|e| e.into_inner());
    if let Some(why) = shared.fatal {
        bail!("{why}");
    }
    let entries = wanted.iter().map(|i| judge(&all[*i], shared.seen.get(i))).collect();
    Ok(Report { schema: 1, device: shared.device, entries, errors: shared.errors })
}

fn worker(shared: &Mutex<Shared>, all: &[Probe], end: Instant, program: &Path, arguments: &[String]) {
    let mut line: Option<Line> = None;
    loop {
        let next = {
            let mut s = lock(shared);
            if s.fatal.is_some() {
                return;
            }
            if Instant::now() > end {
                s.queue.clear();
            }
            let next = s.queue.pop_front();
            if next.is_some() {
                s.busy += 1;
                if s.queue.len().is_multiple_of(25) {
                    eprintln!("{} kernels left", s.queue.len());
                }
            } else if s.busy == 0 {
                return;
            }
            next
        };
        let Some(mut asked) = next else {
            std::thread::sleep(Duration::from_millis(5));
            continue;
        };
        if line.is_none() {
            match Line::open(program, "timing-child", arguments) {
                Ok((opened, device)) => {
                    lock(shared).device = device;
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
        {
            let s = lock(shared);
            asked.retain(|i| !s.bad.contains(&blamed(&all[*i])));
        }
        let answer: Result<Answer> = match &mut line {
            _ if asked.is_empty() => Ok(Answer { seen: Vec::new(), failed: None }),
            Some(line) => line.ask(&asked),
            None => Err(anyhow!("no child")),
        };
        let mut s = lock(shared);
        s.busy -= 1;
        let why = match answer {
            Ok(Answer { seen, failed: None }) => {
                s.seen.extend(seen.into_iter().map(|x| (x.number, x)));
                continue;
            }
            Ok(Answer { failed: Some(why), .. }) => why,
            Err(why) => why.to_string(),
        };
        if let Some(mut line) = line.take() {
            line.end();
        }
        if asked.len() > 1 {
            // One at a time, behind all others: each failure costs a context, and those are slow to make.
            s.queue.extend(asked.into_iter().map(|i| vec![i]));
        } else if let Some(&i) = asked.first() {
            let p = &all[i];
            *s.errors.entry(format!("{why}: {} | {}", text(&p.a), text(&p.b))).or_default() += 1;
            s.bad.insert(blamed(p));
        }
    }
}

/// The child's side: lists of numbers on standard input. It ends after the first on which the device failed.
///
/// # Errors
/// When standard input or output fails.
pub fn child(clock: &dyn Clock, name: &str, share: usize) -> Result<()> {
    let all = probes(share);
    let mut out = std::io::stdout().lock();
    writeln!(out, "ready {name}")?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        let asked: Vec<usize> = serde_json::from_str(&line?)?;
        let list: Vec<(usize, &Probe)> = asked.iter().map(|i| (*i, &all[*i])).collect();
        let answer = match clock.run(&list) {
            Ok(seen) => Answer { seen, failed: None },
            Err(e) => Answer { seen: Vec::new(), failed: Some(format!("{e:#}")) },
        };
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
        out.flush()?;
        if answer.failed.is_some() {
            std::process::exit(3);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::kernel::DISTANCES;
    use super::*;

    fn some() -> Vec<Probe> {
        let all = probes(101);
        assert!(all.iter().all(|p| p.distances.len() <= DISTANCES));
        // One of each group.
        let mut some: Vec<Probe> = Vec::new();
        for p in all {
            if !some.iter().any(|q| q.group == p.group) {
                some.push(p);
            }
        }
        assert!(some.len() >= 12, "{}", some.len());
        some
    }

    fn entries(probes: &[Probe]) -> Vec<Entry> {
        let list: Vec<(usize, &Probe)> = probes.iter().enumerate().collect();
        let seen = StandIn::default().run(&list).expect("the executor");
        probes.iter().zip(&seen).map(|(p, s)| judge(p, Some(s))).collect()
    }

    #[test]
    fn the_executor_needs_what_the_tables_say_and_a_smaller_number_is_a_danger() {
        let mut probes = some();
        let before = entries(&probes);
        let equal: Vec<usize> = (0..probes.len()).filter(|i| before[*i].verdict == Verdict::Equal).collect();
        assert!(equal.len() >= 6, "{before:#?}");
        assert!(before.iter().all(|e| e.verdict != Verdict::Danger), "{before:#?}");
        probes.iter_mut().for_each(|p| p.need = p.need.map(|n| n - 1));
        let after = entries(&probes);
        assert!(equal.iter().all(|i| after[*i].verdict == Verdict::Danger), "{after:#?}");
    }

    #[test]
    fn a_device_that_fails_is_no_verdict() {
        let probes = some();
        let list: Vec<(usize, &Probe)> = probes.iter().enumerate().collect();
        let planted = StandIn { illegal: Some(probes[0].b.row().mnemonic), ..StandIn::default() };
        assert!(planted.run(&list).is_err());
        assert_eq!(judge(&probes[0], None).verdict, Verdict::Failed);
    }
}
