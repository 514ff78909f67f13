//! `sassafras check --races`, and what `prove` says of races.

use std::path::Path;

use sassafras_execute::memory::Use;
use sassafras_execute::races::{End, Race};
use sassafras_prove::races::{MANY, Searched, races};
use sassafras_ptx::checked::Module;
use serde_json::{Value, json};

use super::Context;
use crate::{Exit, files};

fn end(end: &End) -> Value {
    let how = match end.how {
        Use::Load => "load",
        Use::Store => "store",
        Use::Atomic => "atomic",
    };
    json!({
        "line": end.line, "block": end.block, "thread": end.thread, "how": how,
        "address": format!("{:#x}", end.address), "bytes": end.bytes,
    })
}

/// A race: whether it is certain, the memory, and both accesses.
pub(super) fn json(race: &Race) -> Value {
    json!({
        "certain": race.unless.is_none(), "unless_line": race.unless, "space": race.space(),
        "accesses": race.ends.iter().map(end).collect::<Vec<_>>(),
    })
}

/// A search's result with the launch.
pub(super) fn record(searched: &Searched) -> Value {
    let found = searched.found.as_ref().map(|found| {
        let mut all = json(&found.race);
        all["grid"] = json!(found.grid);
        all["block"] = json!(found.block);
        all["run"] = json!(found.run);
        all
    });
    json!({
        "launches": searched.ended, "stopped": searched.stopped, "lacking": searched.lacking, "race": found,
    })
}

/// The lines of a race that was found: accesses, and the launch. `path`: the file for `run`.
pub(super) fn lines(searched: &Searched, path: &str, entry: &str) -> Vec<String> {
    let Some(found) = &searched.found else { return Vec::new() };
    let mut lines: Vec<String> = found.race.to_string().lines().map(str::to_owned).collect();
    let [grid, block] = [found.grid, found.block].map(|[x, y, z]| format!("{x},{y},{z}"));
    lines.push(match &found.run {
        Some(arguments) => format!("see it again: sassafras run {path} --entry {entry} {arguments} --races"),
        None => format!("in a launch of {grid} blocks of {block} threads"),
    });
    lines
}

/// Searches launches of a module's entries for races: exit 10 if one is certain, 12 if what may order two accesses is not followed or no launch ran.
pub(super) fn check(
    path: &Path,
    module: &Module,
    entry: Option<&str>,
    context: &Context,
    functions: &mut Vec<Value>,
) -> Exit {
    let name = path.display().to_string();
    let mut exit = Exit::Done;
    let wanted = |f: &&sassafras_ptx::checked::Function| f.entry && entry.is_none_or(|e| e == f.name);
    for f in module.functions.iter().filter(wanted) {
        let Some(searched) = races(module, &f.name, MANY) else { continue };
        let ran = format!("{} launches ran, {} did not end", searched.ended, searched.stopped);
        let (own, verdict) = match (&searched.found, &searched.lacking) {
            (Some(found), _) if found.race.unless.is_none() => (Exit::Refuted, "threads race".to_owned()),
            (Some(_), _) => (Exit::Unknown, "threads may race".to_owned()),
            (None, Some(lacking)) => (Exit::Unknown, format!("unknown: {lacking}")),
            (None, None) if searched.ended == 0 => (Exit::Unknown, format!("unknown: {ran}")),
            (None, None) => (Exit::Done, format!("no race found; {ran}; a search, not a proof")),
        };
        exit = exit.worse(own);
        if context.json {
            let mut all = record(&searched);
            all["file"] = json!(name);
            all["name"] = json!(f.name);
            functions.push(all);
        } else if !context.quiet || own != Exit::Done {
            files::print(&format!("{name}: `{}`: {verdict}\n", f.name));
            lines(&searched, &name, &f.name).iter().for_each(|line| files::print(&format!("  {line}\n")));
        }
    }
    exit
}
