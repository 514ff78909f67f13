//! Every line of `tests/tools/*.toml` on our binary by its name `ptxas`, and on NVIDIA's own where it is here.

mod common;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Run, run_with};
use regex::Regex;
use sassafras_oracle::{Tools, skip, workspace_root};
use serde::Deserialize;
use tempfile::tempdir;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tool: String,
    version: String,
    note: String,
    line: Vec<Line>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    what: String,
    source: String,
    module: Option<String>,
    input: Option<String>,
    arguments: Vec<String>,
    exit: i32,
    theirs: Option<String>,
    writes: Option<bool>,
    #[serde(default)]
    search: Vec<Search>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    stream: String,
    regex: String,
    found: bool,
}

fn tables() -> Vec<File> {
    let folder = workspace_root().join("tests/tools");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("it is part of the repository")
        .flatten()
        .map(|e| e.path())
        .collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("it was listed");
        toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    paths.iter().map(read).collect()
}

/// Runs a line in a folder of its own; whether the output is there afterwards.
fn replay(program: &OsStr, line: &Line) -> (Run, bool) {
    let folder = tempdir().expect("a folder");
    let input = line.input.as_deref().unwrap_or_default();
    let module = line.module.as_ref().map(|name| {
        let path = workspace_root().join("tests/tools/modules").join(name).with_extension("ptx");
        std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    });
    let bytes = module.unwrap_or_default();
    if !matches!(input, "" | "-") {
        let path = folder.path().join(input);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("the folder is ours");
        std::fs::write(path, &bytes).expect("the folder is ours");
    }
    let arguments: Vec<String> =
        line.arguments.iter().map(|a| a.replace("{in}", input).replace("{out}", "out.cubin")).collect();
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder.path());
    let run = run_with(command, if input == "-" { &bytes } else { b"" });
    (run, folder.path().join("out.cubin").exists())
}

fn searched(name: &str, line: &Line, run: &Run) {
    for search in &line.search {
        let regex = Regex::new(&search.regex).unwrap_or_else(|e| panic!("{name}: {e}"));
        let text = match search.stream.as_str() {
            "stdout" => run.out.clone(),
            "stderr" => run.err.clone(),
            "both" => format!("{}{}", run.out, run.err),
            other => panic!("{name}: no stream is called {other}"),
        };
        assert_eq!(regex.is_match(&text), search.found, "{name}: {}\nin\n{text}", search.regex);
    }
}

#[test]
fn every_line_on_our_binary() {
    let folder = tempdir().expect("a folder");
    let program = folder.path().join("ptxas");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sassafras"), &program).expect("a name for it");
    let mut count = 0;
    for table in tables() {
        assert!(!table.version.is_empty() && !table.note.is_empty(), "{}", table.tool);
        for line in &table.line {
            let name = format!("{}: {}", table.tool, line.what);
            assert!(!line.source.is_empty(), "{name}: where is it known from?");
            let (run, written) = replay(program.as_os_str(), line);
            assert_eq!(run.code, line.exit, "{name}\n{}{}", run.out, run.err);
            if let Some(writes) = line.writes {
                assert_eq!(written, writes, "{name}");
            }
            searched(&name, line, &run);
            count += 1;
        }
    }
    assert!(count >= 30, "only {count} lines");
}

/// The table is true of the compiler whose place we take.
#[test]
fn every_line_on_ptxas() {
    let ptxas = match Tools::here().ptxas("13.0.88") {
        Ok(tool) => tool,
        Err(reason) => return skip("every_line_on_ptxas", &reason),
    };
    let path = std::fs::canonicalize(ptxas.path()).unwrap_or_else(|_| Path::new(ptxas.path()).to_owned());
    for table in tables() {
        for line in &table.line {
            let name = format!("{}: {}", table.tool, line.what);
            let (run, written) = replay(path.as_os_str(), line);
            let ok = match line.theirs.as_deref() {
                Some("ok") => true,
                Some("fails") => false,
                Some(other) => panic!("{name}: `{other}` is neither ok nor fails"),
                None => line.exit == 0,
            };
            assert_eq!(run.code == 0, ok, "{name}\n{}{}", run.out, run.err);
            if line.theirs.as_deref() == Some("ok") {
                // What we refuse, it does; what we say then is ours.
                continue;
            }
            if let Some(writes) = line.writes {
                assert_eq!(written, writes, "{name}");
            }
            searched(&name, line, &run);
        }
    }
}
