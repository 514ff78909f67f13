//! Many seeds through compilers and oracles, with a journal and a folder for each finding.
//!
//! - [`Plan`]: what is run. [`run()`]: runs it, from where the folder's journal ends.
//! - [`journal`]: one line for each seed, only ever appended, so that a campaign that was stopped goes on.
//! - [`signature`]: what a finding is about, by which the same one found again is folded.
//! - [`finding`]: a program reduced, its folder. [`report`]: the same for a reader, as Markdown and HTML.

pub mod finding;
pub mod journal;
pub mod report;
pub mod signature;

use super::case::Case;
use super::compiler::{Compiler, Name, said};
use super::oracle::{Decision, Oracle, decide};
use crate::{Failure, files};
use finding::{Finding, Sign};
use journal::{Entry, Fold, Header, Hit, Journal};
use sassafras_generate::ptx::{Features, Request, seeded};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Stack of a worker, bytes: the prover's terms are deep.
const STACK: usize = 256 << 20;
/// Instructions of the smallest program.
const LEAST: u64 = 6;

/// What a campaign runs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Whose code.
    pub compilers: Vec<Name>,
    /// For which chips; each seed is made for one of them, in turn.
    pub chips: Vec<u32>,
    /// At which levels.
    pub levels: Vec<u8>,
    /// Who decides.
    pub oracle: Oracle,
    /// What programs may have, as [`Features::parse`] reads it.
    pub features: String,
    /// Most instructions of a program, those aside that load and store the registers.
    pub size: u64,
}

/// What came of a campaign so far, what its journal said before included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Seeds.
    pub seeds: u64,
    /// Outcomes by compiler, then by word.
    pub outcomes: BTreeMap<String, BTreeMap<String, u64>>,
    /// Findings that no other one explains, by name.
    pub new: BTreeSet<String>,
    /// How often each was found, and each known error.
    pub found: BTreeMap<String, u64>,
    /// What went wrong on our own side: a program without meaning, a panic, a proof of what differs; with its seed.
    pub own: Vec<(u64, String)>,
}

impl Counts {
    fn add(&mut self, entry: &Entry) {
        self.seeds += 1;
        for (label, word) in &entry.outcomes {
            let compiler = label.split(' ').next().unwrap_or_default();
            *self.outcomes.entry(compiler.to_owned()).or_default().entry(word.clone()).or_default() += 1;
        }
        for hit in &entry.findings {
            *self.found.entry(hit.name.clone()).or_default() += 1;
            if hit.fold == Fold::New {
                self.new.insert(hit.name.clone());
            }
        }
        self.own.extend(entry.own.iter().map(|why| (entry.seed, why.clone())));
    }

    /// Compilers that refuse every program, so that nothing is known of them.
    pub fn idle(&self) -> Vec<&str> {
        let idle = |words: &BTreeMap<String, u64>| words.keys().all(|word| word == "refused");
        self.outcomes.iter().filter(|(_, words)| idle(words)).map(|(name, _)| name.as_str()).collect()
    }

    /// How many outcomes have a word, over all compilers.
    pub fn of(&self, word: &str) -> u64 {
        self.outcomes.values().filter_map(|words| words.get(word)).sum()
    }
}

impl Plan {
    fn request(&self, seed: u64, features: Features) -> Request {
        let sm = self.chips[(seed % self.chips.len() as u64) as usize];
        // Sizes and chips must not go together.
        let size = LEAST + (seed / self.chips.len() as u64) % (self.size.max(LEAST + 1) - LEAST);
        Request { sm, features, size: size as usize }
    }

    /// The case of a seed, and the chip that it is made for.
    fn case(&self, seed: u64, features: Features) -> (Case, u32) {
        let request = self.request(seed, features);
        (Case::of(seeded(seed, &request), seed), request.sm)
    }

    /// What has to be the same for a journal to go on: another generator makes other programs of the same seeds.
    fn header(&self, features: Features) -> Header {
        let texts = (0..8).map(|seed| self.case(seed, features).0.text);
        let hash = texts.flat_map(String::into_bytes).fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Header {
            schema: 1,
            sassafras: env!("CARGO_PKG_VERSION").to_owned(),
            compilers: self.compilers.iter().map(Name::to_string).collect(),
            chips: self.chips.clone(),
            levels: self.levels.clone(),
            oracle: self.oracle.name().to_owned(),
            features: self.features.clone(),
            size: self.size,
            generator: format!("{hash:016x}"),
        }
    }
}

/// Runs the seeds that the folder's journal lacks, on `jobs` threads, until `until`; `progress` sees the counts after each.
///
/// # Errors
/// A compiler is missing, the features do not parse, the folder belongs to another campaign or cannot be written.
pub fn run(
    plan: &Plan,
    seeds: std::ops::Range<u64>,
    until: Option<Instant>,
    jobs: usize,
    folder: &Path,
    progress: &(dyn Fn(&Counts) + Sync),
) -> Result<Counts, Failure> {
    let features = Features::parse(&plan.features).map_err(Failure::usage)?;
    if plan.compilers.is_empty() || plan.chips.is_empty() || plan.levels.is_empty() {
        return Err(Failure::usage("a campaign needs a compiler, a chip and a level"));
    }
    let find = |sm: u32| -> Result<Vec<Compiler>, Failure> {
        let all = plan.compilers.iter().flat_map(|n| plan.levels.iter().map(move |level| (n, *level)));
        all.map(|(name, level)| {
            Compiler::find(name, sm, level).map_err(|skipped| Failure::usage(skipped.to_string()))
        })
        .collect()
    };
    let compilers: BTreeMap<u32, Vec<Compiler>> =
        plan.chips.iter().map(|sm| Ok((*sm, find(*sm)?))).collect::<Result<_, Failure>>()?;
    let (journal, before) = Journal::open(folder, &plan.header(features))?;
    let mut counts = Counts::default();
    let mut done = BTreeSet::new();
    for entry in &before {
        counts.add(entry);
        done.insert(entry.seed);
    }
    let campaign = Campaign {
        plan,
        features,
        compilers,
        folder,
        signs: Mutex::new(
            before.iter().flat_map(|e| &e.findings).filter_map(|hit| hit.sign.clone()).collect(),
        ),
        state: Mutex::new(State { next: seeds.start, counts, journal, stopped: None }),
    };
    let work = || {
        while let Some(seed) = campaign.take(seeds.end, &done, until) {
            let entry = campaign.seed(seed);
            campaign.finish(entry, progress);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            let started = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            if let Err(e) = started {
                locked(&campaign.state).stopped.get_or_insert(Failure::internal(format!("no thread: {e}")));
            }
        }
    });
    let state = campaign.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match state.stopped {
        Some(failure) => Err(failure),
        None => Ok(state.counts),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct State {
    next: u64,
    counts: Counts,
    journal: Journal,
    /// Why no more seeds are taken.
    stopped: Option<Failure>,
}

struct Campaign<'a> {
    plan: &'a Plan,
    features: Features,
    compilers: BTreeMap<u32, Vec<Compiler>>,
    folder: &'a Path,
    /// Findings that have a folder, or whose folder is being written.
    signs: Mutex<Vec<Sign>>,
    state: Mutex<State>,
}

impl Campaign<'_> {
    fn take(&self, end: u64, done: &BTreeSet<u64>, until: Option<Instant>) -> Option<u64> {
        let mut state = locked(&self.state);
        if state.stopped.is_some() || until.is_some_and(|until| Instant::now() >= until) {
            return None;
        }
        while done.contains(&state.next) {
            state.next += 1;
        }
        let seed = state.next;
        state.next += 1;
        (seed < end).then_some(seed)
    }

    fn finish(&self, entry: Result<Entry, Failure>, progress: &(dyn Fn(&Counts) + Sync)) {
        let mut state = locked(&self.state);
        match entry.and_then(|entry| state.journal.append(&entry).map(|()| entry)) {
            Ok(entry) => {
                state.counts.add(&entry);
                progress(&state.counts);
            }
            Err(failure) => {
                state.stopped.get_or_insert(failure);
            }
        }
    }

    /// One seed through every compiler.
    fn seed(&self, seed: u64) -> Result<Entry, Failure> {
        let (case, sm) = self.plan.case(seed, self.features);
        let mut entry = Entry { seed, sm, ..Entry::default() };
        let mut findings: Vec<Finding> = Vec::new();
        for compiler in &self.compilers[&sm] {
            let decided = catch_unwind(AssertUnwindSafe(|| decide(&case, compiler, self.plan.oracle)));
            let decision = match decided {
                Ok(decision) => decision,
                Err(panic) => {
                    entry.outcomes.insert(compiler.label(), "panicked".to_owned());
                    self.own(
                        &mut entry,
                        &case,
                        &format!("{}: a panic: {}", compiler.label(), said(&*panic)),
                    )?;
                    continue;
                }
            };
            entry.outcomes.insert(compiler.label(), decision.word().to_owned());
            match decision {
                Decision::Meaningless(why) => {
                    self.own(&mut entry, &case, &why.to_string())?;
                    break;
                }
                Decision::Wrong(kind, how) => {
                    // What an earlier compiler's finding shows already is reduced once.
                    match findings.iter_mut().find(|f| f.shows(compiler, kind)) {
                        Some(same) => same.also(compiler),
                        None => findings.push(Finding::reduced(&case, compiler, kind, how, self.plan.oracle)),
                    }
                }
                _ => {}
            }
        }
        for finding in findings {
            let (sign, known) = (finding.sign(), finding.known());
            let (fold, name) = match known {
                Some(program) => (Fold::Known, format!("known:{program}")),
                None => {
                    let mut signs = locked(&self.signs);
                    match signs.iter().find(|other| other.same(&sign)) {
                        Some(other) => (Fold::Again, other.name.clone()),
                        None => {
                            signs.push(sign.clone());
                            (Fold::New, sign.name.clone())
                        }
                    }
                }
            };
            if fold == Fold::New
                && let Some(why) = finding.write(&self.folder.join(&name), &self.plan.chips)?
            {
                self.own(&mut entry, finding.case(), &why)?;
            }
            for compiler in finding.compilers() {
                // The folder is one compiler's; what else shows the same is the same finding again.
                let first = fold == Fold::New && compiler == finding.compiler();
                let fold = if fold == Fold::New && !first { Fold::Again } else { fold };
                let sign = first.then(|| sign.clone());
                entry.findings.push(Hit { compiler, name: name.clone(), fold, sign });
            }
        }
        Ok(entry)
    }

    /// Keeps a program about which we err ourselves.
    fn own(&self, entry: &mut Entry, case: &Case, why: &str) -> Result<(), Failure> {
        let folder = self.folder.join("own");
        std::fs::create_dir_all(&folder).map_err(|e| Failure::unwritable(e.to_string()).about(&folder))?;
        files::write(&folder.join(format!("{}.ptx", entry.seed)), case.file().as_bytes())?;
        entry.own.get_or_insert_with(|| why.lines().collect::<Vec<_>>().join(" | "));
        Ok(())
    }
}
