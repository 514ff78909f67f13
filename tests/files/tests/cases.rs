//! Runs every file of `cases/`.

use anyhow::{Context, anyhow, bail};

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};
use sassafras_files::{Found, bless, compare, parse};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut files = Vec::new();
    gather(&folder, &mut files);
    files.sort();
    let name = |file: &PathBuf| file.strip_prefix(&folder).unwrap_or(file).display().to_string();
    let mut trials: Vec<Trial> = files
        .into_iter()
        .map(|file| Trial::test(name(&file), move || run(&file).map_err(Failed::from)))
        .collect();
    trials.push(Trial::test("each_stage_has_its_cases", {
        let all: Vec<String> = trials.iter().map(|t| t.name().to_owned()).collect();
        move || counted(&all).map_err(Failed::from)
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Files in all, and at least so many of each stage that has a folder.
const LEAST: usize = 150;
const STAGES: [(&str, usize); 5] =
    [("opt/", 20), ("select/", 20), ("allocate/", 20), ("schedule/", 20), ("prove/", 20)];

fn counted(names: &[String]) -> anyhow::Result<()> {
    if names.len() < LEAST {
        bail!("only {} files were found", names.len());
    }
    for (stage, least) in STAGES {
        let count = names.iter().filter(|name| name.starts_with(stage)).count();
        if count < least {
            bail!("only {count} files of {stage}, {least} are wanted");
        }
    }
    Ok(())
}

fn gather(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { gather(&path, out) } else { out.push(path) }
    }
}

fn run(file: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(file)?;
    let case = parse(&text)?;
    let folder = tempfile::tempdir()?;
    let own = file.file_name().context("a file has a name")?.to_string_lossy().into_owned();
    // What stands before the first file of its own; lines keep their numbers.
    let mut whole: Vec<&str> = text.lines().take_while(|line| !line.starts_with("// FILE:")).collect();
    whole.push("");
    std::fs::write(folder.path().join(&own), whole.join("\n"))?;
    for (name, text) in &case.files {
        std::fs::write(folder.path().join(name), text)?;
    }
    let (mut exit, mut out, mut all) = (0, String::new(), String::new());
    let mut found = Vec::new();
    for (index, words) in case.commands.iter().enumerate() {
        let mut words: Vec<String> =
            words.iter().map(|w| w.replace("%s", &own).replace("%t", "out")).collect();
        if !case.expected.is_empty() {
            words.extend(["--format".into(), "json".into()]);
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_sassafras-under-test"));
        let output = command.args(&words).current_dir(folder.path()).output()?;
        exit = output.status.code().unwrap_or(-1);
        let stdout = String::from_utf8_lossy(&output.stdout);
        all.push_str(&stdout);
        all.push_str(&String::from_utf8_lossy(&output.stderr));
        if index + 1 < case.commands.len() && exit != 0 {
            bail!("`{}` exits with {exit}:\n{all}", words.join(" "));
        }
        found.extend(findings(&stdout));
        out = stdout.into_owned();
    }
    if case.solver && all.contains("no solver") {
        if std::env::var_os("CI").is_some() {
            bail!("there is no solver, and this is CI");
        }
        eprintln!("{own}: skipped, there is no solver");
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some() && case.out.is_some() {
        return Ok(std::fs::write(file, bless(&text, &out))?);
    }
    let wrong = compare(&case, exit, &out, &all, &found);
    if wrong.is_empty() { Ok(()) } else { Err(anyhow!("{}\n\nprinted:\n{all}", wrong.join("\n"))) }
}

/// The findings in a command's JSON.
fn findings(json: &str) -> Vec<Found> {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(json) else { return Vec::new() };
    let list = value["diagnostics"].as_array().cloned().unwrap_or_default();
    list.iter()
        .map(|d| Found {
            line: d["line"].as_u64().unwrap_or(0) as u32,
            code: d["code"].as_str().unwrap_or("").into(),
            message: d["message"].as_str().unwrap_or("").into(),
        })
        .collect()
}
