//! Test binaries side by side. `cargo test` starts one after the other, and most of ours that take long have one long test: a core idles.

use anyhow::{Context, Result, bail};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A program of tests that cargo has built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binary {
    /// The name of the target, such as `verdicts`.
    pub name: String,
    /// The file to run.
    pub file: PathBuf,
    /// The folder of its package, where cargo starts it.
    pub folder: PathBuf,
}

/// What the longest ones are called, the longest first: one that starts last would run alone.
const LONGEST: &str = include_str!("longest.txt");

/// The test binaries among cargo's messages (`--message-format json`), the longest first.
///
/// # Errors
/// When a line that starts as a message is none.
pub fn binaries(messages: &[String]) -> Result<Vec<Binary>> {
    let mut all = Vec::new();
    for line in messages.iter().filter(|l| l.starts_with('{')) {
        let message: serde_json::Value = serde_json::from_str(line).context("a message of cargo")?;
        let (Some(file), Some(manifest)) =
            (message["executable"].as_str(), message["manifest_path"].as_str())
        else {
            continue;
        };
        if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
            continue;
        }
        let folder = Path::new(manifest).parent().context("a manifest lies in a folder")?.to_owned();
        let name = message["target"]["name"].as_str().unwrap_or_default().to_owned();
        all.push(Binary { name, file: file.into(), folder });
    }
    let place = |b: &Binary| {
        let mut names = LONGEST.lines().filter(|l| !l.starts_with('#'));
        names.position(|name| name == b.name).unwrap_or(usize::MAX)
    };
    all.sort_by_key(|b| (place(b), b.file.clone()));
    Ok(all)
}

/// How a binary ended.
struct Ended {
    name: String,
    good: bool,
    time: Duration,
    lines: Vec<String>,
}

/// Runs all of them, as many at once as there are cores, each with one thread. What one prints comes out when it has ended. Gives whether
/// all were good, and every line.
///
/// # Errors
/// When one cannot be started, or there is none.
pub fn run(
    all: &[Binary],
    library: &std::ffi::OsStr,
    out: &mut (impl Write + Send),
) -> Result<(bool, Vec<String>)> {
    if all.is_empty() {
        bail!("cargo has built no tests");
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, ended, shared) = (AtomicUsize::new(0), Mutex::new(Vec::new()), Mutex::new(&mut *out));
    std::thread::scope(|scope| {
        let work = || -> Result<()> {
            while let Some(binary) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                let one = one(binary, library)?;
                let mut out = shared.lock().expect("no thread panics");
                // A closed terminal is no reason to stop the checks.
                let _ = writeln!(out, "     Running {} ({})", one.name, binary.file.display());
                let _ = one.lines.iter().try_for_each(|line| writeln!(out, "{line}"));
                ended.lock().expect("no thread panics").push(one);
            }
            Ok(())
        };
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|t| t.join().expect("no thread panics"))
    })?;
    let mut ended = ended.into_inner().expect("no thread panics");
    ended.sort_by_key(|e| std::cmp::Reverse(e.time));
    let sum: Duration = ended.iter().map(|e| e.time).sum();
    writeln!(out, "   {} test binaries, {:.1} s in sum; the longest:", ended.len(), sum.as_secs_f64())?;
    for e in ended.iter().take(12) {
        writeln!(out, "   {:7.1} s  {}", e.time.as_secs_f64(), e.name)?;
    }
    for e in ended.iter().filter(|e| !e.good) {
        writeln!(out, "   FAILED: {}", e.name)?;
    }
    Ok((ended.iter().all(|e| e.good), ended.into_iter().flat_map(|e| e.lines).collect()))
}

fn one(binary: &Binary, library: &std::ffi::OsStr) -> Result<Ended> {
    // Both outputs in one file, in the order in which they come.
    let mut file = tempfile::tempfile().context("a file for the output")?;
    let at = Instant::now();
    let status = Command::new(&binary.file)
        .current_dir(&binary.folder)
        .env("CARGO_MANIFEST_DIR", &binary.folder)
        .env("LD_LIBRARY_PATH", library)
        .env("RUST_TEST_THREADS", "1")
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file.try_clone()?)
        .status()
        .with_context(|| format!("cannot run {}", binary.file.display()))?;
    let time = at.elapsed();
    file.rewind()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let mut lines: Vec<String> = String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect();
    if status.code().is_none() {
        // A signal leaves no line of the runner, and must count.
        lines.push(format!("{}: {status}", binary.name));
        lines.push("test result: FAILED. 0 passed; 1 failed; 0 ignored".into());
    }
    Ok(Ended { name: binary.name.clone(), good: status.success(), time, lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(name: &str, script: &str, folder: &Path) -> Binary {
        use std::os::unix::fs::PermissionsExt;
        let file = folder.join(name);
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("set");
        Binary { name: name.into(), file, folder: folder.into() }
    }

    #[test]
    fn messages_of_cargo_name_the_tests() {
        let test = |name: &str, is: bool| {
            format!(
                "{{\"reason\":\"compiler-artifact\",\"manifest_path\":\"/w/a/Cargo.toml\",\"target\":{{\"name\":\"{name}\"}},\
                 \"profile\":{{\"test\":{is}}},\"executable\":\"/w/t/{name}\"}}"
            )
        };
        let messages =
            [test("short", true), test("tool", false), "   Compiling a".into(), test("recursion", true)];
        let names: Vec<String> = binaries(&messages).expect("messages").into_iter().map(|b| b.name).collect();
        assert_eq!(names, ["recursion", "short"]);
    }

    #[test]
    fn one_that_fails_or_dies_is_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let good =
            shell("good", "echo 'test result: ok. 2 passed; 0 failed; 0 ignored'; pwd >&2", folder.path());
        let fails = shell("fails", "echo 'test result: FAILED. 0 passed; 1 failed'; exit 101", folder.path());
        let dies = shell("dies", "kill -9 $$", folder.path());
        let of = |all: &[Binary]| run(all, "".as_ref(), &mut Vec::new());
        let (all, lines) = of(std::slice::from_ref(&good)).expect("it starts");
        assert!(all, "{lines:?}");
        assert!(
            lines.iter().any(|l| Path::new(l) == folder.path().canonicalize().expect("there")),
            "{lines:?}"
        );
        assert!(!of(&[good.clone(), fails]).expect("it starts").0);
        let (all, lines) = of(&[dies, good]).expect("it starts");
        assert!(!all && lines.iter().any(|l| l.contains("1 failed")), "{lines:?}");
        assert!(of(&[]).is_err());
    }
}
