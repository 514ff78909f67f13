//! One test for each program of the corpus.

use libtest_mimic::{Arguments, Failed, Trial};
use sassafras_corpus::{Volume, examine, programs};
use sassafras_reference::workspace_root;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = workspace_root();
    let programs = match programs(&root) {
        Ok(programs) => programs,
        Err(e) => {
            eprintln!("the corpus cannot be read: {e}");
            return ExitCode::FAILURE;
        }
    };
    let volume = if std::env::var_os("CORPUS_FULL").is_some() { Volume::Full } else { Volume::Sample };
    let trials = programs
        .into_iter()
        .map(|program| {
            let root = root.clone();
            Trial::test(program.name.clone(), move || {
                let row = examine(&root, &program, volume);
                println!("{}", serde_json::to_string(&row).map_err(|e| Failed::from(e.to_string()))?);
                let listed = unsupported(&program.name);
                if row.clean() && row.ours.starts_with("unsupported") == listed {
                    return Ok(());
                }
                let why = if listed { "listed in unsupported.txt" } else { "not listed in unsupported.txt" };
                Err(Failed::from(format!("{why}: {row:#?}")))
            })
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Whether a program is known not to be supported.
fn unsupported(name: &str) -> bool {
    let lines = include_str!("../unsupported.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(": ")).any(|(listed, _)| listed == name)
}
