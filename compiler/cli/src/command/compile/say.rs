//! What a compilation says, for people and for programs.

use sassafras_driver::options::Options;
use sassafras_driver::{Failure as Stopped, statistics};
use sassafras_ptx::Diagnostics;
use serde_json::{Value, json};

use super::{Compiled, code_of, has_warnings, stage_name};
use crate::judges::Opinion;
use crate::{Exit, files};

/// Findings as JSON.
pub(in crate::command) fn records(findings: &Diagnostics) -> Vec<Value> {
    let list = findings.records().into_iter();
    list.map(|r| {
        json!({
            "code": r.code, "severity": r.severity, "message": r.message,
            "file": r.file, "line": r.line, "column": r.column, "help": r.help,
        })
    })
    .collect()
}

/// The JSON record of a session.
pub(super) fn json(done: &[Compiled], exit: Exit) -> Value {
    let mut diagnostics = Vec::new();
    let mut error = Value::Null;
    let mut all = Vec::new();
    for c in done {
        let mut file = json!({ "input": c.name, "judges": c.opinions });
        if let Some(certificate) = &c.certificate {
            file["certificate"] = certificate.json();
        }
        match &c.result {
            Ok(artifact) => {
                diagnostics.extend(artifact.findings.iter().flat_map(records));
                file["output"] = json!(c.output.as_ref().map(|p| p.display().to_string()));
                file["target"] = json!(artifact.target.map(|t| t.to_string()));
                file["warnings"] =
                    json!(artifact.warnings.iter().map(ToString::to_string).collect::<Vec<_>>());
                file["remarks"] = json!(artifact.remarks);
                file["entries"] = artifact.entries.iter().map(entry).collect();
                file["phases"] = artifact
                    .notes
                    .iter()
                    .map(|(stage, notes)| {
                        let numbers: serde_json::Map<String, Value> =
                            notes.numbers.iter().map(|&(name, n)| (name.to_owned(), json!(n))).collect();
                        json!({ "phase": stage_name(*stage), "function": notes.function, "numbers": numbers, "planted": notes.planted })
                    })
                    .collect();
            }
            Err(Stopped::Ptx(findings)) => diagnostics.extend(records(findings)),
            Err(stopped) => error = json!({ "code": code_of(stopped), "message": stopped.to_string() }),
        }
        all.push(file);
    }
    json!({ "schema": 1, "exit": exit as u8, "diagnostics": diagnostics, "error": error, "files": all })
}

fn entry(e: &statistics::Entry) -> Value {
    json!({
        "name": e.name, "instructions": e.instructions, "registers": e.registers, "barriers": e.barriers,
        "frame": e.frame, "spill_stores": e.spill_stores, "spill_loads": e.spill_loads, "shared": e.shared,
        "seconds": e.time.as_secs_f64(),
        "occupancy": e.occupancy.map(|o| json!({ "warps": o.warps, "of": o.most, "limit": o.limit.word() })),
        "threads": e.threads,
    })
}

/// A judge that could not decide.
pub(super) fn undecided(o: &Opinion) -> String {
    let about = o.function.as_ref().map(|f| format!(" of `{f}`")).unwrap_or_default();
    let why = o.reason.as_deref().unwrap_or("no reason given");
    let pass = o.pass.map(|p| format!(" ({p})")).unwrap_or_default();
    format!("{} cannot decide about {}{pass}{about}: {why}", o.judge, o.stage)
}

/// Prints for people, to standard error.
pub(super) fn text(done: &[Compiled], options: &Options) {
    let warn = !options.no_warnings && !options.quiet || options.warnings_are_errors;
    let word = if options.warnings_are_errors { "error" } else { "warning" };
    if !options.quiet && !options.no_warnings {
        options.remarks.iter().for_each(|r| eprintln!("note: {r}"));
    }
    if warn {
        options.warnings.iter().for_each(|w| eprintln!("{word}: {w}"));
    }
    for c in done {
        if let Some(certificate) = &c.certificate {
            files::print(&certificate.text);
            if let Some(path) = certificate.witness.as_ref().filter(|_| !options.quiet) {
                files::print(&format!("{}: `sassafras check-witness` checks it\n", path.display()));
            }
        }
        match &c.result {
            Ok(artifact) => {
                for (stage, function, text) in &artifact.printed {
                    eprintln!("# after {stage}{}{function}", if function.is_empty() { "" } else { " of " });
                    eprint!("{text}");
                }
                if warn && has_warnings(artifact, options) {
                    artifact.findings.iter().for_each(|f| eprint!("{}", f.render()));
                    artifact.warnings.iter().for_each(|w| eprintln!("{word}: {}: {w}", c.name));
                }
                if !options.quiet {
                    artifact.remarks.iter().for_each(|r| eprintln!("note: {}: {r}", c.name));
                }
                for o in c.opinions.iter().filter(|o| o.is_said() && !options.quiet) {
                    eprintln!("note: {}", undecided(o));
                }
                if let (true, Some((cubin, _)), Some(target)) =
                    (options.verbose, &artifact.cubin, artifact.target)
                {
                    let target = target.to_string();
                    eprint!("{}", statistics::text("sassafras", &target, cubin, &artifact.entries));
                }
            }
            Err(Stopped::Ptx(findings)) => {
                eprint!("{}", findings.render());
                eprintln!("error: {} cannot be compiled", c.name);
            }
            // It names its line.
            Err(Stopped::Text(what)) => eprintln!("error[C0006]: {what}"),
            Err(stopped) => eprintln!("error[{}]: {}: {stopped}", code_of(stopped), c.name),
        }
    }
}
