//! `cargo xtask test`: every check there is.

use crate::process::{cargo, shown, tee};
use crate::runner::{self, Binary};
use anyhow::{Result, bail};
use sassafras_oracle::table;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// What the test runner counted.
#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Count {
    /// Adds up the runner's `test result:` lines. Skipped are the ignored tests and each `skipped:` line that a test
    /// says aloud (such a test counts as passed too, as the runner has it).
    fn of(lines: &[String]) -> Count {
        let mut count = Count::default();
        for line in lines {
            if line.starts_with("skipped: ") {
                count.skipped += 1;
            }
            let Some((_, rest)) = line.split_once("test result: ") else { continue };
            for part in rest.split([';', '.']) {
                let mut words = part.split_whitespace();
                if let (Some(Ok(n)), Some(what)) = (words.next().map(str::parse::<u64>), words.next()) {
                    match what {
                        "passed" => count.passed += n,
                        "failed" => count.failed += n,
                        "ignored" => count.skipped += n,
                        _ => {}
                    }
                }
            }
        }
        count
    }
}

/// The steps so far.
#[derive(Default)]
struct Steps {
    /// Names of those that failed.
    failures: Vec<String>,
}

impl Steps {
    fn ended(&mut self, name: &str, good: bool, since: Instant) {
        println!(
            "   {name}: {} in {:.1} s",
            if good { "good" } else { "FAILED" },
            since.elapsed().as_secs_f64()
        );
        if !good {
            self.failures.push(name.to_owned());
        }
    }

    /// Runs a command and gives all that it prints.
    fn run(&mut self, name: &str, command: &mut Command) -> Result<Vec<String>> {
        println!("== {name}: {}", shown(command));
        let at = Instant::now();
        let (code, lines) = tee(command)?;
        self.ended(name, code == Some(0), at);
        Ok(lines)
    }

    /// Builds the tests; gives whether that went well, and cargo's messages, which are not for people.
    fn build(&mut self, command: &mut Command) -> Result<(bool, Vec<String>)> {
        println!("== test build: {}", shown(command));
        let at = Instant::now();
        let out = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
        self.ended("test build", out.status.success(), at);
        Ok((out.status.success(), String::from_utf8_lossy(&out.stdout).lines().map(str::to_owned).collect()))
    }

    /// Runs the tests and gives all that they print.
    fn tests(&mut self, all: &[Binary], library: &OsStr) -> Result<Vec<String>> {
        println!("== tests: {} binaries", all.len());
        let at = Instant::now();
        let (good, lines) = runner::run(all, library, &mut std::io::stdout())?;
        self.ended("tests", good, at);
        Ok(lines)
    }
}

/// Gets the tools, then runs format, lints, documentation, tests and the fuzz targets' check, all of them even when one
/// fails, and prints the runner's own count of tests as the last line.
pub fn test(root: &Path) -> Result<()> {
    let started = Instant::now();
    // At home the earlier versions of ptxas are left to those who ask for them.
    let everything = std::env::var("CI").is_ok_and(|v| v == "true");
    let wanted = |s: &&table::Set| !s.optional || everything && !table::only_records(s.name);
    let sets: Vec<&str> = table::SETS.iter().filter(wanted).map(|s| s.name).collect();
    crate::fetch::fetch(root, &sets)?;
    let features = features(root)?;
    let features: Vec<&str> = if features.is_empty() { vec![] } else { vec!["--features", &features] };
    let mut step = Steps::default();
    let with = |head: &[&str], tail: &[&str]| -> Vec<String> {
        head.iter().chain(&features).chain(tail).map(|s| (*s).to_string()).collect()
    };
    // Tests of crates that only depend on the prover find z3's library by this.
    let library = library_path(root)?;
    let call = |args: &[String]| {
        let mut command = cargo(root, &args.iter().map(String::as_str).collect::<Vec<_>>());
        command.env("LD_LIBRARY_PATH", &library);
        if everything {
            // What nobody builds upon again needs no state for that, and panics say their lines without debug information.
            command.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_DEBUG", "0");
        }
        command
    };

    step.run("format", &mut cargo(root, &["fmt", "--all", "--check"]))?;
    step.run(
        "lints",
        &mut call(&with(&["clippy", "--workspace", "--all-targets"], &["--", "-D", "warnings"])),
    )?;
    let mut doc = call(&with(&["doc", "--workspace", "--no-deps"], &[]));
    step.run("documentation", doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    let build = ["test", "--workspace", "--no-run", "--message-format", "json-render-diagnostics"];
    let (built, messages) = step.build(&mut call(&with(&build, &[])))?;
    let mut lines = Vec::new();
    if built {
        lines = step.tests(&runner::binaries(&messages)?, &library)?;
    }
    lines.extend(step.run("examples", &mut call(&with(&["test", "--workspace", "--doc"], &[])))?);
    if root.join("fuzz/Cargo.toml").exists() {
        // A workspace of its own, but what the lints have checked of other crates need not be checked again.
        let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| root.join("target").into());
        let mut check = cargo(root, &["check", "--manifest-path", "fuzz/Cargo.toml"]);
        step.run("fuzz targets", check.env("CARGO_TARGET_DIR", target))?;
    }

    let count = Count::of(&lines);
    println!("== done in {:.0} s", started.elapsed().as_secs_f64());
    if !step.failures.is_empty() {
        println!("   failed steps: {}", step.failures.join(", "));
    }
    println!("{} passed, {} failed, {} skipped", count.passed, count.failed, count.skipped);
    if !step.failures.is_empty() || count.failed > 0 {
        bail!("not everything passed");
    }
    if count.passed == 0 {
        bail!("no test ran");
    }
    Ok(())
}

/// z3 in process, when its wheel is here and `sassafras` has the feature.
fn features(root: &Path) -> Result<String> {
    if let Err(why) = sassafras_oracle::Tools::find(root).z3() {
        println!("   without z3 in process: {why}");
        return Ok(String::new());
    }
    let out = cargo(root, &["metadata", "--no-deps", "--format-version", "1"]).output()?;
    let metadata: serde_json::Value = serde_json::from_slice(&out.stdout)?;
    let offers = |package: &serde_json::Value| {
        package["name"] == "sassafras" && package["features"].get("z3").is_some()
    };
    let found = metadata["packages"].as_array().is_some_and(|all| all.iter().any(offers));
    Ok(if found { "sassafras/z3".into() } else { String::new() })
}

/// `LD_LIBRARY_PATH` with the library of z3's wheel in front.
fn library_path(root: &Path) -> Result<std::ffi::OsString> {
    let old = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let rest = std::env::split_paths(&old).filter(|p| !p.as_os_str().is_empty());
    Ok(std::env::join_paths([root.join(".z3/z3/lib")].into_iter().chain(rest))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_the_runners() {
        let lines = [
            "running 3 tests",
            "skipped: oracle::words: not here",
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.38s",
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.2s",
        ]
        .map(String::from);
        assert_eq!(Count::of(&lines), Count { passed: 15, failed: 2, skipped: 2 });
    }
}
