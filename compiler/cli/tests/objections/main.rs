//! Random programs of every generator, on all chips, at all levels, with few registers and with many, under the default judges: no judge objects to
//! our own work, nothing panics, and the SASS executor leaves what the PTX executor does. `SASSAFRAS_SEEDS=FROM-TO` runs others than the few
//! of each day; `cargo xtask long objections` runs 50,000.

mod subject;

use sassafras::harness::compiler::{Compiler, Made, Name};
use sassafras_execute::{Approx, Options, ptx, sass};
use sassafras_generate::reduce::reduce;
use sassafras_ptx::checked::Module;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use subject::{Launched, Subject};

/// Stack of a worker, bytes.
const STACK: usize = 64 << 20;

/// What became of a program.
enum Fate {
    /// The code does what the source does.
    Right,
    /// It is compiled, and the source leaves open what it does, or is not run.
    Compiled,
    /// It is not taken, and why.
    Refused(String),
    /// A judge objected, or the compiler broke.
    Broken(String),
    /// The code does something else.
    Wrong(String),
}

impl Fate {
    /// What findings are grouped by: the rule, or the sentence without its numbers.
    fn group(&self) -> Option<String> {
        let (Fate::Broken(why) | Fate::Wrong(why)) = self else { return None };
        let word = if matches!(self, Fate::Wrong(_)) { "wrong" } else { "exit 3" };
        let line = why.lines().next().unwrap_or_default();
        let rule = line.rsplit_once('[').and_then(|(_, rest)| rest.strip_suffix(']'));
        let plain: String = line.chars().filter(|c| !c.is_ascii_digit()).take(100).collect();
        Some(format!("{word}: {}", rule.unwrap_or(&plain)))
    }
}

/// What the source leaves in each buffer, and which bytes it leaves open; none where it means nothing.
fn expected(module: &Module, launched: Launched, seed: u64) -> Option<Vec<Vec<Option<u8>>>> {
    let layout = ptx::layout(module, "k").ok()?;
    let launch = launched.launch(&layout, seed).ok()?;
    let choices = [
        Options { approx: Approx::Nearest, touches: true, ..Options::default() },
        Options { approx: Approx::Low, ..Options::default() },
        Options { approx: Approx::High, ..Options::default() },
        Options {
            approx: Approx::Seed(1),
            nans: Some(1),
            seed: 1,
            order: 2,
            places: 1,
            ..Options::default()
        },
        Options {
            approx: Approx::Seed(2),
            nans: Some(2),
            seed: 2,
            order: 1,
            places: 2,
            ..Options::default()
        },
    ];
    let mut all: Option<Vec<Vec<Option<u8>>>> = None;
    for options in choices {
        let run = ptx::run(module, "k", &launch, &Options { step_limit: 2_000_000, ..options });
        let outcome = run.ok().filter(|outcome| outcome.rests.is_none())?;
        if sassafras_execute::memory::race(&outcome.touches).is_some() {
            return None;
        }
        let bytes = |(at, buffer): (usize, &Vec<u8>)| {
            let base = launch.buffers[at].address;
            let byte = |(i, b): (usize, &u8)| (!outcome.open.contains(&(base + i as u64))).then_some(*b);
            buffer.iter().enumerate().map(byte).collect::<Vec<_>>()
        };
        let buffers: Vec<Vec<Option<u8>>> = outcome.buffers.iter().enumerate().map(bytes).collect();
        match &mut all {
            None => all = Some(buffers),
            Some(all) => {
                for (one, other) in all.iter_mut().flatten().zip(buffers.iter().flatten()) {
                    *one = one.filter(|_| one == other);
                }
            }
        }
    }
    for words in all.iter_mut().flatten().flat_map(|buffer| buffer.chunks_mut(launched.grain)) {
        if words.iter().any(Option::is_none) {
            words.fill(None);
        }
    }
    all
}

/// Compiles a text as the subject says and runs it.
fn judge(subject: &Subject, text: &str, seed: u64) -> Fate {
    let compiler = Compiler::find(&Name::Ours, subject.chip.number(), subject.level).expect("ours is here");
    let options: Vec<&str> = subject.options.iter().map(String::as_str).collect();
    let cubin = match compiler.ours_with(text, &options, &mut Vec::new()) {
        Made::Cubin(cubin, _) => cubin,
        Made::Refused(why) => return Fate::Refused(why),
        Made::Broken(why) => match sassafras_ptx::load(text, "case.ptx") {
            // Forms of a random choice that the chip lacks.
            Err(found) if found.has_errors() => return Fate::Refused("the PTX is rejected".into()),
            _ => return Fate::Broken(why.to_string()),
        },
    };
    let Some(launched) = subject.launched else { return Fate::Compiled };
    let module = sassafras_ptx::load(text, "case.ptx").expect("it was compiled");
    let Some(wanted) = expected(&module, launched, seed) else { return Fate::Compiled };
    for order in [0, 2] {
        let launch = sass::layout(&cubin, "k").map_err(|e| e.to_string());
        let launch = launch.and_then(|layout| launched.launch(&layout, seed).map_err(|e| e.to_string()));
        let launch = match launch {
            Ok(launch) => launch,
            Err(why) => return Fate::Wrong(why),
        };
        match sass::run(&cubin, "k", &launch, &Options { order, timing: true, ..Options::default() }) {
            Ok(outcome) => {
                for (buffer, (wanted, found)) in wanted.iter().zip(&outcome.buffers).enumerate() {
                    let differs = |(w, f): (&Option<u8>, &u8)| w.is_some_and(|w| w != *f);
                    if let Some(at) = wanted.iter().zip(found).position(differs) {
                        return Fate::Wrong(format!("another value at byte {at} of buffer {buffer}"));
                    }
                }
            }
            Err(e) if e.is_unsupported() => return Fate::Compiled,
            Err(e) => return Fate::Wrong(e.to_string()),
        }
    }
    Fate::Right
}

/// Counts by chip and level, and what was found, by group: how often, and the first program, reduced.
#[derive(Default)]
struct Tally {
    right: BTreeMap<(u32, u8), u32>,
    fates: BTreeMap<(u32, u8), [u32; 3]>,
    generators: BTreeMap<&'static str, u32>,
    refused: BTreeMap<String, u32>,
    found: BTreeMap<String, (u32, String)>,
}

impl Tally {
    /// Counts a program; whether it is the first of its group.
    fn add(&mut self, subject: &Subject, fate: &Fate) -> bool {
        let place = (subject.chip.number(), subject.level);
        *self.generators.entry(subject.generator).or_default() += 1;
        let counts = self.fates.entry(place).or_default();
        match fate {
            Fate::Right => *self.right.entry(place).or_default() += 1,
            Fate::Compiled => counts[0] += 1,
            Fate::Refused(why) => {
                counts[1] += 1;
                *self.refused.entry(why.chars().take(60).collect()).or_default() += 1;
            }
            Fate::Broken(_) | Fate::Wrong(_) => counts[2] += 1,
        }
        let Some(group) = fate.group() else { return false };
        let found = self.found.entry(group).or_default();
        found.0 += 1;
        found.0 == 1
    }

    fn print(&self) {
        eprintln!("generators: {:?}", self.generators);
        eprintln!("chip, level: right, compiled and not compared, refused, exit 3 or wrong");
        for (place, [compiled, refused, found]) in &self.fates {
            let right = self.right.get(place).copied().unwrap_or_default();
            eprintln!("  sm_{} -O{}: {right}, {compiled}, {refused}, {found}", place.0, place.1);
        }
        let mut refused: Vec<_> = self.refused.iter().collect();
        refused.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
        for (why, n) in refused.iter().take(12) {
            eprintln!("  {n} refused: {why}");
        }
        let count = |word: &str| {
            self.found.iter().filter(|(group, _)| group.starts_with(word)).map(|(_, (n, _))| n).sum::<u32>()
        };
        let all: u32 = self.generators.values().sum();
        eprintln!("{all} random programs: exit 3: {}; wrong: {}", count("exit 3"), count("wrong"));
    }
}

/// The program of a seed, as small as the same group shows.
fn reduced(subject: &Subject, seed: u64, group: &str) -> String {
    let keep = |text: &str| judge(subject, text, seed).group().as_deref() == Some(group);
    let small =
        reduce(&subject.text, &keep, 1, &mut |_, _| {}).map_or(subject.text.clone(), |small| small.text);
    let how = match judge(subject, &small, seed) {
        Fate::Broken(how) | Fate::Wrong(how) => how,
        _ => String::new(),
    };
    let Subject { generator, chip, level, options, .. } = subject;
    format!(
        "seed {seed} of {generator}: -arch=sm_{} -O{level} {}\n{how}\n{small}",
        chip.number(),
        options.join(" ")
    )
}

fn seeds() -> Range<u64> {
    let asked = std::env::var("SASSAFRAS_SEEDS").unwrap_or_default();
    match asked.split_once('-').map(|(a, b)| (a.parse(), b.parse())) {
        Some((Ok(from), Ok(to))) => from..to,
        _ if std::env::var_os("SASSAFRAS_ALL_OBJECTIONS").is_some() => 0..50_000,
        _ => 0..96,
    }
}

/// Programs of the volume to which a judge objected.
const MENDED: [u64; 4] = [4_874, 18_382, 20_925, 21_175];

#[test]
fn what_was_objected_to_is_taken() {
    for seed in MENDED {
        let subject = Subject::of(seed);
        let fate = judge(&subject, &subject.text, seed);
        assert!(fate.group().is_none(), "{seed}: {:?}", fate.group());
    }
}

#[test]
fn no_judge_objects_to_random_programs_and_they_are_right() {
    let seeds = seeds();
    let (next, tally) = (AtomicU64::new(seeds.start), Mutex::new(Tally::default()));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                break;
            }
            let subject = Subject::of(seed);
            let fate = judge(&subject, &subject.text, seed);
            if tally.lock().expect("no panic").add(&subject, &fate) {
                let group = fate.group().expect("it is a finding");
                let small = reduced(&subject, seed, &group);
                eprintln!("{group}: {small}\n");
                tally.lock().expect("no panic").found.get_mut(&group).expect("it was added").1 = small;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, |n| n.get()) {
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).expect("a thread");
        }
    });
    let tally = tally.into_inner().expect("no panic");
    tally.print();
    let found: Vec<String> =
        tally.found.iter().map(|(group, (n, small))| format!("{n} times {group}: {small}")).collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
    let right: u32 = tally.right.values().sum();
    let all: u32 = tally.generators.values().sum();
    assert!(right * 2 > all, "{right} of {all} were compared");
}
