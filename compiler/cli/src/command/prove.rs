//! `sassafras prove`: a cubin held against the PTX it is said to come from, or against another cubin.

use std::path::{Path, PathBuf};

use clap::Args;
use sassafras_chip::{Chip, Target};
use sassafras_container::is_container;
use sassafras_cubin::Cubin;
use sassafras_driver::Failure as Stopped;
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::session;
use sassafras_prove::explain::{explain, explain_code};
use sassafras_prove::races::{FEW, Searched};
use sassafras_prove::{Advice, Limits, Record, Solver, Verdict, limit, prove_code, prove_within};
use sassafras_ptx::checked::Module;
use sassafras_witness::{Entry, FORMAT, Form, Input, Tools, Witness};

use super::Context;
use crate::containers::{self, Choice, Index, Opened};
use crate::judges::Judges;
use crate::report::sarif::{self, Finding, Rule};
use crate::report::{Files, report, values};
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
        let limits = Limits {
            unroll: arguments.unroll,
            effort: arguments.solvers.effort(),
            work: arguments.solvers.work(),
            deadline: arguments.solvers.deadline(),
            ..Limits::default()
        };
        let record = source.prove(entry, cubin, solver.as_mut(), limits);
        exit = exit.worse(Exit::from_code(record.exit_code()).unwrap_or(Exit::Internal));
        let raced = source.races(entry);
        if !context.json && !context.sarif {
            let mut whole = report(&record, &source.files(name, target, cubin));
            whole.extend(raced.iter().flat_map(|searched| race_note(searched, name, entry)));
            // The first line names the files, the second the verdict.
            files::print(&if context.quiet {
                whole.lines().nth(1).map_or(whole.clone(), |l| format!("{l}\n"))
            } else {
                whole
            });
        }
        findings.push(finding(&record, source, &source.files(name, target, cubin)));
        let mut json = record.json();
        if let Some(searched) = &raced {
            findings.push(Some(race_finding(searched, name, entry)));
            json["race"] = super::races::record(searched)["race"].clone();
        }
        records.push(json);
        if arguments.witness.is_some() {
            witnesses.extend(source.witness(&record, cubin, arguments.unroll, solver.as_mut(), limits));
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
        write_witness(path, named, job, solver.name(), witnesses)?;
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

/// What a race means for the verdict.
const RACES: &str = "the source races: what it leaves in a launch like this is not defined, and no verdict speaks of it (A-DRF)";

fn race_note(searched: &Searched, file: &str, entry: &str) -> Vec<String> {
    let lines = super::races::lines(searched, file, entry);
    let first = [format!("  {RACES}\n")];
    first.into_iter().chain(lines.iter().map(|line| format!("    {line}\n"))).collect()
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

/// What the target is held against.
enum Source {
    /// A module and its text.
    Ptx(Box<Module>, String),
    /// A cubin and its bytes.
    Code(Box<Cubin>, Vec<u8>),
}

impl Source {
    fn read(path: &Path, bytes: Vec<u8>, choice: &Choice<'_>) -> Result<Source, Failure> {
        if containers::holds_cubins(&bytes) {
            let opened = containers::cubin(path, bytes, choice)?;
            return Ok(Source::Code(Box::new(cubin(opened.path(), &opened.bytes)?), opened.bytes));
        }
        let text = files::text(path, bytes)?;
        match session::parse(&text, &path.display().to_string()) {
            Ok((module, _)) => Ok(Source::Ptx(Box::new(module), text)),
            Err(stopped) => Err(failure(stopped, path)),
        }
    }

    fn entries(&self) -> Vec<String> {
        match self {
            Source::Ptx(module, _) => {
                module.functions.iter().filter(|f| f.entry).map(|f| f.name.clone()).collect()
            }
            Source::Code(cubin, _) => {
                cubin.functions.iter().filter(|f| f.entry).map(|f| f.name.clone()).collect()
            }
        }
    }

    /// The 1-based line on which a PTX text declares an entry.
    fn line_of(&self, entry: &str) -> Option<u32> {
        let Source::Ptx(_, text) = self else { return None };
        let declares = |line: &str| {
            let (_, name) = line.split_once(".entry")?;
            (name.trim_start().split(|c: char| c == '(' || c.is_whitespace()).next() == Some(entry))
                .then_some(())
        };
        text.lines().position(|line| declares(line).is_some()).and_then(|n| u32::try_from(n + 1).ok())
    }

    /// Who made it; nobody says of PTX.
    fn producer(&self) -> serde_json::Value {
        match self {
            Source::Ptx(..) => serde_json::Value::Null,
            Source::Code(cubin, _) => producer(cubin),
        }
    }

    /// A race of the source, if launches that are drawn show a certain one; of a cubin nobody looks.
    fn races(&self, entry: &str) -> Option<Searched> {
        let Source::Ptx(module, _) = self else { return None };
        let searched = sassafras_prove::races::races(module, entry, FEW)?;
        let certain = searched.found.as_ref().is_some_and(|found| found.race.unless.is_none());
        certain.then_some(searched)
    }

    fn prove(&self, entry: &str, target: &Cubin, solver: &mut dyn Solver, limits: Limits) -> Record {
        match self {
            Source::Ptx(module, _) => prove_within(module, entry, target, solver, limits),
            Source::Code(source, _) => prove_code(source, entry, target, solver, limits),
        }
    }

    /// What is written of a proof for `check-witness`.
    fn witness(
        &self,
        record: &Record,
        target: &Cubin,
        unroll: u32,
        solver: &mut dyn Solver,
        limits: Limits,
    ) -> Option<Entry> {
        let plain = record.witness(unroll)?;
        let mut entry = plain.clone();
        let explained = limit::within(limits.work, limits.deadline, || match self {
            Source::Ptx(module, _) => explain(module, target, &mut entry, solver),
            Source::Code(source, _) => explain_code(source, target, &mut entry, solver),
        });
        // Steps are help: without them the checker asks whole questions.
        Some(if explained.is_ok() { entry } else { plain })
    }

    fn files<'a>(&'a self, source: &'a str, target: &'a str, cubin: &'a Cubin) -> Files<'a> {
        let text = match self {
            Source::Ptx(_, text) => Ok(text.as_str()),
            Source::Code(source, _) => Err(source.as_ref()),
        };
        Files { source, target, text, cubin }
    }

    fn form(&self) -> (Form, &[u8]) {
        match self {
            Source::Ptx(_, text) => (Form::Ptx, text.as_bytes()),
            Source::Code(_, bytes) => (Form::Cubin, bytes),
        }
    }
}

/// Who made a cubin, as it says itself.
fn producer(cubin: &Cubin) -> serde_json::Value {
    let p = &cubin.producer;
    serde_json::json!({ "tool": p.tool, "version": p.version, "build": p.build, "options": p.options, "sm": cubin.sm })
}

fn cubin(path: &Path, bytes: &[u8]) -> Result<Cubin, Failure> {
    sassafras_cubin::read(bytes).map_err(|e| Failure::from(e).about(path))
}

/// Writes the witness; of a cubin that was made here the cubin too, beside it.
fn write_witness(
    path: &Path,
    (input, against): (&Path, Option<&Path>),
    Job { source, cubin, .. }: &Job,
    solver: String,
    entries: Vec<Entry>,
) -> Result<(), Failure> {
    if entries.is_empty() {
        return Ok(());
    }
    let (target, bytes) = match against {
        Some(target) => (target.to_owned(), files::read(target)?),
        None => {
            let beside = path.with_extension("cubin");
            let bytes = sassafras_emit::write(cubin).map_err(|e| Failure::internal(e.to_string()))?;
            files::write(&beside, &bytes)?;
            (beside, bytes)
        }
    };
    let (form, text) = source.form();
    let witness = Witness {
        format: FORMAT,
        form,
        source: Input::new(&input.display().to_string(), text),
        target: Input::new(&target.display().to_string(), &bytes),
        tools: Tools { sassafras: env!("CARGO_PKG_VERSION").to_owned(), solver },
        entries,
    };
    let json = serde_json::to_string_pretty(&witness).map_err(|e| Failure::internal(e.to_string()))?;
    files::write(path, format!("{json}\n").as_bytes())
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
