//! `sassafras compile`, and the whole program when it is called `ptxas`.

mod certify;
mod hints;
mod ptxas;
mod say;

pub(super) use ptxas::version_of;
pub(super) use say::records;

use std::path::{Path, PathBuf};

use sassafras_chip::Target;
use sassafras_driver::options::{Arch, Fault, Input, Options, help, parse};
use sassafras_driver::profile::Profile;
use sassafras_driver::session::{Artifact, Joined, compile, join};
use sassafras_driver::{Failure as Stopped, Stage};

use crate::judges::{Judges, Opinion};
use crate::main_::report;
use crate::{Exit, Failure, files};

/// Runs it on the words after `compile`.
pub fn run(words: &[String], as_ptxas: bool) -> Exit {
    let json = words.windows(2).any(|w| w[0] == "--format" && w[1] == "json")
        || words.iter().any(|w| w == "--format=json");
    attempt(words, as_ptxas).unwrap_or_else(|failure| {
        if as_ptxas && !json {
            files::complain(&ptxas::failure(&failure));
            return failure.exit;
        }
        report(&failure, json)
    })
}

fn attempt(words: &[String], as_ptxas: bool) -> Result<Exit, Failure> {
    let program = if as_ptxas { "ptxas" } else { "sassafras compile" };
    let read = |file: &str| std::fs::read_to_string(file);
    let mut options = parse(words, &read).map_err(|fault| match fault {
        Fault::Usage(text) => Failure::usage(text),
        Fault::Unsupported { .. } => Failure::unsupported(fault.to_string()),
    })?;
    // Without an input ptxas prints its help, whatever the other options.
    let idle = as_ptxas && options.inputs.is_empty() && options.start_from.is_none();
    let asked = options.version || options.list_chips || options.list_versions || options.list_knobs;
    if words.is_empty() || options.help || idle && !asked {
        files::print(&help(program));
        return Ok(Exit::Done);
    }
    if options.version {
        let ours = || format!("sassafras {}\n", env!("CARGO_PKG_VERSION"));
        files::print(&if as_ptxas { ptxas::version() } else { ours() });
        return Ok(Exit::Done);
    }
    if options.list_knobs {
        for knob in options.knobs.settings() {
            files::print(&format!("{} = {}: {}\n", knob.name, knob.value, knob.what));
        }
        return Ok(Exit::Done);
    }
    if options.list_chips || options.list_versions {
        if options.list_chips {
            files::print(&Target::all().map(|t| format!("{t}\n")).collect::<String>());
        }
        if options.list_versions {
            let versions =
                sassafras_ptx::check::VERSIONS.iter().map(|(major, minor)| format!("{major}.{minor}\n"));
            files::print(&versions.collect::<String>());
        }
        return Ok(Exit::Done);
    }
    if let Some(path) = &options.profile {
        let name = path.display().to_string();
        let text = files::read_text(path)?;
        options.counted = Some(Profile::read(&name, &text).map_err(Failure::wrong)?);
    }
    session(&options, as_ptxas)
}

/// One input's result, or that of several which became one.
pub(crate) struct Compiled {
    pub(crate) name: String,
    pub(crate) joined: Option<Joined>,
    pub(crate) output: Option<PathBuf>,
    pub(crate) result: Result<Artifact, Stopped>,
    pub(crate) opinions: Vec<Opinion>,
    /// With `--certify`: what was proved of it.
    pub(crate) certificate: Option<certify::Certificate>,
}

fn session(options: &Options, as_ptxas: bool) -> Result<Exit, Failure> {
    let mut inputs = options.inputs.clone();
    if let Some(path) = &options.start_from {
        if !inputs.is_empty() {
            return Err(Failure::usage("--start-from takes the place of an input file; give one of the two"));
        }
        inputs.push(Input::File(path.clone()));
    }
    if inputs.is_empty() {
        return Err(Failure::usage("no input file was given"));
    }
    if options.certify {
        if as_ptxas {
            return Err(Failure::usage(
                "--certify is an option of `sassafras compile`; ptxas has no such exit codes",
            ));
        }
        inputs
            .iter()
            .try_for_each(|input| certify::fits(options, &inputs, &output_path(input, options, as_ptxas)))?;
    } else if options.budget.is_some() {
        return Err(Failure::usage("--budget is the effort of a proof, and goes with --certify"));
    }
    if options.hints.is_some() {
        hints::fits(options, &inputs)?;
    }
    for input in &inputs {
        // As ptxas the output takes the input's place where that is asked for: tinygrad 0.14.0 does.
        let Input::File(path) = input else { continue };
        if as_ptxas {
            continue;
        }
        let written = options.output.iter().chain(&options.report).chain(&options.hints).cloned();
        let own = output_path(input, options, as_ptxas);
        let proof = options.certify.then(|| certify::witness_path(&own));
        written.chain([own]).chain(proof).try_for_each(|output| files::apart(path, &output))?;
    }
    let default = as_ptxas.then(|| Target::base(sassafras_chip::Chip::Sm75));
    let mut modules = Vec::new();
    for input in &inputs {
        modules.push(match input {
            Input::File(path) => (path.display().to_string(), read_module(path, as_ptxas)?),
            // ptxas's name for it.
            Input::Text(text) => ("application ptx input".to_owned(), text.clone()),
        });
    }
    let text = modules.first().map(|(_, text)| text.clone()).filter(|_| options.hints.is_some());
    let mut done = Vec::new();
    // Several inputs and one output: one cubin of all of them, as ptxas makes it.
    if inputs.len() > 1 && (as_ptxas || options.output.is_some()) {
        let name = modules.iter().map(|m| m.0.as_str()).collect::<Vec<_>>().join(", ");
        let output = output_path(&inputs[0], options, as_ptxas);
        match join(&modules) {
            Ok(joined) => {
                done.push(one(name, &joined.text, output, options, default));
                done[0].joined = Some(joined);
            }
            Err(stopped) => done.push(Compiled {
                name,
                joined: None,
                output: None,
                result: Err(stopped),
                opinions: Vec::new(),
                certificate: None,
            }),
        }
    } else {
        for (input, (name, text)) in inputs.iter().zip(modules) {
            let output = output_path(input, options, as_ptxas);
            done.push(one(name, &text, output, options, default));
        }
    }
    let mut exit = Exit::Done;
    for compiled in &done {
        exit = exit.worse(exit_of(compiled, options, as_ptxas));
    }
    if exit == Exit::Done {
        for compiled in &mut done {
            if options.certify {
                certify::certify(compiled, options)?;
                exit = compiled.certificate.iter().fold(exit, |exit, found| exit.worse(found.exit));
            } else {
                write(compiled)?;
            }
        }
    }
    if let (Some(path), Some(text), [Compiled { result: Ok(artifact), output: Some(_), .. }]) =
        (&options.hints, text, &done[..])
    {
        hints::write(path, &text, artifact)?;
    }
    if let Some(path) = &options.report {
        files::write(path, format!("{:#}\n", say::json(&done, exit)).as_bytes())?;
    }
    if options.json {
        files::print(&format!("{}\n", say::json(&done, exit)));
    } else {
        for artifact in done.iter().filter_map(|c| c.result.as_ref().ok()) {
            artifact.dumps.iter().for_each(|text| files::print(text));
        }
        if as_ptxas {
            files::complain(&ptxas::text(&done, options));
        } else {
            say::text(&done, options);
            if exit == Exit::Done && matches!(options.arch, Some(Arch::Virtual(_))) {
                files::complain(
                    "note: a virtual target only checks the PTX, and nothing is written; -arch=sm_XX makes code\n",
                );
            }
        }
    }
    Ok(exit)
}

fn read_module(path: &Path, as_ptxas: bool) -> Result<String, Failure> {
    files::read_text(path).map_err(|mut failure| {
        if as_ptxas && failure.code == "C0002" {
            failure.message = format!("Input file '{}' could not be opened", path.display());
        }
        failure
    })
}

/// Compiles one text.
fn one(name: String, text: &str, output: PathBuf, options: &Options, default: Option<Target>) -> Compiled {
    if options.progress {
        eprintln!("compiling {name}");
    }
    let judges = Judges::new(options.judges);
    let result = compile(text, &name, options, default, &judges);
    Compiled {
        name,
        joined: None,
        output: Some(output),
        result,
        opinions: judges.opinions(),
        certificate: None,
    }
}

fn output_path(input: &Input, options: &Options, as_ptxas: bool) -> PathBuf {
    if let Some(path) = &options.output {
        return path.clone();
    }
    // A text is for people, and where JSON takes standard output its `output` names the file.
    if options.stop_after.is_some() && !as_ptxas && !options.json {
        return "-".into();
    }
    let suffix = if options.stop_after.is_some() { "txt" } else { "cubin" };
    match input {
        _ if as_ptxas => "elf.o".into(),
        Input::File(path) if path != Path::new("-") => path.with_extension(suffix),
        _ => Path::new("out").with_extension(suffix),
    }
}

/// Writes what there is to write; without anything, the output's name is forgotten.
fn write(compiled: &mut Compiled) -> Result<(), Failure> {
    let Ok(artifact) = &compiled.result else { return Ok(()) };
    let bytes = match (&artifact.cubin, &artifact.stopped) {
        (Some((_, bytes)), _) => bytes.as_slice(),
        (None, Some(text)) => text.as_bytes(),
        (None, None) => {
            compiled.output = None;
            return Ok(());
        }
    };
    match &compiled.output {
        Some(path) => files::write(path, bytes),
        None => Ok(()),
    }
}

fn exit_of(compiled: &Compiled, options: &Options, as_ptxas: bool) -> Exit {
    match &compiled.result {
        Ok(artifact) if options.warnings_are_errors && has_warnings(artifact, options) => Exit::Wrong,
        Ok(_) => Exit::Done,
        Err(Stopped::Ptx(findings)) => Exit::from_code(findings.exit_code()).unwrap_or(Exit::Wrong),
        // ptxas has one code for both.
        Err(Stopped::Request(_)) if !as_ptxas => Exit::Usage,
        Err(Stopped::Request(_) | Stopped::Limit(_) | Stopped::Text(_)) => Exit::Wrong,
        Err(Stopped::Unsupported { .. }) => Exit::Unsupported,
        Err(Stopped::Objection(_) | Stopped::Internal { .. }) => Exit::Internal,
    }
}

fn has_warnings(artifact: &Artifact, options: &Options) -> bool {
    let found = artifact.findings.as_ref().is_some_and(|f| !f.is_empty());
    found || !artifact.warnings.is_empty() || !options.warnings.is_empty()
}

/// The name of a stopped session's error, for messages.
pub(crate) fn code_of(stopped: &Stopped) -> &'static str {
    match stopped {
        Stopped::Ptx(_) => "",
        Stopped::Request(_) => "C0001",
        Stopped::Limit(_) | Stopped::Text(_) => "C0006",
        Stopped::Unsupported { .. } => "C0007",
        Stopped::Objection(_) => "C0008",
        Stopped::Internal { .. } => "C0009",
    }
}

/// The phases' names, for messages.
pub(crate) fn stage_name(stage: Stage) -> &'static str {
    stage.row().name
}
