//! The solvers that a command line names.

use clap::{Args, ValueEnum};
#[cfg(not(feature = "z3"))]
use sassafras_prove::Z3;
use sassafras_prove::{Limits, NoSolver, Solver};
#[cfg(feature = "z3")]
use sassafras_solve::solver::NativeZ3;
use sassafras_solvers::{Bitwuzla, Both, Cache, Kept};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::Failure;

/// Effort for a question where nobody says how much, in millions of z3's `rlimit`.
pub const USUAL: u64 = 30;

/// Seconds for a question where nobody says how many.
pub const SECONDS: u64 = 60;

/// What every command says of `--budget`.
pub const EFFORT: &str = "Effort for each question, in millions of z3's `rlimit`; 1 at least. Without it 30";

/// Values of `--budget`. To z3 a limit of 0 is none, so that a proof without effort would be one of any effort.
pub fn budget() -> clap::builder::RangedU64ValueParser {
    clap::builder::RangedU64ValueParser::new().range(1..)
}

/// Values of `--timeout`, of which 0 would be no limit too.
pub fn seconds() -> clap::builder::RangedU64ValueParser {
    budget()
}

/// Which solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    /// z3.
    Z3,
    /// bitwuzla.
    Bitwuzla,
    /// Both, and they must agree.
    All,
}

/// Options about solvers.
#[derive(Args)]
pub struct Solvers {
    // For all questions about an entry it is 12, or this if it is more (docs/proof-notes.md).
    #[arg(long, value_name = "N", value_parser = budget(), help = EFFORT)]
    budget: Option<u64>,
    /// Seconds for all that is done about an entry, its witness included; a safety net alone. Without it 60 for each question, and no end but
    /// that of the effort.
    #[arg(long, value_name = "SECONDS", value_parser = seconds())]
    timeout: Option<u64>,
    /// The solver; `all`: both, whose answers must agree.
    #[arg(long, value_enum, default_value = "z3")]
    solver: Which,
    /// Keep solvers' answers in a folder and take them from there; `user`: in the user's folder for caches.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Write each question into a folder as SMT-LIB.
    #[arg(long, value_name = "DIR")]
    questions: Option<PathBuf>,
}

/// z3 with some effort for each question, in millions of its `rlimit`, and seconds for safety; one that answers nothing if it is
/// not installed.
pub fn first(budget: u64, timeout: u64) -> Box<dyn Solver> {
    let here = std::env::current_dir().ok();
    let program = std::env::current_exe().ok();
    let folders: Vec<&Path> = here.iter().chain(&program).map(PathBuf::as_path).collect();
    z3(&folders, budget, timeout).unwrap_or_else(|| Box::new(NoSolver))
}

#[cfg(feature = "z3")]
fn z3(_: &[&Path], budget: u64, timeout: u64) -> Option<Box<dyn Solver>> {
    Some(Box::new(NativeZ3 { budget, timeout }))
}

#[cfg(not(feature = "z3"))]
fn z3(folders: &[&Path], budget: u64, timeout: u64) -> Option<Box<dyn Solver>> {
    Z3::find(folders, budget, timeout).map(|z3| Box::new(z3) as Box<dyn Solver>)
}

/// The z3 that `prove` uses, as a person wants to know it.
pub fn program() -> String {
    if cfg!(feature = "z3") {
        return "z3 in process".to_owned();
    }
    let here = std::env::current_dir().ok();
    let own = std::env::current_exe().ok();
    let folders: Vec<&Path> = here.iter().chain(&own).map(PathBuf::as_path).collect();
    match sassafras_prove::Z3::find(&folders, 1, 1) {
        Some(z3) => z3.path().display().to_string(),
        None => format!(
            "no z3: {VARIABLE} names none, and no .z3/bin/z3 lies above this folder or above the program; `sassafras oracle install z3` \
             fetches it"
        ),
    }
}

/// The environment variable that names z3's program.
const VARIABLE: &str = "SASSAFRAS_Z3";

/// Refuses a name that is set and leads to no file: answers of another z3, or none, would be taken for those of the one that was asked for. Where z3 is in
/// process the variable says nothing.
fn named(value: Option<std::ffi::OsString>) -> Result<(), Failure> {
    match value.filter(|value| !value.is_empty()).map(PathBuf::from) {
        Some(path) if cfg!(not(feature = "z3")) && !path.is_file() => {
            Err(Failure::usage(format!("{VARIABLE} is `{}`, which is no file", path.display())))
        }
        _ => Ok(()),
    }
}

impl Solvers {
    /// z3 with this budget, in millions of its `rlimit`, or the usual one.
    pub fn with_budget(budget: Option<u64>) -> Solvers {
        Solvers { budget, timeout: None, solver: Which::Z3, cache: None, questions: None }
    }

    /// What a proof of an entry may cost, if each loop may be gone through so often. Its time begins now.
    pub fn limits(&self, unroll: u32) -> Limits {
        Limits {
            unroll,
            effort: self.effort(),
            work: self.work(),
            deadline: self.deadline(),
            ..Limits::default()
        }
    }

    fn budget(&self) -> u64 {
        self.budget.unwrap_or(USUAL)
    }

    /// Effort for all questions about an entry, in thousands of z3's `rlimit`.
    pub fn effort(&self) -> u64 {
        let least = sassafras_prove::Limits::default().effort;
        self.budget.map_or(least, |b| least.max(b.saturating_mul(1000)))
    }

    /// Work beside the solver's questions for each way to prove an entry.
    pub fn work(&self) -> u64 {
        let usual = sassafras_prove::Limits::DEFAULT.work;
        self.budget.map_or(usual, |b| usual / USUAL * b.clamp(1, 1 << 20))
    }

    /// When all that is done about an entry has to end, which begins now.
    pub fn deadline(&self) -> Option<Instant> {
        self.timeout.and_then(|seconds| Instant::now().checked_add(Duration::from_secs(seconds)))
    }

    /// Seconds for a question.
    fn seconds(&self) -> u64 {
        self.timeout.unwrap_or(SECONDS)
    }

    /// The solver; one that answers nothing if z3 is not installed.
    pub fn open(&self) -> Result<Box<dyn Solver>, Failure> {
        let mut solver: Box<dyn Solver> = match self.which()? {
            Some(solver) => solver,
            None => return Ok(Box::new(NoSolver)),
        };
        if let Some(folder) = &self.cache {
            let folder = match folder.to_str() {
                Some("user") => Cache::home().ok_or_else(|| Failure::usage("there is no home folder"))?,
                _ => folder.clone(),
            };
            solver = Box::new(Cache::new(solver, folder));
        }
        if let Some(folder) = &self.questions {
            std::fs::create_dir_all(folder).map_err(|e| Failure::wrong(e.to_string()).about(folder))?;
            solver = Box::new(Kept::new(solver, folder.clone()));
        }
        Ok(solver)
    }

    fn which(&self) -> Result<Option<Box<dyn Solver>>, Failure> {
        named(std::env::var_os(VARIABLE))?;
        // Looked for above the working folder and above the program.
        let here = std::env::current_dir().ok();
        let program = std::env::current_exe().ok();
        let folders: Vec<&Path> = here.iter().chain(&program).map(PathBuf::as_path).collect();
        let bitwuzla = || -> Result<Box<dyn Solver>, Failure> {
            match Bitwuzla::find(&folders, self.seconds()) {
                Some(found) => Ok(Box::new(found)),
                None => Err(Failure::usage(
                    "bitwuzla is not installed; `sassafras oracle install bitwuzla` fetches it",
                )),
            }
        };
        Ok(match self.solver {
            Which::Z3 => z3(&folders, self.budget(), self.seconds()),
            Which::Bitwuzla => Some(bitwuzla()?),
            Which::All => {
                let second = bitwuzla()?;
                let first = z3(&folders, self.budget(), self.seconds());
                first.map(|first| Box::new(Both::new(first, second)) as Box<dyn Solver>)
            }
        })
    }
}
