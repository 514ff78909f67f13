//! `sassafras prove`: a cubin held against the PTX it is said to come from, or against another cubin.

pub(super) mod source;
pub(super) mod written;

use std::path::{Path, PathBuf};

use clap::Args;
use sassafras_chip::{Chip, Target};
use sassafras_container::is_container;
use sassafras_cubin::Cubin;
use sassafras_driver::Failure as Stopped;
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::session;
use sassafras_prove::hints::Hints;
use sassafras_prove::races::Searched;
use sassafras_prove::{Advice, Record, Verdict};
use sassafras_witness::Entry;

use source::{RACES, Source, cubin, producer};

use super::Context;
use crate::containers::{self, Choice, Index, Opened};
use crate::judges::Judges;
use crate::report::sarif::{self, Finding, Rule};
use crate::report::{Files, values};
use crate::{Exit, Failure, files};

/// Prove a cubin against its PTX, or against another cubin; without `--against`, Sassafras's own.
#[derive(Args)]
pub struct Prove {
    /// The source: a PTX file or a cubin; or a file that holds both, of which each cubin is held against its own PTX.
    #[arg(required_unless_present = "explain")]
    input: Option<PathBuf>,
    /// Say what the code of a reason means and what to try, and prove nothing: `U…` of a verdict, `W…` of a witness that is no proof.
    #[arg(long, value_name = "CODE", exclusive = true)]
    explain: Option<String>,
    /// The cubin, or a file that holds it; without it the input is compiled, and the result proved.
    #[arg(long, value_name = "CUBIN")]
    against: Option<PathBuf>,
    /// Write what was found, so that `check-witness` can check it without the prover.
    #[arg(long, value_name = "FILE")]
    witness: Option<PathBuf>,
    /// What `compile --hints` said of the loops of the cubin: guesses, of which nothing is trusted.
    #[arg(long, value_name = "FILE")]
    hints: Option<PathBuf>,
    /// The entry; all of the source's by default.
    #[arg(long)]
    entry: Option<String>,
    /// The chip to compile for, by default the module's; of a file that holds several cubins, those for this target.
    #[arg(long = "arch", value_name = "sm_XX")]
    arch: Option<Target>,
    #[command(flatten)]
    index: Index,
    /// Most times that each loop of the source is gone through; a proof says so.
    #[arg(long, default_value_t = 4)]
    unroll: u32,
    #[command(flatten)]
    solvers: super::solvers::Solvers,
}

pub(super) fn run(arguments: &Prove, context: &Context) -> Result<Exit, Failure> {
    if let Some(code) = &arguments.explain {
        return explain_reason(code, context);
    }
    let Some(input) = &arguments.input else { return Err(Failure::usage("no source is named")) };
    let jobs = jobs(arguments, input)?;
    if let Some(entry) = &arguments.entry {
        let all: Vec<String> = jobs.iter().flat_map(|job| job.source.entries()).collect();
        if !all.contains(entry) {
            let list = if all.is_empty() {
                "it has none".into()
            } else {
                format!("its entries: {}", all.join(", "))
            };
            return Err(Failure::usage(format!("no entry `{entry}`; {list}")).about(input));
        }
    }
    let entries = |job: &Job| match &arguments.entry {
        Some(entry) => vec![entry.clone()],
        None => job.source.entries(),
    };
    let hints = arguments.hints.as_deref().map(hints).transpose()?;
    let mut solver = arguments.solvers.open()?;
    let all: Vec<(&Job, String)> =
        jobs.iter().flat_map(|job| entries(job).into_iter().map(move |entry| (job, entry))).collect();
    let mut exit = if all.is_empty() { Exit::Inapplicable } else { Exit::Done };
    let mut records = Vec::new();
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    let uncovered: Vec<(&Job, String)> = match &arguments.entry {
        Some(_) => Vec::new(),
        None => jobs.iter().flat_map(|job| job.uncovered().into_iter().map(move |e| (job, e))).collect(),
    };
    for job in jobs.iter().filter(|job| entries(job).is_empty()) {
        eprintln!("{}: it has no entry", job.name);
    }
    for (job, entry) in &all {
        let Job { source, cubin, name, target } = job;
        let limits = arguments.solvers.limits(arguments.unroll);
        let found = source.hold(entry, cubin, solver.as_mut(), limits, hints.as_ref());
        exit = exit.worse(found.exit());
        let files = source.files(name, target, cubin);
        if !context.json && !context.sarif {
            files::print(&found.text(&files, context.quiet));
        }
        findings.push(finding(&found.record, source, &files));
        findings.extend(found.raced.iter().map(|searched| Some(race_finding(searched, name, entry))));
        records.push(found.json());
        if arguments.witness.is_some() {
            witnesses.extend(source.witness(&found.record, cubin, solver.as_mut(), limits));
        }
    }
    for (job, entry) in &uncovered {
        exit = exit.worse(Exit::Unknown);
        findings.push(Some(Finding {
            rule: "prove-uncovered".into(),
            level: "warning",
            message: format!("`{entry}` is not covered: {} has no such entry", job.name),
            file: job.target.clone(),
            line: None,
            properties: serde_json::Value::Null,
        }));
        if !context.json && !context.sarif {
            files::print(&format!("{entry}: not covered: {} has no such entry\n", job.name));
        }
    }
    if let (Some(path), [job]) = (&arguments.witness, &jobs[..]) {
        let named = (input.as_path(), arguments.against.as_deref());
        if !witnesses.is_empty() {
            write_witness(path, named, job, solver.name(), witnesses)?;
        }
    }
    if let Some(what) = solver.contradiction() {
        return Err(Failure::internal(format!("solvers contradict each other: {what}")));
    }
    if context.sarif {
        let findings: Vec<Finding> = findings.into_iter().flatten().collect();
        files::print(&format!("{}\n", sarif::log(&rules(), &findings)));
    }
    if context.json {
        let tools = serde_json::json!({
            "sassafras": env!("CARGO_PKG_VERSION"),
            "solver": solver.name(),
            // Of several pairs the first: what stands in one file was made together.
            "source": jobs.first().map(|job| job.source.producer()),
            "target": jobs.first().map(|job| producer(&job.cubin)),
        });
        let uncovered: Vec<&String> = uncovered.iter().map(|(_, entry)| entry).collect();
        let all = serde_json::json!({
            "schema": 1, "exit": exit as u8, "tools": tools, "entries": records, "uncovered": uncovered,
        });
        files::print(&format!("{all}\n"));
    }
    Ok(exit)
}

/// Prints the page of a reason's code.
fn explain_reason(code: &str, context: &Context) -> Result<Exit, Failure> {
    let mut all = sassafras_prove::advice::all();
    let Some(page) = all.find(|page| page.code.eq_ignore_ascii_case(code)) else {
        return Err(Failure::usage(format!("no reason has the code `{code}`; docs/reasons.md has them all")));
    };
    let Advice { code, text, means, hint } = page;
    files::print(&if context.json {
        let page = serde_json::json!({
            "schema": 1, "exit": Exit::Done as u8, "code": code, "reason": text, "means": means, "try": hint,
        });
        format!("{page}\n")
    } else {
        format!("{code}: {text}\n  this means: {means}\n  to try: {hint}\n")
    });
    Ok(Exit::Done)
}

/// What SARIF is told of: what is not proved, and what is proved only within a bound.
fn rules() -> Vec<Rule> {
    let rule = |id: &str, about: &str| Rule { id: id.to_owned(), about: about.to_owned() };
    vec![
        rule("prove-refuted", "The code does something else than its source on an input."),
        rule("prove-unknown", "It was not shown that the code does what its source does, nor the contrary."),
        rule("prove-bounded", "The code does what its source does, for inputs that stay within a bound."),
        rule("prove-inapplicable", "There is nothing to compare."),
        rule("prove-race", "Threads of the source race, so that a verdict says nothing of such launches."),
        rule("prove-uncovered", "An entry of the cubin has no source."),
    ]
}

/// A verdict as SARIF has it, at the line of the source that shows it; nothing of what is proved.
fn finding(record: &Record, source: &Source, files: &Files<'_>) -> Option<Finding> {
    let (entry, name, target) = (&record.entry, files.source, files.target);
    let about = |what: String| format!("`{entry}` of {target}: {what}");
    let (rule, level, message, line) = match &record.verdict {
        Verdict::Proved => return None,
        Verdict::ProvedWithin(rounds) => (
            "prove-bounded",
            "note",
            format!(
                "proved for loops that return to their heads {rounds} times at most, each time that they are entered"
            ),
            None,
        ),
        Verdict::Refuted(c) => {
            let at = c
                .instruction
                .map(|at| format!("; look first at {at:#06x}: {}", c.text.as_deref().unwrap_or("?")));
            let (source, other) = values(c, files);
            let what = format!(
                "refuted: leaves {other} at {} and not {source}{}",
                c.address,
                at.unwrap_or_default()
            );
            ("prove-refuted", "error", what, c.line)
        }
        Verdict::Unknown(why) => ("prove-unknown", "warning", format!("unknown: {why}"), None),
        Verdict::Inapplicable(why) => ("prove-inapplicable", "note", format!("inapplicable: {why}"), None),
    };
    let line = line.and_then(|l| u32::try_from(l).ok()).or_else(|| source.line_of(entry));
    let code = match &record.verdict {
        Verdict::Unknown(why) | Verdict::Inapplicable(why) => Some(why.advice().code),
        Verdict::Proved | Verdict::ProvedWithin(_) | Verdict::Refuted(_) => None,
    };
    let properties = serde_json::json!({
        "verdict": record.verdict.word(), "entry": entry, "target": target, "code": code,
    });
    let (rule, message) = (rule.to_owned(), about(message));
    Some(Finding { rule, level, message, file: name.to_owned(), line, properties })
}

/// A source, and the cubin that is held against it.
struct Job {
    source: Source,
    cubin: Cubin,
    /// Name of the source.
    name: String,
    /// Name of the cubin.
    target: String,
}

fn race_finding(searched: &Searched, file: &str, entry: &str) -> Finding {
    let line = searched.found.as_ref().and_then(|found| u32::try_from(found.race.ends[1].line).ok());
    Finding {
        rule: "prove-race".into(),
        level: "warning",
        message: format!("`{entry}`: {RACES}\n{}", super::races::lines(searched, file, entry).join("\n")),
        file: file.to_owned(),
        line,
        properties: serde_json::Value::Null,
    }
}

impl Job {
    /// Entries of the cubin that the source does not have: nothing is said of them.
    fn uncovered(&self) -> Vec<String> {
        let own = self.source.entries();
        let all = self.cubin.functions.iter().filter(|f| f.entry).map(|f| f.name.clone());
        all.filter(|name| !own.contains(name)).collect()
    }
}

fn jobs(arguments: &Prove, path: &Path) -> Result<Vec<Job>, Failure> {
    let bytes = files::read(path)?;
    let choice = Choice {
        index: arguments.index.index,
        arch: arguments.arch.map(|a| a.to_string()),
        entry: arguments.entry.as_deref(),
    };
    if is_container(&bytes) && arguments.witness.is_some() {
        return Err(no_witness(path));
    }
    if is_container(&bytes) && arguments.against.is_none() {
        let pairs = containers::pairs(path, bytes, &choice)?;
        let job = |(text, code): (Opened, Opened)| {
            let Opened { name, bytes, .. } = text;
            let source = Source::read(Path::new(&name), bytes, &Choice::default())?;
            let cubin = cubin(code.path(), &code.bytes)?;
            Ok(Job { source, cubin, name, target: code.name })
        };
        return pairs.into_iter().map(job).collect();
    }
    let other = arguments.against.as_deref().map(files::read).transpose()?;
    let (several, among) = (is_container(&bytes), other.as_deref().is_some_and(is_container));
    if let Some(index) = choice.index.filter(|_| !several && !among) {
        return Err(Failure::usage(format!(
            "`--index {index}` chooses from a file that holds several cubins, and none is given"
        )));
    }
    // A cubin beside a file that holds several is what it is.
    let within = |several: bool| Choice { index: choice.index.filter(|_| several), ..choice.clone() };
    let source = Source::read(path, bytes, &within(several))?;
    let name = path.display().to_string();
    let (cubin, target) = match (arguments.against.as_ref().zip(other), &source) {
        (Some((path, bytes)), _) => {
            if among && arguments.witness.is_some() {
                return Err(no_witness(path));
            }
            if matches!(source, Source::Code(..)) && !containers::holds_cubins(&bytes) {
                return Err(Failure::usage(format!(
                    "`{}` is no cubin; the order is `prove PTX --against CUBIN`, or one cubin against another",
                    path.display()
                )));
            }
            let opened = containers::cubin(path, bytes, &within(among))?;
            (cubin(opened.path(), &opened.bytes)?, opened.name)
        }
        (None, Source::Ptx(_, text)) => {
            (compiled(text, &name, arguments.arch, path)?, "its own code".to_owned())
        }
        (None, Source::Code(..)) => return Err(Failure::usage("a cubin is proved with `--against` another")),
    };
    if let Some(wanted) = arguments.arch.filter(|_| arguments.against.is_some())
        && Some(wanted.chip) != Chip::from_number(cubin.sm)
    {
        return Err(Failure::usage(format!("the cubin is for sm_{}, not for {wanted}", cubin.sm)));
    }
    Ok(vec![Job { source, cubin, name, target }])
}

/// A witness names its files, and has their hashes.
fn no_witness(path: &Path) -> Failure {
    Failure::unsupported("a witness about a file inside another; take it out first").about(path)
}

/// Writes the witness; of a cubin that was made here the cubin too, beside it.
fn write_witness(
    path: &Path,
    (input, against): (&Path, Option<&Path>),
    Job { source, cubin, .. }: &Job,
    solver: String,
    entries: Vec<Entry>,
) -> Result<(), Failure> {
    let (target, bytes) = match against {
        Some(target) => (target.to_owned(), files::read(target)?),
        None => {
            let beside = path.with_extension("cubin");
            let bytes = sassafras_emit::write(cubin).map_err(|e| Failure::internal(e.to_string()))?;
            files::write(&beside, &bytes)?;
            (beside, bytes)
        }
    };
    written::write(path, (input, source), (&target, &bytes), solver, entries)
}

/// The hints that a file has.
fn hints(path: &Path) -> Result<Hints, Failure> {
    let text = files::read_text(path)?;
    sassafras_prove::hints::read(&text).map_err(|e| Failure::wrong(e.to_string()).about(path))
}

fn compiled(text: &str, name: &str, arch: Option<Target>, input: &Path) -> Result<Cubin, Failure> {
    let options = Options { arch: arch.map(Arch::Real), jobs: 1, ..Options::default() };
    match session::compile(text, name, &options, None, &Judges::default()) {
        Ok(made) => made.cubin.map(|c| c.0).ok_or_else(|| Failure::internal("the compilation made no cubin")),
        Err(stopped) => Err(failure(stopped, input)),
    }
}

pub(super) fn failure(stopped: Stopped, path: &std::path::Path) -> Failure {
    match stopped {
        Stopped::Ptx(findings) => {
            let exit = Exit::from_code(findings.exit_code()).unwrap_or(Exit::Wrong);
            Failure::diagnostics(exit, findings.render())
        }
        Stopped::Unsupported { .. } => Failure::unsupported(stopped.to_string()).about(path),
        Stopped::Objection(_) => Failure::objection(stopped.to_string()).about(path),
        Stopped::Internal { .. } => Failure::internal(stopped.to_string()).about(path),
        Stopped::Request(_) => Failure::usage(stopped.to_string()).about(path),
        Stopped::Limit(_) | Stopped::Text(_) => Failure::wrong(stopped.to_string()).about(path),
    }
}
