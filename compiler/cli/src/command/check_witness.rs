//! `sassafras check-witness`: what `prove --witness` wrote, checked without the prover.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use sassafras_cubin::Cubin;
use sassafras_driver::session;
use sassafras_prove::{Solver, limit};
use sassafras_witness::Form;
use sassafras_witness::check::{Fault, Rejection, Undecided, check, check_code, inputs_are, read};
use serde_json::json;

use super::Context;
use super::solvers::Solvers;
use crate::plural::count;
use crate::{Exit, Failure, files};

/// Check witnesses: both sides are run again over raw terms, and a solver is asked what the witness says.
#[derive(Args)]
pub struct CheckWitness {
    /// Witnesses. The files they are about are looked for from the working folder, then from the witness's, then beside it.
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    solvers: Solvers,
}

pub(super) fn run(arguments: &CheckWitness, context: &Context) -> Result<Exit, Failure> {
    let mut solver = arguments.solvers.open()?;
    let (mut exit, mut rejected) = (Exit::Done, false);
    let mut records = Vec::new();
    for path in &arguments.inputs {
        let mut code = None;
        let checked = limit::within(arguments.solvers.work(), arguments.solvers.deadline(), || {
            one(path, solver.as_mut())
        });
        let (found, what) = match checked.unwrap_or_else(|reached| Err(over(reached))) {
            Ok((found, what)) => (found, what),
            Err(fault) => {
                code = Some(fault.advice().code);
                match fault {
                    Fault::Rejected(why) => {
                        rejected = true;
                        (Exit::Wrong, format!("rejected: {why}"))
                    }
                    Fault::Undecided(why) => (Exit::Unknown, format!("undecided: {why}")),
                }
            }
        };
        exit = exit.worse(found);
        if !context.json {
            let code = code.map_or(String::new(), |code| format!(" [{code}]"));
            files::print(&format!("{}: {what}{code}\n", path.display()));
        }
        let path = path.display().to_string();
        records.push(json!({ "witness": path, "exit": found as u8, "says": what, "code": code }));
    }
    // A witness that is rejected decides: others may be proofs with assumptions or a bound, whose codes would hide it.
    if rejected {
        exit = Exit::Wrong;
    }
    if context.json {
        files::print(&format!("{}\n", json!({ "schema": 1, "exit": exit as u8, "witnesses": records })));
    }
    Ok(exit)
}

/// That a limit was reached.
fn over(reached: limit::Reached) -> Fault {
    Fault::Undecided(match reached {
        limit::Reached::Work => Undecided::Work {},
        limit::Reached::Time => Undecided::Time {},
    })
}

/// A file that a witness is about: where it says, from the working folder or from its own, or beside it.
fn find(witness: &Path, named: &str) -> Result<Vec<u8>, Fault> {
    let (folder, named_path) = (witness.parent().unwrap_or(Path::new("")), Path::new(named));
    let beside = named_path.file_name().map(|name| folder.join(name));
    let places = [Some(named_path.to_owned()), Some(folder.join(named)), beside];
    let found = places.into_iter().flatten().find(|path| path.is_file());
    let path = found.unwrap_or_else(|| named_path.to_owned());
    files::read(&path).map_err(|_| Rejection::Unreadable { file: named.to_owned() }.into())
}

fn one(path: &Path, solver: &mut dyn Solver) -> Result<(Exit, String), Fault> {
    let text = files::read_text(path).map_err(|_| Rejection::Unreadable { file: "it".into() })?;
    let witness = read(&text)?;
    let (source, bytes) = (find(path, &witness.source.path)?, find(path, &witness.target.path)?);
    inputs_are(&witness, &source, &bytes)?;
    let cubin = |bytes: &[u8], path: &str| {
        let none =
            |e: sassafras_cubin::Error| Rejection::NoCubin { file: path.to_owned(), said: e.to_string() };
        sassafras_cubin::read(bytes).map_err(none)
    };
    let target = cubin(&bytes, &witness.target.path)?;
    let mut asked = 0;
    let named = |name: &str| witness.entries.iter().any(|e| e.entry == name);
    let entries = |cubin: &Cubin| -> BTreeSet<String> {
        cubin.functions.iter().filter(|f| f.entry).map(|f| f.name.clone()).collect()
    };
    let mut all = entries(&target);
    match witness.form {
        Form::Ptx => {
            let ptx = String::from_utf8(source).map_err(|_| Rejection::NoText {})?;
            let parsed = session::parse(&ptx, &witness.source.path);
            let (module, _) = parsed.map_err(|_| Rejection::Invalid { file: witness.source.path.clone() })?;
            all.extend(module.functions.iter().filter(|f| f.entry).map(|f| f.name.clone()));
            for entry in &witness.entries {
                asked += check(&module, &target, entry, solver)?.solver;
            }
        }
        Form::Cubin => {
            let source = cubin(&source, &witness.source.path)?;
            all.extend(entries(&source));
            for entry in &witness.entries {
                asked += check_code(&source, &target, entry, solver)?.solver;
            }
        }
    }
    let mut exit = Exit::Done;
    for entry in &witness.entries {
        let base = |id: &String| sassafras_prove::Assumption::ALL.iter().any(|a| a.id() == id && a.base());
        if entry.bounded {
            exit = exit.worse(Exit::Bounded);
        } else if !entry.assumptions.iter().all(base) {
            exit = exit.worse(Exit::Assumed);
        }
    }
    let mut says =
        format!("accepted: {}, {}", count(witness.entries.len(), "entry"), count(asked, "question"));
    let left: Vec<String> = all.into_iter().filter(|name| !named(name)).collect();
    if !left.is_empty() {
        exit = exit.worse(Exit::Unknown);
        says += &format!("; not covered: {}", left.join(", "));
    }
    Ok((exit, says))
}
