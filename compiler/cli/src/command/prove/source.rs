//! What a cubin is held against, and what is found of one of its entries.

use std::path::Path;

use sassafras_cubin::Cubin;
use sassafras_driver::session;
use sassafras_prove::explain::{explain, explain_code};
use sassafras_prove::hints::Hints;
use sassafras_prove::races::{FEW, Searched};
use sassafras_prove::{Limits, Record, Solver, limit, prove_code, prove_hinted};
use sassafras_ptx::checked::Module;
use sassafras_witness::{Entry, Form};

use super::failure;
use crate::command::races;
use crate::containers::{self, Choice};
use crate::report::{Files, report};
use crate::{Exit, Failure, files};

/// What the target is held against.
pub(in crate::command) enum Source {
    /// A module and its text.
    Ptx(Box<Module>, String),
    /// A cubin and its bytes.
    Code(Box<Cubin>, Vec<u8>),
}

impl Source {
    /// Reads a PTX file, or a cubin.
    ///
    /// # Errors
    /// The bytes are neither, or the PTX is wrong.
    pub fn read(path: &Path, bytes: Vec<u8>, choice: &Choice<'_>) -> Result<Source, Failure> {
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

    /// Names of its entries.
    pub fn entries(&self) -> Vec<String> {
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
    pub fn line_of(&self, entry: &str) -> Option<u32> {
        let Source::Ptx(_, text) = self else { return None };
        let declares = |line: &str| {
            let (_, name) = line.split_once(".entry")?;
            (name.trim_start().split(|c: char| c == '(' || c.is_whitespace()).next() == Some(entry))
                .then_some(())
        };
        text.lines().position(|line| declares(line).is_some()).and_then(|n| u32::try_from(n + 1).ok())
    }

    /// Who made it; nobody says of PTX.
    pub fn producer(&self) -> serde_json::Value {
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

    /// Holds an entry of a cubin against this.
    pub fn hold(
        &self,
        entry: &str,
        target: &Cubin,
        solver: &mut dyn Solver,
        limits: Limits,
        hints: Option<&Hints>,
    ) -> Found {
        let record = match self {
            Source::Ptx(module, _) => {
                let hints = hints.and_then(|hints| hints.of(entry));
                prove_hinted(module, entry, target, solver, limits, hints)
            }
            Source::Code(source, _) => prove_code(source, entry, target, solver, limits),
        };
        Found { record, raced: self.races(entry) }
    }

    /// What is written of a proof for `check-witness`.
    pub fn witness(
        &self,
        record: &Record,
        target: &Cubin,
        solver: &mut dyn Solver,
        limits: Limits,
    ) -> Option<Entry> {
        let plain = record.witness(limits.unroll)?;
        let mut entry = plain.clone();
        let explained = limit::within(limits.work, limits.deadline, || match self {
            Source::Ptx(module, _) => explain(module, target, &mut entry, solver),
            Source::Code(source, _) => explain_code(source, target, &mut entry, solver),
        });
        // Steps are help: without them the checker asks whole questions.
        Some(if explained.is_ok() { entry } else { plain })
    }

    /// What a report names and quotes.
    pub fn files<'a>(&'a self, source: &'a str, target: &'a str, cubin: &'a Cubin) -> Files<'a> {
        let text = match self {
            Source::Ptx(_, text) => Ok(text.as_str()),
            Source::Code(source, _) => Err(source.as_ref()),
        };
        Files { source, target, text, cubin }
    }

    /// What it is, and its bytes.
    pub fn form(&self) -> (Form, &[u8]) {
        match self {
            Source::Ptx(_, text) => (Form::Ptx, text.as_bytes()),
            Source::Code(_, bytes) => (Form::Cubin, bytes),
        }
    }
}

/// Who made a cubin, as it says itself.
pub(super) fn producer(cubin: &Cubin) -> serde_json::Value {
    let p = &cubin.producer;
    serde_json::json!({ "tool": p.tool, "version": p.version, "build": p.build, "options": p.options, "sm": cubin.sm })
}

pub(super) fn cubin(path: &Path, bytes: &[u8]) -> Result<Cubin, Failure> {
    sassafras_cubin::read(bytes).map_err(|e| Failure::from(e).about(path))
}

/// What was found of an entry.
pub(in crate::command) struct Found {
    /// The verdict, and what it rests on.
    pub record: Record,
    /// A race of the source, of which no verdict speaks.
    pub raced: Option<Searched>,
}

impl Found {
    /// The exit code of the verdict.
    pub fn exit(&self) -> Exit {
        Exit::from_code(self.record.exit_code()).unwrap_or(Exit::Internal)
    }

    /// What a person is told; the line of the verdict alone if `quiet`.
    pub fn text(&self, files: &Files<'_>, quiet: bool) -> String {
        let mut whole = report(&self.record, files);
        let note = |searched| race_note(searched, files.source, &self.record.entry);
        whole.extend(self.raced.iter().flat_map(note));
        // The first line names the files, the second the verdict.
        match whole.lines().nth(1).filter(|_| quiet) {
            Some(verdict) => format!("{verdict}\n"),
            None => whole,
        }
    }

    /// What a program is told.
    pub fn json(&self) -> serde_json::Value {
        let mut json = self.record.json();
        if let Some(searched) = &self.raced {
            json["race"] = races::record(searched)["race"].clone();
        }
        json
    }
}

/// What a race means for the verdict.
pub(super) const RACES: &str = "the source races: what it leaves in a launch like this is not defined, and no verdict speaks of it (A-DRF)";

fn race_note(searched: &Searched, file: &str, entry: &str) -> Vec<String> {
    let lines = races::lines(searched, file, entry);
    let first = [format!("  {RACES}\n")];
    first.into_iter().chain(lines.iter().map(|line| format!("    {line}\n"))).collect()
}
