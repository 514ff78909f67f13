//! `sassafras fuzz`: a campaign of random programs over compilers, chips, levels and oracles.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::Args;
use sassafras_chip::{Chip, Target};
use serde_json::json;

use super::Context;
use crate::harness::campaign::{self, Counts, Plan};
use crate::harness::compiler::Name;
use crate::harness::oracle::Oracle;
use crate::plural::count;
use crate::{Exit, Failure, files};

/// Seeds of a campaign for which nobody says how long it runs.
const SEEDS: u64 = 1000;

/// Run random programs through compilers, executors and the prover. The folder keeps a journal: a campaign that was stopped, by Ctrl-C as well, goes
/// on when it is started again with the same options. Exit code 10 says that the folder holds a finding that no known error explains, 12 that a compiler refuses
/// every program.
#[derive(Args)]
pub struct Fuzz {
    /// Whose code: `ours`, `ptxas`, `ptxas@VERSION`, or `program:PATH` for one that is called as ptxas is; may be repeated.
    #[arg(long, default_value = "ours")]
    compiler: Vec<Name>,
    /// For which chips; may be repeated. Each seed makes a program for one of them, in turn.
    #[arg(long = "arch", value_name = "sm_XX", default_value = Chip::DEFAULT)]
    arch: Vec<Target>,
    /// At which levels; may be repeated.
    #[arg(long, default_value = "3", value_parser = clap::value_parser!(u8).range(0..=3))]
    level: Vec<u8>,
    /// Who decides.
    #[arg(long, value_enum, default_value = "run")]
    oracle: Oracle,
    /// The seeds, the second one excluded: `0..1000`, or `500..` for all from there on.
    #[arg(long, value_name = "A..B", value_parser = seeds, conflicts_with_all = ["seed", "count"])]
    seeds: Option<Range<u64>>,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many seeds; without it and without --time 1000.
    #[arg(long)]
    count: Option<u64>,
    /// How long: `90`, `90s`, `15m`, `6h`. Programs that were begun are finished.
    #[arg(long, value_parser = duration)]
    time: Option<Duration>,
    /// What programs may have: `all`, `none` and changes of them, as in `all,-calls`. `-known` leaves out what ptxas is known to err about.
    #[arg(long, default_value = "all")]
    features: String,
    /// Most instructions of a program, those aside that load and store its registers.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(7..=400))]
    size: u64,
    /// The folder of the journal and the findings.
    #[arg(long, value_name = "DIR")]
    findings: PathBuf,
}

/// Why a text is no argument.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum ArgumentError {
    #[error("`{0}` is no range of seeds such as 0..1000 or 500..")]
    Range(String),
    #[error("there is no seed in `{0}`")]
    NoSeed(String),
    #[error("`{0}` is no time such as 90s, 15m or 6h")]
    Time(String),
}

fn seeds(text: &str) -> Result<Range<u64>, ArgumentError> {
    let wrong = || ArgumentError::Range(text.to_owned());
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let from = from.parse().map_err(|_| wrong())?;
    let to = if to.is_empty() { u64::MAX } else { to.parse().map_err(|_| wrong())? };
    if from >= to {
        return Err(ArgumentError::NoSeed(text.to_owned()));
    }
    Ok(from..to)
}

fn duration(text: &str) -> Result<Duration, ArgumentError> {
    let wrong = || ArgumentError::Time(text.to_owned());
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let unit = match unit {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err(wrong()),
    };
    number.checked_mul(unit).map(Duration::from_secs).ok_or_else(wrong)
}

pub(super) fn run(arguments: &Fuzz, context: &Context) -> Result<Exit, Failure> {
    let started = Instant::now();
    let range = match (&arguments.seeds, arguments.count) {
        (Some(range), _) => range.clone(),
        (None, None) if arguments.time.is_some() => arguments.seed..u64::MAX,
        (None, count) => arguments.seed..arguments.seed.saturating_add(count.unwrap_or(SEEDS)),
    };
    if range.end == u64::MAX && arguments.time.is_none() && !context.quiet {
        eprintln!("without --time and without a last seed this goes on until it is stopped");
    }
    let until = arguments.time.and_then(|time| started.checked_add(time));
    let jobs = match context.jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    };
    let plan = Plan {
        compilers: without_doubles(&arguments.compiler),
        chips: without_doubles(&arguments.arch.iter().map(|a| a.chip.number()).collect::<Vec<_>>()),
        levels: without_doubles(&arguments.level),
        oracle: arguments.oracle,
        features: arguments.features.clone(),
        size: arguments.size,
    };
    let shows = !context.quiet && !context.json && std::io::IsTerminal::is_terminal(&std::io::stderr());
    let last = Mutex::new(None::<Instant>);
    let progress = |counts: &Counts| {
        let mut last = last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if shows && last.is_none_or(|at| at.elapsed() > Duration::from_millis(300)) {
            *last = Some(Instant::now());
            eprint!("\r\x1b[K{}", line(counts));
        }
    };
    let counts = campaign::run(&plan, range, until, jobs, &arguments.findings, &progress)?;
    if shows {
        eprint!("\n");
    }
    let idle = counts.idle();
    let exit = match (counts.own.is_empty(), counts.new.is_empty()) {
        (false, _) => Exit::Internal,
        (true, false) => Exit::Refuted,
        // A compiler of which nothing was tried is not one without errors.
        (true, true) if !idle.is_empty() => Exit::Unknown,
        (true, true) => Exit::Done,
    };
    if context.json {
        let record = json!({
            "schema": 1, "exit": exit as u8, "seeds": counts.seeds, "outcomes": counts.outcomes, "new": counts.new,
            "found": counts.found, "own": counts.own, "idle": idle, "seconds": started.elapsed().as_secs_f64(),
        });
        files::print(&format!("{record}\n"));
    } else {
        files::print(&summary(&counts, &arguments.findings));
    }
    Ok(exit)
}

/// The values once each, in their order.
fn without_doubles<T: PartialEq + Clone>(all: &[T]) -> Vec<T> {
    let mut once: Vec<T> = Vec::new();
    for value in all {
        if !once.contains(value) {
            once.push(value.clone());
        }
    }
    once
}

/// Outcomes in the order of a line.
const WORDS: [&str; 10] = [
    "agrees",
    "proved",
    "within",
    "undecided",
    "refused",
    "differs",
    "refuted",
    "broken",
    "meaningless",
    "panicked",
];

/// The progress line.
fn line(counts: &Counts) -> String {
    let words = WORDS.iter().map(|w| (counts.of(w), *w)).filter(|(n, _)| *n > 0);
    let words: Vec<String> = words.map(|(n, w)| format!("{n} {w}")).collect();
    format!("{}: {}; {}", count(counts.seeds, "seed"), words.join(", "), count(counts.new.len(), "finding"))
}

fn summary(counts: &Counts, folder: &std::path::Path) -> String {
    let mut text = line(counts) + "\n";
    for (compiler, words) in &counts.outcomes {
        let words: Vec<String> =
            WORDS.iter().filter_map(|w| words.get(*w).map(|n| format!("{n} {w}"))).collect();
        text += &format!("  {compiler}: {}\n", words.join(", "));
    }
    for compiler in counts.idle() {
        text += &format!("{compiler} refuses every program: nothing of it was tried\n");
    }
    for (name, times) in &counts.found {
        text += &match name.strip_prefix("known:") {
            Some(program) => format!("known error {program}: {}\n", count(*times, "time")),
            None => format!("finding {}: {}\n", folder.join(name).display(), count(*times, "time")),
        };
    }
    for (seed, why) in &counts.own {
        text += &format!("our own error, seed {seed}: {why}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_and_times_are_read() {
        assert_eq!(seeds("3..5"), Ok(3..5));
        assert_eq!(seeds("3.."), Ok(3..u64::MAX));
        for wrong in ["3", "5..3", "3..3", "a..b", "..4"] {
            assert!(seeds(wrong).is_err(), "{wrong}");
        }
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("6h"), Ok(Duration::from_secs(21600)));
        for wrong in ["", "m", "3d", "-1s"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
