//! `sassafras check`: PTX is parsed and checked; a cubin is decoded and judged, and so are texts of IR, machine code and SASS.

mod forms;

use std::path::{Path, PathBuf};

use clap::Args;
use sassafras_check::Verdict;
use sassafras_chip::Target;
use sassafras_chip::latency::Basis;
use sassafras_cubin::elf;
use sassafras_isa::decode;
use serde_json::{Value, json};

use super::Context;
use crate::containers::{self, Choice, Index};
use crate::listing::chip;
use crate::plural::count;
use crate::{Exit, Failure, files};

/// Check PTX modules, the code of cubins, or texts of IR, machine code and SASS.
#[derive(Args)]
pub struct Check {
    /// PTX files, cubins, and files that hold cubins; texts of `compile --stop-after`, and SASS in files that end in `.sass`.
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// The chip that a PTX module must run on, or a SASS text is for; of a file that holds several cubins, those for this target.
    #[arg(long = "arch", value_name = "sm_XX")]
    arch: Option<Target>,
    #[command(flatten)]
    index: Index,
    /// Of a file that holds several cubins, those with this kernel.
    #[arg(long)]
    entry: Option<String>,
    /// Of machine code: the text that the phase was given, which its judge compares.
    #[arg(long, value_name = "FILE")]
    before: Option<PathBuf>,
    /// Of PTX: search launches for threads that race. Exit 10 with the launch that shows it; that none is found is no proof.
    #[arg(long)]
    races: bool,
}

/// Most findings of a kind that are shown as text.
const SHOWN: usize = 5;

/// What a cubin is not looked at for.
const UNSEEN: &str = "where lanes reconverge, whether copies and acquires are waited for (`prove` does)";

pub(super) fn run(arguments: &Check, context: &Context) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    let mut diagnostics = Vec::new();
    let mut functions = Vec::new();
    for path in &arguments.inputs {
        let bytes = files::read(path)?;
        if !containers::holds_cubins(&bytes) {
            exit = exit.worse(text(path, bytes, arguments, context, (&mut diagnostics, &mut functions))?);
            continue;
        }
        if arguments.before.is_some() {
            return Err(Failure::usage("`--before` is for texts of machine code").about(path));
        }
        if arguments.races {
            return Err(Failure::usage("`--races` is for PTX").about(path));
        }
        let choice = Choice {
            index: arguments.index.index,
            arch: arguments.arch.map(|a| a.to_string()),
            entry: arguments.entry.as_deref(),
        };
        for opened in containers::cubins(path, bytes, &choice)? {
            exit =
                exit.worse(cubin(opened.path(), &opened.bytes, context, &mut diagnostics, &mut functions)?);
        }
    }
    if context.json {
        files::print(&format!(
            "{}\n",
            json!({ "schema": 1, "exit": exit as u8, "diagnostics": diagnostics, "functions": functions })
        ));
    }
    Ok(exit)
}

fn text(
    path: &Path,
    bytes: Vec<u8>,
    arguments: &Check,
    context: &Context,
    (diagnostics, functions): (&mut Vec<Value>, &mut Vec<Value>),
) -> Result<Exit, Failure> {
    let text = files::text(path, bytes)?;
    let listing = path.extension().is_some_and(|end| end == "sass");
    if listing && arguments.before.is_some() {
        return Err(Failure::usage("`--before` is for texts of machine code").about(path));
    }
    let verdict = match listing {
        true => Some(forms::listing(&text, path, arguments.arch.map(|t| t.chip))?),
        false => forms::judge(&text, path, arguments.before.as_deref())?,
    };
    meaningless(arguments, verdict.is_none(), listing).map_err(|f| f.about(path))?;
    let Some(verdict) = verdict else {
        return ptx(path, &text, arguments, context, (diagnostics, functions));
    };
    let exit = tell(&verdict, "at", "C0014", path, context, diagnostics);
    if exit == Exit::Done && !context.json && !context.quiet {
        files::print(&format!("{}: accepted\n", path.display()));
    }
    Ok(exit)
}

/// Refuses options that say nothing about a text: `ptx` of PTX, `listing` of SASS.
fn meaningless(arguments: &Check, ptx: bool, listing: bool) -> Result<(), Failure> {
    let refused = [
        ("--races", arguments.races && !ptx, "is for PTX"),
        ("--index", arguments.index.index.is_some(), "is for files that hold several cubins"),
        ("--entry", arguments.entry.is_some() && !ptx, "is for PTX and cubins"),
        (
            "--arch",
            arguments.arch.is_some() && !ptx && !listing,
            "is for PTX, SASS and cubins: this text names its chip",
        ),
    ];
    match refused.into_iter().find(|(_, given, _)| *given) {
        Some((option, _, why)) => Err(Failure::usage(format!("`{option}` {why}"))),
        None => Ok(()),
    }
}

fn ptx(
    path: &Path,
    text: &str,
    arguments: &Check,
    context: &Context,
    (diagnostics, functions): (&mut Vec<Value>, &mut Vec<Value>),
) -> Result<Exit, Failure> {
    let name = path.display().to_string();
    let (findings, module) = match sassafras_driver::session::parse(text, &name) {
        Ok((module, findings)) => (findings, Some(module)),
        Err(sassafras_driver::Failure::Ptx(findings)) => (findings, None),
        Err(other) => return Err(Failure::wrong(other.to_string()).about(path)),
    };
    if context.json {
        diagnostics.extend(super::compile::records(&findings));
    } else {
        eprint!("{}", findings.render());
    }
    let mut exit = Exit::from_code(findings.exit_code()).unwrap_or(Exit::Wrong);
    if let (Some(module), Some(entry)) = (&module, &arguments.entry)
        && !module.functions.iter().any(|f| f.entry && f.name == *entry)
    {
        return Err(Failure::usage(format!("the module has no entry `{entry}`")).about(path));
    }
    if let (Some(module), Some(arch)) = (&module, arguments.arch)
        && !sassafras_driver::session::runs_on(&module.target, arch)
    {
        let what = format!("a module for `.target {}` does not run on {arch}", module.target);
        return Err(Failure::wrong(what).about(path));
    }
    if exit == Exit::Done && !context.json && !context.quiet {
        files::print(&format!("{name}: accepted\n"));
    }
    if let Some(module) = module.filter(|_| arguments.races) {
        let found = super::races::check(path, &module, arguments.entry.as_deref(), context, functions);
        exit = exit.worse(found);
    }
    Ok(exit)
}

fn cubin(
    path: &Path,
    bytes: &[u8],
    context: &Context,
    diagnostics: &mut Vec<Value>,
    functions: &mut Vec<Value>,
) -> Result<Exit, Failure> {
    let image = elf::read(bytes).map_err(|e| Failure::from(e).about(path))?;
    let cubin = sassafras_cubin::read(bytes).map_err(|e| Failure::from(e).about(path))?;
    let chip =
        chip(&image).ok_or_else(|| Failure::unsupported("the chip has no instruction table").about(path))?;
    let mut exit = Exit::Done;
    let file = sassafras_check::container::check(&image).and(sassafras_check::cubin::check_foreign(&cubin));
    exit = exit.worse(tell(&file, "the file", "C0013", path, context, diagnostics));
    for f in &cubin.functions {
        let mut unknown = 0u64;
        for (i, &word) in f.code.iter().enumerate() {
            let Err(error) = decode(word, chip) else { continue };
            unknown += 1;
            exit = Exit::Unknown;
            let message = format!("`{}` at {:#06x}: {error}", f.name, 16 * i);
            if context.json {
                let record = json!({ "code": "C0010", "severity": "unknown", "message": message, "file": path, "line": 0 });
                diagnostics.push(record);
            } else if unknown <= 5 {
                eprintln!("{}: {message}", path.display());
            }
        }
        let program = sassafras_check::hazard::Program::of_cubin(f, chip);
        let (verdict, bases) = sassafras_check::hazard::examine(&program);
        exit = exit.worse(tell(&verdict, &format!("`{}` at", f.name), "C0012", path, context, diagnostics));
        if context.json {
            let bases: serde_json::Map<String, Value> =
                bases.iter().map(|(basis, pairs)| (basis.to_string(), json!(pairs))).collect();
            functions.push(json!({
                "file": path, "name": f.name, "words": f.code.len(), "unknown_words": unknown,
                "objections": verdict.objections().len(), "unknown": verdict.unknown().len(),
                "latencies": bases, "not_looked_at": UNSEEN,
            }));
        } else if !context.quiet {
            let bases: Vec<String> =
                bases.iter().map(|(basis, pairs)| format!("{pairs} {}", source(*basis))).collect();
            let rests = match bases.is_empty() {
                true => "no latency is needed".to_owned(),
                false => format!("latencies: {}", bases.join(", ")),
            };
            files::print(&format!(
                "{}: `{}`: {}, {unknown} unknown; hazards: {}, {} unknown; {rests}\n",
                path.display(),
                f.name,
                count(f.code.len(), "word"),
                count(verdict.objections().len(), "objection"),
                verdict.unknown().len()
            ));
        }
    }
    if !context.json && !context.quiet {
        files::print(&format!("{}: not looked at: {UNSEEN}\n", path.display()));
    }
    Ok(exit)
}

/// Where a latency comes from, in words.
fn source(basis: Basis) -> &'static str {
    match basis {
        Basis::Nak => "from the tables of Mesa's NAK",
        Basis::Mined => "from distances in ptxas's code",
        Basis::Both => "from both the tables of Mesa's NAK and distances in ptxas's code",
        Basis::Measured => "measured on a GPU",
        Basis::Rule => "by a rule",
    }
}

/// Says what a judge found, five of each kind at the most but for JSON, and what it makes the exit code.
fn tell(
    verdict: &Verdict,
    about: &str,
    code: &str,
    path: &Path,
    context: &Context,
    diagnostics: &mut Vec<Value>,
) -> Exit {
    let told =
        [(verdict.objections(), "objection", Exit::Refuted), (verdict.unknown(), "unknown", Exit::Unknown)];
    let mut exit = Exit::Done;
    for (findings, severity, worse) in told {
        for (i, finding) in findings.iter().enumerate() {
            exit = exit.worse(worse);
            let message = format!("{about} {finding}");
            if context.json {
                let record = json!({ "code": code, "severity": severity, "message": message, "file": path, "line": 0 });
                diagnostics.push(record);
            } else if i < SHOWN {
                eprintln!("{}: {severity}: {message}", path.display());
            }
        }
        if !context.json && findings.len() > SHOWN {
            let more = findings.len() - SHOWN;
            eprintln!("{}: {more} more of the kind {severity}; --format json shows all", path.display());
        }
    }
    exit
}
