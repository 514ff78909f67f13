//! `sassafras rules`: the selection rules and what they stand on.

use std::time::Instant;

use clap::Args;
use sassafras_prove_rules::{self as rules, Verdict};
use sassafras_rules::select::{Proved, Row, Rules};

use super::Context;
use crate::plural::count;
use crate::{Exit, Failure, files};

/// List the selection rules, or prove them.
#[derive(Args)]
pub struct RulesOf {
    /// Names of rules; all without one.
    names: Vec<String>,
    /// Prove them, and print how many there are of each verdict.
    #[arg(long)]
    prove: bool,
    #[arg(long, value_name = "N", requires = "prove", value_parser = super::solvers::budget(), help = super::solvers::EFFORT)]
    budget: Option<u64>,
    /// Seconds for each question; a safety net alone. Without it 60.
    #[arg(long, value_name = "SECONDS", requires = "prove", value_parser = super::solvers::seconds())]
    timeout: Option<u64>,
}

pub(super) fn run(arguments: &RulesOf, context: &Context) -> Result<Exit, Failure> {
    let written = Rules::written();
    for name in &arguments.names {
        if !written.iter().any(|r| r.name == *name) {
            return Err(Failure::usage(format!("no rule is called `{name}`")));
        }
    }
    let rows: Vec<&Row> =
        written.iter().filter(|r| arguments.names.is_empty() || arguments.names.contains(&r.name)).collect();
    if arguments.prove { prove(arguments, context, &rows) } else { list(context, &rows) }
}

fn list(context: &Context, rows: &[&Row]) -> Result<Exit, Failure> {
    let standing = |row: &Row| Proved::get().standing(row);
    if context.json {
        let list: Vec<_> = rows
            .iter()
            .map(|r| serde_json::json!({ "name": r.name, "file": r.place.0, "line": r.place.1, "rule": r.text, "verdict": standing(r) }))
            .collect();
        files::print(&format!("{}\n", serde_json::json!({ "schema": 1, "rules": list })));
        return Ok(Exit::Done);
    }
    for row in rows {
        let verdict = standing(row).map_or("left out".to_owned(), |s| format!("{s:?}").to_lowercase());
        files::print(&format!("{:<10} {}.rules:{:<4} {}\n", verdict, row.place.0, row.place.1, row.text));
    }
    Ok(Exit::Done)
}

fn prove(arguments: &RulesOf, context: &Context, rows: &[&Row]) -> Result<Exit, Failure> {
    let budget = arguments.budget.unwrap_or(super::solvers::USUAL);
    let timeout = arguments.timeout.unwrap_or(super::solvers::SECONDS);
    let solver = || super::solvers::first(budget, timeout);
    let start = Instant::now();
    let outcomes = rules::prove_rows(rows, context.jobs, &solver);
    let funnel = rules::Funnel::of(&outcomes);
    let seconds = start.elapsed().as_secs_f64();
    let exit = if funnel.refuted > 0 {
        Exit::Refuted
    } else if funnel.unknown > 0 {
        Exit::Unknown
    } else {
        Exit::Done
    };
    if context.json {
        let list: Vec<_> = outcomes.iter().map(rules::Outcome::json).collect();
        let all = serde_json::json!({ "schema": 1, "exit": exit as u8, "funnel": funnel, "seconds": seconds, "rules": list });
        files::print(&format!("{all}\n"));
        return Ok(exit);
    }
    for outcome in &outcomes {
        let word = outcome.verdict.word();
        match &outcome.verdict {
            Verdict::Unknown(why) | Verdict::Refuted(why) => {
                let at = outcome.at.as_deref().unwrap_or_default();
                files::print(&format!("{word:<10} {}: {why}\n           at {at}\n", outcome.name));
            }
            _ if !context.quiet => {
                files::print(&format!(
                    "{word:<10} {} ({})\n",
                    outcome.name,
                    count(outcome.instances, "instance")
                ));
            }
            _ => {}
        }
    }
    files::print(&format!("{funnel}; {seconds:.1} s\n"));
    Ok(exit)
}
