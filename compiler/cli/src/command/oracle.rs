//! `sassafras oracle install|status`.

use clap::Subcommand;
use sassafras_oracle::{install, status, workspace_root};

use super::Context;
use crate::{Exit, Failure, files};

/// What to do with NVIDIA's tools.
#[derive(Subcommand)]
pub enum Oracle {
    /// Fetch them from PyPI into `.oracle/`.
    Install {
        /// Only the set that holds this version of ptxas.
        #[arg(long, value_name = "VERSION")]
        ptxas: Option<String>,
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
        Oracle::Install { ptxas } => {
            let names: Vec<&str> = ptxas.iter().map(String::as_str).collect();
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
