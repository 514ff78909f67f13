//! `--certify`: the code is proved before it is written, and the proof is written beside it.

use std::path::{Path, PathBuf};

use sassafras_driver::options::{Arch, Input, Options};
use sassafras_driver::session;
use sassafras_prove::{Limits, Verdict};
use serde_json::{Value, json};

use super::Compiled;
use crate::command::prove::source::{Found, Source};
use crate::command::prove::written;
use crate::command::solvers::Solvers;
use crate::{Exit, Failure, files};

/// What a refutation means, to whom it may tell.
const DEFECT: &str = "the code does something else than its source: a defect of this compiler, to be reported; no cubin is written";

/// The entries of a cubin held against its PTX, and where that is written.
pub(crate) struct Certificate {
    /// The worst of the verdicts.
    pub(super) exit: Exit,
    /// The witness; none where nothing was proved.
    pub(super) witness: Option<PathBuf>,
    /// A record of each entry, as `prove` has it.
    records: Vec<Value>,
    /// What a person is told.
    pub(super) text: String,
}

impl Certificate {
    /// The record of it.
    pub(super) fn json(&self) -> Value {
        let witness = self.witness.as_ref().map(|path| path.display().to_string());
        json!({ "exit": self.exit as u8, "witness": witness, "entries": self.records })
    }
}

/// Refuses what a witness cannot be about.
///
/// # Errors
/// The command line asks for no cubin, or the source or the cubin is no file.
pub(super) fn fits(options: &Options, inputs: &[Input], output: &Path) -> Result<(), Failure> {
    let none =
        |what: &str| Err(Failure::usage(format!("--certify writes a proof about a cubin, and {what}")));
    if options.stop_after.is_some() {
        return none("--stop-after makes none");
    }
    if options.start_from.is_some() {
        return none("what --start-from reads is no PTX");
    }
    if matches!(options.arch, Some(Arch::Virtual(_))) {
        return none("a virtual target makes none");
    }
    if !options.entries.is_empty() {
        return none("that speaks of every entry of its PTX; -e leaves some out");
    }
    if inputs.len() > 1 && options.output.is_some() {
        return none("its PTX is one file; several became one here");
    }
    let file = |input: &Input| matches!(input, Input::File(path) if path != Path::new("-"));
    if !inputs.iter().all(file) || output == Path::new("-") {
        return none("names its PTX and its cubin, which have to be files");
    }
    if witness_path(output) == output {
        return none("is called NAME.witness, which is the cubin's own name here");
    }
    Ok(())
}

/// Where the proof about a cubin stands.
pub(super) fn witness_path(output: &Path) -> PathBuf {
    output.with_extension("witness")
}

/// Proves a compiled file, and writes the cubin and what was proved. Nothing is written where an entry is refuted; a witness of an earlier cubin goes.
///
/// # Errors
/// A file cannot be read or written, or solvers contradict each other.
pub(super) fn certify(compiled: &mut Compiled, options: &Options) -> Result<(), Failure> {
    let Some(output) = &compiled.output else { return Ok(()) };
    let Ok(artifact) = &compiled.result else { return Ok(()) };
    let Some((cubin, bytes)) = &artifact.cubin else { return Ok(()) };
    let path = witness_path(output);
    let input = Path::new(&compiled.name);
    let text = files::read_text(input)?;
    let (module, _) = session::parse(&text, &compiled.name)
        .map_err(|stopped| crate::command::prove::failure(stopped, input))?;
    // Whoever compiles knows where registers lie in loops.
    let hints = super::hints::of(&module, artifact);
    let source = Source::Ptx(Box::new(module), text);
    let solvers = Solvers::with_budget(options.budget);
    let mut solver = solvers.open()?;
    let limits = || solvers.limits(Limits::default().unroll);
    let entries = source.entries();
    let (mut found, mut proofs): (Vec<Found>, Vec<_>) = (Vec::new(), Vec::new());
    for entry in &entries {
        let one = source.hold(entry, cubin, solver.as_mut(), limits(), Some(&hints));
        proofs.extend(source.witness(&one.record, cubin, solver.as_mut(), limits()));
        found.push(one);
    }
    if let Some(what) = solver.contradiction() {
        return Err(Failure::internal(format!("solvers contradict each other: {what}")));
    }
    let target = output.display().to_string();
    let about = source.files(&compiled.name, &target, cubin);
    let mut said: String = found.iter().map(|one| one.text(&about, options.quiet)).collect();
    let refuted = found.iter().any(|one| matches!(one.record.verdict, Verdict::Refuted(_)));
    forget(&path)?;
    let mut exit = if found.is_empty() { Exit::Inapplicable } else { Exit::Done };
    exit = found.iter().fold(exit, |exit, one| exit.worse(one.exit()));
    if refuted {
        said += &format!("{}: {DEFECT}\n", compiled.name);
    } else {
        files::write(output, bytes)?;
        if !proofs.is_empty() {
            written::write(&path, (input, &source), (output, bytes), solver.name(), proofs.clone())?;
        }
    }
    let witness = (!refuted && !proofs.is_empty()).then_some(path);
    let records = found.iter().map(Found::json).collect();
    compiled.certificate = Some(Certificate { exit, witness, records, text: said });
    if refuted {
        compiled.output = None;
    }
    Ok(())
}

/// Removes the witness of an earlier cubin, if there is one.
fn forget(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::unwritable(format!("`{}` cannot be removed: {e}", path.display())))
        }
        _ => Ok(()),
    }
}
