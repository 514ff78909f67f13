//! `sassafras oracle install|status`.

use clap::Subcommand;
use sassafras_oracle::table::{SETS, set};
use sassafras_oracle::{install, status, workspace_root};

use super::Context;
use crate::{Exit, Failure, files};

/// What to do with NVIDIA's tools.
#[derive(Subcommand)]
pub enum Oracle {
    /// Fetch them from PyPI into `.oracle/`.
    Install {
        /// Only these sets, as `status` names them: a version of ptxas, `z3`, `bitwuzla`.
        #[arg(value_name = "NAME")]
        names: Vec<String>,
        /// The set that holds this version of ptxas, too.
        #[arg(long, value_name = "VERSION")]
        ptxas: Vec<String>,
    },
    /// Say which of them are here.
    Status,
}

pub(super) fn run(arguments: &Oracle, context: &Context) -> Result<Exit, Failure> {
    let root = workspace_root();
    match arguments {
        Oracle::Status => {
            let status = status(&root);
            if context.json {
                files::print(&format!(
                    "{}\n",
                    serde_json::to_string(&status).map_err(|e| Failure::internal(e.to_string()))?
                ));
            } else {
                for set in &status.sets {
                    let state = if set.installed { "here" } else { "missing" };
                    files::print(&format!("{:<10} {state:<8} {}  {}\n", set.name, set.folder, set.purpose));
                }
                // The sets lie below the workspace; a solver is looked for from here and from the program.
                let z3 = super::solvers::program();
                files::print(&format!("prove uses {z3}\n"));
            }
            Ok(Exit::Done)
        }
        Oracle::Install { names, ptxas } => {
            if let Some(other) = ptxas.iter().find(|v| !has_ptxas(v)) {
                let all = SETS.iter().map(|s| s.name).filter(|name| has_ptxas(name)).collect::<Vec<_>>();
                let why = match set(other) {
                    Some(_) => {
                        format!("`{other}` is no version of ptxas: `sassafras oracle install {other}`")
                    }
                    None => format!("no ptxas {other} is in the oracle's table; it has {}", all.join(", ")),
                };
                return Err(Failure::usage(why));
            }
            let names: Vec<&str> = names.iter().chain(ptxas).map(String::as_str).collect();
            let report = install(&root, &names).map_err(|e| Failure::usage(e.to_string()))?;
            if context.json {
                files::print(&format!(
                    "{}\n",
                    serde_json::to_string(&report).map_err(|e| Failure::internal(e.to_string()))?
                ));
            } else {
                for set in &report.sets {
                    let state = match &set.problem {
                        Some(problem) => problem.clone(),
                        None if set.fetched => format!("fetched in {:.1} s", set.seconds),
                        None => "here already".into(),
                    };
                    files::print(&format!("{:<10} {state}\n", set.name));
                }
            }
            let missing = report.missing().count();
            if missing > 0 {
                return Err(Failure::unreadable(format!(
                    "{missing} of {} sets could not be fetched",
                    report.sets.len()
                )));
            }
            Ok(Exit::Done)
        }
    }
}

/// Whether a set of this name holds a ptxas.
fn has_ptxas(name: &str) -> bool {
    set(name).is_some_and(|set| set.files.iter().any(|file| file.ends_with("/ptxas")))
}
