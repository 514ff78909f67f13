//! The commands of the workflow "prove my kernels", without the workflow: a kernel that ptxas compiles wrongly among others.

#![allow(missing_docs)]
#![cfg(unix)]

use sassafras_oracle::workspace_root;
use std::path::Path;
use std::process::Command;

fn lay(folder: &Path, name: &str, corpus: &str, recorded: Option<&str>) {
    let root = workspace_root();
    std::fs::copy(root.join("corpus").join(corpus), folder.join(format!("{name}.ptx"))).expect("a program");
    if let Some(path) = recorded {
        let bytes = sassafras_reference::traces::cubin(&root, "13.0.88", path).expect("it is recorded");
        std::fs::write(folder.join(format!("{name}.cubin")), bytes).expect("a place for it");
    }
}

/// Exit code and summary of the script over a folder.
fn script(folder: &Path) -> (Option<i32>, String) {
    let root = workspace_root();
    let summary = folder.join("summary.md");
    let status = Command::new(root.join(".github/prove-kernels"))
        .arg(env!("CARGO_BIN_EXE_sassafras"))
        .args(["kernels", "sarif"])
        .arg(&summary)
        .env("PTXAS", "13.0.88")
        .current_dir(folder)
        .status()
        .expect("bash is here");
    (status.code(), std::fs::read_to_string(summary).unwrap_or_default())
}

#[test]
fn a_planted_error_fails_the_job_and_shows_at_its_line() {
    const NAME: &str = "a_planted_error_fails_the_job_and_shows_at_its_line";
    let Some(z3) = sassafras_prove::Z3::find(&[&workspace_root()], 1, 1) else {
        return sassafras_oracle::skip(NAME, &"z3 is not installed");
    };
    drop(z3);
    let folder = tempfile::tempdir_in(workspace_root().join("target"))
        .or_else(|_| tempfile::tempdir_in(workspace_root()));
    let folder = folder.expect("a folder below the root, where z3 is found");
    let kernels = folder.path().join("kernels");
    std::fs::create_dir(&kernels).expect("a folder");
    lay(&kernels, "good", "features/sub_s32.ptx", Some("features/sub_s32"));
    let (code, summary) = script(folder.path());
    assert_eq!(
        (code, summary.lines().nth(2)),
        (Some(0), Some("| good.ptx | nothing found | proved |")),
        "{summary}"
    );
    lay(&kernels, "planted", "ptxas-errors/rotate64.ptx", Some("ptxas-errors/rotate64"));
    lay(&kernels, "alone", "features/brev.ptx", None);
    std::fs::remove_file(folder.path().join("summary.md")).expect("it was written");
    let (code, summary) = script(folder.path());
    assert_eq!(code, Some(1), "{summary}");
    for line in [
        "| alone.ptx | nothing found | no cubin |",
        "| good.ptx | nothing found | proved |",
        "| planted.ptx | **found** | **refuted** |",
    ] {
        assert!(summary.contains(line), "`{line}` is not in\n{summary}");
    }
    for (file, rule, line) in
        [("planted.lint.sarif", "rotate64", 30), ("planted.prove.sarif", "prove-refuted", 33)]
    {
        let text = std::fs::read_to_string(folder.path().join("sarif").join(file)).expect("it is written");
        let log: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        let result = &log["runs"][0]["results"][0];
        let start = result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64();
        assert_eq!((result["ruleId"].as_str(), start), (Some(rule), Some(line)), "{file}");
    }
}

#[test]
fn a_folder_without_ptx_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("kernels")).expect("a folder");
    assert_eq!(script(folder.path()).0, Some(1));
}
